"""Checks of Mousavi-Hosseini et al. 2025, by kind of argument."""
