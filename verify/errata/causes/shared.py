"""Titles of what several papers have in common: one slug, one title, and a paragraph for each paper."""

VANISHING_LOGARITHM = "A logarithm that is kept vanishes at the smallest sizes, and the bound with it"
NEGATIVE_LOGARITHM = "Bounds that turn negative where the argument of a logarithm is below 1"
LOST_RADIUS = "Tokens are taken to lie in the unit ball where they need not"
