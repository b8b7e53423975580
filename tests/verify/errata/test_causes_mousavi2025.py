"""Findings on Mousavi-Hosseini et al. 2025: conditions are false at the witnesses and true at ordinary sizes, witnesses
are as small as they are said to be, and numbers in the paragraphs are those of the claims."""

import math
from fractions import Fraction as F

import pytest
from sympy import Rational, Symbol
from sympy.core.relational import Relational

from maurey.numeric.evaluation import value
from maurey.numeric.exact import fractions
from maurey.symbolic import registry
from maurey.verify.checks import EFFORTS, load, results
from maurey.verify.errata.causes import cause_of, causes, within
from maurey.verify.errata.comparison import compare
from maurey.verify.errata.witnesses import _points
from maurey.verify.matrix import refuted
from maurey.verify.papers.mousavi2025 import heads, summaries

PAPER = "mousavi2025"
CONDITIONS = [(key, where) for cause in causes(PAPER) for key, where in cause.where.items()]
# the sizes of the paper's experiments: d = 10, N = 100, d_e = 23, width 100, and a link of weights of order one
USUAL = {"n": 50_000, "N": 100, "d": 10, "q": 2, "m": 100, "H": 2, "R": 20, "d_e": 23, "r_x": 40, "r_a": 1, "r_w": 1}
USUAL |= {"B_a": 1, "B_W_F": 10, "C_x": 1, "eps": F(1, 10), "eps_2NN": F(1, 100), "LR": 1}
USUAL |= {"tau": 11, "r_h": 5, "r_z": 40}  # of the orders of log n, of sqrt(q d) and of r_x
HEADS = {"N": 2, "q": 2, "H": 1, "d": 4}


def holds(where, at):
    given = {Symbol(name): Rational(*F(x).as_integer_ratio()) for name, x in at.items()}
    return bool(where.xreplace({s: given[s] for s in where.free_symbols}))


def places(witness, names):
    """The points of a witness: those of its ray, or itself."""
    at = fractions({name: x for name, x in witness.get("at", witness).items() if name in names})
    return _points(witness, at) if "ray" in witness else [at]


@pytest.mark.parametrize(("key", "where"), [pair for pair in CONDITIONS if isinstance(pair[1], Relational)])
def test_conditions_exclude_the_witnesses_and_hold_as_usual(key, where):
    load(PAPER)
    claim = registry.find(key)
    names = {p.name for p in claim.symbols}
    made = [heads.zero_tokens(key, HEADS)] if claim.number in ("4", "21") else results(key, EFFORTS["quick"])
    found = [*refuted(key, made), *compare(claim).errata]
    witnesses = [one.witness for one in found if one.key == key and cause_of(one).where.get(key) == where]
    assert witnesses
    assert not any(holds(where, USUAL | at) for witness in witnesses for at in places(witness, names))
    assert holds(where, USUAL)


@pytest.mark.parametrize("key", [key for key, _ in CONDITIONS])
def test_no_gap_under_the_conditions(key):
    """But what other findings say."""
    found = compare(within(registry.find(key)))
    others = {"mousavi2025/17": {"degree-lost"}}
    assert {cause_of(entry).slug for entry in found.errata} == others.get(key, set())
    assert not found.undecided


def test_numbers_of_the_paragraphs():
    log_P = float(value(f"{PAPER}/41", "printed", "log_P", {"eps": F(1, 2), "d": 20}))
    assert (round(log_P, 2), round(20 * math.log(2), 2)) == (13.59, 13.86)
    matrices = {"eps": 1, "H": 1, "r_z": 1, "B_QK_21": 4, "B_QK_F": 4}
    said = [float(value(f"{PAPER}/16", "printed", "log_N", matrices | {"D_e": D})) for D in (1000, 10**5)]
    assert [round(x) for x in said] == [232, 380]
    block = {"m": 1, "D_e": 4, "R": 2, "H": 100, "eps": 10, "c_R": 1}
    assert round(float(value(f"{PAPER}/14", "printed", "log_N", block))) == 105
    sizes = dict.fromkeys(("m", "r_z", "B_a", "B_W_F", "B_QK_21"), 1) | {"n": 16, "D_e": 2}
    (small, low), (large, high) = (
        [float(value(f"{PAPER}/17", form, "log_N", sizes | {"H": t, "eps": t})) for form in ("printed", "derived")]
        for t in (10**12, 10**16)
    )
    assert (large - small) / math.log(10**4) == pytest.approx(1, rel=1e-3)
    assert high / low == pytest.approx(100, rel=1e-3)


def test_summaries():
    assert summaries.table(EFFORTS["quick"]).verdict == "holds"
    judged = summaries.hierarchy(EFFORTS["quick"])
    assert judged.verdict == "undecided"
    assert "min(q, d)" in judged.note


def test_a_risk_that_grows_with_the_length_is_no_yes(monkeypatch):
    exact = summaries.sweep

    class Grown:
        def __init__(self, log):
            self.log = log

    def grown(claim, form, part, **at):
        return Grown(exact(claim, form, part, **at).log + (0.05 * math.log(at["N"]) if claim.number == "3" else 0))

    monkeypatch.setattr(summaries, "sweep", grown)
    assert summaries.table(EFFORTS["quick"]).verdict == "undecided"
    assert "min(q, d)" not in summaries.hierarchy(EFFORTS["quick"]).note
