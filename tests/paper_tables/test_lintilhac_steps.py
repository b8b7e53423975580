"""Chain of thought against a single pass: samples are those that claims ask for, and findings follow the numbers."""

import tomllib
from dataclasses import replace
from fractions import Fraction

import pytest

from maurey.numeric.balls import enclose
from maurey.paper_tables import exhibits, trained
from maurey.paper_tables.lintilhac2026 import steps
from maurey.paper_tables.lintilhac2026.steps import samples
from maurey.symbolic import registry
from maurey.verify.training.trials.keys import config

EXPECTED = tomllib.loads((exhibits.ROOT / "lintilhac2026" / "steps" / "expected.toml").read_text())
HALF = samples.AIM


def test_plans_name_degrees_and_tasks():
    for scale in trained.SCALES:
        jobs = trained.plan("lintilhac2026/steps", scale)
        assert {job.config.task for job in jobs} == {"steps", "function"}
        degrees = {(job.config.task, job.config.T, job.config.D) for job in jobs}
        assert degrees == {(task, T, 2 if task == "steps" else T) for task, T, _ in degrees}
        assert all(job.config.omega == 1 for job in jobs)
        single = {(job.config.T, job.config.m): job.config.threshold for job in jobs if job.config.task == "function"}
        for job in jobs:  # a mean over steps, which all come below the threshold together
            share = job.config.T if job.config.task == "steps" else 1
            assert job.config.threshold * share == pytest.approx(single[job.config.T, job.config.m])


@pytest.mark.parametrize("form", ["printed", "derived", "sharp"])
@pytest.mark.parametrize("way", ["chain", "single"])
def test_the_samples_are_enough_and_much_fewer_are_not(way, form):
    found = samples.needed(way, form, 4, "1/100", True)
    claim, at = registry.find(samples.KEYS[way]), samples.given(form, 4, "1/100", True)
    assert enclose(claim, form, "error", 10, m=found.m, sigma=found.sigma, **at).upper <= HALF
    fewer = int(found.m * 0.9)
    place = samples.MESH.index(found.sigma)
    for sigma in samples.MESH[place - 3 : place + 4]:
        assert enclose(claim, form, "error", 10, m=fewer, sigma=sigma, **at).lower > HALF


def made(way, form, T, m, truncated=True):
    return samples.Needed(way, form, truncated, T, m, Fraction(1, 100), HALF)


def asked(chain, single):
    return [
        made(way, form, T, m, truncated)
        for truncated in (True, False)
        for form in ("printed", "derived", "sharp")
        for way, of in (("chain", chain), ("single", single))
        for T, m in of.items()
    ]


def test_where_the_chain_asks_for_fewer_samples():
    some = asked({2: 5, 4: 8, 8: 10}, {2: 4, 4: 9, 8: 20})
    assert samples.smaller_from(some, "derived", True) == 4
    assert steps._smaller(some).agrees
    assert steps._smaller(asked({2: 5, 4: 10, 8: 10}, {2: 4, 4: 9, 8: 20})).agrees is False
    assert steps._smaller(asked({2: 1, 4: 2}, {2: 2, 4: 3})).agrees
    other = [replace(one, m=99) if (one.way, one.form, one.T) == ("chain", "sharp", 4) else one for one in some]
    assert steps._smaller(other).agrees is None  # of one form it is not so
    assert samples.smaller_from(asked({2: 5, 4: 9}, {2: 4, 4: 8}), "sharp", False) is None


def test_growth_is_a_power_or_is_not():
    powers = asked({T: T**3 for T in (2, 4, 8, 16)}, {T: T**6 for T in (2, 4, 8, 16)})
    assert steps.power(steps._of(powers, "single", "derived")) == pytest.approx(6)
    assert "T to the power 3.0 and 6.0" in steps._samples(powers)


def test_growth_of_the_values_is_told_from_an_exponential(monkeypatch):
    place = asked({16: 10**9}, {16: 10**12})
    assert steps._growth(place, EXPECTED).agrees is False
    at = [samples.at("single", "derived", T, place[3], "1/100") for T in (8, 16)]
    claim, given = registry.find(samples.KEYS["single"]), samples.given("derived", 16, "1/100", True)
    assert place[3].way == "single"
    exact = enclose(claim, "derived", "error", 10, m=place[3].m, sigma=place[3].sigma, **given).value
    assert at[1] == pytest.approx(float(exact))
    monkeypatch.setattr(steps, "at", lambda way, form, T, *_: 2.0**T)
    assert steps._growth(place, EXPECTED).agrees is None


def outcome(task, T, **record):
    c = config({"model": "two_layers", "task": task, "T": T, "D": 2 if task == "steps" else T, "m": 64, "batch": 16})
    return trained.Outcome(c, 0, {"status": "done", "converged": True, **record})


def test_trained_cells_leave_unfitted_runs_out():
    runs = [
        outcome("steps", 4, wrong=0.01, wrong_ends=0.04),
        outcome("steps", 4, wrong=0.5, wrong_ends=0.5, converged=False),
        outcome("function", 4, wrong=0.2),
        trained.Outcome(outcome("function", 4).config, 1, {"status": "failed", "converged": False}),
    ]
    (cell,) = steps.cells_of(runs)
    assert (cell.mean("steps", "wrong_ends"), cell.mean("function", "wrong")) == (0.04, 0.2)
    assert cell.mean("steps", "wrong_ends", True) == pytest.approx(0.27)
    assert (cell.unfitted, cell.failed) == ((runs[1],), 1)
    assert steps._trained([cell]).agrees is False  # those that were not fitted count
    cell = replace(cell, unfitted=())
    assert steps._trained([cell]).agrees is True
    worse = replace(cell, single=(outcome("function", 4, wrong=0.01),))
    assert steps._trained([worse]).agrees is False
    assert steps._trained([cell, worse]).agrees is None
    assert steps._trained([replace(cell, single=())]).agrees is None
    assert steps._cell(cell, "1/100")[5:9] == ["0.0100", "0.0400", "0.0400", "0.2000"]


def test_findings_on_noise():
    calm = steps.Noisy(4, 0.01, 0.1, 0.4, 0.3, 0.35, True)
    assert steps._union([calm]).agrees
    assert steps._union([replace(calm, within=False)]).agrees is False
    assert steps._fragile([calm]).agrees
    assert steps._fragile([replace(calm, single=0.2)]).agrees is False
    assert steps._fragile([replace(calm, chain=0.0, single=0.0)]).agrees is None
    drawn = steps.noisy(4, 0.03, 6)
    assert drawn.within
    assert drawn.union == pytest.approx(4 * drawn.step)
    assert 0 < drawn.chain < drawn.union
