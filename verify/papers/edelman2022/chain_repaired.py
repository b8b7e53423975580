"""Repaired complexities and gaps: each display is, identically, what chaining and one deviation for each side give."""

from __future__ import annotations

from sympy import expand_log, log

from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import chained, lists, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.proofs import conclude, formula

PAPER, SIDES = "edelman2022/", "maurey/sides"
b, R_F, L = positive("b R_F L_loss")


@check(PAPER + "sec2-linear-cover")
def number(effort: Effort) -> Result:
    """The number of lists of corrections, for the logarithm of which A.10 has a bound."""
    eps, m, B_X, B_w = positive("eps m B_X B_w")
    display = expand_log(log(formula(PAPER + "sec2-linear-cover", "repaired", "N_inf")), force=True)
    note = "No more than so many corrections, each one of 2m or none (z3)."
    return conclude(note, [*lists(), same(display, (B_X * B_w / eps) ** 2 * log(2 * m + 1))], part="N_inf",
                    form="repaired")  # fmt: skip


@check(PAPER + "A.3")
def complexity(effort: Effort) -> Result:
    note = "The form of maurey/chaining: links in the ratio e^(x/k), given Massart's lemma."
    return conclude(note, chained(formula(PAPER + "A.3", "repaired")), part="R", form="repaired")


@check(PAPER + "A.4")
def gap(effort: Effort) -> Result:
    """An L-Lipschitz loss has at most L times the complexity (contraction without absolute values)."""
    sides = formula(SIDES, part="gap", b=2 * b, R_F=L * R_F)
    note = "It is the gap of maurey/sides for losses in [-b, b], after contraction."
    return conclude(note, [same(formula(PAPER + "A.4", "repaired"), sides)], rung="identity", part="gap",
                    form="repaired")  # fmt: skip


@check(PAPER + "2.2")
def gap_from_entropy(effort: Effort) -> Result:
    bounded = formula(PAPER + "A.3", "repaired")
    sides = formula(SIDES, part="gap_every", b=2 * b, R_F=L * bounded)
    note = "It is the gap of maurey/sides with the complexity of A.3 as it should read, which holds for every sample."
    return conclude(note, [same(formula(PAPER + "2.2", "repaired"), sides)], rung="identity", part="gap",
                    form="repaired")  # fmt: skip
