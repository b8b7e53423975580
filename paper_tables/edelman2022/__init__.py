"""Exhibits for Edelman et al. 2022."""
