"""The papers' networks, trained many trials at a time: `trials` say what, `tasks` on which data, `networks` with which
weights, the `engine` does it, `readings` measure it. What a result means is said in `papers` and in the exhibits."""
