"""The evidence matrix: how results become a verdict, and that every claim has one."""

import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal

import pytest

from maurey.numeric.balls import enclose
from maurey.symbolic import registry
from maurey.verify import ledger, matrix
from maurey.verify.checks import BOOK, EFFORTS, Result, checks_of, effort, exemption_of, modules_of
from maurey.verify.errata.entries import Comparison, restates

A7, A8, DEEP, LINEAR = (registry.find(f"edelman2022/{n}") for n in ("A.7", "A.8", "A.17", "4.5"))


def of(claim, *found, compared=None):
    return matrix.row(claim, list(found), compared, 0.0)


def result(verdict="holds", rung="tested", **more):
    if verdict == "fails":
        more = {"counterexample": {"x": 1}, "printed_value": "1", "true_value": "2"} | more
    return Result(verdict, rung, f"{rung} {verdict}", **more)


def test_every_claim_has_a_check_or_an_exemption():
    for claim in registry.all_claims():
        source = restates(claim) or claim.key
        assert bool(checks_of(source)) != bool(exemption_of(source)), claim.key
    known = {claim.key for claim in registry.all_claims()}
    assert set(BOOK.checks) | set(BOOK.exempt) <= known


def test_a_paper_registers_its_own_keys():
    """So that verifying a key loads the checks of its paper only, and its digest is of the module that speaks of it."""
    for claim in registry.all_claims():
        if not restates(claim):
            inside = {module for module in modules_of(claim.key) if ".papers." in module}
            assert {module.split(".")[3] for module in inside} == {claim.paper}, claim.key


def test_loading_checks_loads_nothing_slow():
    code = """
import sys
from maurey.symbolic import registry
from maurey.verify.checks import load
for paper in registry.paper_names():
    load(paper)
print({"torch", "z3", "hypothesis", "matplotlib"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_the_strongest_rung_decides():
    row = of(A7, result(instances=3, tightness=0.5), result(rung="proved"), result(instances=4, tightness=0.7))
    assert (row.verdict, row.evidence, row.instances, row.tightness) == ("holds", "proved", 7, 0.7)


def test_any_failure_of_the_print_fails():
    row = of(A7, result(rung="proved"), result("fails", "refuted"))
    assert (row.verdict, row.evidence, row.counterexample, row.where) == ("fails", "refuted", {"x": 1}, "")


def test_outside_a_condition_nothing_fails():
    """Of 4.5 it is known that it needs N > 1: what fails there says no more, what fails elsewhere does."""
    edge = result("fails", "refuted", edge=True, part="log_N", counterexample={"N": "1"})
    row = of(LINEAR, result(part="log_N"), edge, compared=Comparison(LINEAR.key))
    assert (row.verdict, row.where, row.counterexample) == ("holds", "N > 1", None)
    row = of(LINEAR, result(part="log_N"), edge, result("fails", "refuted", part="log_N"))
    assert (row.verdict, row.where, row.counterexample) == ("fails", "", {"x": 1})
    assert of(LINEAR, edge).verdict == "undecided"  # a condition alone proves nothing


def test_what_was_not_read_is_never_refuted():
    unread = replace(A7, source="reconstructed: from the prose")
    row = of(unread, result(rung="proved"), result("fails", "refuted"))
    assert (row.verdict, row.counterexample) == ("undecided", None)
    assert "reconstructed" in row.notes[0]


def test_undecided_is_not_holding():
    assert of(A7, result("undecided")).verdict == "undecided"
    assert of(A7).verdict == "undecided"
    row = of(A7, result(form="derived"))
    assert (row.verdict, row.evidence, row.derived) == ("undecided", None, "derived")  # nothing decided


def test_all_parts_must_hold():
    row = of(A8, result(part="minimum", rung="proved"))
    assert row.verdict == "undecided"
    row = of(A8, result(part="minimum", rung="proved"), result(part="minimizer", rung="tested"))
    assert (row.verdict, row.evidence) == ("holds", "tested")  # as strong as the weakest part


def test_a_gap_needs_more_than_a_test():
    gap = next(one for one in ledger.comparisons(keys=[DEEP.key]) if one.key == DEEP.key)
    row = of(DEEP, result(part="log_N"), compared=gap)
    assert row.verdict == "undecided"
    assert "errata" in row.notes[0]
    assert of(DEEP, result(part="log_N"), compared=Comparison(DEEP.key)).verdict == "holds"


def test_a_broken_derived_form_is_said():
    assert "the derived form fails" in of(A7, result(), result("fails", "refuted", form="derived")).notes[1]


def test_bad_results_and_efforts():
    with pytest.raises(ValueError, match="not a verdict"):
        Result("maybe", "tested", "")
    with pytest.raises(ValueError, match="counterexample"):
        Result("fails", "refuted", "")
    with pytest.raises(Exception, match="there are quick, normal, hard"):
        effort("lazy")
    assert [EFFORTS[n].scale for n in ("quick", "normal", "hard")] == sorted(e.scale for e in EFFORTS.values())


def test_the_ledger_holds_a_verdict_for_every_claim():
    stored = ledger.verdicts()
    assert set(stored) == {claim.key for claim in registry.all_claims()}
    kinds = {claim.key: claim for claim in registry.all_claims()}
    for key, verdict in stored.items():
        beyond = verdict["evidence"] not in (None, "axiom")
        open_ = verdict["verdict"] == "undecided" and verdict["notes"]
        assert beyond or open_ or exemption_of(key) or kinds[key].reference, key
        assert json.dumps(verdict["counterexample"]) != "null" or verdict["verdict"] != "fails"


REFUTED = [entry for entry in ledger.refuted() if registry.find(entry.key).parts]  # of a definition nothing is printed


@pytest.mark.parametrize("entry", REFUTED, ids=lambda e: f"{e.key}:{e.part}{' edge' if e.edge else ''}")
def test_what_is_refuted_is_printed_so(entry):
    """The print again at the witness, from the claim itself; and it is on the wrong side of what is true there."""
    claim, witness = registry.find(entry.key), entry.witness
    names = {p.name for p in claim.symbols} | {c.name for c in claim.constants}
    at = {name: value for name, value in witness.get("at", witness).items() if name in names}
    t = Decimal(witness["t"][-1]) if "ray" in witness else Decimal(1)
    for name, power in witness.get("ray", {}).items():
        label, _, index = name.rstrip("]").partition("[")
        moved = t ** Decimal(str(power))
        if index:
            at[label] = [str(moved) if i == int(index) else v for i, v in enumerate(at[label], 1)]
        else:
            at[label] = f"{moved.normalize():f}"
    value = Decimal(str(enclose(claim, "printed", entry.part, **at).value))
    said, true = Decimal(entry.printed_value), Decimal(entry.true_value)
    assert abs(value - said) <= abs(said) * Decimal("1e-4")
    part = claim.part(entry.part)
    assert said != true if part.relation == "=" else said > true if part.below else said < true
    edges = [other for other in REFUTED if other.edge and (other.key, other.part) == (entry.key, entry.part)]
    assert len(edges) <= 1
