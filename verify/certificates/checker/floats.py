"""The encoder of one layer once more, in intervals that hold whatever an execution computes: see docs/certify.md for
the formulas, and for what an execution may do. Ends are doubles; a unit of rounding is taken a little larger for
their sake."""

from __future__ import annotations

from io import BytesIO
from math import erf
from typing import Any

import numpy as np

from maurey.numeric.types import Array

from ..wording import ERF_UNITS, EXP_UNITS
from .reading import require

UNIT, CONSTANT = 2.0**-24 * (1 + 2.0**-16), 2.0**-23
LOST, OVER = 2.0**-126, 2.0**127  # below the first a float may be lost, above the second it may be infinite
Interval = tuple[Array, Array]
WANTED = {
    "token", "position", "heads", "strings", "labels", "head", *(f"{kind}_{n}" for kind in "Wb" for n in "QKVO12"),
    *(f"{n}_{part}" for n in ("ln1", "ln2", "lnf") for part in ("gain", "bias")),
}  # fmt: skip


def _wide(low: Array, high: Array, units: float = 1.0, size: Any = None) -> Interval:
    """After rounding by so many units of the largest absolute value, or of a size that is given."""
    most = np.maximum(np.abs(low), np.abs(high)) if size is None else size
    more = most * (units * UNIT / (1 - units * UNIT)) + units * LOST
    return _known(most + more < OVER, low - more, high + more)


def _known(where: Any, low: Array, high: Array) -> Interval:
    return np.where(where, low, -np.inf), np.where(where, high, np.inf)


def _point(x: Any, share: float = 0.0) -> Interval:
    x = np.asarray(x, dtype=np.float64)
    return x - share * np.abs(x), x + share * np.abs(x)


def _plus(a: Interval, b: Interval) -> Interval:
    return _wide(a[0] + b[0], a[1] + b[1])


def _minus(a: Interval, b: Interval) -> Interval:
    return _wide(a[0] - b[1], a[1] - b[0])


def _corners(a: Interval, b: Interval, by: Any) -> Interval:
    ends = [by(x, y) for x in a for y in b]
    return np.minimum.reduce(ends), np.maximum.reduce(ends)


def _times(a: Interval, b: Interval) -> Interval:
    return _wide(*_corners(a, b, np.multiply))


def _square(a: Interval) -> Interval:
    most = np.maximum(np.abs(a[0]), np.abs(a[1]))
    least = np.where((a[0] <= 0) & (a[1] >= 0), 0.0, np.minimum(np.abs(a[0]), np.abs(a[1])))
    return _wide(least * least, most * most)


def _over(a: Interval, b: Interval) -> Interval:
    """By what is positive; where it may not be, nothing is known."""
    return _known(b[0] > 0, *_wide(*_corners(a, b, np.divide)))


def _total(a: Interval, axis: int) -> Interval:
    size = np.maximum(np.abs(a[0]), np.abs(a[1])).sum(axis, keepdims=True)
    return _wide(a[0].sum(axis, keepdims=True), a[1].sum(axis, keepdims=True), a[0].shape[axis], size)


def _root(a: Interval) -> Interval:
    low, high = np.sqrt(np.maximum(a[0], 0)), np.sqrt(np.maximum(a[1], 0))
    return _wide(low, high)


def _through(x: Interval, W: Any, b: Any = None) -> Interval:
    """A matrix, and what is added: products of both signs."""
    up, down = np.maximum(W, 0).astype(np.float64), np.minimum(W, 0).astype(np.float64)
    added = 0.0 if b is None else b.astype(np.float64)
    low, high = x[0] @ up + x[1] @ down + added, x[1] @ up + x[0] @ down + added
    size = np.maximum(np.abs(x[0]), np.abs(x[1])) @ (up - down) + np.abs(added)
    every = np.isfinite(x[0]).all(-1, keepdims=True) & np.isfinite(x[1]).all(-1, keepdims=True)
    return _known(every, *_wide(low, high, len(W) + 2, size))


def _normalised(p: Any, name: str, x: Interval) -> Interval:
    d = _point(x[0].shape[-1])
    away = _minus(x, _over(_total(x, -1), d))
    spread = _over(_total(_square(away), -1), d)
    unit = _over(away, _root(_plus(spread, _point(1e-5, CONSTANT))))
    return _plus(_times(unit, _point(p[f"{name}_gain"])), _point(p[f"{name}_bias"]))


def _gelu(x: Interval) -> Interval:
    scaled = _over(x, _point(2**0.5, CONSTANT))
    low, high = (np.vectorize(erf, otypes=[float])(end) for end in scaled)
    share = _plus(_point(1.0), _wide(low, high, ERF_UNITS))
    return _times(_times(_point(0.5), x), share)


def _answers(p: Any, heads: int, strings: Array) -> Interval:
    n, T = strings.shape
    bits = _plus(_point(p["token"][:2, None]), _point(p["position"][None, 1:]))
    own = _plus(_point(p["token"][2:]), _point(p["position"][:1]))
    d = own[0].shape[1]
    x = tuple(np.concatenate([a.reshape(-1, d), b]) for a, b in zip(bits, own, strict=True))
    u = _normalised(p, "ln1", (x[0], x[1]))

    def split(a: Interval) -> Interval:
        return a[0].reshape(-1, heads, d // heads), a[1].reshape(-1, heads, d // heads)

    keys, values = split(_through(u, p["W_K"], p["b_K"])), split(_through(u, p["W_V"], p["b_V"]))
    query = split(_through((u[0][-1:], u[1][-1:]), p["W_Q"], p["b_Q"]))
    scores = _over(_total(_times(query, keys), -1), _point((d // heads) ** 0.5, CONSTANT))
    where = np.concatenate([np.where(strings == 1, T, 0) + np.arange(T), np.full((n, 1), 2 * T)], 1)
    s = scores[0][where], scores[1][where]
    highest = s[0].max(1, keepdims=True), s[1].max(1, keepdims=True)
    below = _minus(s, highest)
    powers = _wide(np.exp(below[0]), np.exp(below[1]), EXP_UNITS)
    shares = _over(powers, _total(powers, 1))
    mixed = _total(_times(shares, (values[0][where], values[1][where])), 1)
    read = mixed[0].reshape(n, d), mixed[1].reshape(n, d)
    y = _plus(own, _through(read, p["W_O"], p["b_O"]))
    inner = _gelu(_through(_normalised(p, "ln2", y), p["W_1"], p["b_1"]))
    z = _plus(y, _through(inner, p["W_2"], p["b_2"]))
    return _through(_normalised(p, "lnf", z), p["head"])


def errors(name: str, content: bytes) -> list[int]:
    """1 for every string whose answer is not right in every execution."""
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        p = {key: arrays[key] for key in arrays.files}
    require(set(p) >= WANTED, f"{name} is no encoder of one layer")
    weights = WANTED - {"heads", "strings", "labels"}
    require(all(p[key].dtype == np.float32 for key in weights), f"{name} has weights that are not in float32")
    small = [((p[key] != 0) & (np.abs(p[key]) < LOST)).any() for key in weights]
    require(not any(small), f"{name} has a parameter below 2^-126")
    strings, labels, heads = p["strings"], p["labels"], int(p["heads"])
    require(
        strings.ndim == 2 and labels.shape == (len(strings),) and {*np.unique(strings), *np.unique(labels)} <= {0, 1},
        f"{name} has no bits",
    )
    d, T, wide = p["token"].shape[-1], strings.shape[1], p["b_1"].shape[-1]
    shapes = {"token": (3, d), "position": (T + 1, d), "heads": (), "W_1": (d, wide), "b_1": (wide,), "W_2": (wide, d)}
    shapes |= {"head": (d, 2), **{f"W_{n}": (d, d) for n in "QKVO"}}
    rest = {key: (d,) for key in weights if key not in shapes}
    require(all(p[key].shape == shape for key, shape in (shapes | rest).items()), f"{name} is no encoder of one layer")
    require(heads >= 1 and d % heads == 0, f"{name} has heads that do not divide the width")
    found: list[int] = []
    for start in range(0, len(strings), 512):
        with np.errstate(all="ignore"):
            low, high = _answers(p, heads, strings[start : start + 512])
        for i, y in enumerate(labels[start : start + 512].astype(int).tolist()):
            found.append(0 if low[i, y] > high[i, 1 - y] else 1)
    return found
