"""The trace of the constructed network's loss: exact formulas against automatic differentiation, in one run."""

import statistics
import time

import numpy as np
import pytest
import torch
from ratios import report

from maurey.verify.papers.lintilhac2026.network import construction, sharpness
from maurey.verify.training.tasks import walsh

STRINGS, FEW = 512, 8  # for per-sample gradients, and for all second derivatives


def seconds(function, rounds=1):
    """The median, and what came out."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        found = function()
        times.append(time.perf_counter() - started)
    return statistics.median(times), found


class Case:
    """A function of 20 bits with strings, and its network."""

    def __init__(self, number):
        rng = np.random.default_rng(0)
        self.target = walsh.random_target(20, 2, 7, rng)
        self.z = rng.integers(0, 2, (number, 20), dtype=np.uint8)
        self.labels = torch.from_numpy(walsh.values(self.target, self.z))
        self.bits = torch.from_numpy(self.z).double()
        self.net, self.masks = construction.build(self.target), construction.masks(self.target)
        self.vector = construction.flat(self.net)

    def ours(self):
        return sharpness.hessian_trace(self.target, self.z)

    def outputs(self, vector, bits):
        return construction.run(construction.named(vector, self.net), bits, self.masks).f

    def by_gradients(self, at_once):
        one = torch.func.grad(lambda vector, string: self.outputs(vector, string[None])[0])
        slopes = torch.func.vmap(one, in_dims=(None, 0), chunk_size=at_once)(self.vector, self.bits)
        return 2 * slopes.square().sum(dim=1)

    def by_hessian(self):
        """The diagonal of the Hessian of the mean loss, column by column, many columns at a time."""
        slope = torch.func.grad(lambda vector: (self.outputs(vector, self.bits) - self.labels).square().mean())

        def entry(direction):
            return torch.func.jvp(slope, (self.vector,), (direction,))[1] @ direction

        return torch.func.vmap(entry, chunk_size=64)(torch.eye(len(self.vector), dtype=torch.float64)).sum()


@pytest.mark.benchmark(group="sharpness")
def test_trace_against_per_sample_gradients(benchmark, one_thread):
    """T = 20, 512 strings: at least 20 times faster, whichever number of them is taken at once."""
    case = Case(STRINGS)
    found = benchmark.pedantic(case.ours, rounds=20, warmup_rounds=2)
    sizes = (32, STRINGS)
    slow = {at_once: seconds(lambda n=at_once: case.by_gradients(n), 3) for at_once in sizes}
    assert np.allclose(found, slow[STRINGS][1].numpy(), rtol=1e-10)
    ratio = min(time for time, _ in slow.values()) / benchmark.stats.stats.median
    report(benchmark, "times faster than per-sample gradients", ratio)
    assert ratio >= 20


@pytest.mark.benchmark(group="sharpness")
def test_trace_against_the_hessian(benchmark, one_thread):
    """T = 20, on the same few strings: at least 1,000 times faster than all second derivatives."""
    case = Case(FEW)
    found = benchmark.pedantic(case.ours, rounds=20, warmup_rounds=2)
    slow, trace = seconds(case.by_hessian)
    assert np.isclose(found.mean(), trace.item(), rtol=1e-9)
    ratio = slow / benchmark.stats.stats.median
    report(benchmark, f"times faster than the Hessian ({len(case.vector)} parameters)", ratio)
    assert ratio >= 1000
