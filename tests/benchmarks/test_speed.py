"""Cost as ratios within one run: Maurey's way against a plain one."""

import statistics
import subprocess
import sys
import time

import maurey
import mpmath
import numpy as np
import pytest
from sympy import Symbol, lambdify

POINTS = 100_000


def report(benchmark, what, ratio):
    benchmark.extra_info[what] = ratio
    print(f"{ratio:.2f} {what}")


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
    pairs = [(run(*show), run(*plain)) for _ in range(9)]
    benchmark.pedantic(lambda: run(*show), rounds=1)
    ratio = statistics.median(a for a, _ in pairs) / statistics.median(b for _, b in pairs)
    report(benchmark, "times the cost of importing sympy", ratio)
    assert ratio <= 2
