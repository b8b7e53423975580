"""Lipschitz statements and gaps of several papers, held against networks that were trained.

The inequalities are those that are attacked; the weights, tokens and bounds in them are a network's own, moved to where
its training is some steps later, or nearby. Torch is imported only when a check runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from maurey.verify.checks import Effort, Result
from maurey.verify.tensors import torch

from .ascent import ratios
from .norm_balls import spectral
from .statements import Statement, one_thread

MODELS = ("layer", "encoder")
ROUNDING = 1e-9  # relative, of doubles
Values = dict[str, Any]
Filled = tuple[dict[str, Any], Values]  # sizes; variables and bounds
Fill = Callable[[Any, Any], Filled]  # (network, moved): what an inequality calls them


def trials(effort: Effort) -> range:
    return range(effort.seed, effort.seed + min(effort.scale, 4))


# --- single heads: what the inequalities of several papers call them -------------------------------------------------


def shape(a: Any) -> dict[str, Any]:
    return {"T": a.X.shape[1], "d": a.X.shape[2], "k": a.V.shape[1]}


def radius(a: Any, b: Any) -> Any:
    """Of the tokens of both, (1,)."""
    return max(side.X.norm(dim=-1).max() for side in (a, b))[None]


def in_the_ball(a: Any, b: Any) -> tuple[Any, Any]:
    """Tokens of norm at most 1, scores and values the same."""
    R = radius(a, b)
    one, two = (replace(side, X=side.X / R, S=side.S * R**2, V=side.V * R) for side in (a, b))
    return one, two


def larger(M: Any, N: Any) -> Any:
    """Of two spectral norms, one for each pair."""
    return torch.maximum(spectral(M), spectral(N))


def tokens(a: Any, b: Any, free: bool = False) -> Filled:
    """The tokens of one layer; with `free`, of any norm."""
    a, b = (a, b) if free else in_the_ball(a, b)
    norms = {"B_V": spectral(a.V), "B_QK": spectral(a.S), "B_X": radius(a, b)}
    return shape(a), {"Z": a.X, "Z~": b.X, "V": a.V, "S": a.S, **norms}


def block(a: Any, b: Any) -> Filled:
    a, b = in_the_ball(a, b)
    one = torch.ones(len(a.X)).double()
    found: Values = {"L_sigma": one, "kappa": 2 * one}
    for label, M, N in (("V", a.V, b.V), ("QK", a.S, b.S), ("C", a.C, b.C)):
        found |= {label: M, f"{label}~": N, f"B_{label}": larger(M, N)}
    return shape(a) | {"sigma": "identity"}, found | {"X": a.X, "X~": b.X}


# --- statements ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Held:
    """How pairs of networks are put into the inequalities of a claim; the encoder has no linear read-out."""

    fill: Fill
    whole: bool = False
    models: tuple[str, ...] = MODELS


def examine(effort: Effort, statement: Statement, own: Held) -> Iterator[Result]:
    """Both sides of every inequality at every pair."""
    from maurey.verify.training.readings.trajectories import pairs, wholes

    one_thread()
    found: dict[tuple[str, str], dict[str, list[Any]]] = {}
    for model, trial in ((model, trial) for model in own.models for trial in trials(effort)):
        sizes, values = own.fill(*(wholes if own.whole else pairs)(model, trial))
        for case in ({**sizes, **more} for more in _routes(statement)):
            inequality = statement.build(**case)
            bounds = {name: values[name] for name in inequality.bounds if name in values}
            names, logs, counted = ratios(inequality.sides({**values, **inequality.given(bounds)}))
            for target, reached, meant in zip(names, logs.exp(), counted, strict=True):
                for spoken in statement.forms_of(target):
                    found.setdefault(spoken, {}).setdefault(target, []).append(reached[meant])
    for (part, form), targets in found.items():
        yield result(part, form, [torch.cat(reached) for reached in targets.values()], own.models)


def _routes(statement: Statement) -> list[dict[str, Any]]:
    """Statements of architectures are built for one route at a time."""
    return [{"sharp": sharp} for sharp in (False, True)] if "sharp" in statement.cases[0] else [{}]


def result(part: str, form: str, targets: list[Any], models: Iterable[str]) -> Result:
    """The first target is the movement itself; others (radii) must hold too."""
    what = " and ".join({"layer": "attention layers", "encoder": "encoders"}[model] for model in models)
    number, tightness, worst = len(targets[0]), float(targets[0].max()), max(float(one.max()) for one in targets)
    about: dict[str, Any] = {"instances": number, "part": part, "form": form}
    if worst > 1 + ROUNDING:
        about |= {"counterexample": {"network": what, "ratio": str(worst)}, "printed_value": "1"}
        return Result(
            "fails", "trained", "a trained network goes beyond it", tightness=worst, true_value=str(worst), **about
        )
    note = f"{what} at one point of their training against a later one, and against copies nearby"
    return Result("holds", "trained", note, tightness=min(1.0, tightness), **about)


# --- gaps ------------------------------------------------------------------------------------------------------------


def gaps(key: str, effort: Effort, models: Iterable[str]) -> Iterator[Result]:
    """Of every form that is proved: measured gap over bound."""
    from maurey.verify.certificates.norm_classes import bounds
    from maurey.verify.training.readings.trajectories import course

    found: dict[tuple[str, str], list[float]] = {}
    for run in (course(model, trial) for model in models for trial in trials(effort)):
        for one in bounds(run.config, run.record["norms"]):
            if one.key == key and one.form != "printed" and one.gap is not None:
                found.setdefault((one.part or "log_N", one.form), []).append(abs(run.gap) / float(one.gap))
    for (part, form), shares in found.items():
        worst = max(shares)
        note = "the measured gap of trained networks, within what the chain makes of it"
        about: dict[str, Any] = {"instances": len(shares), "tightness": worst, "part": part, "form": form}
        if worst > 1:
            about |= {"counterexample": {"networks": ", ".join(models), "ratio": str(worst)}, "printed_value": "1"}
            yield Result("fails", "trained", note, true_value=str(worst), **about)
        else:
            yield Result("holds", "trained", note, **about)
