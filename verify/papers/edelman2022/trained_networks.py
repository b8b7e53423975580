"""Lipschitz statements, the perturbation statement of A.12 and its gap, held against networks that were trained.

The inequalities are those of lipschitz.py, filled with pairs of networks. Torch is imported only when a check runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from maurey.symbolic.route import PAPER
from maurey.verify.attack import forwards
from maurey.verify.attack.norm_balls import NORMS, spectral
from maurey.verify.attack.trained_networks import (
    MODELS,
    Filled,
    Held,
    Values,
    block,
    examine,
    gaps,
    in_the_ball,
    larger,
    radius,
    shape,
    tokens,
)
from maurey.verify.checks import Effort, Result, check
from maurey.verify.tensors import torch

from .lipschitz import STATEMENTS, several_heads

# --- single heads: what each inequality calls them -------------------------------------------------------------------


def general(a: Any, b: Any) -> Filled:
    """The query [CLS], values read out by W_O."""
    found: Values = {"out": a.C, "L_out": spectral(a.C), "B_X": radius(a, b), "B_in": larger(a.V, b.V)}
    for mark, side in (("", a), ("~", b)):
        found["scores" + mark] = side.X[:, :1] @ side.S @ side.X.mT
        found["values" + mark] = side.X @ side.V.mT
    return {"T": a.X.shape[1], "k": a.V.shape[1], "sigma": "identity"}, found | {"beta": torch.ones(1).double()}


def softmaxes(a: Any, b: Any) -> Filled:
    _, found = general(a, b)
    return {"p": a.X.shape[1]}, {"theta": found["scores"], "theta~": found["scores~"]}


def weights(a: Any, b: Any) -> Filled:
    a, b = in_the_ball(a, b)
    return shape(a), {"Z": a.X, "V": a.V, "S": a.S, "V~": b.V, "S~": b.S, "B_V": spectral(a.V)}


# --- whole layers ----------------------------------------------------------------------------------------------------


def several(a: Any, b: Any) -> Filled:
    """All heads, summed, by the labels that they have in the calculus."""
    here, there = (side.own.weights() for side in (a, b))
    H, n = len(a.own.scores), a.X.shape[2]
    found: Values = {"B_X": radius(a, b), "L_sigma": torch.ones(1).double(), "kappa": 2 * torch.ones(1).double()}
    found |= {"X": a.X, "X~": b.X} | here | {f"{name}~": M for name, M in there.items()}
    for name, label, norm in (("B_V", "V", "spectral"), ("B_V_inf", "V", "columns"), ("B_QK_inf", "QK", "columns")):
        own = [(here[f"{label}_{h}"], there[f"{label}_{h}"]) for h in range(1, H + 1)]
        found[name] = [torch.maximum(NORMS[norm](M), NORMS[norm](N))[None] for M, N in own]
    return {"T": a.X.shape[1], "d": n, "H": H, "sigma": "identity"}, found


def readouts(a: Any, b: Any) -> Filled:
    """What the heads add up to at [CLS], scaled into the unit ball, and the read-outs scaled back."""
    heads = several_heads(PAPER, H=len(a.own.scores))
    sums = [forwards.forward(heads, side.own.weights(), side.X, {"L_sigma": 1}, "identity") for side in (a, b)]
    R = max(float(forwards.tokens(g).max()) for g in sums)
    w, v = ((side.own.readout * R).expand(len(a.X), 1, -1) for side in (a, b))
    found = {"g": sums[0] / R, "g~": sums[1] / R, "w": w, "w~": v}
    return {"d": w.shape[-1]}, found | {"B_w": torch.maximum(w.norm(dim=-1), v.norm(dim=-1))[:, 0]}


# --- the checks ------------------------------------------------------------------------------------------------------

HELD = {
    "edelman2022/4.3": Held(general),
    "edelman2022/A.7": Held(softmaxes),
    "edelman2022/A.12": Held(several, whole=True),
    "edelman2022/A.13": Held(weights),
    "edelman2022/A.14": Held(tokens),
    "edelman2022/A.15": Held(block),
    "edelman2022/A.16": Held(readouts, whole=True, models=("layer",)),
}

for _key, _held in HELD.items():
    check(_key)(partial(examine, statement=STATEMENTS[_key], own=_held))


@check("edelman2022/A.12")
def gap(effort: Effort) -> Iterator[Result]:
    """The log covering number, through the chain: what was measured is below it."""
    yield from gaps("edelman2022/A.12", effort, MODELS)
