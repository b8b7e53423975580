"""Checks by paper, registered by key, and every network or construction that only that paper needs.
A paper's folder registers the keys of its own paper only and imports no other paper's: what two need, a room has."""
