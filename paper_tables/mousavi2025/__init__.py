"""Exhibits after Mousavi-Hosseini et al. 2025."""
