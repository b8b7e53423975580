"""Cost as ratios within one run: Maurey's way against a plain one."""

import statistics
import subprocess
import sys
import time
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest
from ratios import depth_ratio, report
from sympy import Float, Indexed, Rational, Symbol, lambdify

import maurey
from maurey.numeric.balls import enclose_steps
from maurey.numeric.binding import bind
from maurey.numeric.samples import samples
from maurey.verify import ledger

POINTS = 100_000


def lambdified(steps):
    """The same steps as mpmath functions, one after the other."""
    functions = []
    for step in steps:
        names = sorted(symbol.name for symbol in step.expr.free_symbols)
        functions.append((step.name, names, lambdify([Symbol(n) for n in names], step.expr, "mpmath")))

    def value(values):
        values = dict(values)
        for name, names, function in functions:
            values[name] = function(*(values[n] for n in names))
        return values[steps[-1].name]

    return value


@pytest.mark.benchmark(group="sweep")
def test_sweep_against_mpmath(benchmark):
    """100,000 points of the derived 4.4: at least 300 times faster per point than mpmath at 15 digits."""
    rng = np.random.default_rng(0)
    grid = {name: rng.uniform(0.3, 3, POINTS) for name in ("eps", "L_sigma", "B_X", "B_V", "B_V_inf", "B_QK_inf")}
    grid |= {name: rng.integers(1, top, POINTS) for name, top in (("d", 2000), ("m", 10**7), ("T", 10**6))}
    claim = maurey.claim("edelman2022/4.4")
    found = benchmark.pedantic(lambda: claim.sweep("derived", **grid), rounds=5, warmup_rounds=1)
    plain, sample = lambdified(claim.steps("derived")), 200
    with mpmath.workdps(15):
        rows = [
            {name: mpmath.mpf(float(v[i])) for name, v in grid.items()} | {"kappa": mpmath.mpf(2)}
            for i in range(sample)
        ]
        started = time.perf_counter()
        values = [plain(row) for row in rows]
        per_point = (time.perf_counter() - started) / sample
    assert np.allclose(found.log[:sample], [float(mpmath.log(v)) for v in values], rtol=1e-12)
    ratio = per_point / (benchmark.stats.stats.median / POINTS)
    report(benchmark, "times faster per point than mpmath", ratio)
    assert ratio >= 300


@pytest.mark.benchmark(group="cold start")
def test_show_against_importing_sympy(benchmark):
    """`maurey show` from a cold start: at most twice the time of importing SymPy."""

    def run(*arguments):
        started = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started

    show, plain = ("-m", "maurey", "show", "edelman2022/4.4"), ("-c", "import sympy")
    run(*show), run(*plain)
    pairs = [(run(*show), run(*plain)) for _ in range(5)]
    benchmark.pedantic(lambda: run(*show), rounds=1)
    ratio = statistics.median(a for a, _ in pairs) / statistics.median(b for _, b in pairs)
    report(benchmark, "times the cost of importing sympy", ratio)
    assert ratio <= 2


def deep(L):
    """The derived A.17 with L distinct layers, bound to values."""
    names = ("B_C", "B_C_inf", "B_V", "B_V_inf", "B_QK", "B_QK_inf")
    layers = {name: [Fraction(100 + i + j, 100) for i in range(L)] for j, name in enumerate(names)}
    at = dict(eps="1/10", d=8, k=8, m=1000, T=20, L_sigma=1, B_w=1, L=L, **layers)
    return bind(maurey.claim("edelman2022/A.17").record, "derived", "log_N", at)


@pytest.mark.benchmark(group="depth")
def test_enclose_is_linear_in_depth(benchmark):
    """50 digits of the derived A.17: 96 distinct layers under 10 times the time of 12."""
    bounds = {L: deep(L) for L in (12, 96)}
    benchmark.pedantic(lambda: enclose_steps(bounds[96].steps, bounds[96].values, 50), rounds=3, warmup_rounds=1)
    ratio = depth_ratio(lambda L: enclose_steps(bounds[L].steps, bounds[L].values, 50), 15)
    report(benchmark, "times the cost of 12 layers for 96", ratio)
    assert ratio < 10


@pytest.mark.benchmark(group="errata")
def test_errata_from_the_ledger_against_a_search(benchmark):
    """All comparisons afresh (under a minute), and replayed from the ledger: the same, and at least twice as fast."""
    started = time.perf_counter()
    found = ledger.comparisons(afresh=True)
    search = time.perf_counter() - started
    replayed = benchmark.pedantic(ledger.comparisons, rounds=3)
    ratio = search / benchmark.stats.stats.median
    report(benchmark, f"times faster than the search ({search:.1f} s)", ratio)
    assert replayed == found
    assert ratio >= 2


@pytest.mark.benchmark(group="depth")
def test_samples_in_depth(benchmark):
    """The certified sample size for the derived A.17: 96 layers under 15 times the time of 12."""
    at = dict(d=64, k=64, T=128, L_sigma=1, B_w=1, B_C=1, B_C_inf="1/2", B_V=1, B_V_inf="1/2", B_QK="1/2")
    at |= dict(B_QK_inf="1/4", L_loss=1, b=1, delta="1/20")
    claim = maurey.claim("edelman2022/A.17").record
    search = partial(samples, claim, "0.1", "derived", "gap", **at)
    benchmark.pedantic(lambda: search(L=96), rounds=1)
    ratio = depth_ratio(lambda L: search(L=L), 3)
    report(benchmark, "times the cost of 12 layers for a sample size at 96", ratio)
    assert ratio < 15


@pytest.mark.benchmark(group="depth")
def test_enclose_against_sympy(benchmark):
    """The same bound at two layers, nested into one expression and evaluated by SymPy: at least 1,000 times slower."""
    bound = deep(2)
    benchmark.pedantic(lambda: enclose_steps(bound.steps, bound.values, 50), rounds=7, warmup_rounds=1)
    values = {}
    for name, value in bound.values.items():
        for i, v in enumerate(value if isinstance(value, list) else [value], 1):
            symbol = Indexed(name, i) if isinstance(value, list) else Symbol(name)
            values[symbol] = Rational(v.numerator, v.denominator)

    def plain():
        nested = {}
        for step in bound.steps:
            nested[Symbol(step.name)] = step.expr.subs(nested)
        return nested[Symbol(bound.steps[-1].name)].subs(values).evalf(50)

    started = time.perf_counter()
    value = plain()
    ratio = (time.perf_counter() - started) / benchmark.stats.stats.median
    report(benchmark, "times faster than SymPy at two layers", ratio)
    assert abs(value / Float(str(enclose_steps(bound.steps, bound.values, 50)[0].value), 50) - 1) < Float("1e-45")
    assert ratio >= 1000
