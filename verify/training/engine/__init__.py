"""Trials trained as one batched computation, a list of them swept over workers, and their results stored.
Which networks and tasks there are is said here once, by name; what they compute is not."""
