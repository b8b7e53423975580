"""Exhibits trained after Lintilhac and Shaikh 2026: what they count, what they compare with, and that they run."""

import csv
import json
import math
import tomllib
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from figures import data_of, figure_of

import maurey
from maurey.paper_tables import exhibits, trained
from maurey.paper_tables.lintilhac2026 import bounds, domination, gap, mechanism, runs
from maurey.paper_tables.lintilhac2026.domination import Pair
from maurey.paper_tables.lintilhac2026.mechanism.scores import by_chance, score, shown_by_chance, turns
from maurey.paper_tables.trained import Outcome
from maurey.verify.papers.lintilhac2026.network import construction
from maurey.verify.training.engine.store import Store
from maurey.verify.training.tasks import parities, walsh
from maurey.verify.training.trials.keys import key
from maurey.verify.training.trials.parities import Spectrum

pytestmark = pytest.mark.usefixtures("one_thread")
MODULES = {"gap": gap, "domination": domination, "mechanism": mechanism}


def expected(name):
    return tomllib.loads((exhibits.ROOT / "lintilhac2026" / name / "expected.toml").read_text())


def outcome(D=2, omega=7, trial=0, gap=0.001, converged=True, status="done", norm=100.0, trace=50.0, error=0.0,
            of=None, **more):  # fmt: skip
    """A run as the engine keeps it; `of` is what its variant sets."""
    c = Spectrum(model="two_layers", D=D, omega=omega, measure=True, **{"cap": 60} | (of or {}))
    f = parities.target(c, key(c, trial))
    record = {"status": status, "converged": converged, "epochs": 5, "train_loss": 0.01 if converged else 0.05}
    record |= {"components": [list(s) for s in f.components], "coefficients": f.c.tolist(), "start_norm": 90.0}
    record |= {"test_loss": record["train_loss"] + gap, "norms": {"a": norm / 4, "b": 3 * norm / 4}}
    record |= {"gradient": trace + 1, "residual": -1.0, "residual_error": error, "subgaussian": 0.05}
    record |= {"test_error": 0.0}
    return Outcome(c, trial, record | more)


def shown(name, outcomes, scale="paper"):
    table = trained.scale_of(f"lintilhac2026/{name}", scale) | {"scale": scale}
    made = MODULES[name].render(table, expected(name), outcomes)
    assert all(len(row) == len(made.columns) for row in made.rows)
    assert not any(c in cell for row in made.rows for cell in row for c in "%^&|")  # LaTeX and Markdown
    return made, [dict(zip(made.columns, row, strict=True)) for row in made.rows]


def finding(made, words):
    (found,) = [found for found in made.findings if words in found.text]
    assert found.note in made.told
    return found


def verdict(made, words):
    """The word for what was run."""
    return finding(made, words).word.removeprefix("partly, ")


# --- plans


def test_scales_are_what_they_should_be():
    laptop = trained.plan("lintilhac2026/gap", "laptop")
    assert len(laptop) == 8
    assert {(j.config.D, j.config.omega) for j in laptop} == {(1, 1), (1, 7), (2, 1), (2, 7)}
    paper = trained.plan("lintilhac2026/gap", "paper")
    wanted, text = expected("gap"), [job for job in paper if runs.variant_of(job) == "text"]
    assert len(text) == len(wanted["degrees"]) * len(wanted["sparsities"]) * wanted["functions"] == 220
    assert {job.key for job in laptop} <= {job.key for job in text}
    for job in text:
        c = job.config
        assert (c.T, c.m, c.threshold, c.rate, c.decay, c.measure) == (20, wanted["strings"], 0.02, 4e-3, 1e-4, True)
        assert c.D in wanted["degrees"]
        assert c.omega in wanted["sparsities"]
    others = Counter(runs.variant_of(job) for job in paper if job not in text)
    assert others == {"script": 60, "scale 0.577": 10, "scale 0.25": 10}
    assert all(job.config.m == wanted["earlier"]["strings"] for job in paper if runs.variant_of(job) == "script")
    assert trained.plan("lintilhac2026/domination", "paper") == paper
    assert trained.sources("lintilhac2026/domination") == ("lintilhac2026/gap",)


# --- the gap


def test_what_is_not_fitted_is_listed_and_in_no_mean():
    own = [outcome(trial=0, gap=0.001), outcome(trial=1, gap=0.003), outcome(trial=2, gap=9.0, converged=False)]
    own += [outcome(D=1, status="failed", converged=False)]
    made, rows = shown("gap", own)
    row = next(r for r in rows if (r["degree"], r["sparsity"]) == ("2", "7"))
    assert (row["functions"], row["unconverged"], row["failed"]) == ("3", "1", "0")
    assert float(row["gap"]) == pytest.approx(0.002)
    assert float(row["standard error"]) == pytest.approx(0.001)
    assert row["note"] == "training losses of the unconverged: 0.0500"
    assert "Variant text: 4 of 220 runs, in 2 of 20 classes (degree, sparsity), 2 of them fitted" in made.notes[0]
    assert "not fitted: 1 of (1, 7), 1 of (2, 7)" in made.notes[0]
    assert "not run: 11 of (1, 1), 10 of (1, 7)" in made.notes[0]
    assert "Variant script: 0 of 60 runs." in made.notes[0]
    lost = next(r for r in rows if r["degree"] == "1")
    assert (lost["functions"], lost["failed"], lost["gap"]) == ("1", "1", "-")


@pytest.mark.parametrize(("power", "word"), [(2.0, "agrees"), (0.3, "disagrees")])
def test_growth_with_the_degree(power, word):
    own = [outcome(D, omega, t, 0.001 * D**power * omega * (1 + 0.01 * (-1) ** t)) for D in (1, 2, 3, 4)
           for omega in (1, 7) for t in (0, 1)]  # fmt: skip
    made, _ = shown("gap", own)
    assert verdict(made, "sparsity 7: the gap grows faster") == word
    assert verdict(made, "the more so the larger the sparsity") == "agrees"
    grown = finding(made, "sparsity 7: the gap grows faster")
    assert (grown.figure, grown.much) == ("Figure 1", "8 of 55 functions")
    assert finding(made, "the more so").much == "16 of 110 functions"


def test_a_class_has_no_more_functions_than_in_the_paper():
    wanted = expected("gap")
    assert runs.size([outcome(trial=t) for t in range(13)], wanted)["run"] == 11
    small, odd = {"m": 64, "batch": 16}, outcome(D=6)
    none = {"run": 0, "planned": 220, "what": "functions", "lacks": ""}
    assert runs.size([outcome(of=small), odd], wanted) == none
    late = [outcome(trial=t, converged=False) for t in range(3)] + [outcome(of=small, converged=False)]
    assert runs.size([], wanted, late)["lacks"] == f"3 given up after {late[0].config.cap} epochs"
    made, _ = shown("gap", [outcome(D, of=small) for D in (1, 2, 3)])
    assert {found.word for found in made.findings if found.figure} == {"not run"}
    made, _ = shown("gap", [outcome(converged=False)])
    assert [found.word for found in made.findings] == ["not run", "not run"]


def test_script_is_in_no_finding_on_the_figure():
    text = [outcome(D, gap=0.001 * D**2, trial=t) for D in (1, 2, 3) for t in (0, 1)]
    own = [outcome(3, trial=t, gap=3.0, of=runs.SCRIPT) for t in (0, 1)]
    alone, _ = shown("gap", text)
    both, rows = shown("gap", text + own)
    assert [f.note for f in alone.findings if f.figure] == [f.note for f in both.findings if f.figure]
    assert [row["variant"] for row in rows] == ["text"] * 3 + ["script"]
    assert finding(alone, "Script").word == "not run"


@pytest.mark.parametrize(
    ("gaps", "word"),
    [((1e-4, 2e-4, 3e-4), "agrees"), ((9e-3, 9.1e-3), "disagrees"), ((0.0, 4e-3), "undecided"), ((1e-4,), "undecided")],
)
def test_script_is_held_against_the_plot(gaps, word):
    own = [outcome(3, 7, t, gap, of=runs.SCRIPT) for t, gap in enumerate(gaps)]
    late = outcome(3, 7, 9, 5.0, converged=False, of=runs.SCRIPT)  # met its cap
    made, _ = shown("gap", [*own, late])
    found = finding(made, "Script")
    assert (found.word, found.much, found.figure) == (f"partly, {word}", "1 of 15 cells", "")
    assert "their log: 412" in found.text
    elsewhere, _ = shown("gap", [outcome(3, 1, of=runs.SCRIPT)])  # the plot has no sparsity 1
    assert finding(elsewhere, "Script").word == "not run"


def test_estimates_of_the_constant_were_judged_after_looking():
    made, _ = shown("gap", [outcome(trial=t, subgaussian=0.05) for t in range(9)])
    found = finding(made, "estimated Sigma")
    assert (found.word, found.late) == ("undecided", True)


def test_growth_that_is_lost_in_its_spread_is_undecided():
    spread = (0.2, 1.0, 1.8)
    own = [outcome(D, omega, t, 0.001 * D**1.2 * share) for D in (1, 2, 3) for omega in (1, 7)
           for t, share in enumerate(spread)]  # fmt: skip
    made, _ = shown("gap", own)
    assert verdict(made, "sparsity 7: the gap grows faster") == "undecided"
    assert verdict(made, "the more so the larger the sparsity") == "undecided"


def test_the_derived_bound_pays_for_the_mesh():
    sigmas = bounds.mesh(1e-5, 0.01, 20)
    value, where = bounds.least("derived", "whole", 1, 1, 20, 8192, Fraction(1, 100), sigmas)
    sigma = min(sigmas, key=lambda s: abs(float(s) - where))
    at = dict(D=1, omega=1, T=20, m=8192, delta=Fraction(1, 20), Sigma=Fraction(1, 100), sigma=sigma)
    by_hand = [float(maurey.claim("lintilhac2026/2").evaluate("derived", part="risk", grid=n, **at)) for n in (1, 20)]
    assert by_hand[0] < by_hand[1] == pytest.approx(value, rel=1e-12)


def test_a_gap_above_a_bound_disagrees():
    made, rows = shown("gap", [outcome(gap=1.2)])
    low, high = float(rows[0]["printed, truncated"]), float(rows[0]["printed, whole"])
    assert low < 1.2 < high
    assert verdict(made, "here printed, semi-analytic") == "disagrees"
    assert verdict(made, "printed, whole, is above") == "agrees"
    assert made.disagreements
    made, _ = shown("gap", [outcome(gap=1.2, test_error=0.5)])
    assert verdict(made, "here printed, semi-analytic") == "undecided"


def test_bounds_are_those_of_the_claim():
    sigmas = bounds.mesh(1e-5, 0.01, 20)
    assert (len(sigmas), sigmas[0], sigmas[-1]) == (20, Fraction(1, 100_000), Fraction(1, 100))
    assert sigmas[1] - sigmas[0] == sigmas[-1] - sigmas[-2]
    at = dict(D=2, omega=7, T=20, m=8192, Sigma=Fraction(1, 100))
    value, where = bounds.least("printed", "truncated", *at.values(), sigmas)
    claim = maurey.claim("lintilhac2026/2")
    by_hand = {s: float(claim.evaluate("printed", "risk", P=0, delta="1/20", sigma=s, **at)) for s in sigmas}
    assert value == pytest.approx(min(by_hand.values()))
    assert by_hand[min(sigmas, key=lambda s: abs(float(s) - where))] == pytest.approx(value)
    between, _ = bounds.least("printed", "semi-analytic", *at.values(), sigmas)
    whole, _ = bounds.least("printed", "whole", *at.values(), sigmas)
    assert value < between < whole
    assert bounds.least("printed", "semi-analytic", 2, 7, 6, 64, Fraction(1, 100), sigmas) is None  # not measured


def test_the_power_of_the_gap_has_the_spread_of_its_functions():
    rng = np.random.default_rng(0)
    calm = {D: (D**3.0 * (1 + 0.1 * rng.standard_normal(8))).tolist() for D in (1, 2, 3)}
    slope, low, high = gap.power(calm)
    assert low < 3 < high < low + 0.5
    assert slope == pytest.approx(3, abs=0.2)
    wild = {D: (D**3.0 * np.array([0.1, 0.2, 3.0])).tolist() for D in (1, 2, 3)}
    slope, low, high = gap.power(wild)
    assert (slope, high - low > 1) == (pytest.approx(3), True)
    assert gap.power({**calm, 3: [-1.0, 2.0]}) is None  # its mean may be negative
    assert gap.power({1: [1.0, 1.0], 2: [2.0, 2.0]}) is None
    assert gap.power({**calm, 3: [1.0]}) is None


def test_the_measured_rise_is_that_of_the_next_larger_deviation():
    rows = list(csv.DictReader((exhibits.ROOT / bounds.MEASURED / "table.csv").open()))
    own = {
        Fraction(r["sigma"]): Fraction(r["largest rise"])
        for r in rows
        if (r["T"], r["D"], r["omega"]) == ("20", "3", "7")
    }
    at = sorted(own)
    assert bounds.measured(20, 3, 7, at[0]) == own[at[0]]
    assert bounds.measured(20, 3, 7, at[0] * 2) == own[at[1]]
    assert bounds.measured(20, 3, 7, at[-1] * 2) is None


# --- domination


def test_the_construction_is_that_of_the_same_function_on_the_same_strings():
    import torch

    c = Spectrum(model="two_layers", D=2, omega=2, T=5, m=12, batch=4, measure=True)
    f = parities.target(c, key(c, 3))
    pair = Pair(Outcome(c, 3, {"components": f.components, "coefficients": f.c.tolist()}))
    network = construction.build(f)
    assert pair.built_norm == pytest.approx(sum(float(block.square().sum()) for block in network))
    tokens, _ = parities.drawn(c, key(c, 3), "training", c.m)
    flat, masks = construction.flat(network), construction.masks(f)
    total = 0.0
    for z in torch.from_numpy(tokens[:, :5]):
        slope = torch.func.grad(lambda w, z=z: construction.output(construction.named(w, network), z[None], masks)[0])(
            flat
        )
        total += 2 * float(slope.square().sum()) / c.m
    assert pair.built_trace == pytest.approx(total)


def test_domination_is_read_with_the_interval():
    D, omega = 2, 7
    built = Pair(outcome(D, omega))
    norm, trace = built.built_norm, built.built_trace
    small, large = (
        outcome(D, omega, 0, norm=norm / 2, trace=trace / 2),
        outcome(D, omega, 0, norm=norm * 2, trace=trace * 2),
    )
    assert Pair(small).dominated == (True, True)
    assert Pair(large).dominated == (False, False)
    assert Pair(outcome(D, omega, trace=trace * 0.99, error=trace)).dominated[1] is None
    assert Pair(small).ratios == pytest.approx((math.sqrt(2), 2))
    wild = outcome(D, omega, trace=-trace, error=2 * trace)  # an estimate that says nothing, below 0
    assert (Pair(wild).dominated[1], Pair(wild).ratios[1]) == (None, None)
    made, rows = shown("domination", [wild])
    assert (rows[0]["ratio of traces"], verdict(made, "Figure 2a")) == ("-", "undecided")
    made, rows = shown("domination", [small, large])
    assert [row["dominated"] for row in rows] == ["norm yes, trace yes", "norm no, trace no"]


def learned(D=2, omega=7, norms=(0.5, 0.51), traces=(0.01, 0.0101), start=0.0, of=None):
    """Runs of a class, as shares of what the construction has."""
    made = []
    for t, (norm, trace) in enumerate(zip(norms, traces, strict=True)):
        pair = Pair(outcome(D, omega, t, of=of))
        made.append(outcome(D, omega, t, norm=norm * pair.built_norm, trace=trace * pair.built_trace, of=of,
                            start_norm=start * pair.built_norm))  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("shares", "word"), [((0.5, 0.51), "agrees"), ((2.0, 2.1), "disagrees"), ((0.5, 2.1), "undecided")]
)
def test_a_class_is_judged_by_its_mean_ratio(shares, word):
    made, _ = shown("domination", learned(norms=shares, traces=shares))
    for figure in ("Figure 2a", "Figure 2b"):
        found = finding(made, figure + ":")
        assert (found.word, found.figure, found.much) == (f"partly, {word}", figure, "2 of 220 functions")
    mixed = learned(norms=shares, traces=shares) + learned(1)
    assert verdict(shown("domination", mixed)[0], "Figure 2b") == word  # one class that is not higher is enough


def test_a_norm_that_the_initial_weights_decide_is_undecided():
    above = learned(1, 1, norms=(2.0, 2.1), start=1.9)
    made, _ = shown("domination", above)
    assert verdict(made, "Figure 2b") == verdict(made, "Theorem 2 needs norm") == "undecided"
    assert finding(made, "Ablation").word == "not run"
    below = learned(1, 1, norms=(2.0, 2.1), start=0.1)
    made, _ = shown("domination", below)
    assert verdict(made, "Figure 2b") == verdict(made, "Theorem 2 needs norm") == "disagrees"
    scaled = learned(1, 1, norms=(0.5,), traces=(0.1,), of={"scale": 0.25})
    made, rows = shown("domination", below + scaled)
    assert (verdict(made, "Figure 2b"), finding(made, "Ablation").word) == ("undecided", "partly, agrees")
    assert "turned: (1, 1)" in finding(made, "Ablation").text
    assert [row["variant"] for row in rows] == ["text", "text", "scale 0.25"]
    same = learned(1, 1, norms=(1.5,), traces=(0.1,), of={"scale": 0.25})
    made, _ = shown("domination", below + same)
    assert (verdict(made, "Figure 2b"), finding(made, "Ablation").word) == ("disagrees", "partly, disagrees")
    censored = [Outcome(o.config, o.trial, {**o.record, "converged": False}) for o in scaled]
    made, _ = shown("domination", below + censored)
    assert (verdict(made, "Figure 2b"), finding(made, "Ablation").word) == ("disagrees", "not run")


@pytest.mark.parametrize(("factor", "agrees"), [(100, True), (20, None), (3, False), (5000, False)])
def test_two_orders_of_magnitude_are_rough(factor, agrees):
    shares = {"traces": (1 / factor, 1.02 / factor), "norms": (factor**-2.0, 1.02 * factor**-2.0)}
    made, _ = shown("domination", learned(**shares))
    trace, norm = (finding(made, f"the {name} learned is lower by") for name in ("trace", "norm"))
    assert trace.agrees is norm.agrees is agrees
    assert trace.word == "partly, undecided"  # what is rough was settled after looking
    made, _ = shown("domination", learned(**shares, start=factor**-2.0))
    assert finding(made, "the norm learned is lower by").agrees is (agrees or None)
    assert finding(made, "the trace learned is lower by").agrees is agrees


@pytest.mark.parametrize(
    ("ratios", "word"),
    [((2.0, 2.2, 2.4), "agrees"), ((9.0, 9.1, 9.2), "disagrees"), ((1.0, 4.0, 9.0), "undecided"),
     ((2.2,), "partly, undecided")],
)  # fmt: skip
def test_script_is_held_against_the_log(ratios, word):
    own = learned(3, 7, [r**-2 for r in ratios], [0.1] * len(ratios), of=runs.SCRIPT)
    made, _ = shown("domination", own)
    assert finding(made, "norm 20.9 learned, 45.8 constructed").word == word
    assert {found.word for found in made.findings if found.figure} == {"not run"}


def test_the_construction_is_that_of_the_log():
    """At degree 3 and sparsity 7 norm and trace of some function are what a log of the authors has."""
    rows = [r for r in csv.DictReader((exhibits.ROOT / "lintilhac2026/domination/table.csv").open())
            if (r["variant"], r["degree"], r["sparsity"]) == ("text", "3", "7")]  # fmt: skip
    earlier = expected("domination")["earlier"]
    norms, traces = ([float(r[name]) for r in rows] for name in ("constructed", "trace constructed"))
    assert min(norms) <= earlier["built_norm"] ** 2 <= max(norms)
    assert min(traces) <= earlier["built_trace"] <= max(traces)


# --- the mechanism


def seen(rows, components, coefficients, read_out, phi):
    attention = np.full((len(rows), len(rows)), 0.01)
    for t, row in enumerate(rows):
        attention[t, list(row)] = 0.4
    return {"attention": attention.tolist(), "components": components, "coefficients": coefficients,
            "read_out": read_out, "phi": phi}  # fmt: skip


def test_scores():
    rows = [(0, 1), (0, 1), (2, 3), (1, 2), (4, 5), (0, 3)]
    record = seen(rows, [[0, 1], [2, 3], [4, 5]], [0.9, 0.4, 0.01], [1.0, -0.5, 0.05, 0.3, 0.2, 0.0], [0, 1, 0])
    own = score(record, 0.02)
    assert (own.used, own.showing, own.needed, own.found) == (4, 3, 2, 1)  # row 2 is not in use, 0.01 is not needed
    assert own.among_all == 2
    assert own.mass == pytest.approx(1.75 / 2.05)
    assert own.weight == pytest.approx((0.8 + 0.41) / 2)
    assert own.turns == 1
    assert score(record, 1e-6).found == 2
    assert by_chance(20, 2, 3) == pytest.approx(3 / 210)


@pytest.mark.parametrize(
    ("curve", "number"),
    [(np.linspace(0, 1, 50), 0), (np.linspace(1, 0, 50), 0), (np.sin(np.linspace(0, 2 * np.pi, 200)), 2),
     (np.cos(np.linspace(0, 3 * np.pi, 200)), 2), (np.linspace(0, 1, 200) + 0.03 * np.sin(np.arange(200)), 0)],
)  # fmt: skip
def test_turns(curve, number):
    assert turns(curve) == number
    assert turns(-curve) == number


def small_networks(components, number=4, phi=(0, 1, 0), T=5, omega=2):
    c = Spectrum(model="channel", D=2, omega=omega, T=T, m=64, batch=16, width=32, watch=True)
    start = {"status": "done", "converged": True, "epochs": 3, "train_loss": 0.01, "test_loss": 0.011}
    rows = [(0, 1), (2, 3), (1, 2), (4, 5), (0, 3), (0, 5)]
    record = start | seen(rows, components, [0.8, 0.6], [1.0] * 6, list(phi))
    return [Outcome(c, trial, record) for trial in range(number)]


CLEAR, HIDDEN = [[0, 1], [2, 3]], [[1, 3], [3, 5]]


@pytest.mark.parametrize(("clear", "agrees"), [((9, 0), True), ((0, 9), False), ((5, 4), None)])
def test_most_networks_show_their_components(clear, agrees):
    shows, hides = clear
    made, table = shown("mechanism", small_networks(CLEAR, shows) + small_networks(HIDDEN, hides), "smoke")
    found = finding(made, "rows at the Fourier components")
    assert (found.agrees, found.late, found.figure) == (agrees, True, "Figure 5")
    assert table[0]["needed ones shown"] == ("2 of 2" if shows else "0 of 2")
    assert found.word == "not run"  # 5 bits are not the paper's 20
    own = [(o, score(o.record, 0.02)) for o in small_networks(CLEAR, T=20)]
    found = mechanism._rows(own, trained.plan("lintilhac2026/mechanism", "paper"), expected("mechanism"))
    assert (found.word, found.much) == ("partly, undecided", "4 of 80 networks")  # its criterion is late


def test_that_all_rows_show_a_component_is_no_claim_of_the_paper():
    made, _ = shown("mechanism", small_networks(CLEAR), "smoke")
    assert any("8 of 24" in note and "not that all rows are" in note for note in made.notes)
    assert len(made.findings) == 2


@pytest.mark.parametrize(("waves", "agrees"), [((9, 0), True), ((0, 9), False), ((5, 4), None)])
def test_a_wave_has_turns_in_most_networks(waves, agrees):
    turning, flat = waves
    own = small_networks(CLEAR, turning) + small_networks(CLEAR, flat, (0, 1, 2))
    made, _ = shown("mechanism", own, "smoke")
    assert finding(made, "oscillates").agrees is agrees


def test_what_counts_as_a_wave_must_not_matter():
    c = Spectrum(model="channel", D=3, omega=2, T=5, m=64, batch=16, width=32, watch=True)
    record = small_networks(CLEAR)[0].record | {"components": [[0, 1, 2], [2, 3, 4]]}  # one turn, a parity has two
    made, _ = shown("mechanism", [Outcome(c, trial, record) for trial in range(9)], "smoke")
    assert finding(made, "oscillates").agrees is None


def test_chance_is_counted():
    assert shown_by_chance(20, 1, 1) == pytest.approx(1 / 21)
    assert shown_by_chance(3, 2, 2) == pytest.approx(1 - (5 / 6) ** 2)
    rng = np.random.default_rng(0)
    blind = [any(frozenset(rng.choice(6, 2, replace=False)) == {0, 1} for _ in range(4)) for _ in range(4000)]
    assert np.mean(blind) == pytest.approx(shown_by_chance(5, 2, 4), abs=0.03)


def test_the_curve_before_training_is_that_of_the_engine():
    import torch

    from maurey.verify.training.engine.state import State, named
    from maurey.verify.training.networks.channel import curve

    c = Spectrum(model="channel", D=2, omega=2, T=5, m=64, batch=16, width=32, watch=True)
    first = named(c, State.drawn(c, [key(c, 3)], torch.device("cpu"))["flat"])
    found = mechanism._first_curve(Outcome(c, 3, {}))
    assert np.allclose(found, curve(first, torch.linspace(0, 1, 201)[None])[0].numpy(), atol=1e-5)


# --- run


def test_smoke(tmp_path, monkeypatch):
    """All that a user gets but the figures, which other tests draw; the second exhibit shows the runs of the first."""
    monkeypatch.setattr(exhibits, "_figures", lambda *_: [])
    found = {}
    with Store(tmp_path / "results.sqlite") as store:
        for name in MODULES:
            seen = []
            made = trained.make(f"lintilhac2026/{name}", "smoke", tmp_path / name, store, seen.append)
            found[name] = [*made, seen[0].done]
    for name, (files, done, before) in found.items():
        assert done.failed == done.left == 0
        assert before == (done.done if name == "domination" else 0)  # nothing is trained twice
        assert ((tmp_path / name / "results.jsonl") in files) is (name != "domination")
        about = json.loads((tmp_path / name / "provenance.json").read_text())
        assert (about["protocols"], about["trials"]) == (["fast"], done.done)


@pytest.mark.parametrize("name", list(MODULES))
def test_figures_are_drawn(name):
    if name == "mechanism":
        c = Spectrum(model="channel", D=2, omega=2, T=5, m=64, batch=16, width=32, watch=True)
        record = {"status": "done", "converged": True, "epochs": 3, "train_loss": 0.01, "test_loss": 0.011}
        rows = [(0, 1), (2, 3), (1, 2), (4, 5), (0, 3), (0, 5)]
        own = [Outcome(c, 0, record | seen(rows, [[0, 1], [2, 3]], [0.8, 0.6], [1.0] * 6, [0, 1, 0]))]
    else:
        own = [outcome(1), outcome(2), outcome(2, trial=1, converged=False), outcome(1, 14, trace=-9.0, error=9.0)]
    made, _ = shown(name, own, "smoke" if name == "mechanism" else "paper")
    figure = figure_of(f"lintilhac2026/{name}", data_of(f"lintilhac2026/{name}", made))
    assert all(axes.has_data() for axes in figure.axes)


def test_classes_in_order():
    cells = runs.cells_of([outcome(3, 7), outcome(1, 7), outcome(1, 1), outcome(1, 1, trial=1, converged=False)])
    assert [(c.omega, c.D, len(c.fitted), len(c.unfitted)) for c in cells] == [(1, 1, 1, 1), (7, 1, 1, 0), (7, 3, 1, 0)]
    assert walsh.Target(20, *(tuple(map(tuple, cells[1].fitted[0].record["components"])), tuple(range(1, 8)))).D == 1
