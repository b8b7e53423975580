"""Attacks: that they stay inside the classes, find what is there, and call nothing a violation that is none."""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from flint import arb

from maurey.symbolic import registry
from maurey.verify.attack import ascent
from maurey.verify.attack.ascent import NORMS, Found, Inequality, Variable, confirm, meets, project, ratio_at
from maurey.verify.checks import Effort
from maurey.verify.papers.edelman2022 import lipschitz
from maurey.verify.papers.edelman2022.lipschitz import STATEMENTS, Tally, tools

torch.set_num_threads(1)
KEYS = list(STATEMENTS)


def random_matrices(n, m, seed, E=60):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(E, n, m, dtype=torch.float64, generator=rng) * 10 ** (
        2 * torch.rand(E, 1, 1, dtype=torch.float64, generator=rng) - 1
    )


# --- projections -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", NORMS)
@pytest.mark.parametrize(("n", "m"), [(1, 4), (4, 1), (3, 3), (2, 7), (12, 10)])
def test_projections_land_inside_and_leave_members_alone(kind, n, m):
    M, bounds = random_matrices(n, m, 1), {kind: torch.full((60,), 0.7, dtype=torch.float64)}
    inside = project(M, bounds)
    assert ascent.inside(inside, bounds).all()
    assert not ascent.inside(M, bounds).all()
    assert torch.allclose(project(inside, bounds), inside, atol=1e-13)
    assert (NORMS[kind](inside)[NORMS[kind](M) > 0.7] > 0.7 - 1e-9).all()  # what was outside is on the boundary


@pytest.mark.parametrize("kind", ["spectral", "rows", "columns", "entries", "frobenius"])
def test_projections_are_the_nearest_points(kind):
    """For a convex set P is the nearest point iff (M - P) . (Y - P) <= 0 for every member Y."""
    bounds = {kind: torch.ones(60, dtype=torch.float64)}
    M, Y = random_matrices(4, 5, 2), project(random_matrices(4, 5, 3), bounds)
    P = project(M, bounds)
    assert (((M - P) * (Y - P)).sum((1, 2)) <= 1e-9).all()


def test_an_intersection_of_norm_balls_is_reached():
    bounds = {kind: torch.full((60,), b, dtype=torch.float64) for kind, b in
              (("columns", 0.4), ("spectral", 0.6), ("rows", 0.5), ("row_sum", 0.9))}  # fmt: skip
    assert ascent.inside(project(random_matrices(4, 4, 5), bounds), bounds).all()


# --- exact hypotheses --------------------------------------------------------------------------------------------


def member(M, kind, bound):
    inequality = Inequality({"M": Variable((len(M), len(M[0])), {kind: "B"})}, {"B": 1}, lambda v: {})
    return meets(inequality, {"bounds": {"B": bound}, "variables": {"M": M}})


def test_membership_is_decided_exactly():
    """On the boundary a matrix is a member; a bit beyond it is not, however small the bit."""
    tiny = 2.0**-50
    assert member([[1.0, 0.0], [0.0, -1.0]], "spectral", 1.0) is True
    assert member([[1.0, tiny], [0.0, 1.0]], "spectral", 1.0) is False
    assert member([[1.0, 2.0, 2.0]], "spectral", 3.0) is True
    assert member([[1.0, 2.0, 2.0 + tiny]], "spectral", 3.0) is False
    assert member([[3.0, 4.0], [0.0, 5.0]], "rows", 5.0) is True
    assert member([[3.0, 4.0], [0.0, 5.0]], "columns", 5.0) is False
    assert member([[3.0], [4.0]], "columns", 5.0) is True
    assert member([[1.0, -1.0], [1.0, 1.0]], "frobenius", 2.0) is True
    assert member([[1.0, -1.0], [1.0, 1.0]], "frobenius", 2.0 - tiny) is False
    assert member([[1.0, -2.0]], "entries", 2.0) is True
    assert member([[1.0, -2.0]], "entries", 1.5) is False
    assert member([[1.0, 0.0], [0.0, 1.0]], "row_sum", 1.9) is False
    assert member([[1.0, 0.0], [0.0, 1.0]], "row_sum", 2.1) is True


# --- one definition for floats and balls -------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_floats_and_balls_compute_the_same_sides(key):
    """At points of every case small enough: the ratio in floats lies at the ratio that balls certify."""
    f = tools()
    for case in STATEMENTS[key].cases:
        if max(n for n in case.values() if isinstance(n, int)) > 6:
            continue
        inequality = STATEMENTS[key].build(f, **case)
        points = ascent.Starts(inequality, 6, seed=9)
        values = points.values()
        for target in inequality.sides(values):
            instance = ascent.rounded(
                points, {n: v.detach() if torch.is_tensor(v) else v for n, v in values.items()}, 1
            )
            assert meets(inequality, instance) is True
            _, upper = confirm(inequality, instance, target)
            if upper != float("inf"):
                assert ratio_at(inequality, instance, target) == pytest.approx(upper, rel=1e-7, abs=1e-9)


# --- honesty: what the attack must find --------------------------------------------------------------------------

# key, target, case: the ratio that the attack must come close to
TIGHT = [
    ("edelman2022/4.2", "printed", 0, 0.9),
    ("edelman2022/4.2", "derived", 0, 0.9),
    ("edelman2022/4.3", "moved printed", 0, 0.999),
    ("edelman2022/4.3", "moved derived", 0, 0.999),
    ("edelman2022/A.6", "moved printed", 0, 0.999),
    ("edelman2022/A.6", "moved derived", 0, 0.999),
    ("edelman2022/A.7", "moved printed", 1, 0.499),
    ("edelman2022/A.7", "moved derived", 1, 0.999),
    ("edelman2022/A.7", "moved sharp", 1, 0.999),
    ("edelman2022/A.9", "moved printed", 1, 0.999),
    ("edelman2022/A.9", "moved derived", 2, 0.999),
    ("edelman2022/A.13", "moved printed", 0, 0.999),
    ("edelman2022/A.13", "moved derived", 3, 0.999),
    ("edelman2022/A.13", "moved sharp", 3, 0.999),
    ("edelman2022/A.14", "moved printed", 0, 0.9),
    ("edelman2022/A.14", "moved derived", 3, 0.9),
    ("edelman2022/A.14", "moved sharp", 6, 0.9),
    ("edelman2022/A.15", "moved printed", 0, 0.99),
    ("edelman2022/A.15", "moved derived", 0, 0.99),
    ("edelman2022/A.15", "moved sharp", 3, 0.95),
    ("edelman2022/A.16", "moved printed", 0, 0.999),
    ("edelman2022/A.16", "moved derived", 1, 0.999),
    ("maurey/softmax", "linear printed", 1, 0.999),
    ("maurey/softmax", "finite printed", 1, 0.999),
    ("maurey/attention", "moved printed", 6, 0.9),
    ("maurey/score", "score printed", 1, 0.999),
    ("maurey/orientation", "either", 1, 0.999),
    ("edelman2022/4.4", "log_N derived", 0, 0.99),
    ("edelman2022/4.4", "log_N sharp", 1, 0.99),
    ("edelman2022/A.11", "log_N derived", 0, 0.99),
    ("edelman2022/A.12", "log_N sharp", 1, 0.99),
    ("edelman2022/A.12-equal-heads", "log_N derived", 0, 0.99),
    ("edelman2022/A.17", "log_N derived", 2, 0.99),
    ("edelman2022/4.6", "log_N sharp", 1, 0.99),
]


def tightened(inequality, target, factor):
    """The same inequality with one right-hand side multiplied."""

    def sides(v):
        found = dict(inequality.sides(v))
        lhs, rhs, scale = found[target]
        return {**found, target: (lhs, rhs * factor, scale)}

    return replace(inequality, sides=sides)


@pytest.mark.parametrize(("key", "target", "case", "reached"), TIGHT)
def test_a_constant_a_little_too_small_is_refuted(key, target, case, reached):
    """As stated the bound holds; times 0.95 of what is reached it is refuted, by an exact member of the class."""
    f = tools()
    true = STATEMENTS[key].build(f, **STATEMENTS[key].cases[case])
    false = tightened(true, target, 0.95 * reached)
    found = ascent.attack(false, 96, 30, seed=0).best[target]
    assert found.refuted is True
    assert meets(false, found.instance) is True
    assert confirm(true, found.instance, target)[0] is not True
    assert ratio_at(true, found.instance, target) <= 1 + 1e-9


def test_every_statement_is_asked_for():
    assert {key for key, *_ in TIGHT} == set(STATEMENTS)


@pytest.mark.parametrize(
    ("key", "case", "kappa"),
    [("edelman2022/A.13", 0, "4/5"), ("edelman2022/A.14", 6, "1/2"), ("edelman2022/A.15", 0, "3/5")],
)
def test_a_softmax_constant_that_is_too_small_is_refuted(key, case, kappa, monkeypatch):
    """One constant inside the derived form, not the whole: 2 is twice the best one, so 1 holds and less does not."""
    find, f = registry.find, tools()

    def changed(which, value):
        claim = find(which)
        return replace(claim, constants=tuple(replace(c, value=Fraction(value)) for c in claim.constants))

    inequality = STATEMENTS[key].build(f, **STATEMENTS[key].cases[case])
    for value, refuted in (("1", False), (kappa, True)):
        monkeypatch.setattr(registry, "find", lambda which, value=value: changed(which, value))
        assert ascent.attack(inequality, 192, 30, seed=0).best["moved derived"].refuted is refuted


def test_the_best_constant_of_attention_is_approached_as_sequences_grow():
    """The proof's extreme configuration: an exact member of the class for every T, and its ratio goes to 1."""
    f, ratios = tools(), []
    for T in (5, 17, 65, 257):
        inequality = lipschitz.layer_input(f, T, 2, 2, "maurey/attention", unit=True)
        instance = {"bounds": {"B_V": 1.0, "B_QK": 1.0, "B_X": 1.0}, "variables": dict(inequality.hint)}
        assert meets(inequality, instance) is True
        ratios.append(ratio_at(inequality, instance, "moved printed"))
    assert ratios == sorted(ratios)
    assert ratios[-1] > 0.99
    start = ascent.attack(lipschitz.layer_input(f, 17, 2, 2, "maurey/attention", unit=True), 12, 20, seed=0)
    assert start.best["moved printed"].ratio >= ratios[1] - 1e-3  # an attack starts no lower than its hint


# --- honesty: what must not be called a violation ----------------------------------------------------------------


def interval(sides):
    """One number of absolute value at most B, which is between 0.1 and 1."""
    return Inequality({"x": Variable((1, 1), {"entries": "B"})}, {"B": (-1, 0)}, sides)


def cancelling(change):
    """A left-hand side that loses its digits in floats, and then looks larger than the right-hand side."""

    def sides(v):
        x = tools().tokens(v["x"])
        return {"it": ((change(x) + 2.0**52) - 2.0**52, x, x)}

    return interval(sides)


@pytest.mark.parametrize(
    ("change", "refuted", "verdict"),
    [(lambda x: x, False, "holds"), (lambda x: x * 0.999, False, "holds"), (lambda x: x / 3 * 3, None, "undecided")],
)
def test_rounding_errors_are_not_violations(change, refuted, verdict):
    """Balls see through it: less or equal is certain, or, at a tie behind a division, open; never a violation."""
    instance = {"bounds": {"B": 1.0}, "variables": {"x": [[0.6]]}}
    assert ratio_at(cancelling(change), instance, "it") > 1.5
    assert confirm(cancelling(change), instance, "it")[0] is refuted
    found = ascent.attack(cancelling(change), 64, 5, seed=0).best["it"]
    assert found.refuted is refuted
    assert found.ratio <= 1 + 1e-9 or refuted is None
    t = Tally()
    t.add(1, found, {})
    assert lipschitz._result("edelman2022/A.9", "", "printed", [("it", t)]).verdict == verdict


def test_a_violation_outside_the_class_is_not_confirmed():
    def sides(v):
        x = tools().tokens(v["x"])
        return {"it": (x, x * 0 + 1, x)}

    outside = {"bounds": {"B": 1.0}, "variables": {"x": [[1.0 + 2.0**-30]]}}
    assert ratio_at(interval(sides), outside, "it") > 1
    assert confirm(interval(sides), outside, "it")[0] is None
    wider = replace(interval(sides), variables={"x": Variable((1, 1), {"entries": 2.0})})
    assert confirm(wider, outside, "it")[0] is True


def test_a_real_violation_is_found_among_false_ones():
    """Some starts only seem to violate; the attack goes on to the one that does."""

    def sides(v):
        x = tools().tokens(v["x"])
        noise = 0.0 if isinstance(x, arb) else torch.where(x < 0.2, 3.0, 0.0)
        return {"it": (x * 1.01 + noise, x + 0 * x + 0.005, x)}

    found = ascent.attack(interval(sides), 20, 0, seed=0).best["it"]
    assert found.refuted is True
    assert found.instance["variables"]["x"][0][0] ** 2 > 0.25


def test_verdicts_follow_from_what_was_found():
    instance = {"bounds": {"B": 1.0}, "variables": {"u": [[2.0]], "v": [[0.5]]}}
    cases = {False: "holds", None: "undecided", True: "fails"}
    for refuted, verdict in cases.items():
        t = Tally()
        t.add(3, Found(0.9, {}, False), {"d": 1})
        t.add(1, Found(0.5, instance, refuted), {"d": 1})
        result = lipschitz._result("edelman2022/A.9", "moved", "printed", [("moved printed", t)])
        assert result.verdict == verdict
        assert result.instances == 4
        assert (result.rung == "refuted") == bool(refuted)
    assert result.counterexample["variables"] == instance["variables"]
    assert (result.true_value, result.printed_value) == ("0.500000000000000", "1.50000000000000")
    nothing = lipschitz._result("edelman2022/A.9", "moved", "printed", [("moved printed", Tally())])
    assert nothing.verdict == "undecided"


def test_a_false_claim_is_reported_with_its_counterexample(monkeypatch):
    statement = STATEMENTS["edelman2022/A.9"]
    false = replace(statement, build=lambda f, d: tightened(lipschitz.projection(f, d), "moved printed", 0.9))
    monkeypatch.setitem(STATEMENTS, "edelman2022/A.9", false)
    result, other = lipschitz.examine("edelman2022/A.9", Effort("quick", 1))
    assert (result.verdict, result.rung, result.form) == ("fails", "refuted", "printed")
    assert (other.verdict, other.rung, other.form) == ("holds", "tested", "derived")
    json.dumps(result.counterexample)
    assert float(result.true_value) > float(result.printed_value)


@pytest.mark.parametrize("key", ["edelman2022/A.7", "edelman2022/A.9", "edelman2022/A.13", "maurey/softmax"])
def test_true_claims_are_not_refuted_over_twenty_seeds(key):
    f = tools()
    inequality = STATEMENTS[key].build(f, **STATEMENTS[key].cases[1 if key != "edelman2022/A.13" else 0])
    for seed in range(20):
        outcome = ascent.attack(inequality, 32, 12, seed=1000 + seed)
        assert all(found.refuted is False for found in outcome.best.values())
        assert all(outcome.effective.values())


@pytest.mark.parametrize("key", ["edelman2022/A.16", "edelman2022/A.12-equal-heads"])
def test_a_check_reports_every_form(key):
    claim = registry.find(key)
    found = lipschitz.examine(key, Effort("quick", 1, seed=5))
    assert {r.form for r in found} == set(claim.forms) - ({"printed"} if claim.kind == "covering" else set())
    assert all(r.verdict == "holds" and r.instances > 50 and 0.99 < r.tightness <= 1 for r in found)


def test_the_same_seed_finds_the_same():
    f = tools()
    inequality = lipschitz.softmax_pair(f, 3, "edelman2022/A.7")
    first, again, other = (ascent.attack(inequality, 16, 8, seed) for seed in (3, 3, 4))
    assert first == again
    assert first != other


# --- kept instances ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_kept_instances_are_reproduced(key):
    """Exact members of the class; the ratio as it was found, to 1e-9; certainly not above 1."""
    f = tools()
    entries = json.loads(lipschitz.path_of(key).read_text())
    built = STATEMENTS[key].build(f, **STATEMENTS[key].cases[0])
    assert {entry["target"] for entry in entries} >= set(built.sides(ascent.Starts(built, 4, 0).values()))
    for entry in entries:
        inequality = STATEMENTS[key].build(f, **entry["case"])
        assert meets(inequality, entry["instance"]) is True
        assert ratio_at(inequality, entry["instance"], entry["target"]) == pytest.approx(entry["ratio"], abs=1e-9)
        refuted, upper = confirm(inequality, entry["instance"], entry["target"])
        assert refuted is not True
        assert upper <= 1
        assert all(n <= lipschitz.SMALL for n in entry["case"].values() if isinstance(n, int))


def test_keeping_and_replaying(tmp_path, monkeypatch):
    monkeypatch.setattr(lipschitz, "INSTANCES", tmp_path)
    lipschitz.keep("edelman2022/A.16", Effort("quick", 1, seed=2))
    found = list(lipschitz.kept("edelman2022/A.16"))
    assert [target for target, _, _ in found] == ["moved printed", "moved derived"]
    assert all(0.999 < entry.ratio <= 1 + 1e-9 and entry.refuted is False for _, _, entry in found)


def test_importing_the_checks_does_not_import_torch():
    code = "import sys, maurey.verify.papers.edelman2022.lipschitz; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
