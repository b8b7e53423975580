"""Many starts at once against one after the other."""

import time

import pytest
import torch
from sympy import Integer, Symbol

from maurey.symbolic.modules import Attention
from maurey.symbolic.norms import Matrix
from maurey.verify.attack import ascent, sensitivity

STARTS, STEPS = 64, 20


def report(benchmark, what, ratio):
    benchmark.extra_info[what] = ratio
    print(f"{ratio:.2f} {what}")


@pytest.mark.benchmark(group="attack")
def test_batched_starts_against_a_loop(benchmark):
    """One attention layer, 16 features, 32 tokens: at least 5 times the starts per second of single instances."""
    torch.set_num_threads(1)
    V, S = (Matrix(n, n, Symbol("d"), Symbol("d"), spectral=Symbol(f"B_{n}")) for n in "VS")
    bounds = dict.fromkeys(("R", "B_V", "B_S"), (-1, 1))
    layer = sensitivity.inequality(Attention(V, S, Integer(1)), Symbol("R"), {"T": 32, "d": 16}, bounds)
    benchmark.pedantic(lambda: ascent.attack(layer, STARTS, STEPS, seed=0), rounds=5, warmup_rounds=1)
    loops = []
    for _ in range(3):
        started = time.perf_counter()
        for seed in range(8):
            ascent.attack(layer, 1, STEPS, seed)
        loops.append((time.perf_counter() - started) / 8)
    ratio = sorted(loops)[1] * STARTS / benchmark.stats.stats.median
    report(benchmark, "times the starts per second of a loop", ratio)
    assert ratio >= 5
