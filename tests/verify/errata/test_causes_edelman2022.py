"""Causes of Edelman et al.: their conditions are what was missing, no more, and gaps of proofs leave what is stated."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import pytest
from sympy import Rational, Symbol
from sympy.core.relational import Relational

from maurey.numeric.exact import fractions
from maurey.symbolic import registry
from maurey.verify import matrix
from maurey.verify.checks import Effort, Result
from maurey.verify.errata import rays
from maurey.verify.errata.causes import cause_of, causes, within
from maurey.verify.errata.comparison import compare
from maurey.verify.papers.edelman2022 import chain, readings

CUT = ["4.4", "4.5", "4.5-stronger", "4.6", "A.3", "A.11", "A.12", "A.12-equal-heads", "B.8"]
QUICK = Effort("quick", 1)


def conditions(key: str) -> list[Relational]:
    found = [cause.where[key] for cause in causes("edelman2022") if key in cause.where]
    return [one for one in found if isinstance(one, Relational)]


def meets(relation: Relational, at) -> bool:
    numbers = {Symbol(n): Rational(x.numerator, x.denominator) for n, x in at.items() if not isinstance(x, list)}
    return bool(relation.subs(numbers))


@pytest.mark.parametrize("number", CUT)
def test_nothing_falls_short_where_the_condition_holds(number):
    """Nor is the comparison empty: it starts inside, and goes along many rays."""
    claim = registry.find(f"edelman2022/{number}")
    part = next(part for part in claim.parts if part.derived)
    assert compare(claim).errata
    assert not compare(within(claim)).errata
    if number != "B.8":
        at = rays.start(claim, part)
        assert all(meets(relation, at) for relation in conditions(claim.key))
        assert 4 * len(rays.rays(within(claim), at)) > len(rays.rays(claim, at))


@pytest.mark.parametrize("number", CUT)
def test_witnesses_lie_outside(number):
    claim = registry.find(f"edelman2022/{number}")
    for entry in compare(claim).errata:
        relation = cause_of(entry).where[claim.key]
        at = fractions(entry.witness.get("at", entry.witness))
        for name, power in entry.witness.get("ray", {}).items():
            if name in at or "[" not in name:
                at[name] = Fraction(10.0 ** (12 * power))
        assert not meets(relation, at), entry.note


def test_every_condition_is_needed():
    """Without one of them the comparison speaks up again."""
    for number in ("4.4", "4.6"):
        claim = registry.find(f"edelman2022/{number}")
        for relation in conditions(claim.key):
            rest = [one for one in within(claim).assumes if one.relation != relation]
            assert compare(replace(claim, assumes=tuple(rest))).errata, relation


def test_a_gap_of_a_proof_leaves_what_is_stated():
    claim = registry.find("edelman2022/B.5")
    held = [Result("holds", "constructed", "built", part=part.name) for part in claim.parts]
    missed = Result("fails", "constructed", "not as printed", counterexample={"s": "1", "gamma": "1"}, part="error",
                    proof=True, printed_value="0", true_value="1")  # fmt: skip
    row = matrix.row(claim, [*held, missed], None, 0.0)
    assert (row.verdict, row.counterexample) == ("holds", None)
    assert "not as printed" in row.notes
    (entry,) = matrix.refuted(claim.key, [*held, missed])
    assert entry.status == "gap"
    assert cause_of(entry).slug == "narrow-plateau"
    assert matrix.row(claim, [*held, replace(missed, proof=False)], None, 0.0).verdict == "fails"
    row = matrix.row(claim, [one for one in (*held, missed) if one.part != "error" or one.proof], None, 0.0)
    assert (row.verdict, row.notes[0]) == ("undecided", "the printed proof does not give it: not as printed")


def test_a_deviation_is_told_from_a_negative_logarithm():
    made = list(islice(chain.gap_from_entropy(QUICK), 2))
    slugs = [cause_of(entry).slug for entry in matrix.refuted("edelman2022/2.2", made)]
    assert slugs == ["one-sided-deviation", "negative-logarithm"]


def test_shares_that_are_negative_cost_less():
    one = readings.negative_share(QUICK)
    x = one.counterexample["x"]
    assert sum(x) == 1
    assert sum(1 / y**2 for y in x) == float(one.true_value) < float(one.printed_value) == 2**3


def test_a_line_needs_as_many_centres_as_it_has_members_apart():
    assert readings.centres_on_a_line([0, 1, 2, 3, 4, 5], 1) == 2
    assert readings.centres_on_a_line([0, 2, 4], 1) == 3
    (found,) = readings.read_out(QUICK)
    assert (found.verdict, found.part) == ("holds", "log_N")
