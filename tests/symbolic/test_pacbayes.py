"""The PAC-Bayes chain: its minima, the price of choosing, and the numbers of the paper."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from sympy import Poly, Symbol, diff, exp, integrate, log, oo, pi, simplify, sqrt, symbols

import maurey
from maurey.symbolic import pacbayes
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.papers.lintilhac2026.appendix_b import printed_norm
from maurey.symbolic.papers.lintilhac2026.appendix_f import printed_gradient

K, Sigma, m, a, N, s, t = symbols("K Sigma m a N s t", positive=True)
PAPER = dict(omega=10, D=2, T=20, m=10**6, Sigma="0.01", delta="0.05", grid=1)
LARGE = dict(omega=3, D=2, T=10, m=10**22, Sigma="0.5", sigma="1e-7")


def value(key, form, part="", **at):
    return maurey.claim(key).enclose(form=form, part=part, digits=25, **at).value


# --- minima ----------------------------------------------------------------------------------------------------------


def test_the_best_temperature_is_stationary_and_the_value_there():
    bound, best = pacbayes.at_temperature(K, t, Sigma, m), pacbayes.best_temperature(K, Sigma, m)
    assert simplify(diff(bound, t).subs(t, best)) == 0
    assert simplify(diff(bound, t, 2)).is_positive
    assert simplify(bound.subs(t, best) - pacbayes.at_best_temperature(K, Sigma, m)) == 0


def test_the_best_deviation_is_stationary_and_the_value_there():
    """log(1/delta) left out; sharpness has a third of the sum and the norm the rest."""
    norm = pacbayes.at_best_temperature(pacbayes.gaussian_kl(N, s), Sigma, m)
    best = pacbayes.best_sigma(a, N, Sigma, m)
    assert simplify(diff(a * s**2 + norm, s).subs(s, best)) == 0
    assert simplify(diff(a * s**2 + norm, s, 2)).is_positive
    assert simplify(norm.subs(s, best) / (a * best**2)) == 2
    assert simplify((a * s**2 + norm).subs(s, best) - pacbayes.best_sum(a, N, Sigma, m)) == 0


def test_with_the_logarithm_the_bound_there_is_above_the_least_one():
    at = dict(m=1000, Sigma="0.5", norm_squared=7, trace=30)
    least = value("lintilhac2026/E.2", "printed", "least", **at)
    there = [value("lintilhac2026/E.2", "derived", "at_best", delta=d, grid=1, **at) for d in ("0.999999", "0.05")]
    assert least < there[0] < there[1]
    assert float(there[0] / least) == pytest.approx(1, abs=1e-6)


def test_the_divergence_of_two_gaussians():
    x, mean = Symbol("x", real=True), Symbol("mean", real=True)
    density = exp(-((x - mean) ** 2) / (2 * s**2)) / (s * sqrt(2 * pi))
    ratio = (x**2 - (x - mean) ** 2) / (2 * s**2)  # of logarithms
    found = integrate((density * ratio).subs(x, x + mean).expand(), (x, -oo, oo))
    assert simplify(found - pacbayes.gaussian_kl(mean**2, s)) == 0


@pytest.mark.parametrize("n", range(1, 8))
def test_seegers_constant_where_maurers_proof_begins_later(n):
    """E exp(m kl) of m coins, whatever their bias."""
    total = sum(
        comb(n, k) * Fraction(k, n) ** k * Fraction(n - k, n) ** (n - k) if 0 < k < n else 1 for k in range(n + 1)
    )
    assert total**2 <= 4 * n


# --- the price of choosing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["derived", "sharp"])
@pytest.mark.parametrize("key", ["lintilhac2026/2", "lintilhac2026/7", "lintilhac2026/8"])
def test_a_grid_of_deviations_costs_its_share_of_delta(key, form):
    names = {p.name for p in maurey.claim(key).symbols}
    at = {name: x for name, x in LARGE.items() if name in names}
    chosen = value(key, form, grid=20, delta="1/10", **at)
    assert chosen == value(key, form, grid=1, delta="1/200", **at)
    assert chosen > value(key, form, grid=1, delta="1/10", **at)


@pytest.mark.parametrize("KL", ["0.001", "1", "300", "1e7"])
@pytest.mark.parametrize("grid", [1, 2, 5, 12])
def test_a_grid_of_temperatures_serves_for_every_divergence(KL, grid):
    """The bound is that of a temperature of the grid, or above; and not far above the best."""
    at = dict(m=1000, Sigma="0.5", delta="0.05", sigma=1, norm_squared=str(2 * Fraction(KL)), loss_hat=0)
    with mpmath.workdps(40):
        found = mpmath.mpf(str(value("lintilhac2026/E.2", "derived", "chosen", grid=grid, **at)))
        ell = mpmath.log(grid / mpmath.mpf("0.05"))
        total = mpmath.mpf(KL) + ell
        temperatures = [mpmath.sqrt(8000 * ell) * 2**j for j in range(grid)]
        served = min(total / x + x / 8000 for x in temperatures)
        best = mpmath.sqrt(total / 2000)
        assert best <= served <= found * (1 + mpmath.mpf(10) ** -20)
        reaches = mpmath.sqrt(total / ell) <= 2 ** (grid - mpmath.mpf("0.5"))
        exact = best * (mpmath.sqrt(2) + mpmath.sqrt(0.5)) / 2 if reaches else served  # or else the last is taken
        assert abs(found - exact) < exact * mpmath.mpf(10) ** -20


def test_choosing_a_temperature_beforehand_is_free():
    at = dict(m=1000, Sigma="0.5", delta="0.05", sigma=1, norm_squared=40, loss_hat="0.1")
    assert value("lintilhac2026/E.2", "derived", **at) == value("lintilhac2026/E.2", "printed", **at)
    assert value("lintilhac2026/E.2", "derived", "chosen", grid=8, **at) > value("lintilhac2026/E.2", "printed", **at)


# --- which bound is smaller ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["0", "0.01", "0.3", "0.9"])
@pytest.mark.parametrize("KL", ["0", "5", "400"])
def test_inverting_beats_the_root_and_both_beat_what_is_quoted(loss, KL):
    at = dict(m=1000, delta="0.05", KL=KL, loss_hat=loss)
    inverted, root = (value("maurer2004/5", "printed", part, **at) for part in ("risk", "root"))
    assert Fraction(loss) <= inverted <= min(root, 1)
    assert root < value("neyshabur2017/mcallester", "printed", **at)


def test_nothing_is_said_beyond_the_level_at_which_the_loss_is_clipped():
    """With the constant that the paper takes, 0.01, the loss is below 0.02 in any case."""
    at = PAPER | {"sigma": "0.002265676", "P": 0}
    assert value("lintilhac2026/2", "sharp", **at) == Fraction(2, 100)
    assert value("lintilhac2026/2", "printed", **at) > Fraction(23, 100)


# --- the numbers of the paper ----------------------------------------------------------------------------------------


def test_the_numbers_of_the_comparison():
    norm = value("lintilhac2026/10", "printed", "total", omega=10, D=2, T=20)
    assert float(norm) == pytest.approx(1303.93, abs=5e-3)
    assert value("lintilhac2026/14", "printed", "total", omega=10, D=2) == 15524
    parts = {
        "sigma": (2.27e-3, 5e-6),
        "sharpness": (0.0797, 5e-5),
        "norm_term": (0.1594, 5e-5),
        "B_W_1": (125.68, 5e-3),
    }
    for part, (number, rounding) in (parts | {"truncated": (0.239, 5e-4)}).items():
        assert float(value("lintilhac2026/E.3", "printed", part, **PAPER)) == pytest.approx(number, abs=rounding)


def test_what_is_measured_takes_the_place_of_what_is_derived():
    """Between truncated and semi-analytic there is sigma^2 P/2; without P, the printed cost of perturbations."""
    at = PAPER | {"sigma": "0.001"}
    for form in ("printed", "derived"):
        plain, with_P = (value("lintilhac2026/2", form, P=P, **at) for P in (0, 3000))
        assert float(with_P - plain) == pytest.approx(1e-6 * 3000 / 2, rel=1e-12)
        assert value("lintilhac2026/2", form, **at) > with_P
    P = value("lintilhac2026/17", "printed", "P", omega=10, D=2, T=20, sigma="0.001")
    given = value("lintilhac2026/2", "printed", P=str(P), **at)
    assert float(given) == pytest.approx(float(value("lintilhac2026/2", "printed", **at)), rel=1e-15)


# --- bit by bit and in one pass --------------------------------------------------------------------------------------


def test_from_four_bits_on_gradient_and_norm_grow_faster_than_linearly():
    """In T - 4 every coefficient is positive; log(T)^2 <= 5 T/9, for x e^(-x/2) is at most 2/e."""
    T, u = Symbol("T", positive=True), Symbol("u", positive=True)
    gradient = printed_gradient(1, T) - T * printed_gradient(1, 2)
    norm = (printed_norm(1, T, T) - T * printed_norm(1, 2, T)).expand()
    squared = norm.coeff(log(T) ** 2)
    assert squared.subs(T, 1).is_negative
    assert diff(squared, T).is_negative
    assert (2 / mpmath.e) ** 2 <= mpmath.mpf(5) / 9
    for excess in (gradient, norm.subs(log(T), sqrt(5 * T / 9))):
        assert all(c > 0 for c in Poly(excess.expand().subs(T, u + 4).expand(), u).coeffs())
    for T in (2, 3):
        assert gradient.subs(Symbol("T", positive=True), T) < 0
        assert norm.subs(Symbol("T", positive=True), T).evalf() < 0


def test_a_wrong_bit_is_counted_where_the_loss_is_clipped():
    """Markov's inequality divides by 1/4, or by the level if that is lower; a chain has T steps."""
    at = dict(m=10**24, delta="0.05", sigma="1e-8", grid=1, P=5)
    single = {T: value("lintilhac2026/8", "derived", T=T, Sigma="1/8", **at) for T in (4, 8)}
    for T, error in single.items():
        risk = value("lintilhac2026/2", "derived", omega=1, D=T, T=T, Sigma="1/8", **at)
        assert float(error / risk) == pytest.approx(4, rel=1e-15)
        small = value("lintilhac2026/2", "derived", omega=1, D=T, T=T, Sigma="1/100", **at)
        assert float(value("lintilhac2026/8", "derived", T=T, Sigma="1/100", **at) / small) == pytest.approx(50)
    chain = [value("lintilhac2026/7", "sharp", T=T, Sigma="1/8", **(at | {"m": 10})) for T in (4, 8)]
    assert chain == [4, 8]  # nothing is known of any step


def test_steps_of_the_chain_have_keys_and_reasons():
    D = Derivation()
    last = pacbayes.tuned_before(D, pacbayes.complexity(D, K, pacbayes.confidence(D, a, m)), Sigma, m)
    steps = D.steps_to(last)
    assert [step.name for step in steps] == ["log_delta", "complexity", "best_temperature", "excess"]
    assert steps[-1].key == "alquier2024/sub-gaussian"
