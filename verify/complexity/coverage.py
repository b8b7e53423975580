"""How often a bound on a risk is exceeded, exactly: bounds that are functions of a count, at every risk of a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from flint import arb

from maurey.numeric.evaluation import value
from maurey.numeric.exact import to_rational
from maurey.verify.checks import Effort, Result, refuted

Seen = Callable[[int, int], Mapping[str, Any]]  # from errors and samples to what a form takes
DELTAS = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 2))
RISKS = tuple(Fraction(i, 40) for i in range(1, 40))


def sizes(effort: Effort) -> tuple[int, ...]:
    return (1, 2, 7, 30) if effort.scale < 4 else (1, 2, 7, 30, 200)


def bounds(key: str, part: str, m: int, seen: Mapping[int, Mapping[str, Any]], **given: Any) -> dict[int, arb]:
    return {k: value(key, "printed", part, {"m": m, **given, **at}) for k, at in seen.items()}


def binomial(m: int, p: Fraction) -> list[Fraction]:
    return [comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(m + 1)]


def hypergeometric(m: int, N: int, M: int) -> list[Fraction]:
    return [Fraction(comb(M, k) * comb(N - M, m - k), comb(N, m)) for k in range(m + 1)]


def often(above: Mapping[int, arb], weights: list[Fraction], risk: Fraction) -> Fraction:
    """The probability of the counts whose bound is certainly below the risk."""
    true = to_rational(risk)
    return sum((weights[k] for k, bound in above.items() if bound < true), Fraction(0))


def of_counts(key: str, part: str, effort: Effort, seen: Seen, least: int = 1) -> Result:
    """Independent samples with losses 0 and 1, at least so many."""
    best, count = 0.0, 0
    for m in (m for m in sizes(effort) if m >= least):
        for delta in DELTAS:
            above = bounds(key, part, m, {k: seen(k, m) for k in range(m + 1)}, delta=delta)
            for p in RISKS:
                failed, count = often(above, binomial(m, p), p), count + 1
                if failed > delta:
                    at = {"m": m, "p": str(p), "delta": str(delta)}
                    return refuted(f"exceeded with probability {float(failed):.4g}", at, delta, failed, part=part)
                best = max(best, float(failed / delta))
    note = f"losses 0 and 1, exact probabilities at {len(RISKS)} risks and up to {sizes(effort)[-1]} samples"
    return Result("holds", "tested", note, instances=count, tightness=best, part=part)


def of_pools(key: str, part: str, effort: Effort, seen: Seen) -> Result:
    """Drawn without replacement from pools with every number of errors."""
    best, count = 0.0, 0
    for N, m in pools(effort):
        for delta in DELTAS:
            above = bounds(key, part, m, {k: seen(k, m) for k in range(m + 1)}, delta=delta, N=N)
            for M in range(N + 1):
                failed, count = often(above, hypergeometric(m, N, M), Fraction(M, N)), count + 1
                if failed > delta:
                    at = {"N": N, "m": m, "M": M, "delta": str(delta)}
                    return refuted(f"exceeded with probability {float(failed):.4g}", at, delta, failed, part=part)
                best = max(best, float(failed / delta))
    note = "losses 0 and 1 of pools with every number of errors, exact probabilities"
    return Result("holds", "tested", note, instances=count, tightness=best, part=part)


def pools(effort: Effort) -> Iterator[tuple[int, int]]:
    """Sizes of pools and of samples; the first is one where the binomial interval fails."""
    yield from ((59, 3), (1, 1), (6, 4), (20, 20), (40, 10))
    if effort.scale >= 4:
        yield from ((100, 30), (100, 90))


# --- what an adversary can do -----------------------------------------------------------------------------------------

RISES = 8  # conditional means are multiples of 1/RISES


def largest(above: list[np.ndarray]) -> float:
    """The largest probability, over all ways to choose each conditional mean from a grid after what was before, that
    at some time the mean of them exceeds the bound: after t losses, above[t] by the number of errors. Losses are 0
    and 1."""
    failing = np.zeros(0)
    for t in range(len(above) - 1, -1, -1):
        width = t * RISES + 1
        best = np.zeros((t + 1, width))
        for a in range(RISES + 1) if failing.size else ():
            mean, columns = a / RISES, slice(a, a + width)
            np.maximum(best, mean * failing[1 : t + 2, columns] + (1 - mean) * failing[: t + 1, columns], out=best)
        sums = np.arange(width) / (max(t, 1) * RISES)
        failing = np.where(sums[None, :] > above[t][:, None], 1.0, best)  # (errors, sum of the means)
    return float(failing[0, 0])


def of_adversaries(key: str, part: str, effort: Effort, seen: Seen, **given: Any) -> Result:
    """Networks that change: every conditional mean may depend on all losses before, and so may the end."""
    best, count = 0.0, 0
    for m in (1, 4, 12) if effort.scale < 4 else (1, 4, 12, 40):
        for delta in DELTAS:
            own = [bounds(key, part, t, {k: seen(k, t) for k in range(t + 1)}, delta=delta, **given)
                   for t in range(1, m + 1)]  # fmt: skip
            above = [np.ones(1), *(np.array([float(b[k]) for k in b]) + ROUNDING for b in own)]
            failed, count = largest(above), count + 1
            if failed > delta * (1 + ROUNDING):
                at = {"m": m, "delta": str(delta), **{name: str(x) for name, x in given.items()}}
                return refuted(f"exceeded with probability {failed:.4g}", at, delta, failed, part=part)
            best = max(best, float(failed / delta))
    note = f"the worst of all ways to choose conditional means, multiples of 1/{RISES}, and an end"
    return Result("holds", "tested", note, instances=count, tightness=best, part=part)


ROUNDING = 1e-12  # of doubles
