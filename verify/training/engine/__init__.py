"""Trials trained as one batched computation, a list of them swept over workers, and their results stored.
Nothing here knows a network or a paper by name."""
