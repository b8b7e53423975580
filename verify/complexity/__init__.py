"""Rademacher complexities, deviations, posteriors and Gaussian tails that can be computed: what chains are held to.
Values are exact, or lower and upper ends; no bound of a paper is typed here."""
