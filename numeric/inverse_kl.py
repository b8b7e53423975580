"""The inverse of the binary divergence: the largest p in [q, 1] with kl(q||p) <= c.

kl(q||p) = q log(q/p) + (1-q) log((1-q)/(1-p)). With t = log((1-q)/(1-p)), the distance p - q is (1-q)(1 - e^-t), the
divergence (1-q) t - q log(1 + (p-q)/q), convex in t, and its derivative (1-q)(1 - e^-t)/p. From the right of the root
Newton's steps only go down, to full relative precision wherever q and c are: nothing is lost where p is near q, nor
where it is near 1.

The value increases in q (for q < p a larger q is nearer to p) and in c, so a ball needs two corners only. There the
root is not trusted but checked: on both sides of what Newton's steps arrive at the divergence is certainly below and
certainly above c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
from flint import arb, ctx, fmpq
from mpmath import mp

MOST_STEPS = 400
MOST_BITS = 1 << 16


def _divergence(q: Any, t: Any, away: Any, log1p: Callable[[Any], Any]) -> Any:
    """In terms of t and of p - q; q is not zero."""
    return (1 - q) * t - q * log1p(away / q)


def _away(q: Any, t: Any, expm1: Callable[[Any], Any]) -> Any:
    """p - q"""
    return -(1 - q) * expm1(-t)


def _first(q: Any, c: Any, log: Callable[[Any], Any], sqrt: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Two bounds on the root: on p - q, since kl >= (p-q)^2/(2p), which says something where it is below 1 - q; and on
    t, since log(1 + (p-q)/q) <= log(1/q)."""
    return c + sqrt(c) * sqrt(c + 2 * q), (c - q * log(q)) / (1 - q)


# --- mpmath -----------------------------------------------------------------------------------------------------------


def of_plain(q: Any, c: Any) -> Any:
    """To the current precision."""
    if c == 0 or q >= 1:
        return mp.mpf(min(q, 1))
    if q == 0:
        return -mpmath.expm1(-c)
    with mp.extraprec(20 + max(0, -int(mpmath.mag(c)))):  # the divergence is a difference of terms of order p - q
        away, t = _first(q, c, mpmath.log, mpmath.sqrt)
        if away < 1 - q:
            t = min(t, -mpmath.log1p(-away / (1 - q)))
        for _ in range(MOST_STEPS):
            away = _away(q, t, mpmath.expm1)
            step = (_divergence(q, t, away, mpmath.log1p) - c) * (q + away) / -((1 - q) * mpmath.expm1(-t))
            t -= step
            if abs(step) <= abs(t) * mp.eps:
                break
        p = q + _away(q, t, mpmath.expm1)
    return +p


# --- arrays -----------------------------------------------------------------------------------------------------------


def of_arrays(q: Any, c: Any) -> Any:
    """Of doubles that broadcast together; nan outside the domain."""
    import numpy as np

    q, c = np.broadcast_arrays(np.asarray(q, dtype=float), np.asarray(c, dtype=float))
    inner = (q > 0) & (q < 1) & (c > 0) & np.isfinite(c)
    x, y = np.where(inner, q, 0.5), np.where(inner, c, 1.0)
    with np.errstate(all="ignore"):
        away, t = _first(x, y, np.log, np.sqrt)
        t = np.where(away < 1 - x, np.minimum(t, -np.log1p(-np.minimum(away / (1 - x), 1))), t)
        for _ in range(MOST_STEPS):
            away = _away(x, t, np.expm1)
            step = (_divergence(x, t, away, np.log1p) - y) * (x + away) / -((1 - x) * np.expm1(-t))
            step = np.where(np.isfinite(step) & (step > 0), step, 0.0)  # where it would go up, it is at the root
            t = np.maximum(t - step, t / 16)  # rounding may overshoot a root next to zero
            if np.all(step <= 4e-16 * t):
                break
        p = np.where(inner, np.minimum(x + _away(x, t, np.expm1), 1.0), np.where(q == 0, -np.expm1(-c), q))
    p = np.where((q == 1) | ((c == np.inf) & (q <= 1)), 1.0, p)
    return np.where((q >= 0) & (q <= 1) & (c >= 0), p, np.nan)


# --- balls ------------------------------------------------------------------------------------------------------------


def of_balls(q: arb | fmpq, c: arb | fmpq) -> arb | None:
    """A ball that holds the value for all q and c of theirs in [0, 1] and [0, inf), or none at this precision."""
    low = _at(_end(q, "lower", arb(0)), _end(c, "lower", arb(0)))
    if isinstance(q, fmpq) and isinstance(c, fmpq):
        return low
    high = _at(_end(q, "upper", arb(1)), _end(c, "upper", None))
    return None if low is None or high is None else low.union(high)


def _end(x: arb | fmpq, which: str, limit: arb | None) -> arb | fmpq:
    """One end of a ball, which is an exact number, moved into the domain."""
    if isinstance(x, fmpq):
        return x
    end = getattr(x, which)()
    if limit is not None and (end < limit if which == "lower" else end > limit):
        return limit
    return end


def _at(q: arb | fmpq, c: arb | fmpq) -> arb | None:
    """At exact q and c."""
    if c == 0 or q == 1:
        return arb(q)
    if q == 0:
        return -(-arb(c)).expm1()
    if not arb(c).is_finite():
        return None
    wanted = ctx.prec + 8
    bits = 2 * wanted
    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            found = _bracket(arb(q), arb(c), arb(2) ** -wanted)
        if found is not None:
            return +found
        bits *= 2
    return None


def _bracket(q: arb, c: arb, share: arb) -> arb | None:
    """Newton's steps on midpoints, then one sign on each side of where they end; p for all t between."""
    t = _newton(q.mid(), c.mid())
    if t is None:
        return None
    ends = t * (1 - share), t * (1 + share)
    below, above = (_divergence(q, end, _away(q, end, arb.expm1), arb.log1p) - c for end in ends)
    if not (below <= 0 and above >= 0):
        return None
    return q + _away(q, ends[0].union(ends[1]), arb.expm1)


def _newton(q: arb, c: arb) -> arb | None:
    away, t = _first(q, c, arb.log, arb.sqrt)
    if away < 1 - q:
        nearer = -(-away / (1 - q)).log1p()
        t = nearer if nearer < t else t
    t, tiny = t.mid(), arb(2) ** (8 - ctx.prec // 2)
    for _ in range(MOST_STEPS):
        away = _away(q, t, arb.expm1)
        step = ((_divergence(q, t, away, arb.log1p) - c) * (q + away) / -((1 - q) * (-t).expm1())).mid()
        t = (t - step).mid()
        if not (t > 0 and t.is_finite()):
            return None
        if abs(step) <= t * tiny:
            return t
    return t
