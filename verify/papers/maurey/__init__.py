"""Checks of the sharper constants and covers that are ours: proofs, attacks, covers and chains."""
