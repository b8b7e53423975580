"""Theorems 5, 13 and 14: gradients of the ideal network, and the trace of its loss.

The exact formulas are held against automatic differentiation over random functions and sizes; they then say how large
each block becomes. What exceeds a printed form is computed again in balls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import count, product
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from maurey.numeric.evaluation import value
from maurey.numeric.exact import decimal, to_ball
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.papers.lintilhac2026.network.construction import EDGES, Network, build, flat, masks, named, run
from maurey.verify.tally import ROUNDING, Tally
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, all_strings, counts, random_target

from .construction import wave
from .network import sharpness
from .norms import at_of, cyclic, functions

GRADIENT, TRACE, STATEMENT = (f"lintilhac2026/{number}" for number in (14, 13, 5))
NAMES = {"F_data": "F", "F_positions": "F_pos"}  # the claim's names, where they are others
BITS = 128  # of precision

# --- the formulas against automatic differentiation -------------------------------------------------------------------


def slopes(target: Target, net: Network, z: NDArray) -> Any:
    """Gradients of f in all parameters, one row for each string."""
    mask = masks(target)
    one = torch.func.grad(lambda vector, string: run(named(vector, net), string[None], mask).f[0])
    return torch.func.vmap(one, in_dims=(None, 0))(flat(net), torch.from_numpy(np.asarray(z)).double())


def by_block(net: Network, rows: Any) -> list[NDArray[np.float64]]:
    """Their squares in the blocks of the formulas, F in two parts."""
    parts = [part.reshape(len(rows), -1) for part in rows.split([block.numel() for block in net], dim=1)]
    F = parts[4].reshape(len(rows), *net.F.shape)
    parts[4:5] = [F[:, :, -1], F[:, :, :-1].flatten(1)]
    return [part.square().sum(dim=1).numpy() for part in parts]


def disagreement(effort: Effort) -> tuple[float, int]:
    """The largest difference between formulas and automatic differentiation, relative to the block's total."""
    rng, worst, seen = np.random.default_rng(effort.seed + 1), 0.0, 0
    for _ in range(8 * effort.scale):
        T = int(rng.integers(2, 15))
        D = int(rng.integers(1, min(T, 7) + 1))
        target = random_target(T, D, int(rng.integers(1, min(T, math.comb(T, D)) + 1)), rng)
        z, net = rng.integers(0, 2, (6, T)), build(target)
        ours, theirs = sharpness.gradients(target, z), by_block(net, slopes(target, net, z))
        worst = max(worst, *(float(np.abs(a - b).max() / max(1.0, b.max())) for a, b in zip(ours, theirs, strict=True)))
        seen += len(z)
    return worst, seen


def whole_hessian(effort: Effort) -> tuple[float, float, int]:
    """Trace and largest eigenvalue of the Hessian of the loss against 2 |grad f|^2, and its other eigenvalues: all
    relative, for full Hessians."""
    rng, off, rest, seen = np.random.default_rng(effort.seed + 2), 0.0, 0.0, 0
    for T, D, omega in ((3, 1, 3), (4, 2, 3), (5, 3, 2))[: 2 + effort.scale]:
        target = random_target(T, D, omega, rng)
        net, mask, z = build(target), masks(target), rng.integers(0, 2, (1, T))
        bits = torch.from_numpy(z)
        label = run(net, bits, mask).f[0]
        H = torch.func.hessian(lambda v: (run(named(v, net), bits, mask).f[0] - label) ** 2)(flat(net))  # noqa: B023
        values = torch.linalg.eigvalsh(H)
        true = sharpness.hessian_trace(target, z)[0]
        off = max(off, abs(H.trace().item() / true - 1), abs(values[-1].item() / true - 1))
        rest, seen = max(rest, values[:-1].abs().max().item() / true), seen + 1
    return off, rest, seen


# --- how large they become --------------------------------------------------------------------------------------------


def strings(target: Target, rng: np.random.Generator) -> NDArray:
    """All, or blocks of ones and strings of every density."""
    T = target.T
    if T <= 8:
        return all_strings(T)
    ladder = np.tril(np.ones((T + 1, T), dtype=np.int64), -1)
    return np.vstack([ladder, rng.random((200, T)) < rng.random((200, 1))]).astype(np.int64)


def wide(effort: Effort) -> Iterator[Target]:
    """Random functions and tilings, and a component for every bit, in which the columns of positions matter."""
    yield from functions(effort, 2)
    for T, D in ((20, 1), (40, 1), (120, 1), (250, 2), (250, 3)):
        yield cyclic(T, D, T)


def tallied(effort: Effort) -> dict[str, Tally]:
    tallies, rng = {form: Tally(GRADIENT, form) for form in ("printed", "derived")}, np.random.default_rng(effort.seed)
    for target in wide(effort):
        z = strings(target, rng)
        found = sharpness.gradients(target, z)
        largest = {NAMES.get(name, name): float(v.max()) for name, v in zip(found._fields, found, strict=True)}
        largest["total"] = float(found.total.max())
        for form, tally in tallies.items():
            for part, most in largest.items():
                if form == "derived" or part != "F_pos":
                    tally.see(part, most, at_of(target), len(z))
    return tallies


class InBalls(NamedTuple):
    """Squared gradients at one string: of M and Gamma, of F, and of the rest."""

    inner: arb
    outer: arb
    rest: arb

    @property
    def total(self) -> arb:
        return self.inner + self.outer + self.rest


def in_balls(target: Target, z: NDArray) -> InBalls:
    """From the sums over pairs of components, for equal coefficients c: in fractions, times w^2 where the scores w of
    the second layer enter. Equal ones do not move the last position, since the deltas add up to 0."""
    T, D, omega = target.T, target.D, target.omega
    k, share = counts(target, z[None])[0].tolist(), Fraction(int(z.sum()), T + 1)
    number = {v: k.count(v) for v in set(k)}
    p = Fraction(sum(n for v, n in number.items() if v % 2 == 0), omega)
    units = [Fraction(o - 4 * i, 4 * D) for i in range(D + 1) for o, _ in EDGES]
    r = {v: [max(Fraction(0), Fraction(v, D) + g) for g in units] for v in number}
    q = wave(D, share)
    delta = {v: (1 - v % 2) - p for v in number}  # over c
    inner = outer = moved = Fraction(0)
    for a, b in product(number, repeat=2):
        pairs, dot = Fraction(number[a] * number[b], omega), sum(x * y for x, y in zip(r[a], r[b], strict=True))
        inner += pairs * 32 * (D**2 + a * b) * (min(a, b) + 1)
        outer += pairs * dot
        moved += pairs * delta[a] * delta[b] * dot
    squares = sum((n * delta[v] ** 2 for v, n in number.items()), Fraction(0)) / omega
    rest = Fraction(1, omega) + p**2 + (squares + omega * p**2 * (1 - p) ** 2) * (1 + q**2)
    with ctx.workprec(BITS):
        w = 2 * arb(T).log() - arb(omega).log() / 2
        return InBalls(to_ball(inner), to_ball(outer) + omega * w**2 * to_ball(moved), to_ball(rest))


def least_witness() -> tuple[Target, NDArray, arb]:
    """One component for every bit, of that bit alone, and about half of the bits: the least T that is too large."""
    for T in count(2):
        target = cyclic(T, 1, T)
        ladder = strings(target, np.random.default_rng(0))
        z = ladder[int(sharpness.gradients(target, ladder).total.argmax())]
        true = in_balls(target, z).total
        if true > value(GRADIENT, "printed", "total", at_of(target)):
            return target, z, true
    raise AssertionError  # not reached: count does not end


def too_large(key: str, part: str, factor: int) -> Result:
    target, z, true = least_witness()
    said = value(key, "printed", part, at_of(target))
    true = factor * true
    if not true > said:
        return Result("undecided", "refuted", "the witness is not what it seems", part=part)
    note = (
        "the columns of F that belong to positions are parameters too, though they are 0: their gradient grows as "
        "omega^2 log^2 T, and no term of the print does. One component for every bit, with equal coefficients, and "
        f"{int(z.sum())} ones, in balls; T = {target.T} is the least for such functions. Without a least coefficient "
        "it has no bound at all: log c_t is in the scores of the second layer"
    )
    witness = {name: str(value) for name, value in at_of(target).items()} | {"string": "".join(map(str, z))}
    return refuted(note, witness, decimal(said), decimal(true, False), part=part, instances=1)


@check(GRADIENT)
def gradients(effort: Effort) -> Iterator[Result]:
    off, seen = disagreement(effort)
    if off > ROUNDING:
        yield Result("undecided", "constructed", f"formulas and automatic differentiation differ by {off:.2g}")
        return
    note = (
        f"exact formulas (automatic differentiation agrees within {off:.1e} at {seen} strings) for random functions, "
        "tilings and a component for every bit, coefficients at least T^-2"
    )
    for form, tally in tallied(effort).items():
        for part in tally.ratios:
            fails = form == "printed" and tally.exceeded(part)
            yield too_large(GRADIENT, part, 1) if fails and part == "total" else tally.result(part, note)


def rank_one(effort: Effort) -> Iterator[Result]:
    """The trace, and the largest eigenvalue, which is the same."""
    off, rest, seen = whole_hessian(effort)
    if max(off, rest) > ROUNDING:
        yield Result("undecided", "constructed", f"the Hessian is off by {off:.2g}, and not of rank one by {rest:.2g}")
        return
    derived = tallied(effort)["derived"]
    for part in ("trace", "operator"):
        yield too_large(TRACE, part, 2)
        note = f"full Hessians have rank one and trace 2|grad f|^2 within {max(off, rest):.1e} ({seen} networks)"
        yield replace(derived.result("total", note), part=part)


@check(TRACE)
def trace(effort: Effort) -> Iterator[Result]:
    yield from rank_one(effort)


@check(STATEMENT)
def statement(effort: Effort) -> Iterator[Result]:
    """Theorem 13 in the main text, and its order."""
    yield from (one for one in rank_one(effort) if one.part in ("trace", ""))
    sizes = (40, 100, 400)
    traces = {T: 2 * in_balls(cyclic(T, 1, T), halves(T)).total for T in sizes}
    with ctx.workprec(BITS):
        ratios = [traces[T] / value(STATEMENT, "printed", "order", at_of(cyclic(T, 1, T))) for T in sizes]
    if not ratios[0] < ratios[1] < ratios[2]:
        yield Result("undecided", "refuted", "the ratios do not grow", part="order")
        return
    note = "the same functions: over omega D^3 the trace grows as omega log^2 T, whatever the constant"
    at = at_of(cyclic(sizes[-1], 1, sizes[-1]))
    witness = {**at, "ones": "T/2", "T = omega": list(sizes), "ratios": [decimal(r, False) for r in ratios]}
    said = value(STATEMENT, "printed", "order", at)
    yield refuted(note, witness, decimal(said), decimal(traces[sizes[-1]], False), part="order", instances=len(sizes))


def halves(T: int) -> NDArray:
    return (np.arange(T) < T // 2).astype(np.int64)
