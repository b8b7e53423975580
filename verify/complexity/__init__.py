"""Rademacher complexities, suprema and tails that can be computed: what chains and bounds are held against.
Values are exact, or lower and upper ends; forms of claims are taken from the claims, not typed here."""
