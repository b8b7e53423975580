"""Networks held against theory: bounds by hand, what is picked and said, and Figures 1 to 3 of Trauger and Tewari."""

import math
import tomllib
from dataclasses import replace
from fractions import Fraction
from math import e, exp, log, sqrt

import numpy as np
import pytest

from maurey.paper_tables import exhibits, theory, trained
from maurey.paper_tables.edelman2022 import trained as encoders
from maurey.paper_tables.statistics import student, trend
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.trauger2024 import majority
from maurey.paper_tables.trauger2024 import trained as layers
from maurey.symbolic.claim import InputError
from maurey.verify.certificates.gaps import above
from maurey.verify.certificates.norm_classes import bounds, of_class, paid
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import key
from maurey.verify.training.trials.majority import Majority

LAYER = Config(model="layer", function="majority", s=3, T=20, m=300, heads=2, held_out=1000)
ENCODER = Config(T=20, m=200, heads=2, held_out=1000)
HEADS = {
    "B_QK": [1.5, 0.7], "B_QK_F": [2.0, 1.1], "B_QK_inf": [0.9, 0.6], "B_QK_11": [30.0, 20.0],
    "B_QK_1inf": [2.5, 1.9], "B_QK_21": [9.0, 7.0], "B_V": [3.0, 2.0], "B_V_F": [4.0, 2.5], "B_V_inf": [1.2, 0.8],
    "B_V_1inf": [5.0, 4.0], "B_V_1inf_rows": [6.0, 3.0], "B_C_1inf": [7.0, 8.0], "B_C_1inf_rows": [2.0, 4.0],
    "B_X": 6.0, "B_X_1": 40.0, "l1": 2000.0,
}  # fmt: skip
NORMS = {"layer": HEADS | {"B_w": 2.0, "B_w_1": 9.0}, "encoder": HEADS | {"L_out": 1e4, "A": 7.0}}
DELTA, MANY = 0.05, 10**34
d, T, R = 65, 21, 6.0


def outcome(T=20, trial=0, config=LAYER, gap=0.1, errors=100, iterations=1000, norms=None, status="done"):
    found = {"held_loss": 0.2 + gap, "train_loss": 0.2, "train_errors": 3, "errors": errors}
    found |= {"norms": norms or NORMS[config.model]}
    record = {"status": status, "best": 30, "iterations": iterations}
    return Outcome(replace(config, T=T, iterations=iterations), trial, record | (found if status == "done" else {}))


def before(config, norms):
    """The bounds of a class that was there before the data: nothing is paid, and norms are as given."""
    return of_class(config, {name: above(x) for name, x in norms.items()}, Fraction(1, 20))


def at(label, form, many=MANY, config=LAYER, **changes):
    found = before(config, NORMS[config.model] | changes)
    return float(next(one for one in found if (one.label, one.form) == (label, form)).at(many))


def chained(C, radius):
    """The complexity by as many levels as serve best, where that is below the radius."""
    s = sqrt(2 * C / MANY)
    return min(radius, e * s * (0.0853 + log(radius / s)))


def deviation(b, m=MANY):
    """Of a sample, each side at half of the probability of failure: losses differ by at most b."""
    return b * sqrt(2 * log(2 / DELTA) / m)


def heads_range(config):
    return 2.0 * (3.0 + 2.0) * R if config.model == "layer" else 7.0


# --- bounds, by hand ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("config", "outer"), [(LAYER, 2.0), (ENCODER, 1e4)], ids=["layer", "encoder"])
def test_a12_as_printed(config, outer):
    """A.12 read out by 4.2-scalar, and 2.2, from their displays; the loss is at most log(1 + e^A)."""
    pairs = zip(HEADS["B_V_inf"], HEADS["B_QK_inf"], HEADS["B_V"], strict=True)
    inner = sum(v ** (2 / 3) + (2 * qk * s) ** (2 / 3) for v, qk, s in pairs)
    C, A = (outer * d * R) ** 2 * inner**3 * log(MANY * T), heads_range(config)
    gap = 48 * sqrt(C / MANY) * (1 + log(A * sqrt(MANY / C)))
    gap += 2 * log(1 + exp(A)) * sqrt(log(1 / DELTA) / (2 * MANY))
    assert at("edelman2022/A.12", "printed", config=config) == pytest.approx(gap, rel=1e-7, abs=0)


@pytest.mark.parametrize(("config", "outer"), [(LAYER, 2.0), (ENCODER, 1e4)], ids=["layer", "encoder"])
def test_a12_sharp(config, outer):
    """Scores as numbers, values by the best cover that counts corrections, w on the m vectors that it reads."""
    terms = []
    for S_F, V, V_F, V_inf in zip(*(HEADS[n] for n in ("B_QK_F", "B_V", "B_V_F", "B_V_inf")), strict=True):
        terms.append((outer * V * R, (S_F * R**2) ** 2 * log(2 * MANY * T + 1)))
        F = min(V_F, sqrt(d) * V_inf, sqrt(d) * V)
        N = MANY * T
        covers = (
            d * log(2 * d * N + 1), 64 / 49 * (d * log(5) + log(N)), (64 / 49) ** 2 * 2 * d * log(5),
        )  # fmt: skip
        terms.append((outer, (F * R) ** 2 * min(covers)))
    A = heads_range(config)
    if config.model == "layer":
        terms.append((1.0, A**2 * log(2 * MANY + 1)))
    C = sum(alpha ** (1 / 3) * beta ** (2 / 3) for beta, alpha in terms) ** 3
    gap = 2 * chained(C, A) + deviation(log(1 + exp(A)))
    assert at("edelman2022/A.12", "sharp", config=config) == pytest.approx(gap, rel=1e-6, abs=0)


def test_counting():
    """Every matrix at its share of A/sqrt(m), (1 + 2BR/eps)^(entries); shares as if the costs were (2BR)^2 entries."""
    terms = []  # coefficient, radius of the class on what it acts on, entries
    for S, V in zip(HEADS["B_QK"], HEADS["B_V"], strict=True):
        terms += [(2.0 * 2 * V * R**2, S * R, d**2), (2.0, V * R, d**2)]
    A = heads_range(LAYER)
    terms.append((1.0, A, d))  # w on vectors of norm A / B_w
    costs = [p * (2 * radius) ** 2 for _, radius, p in terms]
    gamma = sum(a ** (1 / 3) * beta ** (2 / 3) for a, (beta, _, _) in zip(costs, terms, strict=True))
    tau = A / sqrt(MANY)
    shares = [tau / gamma * (a / beta) ** (1 / 3) for a, (beta, _, _) in zip(costs, terms, strict=True)]
    log_N = sum(p * log(1 + 2 * radius / x) for (_, radius, p), x in zip(terms, shares, strict=True))
    gap = 2 * (tau + A * sqrt(2 * log_N / MANY)) + 3 * log(1 + exp(A)) * sqrt(2 * log(3 / DELTA) / MANY)
    assert at("trauger2024/S2.5", "derived") == pytest.approx(gap, rel=1e-6, abs=0)


OUTER = {"R": ([5.0, 4.0], [7.0, 8.0]), "R_rows": ([6.0, 3.0], [2.0, 4.0])}
RADII = {"trauger2024/4.1.1": 6.0, "trauger2024/D.0.1": 40.0, "trauger2024/D.0.2": 40.0}


def largest_loss(number, part):
    """Rows carry the largest coordinate through, columns the l1 norm: sqrt(d) times the l2 norm, if that is known."""
    wider = sqrt(d) if (number, part) == ("trauger2024/4.1.1", "R") else 1
    return sum(9 * v * c for v, c in zip(*OUTER[part], strict=True)) * RADII[number] * wider


@pytest.mark.parametrize("part", OUTER)
@pytest.mark.parametrize("number", RADII)
def test_one_layer_as_printed(number, part):
    """The printed complexities, added over the heads, and S2.3. A loss log(1 + e^A) with A above 1000 is A."""
    B_X, total = RADII[number], 0.0
    for h, (V, C) in enumerate(zip(*OUTER[part], strict=True)):
        alpha = {
            "trauger2024/4.1.1": HEADS["B_QK_11"][h] * sqrt(2 * log(2 * d**2 + 1)),
            "trauger2024/D.0.1": 2 * HEADS["B_QK_1inf"][h] * sqrt(d * log(2 * d + 1)),
            "trauger2024/D.0.2": 2 * HEADS["B_QK_21"][h] * sqrt(2 * log(d)),
        }[number]
        root = sqrt(MANY) if number == "trauger2024/4.1.1" else sqrt(MANY) - sqrt(log(2 * d))
        B = 9 * C * (C if number == "trauger2024/4.1.1" else V)
        total += B * (B_X**3 * alpha / sqrt(MANY) * (1 + log(root / (B_X**2 * alpha))) + B_X * sqrt(log(2 * d) / MANY))
    gap = 2 * total + 4 * largest_loss(number, part) * sqrt(2 * log(4 / DELTA) / MANY)
    assert at(f"{number}:{part}", "printed") == pytest.approx(gap, rel=1e-6, abs=0)


@pytest.mark.parametrize("part", OUTER)
def test_one_layer_sharp(part):
    """D.0.1: entries of every column, by levels or a geometric series, the largest of 2d coordinates; then
    maurey/sides. Columns: 32 units sorted by their norms."""
    total = 0.0
    for h, (V, C) in enumerate(zip(*OUTER[part], strict=True)):
        F = 2 * 9 * C * V * (1 if part == "R_rows" else d * min(32, 2 * 5 + 1))
        QK, entries = HEADS["B_QK_1inf"][h], d * log(2 * d + 1)
        series = (2 + 2 * sqrt(2)) * sqrt(2 * 40.0 * QK * entries * 40.0**3 / MANY)
        one = min(series, chained(QK**2 * 40.0**6 * entries, 40.0)) + 40.0 * sqrt(2 * log(2 * d) / MANY)
        total += min(F * one, 9 * C * V * 40.0)
    gap = 2 * total + deviation(2 * largest_loss("trauger2024/D.0.1", part))
    assert at(f"trauger2024/D.0.1:{part}", "sharp") == pytest.approx(gap, rel=1e-6, abs=0)


def test_every_bound_is_there_once():
    labels = [(one.label, one.form) for one in bounds(LAYER, NORMS["layer"])]
    assert len(labels) == len(set(labels)) == 5 + 3 * 2 * 3
    assert len(bounds(ENCODER, NORMS["encoder"])) == 5


def scaled(factor):
    """All weights so much smaller."""
    return {n: [x * factor for x in v] if isinstance(v, list) else v for n, v in NORMS["layer"].items()}


def test_without_weights_the_deviation_is_left():
    """The largest loss is then that of a coin; S2.3 lets losses lie in [-b, b], and derived it spends half of delta on
    each side."""
    three = 3 * log(2) * sqrt(2 * log(3 / DELTA) / 300)
    deviations = {
        "heads": [2 * log(2) * sqrt(log(1 / DELTA) / 600), three, deviation(log(2), 300)],
        "layers": [*(4 * log(2) * sqrt(2 * log(n / DELTA) / 300) for n in (4, 8)), deviation(2 * log(2), 300)],
    }
    for one in before(LAYER, scaled(1e-12)):
        left = deviations["layers" if one.part else "heads"][("printed", "derived", "sharp").index(one.form)]
        assert float(one.gap) == pytest.approx(left, rel=1e-5), one


def test_norms_are_rounded_up():
    """What is added is more than a double can be off, and less than anyone sees."""
    for name in ("B_X", "B_w"):
        ratio = above(NORMS["layer"][name]) / Fraction(NORMS["layer"][name])
        assert 1e-10 < ratio - 1 < 1e-8
    assert above([1 / 3])[0] > Fraction(1, 3) * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("config", [LAYER, ENCODER], ids=["layer", "encoder"])
def test_what_was_measured_is_paid_for(config):
    """Every norm of the class is a power of 2^(1/8) above the measured one; delta has the product of their weights. A
    bound is that of this class, and no bound is smaller than if nothing were paid."""
    norms = {name: x for name, x in NORMS[config.model].items() if name != "l1"}
    known, share = paid(norms)
    measured = [x for value in norms.values() for x in (value if isinstance(value, list) else [value])]
    rounded = [float(x) for value in known.values() for x in (value if isinstance(value, list) else [value])]
    places = [math.ceil(8 * math.log2(x * (1 + 1e-9))) for x in measured]
    assert rounded == pytest.approx([2 ** (k / 8) for k in places], rel=1e-12)
    price = sum(2 * log(1 + abs(k)) + log(math.pi**2 / 3 - 1) for k in places)
    assert log(share.denominator) - log(share.numerator) == pytest.approx(price, rel=1e-9)
    ours, theirs = bounds(config, norms), before(config, norms)
    again = of_class(config, known, share / 20)
    for one, other, less in zip(ours, again, theirs, strict=True):
        assert one.at(MANY) == other.at(MANY)
        if one.form != "printed":
            assert one.at(MANY) > less.at(MANY)


def test_samples_and_too_few_of_them():
    for one in bounds(LAYER, NORMS["layer"]):
        many = one.samples(log(2))
        assert float(one.at(int(many))) == pytest.approx(log(2), rel=2e-4)
        assert one.at(int(3 * many)) < one.at(int(many)) < one.at(int(many / 3))
        assert one.gap is not None
    few = bounds(replace(LAYER, m=60), NORMS["layer"])
    assert [one.gap is None for one in few] == [bool(one.part) for one in few]
    with pytest.raises(InputError, match="m > d"):
        few[-1].at(65)
    assert {int(one.samples(10.0)) for one in before(LAYER, scaled(1e-9)) if one.form != "printed"} == {1, 66}


# --- what is picked, shown and said ----------------------------------------------------------------------------------


def expected(name):
    return tomllib.loads((exhibits.ROOT / name / "expected.toml").read_text())


def scale(**stage):
    return {"scale": "paper", "stage": [stage]}


def test_the_worst_of_every_length():
    runs = [outcome(40, 0, gap=0.1), outcome(40, 1, gap=-0.3), outcome(40, 2, gap=0.2), outcome(20, 0, gap=0.05)]
    assert [(one.T, one.outcome.trial) for one in theory.worst(runs)] == [(20, 0), (40, 1)]
    held = theory.Held(outcome(errors=100))
    assert held.gap == pytest.approx(0.1)
    assert held.gap_01 == pytest.approx(100 / 1000 - 3 / 300)


def test_rows_say_what_the_bounds_say():
    held = theory.Held(outcome(gap=-0.25))
    rows = {row[2]: dict(zip(theory.COLUMNS, row, strict=True)) for row in theory.rows([held])}
    assert list(rows)[:2] == ["edelman2022/A.12", "trauger2024/S2.5"]
    row = rows["trauger2024/4.1.1:R_rows"]
    stated = held.stated["trauger2024/4.1.1:R_rows"]
    assert row["measured gap"] == "-0.25"
    assert row["printed gap"] == "negative"
    assert float(row["sharp gap"]) == pytest.approx(float(stated["sharp"].gap), rel=1e-2)
    assert float(row["log10 sharp/measured"]) == round(math.log10(float(stated["sharp"].gap) / 0.25), 1)
    many = {form: float(stated[form].samples(log(2))) for form in stated}
    assert float(row["samples, printed"]) == pytest.approx(many["printed"], rel=1e-2)
    assert float(row["samples, derived/sharp"]) == pytest.approx(many["derived"] / many["sharp"], rel=1e-2)
    assert rows["trauger2024/S2.5"]["printed gap"] == rows["trauger2024/S2.5"]["samples, printed"] == ""
    few = theory.Held(outcome(config=replace(LAYER, m=60)))
    assert [row[6] for row in theory.rows([few])][2:] == ["needs m > d"] * 6


def test_a_gap_beyond_a_proved_bound_disagrees():
    networks = theory.worst([outcome(), outcome(40)])
    found = theory.held(networks)
    assert found.agrees
    assert "Of 32 bounds" in found.text
    assert "32 are above the largest loss" in found.text
    assert theory.held(theory.worst([outcome(gap=1e4)])).agrees is False


def test_length_enters_as_the_papers_say():
    networks = theory.worst([outcome(), outcome(200)])
    never = theory.over_length(networks, "says", "trauger2024", lambda short, long: 1.0)
    assert never.agrees
    assert "at most 1 times" in never.text
    grows = theory.over_length(networks, "says", "edelman2022", lambda short, long: 1.0)
    assert grows.agrees is False
    assert theory.over_length(networks, "says", "edelman2022", lambda a, b: log(b) / log(a)).agrees
    assert theory.over_length(networks[:1], "says", "edelman2022", lambda a, b: 1.0).agrees is None


def test_counting_against_norms():
    networks = theory.worst([outcome(), outcome(40)])
    none = theory.against_counting(networks, "says")
    assert none.agrees is None
    assert "for 0 of 2 networks" in none.text
    assert none.criterion.startswith("ours")
    found = theory.against_counting(theory.worst([outcome(norms=scaled(1e-2)), outcome(40)]), "says")
    assert found.agrees
    assert "for 1 of 2 networks" in found.text


@pytest.mark.parametrize(
    ("name", "module", "config"), [("trauger2024", layers, LAYER), ("edelman2022", encoders, ENCODER)]
)
def test_trained_exhibits_render(name, module, config, tmp_path):
    runs = [outcome(T, trial, config, gap=0.01 * T) for T in (20, 40) for trial in range(2)]
    stage = scale(T=[20, 40], m=[config.m], trials=2)
    made = module.render(stage, expected(f"{name}/trained"), [*runs, outcome(40, 2, config, status="failed")])
    assert len(made.rows) == 2 * len(theory.Held(runs[0]).stated)
    text = "\n".join(made.told)
    for words in ("Failed trials (a loss that is no longer a number): 1", "embeddings" if name == "edelman2022" else
                  "fixed vector", "log(1 + e^A)", "B_QK 1.5 to 1.5", "agrees."):  # fmt: skip
        assert words in text
    assert made.disagreements == []
    assert [one.word for one in made.findings].count("undecided") == (name == "trauger2024")  # of counting
    exhibits.write(f"{name}/trained", made, tmp_path, 1.0)
    assert (tmp_path / "figure.svg").stat().st_size > 10_000


def test_trials_are_those_of_the_majority():
    for name in trained.SCALES:
        own, all_ = (trained.plan(f"trauger2024/{e}", name) for e in ("trained", "majority"))
        assert {job.key for job in own} <= {job.key for job in all_}
        text = [job.config.iterations for job in all_ if job.config.model == "layer"]
        assert {job.config.iterations for job in own} == {min(text)}
    jobs = trained.plan("edelman2022/trained", "paper")
    assert {(job.config.T, job.config.m) for job in jobs} == {(T, 200) for T in (100, 200, 400, 800)}
    assert len(jobs) == 12
    assert all(job.config.measure and not job.config.stop for job in jobs)


# --- Figures 1 to 3 --------------------------------------------------------------------------------------------------


def test_trend():
    """Quantiles from tables; the interval from the textbook's formula."""
    assert [student(n) for n in (1, 3, 8, 30)] == pytest.approx([12.7062, 3.18245, 2.30600, 2.04227], rel=1e-5)
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0], [1.1, 1.9, 3.2, 3.8, 5.1]
    slope, low, high = trend(x, y)
    error = sqrt(sum((v - np.polyval(np.polyfit(x, y, 1), u)) ** 2 for u, v in zip(x, y, strict=True)) / 3 / 10)
    assert (slope, high - slope) == pytest.approx((0.99, 3.18245 * error), rel=1e-5)
    assert slope - low == pytest.approx(high - slope)
    assert trend(x[:2], y[:2]) is None


def runs(values, iterations=1000, trials=2):
    """T: (norm, gap, errors); a second run is below in all of them."""
    return [
        outcome(T, trial, gap=gap / (1 + trial), errors=errors + 50 * trial, iterations=iterations,
                norms=NORMS["layer"] | {"l1": norm - trial})
        for T, (norm, gap, errors) in values.items() for trial in range(trials)
    ]  # fmt: skip


FLAT = {20: (2000.0, 0.1, 100), 40: (2010.0, 0.12, 200), 60: (1995.0, 0.09, 301), 80: (2006.0, 0.11, 299),
        100: (1999.0, 0.1, 302), 120: (2003.0, 0.1, 300)}  # fmt: skip


def votes(values, trials=5):
    """The same by the script."""
    found = {"status": "done", "fitted": True, "epochs": 9000, "best": 8000, "train_loss": 0.2, "train_errors": 3}
    return [
        Outcome(
            Majority(T=T, held_out=1000), trial,
            found | {"held_loss": 0.2 + gap / (1 + trial), "held_errors": errors + 50 * trial, "norm": norm - trial},
        )
        for T, (norm, gap, errors) in values.items() for trial in range(trials)
    ]  # fmt: skip


def rendered(values, made=votes, **more):
    stage = scale(variant="script", T=list(values), trials=5)
    return majority.render(stage, expected("trauger2024/majority"), made(values, **more))


def test_the_extremes_over_the_runs():
    made = rendered(FLAT)
    rows = [dict(zip(made.columns, row, strict=True)) for row in made.rows]
    assert [row["T"] for row in rows] == [str(T) for T in FLAT]
    assert rows[0]["sum of absolute weights"] == "2000"
    assert rows[1]["gap in cross-entropy"] == "0.12"
    assert rows[2]["held-out accuracy"] == "0.699"
    assert [finding.word for finding in made.findings] == ["partly, agrees"] * 3
    assert {finding.much for finding in made.findings} == {"30 of 50 runs"}
    assert [row["of them fitted"] for row in rows] == ["5"] * 6


def test_what_is_not_at_the_papers_size_is_not_run():
    assert [finding.word for finding in rendered(FLAT, made=runs).findings] == ["not run"] * 3
    assert {finding.much for finding in rendered(FLAT, trials=4).findings} == {"24 of 50 runs"}
    assert {finding.much for finding in rendered(FLAT, trials=7).findings} == {"30 of 50 runs"}
    every = dict.fromkeys(expected("trauger2024/majority")["lengths"], FLAT[20])
    assert [finding.word for finding in rendered(every).findings] == ["agrees"] * 3


@pytest.mark.parametrize(
    ("T", "errors", "word"), [(120, 300, "agrees"), (120, 900, "undecided"), (100, 900, "undecided")]
)
def test_an_interval_that_allows_everything_decides_nothing(T, errors, word):
    made = rendered(FLAT | {T: (*FLAT[T][:2], errors)})
    assert made.findings[2].word == f"partly, {word}"


def test_the_start_is_that_of_the_run():
    from maurey.verify.training.networks import layer

    one = outcome()
    start = layer.initial(one.config, key(one.config, 0))
    assert majority.initial_norm(one) == pytest.approx(sum(float(np.abs(w).sum()) for w in start.values()))
    assert majority.initial_norm(one) != majority.initial_norm(outcome(trial=1))


@pytest.mark.parametrize(("name", "change", "figure"), [
    ("norm", lambda T, v: (v[0] + 3 * T, *v[1:]), 1),
    ("gap", lambda T, v: (v[0], v[1] + T / 100, v[2]), 2),
    ("gap", lambda T, v: (v[0], v[1] - T / 100, v[2]), 2),
    ("accuracy", lambda T, v: (*v[:2], v[2] + 2 * T), 3),
])  # fmt: skip
def test_a_trend_disagrees(name, change, figure):
    made = rendered({T: change(T, values) for T, values in FLAT.items()})
    assert [text.startswith(f"Figure {figure}") for text in made.disagreements] == [True]


def test_a_falling_norm_is_no_increase():
    assert not rendered({T: (v[0] - 3 * T, *v[1:]) for T, v in FLAT.items()}).disagreements


def test_the_plateau_is_that_of_the_longer_half():
    """The shorter lengths may rise or fall."""
    assert not rendered({T: (*v[:2], v[2] if T > 60 else 5 * T) for T, v in FLAT.items()}).disagreements


def test_the_longest_training_with_all_lengths():
    some = {T: FLAT[T] for T in (20, 40)}
    both = [*runs(FLAT, iterations=9000), *runs(some, iterations=600_000)]
    assert {one.config.iterations for own in majority.longest(both).values() for one in own} == {9000}
    both += runs({T: v for T, v in FLAT.items() if T not in some}, iterations=600_000)
    chosen = majority.longest(both)
    assert {one.config.iterations for own in chosen.values() for one in own} == {600_000}
    assert list(chosen) == list(FLAT)


def test_two_lengths_decide_nothing(tmp_path):
    made = rendered({T: FLAT[T] for T in (20, 40)})
    assert [finding.word for finding in made.findings] == ["partly, undecided"] * 3
    exhibits.write("trauger2024/majority", made, tmp_path, 1.0)
    assert (tmp_path / "figure.svg").stat().st_size > 10_000
