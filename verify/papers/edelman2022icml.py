"""Theorem 4.6 of the conference version: built, attacked from below, and proved through a grid of row norms."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Integer

from maurey.symbolic.capacity import closed_capacity_steps
from maurey.symbolic.claim import Setting
from maurey.symbolic.covers import closed_rows
from maurey.symbolic.derivation import Step
from maurey.symbolic.modules import Linear, Signal
from maurey.symbolic.names import symbols
from maurey.symbolic.norms import Matrix
from maurey.verify.checks import Effort, Result, check
from maurey.verify.covers.constructions import POINTS, both_sides, vectors
from maurey.verify.packings.attacks import ONE_INPUT, at_edge, constant_needed
from maurey.verify.packings.classes import ROW_SUM
from maurey.verify.prove.arguments import correction, fine_columns, lists, row_norm_grid
from maurey.verify.prove.repairs import same_display

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


def _by_norms(_: Setting) -> list[Step]:
    eps, N, d_1, d_2, B_X, B_1 = symbols("eps N d_1 d_2 B_X B_W_21")
    W = Linear(Matrix("W", "W", d_2, d_1, row_sum=B_1))
    return closed_capacity_steps(W, Signal(B_X, N, Integer(1)), eps, closed_rows)


check(KEY)(same_display(KEY, _by_norms, lambda: [*correction(), *lists(), *fine_columns()]))
