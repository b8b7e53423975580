"""What a one-layer encoder answers in every execution: running error analysis, in doubles.

A number is a value and an error: whatever an execution computes lies within the error of the value. Executions round
sums, products, quotients and square roots within 2^-24, relative, exp and erf within some units of it, and take sums
in any order. What is smaller than TINY may be lost; what may exceed LARGE may overflow, and of it nothing is known. The
formulas are those of the encoder of Edelman et al. as they are usually written (verify/training/networks/encoder.py has
them rearranged):

    x_t = token + position;  u = LN(x);  q = u_cls W_Q + b_Q, k = u W_K + b_K, v = u W_V + b_V
    a = sum_t softmax_t(q . k_t/sqrt(width/heads)) v_t, head by head;  y = x_cls + a W_O + b_O
    z = y + gelu(LN(y) W_1 + b_1) W_2 + b_2;  logits = LN(z) head;  LN(x) = (x - mean)/sqrt(variance + 1e-5) gain + bias

A unit is taken a little larger than it is: that covers the rounding of these doubles, whose own exp and erf are taken
to be right to 2^-44. Errors multiply from layer to layer, so that nothing is left after a few: there, certify what is
stored."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from math import erf, sqrt
from typing import Any

import numpy as np

from maurey.numeric.types import Array
from maurey.symbolic.errors import InputError

from .losses import File, Losses
from .wording import ERF_UNITS, EXP_UNITS, UNIT

U = 2.0**-24 * (1 + 2.0**-9)
TINY, LARGE = 2.0**-126, 2.0**127
LN_EPS = 1e-5
AT_ONCE = 256  # strings
MATRICES = ("W_Q", "W_K", "W_V", "W_O", "W_1", "W_2", "head")
NORMS = tuple(f"{name}_{part}" for name in ("ln1", "ln2", "lnf") for part in ("gain", "bias"))
BIASES = ("b_Q", "b_K", "b_V", "b_O", "b_1", "b_2")
NEEDED = ("token", "position", *NORMS, *MATRICES, *BIASES, "heads", "strings", "labels")
ELSEWHERE = (
    "--every-execution knows the encoder of one layer, in a .npz file with {needed}. Of deeper networks the rounding "
    "errors multiply from layer to layer: store their outputs, and certify these"
)


@dataclass(frozen=True)
class Near:
    value: Array
    error: Array

    def rounded(self, times: float = 1.0) -> Near:
        """After so many roundings of its own."""
        size = np.abs(self.value) + self.error
        return Near(self.value, within(size, self.error + times * U / (1 - times * U) * size + times * TINY))

    def __add__(self, other: Near) -> Near:
        return Near(self.value + other.value, self.error + other.error).rounded()

    def __sub__(self, other: Near) -> Near:
        return Near(self.value - other.value, self.error + other.error).rounded()

    def __mul__(self, other: Near) -> Near:
        a, b = np.abs(self.value), np.abs(other.value)
        return Near(self.value * other.value, a * other.error + b * self.error + self.error * other.error).rounded()

    def __truediv__(self, other: Near) -> Near:
        least = np.abs(other.value) - other.error
        ratio = self.value / other.value
        error = np.where(least > 0, (self.error + np.abs(ratio) * other.error) / least, np.inf)
        return Near(ratio, error).rounded()

    def __getitem__(self, index: Any) -> Near:
        return Near(self.value[index], self.error[index])

    def sum(self, axis: int) -> Near:
        """In any order."""
        number = self.value.shape[axis]
        size = np.abs(self.value).sum(axis, keepdims=True) + self.error.sum(axis, keepdims=True)
        error = self.error.sum(axis, keepdims=True) + number * U / (1 - number * U) * size + number * TINY
        return Near(self.value.sum(axis, keepdims=True), within(size, error))

    def sqrt(self) -> Near:
        least = self.value - self.error
        root = np.sqrt(self.value)
        error = np.where(least > 0, self.error / (root + np.sqrt(least)), np.inf)
        return Near(root, error).rounded()

    def exp(self) -> Near:
        value = np.exp(self.value)
        return Near(value, value * np.expm1(self.error)).rounded(EXP_UNITS)

    def erf(self) -> Near:
        value = np.array([erf(x) for x in self.value.ravel()]).reshape(self.value.shape)
        return Near(value, 2 / sqrt(np.pi) * self.error).rounded(ERF_UNITS)


def within(size: Array, error: Array) -> Array:
    """The error, if nothing overflows on the way."""
    return np.where(size < LARGE, error, np.inf)


def exact(x: Any) -> Near:
    x = np.asarray(x, dtype=np.float64)
    return Near(x, np.zeros_like(x))


def affine(x: Near, W: Array, b: Array | None = None) -> Near:
    """x (n, in) through a matrix, and a bias: one sum of products, in any order."""
    W, number = W.astype(np.float64), len(W) + 2
    value = x.value @ W + (0 if b is None else b)
    size = (np.abs(x.value) + x.error) @ np.abs(W) + (0 if b is None else np.abs(b))
    error = x.error @ np.abs(W) + number * U / (1 - number * U) * size + number * TINY
    known = np.isfinite(x.error).all(-1, keepdims=True)  # what is not is no smaller for a weight of 0
    return Near(value, np.where(known, within(size, error), np.inf))


EPSILON = Near(np.array(LN_EPS), np.array(LN_EPS * 2.0**-23))  # however it is rounded


def normal(p: Any, name: str, x: Near) -> Near:
    width = exact(x.value.shape[-1])
    centred = x - x.sum(-1) / width
    variance = (centred * centred).sum(-1) / width
    unit = centred / (variance + EPSILON).sqrt()
    return unit * exact(p[f"{name}_gain"]) + exact(p[f"{name}_bias"])


def gelu(x: Near) -> Near:
    return exact(0.5) * x * (exact(1.0) + (x / Near(np.array(sqrt(2)), np.array(2.0**-24))).erf())


def logits(p: Any, heads: int, strings: Array) -> Near:
    """(n, 2) on strings of bits (n, T)."""
    T, d = strings.shape[1], p["token"].shape[1]
    x = exact(p["token"][:2, None]) + exact(p["position"][None, 1:])  # (2, T, d)
    own = exact(p["token"][2:]) + exact(p["position"][:1])  # (1, d)
    u = normal(p, "ln1", Near(x.value.reshape(-1, d), x.error.reshape(-1, d)))
    u_own = normal(p, "ln1", own)
    every = Near(np.concatenate([u.value, u_own.value]), np.concatenate([u.error, u_own.error]))  # (2 T + 1, d)
    k, v = (_heads(affine(every, p[f"W_{n}"], p[f"b_{n}"]), heads) for n in "KV")  # (2 T + 1, H, d/H)
    q = _heads(affine(u_own, p["W_Q"], p["b_Q"]), heads)
    root = Near(np.array(sqrt(d // heads)), np.array(sqrt(d // heads) * 2.0**-24))
    scores = (q * k).sum(-1) / root  # (2 T + 1, H, 1)
    places = np.concatenate([strings.astype(int) * T + np.arange(T), np.full((len(strings), 1), 2 * T)], 1)
    here, values = scores[places], v[places]  # (n, T + 1, H, 1), (n, T + 1, H, d/H)
    top = Near(here.value.max(1, keepdims=True), here.error.max(1, keepdims=True))
    mass = (here - top).exp()
    mixed = (mass / mass.sum(1) * values).sum(1)  # (n, 1, H, d/H)
    y = own + affine(Near(*(a.reshape(len(strings), d) for a in (mixed.value, mixed.error))), p["W_O"], p["b_O"])
    z = y + affine(gelu(affine(normal(p, "ln2", y), p["W_1"], p["b_1"])), p["W_2"], p["b_2"])
    return affine(normal(p, "lnf", z), p["head"])


def _heads(x: Near, heads: int) -> Near:
    shape = (len(x.value), heads, -1)
    return Near(x.value.reshape(shape), x.error.reshape(shape))


def right(p: Any, heads: int, strings: Array, labels: Array) -> Array:
    """(n,): whether the larger logit is that of the label in every execution."""
    found = []
    for start in range(0, len(strings), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        with np.errstate(all="ignore"):
            z, y = logits(p, heads, strings[part]), labels[part].astype(int)
        rows = np.arange(len(y))
        lead = z.value[rows, y] - z.value[rows, 1 - y]
        found.append(lead > (z.error[rows, 0] + z.error[rows, 1]) * (1 + 2.0**-30))  # false where an error is no number
    return np.concatenate(found)


def of_network(file: File) -> Losses:
    """A loss of 0 where the answer is right in every execution, and 1 elsewhere."""
    if file.kind != "npz":
        raise InputError(ELSEWHERE.format(needed=", ".join(NEEDED)))
    try:
        with np.load(BytesIO(file.content), allow_pickle=False) as arrays:
            p = {name: arrays[name] for name in arrays.files}
    except Exception as error:  # of an archive that is damaged, many
        raise InputError(f"{file.name} is no archive that NumPy reads without running code: {error}") from None
    if missing := [name for name in NEEDED if name not in p]:
        raise InputError(f"{file.name} has no {missing[0]}; {ELSEWHERE.format(needed=', '.join(NEEDED))}")
    if wide := [name for name in NEEDED[:-3] if p[name].dtype != np.float32]:
        raise InputError(f"{file.name}: executions have parameters in float32, got {wide[0]} in {p[wide[0]].dtype}")
    if small := [name for name in NEEDED[:-3] if ((p[name] != 0) & (np.abs(p[name]) < TINY)).any()]:
        raise InputError(f"{file.name}: {small[0]} has a parameter below 2^-126, which some executions read as 0")
    strings, labels = p["strings"], p["labels"]
    heads = int(p["heads"]) if p["heads"].shape == () and p["heads"].dtype.kind in "iu" else 0
    bits = strings.ndim == 2 and labels.shape == (len(strings),) and np.isin(strings, (0, 1)).all()
    if not bits or not len(strings) or not np.isin(labels, (0, 1)).all():
        raise InputError(f"{file.name}: strings of bits (n, T), and a label 0 or 1 for each")
    d, T, inner = p["token"].shape[-1], strings.shape[1], p["b_1"].shape[-1] if p["b_1"].ndim else 0
    if heads < 1 or d % heads or p["position"].shape != (T + 1, d):
        raise InputError(f"{file.name}: T + 1 positions for strings of T bits, and heads that divide the width")
    shapes = dict.fromkeys((*NORMS, *BIASES), (d,)) | dict.fromkeys(MATRICES, (d, d))
    shapes |= {"token": (3, d), "W_1": (d, inner), "b_1": (inner,), "W_2": (inner, d), "head": (d, 2)}
    if bad := [name for name, shape in shapes.items() if p[name].shape != shape]:
        raise InputError(f"{file.name}: {bad[0]} has the shape {p[bad[0]].shape}, and not {shapes[bad[0]]}")
    found = right(p, heads, strings, labels)
    return Losses([0 if ok else UNIT for ok in found.tolist()], True)
