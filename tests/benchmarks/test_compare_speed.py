"""Cost of a comparison as a ratio within one run, against one call of `maurey eval` for every point of every curve."""

import statistics
import subprocess
import sys
import time

import pytest

import maurey

KEYS = ("edelman2022/4.4", "edelman2022/4.4:log_N_appendix", "edelman2022/A.11", "edelman2022/A.12", "edelman2022/A.17")
FORMS, POINTS = ("derived", "sharp"), 200
AT = dict(eps="1/10", d=64, k=64, m=1000, T=128, L_sigma=1, B_X=1, B_P=1, B_w=1, B_C=1, B_C_inf="1/2", B_V_inf="0.7",
          B_QK="1/2", B_QK_inf="0.4", L=6, H=4)  # fmt: skip


@pytest.mark.benchmark(group="compare")
def test_compare_against_single_values(benchmark):
    """Ten curves over 200 points with their crossovers certified: at least 50 times faster than 2,000 evaluations."""
    found = benchmark.pedantic(
        lambda: maurey.compare(*KEYS, over={"B_V": (0.1, 10)}, forms=FORMS, points=POINTS, **AT),
        rounds=3,
        warmup_rounds=1,
    )
    assert (len(found.curves), len(found.at)) == (10, POINTS)
    assert len(found.crossovers) >= 4
    assert all(crossover.certified for crossover in found.crossovers)

    def single(key, form):
        known = {p.name for p in maurey.claim(key.partition(":")[0]).names}
        words = [f"{name}={value}" for name, value in AT.items() if name in known]
        started = time.perf_counter()
        command = [sys.executable, "-m", "maurey", "eval", key, "B_V=2", *words, "--form", form]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started

    each = statistics.median(single(KEYS[i], FORMS[i % 2]) for i in (0, 2, 4))
    ratio = each * len(found.curves) * POINTS / benchmark.stats.stats.median
    benchmark.extra_info["times faster than an evaluation for every point"] = ratio
    print(f"{ratio:.0f} times faster than an evaluation for every point ({benchmark.stats.stats.median:.2f} s)")
    assert ratio >= 50
