"""Lipschitz statements, the perturbation statement of A.12 and its gap, held against networks that were trained.

The inequalities are those of lipschitz.py; the weights, tokens and bounds in them are a network's own, moved to where
its training is some steps later, or nearby. Torch is imported only when a check runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from maurey.symbolic.route import PAPER
from maurey.verify.checks import Effort, Result, check

from . import lipschitz

MODELS = ("layer", "encoder")
ROUNDING = 1e-9  # relative, of doubles
Values = dict[str, Any]
Fill = Callable[[Any, Any, Any], tuple[dict[str, Any], Values]]  # (tools, network, moved) -> sizes; variables, bounds


def trials(effort: Effort) -> range:
    return range(effort.seed, effort.seed + min(effort.scale, 4))


# --- single heads: what each inequality calls them -------------------------------------------------------------------


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


def larger(f: Any, M: Any, N: Any) -> Any:
    """Of two spectral norms, one for each pair."""
    return f.torch.maximum(f.spectral(M), f.spectral(N))


def general(f: Any, a: Any, b: Any) -> tuple[dict[str, Any], Values]:
    """The query [CLS], values read out by W_O."""
    found: Values = {"out": a.C, "L_out": f.spectral(a.C), "B_X": radius(a, b), "B_in": larger(f, a.V, b.V)}
    for mark, side in (("", a), ("~", b)):
        found["scores" + mark] = side.X[:, :1] @ side.S @ side.X.mT
        found["values" + mark] = side.X @ side.V.mT
    return {"T": a.X.shape[1], "k": a.V.shape[1], "sigma": "identity"}, found | {"beta": f.torch.ones(1).double()}


def softmaxes(f: Any, a: Any, b: Any) -> tuple[dict[str, Any], Values]:
    _, found = general(f, a, b)
    return {"p": a.X.shape[1]}, {"theta": found["scores"], "theta~": found["scores~"]}


def weights(f: Any, a: Any, b: Any) -> tuple[dict[str, Any], Values]:
    a, b = in_the_ball(a, b)
    return shape(a), {"Z": a.X, "V": a.V, "S": a.S, "V~": b.V, "S~": b.S, "B_V": f.spectral(a.V)}


def tokens(f: Any, a: Any, b: Any, free: bool = False) -> tuple[dict[str, Any], Values]:
    """With `free`, tokens of any norm."""
    a, b = (a, b) if free else in_the_ball(a, b)
    norms = {"B_V": f.spectral(a.V), "B_QK": f.spectral(a.S), "B_X": radius(a, b)}
    return shape(a), {"Z": a.X, "Z~": b.X, "V": a.V, "S": a.S, **norms}


def block(f: Any, a: Any, b: Any) -> tuple[dict[str, Any], Values]:
    a, b = in_the_ball(a, b)
    one = f.torch.ones(len(a.X)).double()
    found: Values = {"L_sigma": one, "kappa": 2 * one}
    for label, M, N in (("V", a.V, b.V), ("QK", a.S, b.S), ("C", a.C, b.C)):
        found |= {label: M, f"{label}~": N, f"B_{label}": larger(f, M, N)}
    return shape(a) | {"sigma": "identity"}, found | {"X": a.X, "X~": b.X}


# --- whole layers ----------------------------------------------------------------------------------------------------


def several(f: Any, a: Any, b: Any) -> tuple[dict[str, Any], Values]:
    """All heads, summed, by the labels that they have in the calculus."""
    here, there = (side.own.weights() for side in (a, b))
    H, n = len(a.own.scores), a.X.shape[2]
    found: Values = {"B_X": radius(a, b), "L_sigma": f.torch.ones(1).double(), "kappa": 2 * f.torch.ones(1).double()}
    found |= {"X": a.X, "X~": b.X} | here | {f"{name}~": M for name, M in there.items()}
    for name, label, norm in (("B_V", "V", "spectral"), ("B_V_inf", "V", "columns"), ("B_QK_inf", "QK", "columns")):
        own = [(here[f"{label}_{h}"], there[f"{label}_{h}"]) for h in range(1, H + 1)]
        found[name] = [f.torch.maximum(f.NORMS[norm](M), f.NORMS[norm](N))[None] for M, N in own]
    return {"T": a.X.shape[1], "d": n, "H": H, "sigma": "identity"}, found


def readouts(f: Any, a: Any, b: Any) -> tuple[dict[str, Any], Values]:
    """What the heads add up to at [CLS], scaled into the unit ball, and the read-outs scaled back."""
    heads = lipschitz.ARCHITECTURES["edelman2022/A.12"][0](PAPER, H=len(a.own.scores))
    sums = [f.forward(heads, side.own.weights(), side.X, {"L_sigma": 1}, "identity") for side in (a, b)]
    R = max(float(f.tokens(g).max()) for g in sums)
    w, v = ((side.own.readout * R).expand(len(a.X), 1, -1) for side in (a, b))
    found = {"g": sums[0] / R, "g~": sums[1] / R, "w": w, "w~": v}
    return {"d": w.shape[-1]}, found | {"B_w": f.torch.maximum(w.norm(dim=-1), v.norm(dim=-1))[:, 0]}


# --- the checks ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Held:
    """How pairs of networks are put into the inequalities of a claim; the encoder has no linear read-out."""

    fill: Fill
    whole: bool = False
    models: tuple[str, ...] = MODELS


HELD = {
    "edelman2022/4.3": Held(general),
    "edelman2022/A.7": Held(softmaxes),
    "edelman2022/A.12": Held(several, whole=True),
    "edelman2022/A.13": Held(weights),
    "edelman2022/A.14": Held(tokens),
    "edelman2022/A.15": Held(block),
    "edelman2022/A.16": Held(readouts, whole=True, models=("layer",)),
    "maurey/attention": Held(partial(tokens, free=True)),
}


def examine(key: str, effort: Effort, statement: lipschitz.Statement, own: Held) -> Iterator[Result]:
    """Both sides of every inequality at every pair."""
    from maurey.verify.training.readings.courses import pairs, wholes

    f = lipschitz.tools()
    found: dict[tuple[str, str], dict[str, list[Any]]] = {}
    for model, trial in ((model, trial) for model in own.models for trial in trials(effort)):
        sizes, values = own.fill(f, *(wholes if own.whole else pairs)(model, trial))
        for case in ({**sizes, **more} for more in _forms(statement)):
            inequality = statement.build(f, **case)
            bounds = {name: values[name] for name in inequality.bounds if name in values}
            names, logs, counted = f.ratios(inequality.sides({**values, **inequality.given(bounds)}))
            for target, ratios, meant in zip(names, logs.exp(), counted, strict=True):
                for spoken in statement.forms_of(target):
                    found.setdefault(spoken, {}).setdefault(target, []).append(ratios[meant])
    for (part, form), targets in found.items():
        yield result(part, form, [f.torch.cat(ratios) for ratios in targets.values()], own.models)


def _forms(statement: lipschitz.Statement) -> list[dict[str, Any]]:
    """Statements of architectures are built for one route at a time."""
    return [{"sharp": sharp} for sharp in (False, True)] if "sharp" in statement.cases[0] else [{}]


def result(part: str, form: str, targets: list[Any], models: Iterable[str]) -> Result:
    """The first target is the movement itself; others (radii) must hold too."""
    what = " and ".join({"layer": "attention layers", "encoder": "encoders"}[model] for model in models)
    number, tightness, worst = len(targets[0]), float(targets[0].max()), max(float(ratios.max()) for ratios in targets)
    if worst > 1 + ROUNDING:
        note = "a trained network goes beyond it"
        witness = {"network": what, "ratio": str(worst)}
        return Result("fails", "trained", note, number, worst, witness, part, form, "1", str(worst))
    note = f"{what} at one point of their training against a later one, and against copies nearby"
    return Result("holds", "trained", note, number, min(1.0, tightness), part=part, form=form)


for _key, _held in HELD.items():
    check(_key)(partial(examine, _key, statement=lipschitz.STATEMENTS[_key], own=_held))


@check("edelman2022/A.12")
def gap(effort: Effort) -> Iterator[Result]:
    """The log covering number, through the chain: what was measured is below it."""
    yield from gaps("edelman2022/A.12", effort, MODELS)


def gaps(key: str, effort: Effort, models: Iterable[str]) -> Iterator[Result]:
    """Of every form that is proved: measured gap over bound."""
    from maurey.verify.certificates.norm_bounds import bounds
    from maurey.verify.training.readings.courses import course

    found: dict[tuple[str, str], list[float]] = {}
    for run in (course(model, trial) for model in models for trial in trials(effort)):
        for one in bounds(run.config, run.record["norms"]):
            if one.key == key and one.form != "printed" and one.gap is not None:
                found.setdefault((one.part or "log_N", one.form), []).append(abs(run.gap) / float(one.gap))
    for (part, form), ratios in found.items():
        worst = max(ratios)
        note = "the measured gap of trained networks, within what the chain makes of it"
        if worst > 1:
            witness = {"networks": ", ".join(models), "ratio": str(worst)}
            yield Result("fails", "trained", note, len(ratios), worst, witness, part, form, "1", str(worst))
        else:
            yield Result("holds", "trained", note, len(ratios), worst, part=part, form=form)
