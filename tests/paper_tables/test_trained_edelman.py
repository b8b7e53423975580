"""Exhibits trained after Edelman et al. 2022: what is counted, what is beyond the grid, what is fitted and read off."""

import math
import tomllib

import numpy as np
import pytest
from figures import drawn_where_all_has_failed

from maurey.paper_tables import exhibits
from maurey.paper_tables.accounts import account, succeeded
from maurey.paper_tables.edelman2022 import attention, curves, parity, sparse_and
from maurey.paper_tables.edelman2022.sparse_and.thresholds import Threshold, cells_of, law, thresholds
from maurey.paper_tables.statistics import difference, growth, line, resampled, threshold, wilson
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.verdicts import Finding
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import Job

SIZES = [50, 60, 70, 80, 90, 100]
NAMES = ("sparse_and", "curves", "attention", "parity")


def outcome(T=100, m=50, trial=0, errors=0, protocol="fast", held_out=1000, status="done", ended=1000, **more):
    """A trial of AND; a failed one has seen no evaluation."""
    record = {"status": status, "errors": errors if status == "done" else None, "best": 40, "iterations": ended}
    names = {name: more.pop(name) for name in ("subset", "function", "batch", "iterations", "stop") if name in more}
    return Outcome(Config(T=T, m=m, protocol=protocol, held_out=held_out, **names), trial, record | more)


def cell(T, m, successes, trials, zero=None, failed=0, protocol="fast"):
    """So many of the trials succeed, so many of these without an error."""
    zero = successes if zero is None else zero
    errors = [0] * zero + [5] * (successes - zero) + [10] * (trials - successes)
    done = [outcome(T, m, i, e, protocol) for i, e in enumerate(errors)]
    return done + [outcome(T, m, trials + i, status="failed", protocol=protocol) for i in range(failed)]


def expected(name):
    return tomllib.loads((exhibits.ROOT / "edelman2022" / name / "expected.toml").read_text())


def scale(**stage):
    return {"scale": "paper", "stage": [stage]}


@pytest.mark.parametrize(("k", "n", "low", "high"), [
    (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662),
    (1, 29, 0.0061, 0.1718),
])  # fmt: skip
def test_wilson(k, n, low, high):
    """Newcombe 1998 prints (81, 263) and (1, 29)."""
    assert wilson(k, n) == pytest.approx((low, high), abs=6e-5)


def test_wilson_solves_its_equation():
    for end in wilson(7, 20):
        assert abs(7 / 20 - end) == pytest.approx(1.959964 * math.sqrt(end * (1 - end) / 20), rel=1e-6)
    assert wilson(0, 0) == (0.0, 1.0)


def test_newcombe():
    """The example of Newcombe 1998: 56/70 against 48/80."""
    assert difference((56, 70), (48, 80)) == pytest.approx((0.2, 0.0524, 0.3339), abs=6e-5)


def test_the_smallest_that_is_reached():
    reached = np.array([[0, 0, 1, 0, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]], dtype=bool)
    values, sides = threshold(SIZES[:5], reached)
    assert values.tolist() == [70, 90, 50, 90]
    assert sides.tolist() == [0, 1, -1, 0]


def test_resamples_are_binomial_and_repeat():
    found = resampled([2, 5, 0, 10], [10, 10, 10, 10], 4000, (2022, 1))
    assert np.array_equal(found, resampled([2, 5, 0, 10], [10, 10, 10, 10], 4000, (2022, 1)))
    assert not np.array_equal(found, resampled([2, 5, 0, 10], [10, 10, 10, 10], 4000, (2022, 2)))
    assert found.mean(0) == pytest.approx([0.2, 0.5, 0, 1], abs=0.01)
    assert found.std(0) == pytest.approx([math.sqrt(0.016), math.sqrt(0.025), 0, 0], abs=0.01)


def test_a_limit_pulls_only_from_its_wrong_side():
    x, y = np.arange(4.0), np.array([[0.0, 1.0, 2.0, 2.5], [0.0, 1.0, 2.0, 9.0]])
    beyond, below = np.array([[0, 0, 0, 1]] * 2), np.array([[0, 0, 0, -1]] * 2)
    _, slopes, off = line(x, y, beyond)
    assert slopes[0] == pytest.approx(1)  # the line is above 2.5 at 3 already
    assert off[0] == pytest.approx(0, abs=1e-9)
    assert slopes[1] == pytest.approx(np.polyfit(x, y[1], 1)[0])  # and not above 9
    _, slopes, _ = line(x, y, below)
    assert slopes[0] == pytest.approx(np.polyfit(x, y[0], 1)[0])
    assert slopes[1] == pytest.approx(1)


@pytest.mark.parametrize(("p", "verdict"), [(0.3, True), (0.97, True), (1.0, False), (1.5, False)])
def test_a_planted_exponent_is_found(p, verdict):
    T = [100, 200, 400, 800]
    sizes, sides = 3.0 * np.array(T, dtype=float) ** p, np.zeros(4, dtype=int)
    fit = growth(T, sizes, sides, np.tile(sizes, (20, 1)), np.tile(sides, (20, 1)))
    assert (fit.p, fit.c) == pytest.approx((p, 3.0))
    assert fit.sublinear is verdict
    assert fit.residuals[1] == pytest.approx(0, abs=1e-6)
    assert fit.residuals[0] > 0.3


def test_an_exponent_within_its_spread_of_one_is_undecided():
    T, rng = [100, 200, 400, 800], np.random.default_rng(3)
    sizes, sides = np.array(T) * 0.5, np.zeros(4, dtype=int)
    again = sizes * np.exp(0.1 * rng.standard_normal((400, 4)))
    fit = growth(T, sizes, sides, again, np.zeros_like(again, dtype=int))
    assert fit.sublinear is None
    assert fit.interval[0] < 1 < fit.interval[1]


def test_a_logarithm_is_fitted_without_residual():
    T = [100, 200, 400, 800]
    sizes, sides = 5 + 12 * np.log(T), np.zeros(4, dtype=int)
    fit = growth(T, sizes, sides, sizes[None], sides[None])
    assert (fit.a, fit.b) == pytest.approx((5, 12))
    assert fit.residuals[0] < 1e-9 < fit.residuals[1]


def test_success_is_above_99_percent():
    assert succeeded(outcome(errors=9))
    assert not succeeded(outcome(errors=10))


def test_failed_trials_are_no_evidence():
    (found,) = cells_of(cell(100, 50, 3, 4, zero=2, failed=6))
    assert (found.done, found.failed, found.success, found.zero) == (4, 6, 3, 2)
    assert found.fraction == 0.75
    assert found.interval == wilson(3, 4)


@pytest.mark.parametrize(("successes", "zero", "arxiv", "icml"), [
    ([0, 5, 6, 10, 10, 10], [0, 0, 0, 7, 8, 10], "70", "90"),  # half is not more than half; 80 % is enough
    ([0, 0, 1, 2, 4, 5], [0] * 6, "> 100", "> 100"),
    ([6, 4, 10, 10, 10, 10], [0, 0, 7, 9, 9, 9], "<= 50", "80"),
])  # fmt: skip
def test_critical_sizes(successes, zero, arxiv, icml):
    outcomes = [o for m, k, z in zip(SIZES, successes, zero, strict=True) for o in cell(100, m, k, 10, z, failed=3)]
    for name, share, text in (("arXiv", 0.5, arxiv), ("ICML", 0.8, icml)):
        (found,) = thresholds(cells_of(outcomes), {100: SIZES}, name, share)
        assert (found.text, found.complete) == (text, True)


def planted(size, contexts, trials=20, grid=SIZES):
    """All trials succeed from a size on, and none before."""
    return [o for T in contexts for m in grid for o in cell(T, m, trials * (m >= size(T)), trials)]


def test_a_context_with_missing_cells_is_not_fitted():
    outcomes = planted(lambda T: 60 + T / 20, (100, 200, 400))
    grid = dict.fromkeys((100, 200, 400), SIZES)
    assert law(thresholds(cells_of(outcomes), grid, "arXiv", 0.5)).sublinear
    fewer = [o for o in outcomes if (o.config.T, o.config.m) != (200, 50)]
    found = thresholds(cells_of(fewer), grid, "arXiv", 0.5)
    assert [one.missing for one in found] == [(), (50,), ()]
    assert law(found) is None


def test_three_known_sizes_are_needed():
    def known(T, side):
        return Threshold(T, "fast", "9", 60, side, (), 10, np.full(50, 60.0), np.full(50, side))

    assert law([known(100, 0), known(200, 0), known(400, 1), known(800, 1)]) is None
    assert law([known(100, 0), known(200, 0), known(400, 0), known(800, 1)]) is not None


def shown(name, outcomes, **stage):
    """The exhibit of these outcomes at a scale that plans no more, and its table."""
    module = {"sparse_and": sparse_and, "curves": curves, "attention": attention, "parity": parity}[name]
    made = module.render(scale(**stage), expected(name), outcomes)
    assert all(len(row) == len(made.columns) for row in made.rows)
    assert not any(c in cell for row in made.rows for cell in row for c in "%^&|")  # LaTeX and Markdown
    return made, [dict(zip(made.columns, row, strict=True)) for row in made.rows]


def test_sparse_and_reports_what_is_beyond_the_grid_and_both_protocols():
    outcomes = planted(lambda T: T / 2 + 10, (100, 200, 400)) + cell(100, 50, 20, 20, protocol="paper")
    made, rows = shown("sparse_and", outcomes, T=[100, 200, 400, 800], m=SIZES, trials=20)
    sizes = {(row["kind"], row["T"]): row["value"] for row in rows}
    assert [sizes["critical size, arXiv", T] for T in ("100", "200", "400")] == ["60", "> 100", "> 100"]
    (gap,) = (row for row in rows if row["kind"] == "protocols")
    assert (gap["value"], gap["protocol"]) == ("+1.000", "paper - fast")
    assert [row["note"] for row in rows if row["kind"].startswith("fit")] == ["needs 3 contexts of known size"] * 2
    notes = "\n".join(made.notes)
    for words in ("T = 800, fast", "they DIFFER", "a fit needs 3", "Scale paper", "keyed by the hash", "(2022, T)"):
        assert words in notes
    assert any("> 100 at T = 200" in text for text in made.disagreements)


@pytest.mark.parametrize(("size", "agrees"), [(lambda T: 20 + 10 * math.log(T), True), (lambda T: T / 10, False)])
def test_sparse_and_compares_growth(size, agrees):
    contexts, grid = (500, 1000, 2000), list(range(30, 211, 10))
    made, rows = shown("sparse_and", planted(size, contexts, grid=grid), T=contexts, m=grid, trials=20)
    power = next(row for row in rows if row["kind"] == "power law, arXiv")
    assert power["note"].endswith("; sublinear" if agrees else "; not sublinear")
    assert any("arXiv: the paper finds sublinear" in text for text in made.disagreements) is not agrees


def curve(losses, errors, every=10):
    return [[every * (i + 1), loss, wrong, loss] for i, (loss, wrong) in enumerate(zip(losses, errors, strict=True))]


def run(m, losses, errors, T=300, **more):
    return outcome(T, m, errors=min(errors), curve=curve(losses, errors), stop=False, **more)


def test_curves_read_training_accuracy_off_the_loss():
    below = run(50, [0.5, 0.0139, 0.0138, 5e-5], [130, 120, 110, 99])  # ln 2 / 50 = 0.01386
    above = run(200, [0.4, 0.01, 3e-3, 2e-4], [90, 20, 5, 0])
    made, rows = shown("curves", [below, above], T=[300], m=[50, 200], trials=1)
    first, second = rows
    assert (first["no training error from"], first["training loss below floor from"]) == ("30", "40")
    assert (second["no training error from"], second["training loss below floor from"]) == ("30", "not within 1000")
    assert [text for text in made.disagreements if "falls below 0.0001 within 1000 iterations; here in 1 of 2" in text]
    assert len(made.disagreements) == 1
    assert sum("agrees" in note for note in made.notes) == 2
    made, _ = shown("curves", [run(50, [5e-5], [0]), above], T=[300], m=[50, 200], trials=1)
    assert any("held-out accuracy is high at m = 200 and not at m = 50" in text for text in made.disagreements)


def weights(relevant, irrelevant, T=10, positions=(1, 4, 9), heads=2):
    """Every string and head the same; what is left goes to [CLS]."""
    own = [relevant if i in positions else irrelevant for i in range(T)]
    return [[[*own, 1 - sum(own)]] * heads] * 4


def test_attention_shares():
    own = attention.shares(outcome(T=10, m=20, subset=(1, 4, 9), attention=weights(0.2, 0.04)))
    assert own.positions == (1, 4, 9)
    assert own.mass(own.relevant) == pytest.approx([0.6, 0.6])
    assert own.mass(own.irrelevant) == pytest.approx([0.28, 0.28])
    assert own.ratio == pytest.approx(0.2)


@pytest.mark.parametrize(("irrelevant", "ended", "agrees"), [
    (0.012, 40, True), (0.018, 40, None), (0.018, 1000, False)])  # fmt: skip
def test_attention_criterion_and_choice(irrelevant, ended, agrees):
    """A relevant bit has 0.3. The first trial has not learned, the second failed, the third is shown."""
    one = {"T": 50, "m": 300, "subset": (4, 19, 29), "ended": ended}
    outcomes = [
        outcome(trial=0, errors=10, attention=weights(0.3, 0.0, 50, (4, 19, 29)), **one),
        outcome(trial=1, status="failed", **one),
        outcome(trial=2, attention=weights(0.3, irrelevant, 50, (4, 19, 29)), **one),
    ]
    made, rows = shown("attention", outcomes, T=[50], m=[300], trials=3, subset=[4, 19, 29])
    assert [(row["in the figure"], row["status"]) for row in rows] == [("no", "done"), ("-", "failed"), ("yes", "done")]
    assert [row["errors"] for row in rows] == [">= 10", "-", "0"]
    assert rows[2]["hidden positions"] == "5 20 30"
    word = {True: "agrees", None: "undecided", False: "disagrees"}[agrees]
    assert made.notes[-1].endswith(f": {word}.")
    assert bool(made.disagreements) is (agrees is False)


def seed(losses, errors, every=50, T=10, **more):
    wanted = {"function": "parity", "batch": 2048, "iterations": 10000} | more
    return outcome(T, 0, errors=min(errors), curve=curve(losses, errors, every), **wanted)


def test_parity_transitions():
    losses, errors = [0.7, 0.59, 0.65, 0.6, 0.59, 0.11, 0.1, 0.01], [500, 500, 500, 500, 400, 10, 9, 0]
    found = parity.Transition.of(seed(losses, errors))
    assert (found.learned, found.perfect, found.start, found.end, found.length) == (350, 400, 200, 350, 150)
    assert found.abrupt
    slow = parity.Transition.of(seed([0.7, 0.6, 0.5, 0.4, 0.3, 0.05], [500, 400, 300, 200, 100, 9]))
    assert (slow.length, slow.abrupt, slow.perfect) == (200, False, None)
    assert parity.Transition.of(seed([0.5, 0.05], [300, 0])).start == 0
    assert parity.Transition.of(seed([0.7, 0.4, 0.05, 0.65], [500, 200, 5, 300])).length == 100  # a relapse is later
    never = parity.Transition.of(seed([0.7, 0.69], [500, 500]))
    assert (never.learned, never.length, never.abrupt) == (None, None, None)


@pytest.mark.parametrize(("iterations", "word"), [(10000, "disagrees"), (3000, "undecided")])
def test_parity_seeds_that_do_not_get_there(iterations, word):
    good = seed([0.7, 0.7, 0.7, 0.01], [500, 500, 500, 0], iterations=iterations)
    bad = seed([0.7] * 4, [500] * 4, trial=1, iterations=iterations)
    stage = {"T": [10], "batch": 2048, "iterations": iterations}
    made, rows = shown("parity", [good, bad, seed([0.7], [500], trial=2, status="failed")], trials=3, **stage)
    assert [row["errors below 1 in 100 from"] for row in rows] == ["200", "not within 1000", "-"]
    (note,) = (note for note in made.notes if note.startswith("Figure 3, T = 10"))
    assert "1 of 2 seeds" in note
    assert note.endswith(f"{word}.")
    made, _ = shown("parity", [good], trials=1, **stage)
    assert not made.disagreements
    assert any(note.startswith("Figure 3, T = 10") and note.endswith("agrees.") for note in made.notes)


def test_accounts_say_what_is_missing():
    planned = [Job(Config(T=T, m=m), trial) for T in (100, 200) for m in (50, 60) for trial in range(5)]
    notes = "\n".join(account({"scale": "laptop"}, planned, cell(100, 50, 2, 3, failed=1) + cell(100, 60, 1, 1)))
    for words in ("Scale laptop", "cells: 2; trials in each: 1..4 (planned: up to 5)", "Missing cells: T = 200, fast.",
                  "no longer a number): 1."):  # fmt: skip
        assert words in notes
    findings = [Finding("a", True), Finding("b", None), Finding("c", False)]
    assert [finding.note for finding in findings] == ["a: agrees.", "b: undecided.", "c: disagrees."]


def small(name):
    """Outcomes of each exhibit, with one trial that failed."""
    if name == "sparse_and":
        return planted(lambda T: 60 + T / 20, (100, 200, 400)) + cell(100, 60, 0, 1, failed=1, protocol="paper")
    if name == "curves":
        return [run(50, [0.5, 0.01], [130, 120]), run(200, [0.5, 0.01], [90, 0]), outcome(300, 50, 1, status="failed")]
    if name == "attention":
        one = {"T": 10, "m": 20, "subset": (1, 4, 9)}
        return [outcome(attention=weights(0.2, 0.04), **one), outcome(trial=1, status="failed", **one)]
    return [seed([0.7, 0.1], [500, 0]), seed([0.7], [500], trial=1, status="failed")]


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_drawn_if_all_has_failed(name):
    drawn_where_all_has_failed(f"edelman2022/{name}", small(name))
