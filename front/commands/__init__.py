"""The commands of `maurey`, a file for each kind of question; `maurey.cli` puts them together."""
