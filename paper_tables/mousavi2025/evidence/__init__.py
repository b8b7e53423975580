"""What is known of each claim of the paper, and of those it rests on."""

from functools import partial

from maurey.paper_tables.evidence import draw, evidence

__all__ = ["draw", "make"]

make = partial(evidence, "mousavi2025")
