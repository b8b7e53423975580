"""Checks of Edelman et al. 2022, by kind of argument."""
