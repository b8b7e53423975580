"""Certificates: processor time in units of one pass of plain Python over as many numbers, all in this process."""

import time
from fractions import Fraction as F

import numpy as np
import pytest
from flint import ctx, fmpq
from ratios import report

from maurey.numeric.tails import of_binomial
from maurey.verify.certificates.checker.check import check
from maurey.verify.certificates.losses import File
from maurey.verify.certificates.making import Request, certificate


def seconds(function, rounds=3):
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        function()
        best = min(best, time.process_time() - started)
    return best


def unit(n):
    """A sum of fractions with one denominator, in plain Python."""
    numbers = [F(i, 2**40) for i in range(n)]
    return seconds(lambda: sum(numbers, F(0)))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("speed"), {}
    np.save(folder / "losses.npy", np.random.default_rng(0).beta(2, 7, 20_000))
    for method in ("holdout", "prequential"):
        from maurey.verify.certificates.certificate import write

        (folder / method).mkdir()
        (folder / method / "losses.npy").write_bytes((folder / "losses.npy").read_bytes())
        found[method] = folder / method / "certificate.json"
        write(certificate(Request(method, File.at(folder / "losses.npy"))), found[method])
    return found


@pytest.mark.parametrize("method", ["holdout", "prequential"])
def test_a_checker_of_twenty_thousand_losses(benchmark, method, made):
    found = benchmark.pedantic(lambda: seconds(lambda: check(made[method])) / unit(20_000), rounds=1)
    report(benchmark, f"passes of fractions for a check of {method}, n = 20,000", found)
    assert found < 80


@pytest.mark.parametrize("k", [1000, 500_000])
def test_the_binomial_inverse_of_a_million(benchmark, k):
    def inverse():
        with ctx.workprec(128):
            of_binomial(fmpq(k), fmpq(10**6), fmpq(1, 20))

    found = benchmark.pedantic(lambda: seconds(inverse) / unit(20_000), rounds=1)
    report(benchmark, f"passes of fractions for the inverse at k = {k}, n = 1,000,000", found)
    assert found < 80
