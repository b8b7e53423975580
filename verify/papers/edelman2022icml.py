"""Theorem 4.6 of the conference version: built, attacked from below, and proved through a grid of row norms."""

from __future__ import annotations

from collections.abc import Iterator

from maurey.verify.checks import Effort, Result, check
from maurey.verify.covers.constructions import POINTS, both_sides, vectors
from maurey.verify.packings.attacks import ONE_INPUT, at_edge, constant_needed
from maurey.verify.packings.classes import ROW_SUM
from maurey.verify.prove.arguments import row_norm_grid

KEY = "edelman2022icml/4.6"
ATTACKS = {(KEY, "log_N"): ROW_SUM}
EDGE = {"eps": "1/16", "N": "1", "d_1": "1", "d_2": "1", "B_X": "1", "B_W_21": "1"}


@check(KEY)
def covering(effort: Effort) -> Iterator[Result]:
    yield from both_sides(KEY, "log_N", vectors("21", "columns"), ROW_SUM, effort)
    yield constant_needed(KEY, "log_N", effort, POINTS, ROW_SUM)
    yield at_edge(KEY, "log_N", EDGE, ONE_INPUT.format("N = d_2"), ROW_SUM)


@check(KEY)
def grid(effort: Effort) -> Result:
    return row_norm_grid(KEY)
