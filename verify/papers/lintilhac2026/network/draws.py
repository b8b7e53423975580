"""Gaussian perturbations of small constructed networks: outputs, gradients and Hessians against what is stated of them.

A statement that holds with probability 1 - delta is held against the 1 - delta quantile of draws. The closed forms, of
first order in sigma and without delta, are looked at where they were meant: at small sigma.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from maurey.numeric.evaluation import value
from maurey.numeric.types import Tensor
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, refuted
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, tiling

from .perturbations import Case, cases

SMALL = (1e-8, 1e-4, 1e-2)
SIGMAS = (*SMALL, 0.1, 1.0)
DRAWS, FEW = 40, 8
FAILING = Fraction(1, 10)


@dataclass(frozen=True)
class Draws:
    case: Case
    sigma: float
    moves: dict[str, Tensor]


@cache
def drawn(effort: Effort, second: bool) -> tuple[Draws, ...]:
    """Outputs and gradients; or, of the smallest networks, what the Hessian says."""
    torch.set_num_threads(1)
    found, some = [], _smallest() if second else cases(effort)
    rng = torch.Generator().manual_seed(effort.seed)
    for case in some:
        for sigma in SIGMAS:
            number = (FEW if second else DRAWS) * effort.scale
            E = sigma * torch.randn(number, len(case.theta), dtype=torch.float64, generator=rng)
            found.append(Draws(case, sigma, _second(case, E) if second else _first(case, E)))
    return tuple(found)


def _smallest() -> Iterator[Case]:
    for target in (tiling(2, 1), Target(2, ((0, 1),), (1,)), tiling(3, 1)):
        yield Case(target, [1] + [0] * (target.T - 1))


def _first(case: Case, E: Tensor) -> dict[str, Tensor]:
    output, gradient = case.output, torch.func.grad(case.output)
    f, slopes = (torch.func.vmap(lambda e, of=of: of(case.theta + e))(E) for of in (output, gradient))
    return {"24 T_p": (f - case.inside.f).abs(), "30 G_p": (slopes - case.gradient).norm(dim=1)}


def _second(case: Case, E: Tensor) -> dict[str, Tensor]:
    """The loss is (f - y)^2: its Hessian has the trace 2 |grad f|^2 + 2 (f - y) Tr f''."""
    f, slopes, second = (
        torch.func.vmap(lambda e, of=of: of(case.theta + e))(E)
        for of in (case.output, torch.func.grad(case.output), torch.func.hessian(case.output))
    )
    traces = second.diagonal(dim1=1, dim2=2).sum(dim=1)
    trace = 2 * (slopes**2).sum(dim=1) + 2 * (f - case.inside.f) * traces
    operator = torch.linalg.eigvalsh(second).abs().amax(dim=1)
    return {
        "31 operator": operator,
        "17 trace": trace,
        "17 P": trace - 2 * (case.gradient**2).sum(),
        "share": traces.abs() / (len(case.theta) * operator),
    }


def held(key: str, part: str, effort: Effort, second: bool = False) -> Iterator[Result]:
    """The quantile of the draws against the forms that know delta."""
    name = f"{key.partition('/')[2]} {part}"
    for form in registry.find(key).part(part).forms:
        if form == "printed":
            continue
        best, count, witness = 0.0, 0, {}
        for one in drawn(effort, second):
            if 4 * one.case.target.D * one.sigma >= 1:  # beyond what is claimed
                continue
            at = one.case.at() | {"sigma": Fraction(one.sigma), "delta": FAILING}
            quantile = float(one.moves[name].quantile(1 - float(FAILING)))
            ratio, count = quantile / float(value(key, form, part, at)), count + len(one.moves[name])
            if ratio > best:
                best, witness = ratio, one.case.shown() | {"sigma": one.sigma, "delta": str(FAILING)}
        fields: dict[str, Any] = {"instances": count, "tightness": best, "part": part, "form": form}
        if best > 1:
            yield refuted("draws exceed it more often", witness, 1, best, **fields)
        else:
            note = (
                f"the {1 - FAILING} quantile of Gaussian perturbations, sigma from {SIGMAS[0]:g} to 0.1, below 1/(4D)"
            )
            yield Result("holds", "tested", note, **fields)


def small(key: str, part: str, effort: Effort, note: str, second: bool = False) -> Result:
    """All draws at small sigma against the printed form."""
    count = sum(len(one.moves["24 T_p" if not second else "17 P"]) for one in drawn(effort, second)
                if one.sigma in SMALL)  # fmt: skip
    best = largest(key, part, effort, second)
    verdict = "holds" if best <= 1 else "undecided"
    note = f"all Gaussian perturbations with sigma up to {SMALL[-1]:g} stay below {best:.2g} of it. {note}"
    return Result(verdict, "tested", note, instances=count, tightness=best, part=part)


def largest(key: str, part: str, effort: Effort, second: bool = False) -> float:
    """Over all draws at small sigma: what was measured against the printed form."""
    name = f"{key.partition('/')[2]} {part}"
    return max(
        float(one.moves[name].max())
        / float(value(key, "printed", part, one.case.at() | {"sigma": Fraction(one.sigma)}))
        for one in drawn(effort, second)
        if one.sigma in SMALL
    )


def largest_share(effort: Effort) -> float:
    """Of |Tr f''| in |Theta| times its operator norm."""
    return max(float(one.moves["share"].max()) for one in drawn(effort, True))
