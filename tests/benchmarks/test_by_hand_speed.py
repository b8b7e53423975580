"""Cost as ratios to code that a person would write for one formula, in one run, in time of the processor."""

import gc
import math
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from ratios import report

import maurey
from maurey.numeric.balls import enclose
from maurey.numeric.binding import bind
from maurey.numeric.grids import sweep
from maurey.numeric.samples import samples
from maurey.symbolic import registry

LISTS = ("B_C", "B_C_inf", "B_V", "B_V_inf", "B_QK", "B_QK_inf")
POINTS = 10**6


def processor_time(function, times=1):
    """Of one call; without the garbage collector, whose cost grows with what other tests have loaded."""
    gc.disable()
    started = time.process_time()
    for _ in range(times):
        function()
    spent = time.process_time() - started
    gc.enable()
    return spent / times


def ratio(ours, theirs, rounds, times=1):
    """The least of several, taken in turn; theirs so many times that both take about as long."""
    pairs = [(processor_time(ours), processor_time(theirs, times)) for _ in range(rounds)]
    return min(own for own, _ in pairs) / min(hand for _, hand in pairs)


# --- the covering number of deep Transformers, in balls ---------------------------------------------------------------


def deep(L):
    """L layers that differ."""
    layers = {name: [Fraction(100 + i + j, 100) for i in range(L)] for j, name in enumerate(LISTS)}
    return dict(eps=Fraction(1, 10), d=8, k=8, m=1000, T=20, L_sigma=1, B_w=1, L=L, **layers)


def ball(x):
    return arb(fmpq(x.numerator, x.denominator))


def log_covering_number(eps, d, k, m, T, L_sigma, B_w, L, **lists):
    """The derived A.17: Zhang's theorem for every matrix, errors amplified by the layers above, the best shares."""
    eps, d, k, m, T, L_sigma, B_w = map(ball, (eps, d, k, m, T, L_sigma, B_w))
    B_C, B_C_inf, B_V, B_V_inf, B_QK, B_QK_inf = ([ball(x) for x in lists[name]] for name in LISTS)
    kappa, tokens = 2, m * T
    above, covers = B_w, [(arb(1), B_w, arb(1), m)]  # coordinates, norm times radius, amplification, points
    for i in reversed(range(L)):
        own = B_C[i] * L_sigma
        covers.append((d, B_C_inf[i] * L_sigma, above, tokens))
        covers.append((k, B_V_inf[i], above * own, tokens))
        covers.append((d, B_QK_inf[i], above * own * kappa * B_V[i], tokens))
        above *= own * B_V[i] * (1 + 2 * kappa * B_QK[i])
    costs = [4 * 36 * n**2 * B**2 for n, B, _, _ in covers]
    gamma = sum((alpha * beta**2).root(3) for alpha, (_, _, beta, _) in zip(costs, covers, strict=True))
    total = arb(0)
    for alpha, (n, B, beta, points) in zip(costs, covers, strict=True):
        delta = eps / gamma * (alpha / beta).root(3) / 2 / n.sqrt()
        total += n * 36 * (B / delta) ** 2 * (2 * (4 * B / delta + 2).ceil() * points + 1).log()
    return total


def by_hand(at, bits):
    with ctx.workprec(bits):
        return log_covering_number(**at)


def first_precision(claim, at):
    """In bits, of 50 digits."""
    return int(50 * 3.33) + 64 + len(bind(claim, "derived", "log_N", at).steps) // 4


@pytest.mark.benchmark(group="by hand")
@pytest.mark.parametrize("L", [12, 96])
def test_enclose_against_flint(benchmark, L):
    """50 digits of the derived A.17, what is given bound anew each time: at most 6 times a function in python-flint."""
    claim, at = registry.find("edelman2022/A.17"), deep(L)
    found = benchmark.pedantic(lambda: enclose(claim, "derived", "log_N", 50, **at), rounds=3, warmup_rounds=1)
    bits = first_precision(claim, at)
    with ctx.workprec(2 * bits):
        ends = (arb(str(found.lower)), arb(str(found.upper)))
        assert ends[0].union(ends[1]).overlaps(by_hand(at, bits))
        assert by_hand(at, bits).rel_accuracy_bits() > 50 * 3.33
    cost = ratio(lambda: enclose(claim, "derived", "log_N", 50, **at), lambda: by_hand(at, bits), 1920 // L, 4)
    report(benchmark, f"times the cost of python-flint by hand, {L} layers", cost)
    assert cost <= 6


@pytest.mark.benchmark(group="by hand")
def test_samples_against_flint(benchmark):
    """The certified sample size at 96 layers: at most 300 times one value of the covering number by hand.

    The search asks 35 questions, of points and of whole ranges, and then for as many digits as tell m from m - 1.
    """
    claim, deep_at = registry.find("edelman2022/A.17"), deep(96)
    at = dict(d=64, k=64, T=128, L_sigma=1, B_w=1, B_C=1, B_C_inf="1/2", B_V=1, B_V_inf="1/2", B_QK="1/2", L=96)
    at |= dict(B_QK_inf="1/4", L_loss=1, b=1, delta="1/20")
    found = benchmark.pedantic(lambda: samples(claim, "0.1", "derived", "gap", **at), rounds=1, warmup_rounds=1)
    assert found.at_m.upper <= Decimal("0.1") < found.before.lower
    bits = first_precision(claim, deep_at)
    cost = ratio(lambda: samples(claim, "0.1", "derived", "gap", **at), lambda: by_hand(deep_at, bits), 3, 150)
    report(benchmark, "values of the covering number by hand for a sample size at 96 layers", cost)
    assert cost <= 300


# --- one head, over a grid --------------------------------------------------------------------------------------------


def zhang(ratio, log_points):
    count = np.ceil((4 * np.exp(ratio) + 2) * (1 - 1e-12))
    return math.log(36) + 2 * ratio + np.log(np.logaddexp(math.log(2) + np.log(count) + log_points, 0))


def log_of_the_bound(log_factorial, eps, L_sigma, B_X, B_V, B_V_inf, B_QK_inf, d, m, T):
    """The derived 4.4 in logarithms."""
    log_d, log_m, log_T, log_X, log_sigma = np.log(d), np.log(m), np.log(T), np.log(B_X), np.log(L_sigma)
    QK, V = np.log(B_QK_inf) + log_X, math.log(2) + log_d + np.log(B_V_inf) + log_X  # norm times radius
    beta = log_sigma + math.log(2) + np.log(B_V) + 2 * log_X
    alpha_QK, alpha_V = math.log(144) + 2 * log_d + 2 * QK, math.log(144) + 2 * V
    gamma = np.logaddexp((alpha_QK + 2 * beta) / 3, (alpha_V + 2 * log_sigma) / 3)
    share = np.log(eps) - gamma
    delta_QK = share + (alpha_QK - beta) / 3 - math.log(2) - log_d / 2
    delta_V = share + (alpha_V - log_sigma) / 3 - math.log(2)
    E_QK = log_d + zhang(QK - delta_QK, log_m)
    binomial = log_factorial[2 * d] - 2 * log_factorial[d]
    E_V = np.logaddexp(np.log(binomial), zhang(V - delta_V, log_m + log_T))
    return np.logaddexp(E_QK, E_V)


@pytest.mark.benchmark(group="by hand")
def test_sweep_against_numpy(benchmark):
    """A million points of the derived 4.4: at most 1.5 times the formula in NumPy."""
    rng, claim = np.random.default_rng(0), maurey.claim("edelman2022/4.4").record
    grid = {name: rng.uniform(0.3, 3, POINTS) for name in ("eps", "L_sigma", "B_X", "B_V", "B_V_inf", "B_QK_inf")}
    grid |= {name: rng.integers(1, top, POINTS) for name, top in (("d", 2000), ("m", 10**7), ("T", 10**6))}
    log_factorial = np.array([math.lgamma(n + 1) for n in range(4001)])
    found = benchmark.pedantic(lambda: sweep(claim, "derived", **grid), rounds=3, warmup_rounds=1)
    assert np.allclose(found.log, log_of_the_bound(log_factorial, **grid), rtol=1e-13, atol=0)
    cost = ratio(lambda: sweep(claim, "derived", **grid), lambda: log_of_the_bound(log_factorial, **grid), 9)
    report(benchmark, "times the cost of NumPy by hand", cost)
    assert cost <= 1.5
