"""The best attacks found, one file per claim: exact instances, replayed as a regression."""
