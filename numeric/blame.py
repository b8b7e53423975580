"""Which factor makes a bound large: shares of its logarithm.

Walk from the point where every quantity is 1 to the point in question along x_j^s, s from 0 to 1, in many small
steps, moving one quantity at a time; what the logarithm of the bound gains while x_j moves is the share of x_j. The
shares add up to the logarithm of the bound, less its value at the start, which is the share of the constants. For a
product of powers the share of x_j is its exponent times log x_j; ceilings and sums are no obstacle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maurey.symbolic.claim import Claim, InputError
from maurey.symbolic.tails import binomial_inverse, hypergeometric_inverse, mixture_inverse

from .binding import Bound, bind
from .grids import LogValue, from_exact, run_over

STEPS = 400
TAILS = (binomial_inverse, hypergeometric_inverse, mixture_inverse)
MOST_HELD = 1 << 20  # numbers, of the points at which the bound is taken at once


@dataclass(frozen=True)
class Share:
    name: str  # a parameter or constant, B_V[2] for the second entry of a list, "constants" for the rest
    value: str
    share: float  # of the natural logarithm of the bound
    halved: float | None  # the bound after halving it, divided by the bound, if doubles can hold that


@dataclass(frozen=True, repr=False)
class Blame:
    """The logarithm of the bound, and the share of it that each quantity has, largest first.

    >>> import maurey
    >>> found = maurey.claim("edelman2022/4.5").blame(eps="1/10", N=1000, d_2=8, B_X=2, B_W_inf=1)
    >>> found
    <log of the bound 17.74 = 6.083 (constants) + 4.928 (eps) + 4.309 (d_2) + 1.444 (B_X) + ...>
    >>> found.shares[1].name, round(found.shares[1].share, 4)
    ('eps', 4.9282)
    """

    log: float
    shares: tuple[Share, ...]
    layers: dict[str, float]  # shares of all entries of one layer or head together

    def __repr__(self) -> str:
        told = [f"{row.share:.4g} ({row.name})" for row in self.shares]
        sum_of = " + ".join([*told[:4], *(["..."] if len(told) > 4 else [])])
        return f"<log of the bound {self.log:.4g} = {sum_of}>"


def blame(claim: Claim, form: str = "", part: str = "", **values: Any) -> Blame:
    return shares_of(claim, form, part, values)


def shares_of(
    claim: Claim,
    form: str,
    part: str,
    values: Mapping[str, Any],
    report: Callable[[str], None] = lambda _: None,
) -> Blame:
    """The same, at values under any names."""
    bound = bind(claim, form, part, values)
    lengths = {p.index for p in claim.symbols if p.name in bound.used} | set(claim.unrolled)  # of lists, which stay
    used = {n: v for n, v in bound.used.items() if n not in lengths}
    entries = [(n, i) for n, v in used.items() for i in (range(len(v)) if isinstance(v, list) else [None])]
    names = [(n, i) for n, i in entries if (used[n] if i is None else used[n][i])]  # zero stays where it is
    logs = np.array([float(from_exact(used[n] if i is None else used[n][i]).log) for n, i in names])
    end = float(_logs(bound, names, logs[:, None])[0])
    if not np.isfinite(end):
        raise InputError(f"{claim.key} is zero here, or has no logarithm: there is nothing to share")
    if any(step.expr.has(*TAILS) for step in bound.steps):
        raise InputError(
            f"{claim.key} counts errors, and has no value between whole numbers of them: nothing is shared"
        )
    start = 0
    while not np.isfinite(_logs(bound, names, logs[:, None] * (start / STEPS))[0]):
        start += 1  # a kept logarithm vanishes where everything is 1
    path = np.empty(0)
    for k in _blocks(start, len(names)):
        report(f"moving {len(names)} quantities, step {k[0] + 1} of {STEPS}")
        path = np.append(path, _round(bound, names, logs, k))
    gains = np.append(path[1:], end) - path
    shares = gains.reshape(STEPS - start, len(names)).sum(0)
    halves = _logs(bound, names, logs[:, None] - np.log(2) * np.eye(len(names))) - end
    rows = [
        Share(
            n if i is None else f"{n}[{i + 1}]",
            str(used[n] if i is None else used[n][i]),
            float(s),
            float(np.exp(h)) if abs(h) < 700 else None,
        )
        for (n, i), s, h in zip(names, shares, halves, strict=True)
    ]
    rows.append(Share("constants", "", end - float(shares.sum()), None))
    layers: dict[str, float] = {}
    for (n, i), s in zip(names, shares, strict=True):
        index = next((p.index for p in claim.symbols if p.name == n and p.index), "")
        if i is not None:
            layers[f"{index} = {i + 1}"] = layers.get(f"{index} = {i + 1}", 0.0) + float(s)
    return Blame(end, tuple(sorted(rows, key=lambda row: -abs(row.share))), layers)


def _blocks(start: int, quantities: int) -> Iterator[Any]:
    """The steps from there on, so many at a time that the points on their way are not too many to hold."""
    size = max(1, MOST_HELD // max(1, quantities**2))
    return (np.arange(first, min(first + size, STEPS)) for first in range(start, STEPS, size))


def _round(bound: Bound, names: list[tuple[str, int | None]], logs: Any, k: Any) -> Any:
    """After k full steps the quantities move once more, one after the other: the logarithm before each moves."""
    moved = np.tri(len(names), k=-1).T  # a column for each: those before it have moved
    points = (k[None, :, None] + moved[:, None, :]).reshape(len(names), len(k) * len(names))
    return _logs(bound, names, logs[:, None] * points / STEPS)


def _logs(bound: Bound, names: list[tuple[str, int | None]], logs: Any) -> Any:
    """The logarithm of the bound at many points at once; a column of logs is a point."""
    env: dict[str, Any] = {}
    for name, value in bound.values.items():
        env[name] = [from_exact(v) for v in value] if isinstance(value, list) else from_exact(value)
    for row, (name, i) in zip(logs, names, strict=True):
        if i is None:
            env[name] = LogValue(row)
        else:
            env[name][i] = LogValue(row)
    with np.errstate(all="ignore"):
        found = run_over(replace(bound, values=env))
    positive = np.broadcast_to(np.asarray(found.sign) > 0, logs.shape[1:])
    return np.where(positive, np.broadcast_to(found.log, logs.shape[1:]), np.nan)
