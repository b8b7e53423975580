"""The modules of the calculus under test: what each computes, by a plain formula, and which are attacked and mutated.

test_forwards.py, test_sensitivity.py and test_modules.py read these tables; a new module needs an entry in FORMULAS and
one in ATTACKED.
"""

from dataclasses import replace

import numpy as np
import torch
import transformer_cases
from sympy import Integer, Symbol

from maurey.symbolic import networks
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.modules import (
    Attention,
    EqualHeads,
    Fixed,
    Heads,
    JointHeads,
    Linear,
    Offset,
    Projection,
    ReadToken,
    Residual,
    Signal,
    WithOne,
    compose,
)
from maurey.symbolic.norms import Matrix
from maurey.symbolic.papers.edelman2022 import section_4, section_a3_deep
from maurey.symbolic.route import SHARP
from maurey.symbolic.shallow import Shallow
from maurey.verify.attack.sensitivity import inequality

torch.set_num_threads(1)
R, L_sigma = Symbol("R"), Symbol("L_sigma")


def matrix(name, outputs="d", inputs="d", norm="spectral"):
    return Matrix(name, name, Symbol(outputs), Symbol(inputs), **{norm: Symbol(f"B_{name}")})


V, S, W = matrix("V", "k"), matrix("S"), matrix("W")
ROWS = Matrix("S", "S", Symbol("d"), Symbol("d"), spectral=Symbol("B_S"), rows=Symbol("B_S"))
PAIR = (matrix("Q", "k"), matrix("K", "k"))
ONE = Integer(1)
TWO = {"T": 2, "d": 1, "k": 1}
SOME = {"T": 3, "d": 2, "k": 2}


def layer(score=S, kappa=ONE, **flags):
    return Attention(V, score, kappa, **flags)


def joint_heads():
    H, d = Symbol("H"), Symbol("d")
    return JointHeads(Matrix("S", "S", H * d, d, frobenius=Symbol("B_S")), H, ONE)


def shallow():
    """The network of the qSTR paper."""
    H, k, d, outer, inner, both = (Symbol(name) for name in ("H", "k", "d", "B_a", "B_W", "B_S"))
    return Shallow(prompts=ONE, heads=H, width=k, embedding=d, radius=R, outer=outer, inner=inner, frobenius=both,
                   row_sum=None, kappa=ONE)  # fmt: skip


# --- what each computes, at one generic point ----------------------------------------------------------------------


def softmax(z):
    z = np.exp(z - z.max(-1, keepdims=True))
    return z / z.sum(-1, keepdims=True)


RNG = np.random.default_rng(0)
X, P = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3))
AT = {name: RNG.normal(size=(3, 3)) for name in "VSWQK"} | {"P": P}
SLOPE = 1.7  # of the activation
attended = softmax(X @ AT["S"] @ X.T) @ X @ AT["V"].T
# the heads of the qSTR paper: token 1 attends with the scores x . W_h z, and the averages stand side by side
beside = np.hstack([softmax(X[:1] @ AT[name] @ X.T) @ X for name in ("S", "W")])
# name: module, its output, the weights that are others than above, the activation
FORMULAS = {
    "linear": (Linear(W), X @ AT["W"].T, {}, "relu"),
    "fixed, relu": (Fixed(L_sigma), SLOPE * np.maximum(X, 0), {}, "relu"),
    "fixed, tanh": (Fixed(L_sigma), SLOPE * np.tanh(X), {}, "tanh"),
    "fixed, abs": (Fixed(L_sigma), SLOPE * abs(X), {}, "abs"),
    "projection": (Projection(), np.array([x / max(1, np.linalg.norm(x)) for x in X]), {}, "relu"),
    "offset": (Offset(R), X + P, {}, "relu"),
    "read token": (ReadToken(), X[:1], {}, "relu"),
    "residual": (Residual(Linear(W)), X + X @ AT["W"].T, {}, "relu"),
    "heads": (Heads((Linear(W), Linear(V))), X @ (AT["W"] + AT["V"]).T, {}, "relu"),
    "heads, concatenated": (
        Heads((Linear(W), Linear(V)), concatenated=True), np.hstack([X @ AT["W"].T, X @ AT["V"].T]), {}, "relu",
    ),
    "equal heads": (
        EqualHeads(Symbol("H"), Linear(W)), X @ (AT["W"] + AT["V"]).T, {"W": np.stack([AT["W"], AT["V"]])}, "relu",
    ),
    "attention": (layer(), attended, {}, "relu"),
    "attention, one query": (layer(one_query=True), attended[:1], {}, "relu"),
    "attention, pair": (
        layer(PAIR), softmax((X @ AT["Q"].T) @ (X @ AT["K"].T).T) @ X @ AT["V"].T, {}, "relu",
    ),
    "joint heads": (joint_heads(), beside, {"S": np.vstack([AT["S"].T, AT["W"].T])}, "relu"),
    "sequence": (compose(layer(), Linear(W)), attended @ AT["W"].T, {}, "relu"),
    "with one": (WithOne(), np.hstack([X, np.ones((4, 1))]), {}, "relu"),
}  # fmt: skip

FORMULAS |= {
    name: (module, value, transformer_cases.AT | {"X": transformer_cases.X} | own, sigma)
    for name, (module, value, own, sigma) in transformer_cases.FORMULAS.items()
}

# --- which are attacked ----------------------------------------------------------------------------------------------

# name: module, sizes, decades of the bounds beside R
ATTACKED = {
    "linear": (Linear(V), {"T": 2, "d": 2, "k": 3}, ["B_V"]),
    "linear, rows": (Linear(matrix("V", "k", norm="rows")), {"T": 2, "d": 2, "k": 3}, ["B_V"]),
    "linear, columns": (Linear(matrix("V", "k", norm="columns")), {"T": 2, "d": 2, "k": 3}, ["B_V"]),
    "fixed": (Fixed(L_sigma), SOME, ["L_sigma"]),
    "projection": (Projection(), SOME, []),
    "projection, carried": (Projection(carried=True), SOME, []),
    "offset": (Offset(Symbol("B_P")), SOME, ["B_P"]),
    "read token": (ReadToken(), SOME, []),
    "residual": (Residual(Linear(W)), SOME, ["B_W"]),
    "heads": (Heads((Linear(S), Linear(W))), SOME, ["B_S", "B_W"]),
    "heads, concatenated": (Heads((Linear(S), Linear(W)), concatenated=True), SOME, ["B_S", "B_W"]),
    "equal heads": (EqualHeads(Symbol("H"), Linear(W)), {**SOME, "H": 3}, ["B_W"]),
    "sequence": (
        compose(Linear(S), Fixed(L_sigma), Projection(carried=True), Linear(W)), SOME, ["B_S", "L_sigma", "B_W"],
    ),
    "attention, queries": (layer(), TWO, ["B_V", "B_S"]),
    "attention, keys": (layer(ROWS), TWO, ["B_V", "B_S"]),
    "attention, on queries": (layer(ROWS, on_queries=True), TWO, ["B_V", "B_S"]),
    "attention, scores": (layer(scalar_scores=True), TWO, ["B_V", "B_S"]),
    "attention, one query": (layer(one_query=True), TWO, ["B_V", "B_S"]),
    "attention, pair": (layer(PAIR), TWO, ["B_V", "B_Q", "B_K"]),
    "attention, best gain": (layer(best_gain=True), TWO, ["B_V", "B_S"]),
    "attention, paper": (layer(kappa=Integer(2)), TWO, ["B_V", "B_S"]),
    "joint heads": (joint_heads(), {**TWO, "H": 2}, ["B_S"]),
    "with one": (WithOne(), SOME, []),
    "shallow": (shallow().module(), {**TWO, "H": 2}, ["B_S", "B_W", "B_a"]),
    "general head": (section_4.general_head(), TWO, ["B_in", "L_out", "C_Norm"]),
    "tf-head": (section_4.head(Setting(), SHARP), TWO, ["B_V", "B_V_inf", "B_QK_inf", "L_sigma"]),
    "block": (
        networks.block(section_a3_deep.LEMMA, section_a3_deep.ONE), TWO, ["B_V", "B_QK", "B_C", "L_sigma"],
    ),
}  # fmt: skip
# small scores, where attention is an average; a void second norm of the values; and two tokens, for which the Jacobian
# of the softmax has norm 1
ATTACKED |= transformer_cases.ATTACKED
DECADES = {**dict.fromkeys(("B_S", "B_Q", "B_K", "B_QK", "B_QK_inf"), (-2.5, 1)), "B_V_inf": (1, 2), "C_Norm": 1}
DECADES |= transformer_cases.DECADES


def attackable(name):
    module, sizes, bounds = ATTACKED[name]
    decades = {"R": (-1, 1), **{b: DECADES.get(b, (-1, 1)) for b in bounds}}
    return inequality(module, R, sizes, decades)


# --- which numbers of a sensitivity are made smaller -----------------------------------------------------------------


def coefficients(name):
    module = ATTACKED[name][0]
    s = module.sensitivity(Derivation(), Signal(R, ONE, Integer(2)))
    labels = list(dict.fromkeys(w.matrix.label for w in s.weights))
    lipschitz = ["lipschitz"]
    try:
        s.lipschitz()
    except ValueError:  # words do not move; nothing bounds the scores of a general head
        lipschitz = []
    return [*lipschitz, "radius", *(f"{what} {label}" for what in ("coefficient", "reach") for label in labels)]


def mutated(s, which, factor):
    """One number of a sensitivity, made smaller."""
    what, _, label = which.partition(" ")
    if what == "lipschitz":
        return replace(s, lipschitz=lambda: factor * s.lipschitz())
    if what == "radius":
        return replace(s, output=replace(s.output, radius=factor * s.output.radius))
    field = {"coefficient": "coefficient", "reach": "radius"}[what]
    weights = (replace(w, **{field: factor * getattr(w, field)}) if w.matrix.label == label else w for w in s.weights)
    return replace(s, weights=tuple(weights))


MUTATED = [
    (name, which) for name in ATTACKED for which in coefficients(name)
    if which in transformer_cases.ONLY.get(name, (which,))
]  # fmt: skip
