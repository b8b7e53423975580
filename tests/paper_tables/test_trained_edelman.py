"""Exhibits trained after Edelman et al. 2022: what is counted, what is beyond the grid, what is fitted and read off."""

import math
import tomllib

import numpy as np
import pytest
from figures import drawn_where_all_has_failed

from maurey.paper_tables import exhibits
from maurey.paper_tables.accounts import account, excused, fair, judged, similar, succeeded
from maurey.paper_tables.edelman2022 import attention, curves, parity, sparse_and
from maurey.paper_tables.edelman2022.sparse_and.thresholds import Threshold, cells_of, law, thresholds
from maurey.paper_tables.statistics import difference, growth, line, resampled, threshold, wilson
from maurey.paper_tables.trained import Outcome
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
    notes = "\n".join(made.told)
    for words in ("T = 800, fast: 120 of 120", "they DIFFER", "a fit needs 3", "Scale paper", "keyed by the hash",
                  "(2022, T)", "> 100 (100 to 100) at T = 200"):  # fmt: skip
        assert words in notes
    assert not made.disagreements


GRID = list(range(50, 201, 10))  # the paper's
CONTEXTS = (100, 150, 200, 250, 300, 350, 400, 500, 600, 700, 800)
SAME = cell(100, 150, 20, 20, protocol="paper")  # as without dropout, if all succeed


def found_in(name, outcomes, **stage):
    """The findings, by figure and in their order."""
    return [(one.figure, one.word, one) for one in shown(name, outcomes, **stage)[0].findings]


def words(size, trials=50, contexts=CONTEXTS, more=()):
    """Figure 4, left; right, growth and axis; ICML Figure 2, growth and one size."""
    stage = {"T": contexts, "m": GRID, "trials": trials}
    found = found_in("sparse_and", [*planted(size, contexts, trials, GRID), *more], **stage)
    figures = ["Figure 4, left", *["Figure 4, right"] * 2, *["ICML Figure 2"] * 2]
    assert [figure for figure, *_ in found] == figures
    return [word for _, word, _ in found]


def test_sparse_and_growth():
    logarithmic = words(lambda T: 50 * math.log10(T) - 50, more=SAME)
    assert logarithmic == ["disagrees", "agrees", "agrees", "agrees", "agrees"]  # 73.9 at T = 300
    linear = words(lambda T: T / 4, contexts=(200, 400, 600, 800), more=cell(200, 150, 20, 20, protocol="paper"))
    assert linear[1] == linear[3] == "partly, disagrees"
    assert words(lambda T: 60 + T / 6, more=SAME)[1] == "agrees"
    assert words(lambda T: 60 + T / 6, more=SAME)[3] == "disagrees"  # sublinear, but no logarithm


def test_sparse_and_size_at_300():
    def at_300(size):
        *_, (_, word, one) = found_in("sparse_and", planted(size, (300,), 20, GRID), T=[300], m=GRID, trials=50)
        return word, one.text

    assert at_300(lambda T: 80)[0] == "partly, agrees"
    word, text = at_300(lambda T: 90)
    assert word == "partly, undecided"
    assert "90 (90 to 90) at T = 300, which is larger" in text
    assert "about 70" in text


def test_sparse_and_counts_trials():
    outcomes = planted(lambda T: 60, (100, 300), 60, GRID) + planted(lambda T: 60, (200,), 20, GRID)
    found = found_in("sparse_and", outcomes, T=[100, 200, 300], m=GRID, trials=60)
    assert [one.much for *_, one in found] == [
        "1120 of 3200 trials", *["1920 of 8800 trials"] * 3, "800 of 800 trials"]  # fmt: skip


def test_sparse_and_speaks_against_the_paper_only_if_dropout_makes_no_difference():
    other = cell(100, 150, 0, 20, protocol="paper")
    assert [words(lambda T: 100, more=more)[0] for more in ([], SAME, other)] == ["undecided", "disagrees", "undecided"]


@pytest.mark.parametrize(("share", "trials", "word"), [
    (0.5, 50, "agrees"), (0.95, 50, "undecided"), (0.5, 20, "partly, agrees"), (0.5, 2, "partly, undecided"),
])  # fmt: skip
def test_sparse_and_sharpness(share, trials, word):
    """Two m at each T have this share of successes; from there on all succeed."""
    counts = {m: trials * (m > 100) if m not in (90, 100) else round(share * trials) for m in GRID}
    outcomes = [o for T in CONTEXTS for m in GRID for o in cell(T, m, counts[m], trials)]
    assert found_in("sparse_and", outcomes, T=CONTEXTS, m=GRID, trials=trials)[0][1] == word


@pytest.mark.parametrize(("size", "word"), [(200, "agrees"), (210, "disagrees")])
def test_sparse_and_axis(size, word):
    assert words(lambda T: size if T == 800 else 100, more=SAME)[2] == word


def test_without_dropout_nothing_speaks_against_the_paper():
    assert [similar((k, 10), (10, 10)) for k in (10, 9, 7, 2)] == [True, None, None, False]
    fast, dropout = [outcome()], [outcome(protocol="paper")]
    assert [fair(one, fast) for one in (True, None, False)] == [True, None, None]
    assert [fair(one, dropout) for one in (True, None, False)] == [True, None, False]
    assert [bool(excused(one, fast)) for one in (True, None, False)] == [False, False, True]
    assert excused(False, dropout) == ""
    assert judged(fast + dropout) == dropout
    assert judged(fast * 2 + dropout) == fast * 2


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
    assert [one.word for one in made.findings] == ["agrees", "not run", "partly, agrees", "partly, undecided"]
    assert [one.much for one in made.findings] == ["2 of 2 curves", "0 of 2 curves", *["2 of 8800 runs"] * 2]
    assert "without dropout, in 1 of 2 (0.09 to 0.91), and to 0.0002 at worst" in made.findings[3].text


@pytest.mark.parametrize(("overfit", "protocol", "word"), [
    (3, "fast", "agrees"), (2, "paper", "undecided"), (0, "paper", "disagrees"), (0, "fast", "undecided")])  # fmt: skip
def test_curves_are_held_against_one_example(overfit, protocol, word):
    """So many of three trials with m = 100 overfit, and all with m = 200 learn."""
    own = {"T": 400, "protocol": protocol}
    below = [run(100, [1e-3], [900 if i < overfit else 0], trial=i, **own) for i in range(3)]
    above = [run(200, [1e-3], [0], trial=i, **own) for i in range(3)]
    found = found_in("curves", below + above, T=[400], m=[100, 200], trials=3)
    assert found[1][:2] == ("Figure 2, right", word)
    assert found_in("curves", below, T=[400], m=[100], trials=3)[1][1] == "partly, undecided"


@pytest.mark.parametrize(("low", "protocol", "word"), [
    (8, "fast", "agrees"), (5, "fast", "undecided"), (5, "paper", "disagrees"), (8, "paper", "agrees")])  # fmt: skip
def test_curves_in_all_runs(low, protocol, word):
    outcomes = [run(50, [5e-5 if i < low else 2e-4], [900], trial=i, protocol=protocol) for i in range(8)]
    *_, loss = found_in("curves", outcomes, T=[300], m=[50], trials=8)
    assert loss[:2] == ("", f"partly, {word}")


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


@pytest.mark.parametrize(("irrelevant", "idle", "trials", "agrees"), [
    (0.012, 0, 4, True), (0.012, 12, 4, None), (0.018, 0, 4, False), (0.012, 0, 3, None)])  # fmt: skip
def test_attention_criterion(irrelevant, idle, trials, agrees):
    """A relevant bit has 0.3 in the heads that look, and as much as any other in idle ones. The first trial has not
    learned, the second failed."""
    one = {"T": 50, "m": 300, "subset": (4, 19, 29)}
    looking = weights(0.3, irrelevant, 50, (4, 19, 29), 16 - idle)
    heads = [[*own, *[[1 / 51] * 51] * idle] for own in looking]
    outcomes = [
        outcome(trial=0, errors=10, attention=weights(0.3, 0.0, 50, (4, 19, 29)), **one),
        outcome(trial=1, status="failed", **one),
        *(outcome(trial=2 + i, attention=heads, **one) for i in range(trials)),
    ]
    made, rows = shown("attention", outcomes, T=[50], m=[300], trials=2 + trials, subset=[4, 19, 29])
    assert [row["in the figure"] for row in rows] == ["no", "-", "yes", *["no"] * (trials - 1)]
    assert [row["errors"] for row in rows[:3]] == [">= 10", "-", "0"]
    assert (rows[2]["hidden positions"], rows[2]["busy heads"]) == ("5 20 30", str(16 - idle))
    (found,) = made.findings
    assert (found.figure, found.agrees, found.much) == ("ICML Figure 3, right", agrees, "1 of 1 networks")
    assert found.word == "undecided"  # the threshold was chosen after looking
    early = [outcome(attention=heads, ended=40, **one)]
    assert found_in("attention", early, T=[50], m=[300], trials=1, subset=[4, 19, 29])[0][1] == "not run"


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


def seeds(perfect, T=10, protocol="paper", **more):
    """Each is perfect at this iteration, after a fall at once; None: never."""
    for i, end in enumerate(perfect):
        steps = (end or 10000) // 50
        last = (0.01, 0) if end else (0.7, 500)
        yield seed(
            [0.7] * (steps - 1) + [last[0]], [500] * (steps - 1) + [last[1]], T=T, trial=i, protocol=protocol, **more
        )


@pytest.mark.parametrize(("T", "perfect", "protocol", "words"), [
    (10, [500] * 10, "paper", ["agrees", "agrees"]),
    (10, [550] * 10, "paper", ["agrees", "disagrees"]),
    (10, [550] * 10, "fast", ["agrees", "undecided"]),
    (10, [500] * 7 + [550] * 3, "paper", ["agrees", "undecided"]),
    (15, [2000] * 7 + [2050] * 3, "paper", ["agrees", "undecided"]),
    (15, [2050] * 10, "paper", ["agrees", "disagrees"]),
    (15, [2000] * 9 + [None], "paper", ["undecided", "undecided"]),
    (15, [2000] * 2 + [None] * 8, "paper", ["disagrees", "disagrees"]),
    (15, [2000] * 2 + [None] * 8, "fast", ["undecided", "undecided"]),
    (20, [5000] * 4, "paper", ["partly, agrees"]),
    (20, [5000] + [None] * 9, "paper", ["disagrees"]),
])  # fmt: skip
def test_parity_is_held_against_ten_seeds(T, perfect, protocol, words):
    """By the same rule for all T; the panel of T = 20 has no axis that can be read."""
    found = found_in("parity", list(seeds(perfect, T, protocol)), T=[T], batch=2048, iterations=10000, trials=10)
    own = [one for figure, _, one in found if figure == f"Figure 3, T = {T}"]
    assert [one.word for one in own] == words
    assert {one.much for one in own} == {f"{len(perfect)} of 10 seeds"}
    assert {word for figure, word, _ in found if figure != f"Figure 3, T = {T}"} == {"not run"}


def test_parity_at_another_size_is_not_run():
    stage = {"T": [10], "batch": 512, "iterations": 10000, "trials": 10}
    assert {word for _, word, _ in found_in("parity", list(seeds([500] * 10, batch=512)), **stage)} == {"not run"}
    slow = seed([0.7, 0.5, 0.4, 0.3, 0.05], [500, 400, 300, 100, 0])
    (first, _, *_) = found_in("parity", [slow] * 10, **stage | {"batch": 2048})
    assert "here, without dropout, 0 of 10" in first[2].text  # not abrupt


def test_accounts_say_what_is_missing():
    planned = [Job(Config(T=T, m=m), trial) for T in (100, 200) for m in (50, 60) for trial in range(5)]
    notes = "\n".join(account({"scale": "laptop"}, planned, cell(100, 50, 2, 3, failed=1) + cell(100, 60, 1, 1)))
    for words in ("Scale laptop", "cells: 2; trials in each: 1..4 (planned: up to 5)", "no longer a number): 1."):
        assert words in notes
    assert "Missing trials of this scale: T = 100, fast: 5 of 10; T = 200, fast: 10 of 10." in notes
    notes = "\n".join(account({"scale": "laptop"}, planned[:5], cell(100, 50, 2, 5)))
    assert "Missing trials of this scale: none." in notes


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
