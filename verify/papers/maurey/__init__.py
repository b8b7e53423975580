"""Checks of the sharper constants and covers that are ours: proofs, attacks, covers and chains.
A paper's own claims are checked in its folder; what both need lives in a room."""
