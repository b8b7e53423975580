"""The modules of real Transformers under test: formulas in NumPy, and what is attacked; see module_cases.py."""

from math import erf

import numpy as np
from sympy import Integer, Rational, Symbol

from maurey.symbolic.modules import (
    Activation,
    CrossEntropy,
    Embedding,
    Gated,
    LargestToken,
    LayerNorm,
    Layers,
    Linear,
    MeanToken,
    MultiHead,
    Patches,
    QKNorm,
    Ramp,
    ReadToken,
    Residual,
    Softcap,
    Unembedding,
    compose,
)
from maurey.symbolic.modules.activations import CONSTANTS
from maurey.symbolic.norms import Matrix

i, ONE, EPS = Symbol("i"), Integer(1), Rational(1, 100)


def matrix(name, outputs, inputs, norm="spectral", bound=""):
    sizes = (Symbol(n) if isinstance(n, str) else Integer(n) for n in (outputs, inputs))
    return Matrix(name, name, *sizes, **{norm: Symbol(bound or f"B_{name}")})


def column(name, outputs="d", norm="spectral", bound=""):
    return matrix(name, outputs, 1, norm, bound)


GAIN, SHIFT = column("g", norm="rows"), column("b")
HEADS = dict(query=matrix("Q", 4, "d"), key=matrix("K", 4, "d"), value=matrix("V", 4, "d"), output=matrix("O", "d", 4),
             heads=Integer(2), width=Integer(2))  # fmt: skip
BIASES = dict(query_bias=column("b_Q", 4), value_bias=column("b_V", 4), output_bias=column("b_O"))
GROUPED = HEADS | dict(key=matrix("K", 2, "d"), value=matrix("V", 2, "d"), groups=ONE)
ALONE = dict(query=matrix("Q", 2, "d"), key=matrix("K", 2, "d"), value=matrix("V", 2, "d"), output=matrix("O", "d", 2),
             heads=ONE, width=Integer(2))  # fmt: skip
NORMED = QKNorm(EPS, column("g_Q", 2, "rows"), column("g_K", 2, "rows"))
GATED = dict(gate=matrix("G", "k", "d"), up=matrix("U", "k", "d"), down=matrix("D", "d", "k"))
GATE_BIASES = dict(gate_bias=column("b_G", "k"), up_bias=column("b_U", "k"), down_bias=column("b_D"))
TABLE, PLACES, TYPES = (matrix(n, "d", m, "columns") for n, m in (("E", "K"), ("P", "T"), ("S", 2)))
PATCHES = Patches(matrix("W", "d", "d"), column("c"), column("b"), matrix("P", "d", 5, "columns"))
HEAD = Linear(matrix("W", 3, "d", "rows"), largest=True, bias=column("b_W", 3, "rows"))
POST = Layers(
    compose(Residual(Linear(matrix("W", "d", "d"))), LayerNorm(Symbol("d"), EPS, column("g", norm="rows"))), Symbol("L")
)
PRE = Layers(Residual(compose(LayerNorm(Symbol("d"), EPS), Linear(matrix("W", "d", "d", bound="B_W")))), Symbol("L"))

# --- formulas ---------------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(5)
X = RNG.normal(size=(4, 3))
AT = {
    name: RNG.normal(size=shape)
    for name, shape in dict(
        g=(3, 1), b=(3, 1), Q=(4, 3), K=(4, 3), V=(4, 3), O=(3, 4), b_Q=(4, 1), b_K=(4, 1), b_V=(4, 1), b_O=(3, 1),
        G=(5, 3), U=(5, 3), D=(3, 5), b_G=(5, 1), b_U=(5, 1), b_D=(3, 1), E=(3, 6), P=(3, 5), S=(3, 2), c=(3, 1),
        W=(3, 3), b_W=(3, 1), g_Q=(2, 1), g_K=(2, 1), t=(6, 1), W_1=(3, 3), W_2=(3, 3), g_1=(3, 1), g_2=(3, 1),
    ).items()
}  # fmt: skip


def normalised(x, centred=True):
    x = x - x.mean(-1, keepdims=True) if centred else x
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + float(EPS))


def softmax(z):
    z = np.exp(z - z.max(-1, keepdims=True))
    return z / z.sum(-1, keepdims=True)


def attended(X, at, groups=2, biases=(), mask=None, turn=lambda x, _: x, added=(0, 0)):
    """Two heads of width 2."""
    Q, K, V = (X @ at[n].T + (at[f"b_{n}"].T if n in biases else 0) for n in "QKV")
    heads = []
    for h in range(2):
        q, (k, v) = Q[:, 2 * h : 2 * h + 2], (M[:, 2 * (h % groups) : 2 * (h % groups) + 2] for M in (K, V))
        scores = turn(q, "Q") @ turn(k, "K").T / np.sqrt(2) + added[h]
        heads.append(softmax(scores if mask is None else np.where(mask, scores, -np.inf)) @ v)
    return np.hstack(heads) @ at["O"].T + (at["b_O"].T if "O" in biases else 0)


def rotated(x, _):
    angles = np.arange(4)[:, None]  # of width 2 there is one angle, that of the place itself
    a, b = x[:, :1], x[:, 1:]
    return np.hstack([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)])


def gelu(u):
    return u * np.vectorize(lambda s: (1 + erf(s / np.sqrt(2))) / 2)(u)


DISTANCE = abs(np.arange(4)[:, None] - np.arange(4)[None])
ONE_GROUP = {"K": AT["K"][:2], "V": AT["V"][:2]}
patched = np.vstack([AT["c"].T, X @ AT["W"].T + AT["b"].T]) + AT["P"].T
scored = X @ AT["W"].T + AT["b_W"].T
margin = X[:, :1] - X[:, 1:].max(1, keepdims=True)
after_one = normalised(X + X @ AT["W_1"].T) * AT["g_1"].T
before_one = X + normalised(X) @ AT["W_1"].T
FORMULAS = {
    "layer norm": (LayerNorm(Integer(3), EPS, GAIN, SHIFT), normalised(X) * AT["g"].T + AT["b"].T, {}, "relu"),
    "rms norm": (LayerNorm(Integer(3), EPS, centred=False), normalised(X, False), {}, "relu"),
    "linear, bias": (Linear(matrix("W", 3, 3), bias=SHIFT), X @ AT["W"].T + AT["b"].T, {}, "relu"),
    "activation": (Activation("gelu"), gelu(X), {}, "relu"),
    "softcap": (Softcap(Integer(2)), 2 * np.tanh(X / 2), {}, "relu"),
    "gated": (
        Gated(**GATED, **GATE_BIASES, activation="gelu"),
        (gelu(X @ AT["G"].T + AT["b_G"].T) * (X @ AT["U"].T + AT["b_U"].T)) @ AT["D"].T + AT["b_D"].T, {}, "relu",
    ),
    "multi-head": (MultiHead(**HEADS), attended(X, AT), {}, "relu"),
    "multi-head, biases": (
        MultiHead(**HEADS, **BIASES, key_bias=column("b_K", 4), causal=True),
        attended(X, AT, biases="QKVO", mask=np.tri(4) > 0), {}, "relu",
    ),
    "multi-head, rotations": (
        MultiHead(**HEADS, rotary=Integer(10000)), attended(X, AT, turn=rotated), {}, "relu",
    ),
    "multi-head, slopes": (
        MultiHead(**HEADS, alibi=True), attended(X, AT, added=(-DISTANCE / 16, -DISTANCE / 256)), {}, "relu",
    ),
    "multi-head, relative": (
        MultiHead(**HEADS, relative=column("t", 6, "rows")),
        attended(X, AT, added=[AT["t"][3 * h + np.minimum(DISTANCE, 2), 0] for h in (0, 1)]), {}, "relu",
    ),
    "multi-head, groups": (MultiHead(**GROUPED), attended(X, AT | ONE_GROUP, 1), ONE_GROUP, "relu"),
    "multi-head, normed": (
        MultiHead(**HEADS, qk_norm=NORMED),
        attended(X, AT, turn=lambda x, which: normalised(x, False) * AT[f"g_{which}"].T), {}, "relu",
    ),
    "embedding": (
        Embedding(matrix("E", 3, 3), matrix("P", 3, 5), matrix("S", 3, 2)),
        AT["E"].T[X.argmax(1)] + AT["P"].T[:4] + AT["S"].T[[0, 1, 0, 1]], {"E": AT["E"][:, :3]}, "relu",
    ),
    "patches": (PATCHES, patched, {}, "relu"),
    "mean token": (MeanToken(), X.mean(0, keepdims=True), {}, "relu"),
    "largest token": (LargestToken(Integer(3)), X.max(0, keepdims=True), {}, "relu"),
    "last token": (ReadToken(last=True), X[-1:], {}, "relu"),
    "unembedding": (Unembedding(matrix("E", 3, 6), column("b", 6)), X @ AT["E"], {"b": np.zeros((6, 1))}, "relu"),
    "head": (HEAD, scored, {}, "relu"),
    "ramp": (Ramp(Integer(2)), np.clip(1 - margin / 2, 0, 1), {}, "relu"),
    "ramp, one output": (compose(ReadToken(), Ramp(Integer(2), False)), np.clip(1 - X[:1, :1] / 2, 0, 1), {}, "relu"),
    "cross-entropy": (
        compose(HEAD, CrossEntropy(Integer(3))), np.minimum(3, -np.log(softmax(scored)[:, :1])), {}, "relu",
    ),
    "cross-entropy, one output": (
        CrossEntropy(Integer(1), False), np.minimum(1, np.log(1 + np.exp(-X[:, :1]))), {}, "relu",
    ),
    "layers": (
        Layers(POST.block, Integer(2)), normalised(after_one + after_one @ AT["W_2"].T) * AT["g_2"].T, {}, "relu",
    ),
    "layers, before": (
        Layers(PRE.block, Integer(2)), before_one + normalised(before_one) @ AT["W_2"].T, {}, "relu",
    ),
}  # fmt: skip

# --- attacks ----------------------------------------------------------------------------------------------------------

TWO = {"T": 2, "d": 2, "k": 2}
THREE = {"T": 3, "d": 3, "k": 2}
WORDS = {**TWO, "K": 4, "inputs": 4}
NORMS = ["B_Q", "B_K", "B_V", "B_O"]
ATTACKED = {
    "layer norm": (LayerNorm(Symbol("d"), EPS, GAIN, SHIFT), THREE, ["B_g", "B_b"]),
    "layer norm, least": (LayerNorm(Symbol("d"), EPS, least=Symbol("r")), THREE, ["r"]),
    "rms norm": (LayerNorm(Symbol("d"), EPS, GAIN, centred=False), TWO, ["B_g"]),
    "linear, bias": (Linear(matrix("W", "k", "d"), bias=column("b", "k")), TWO, ["B_W", "B_b"]),
    "head": (HEAD, TWO, ["B_W", "B_b_W"]),
    "activation": (Activation("gelu"), TWO, ["L_gelu"]),
    "activation, sigmoid": (Activation("sigmoid", Symbol("d")), TWO, []),
    "softcap": (Softcap(Symbol("cap")), TWO, ["cap"]),
    "gated": (Gated(**GATED, activation="silu"), TWO, ["B_G", "B_U", "B_D", "L_silu"]),
    "gated, biases": (
        Gated(**GATED, **GATE_BIASES, activation="relu"), TWO, ["B_G", "B_U", "B_D", "B_b_G", "B_b_U", "B_b_D"],
    ),
    "multi-head": (MultiHead(**HEADS, **BIASES), THREE, [*NORMS, "B_b_Q", "B_b_V", "B_b_O"]),
    "multi-head, groups": (MultiHead(**GROUPED), THREE, NORMS),
    "multi-head, rotations": (
        MultiHead(**ALONE, key_bias=column("b_K", 2), rotary=Integer(10000)), TWO, [*NORMS, "B_b_K"],
    ),
    "multi-head, slopes": (MultiHead(**ALONE, alibi=True, causal=True), TWO, NORMS),
    "multi-head, relative": (MultiHead(**ALONE, relative=column("t", 3, "rows")), TWO, [*NORMS, "B_t"]),
    "multi-head, normed": (MultiHead(**ALONE, qk_norm=NORMED), TWO, [*NORMS, "B_g_Q", "B_g_K"]),
    "embedding": (Embedding(TABLE, PLACES, TYPES), WORDS, ["B_E", "B_P", "B_S"]),
    "tied": (compose(Embedding(TABLE), Linear(matrix("W", "d", "d")), Unembedding(TABLE)), WORDS, ["B_E", "B_W"]),
    "patches": (PATCHES, {**TWO, "T": 4}, ["B_W", "B_c", "B_b", "B_P"]),
    "mean token": (MeanToken(), THREE, []),
    "last token": (ReadToken(last=True), TWO, []),
    "largest token": (LargestToken(Symbol("d")), THREE, []),
    "unembedding": (Unembedding(TABLE, column("b", "K", "rows")), {**TWO, "K": 4}, ["B_E", "B_b"]),
    "ramp": (compose(HEAD, Ramp(Symbol("margin"))), TWO, ["B_W", "B_b_W", "margin"]),
    "ramp, l2": (Ramp(Symbol("margin")), TWO, ["margin"]),
    "ramp, one output": (Ramp(Symbol("margin"), False), TWO, ["margin"]),
    "cross-entropy": (compose(HEAD, CrossEntropy(Symbol("cap"))), TWO, ["B_W", "B_b_W", "cap"]),
    "cross-entropy, l2": (CrossEntropy(Symbol("cap")), TWO, ["cap"]),
    "cross-entropy, one output": (CrossEntropy(Symbol("cap"), False), TWO, ["cap"]),
    "layers": (POST, {**TWO, "L": 2}, ["B_W", "B_g"]),
    "layers, before": (PRE, {**TWO, "L": 2}, ["B_W"]),
}  # fmt: skip
DECADES = {name: float(c.value) for name, c in CONSTANTS.items()} | {"cap": (0, 1), "r": (-1.5, -0.5), "B_G": (0, 2)}
# variants of what is mutated in full elsewhere: only what is theirs
ONLY = {
    "multi-head": ("lipschitz", "radius", "reach O", *(f"coefficient {n}" for n in ("Q", "b_Q", "K", "V", "b_V"))),
    "gated": ("lipschitz", "radius", "reach D", "coefficient G", "coefficient U", "coefficient D"),
    "layer norm": ("lipschitz", "radius", "reach g", "coefficient g", "coefficient b"),
    "rms norm": ("lipschitz",),
    "embedding": ("radius", "coefficient E", "coefficient P"),
    "patches": ("lipschitz", "radius", "coefficient W", "coefficient c", "coefficient P"),
    "tied": ("coefficient E",),
    "gated, biases": ("radius", "coefficient b_G", "coefficient b_U", "coefficient b_D"),
    "multi-head, rotations": ("lipschitz", "coefficient Q", "coefficient K", "coefficient b_K"),
    "multi-head, slopes": ("lipschitz",),
    "multi-head, relative": ("lipschitz", "coefficient t"),
    "multi-head, groups": ("radius", "coefficient K", "coefficient V"),
    "multi-head, normed": ("lipschitz", "coefficient Q", "coefficient K", "coefficient g_Q", "coefficient g_K"),
    "linear, bias": ("radius", "coefficient b"),
    "activation, sigmoid": ("lipschitz", "radius"),
    "ramp": ("lipschitz",),
    "cross-entropy": ("lipschitz",),
}
