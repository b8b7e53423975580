"""Exhibits computed after Mousavi-Hosseini et al. 2025: what they assume, and that findings follow the numbers."""

import tomllib
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from maurey.paper_tables import exhibits, trained
from maurey.paper_tables.mousavi2025 import heads, recurrent, theorem10
from maurey.symbolic import registry
from maurey.verify.papers.mousavi2025.hard_distribution import Law, Row
from maurey.verify.papers.mousavi2025.positions import Audit
from maurey.verify.papers.mousavi2025.recurrent.memory import Kept
from maurey.verify.papers.mousavi2025.recurrent.solvers import by_code, by_grid
from maurey.verify.training.trials.regression import Regression


def config(name):
    return tomllib.loads((exhibits.ROOT / "mousavi2025" / name / "config.toml").read_text())


# --- Theorem 10 ------------------------------------------------------------------------------------------------------


def moment(d, r):
    """E|x|^r of N(0, I_d): 2^(r/2) Gamma((d + r)/2) / Gamma(d/2)."""
    return 2 ** (r / 2) * mpmath.gamma((d + r) / 2) / mpmath.gamma(mpmath.mpf(d) / 2)


def test_assumption_1_holds_for_gaussian_tokens_and_labels():
    at = config("theorem10")["at"]
    for r in [mpmath.mpf(k) / 4 for k in range(4, 400)]:
        assert moment(at["d"], r) ** (1 / r) <= mpmath.sqrt(at["C_x"] * at["d"] * r)
        assert moment(1, r) ** (1 / r) <= mpmath.sqrt(at["C_y"] * r ** at["s"])
    assert moment(at["d"], 1) > mpmath.sqrt(0.9 * at["d"])  # no much smaller C_x would do


def test_the_link_is_the_network_that_the_parameters_describe():
    at, rng = config("theorem10")["at"], np.random.default_rng(0)
    u = rng.normal(size=at["d"])
    u /= np.linalg.norm(u)
    a, W = np.array([1.0, -1.0]), np.stack([u, -u])
    x = rng.normal(size=(50, at["d"]))
    assert np.maximum(x @ W.T, 0) @ a == pytest.approx(x @ u)
    assert len(a) == at["m"]
    assert np.linalg.norm(a) == pytest.approx(at["r_a"] / np.sqrt(at["m"]))
    assert np.linalg.norm(W) == pytest.approx(at["r_w"] * np.sqrt(at["m"]))


def took(N, samples):
    c = Regression(model="transformer", N=N)
    record = {"status": "done", "samples": samples, "seen": samples, "mse": 0.7, "iterations": 1, "curve": []}
    return trained.Outcome(c, 0, record)


def test_samples_are_the_least_for_the_risk(monkeypatch):
    runs = [took(4, 5000), took(12, 17_000)]
    jobs = [(trained.Job(o.config, o.trial), dict(o.record)) for o in runs]
    monkeypatch.setattr(trained, "committed", lambda _: jobs)
    cells = theorem10.measured()
    assert cells == {4: 5000, 12: 17_000}
    small = config("theorem10") | {"eps_2NN": ["1/100", "1/1000"]}
    from maurey.numeric.balls import enclose

    for form in ("printed", "derived", "sharp"):
        found = theorem10.value(small, 4, form, cells[4])
        for risk, (n, eps) in found.samples.items():
            at = small["at"] | {"N": 4, "d_e": 6, "eps_2NN": eps}
            claim = registry.find("mousavi2025/10")
            assert Fraction(str(enclose(claim, form, "risk", 20, **at, n=n).upper)) <= Fraction(risk) * (
                1 + Fraction(1, 10**15)
            )
            assert Fraction(str(enclose(claim, form, "risk", 20, **at, n=n - 1).lower)) > Fraction(risk) * (
                1 - Fraction(1, 10**15)
            )
        assert found.samples["7/10"][0] > found.samples["1"][0]
        assert found.then > 1
        assert theorem10._above([found], cells).agrees is (None if form == "printed" else True)


def test_fewer_samples_than_were_enough_would_disagree():
    few = theorem10.Value(4, "sharp", {"7/10": (100, "1/100"), "1": (50, "1/100")}, None)
    assert theorem10._above([few], {4: 5000.0}).agrees is False


def test_a_run_that_was_given_up_is_no_mean(monkeypatch):
    passed, given_up = took(4, 5000), took(6, 9000)
    given_up.record["samples"] = None
    jobs = [(trained.Job(o.config, o.trial), dict(o.record)) for o in (passed, given_up)]
    monkeypatch.setattr(trained, "committed", lambda _: jobs)
    assert theorem10.measured() == {4: 5000}


# --- heads -----------------------------------------------------------------------------------------------------------


def test_a_risk_below_a_printed_floor_disagrees():
    law = Law(8, 1, 4, False)
    assert heads._floors([Row(law, 0.64, 0.01, 0.625, 0.65)]).agrees
    assert heads._floors([Row(law, 0.5, 0.01, 0.625, 0.65)]).agrees is False
    found = [Row(law, risk, 0.01, 0.625, 0.65) for risk in (0.5, 0.65)]
    assert "which 1 of 2 layers that were built reach" in heads._reached(found)


def chance(N, below, above):
    return Audit(N, 10, Fraction(0), Fraction(1), Fraction(below), Fraction(above), (5, 6), True)


def test_what_is_said_of_drawn_vectors():
    assert heads._drawn([chance(4, "0.6", "0.7"), chance(6, "0.5", "0.9")]).agrees
    assert heads._drawn([chance(4, "0.6", "0.7"), chance(6, "0.4", "0.9")]).agrees is None
    found = heads._drawn([chance(4, "0.6", "0.7"), chance(6, "0.1", "0.2"), chance(8, "0", "0.3")])
    assert found.agrees is None  # the paper leaves the constant of d_e open
    assert found.text.endswith("N = 6, 8")


# --- recurrent -------------------------------------------------------------------------------------------------------


def test_ratios_to_the_printed_bounds():
    """By hand: N / log(1 + L^2) and N / (L^2 log(1 + d_h))."""
    network = by_code(128, 6, 3048)
    one = recurrent.held(network)
    L2 = float(network.squared)
    assert one.widths == pytest.approx(3048 * np.log(1 + L2) / 128, rel=1e-6)
    assert 10**one.norms == pytest.approx(L2 * np.log(3049) / 128, rel=1e-5)  # L_f is rounded up


def test_a_constant_below_the_ratios():
    """Codes have none for the norm; grids of a fixed number of levels for a coordinate have one for both."""
    codes = [recurrent.held(by_code(N, 6, 24 * N)) for N in (16, 128, 8192)]
    assert recurrent._norms(codes).agrees is False
    assert recurrent._widths(codes).agrees
    grids = [recurrent.held(by_grid(N, 6, 6 * N)) for N in (16, 128, 8192)]
    assert recurrent._norms(grids).agrees


def test_errors_with_and_without_the_rectifier():
    good = [Kept(4, 0.25, 0.1, 0.2), Kept(64, 0.25, 0.1, 4.0)]
    assert recurrent._errors(good).agrees
    assert recurrent._errors([*good, Kept(256, 0.25, 0.3, 9.0)]).agrees is False
    assert recurrent._errors(good[:1]).agrees is False  # nothing has added up


@pytest.mark.parametrize(("text", "shown"), [
    ("133.26", "133.3"), ("0.000621", "6.21E-4"), ("1.74e460", "1.74E+460"), ("0", "0")])  # fmt: skip
def test_numbers_of_any_size(text, shown):
    assert recurrent.short(text) == shown
