"""The best attacks found, one file per claim: exact instances, replayed as a regression.
Only `attack.statements.keep` writes here; nothing is edited by hand."""
