"""Rademacher complexities and tails of classes for which they can be computed: what chains are held against.
Values are exact, or lower and upper ends; no bound of a paper is typed here."""
