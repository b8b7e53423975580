"""A power law for numbers of samples of which intervals are known: a run that was given up takes more than it has seen,
and one that has passed a test did so after the test before.

    log samples = log c + p log N + sigma e,   e standard normal,

fitted by maximum likelihood, which for right-censored runs is Tobit's. With eta = 1/sigma, the ends of an interval in
units of sigma are linear in (eta, eta log c, eta p), and the logarithm of the normal probability of an interval is
concave in its ends (Prékopa), so that Newton's method finds the one maximum (Olsen 1978, for Tobit).

Runs at one place share what was drawn for it, and tell less than as many places would. So k places count, not runs: the
interval of p has all values at which the profile of the log-likelihood, over the mean number of runs at a place, is
within (k/2) log(1 + t²/(k - 2)) of the largest, with t of Student's law. Where no run was given up and all places have
as many runs, it has Student's interval for the line through the means of the logarithms, or contains it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .statistics import Numbers, student

FLATTEST = 100.0  # largest eta: runs whose logarithms differ by less than 0.01 are the same
STEEPEST = 12.0  # largest power that is looked at
PLACES = 3  # with runs that passed, that a fit needs
ROUNDS, GAIN, HALVINGS = 100, 1e-9, 30  # of Newton's method and of a step
CLOSE = 1e-7  # to the likelihood at the end of an interval
LEAST = 1e-250  # probability of a run under parameters that are looked at
NARROW = 1e-3  # intervals of logarithms that are points
_erfc = np.vectorize(math.erfc, otypes=[float])


@dataclass(frozen=True)
class PowerLaw:
    c: float
    p: float
    interval: tuple[float, float]
    sigma: float
    places: tuple[int, ...]
    runs: int
    censored: int

    @property
    def told(self) -> str:
        low, high = self.interval
        if math.isinf(low):
            return "any" if math.isinf(high) else f"{high:.2f} or less"
        return f"{low:.2f} or more" if math.isinf(high) else f"{low:.2f} to {high:.2f}"


def power_law(at: Sequence[int], more: Sequence[float], most: Sequence[float]) -> PowerLaw | None:
    """From runs at places `at` that took more than `more` and at most `most` samples; none, if there are too few."""
    x, low, high = np.log(np.array(at, dtype=float)), _logs(more), _logs(most)
    passed = np.isfinite(high)
    places = len({place for place, done in zip(at, passed, strict=True) if done})
    if places < PLACES:
        return None
    share = len(set(at)) / len(at)
    room = places / 2 * math.log1p(student(places - 2) ** 2 / (places - 2))
    middle = float(x.mean())
    x = x - middle
    top, eta, (a, b) = _fitted(low, high, np.stack([np.ones_like(x), x], 1))
    p = float(b / eta)

    def lost(power: float) -> float:
        return share * (top - _fitted(low - power * x, high - power * x, np.ones((len(x), 1)))[0]) - room

    interval = _end(lost, p, room, -1), _end(lost, p, room, 1)
    c = math.exp(a / eta - p * middle)
    return PowerLaw(
        c=c,
        p=p,
        interval=interval,
        sigma=1 / eta,
        places=tuple(sorted(set(at))),
        runs=len(x),
        censored=int((~passed).sum()),
    )


def _logs(values: Sequence[float]) -> Numbers:
    with np.errstate(divide="ignore"):
        found: Numbers = np.log(np.array(values, dtype=float))
    return found


def _end(lost: Callable[[float], float], p: float, room: float, side: int) -> float:
    """Where the likelihood becomes too low, away from p on a side: regula falsi, with the value at an end that stays
    halved (Illinois)."""
    (inner, within), outer = (0.0, -room), 0.02
    while (beyond := lost(p + side * outer)) < 0:
        inner, within, outer = outer, beyond, 2 * outer
        if abs(p + side * outer) > STEEPEST:
            return side * math.inf
    between, stayed = outer, 0
    for _ in range(ROUNDS):
        share = within / (within - beyond) if math.isfinite(beyond) else 0.5
        between = inner + share * (outer - inner)
        value = lost(p + side * between)
        if abs(value) < CLOSE or outer - inner < CLOSE:
            break
        if value < 0:
            inner, within, beyond, stayed = between, value, beyond / 2 if stayed < 0 else beyond, -1
        else:
            outer, beyond, within, stayed = between, value, within / 2 if stayed > 0 else within, 1
    return p + side * between


def _fitted(low: Numbers, high: Numbers, design: Numbers) -> tuple[float, float, Numbers]:
    """The largest log-likelihood, eta and eta times the coefficients of the design, (runs, k)."""
    known = np.where(np.isfinite(high), high, low)
    start = np.linalg.lstsq(design, known, rcond=None)[0]
    eta = 1 / max(1.0, float(np.abs(known - design @ start).max()))
    theta = np.concatenate([[eta], eta * start])
    value, slope, bend = _likelihood(theta, low, high, design)
    for _ in range(ROUNDS):
        free = np.ones(len(theta), dtype=bool)
        free[0] = theta[0] < FLATTEST or slope[0] < 0
        step = np.zeros_like(theta)
        step[free] = np.linalg.solve(bend[np.ix_(free, free)] - 1e-12 * np.eye(free.sum()), -slope[free])
        for size in 0.5 ** np.arange(HALVINGS):
            new = theta + size * step
            new[0] = min(new[0], FLATTEST)
            found = _likelihood(new, low, high, design)
            if found[0] >= value:
                break
        else:
            break
        gained, theta, (value, slope, bend) = found[0] - value, new, found
        if gained < GAIN:
            break
    return value, float(theta[0]), theta[1:]


def _likelihood(theta: Numbers, low: Numbers, high: Numbers, design: Numbers) -> tuple[float, Numbers, Numbers]:
    """The sum over runs of log(Phi(B) - Phi(A)), with A = eta low - design w and B alike, or of the logarithm of the
    density eta phi(B) where the interval is a point; its gradient and its Hessian."""
    eta = theta[0]
    if eta <= 0:
        return -math.inf, theta, np.eye(len(theta))
    point = high - low < NARROW
    mean = design @ theta[1:]
    A, B = eta * low - mean, eta * high - mean
    mirror = np.where(A > 0, 1, -1) / math.sqrt(2)  # where the smaller tails are
    P = np.where(point, 1.0, mirror * (_erfc(mirror * A) - _erfc(mirror * B)) / math.sqrt(2))
    if not (P > LEAST).all():
        return -math.inf, theta, np.eye(len(theta))
    ends = []
    for z, end, sign in ((A, low, -1), (B, high, 1)):
        there = np.isfinite(z) & ~point
        z, end = np.where(there, z, 0.0), np.where(there, end, 0.0)
        g = np.where(there, sign * np.exp(-z * z / 2) / math.sqrt(2 * math.pi) / P, 0.0)
        ends.append((g, -z * g - g * g, np.concatenate([end[:, None], -design], 1)))
    (g_a, h_a, a), (g_b, h_b, b) = ends
    mixed = a.T @ ((-g_a * g_b)[:, None] * b)
    z, at = B[point], np.concatenate([high[point, None], -design[point]], 1)
    first = np.eye(len(theta))[0]
    value = np.log(P).sum() + len(z) * math.log(eta) - (z @ z) / 2
    slope = a.T @ g_a + b.T @ g_b - at.T @ z + len(z) / eta * first
    bend = a.T @ (h_a[:, None] * a) + b.T @ (h_b[:, None] * b) + mixed + mixed.T
    return float(value), slope, bend - at.T @ at - len(z) / eta**2 * np.outer(first, first)
