"""From covers to gaps: the chain against complexities that can be computed, and against single functions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.numeric.balls import at_precision, enclose
from maurey.numeric.binding import bind
from maurey.numeric.grids import sweep
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import rademacher

ROUNDING = 1e-9
Case = tuple[str, rademacher.Estimate, dict[str, Any]]  # what class, its complexity, A, C_F, p_0 and m


def _cases(effort: Effort) -> Iterator[Case]:
    """Classes with a known entropy p_0 + C_F/eps^2 and a complexity that is exact or enclosed."""
    rng = np.random.default_rng(effort.seed)
    draws = 2000 * effort.scale
    for m, d, B in ((3, 1, 1.0), (8, 8, 2.0), (12, 3, 0.5), (200, 400, 1.0), (1000, 50, 3.0), (64, 64, 100.0)):
        orthonormal = d >= m
        points = np.eye(m, d) if orthonormal else rng.normal(size=(m, d))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        at: dict[str, Any] = {"A": B, "C_F": B**2 * math.log(2 * m + 1), "p_0": 0, "m": m}  # maurey/online, scalar
        yield f"linear functions on {m} points", rademacher.linear(points, B, draws, rng), at
    for m, size in ((4, 16), (10, 50), (12, 4), (300, 1000)):
        values = rng.choice((-1.0, 1.0), size=(size, m)) * rng.random((size, 1))
        at = {"A": float(np.abs(values).max()), "C_F": "1e-9", "p_0": math.log(size), "m": m}
        yield f"{size} functions on {m} points", rademacher.finite(values, draws, rng), at


def _value(claim: Claim, form: str, part: str, at: dict[str, Any]) -> float:
    return float(sweep(claim, form, part, **at).value)


def _against(key: str, effort: Effort, part: str, form: str, quadratic: bool) -> Result:
    """The form at the parameters of every class is at least the class's complexity."""
    claim = registry.find(key)
    names = {p.name for p in claim.symbols}
    best, count = 0.0, 0
    for what, found, at in _cases(effort):
        if quadratic and at["p_0"]:
            continue
        for tau in [0.01, 0.1, 0.5, 1.0] if "tau" in names else [1.0]:
            point = {n: v for n, v in (at | {"tau": at["A"] * tau}).items() if n in names}
            bound = _value(claim, form, part, point)
            count += 1
            if found.lower > bound * (1 + ROUNDING):
                witness = {"class": what, **{n: str(v) for n, v in point.items()}, "complexity": found.lower}
                return refuted(
                    f"the complexity of {what} exceeds it", witness, bound, found.lower, part=part, form=form
                )
            best = max(best, found.value / bound)
    note = "at least the complexity of linear functions (exact suprema) and of finite classes, all signs or an interval"
    return Result("holds", "tested", note, count, best, part=part, form=form)


@check("edelman2022/A.2")
def integral_with_a_cut_off(effort: Effort) -> Iterator[Result]:
    for form in ("printed", "derived", "sharp"):
        yield _against("edelman2022/A.2", effort, "R", form, quadratic=False)


@check("dudley1967/integral")
def dudley(effort: Effort) -> Result:
    return _against("dudley1967/integral", effort, "R", "printed", quadratic=False)


@check("maurey/dudley")
def sharp_dudley(effort: Effort) -> Iterator[Result]:
    for part in ("proper", "external"):
        yield _against("maurey/dudley", effort, part, "printed", quadratic=False)


@check("maurey/chaining")
def chaining(effort: Effort) -> Result:
    return _against("maurey/chaining", effort, "R", "printed", quadratic=True)


ZERO = "the class of the zero function alone: entropy 0, empirical complexity 0"


@check("edelman2022/A.3")
def quadratic_entropy(effort: Effort) -> Iterator[Result]:
    for form in ("derived", "sharp"):
        yield _against("edelman2022/A.3", effort, "R", form, quadratic=True)
    at: dict[str, Any] = {"A": "1", "C_F": "100", "m": "1"}
    value = enclose(registry.find("edelman2022/A.3"), "printed", "R", **at)
    assert value.upper < 0
    note = "it is negative where sqrt(C_F/m) exceeds e A, for every c > 0, and no complexity is"
    yield refuted(note, {"class": ZERO, **at}, value.value, 0, part="R", instances=1)


COIN = "one function, m = 1 and the loss b y with y = +1 or -1 at random: complexity 0, risk 0, empirical risk b or -b"


@check("edelman2022/A.4")
def two_sides(effort: Effort) -> Iterator[Result]:
    at: dict[str, Any] = {"L_loss": "1", "b": "1", "delta": "9/10", "m": "1", "R_F": "0"}
    value = enclose(registry.find("edelman2022/A.4"), "printed", "gap", **at)
    assert value.upper < 1
    note = "the gap is b with probability 1, the bound is below b and may fail 9 times in 10"
    yield refuted(note, {"class": COIN, **at}, value.value, 1, part="gap", instances=1)
    yield _single_functions("edelman2022/A.4", effort, "derived")


@check("edelman2022/2.2", "edelman2022/A.5")
def gap_from_entropy(effort: Effort) -> Iterator[Result]:
    claim = registry.find("edelman2022/2.2")
    at: dict[str, Any] = {"L_loss": "1", "A": "1", "b": "1", "delta": "9/10", "m": "1", "c": "12"}
    values = [enclose(claim, "printed", "gap", C_F=Fraction(1, t), **at) for t in (10**12, 10**18, 10**24)]
    assert all(value.upper < 1 for value in values)
    witness = {"class": COIN, "at": at, "ray": {"C_F": -1}, "t": ["1E+12", "1E+18", "1E+24"]}
    witness |= {"ratios": [f"{value.upper:.6g}" for value in values]}
    note = "the gap is b with probability 1; as C_F falls the bound does too, below b for every c"
    yield refuted(note, witness, values[-1].value, 1, part="gap", instances=1)
    yield from _heads(effort)


@check("maurey/deviation")
def deviation(effort: Effort) -> Result:
    return _single_functions("maurey/deviation", effort, "printed")


@check("bartlett2002/8")
def bartlett(effort: Effort) -> Result:
    """One function with loss 0 or 1: R_m is at least E|2/m sum of signs times loss|, computed exactly."""
    claim, count, best = registry.find("bartlett2002/8"), 0, 0.0
    for m, p, delta in _triples(effort):
        hits = _binomial(m, p)
        # given k losses of 1 the inner mean is (2/m) E|sum of k signs|
        R = sum(w * 2 / m * _mean_absolute(k) for k, w in enumerate(hits))
        bound = _value(claim, "printed", "gap", {"m": m, "delta": delta, "R_F": R})
        excess = sum(w for k, w in enumerate(hits) if p - k / m > bound)
        if excess > delta:
            at = {"m": str(m), "p": str(p), "delta": str(delta)}
            return refuted("fails more often than delta", at, bound, excess, part="gap")
        count, best = count + 1, max(best, _quantile([(p - k / m, w) for k, w in enumerate(hits)], delta) / bound)
    return Result("holds", "tested", "for one function and exact binomial probabilities", count, best, part="gap")


def _triples(effort: Effort) -> Iterator[tuple[int, float, float]]:
    for m in (1, 2, 5, 20, 100 * effort.scale):
        for p in (0.01, 0.3, 0.5, 0.99):
            for delta in (0.001, 0.1, 0.5, 0.9, 0.99):
                yield m, p, delta


def _binomial(m: int, p: float) -> list[float]:
    logs = (math.lgamma(m + 1) - math.lgamma(k + 1) - math.lgamma(m - k + 1) for k in range(m + 1))
    return [math.exp(c + k * math.log(p) + (m - k) * math.log(1 - p)) for k, c in enumerate(logs)]


def _mean_absolute(k: int) -> float:
    return sum(w * abs(2 * j - k) for j, w in enumerate(_binomial(k, 0.5))) if k else 0.0


def _quantile(values: list[tuple[float, float]], delta: float) -> float:
    """The largest value that is exceeded with probability above delta, or equals it."""
    above = 0.0
    for value, weight in sorted(values, reverse=True):
        above += weight
        if above > delta:
            return value
    return 0.0


def _single_functions(key: str, effort: Effort, form: str) -> Result:
    """One function, loss b or -b: its gap |2p - 1 - mean| exceeds the bound with probability at most delta, exactly."""
    claim, count, best = registry.find(key), 0, 0.0
    for m, p, delta in _triples(effort):
        bound = _value(claim, form, "gap", {"m": m, "delta": delta, "R_F": 0, "b": 1, "L_loss": 1})
        gaps = [(abs(2 * p - 2 * k / m), weight) for k, weight in enumerate(_binomial(m, p))]
        if sum(weight for value, weight in gaps if value > bound) > delta:
            at = {"m": str(m), "p": str(p), "delta": str(delta)}
            return refuted("fails more often than delta", at, bound, _quantile(gaps, delta), part="gap", form=form)
        count, best = count + 1, max(best, _quantile(gaps, delta) / bound)
    note = "for one function, a loss of b or -b and exact binomial probabilities"
    return Result("holds", "tested", note, count, best, part="gap", form=form)


def _heads(effort: Effort) -> Iterator[Result]:
    """Attention heads: the complexity that ascent reaches, within what 4.4 and the chain allow."""
    rng = np.random.default_rng(effort.seed)
    head, claim = registry.find("edelman2022/4.4"), registry.find("edelman2022/2.2")
    norms = {"B_V": 1.0, "B_V_inf": 0.7, "B_QK_inf": 3.0}
    best, count = {"derived": 0.0, "sharp": 0.0}, 0
    for m, T, d in ((16, 3, 2), (32, 6, 3), (64, 4, 2)):
        X = rng.normal(size=(m, T, d))
        X /= np.linalg.norm(X, axis=2, keepdims=True)
        found = rademacher.head(X, norms, 40 * effort.scale, 16 * effort.scale, rng)
        bound = bind(head, {"eps": 1, "d": d, "m": m, "T": T, "L_sigma": 1, "B_X": 1, **norms}, "sharp", "log_N")
        gamma = next(i for i, step in enumerate(bound.steps) if step.name == "gamma")
        C_F = float(at_precision(replace(bound, steps=bound.steps[: gamma + 1]), 64)[0]) ** 3
        count += 1
        for form in best:
            # the smallest b and the largest delta leave the complexity term alone, twice the complexity
            chain = _value(
                claim, form, "gap", {"L_loss": 1, "C_F": C_F, "A": 1, "b": "1e-9", "delta": "999/1000", "m": m}
            )
            if 2 * found.lower > chain:
                at = {"m": str(m), "T": str(T), "d": str(d)} | {n: str(v) for n, v in norms.items()}
                yield refuted("a head's complexity exceeds it", at, chain, 2 * found.lower, part="gap", form=form)
                return
            best[form] = max(best[form], 2 * found.value / chain)
    note = "attention heads: what ascent reaches (a lower bound) is within it, through the entropy of 4.4"
    for form, ratio in best.items():
        yield Result("holds", "tested", note, count, ratio, part="gap", form=form)
