"""Exhibits trained after Mousavi-Hosseini et al. 2025: censored fits, what the figures are held against, and plans."""

import math
import tomllib
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from figures import drawn_where_all_has_failed

from maurey.paper_tables import exhibits, trained
from maurey.paper_tables.censored import PowerLaw, _likelihood, power_law
from maurey.paper_tables.mousavi2025 import attention, exponents, length, simple, sparsity
from maurey.paper_tables.mousavi2025.attention.scores import Scores, ideal, random
from maurey.paper_tables.mousavi2025.lengths import near, nearness
from maurey.paper_tables.mousavi2025.samples import Cell, Run, cells_of, counted, fewer, law, spread
from maurey.paper_tables.mousavi2025.variants import variant_of
from maurey.paper_tables.statistics import trend
from maurey.paper_tables.trained import Outcome
from maurey.verify.training.engine import exports
from maurey.verify.training.engine.store import Store
from maurey.verify.training.trials.regression import Regression

MODULES = {"length": length, "simple": simple, "attention": attention, "sparsity": sparsity, "exponents": exponents}
STEP = 640


# --- the fit ---------------------------------------------------------------------------------------------------------


def planted(p, sigma=0.2, cap=math.inf, step=STEP, places=(2, 4, 6, 8, 10, 12), runs=5, seed=0):
    """Samples 1000 N^p with log-normal errors, seen at tests every `step` samples until the cap."""
    rng, found = np.random.default_rng(seed), []
    for N in places:
        for _ in range(runs):
            seen = math.ceil(1000 * N**p * math.exp(sigma * rng.normal()) / step) * step
            found.append((N, cap, math.inf) if seen > cap else (N, seen - step, seen))
    return [list(column) for column in zip(*found, strict=True)]


@pytest.mark.parametrize("p", [0.0, 0.7, 1.5, 3.0])
def test_a_planted_exponent_is_found(p):
    found = power_law(*planted(p, step=1, runs=20))
    low, high = found.interval
    assert low < p < high
    assert high - low < 1  # six places, however many runs
    assert found.sigma == pytest.approx(0.2, rel=0.2)
    assert (found.places, found.runs, found.censored) == ((2, 4, 6, 8, 10, 12), 120, 0)


def test_without_limits_it_is_students_interval():
    """One run at a place, and as many equal runs, tell the same."""
    at, _, samples = planted(1.2, step=1e-3, runs=1)
    found = power_law(at, [n * (1 - 1e-12) for n in samples], samples)
    slope, low, high = trend(np.log(at), np.log(samples))
    assert (found.p, *found.interval) == pytest.approx((slope, low, high), rel=1e-5)
    again = power_law(at * 5, [n * (1 - 1e-12) for n in samples] * 5, samples * 5)
    assert again.interval == pytest.approx((low, high), rel=1e-5)


def test_censored_runs_count():
    """Dropping them, or taking them as passed at the cap, flattens the curve."""
    at, more, most = planted(1.5, 0.4, cap=20_000, runs=20)
    found = power_law(at, more, most)
    assert 30 < found.censored < 90
    assert found.interval[0] < 1.5 < found.interval[1]
    passed = [i for i, n in enumerate(most) if math.isfinite(n)]
    dropped = power_law(*([column[i] for i in passed] for column in (at, more, most)))
    capped = power_law(at, more, [min(n, 20_001) for n in most])
    assert capped.p < dropped.p < found.p


def test_the_interval_covers_as_often_as_it_says():
    """Runs at a place are one draw, here: as many runs as one likes make the interval no narrower."""
    covered = 0
    for seed in range(40):
        at, more, most = planted(1.5, 0.3, cap=60_000, seed=seed, runs=1)
        low, high = power_law(at * 3, more * 3, most * 3).interval
        covered += low < 1.5 < high
    assert covered >= 34  # 95 % of 40 is 38


def test_what_is_not_known_is_not_known():
    same = power_law(*planted(0.0, 0.0, step=6400))  # all runs within one step
    assert same.interval[0] < -0.5 < 0.5 < same.interval[1]
    assert power_law([2, 2, 4, 4], [1, 2, 3, 4], [2, 3, 4, 5]) is None  # two places
    assert power_law([2, 4, 6], [0, 900, 900], [640, 1540, math.inf]) is None  # passed at two places
    open_ = power_law([2, 3, 4, 5, 8, 8], [0, 0, 640, 640, 900, 900], [640, 640, 1280, 1280, math.inf, math.inf])
    assert open_.interval[1] > open_.p
    assert open_.censored == 2


def test_gradient_and_hessian():
    at, more, most = planted(1.0, cap=6000)
    with np.errstate(divide="ignore"):
        low, high = np.log(more), np.log(most)
    design = np.stack([np.ones(len(at)), np.log(at)], 1)
    theta, tiny = np.array([2.0, 13.5, 1.8]), 1e-5
    _, slope, bend = _likelihood(theta, low, high, design)
    for i in range(3):
        step = np.eye(3)[i] * tiny
        ends = [_likelihood(theta + sign * step, low, high, design) for sign in (1, -1)]
        assert (ends[0][0] - ends[1][0]) / (2 * tiny) == pytest.approx(slope[i], rel=1e-5)
        assert (ends[0][1] - ends[1][1]) / (2 * tiny) == pytest.approx(bend[i], rel=1e-4, abs=1e-4)
    assert np.linalg.eigvalsh(bend).max() < 0


# --- plans -----------------------------------------------------------------------------------------------------------


def test_lists_are_crossed_and_the_first_varies_slowest():
    stage = {"model": ["transformer", "feedforward"], "N": [3, 5], "decay": 0.3, "trials": 2}
    jobs = trained.in_stages({"stage": [stage, {**stage, "trials": 3}]}, task="simple")
    assert [(j.config.model[0], j.config.N, j.trial) for j in jobs] == [
        (m, N, t) for t in range(3) for m in "tf" for N in (3, 5)
    ]
    assert {(j.config.task, j.config.decay) for j in jobs} == {("simple", 0.3)}


def test_variants():
    jobs = {
        (variant_of(j.config), j.config.model, j.config.N): j.config
        for j in trained.plan("mousavi2025/length", "paper")
    }
    text, script = jobs["text", "recurrent", 4], jobs["script", "recurrent", 4]
    assert (text.cell, text.decay, text.held_out, text.test, text.every) == ("tanh", 0.1, 10_000, "", 10)
    assert (script.cell, script.decay, script.held_out, script.test) == ("gru", 0.01, 5000, "simple")
    assert jobs["script", "transformer", 4].test == "simple"
    assert {(c.threshold, c.rate, c.task) for c in jobs.values()} == {(0.7, 1e-3, "qstr")}
    easy = {
        (variant_of(j.config), j.config.model, j.config.N): j.config
        for j in trained.plan("mousavi2025/simple", "paper")
    }
    assert {(c.threshold, c.task, c.test, c.every) for c in easy.values()} == {(0.02, "simple", "", 100)}
    for variant in ("text", "script"):
        for model in ("transformer", "recurrent", "feedforward"):
            assert {N for v, m, N in jobs if (v, m) == (variant, model)} >= {2, 4, 6, 8, 10, 12}
            assert {N for v, m, N in easy if (v, m) == (variant, model)} >= {25, 27, 29, 31, 33}
    assert {N for v, _, N in easy if v == "text"} >= {5, 8, 12, 16, 20}


def test_plans_have_five_runs_and_begin_with_what_is_cheap():
    for name in ("length", "simple", "sparsity"):
        jobs = trained.plan(f"mousavi2025/{name}", "paper")
        runs = {}
        for job in jobs:
            runs.setdefault(job.config, []).append(job.trial)
        assert max(map(len, runs.values())) == 5
        assert len(jobs) == len(set(jobs))
        assert {job.config.model for job in jobs[:30]} <= {"transformer", "feedforward"}
    assert len(trained.plan("mousavi2025/attention", "paper")) == 6
    both = [job.key for name in ("length", "simple") for job in trained.plan(f"mousavi2025/{name}", "paper")]
    assert [job.key for job in trained.plan("mousavi2025/exponents", "paper")] == both


def test_figure_2_is_trained_as_the_paper_says():
    configs = {job.config.task: job.config for job in trained.plan("mousavi2025/attention", "paper")}
    for one in configs.values():
        assert (one.N, one.m, one.decay, one.rate, one.D, one.d_e) == (100, 50_000, 0.2, 1e-3, 56, 23)
        assert one.cap == 20 * one.m
    assert (configs["simple"].floor, configs["qstr"].floor) == (0.05, 0.0)


def test_figure_3_is_trained_as_the_paper_says():
    configs = [job.config for job in trained.plan("mousavi2025/sparsity", "paper")]
    assert {(c.N, c.link, c.threshold, c.rate, c.decay, c.task) for c in configs} == {
        (7, "hermite", 0.88, 1e-4, 0.1, "qstr")
    }
    assert {(c.model, c.q) for c in configs} == {
        (m, q) for m in ("transformer", "recurrent", "feedforward") for q in (1, 2, 3, 4, 5)
    }


# --- outcomes --------------------------------------------------------------------------------------------------------


def outcome(config, trial=0, samples=None, seen=None, status="done", **more):
    seen = seen or samples or config.cap
    record = {"status": status, "samples": samples, "seen": seen, "mse": 1.0, "iterations": 1, "curve": []}
    return Outcome(config, trial, record | more)


def curve(law_of, name="length", variants=("text", "script"), sigma=0.1, **change):
    """Every trial of the plan with samples by a law of (model, config), never below one step; a failed run, too."""
    rng, found = np.random.default_rng(1), []
    for job in trained.plan(f"mousavi2025/{name}", "paper"):
        if variant_of(job.config) in variants:
            c = replace(job.config, **change)
            step = c.every * c.batch
            samples = math.ceil(law_of(c.model, c) * math.exp(sigma * rng.normal()) / step) * step
            found.append(outcome(c, job.trial, samples) if samples <= c.cap else outcome(c, job.trial))
    return [*found, outcome(found[0].config, 9, seen=64, status="failed")]


def expected(name):
    return tomllib.loads((exhibits.ROOT / "mousavi2025" / name / "expected.toml").read_text())


def shown(name, outcomes):
    made = trained.drawn(f"mousavi2025/{name}", "paper", outcomes)
    assert all(len(row) == len(made.columns) for row in made.rows)
    assert not any(c in cell for row in made.rows for cell in row for c in "%^&|")  # LaTeX and Markdown
    return made, [dict(zip(made.columns, row, strict=True)) for row in made.rows]


def as_printed(name):
    means = expected(name)["printed"]

    def law_of(model, c):  # a little below, since a run may be given up not far above
        return 0.9 * math.exp(np.interp(math.log(c.N), np.log(means["N"]), np.log(means[model])))

    return law_of


@pytest.mark.parametrize(("samples", "known"), [(1280, (640, 1280)), (640, (0, 640)), (None, (64000, math.inf))])
def test_what_is_known_of_a_run(samples, known):
    c = Regression(model="transformer", N=4, cap=64_000)
    assert Run.of(outcome(c, samples=samples)).known == known


def test_cells_tell_failed_from_given_up():
    c = Regression(model="recurrent", N=4, cap=64_000)
    runs = [outcome(c, 0, 1280), outcome(c, 1), outcome(c, 2, seen=64, status="failed")]
    (cell,) = cells_of(runs, "N")
    assert (len(cell.runs), cell.failed, len(cell.censored), cell.text) == (2, 1, 1, "1 of 2 given up")
    assert cell.mean is None  # what was given up is averaged with nothing
    assert law([cell], "text", "recurrent") is None


def cell(*samples, given_up=(), model="transformer", at=12, variant="text"):
    runs = [Run(n, n, STEP) for n in samples] + [Run(None, n, STEP) for n in given_up]
    return Cell(variant, model, at, tuple(runs), 0, "")


def test_fewer_samples_by_the_interval_of_the_ratio():
    low, high, mixed = cell(1000, 1100, 1200), cell(2000, 2100, 2200), cell(900, 1500, 3000)
    found = spread([low, high])
    assert fewer(low, high, found) is True
    assert fewer(high, low, found) is False
    assert fewer(low, cell(1050, 1150, 1250), found) is None
    assert fewer(low, mixed, spread([low, mixed])) is None
    assert fewer(low, high, spread([cell(1000), cell(2000)])) is None  # a run each says nothing of the spread
    above, below = cell(given_up=(5000,)), cell(given_up=(500,))
    assert fewer(low, above, found) is True
    assert fewer(low, below, found) is None  # given up before it could be slower
    assert fewer(above, low, found) is False
    assert fewer(above, above, found) is None


def test_near_by_the_interval_of_the_ratio():
    found = spread([cell(1000, 1100, 1200), cell(2000, 2100, 2200)])
    assert near(cell(1000, 1100, 1200), 1000, found, 5) is True
    assert near(cell(1900, 2000, 2100), 1000, found, 5) is None  # straddles the factor of 2
    assert near(cell(2900, 3000, 3100), 1000, found, 5) is False
    assert near(cell(290, 300, 310), 1000, found, 5) is False
    assert near(cell(given_up=(3000,)), 1000, found, 5) is False
    assert near(cell(given_up=(1000,)), 1000, found, 5) is None


def test_what_is_counted():
    assert counted([cell(*range(1, 8)), cell(1, given_up=(64_000, 1_000_000))], 5) == (
        8,
        "runs, 1 of them given up early",
    )
    assert counted([cell(1)], 5) == (1, "runs")


def findings(made, words):
    return [finding for finding in made.findings if words in finding.text]


def words(made, part):
    return [finding.word for finding in findings(made, part)]


@pytest.mark.parametrize("name", ["length", "simple"])
def test_the_printed_curves_agree_with_themselves(name):
    made, rows = shown(name, curve(as_printed(name), name, sigma=0.02))
    assert words(made, "within a factor of 2") == ["agrees"] * 2
    assert words(made, "fewer samples for") == ["agrees"] * 2
    assert "disagrees" not in words(made, "")
    number = 3 * 5 * len(expected(name)["printed"]["N"])
    assert {f.much for f in findings(made, "within a factor of 2")} == {f"{number} of {number} runs"}
    assert {f.figure for f in made.findings} == {expected(name)["figure"]}
    notes = "\n".join(made.told)
    for part in ("Scale paper, variant text", "Scale paper, variant script", "Runs of the plan: ", "Cost: ", "Seeds",
                 "no longer a number): 1"):  # fmt: skip
        assert part in notes
    assert "not all at" not in notes
    kinds = {(row["kind"], row["variant"], row["model"]) for row in rows}
    assert ("exponent", "script", "RNN") in kinds


def test_runs_that_are_missing_are_counted():
    runs = [o for o in curve(as_printed("length"), sigma=0.02) if o.config.model != "recurrent" or o.trial == 0]
    made, _ = shown("length", runs)
    assert {f.much for f in findings(made, "within a factor of 2")} == {"66 of 90 runs"}
    assert set(words(made, "within a factor of 2")) == {"partly, agrees"}
    assert {f.much for f in findings(made, "N = 12 fewer")} == {"11 of 15 runs"}
    notes = "\n".join(made.told)
    assert "not all at " in notes
    assert "text, RNN, N = 2 (1 of 5), 4 (1 of 5)" in notes
    only, _ = shown("length", [o for o in runs if variant_of(o.config) == "text"])
    assert words(only, "variant script") == ["not run"] * 3


def test_smaller_networks_and_tests_are_not_those_of_the_paper():
    made, _ = shown("length", curve(as_printed("length"), held_out=2000))
    assert set(words(made, "")) == {"not run"}


def powers(transformer, recurrent, feedforward, start=1000):
    return lambda model, c: start * c.N ** {"transformer": transformer, "recurrent": recurrent}.get(model, feedforward)


@pytest.mark.parametrize(("law_of", "word"), [
    (powers(0.3, 1.2, 1.4), "agrees"), (powers(2.0, 1.2, 1.4), "disagrees"),
    (powers(1.0, 1.0, 1.4), "undecided")])  # fmt: skip
def test_growth_is_compared_by_intervals(law_of, word):
    made, _ = shown("length", curve(law_of, sigma=0.03))
    assert words(made, "exponents of N") == [word] * 2


def test_growth_without_the_length_that_asks_for_nothing():
    """At N = 2 the test is passed by the mean over positions: what happens there decides nothing."""
    made, _ = shown("length", curve(lambda m, c: 10 if m != "transformer" and c.N == 2 else 5000 * c.N))
    assert words(made, "exponents of N") == ["undecided"] * 2


def test_longer_prompts_than_the_figure_has_are_no_part_of_it():
    base = powers(0.3, 1.2, 1.4)
    made, _ = shown("length", curve(lambda m, c: base(m, c) if c.N <= 12 else 1e9, sigma=0.03))
    assert words(made, "exponents of N") == ["agrees"] * 2


def test_runs_that_were_given_up_speak_where_they_can():
    """RNNs that never pass: above the printed means, and slower than the Transformer."""
    never = curve(
        lambda model, c: 1e9 if model == "recurrent" and c.N > 4 else as_printed("length")(model, c), sigma=0.02
    )
    made, rows = shown("length", never)
    row = next(
        r for r in rows if (r["kind"], r["variant"], r["model"], r["at"]) == ("mean of runs", "text", "RNN", "12")
    )
    (cap,) = {
        o.config.cap for o in never if (variant_of(o.config), o.config.model, o.config.N) == ("text", "recurrent", 12)
    }
    assert (row["value"], row["not passed"], row["note"]) == (f"> {cap}", row["runs"], f"given up after {cap}")
    assert words(made, "N = 12 fewer samples for Transformer") == ["agrees"] * 2
    assert all("given up early" in f.much for f in findings(made, "N = 12 fewer"))
    far = findings(made, "within a factor of 2")
    assert [f.word for f in far] == ["disagrees"] * 2  # in both variants
    assert all("RNN at N = 6" in f.text for f in far)
    assert words(made, "exponents of N") == ["undecided"] * 2  # there is no mean


def test_a_mean_that_one_variant_has_speaks_against_no_plot():
    base = as_printed("length")
    made, _ = shown("length", curve(lambda m, c: base(m, c) * (4 if variant_of(c) == "text" else 1), sigma=0.02))
    assert words(made, "within a factor of 2") == ["undecided", "agrees"]
    made, _ = shown("length", curve(lambda m, c: base(m, c) * 4, sigma=0.02))
    assert words(made, "within a factor of 2") == ["disagrees"] * 2


def test_the_nearer_variant():
    base = as_printed("length")

    def off(text, script):
        return curve(lambda model, c: base(model, c) * (text if variant_of(c) == "text" else script), sigma=0.01)

    means = expected("length")["printed"]
    printed = {
        (m, N): n
        for m in ("transformer", "recurrent", "feedforward")
        for N, n in zip(means["N"], means[m], strict=True)
    }
    for text, script, nearer in ((1.1, 3.0, "text"), (4.0, 1.5, "script")):
        said = nearness(cells_of(off(text, script), "N"), printed, "Figure 1a")
        assert said.split(" cells: ")[1].split(";")[0].endswith(f"so {nearer}")
        assert "Figure 1a, all " in said
    only = nearness(cells_of(curve(base, variants=("text",)), "N"), printed, "Figure 1a")
    assert only.endswith("There is no such cell.")


# --- Figures 2 and 3 -------------------------------------------------------------------------------------------------


def test_scores():
    M = 7 * ideal(10, 23)
    assert M.shape == (56, 56)
    own = Scores.of(M, 10, 23)
    assert (own.block, own.diagonal, own.within, own.cosine, own.largest, own.on_diagonal) == (
        1,
        1,
        1,
        pytest.approx(1),
        7,
        True,
    )
    assert Scores.of(-M, 10, 23).cosine == pytest.approx(-1)
    assert Scores.of(M.T, 10, 23).diagonal == 0  # the other way round is another block
    moved = np.roll(M, 1, axis=1)  # the same block, but off its diagonal
    assert Scores.of(moved, 10, 23).diagonal == 0
    rng = np.random.default_rng(0)
    drawn = [Scores.of(rng.normal(size=(56, 56)), 10, 23) for _ in range(400)]
    means = [np.mean([getattr(one, name) for one in drawn]) for name in ("block", "diagonal", "within")]
    assert means == pytest.approx(random(10, 23)[:3], rel=0.03)
    assert np.std([one.cosine for one in drawn]) == pytest.approx(random(10, 23)[3], rel=0.15)


def test_the_construction_is_read_as_query_and_key():
    """A query that asks for place 2 scores highest with the key that stands there."""
    from maurey.verify.training.tasks.tokens import positions

    w = positions(6, 8)
    z = np.concatenate([np.zeros((6, 10)), w, w[[2] * 6]], 1)
    scores = z @ ideal(10, 8) @ z.T
    assert (scores.argmax(1) == 2).all()


def watched(noise=0.1, mse=0.04, size=40.0):
    rng, found = np.random.default_rng(3), []
    for job in trained.plan("mousavi2025/attention", "paper"):
        c = job.config
        M = size * (ideal(c.d, c.d_e) + noise * rng.normal(size=(c.D, c.D)))
        found.append(outcome(c, job.trial, mse=mse, qk=[M.tolist()]))
    return [*found, outcome(found[0].config, 9, seen=64, status="failed")]


@pytest.mark.parametrize(("noise", "mse", "word"), [
    (0.02, 0.04, "agrees"), (0.3, 0.04, "disagrees"), (0.02, 0.5, "undecided")])  # fmt: skip
def test_attention_criterion(noise, mse, word):
    made, rows = shown("attention", watched(noise, mse))
    assert words(made, "the mass of") == [word] * 2
    assert [row["in the figure"] for row in rows].count("yes") == 2
    assert [row["status"] for row in rows].count("failed") == 1
    assert {(f.figure, f.much) for f in made.findings} == {("Figure 2", "3 of 3 networks")}


def test_one_network_of_three():
    first = [o for o in watched(0.02) if o.trial == 0]
    made, _ = shown("attention", first)
    assert words(made, "the mass of") == ["partly, agrees"] * 2
    assert "Runs of the plan: 2 of 6; not all at script, Transformer, N = 100 (1 of 3)" in "\n".join(made.told)
    mixed = [*first, *(o for o in watched(0.3) if o.trial in (1, 2))]
    assert words(shown("attention", mixed)[0], "the mass of") == ["undecided"] * 2


def test_the_largest_entry_is_compared():
    """How long the text's network is trained is a choice of ours, and entries grow with it."""
    made, _ = shown("attention", watched(noise=0.02, size=200.0))
    assert words(made, "largest entries") == ["undecided", "disagrees"]
    made, _ = shown("attention", watched(noise=0.02, size=45.0))
    assert words(made, "largest entries") == ["agrees", "agrees"]


def quadratic(transformer, others):
    return lambda model, c: 20_000 * c.q ** (transformer if model == "transformer" else others)


@pytest.mark.parametrize(("law_of", "word"), [
    (quadratic(0.3, 1.3), "agrees"), (quadratic(1.3, 0.3), "disagrees"),
    (quadratic(1.0, 1.0), "undecided")])  # fmt: skip
def test_the_gap_increases(law_of, word):
    made, _ = shown("sparsity", curve(law_of, "sparsity"))
    assert words(made, "increases with q") == [word] * 2
    assert {f.much for f in findings(made, "increases with q")} == {"30 of 30 runs"}


def test_a_gap_in_samples_and_as_a_ratio():
    """It grows in samples and falls as a ratio: the paper does not say which is meant."""
    law_of = lambda model, c: 20_000 * c.q**0.9 * (1 if model == "transformer" else 2.5 - 0.25 * c.q)  # noqa: E731
    a, b = (
        [law_of(m, Regression(model="transformer", N=7, q=q)) for q in (3, 5)] for m in ("feedforward", "transformer")
    )
    assert a[1] / b[1] < a[0] / b[0]
    made, _ = shown("sparsity", curve(law_of, "sparsity", sigma=0.01))
    assert "agrees" not in words(made, "increases with q")


def test_a_gap_between_censored_runs_is_open():
    made, _ = shown("sparsity", curve(lambda m, c: 1e9 if m == "transformer" else 20_000, "sparsity"))
    assert words(made, "increases with q") == ["undecided"] * 2
    assert words(made, "no mean is above") == ["disagrees"]


def test_only_the_q_of_the_figure_are_judged():
    many = curve(lambda m, c: 900_000 if c.q < 3 and m != "recurrent" else 100_000, "sparsity")
    made, _ = shown("sparsity", many)
    assert words(made, "no mean is above") == ["agrees"]
    assert findings(made, "no mean is above")[0].much == "45 of 45 runs"
    few, _ = shown("sparsity", [o for o in many if o.config.q < 3])
    assert words(few, "") == ["not run"] * 3
    some_, _ = shown("sparsity", [o for o in many if o.config.q < 5])
    assert words(some_, "no mean is above") == ["partly, agrees"]
    edge, _ = shown("sparsity", curve(lambda m, c: 250_000, "sparsity"))
    assert words(edge, "no mean is above") == ["undecided"]


# --- Table 1 ---------------------------------------------------------------------------------------------------------


def both(hard, easy):
    return curve(hard, "length") + curve(easy, "simple")


def readings(hard, easy):
    made, rows = shown("exponents", both(hard, easy))
    found = {(row["task"], row["model"]): row["reading"] for row in rows if row["variant"] == "text"}
    return made, found


def plainly(transformer, recurrent, feedforward):
    """Flat and high, or steep from low on: in either case many steps between tests."""
    own = {"transformer": transformer, "recurrent": recurrent, "feedforward": feedforward}
    return lambda model, c: (60_000 if own[model] < 1 else 250) * c.N ** own[model]


def law_with(low, high, places=(4, 8, 12)):
    return PowerLaw(1.0, (low + high) / 2, (low, high), 0.1, places, 15, 0)


def test_one_rule_for_all_architectures():
    """From 4 to 12, log N grows as N to the power 0.53: the same interval reads the same, whatever the mark."""
    one = exponents.logarithm(4, 12)
    assert one == pytest.approx(0.5312, abs=1e-4)
    for low, high, sign in ((-0.3, 0.5, "tick"), (1.7, 3.0, "cross"), (0.3, 0.6, ""), (1.5, 3.0, ""), (0.6, 1.2, "")):
        assert exponents.mark(law_with(low, high)) == sign
        for task, model in ((t, m) for t in exponents.TASKS for m in exponents.MODELS):
            told = expected("exponents")[task][model]
            entry = exponents.Entry(task, model, "text", 0.7, 10, (), law_with(low, high), None, told, 1.0)
            assert exponents.reading(entry)[1] is (sign == told["mark"] if sign else None)
            turned = replace(entry, upper=law_with(-0.5, 0.1) if sign == "cross" else law_with(2.0, 3.0))
            assert exponents.reading(turned)[1] is None
    assert exponents.mark(None) == ""


def test_readings_in_line():
    made, found = readings(plainly(0.1, 2.3, 2.3), plainly(0.0, 0.0, 2.2))
    assert "disagrees" not in words(made, "")
    assert found["simple-1STR", "Transformer"] == "at most a logarithm"
    assert found["simple-1STR", "RNN"] == "at most a logarithm"
    assert found["1STR", "RNN"] == found["1STR", "FFN"] == "more than (log N) to the power 3"
    assert [f.figure for f in made.findings] == ["Table 1"] * 12 + [""]
    assert words(made, "Theorem 9: FFN") == ["agrees"]


def test_readings_at_odds():
    made, _ = readings(plainly(2.3, 0.0, 0.0), plainly(2.1, 2.1, 0.0))
    odd = {f.text.partition(",")[2].partition(", a")[0].strip() for f in made.findings if f.word == "disagrees"}
    assert odd == {f"{m} on {t}" for m in ("FFN", "RNN", "Transformer") for t in ("1STR", "simple-1STR")}
    between, found = readings(powers(0.9, 0.9, 0.9, 3000), powers(0.8, 0.8, 0.8, 3000))
    assert set(found.values()) == {"logarithms and a power are both possible"}
    assert {f.word for f in between.findings if f.figure} == {"undecided"}


def test_what_was_not_run_is_told():
    made, _ = shown("exponents", curve(plainly(0.1, 2.3, 2.3), "length", ("text",)))
    assert words(made, "simple-1STR") == ["not run"] * 6
    assert words(made, "Variant script") == ["not run"] * 6
    assert {f.much for f in findings(made, "on 1STR") if "text" in f.text} == {"30 of 30 runs of Figure 1a"}


def test_a_run_below_the_floor_of_theorem_9_decides_nothing():
    few = curve(powers(0.5, 1.5, 0.0, 1), "simple", every=1)  # a step of 64 samples, and the floor is 49 at N = 5
    few = [o for o in few if o.config.model == "feedforward"]
    (entry, *_) = exponents.entries(few, expected("exponents"))
    assert entry.least == pytest.approx(64 / (0.98 * 33 * 10))
    assert exponents._floor([entry]).agrees is None


def test_no_mark_comes_from_the_runs():
    """The column of the paper is the same whatever is measured."""
    columns = []
    for hard in (powers(0.5, 1.5, 2.0), powers(3.0, -0.5, 0.5, 2000)):
        _, rows = shown("exponents", both(hard, powers(0.0, 0.0, 1.0, 20_000)))
        columns.append([(row["task"], row["model"], row["paper"], row["theorem"]) for row in rows])
    assert columns[0] == columns[1]
    assert set(columns[0]) == {
        ("simple-1STR", "FFN", "cross", "9"), ("simple-1STR", "RNN", "tick", "5"),
        ("simple-1STR", "Transformer", "tick", "3"), ("1STR", "FFN", "cross", "9"), ("1STR", "RNN", "cross", "7"),
        ("1STR", "Transformer", "tick", "3"),
    }  # fmt: skip


def test_what_a_logarithm_looks_like():
    (entry, *_) = exponents.entries(curve(powers(1, 1, 1), "length", ("text",)), expected("exponents"))
    low, high = entry.range
    assert low == 4 < high  # without 2, where no token needs to be found
    assert math.log(high) / math.log(low) == pytest.approx((high / low) ** entry.both[0])


# --- all of them -----------------------------------------------------------------------------------------------------


def some(name):
    if name == "attention":
        return watched()
    if name == "exponents":
        return both(powers(0.5, 1.5, 2.0), powers(0.0, 0.2, 1.5, 20_000))
    return curve(quadratic(0.3, 1.5) if name == "sparsity" else as_printed(name), name)


@pytest.mark.parametrize("name", MODULES)
def test_figures_are_drawn_if_all_has_failed(name):
    drawn_where_all_has_failed(f"mousavi2025/{name}", some(name))


@pytest.mark.parametrize("name", MODULES)
def test_smoke_runs(name, tmp_path, one_thread):
    with Store(tmp_path / "results.sqlite") as store, mock.patch.object(exhibits, "_figures", return_value=[]):
        files, done = trained.make(f"mousavi2025/{name}", "smoke", tmp_path / name, store, lambda now: None)
    assert (done.failed, done.left) == (0, 0)
    assert ((tmp_path / name / "results.jsonl") in files) is (name != "exponents")
    assert "Scale smoke" in (tmp_path / name / "table.md").read_text()


def test_a_scale_that_is_drawn_from_another_trains_nothing(tmp_path, monkeypatch):
    name = "mousavi2025/attention"
    outcomes = watched()[:-1]
    jobs = trained.plan(name, "paper")
    known = [(job, dict(one.record)) for job, one in zip(jobs, outcomes, strict=True)][:2]
    monkeypatch.setattr(trained, "committed", lambda _: known)
    assert trained.plan(name, "laptop") == jobs
    forecast, _ = trained.forecast(name, "laptop", "", None)
    assert (forecast.cached, forecast.remaining) == (2, 0)
    with Store(tmp_path / "results.sqlite") as store:
        trained.make(name, "laptop", tmp_path / "out", store, lambda now: None)
        assert len(store.known(jobs)) == 2
    notes = (tmp_path / "out" / "table.md").read_text()
    assert "Scale laptop, drawn from scale paper" in notes
    assert len((tmp_path / "out" / "results.jsonl").read_text().splitlines()) == 2


def test_an_exhibit_that_shares_runs_keeps_none(tmp_path, monkeypatch):
    for source in exponents.SHARES:
        (tmp_path / source).mkdir(parents=True)
    job = trained.plan("mousavi2025/length", "paper")[0]
    (tmp_path / exponents.SHARES[0] / "results.jsonl").write_text(exports.line(job, {"seen": 1}) + "\n")
    monkeypatch.setattr(exhibits, "ROOT", tmp_path)
    assert trained.sources("mousavi2025/exponents") == exponents.SHARES
    assert trained.sources("mousavi2025/length") == ("mousavi2025/length",)
    assert trained.committed("mousavi2025/exponents") == [(job, {"seen": 1})]
