"""Modules to compose, as in torch, of which `maurey.derive` makes a bound.

A network is a `Sequence` of modules. Sizes and norms are numbers, or names: `"d"`, `"B_V"`; in `Layers` a bound
`"B_V[i]"` is one that each layer has for itself. A matrix has a name of its own, and bounds on its norms: spectral,
frobenius, rows and columns (the longest one), row_sum and column_sum, row_l1, column_l1 and entries (the sum of the
absolute ones). What is not said is named: the spectral norm of `Linear("W", ...)` is `B_W`.

>>> import maurey
>>> from maurey import nn
>>> block = nn.Sequence(nn.Residual(nn.MultiHead("d", heads="H")), nn.LayerNorm("d"))
>>> network = nn.Sequence(nn.Layers(block, "L"), nn.Read("mean"), nn.Head("head", 2, "d"))
>>> bound = maurey.derive(network, nn.Tokens("T", radius=1), loss=nn.Ramp("margin"), route="net")
>>> at = dict(L=12, d=64, H=4, B_Q=1, B_K=1, B_V=1, B_O=1, B_head=1, eps_LN="1e-5", margin=1, delta="1/20")
>>> bound.samples_for(1, **at).m
7093165

What can be composed: Sequence, Residual, Parallel, Layers; Linear, Head, Unembedding, LayerNorm, RMSNorm, Activation,
Lipschitz, Projection, Softcap, MLP, GatedMLP, MultiHead, Attention, Embedding, Patches, Read. Losses: Ramp,
CrossEntropy, ZeroOne. Inputs: Tokens, Words. A module of one's own is a frozen dataclass with a method `sensitivity`,
which `attack` holds against its `forward`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Expr, Integer

from maurey.symbolic import modules as m
from maurey.symbolic.architecture import GATES
from maurey.symbolic.errors import InputError, cut, perhaps
from maurey.symbolic.modules.activations import ACTIVATIONS
from maurey.symbolic.norms import Matrix as Map

from .matrices import Matrix, biases, column, is_map, matrix, named
from .sizes import Size, positive, size, value

__all__ = [
    *("Activation", "Attention", "CrossEntropy", "Embedding", "GatedMLP", "Head", "JointHeads", "LayerNorm", "Layers"),
    *("Linear", "Lipschitz", "MLP", "Matrix", "MultiHead", "Parallel", "Patches", "Projection", "RMSNorm", "Ramp"),
    *("Read", "Residual", "Sequence", "Softcap", "Tokens", "Unembedding", "WithOne", "Words", "ZeroOne", "attack"),
]
READS = ("cls", "last", "mean", "max", "all")


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{perhaps(name, __all__)}")


# --- composition ------------------------------------------------------------------------------------------------------


def _modules(given: Iterable[Any]) -> tuple[Any, ...]:
    found = tuple(given)
    for one in found:
        if not callable(getattr(one, "sensitivity", None)) or isinstance(one, type):
            raise InputError(f"a network is made of modules, e.g. nn.Linear('W', 2, 'd'), got {cut(repr(one))}")
    if not found:
        raise InputError("a sequence has at least one module")
    return found


def Sequence(*modules: Any) -> m.Sequence:
    """One after the other."""
    return m.Sequence(_modules(modules))


def _one(modules: tuple[Any, ...]) -> Any:
    return _modules(modules)[0] if len(modules) == 1 else Sequence(*modules)


def Residual(*modules: Any) -> m.Residual:
    """x + f(x), f being these modules one after the other."""
    return m.Residual(_one(modules))


def Parallel(*modules: Any) -> m.Heads:
    """The sum of what they do side by side."""
    return m.Heads(_modules(modules))


def Layers(block: Any, number: Size) -> m.Layers:
    """So many layers like this one, each with weights of its own. A bound `B_V[i]` is that of layer i."""
    return m.Layers(_modules([block])[0], size(number, "the number of layers"))


# --- maps -------------------------------------------------------------------------------------------------------------


def Linear(name: Any, outputs: Size = None, inputs: Size = None, bias: Any = None, **norms: Size) -> m.Linear:
    """x -> Mx, of a matrix or of its name and sizes; with a bias of norm at most so much (True: B_name_bias)."""
    M = name if isinstance(name, Map) else Matrix(name, outputs, inputs, **norms)
    return m.Linear(M, bias=column(bias, f"{M.label}_bias", M.outputs))


def Head(name: Any, outputs: Size = None, inputs: Size = None, bias: Any = None, **norms: Size) -> m.Linear:
    """A linear map to scores of classes, which are measured by the largest: it counts by its longest row, not by its
    spectral norm, and so does its bias by its largest entry."""
    M = name if isinstance(name, Map) else Matrix(name, outputs, inputs, **norms)
    return m.Linear(
        M, M.outputs != 1, column(bias, f"{M.label}_bias", M.outputs, "spectral" if M.outputs == 1 else "rows")
    )


def Unembedding(table: Any, bias: Any = None) -> m.Unembedding:
    """The table of the words once more, as a read-out: one matrix, used twice. `table` is the Embedding that the
    network begins with, or its matrix, which has a column for each word."""
    table = is_map(table.words if isinstance(table, m.Embedding) else table, "the table of an Unembedding")
    return m.Unembedding(table, column(bias, "head_bias", table.inputs, "rows"))


def LayerNorm(
    width: Size, eps: Size = "eps_LN", gain: Any = None, bias: Any = None, name: str = "N", least: Size = None
) -> m.LayerNorm:
    """g * (x - mean)/sqrt(variance + eps) + b. Gains and biases that are not given are fixed at 1 and 0; True names
    their bounds, of a norm called N B_N_gain (the largest entry) and B_N_bias (the norm). With `least`, tokens are
    assumed to vary so much, which gives no bound on a risk."""
    return _norm(width, eps, gain, bias, name, least, centred=True)


def RMSNorm(width: Size, eps: Size = "eps_LN", gain: Any = None, name: str = "N", least: Size = None) -> m.LayerNorm:
    """g * x/sqrt(mean square + eps): LayerNorm without centring and bias."""
    return _norm(width, eps, gain, None, name, least, centred=False)


def _norm(width: Size, eps: Size, gain: Any, bias: Any, name: str, least: Size, centred: bool) -> m.LayerNorm:
    floor, name = value(eps, "eps"), named(name, "a norm", "N1")
    if floor == 0:
        raise InputError(
            "eps = 0: such a norm has no Lipschitz constant, for u/|u| is not continuous at 0; give an eps"
        )
    g, b = column(gain, f"{name}_gain", width, "rows"), column(bias, f"{name}_bias", width)
    return m.LayerNorm(size(width, "a width"), floor, g, b, centred, None if least is None else value(least))


def _known(name: Any, what: str, names: Iterable[str]) -> None:
    if not isinstance(name, str) or name not in names:
        raise InputError(f"no {what} {cut(repr(name))}{perhaps(str(name), names)}; there are {', '.join(names)}")


def Activation(name: str, width: Size = None) -> m.Activation:
    """relu, gelu, gelu_tanh, silu, quick_gelu, tanh, sigmoid (of a given width) or identity."""
    _known(name, "activation", ACTIVATIONS)
    if name == "sigmoid" and width is None:
        raise InputError("a sigmoid is not zero at zero: what comes out has a radius only if its width is given")
    return m.Activation(name, None if width is None else size(width, "a width"))


def Lipschitz(constant: Size = 1) -> m.Fixed:
    """Any fixed map with this Lipschitz constant that takes zero to zero."""
    return m.Fixed(value(constant, "a Lipschitz constant"))


def Softcap(cap: Size) -> m.Softcap:
    """c tanh(u/c)."""
    return m.Softcap(positive(cap, "a cap"))


def Projection(carried: bool = False) -> m.Projection:
    """To the nearest point of the unit ball; with `carried`, shorter tokens are known to stay so."""
    return m.Projection(carried)


def MLP(
    width: Size, hidden: Size, activation: str = "gelu", W1: Any = None, W2: Any = None, bias: Any = False
) -> m.Sequence:
    """W2 f(W1 x). W1 and W2 are bounds on their spectral norms, or matrices; `bias` is True, or which: ["W1"]."""
    maps = {"W1": matrix(W1, "W1", hidden, width), "W2": matrix(W2, "W2", width, hidden)}
    first, last = (m.Linear(maps[name], bias=b) for name, b in biases(bias, maps).items())
    return Sequence(first, Activation(activation, hidden), last)


def GatedMLP(
    width: Size,
    hidden: Size,
    activation: str = "swiglu",
    G: Any = None,
    U: Any = None,
    D: Any = None,
    bias: Any = False,
) -> m.Gated:
    """D(f(Gx) * Ux); swiglu, geglu, reglu, glu, or the name of f. `bias` is True, or which: ["G", "U"]."""
    _known(activation, "activation", (*GATES, *ACTIVATIONS))
    sizes = {"G": (hidden, width), "U": (hidden, width), "D": (width, hidden)}
    maps = {name: matrix(given, name, *sizes[name]) for name, given in (("G", G), ("U", U), ("D", D))}
    b, f = biases(bias, maps), GATES.get(activation, activation)
    return m.Gated(maps["G"], maps["U"], maps["D"], f, gate_bias=b["G"], up_bias=b["U"], down_bias=b["D"])


# --- attention --------------------------------------------------------------------------------------------------------


def MultiHead(
    width: Size,
    heads: Size,
    head_width: Size = None,
    groups: Size = None,
    Q: Any = None,
    K: Any = None,
    V: Any = None,
    O: Any = None,  # noqa: E741
    bias: Any = False,
    causal: bool = False,
    rope: Any = False,
    alibi: bool = False,
    relative: Any = None,
    qk_norm: Size = None,
    qk_gain: Any = None,
) -> m.MultiHead:
    """Attention with output projection. Q, K, V, O are bounds on the spectral norms of the whole matrices, or matrices.

    `bias`: True, or which: ["Q", "V"], or with bounds of their own: {"Q": 1}. A mask (`causal`, or any other) and fixed
    scores (`alibi`) change no constant. `groups`: of heads that share keys and values. `rope`: True, or the base of the
    angles. `relative`: how many numbers are trained for each head and added to its scores. `qk_norm`: the eps of an
    RMSNorm of queries and keys, with gains if `qk_gain`: True, or a bound on the largest."""
    d, H = size(width, "a width"), size(heads, "the number of heads")
    G = H if groups is None else size(groups, "the number of groups")
    if all(n.is_Integer for n in (d, H)) and head_width is None and d % H:
        raise InputError(f"heads = {H} does not divide width = {d}; give head_width if heads have another width")
    if all(n.is_Integer for n in (G, H)) and H % G:
        raise InputError(f"groups = {G} does not divide heads = {H}")
    k = d / H if head_width is None else size(head_width, "the width of a head")
    every, shared = (d if head_width is None and n == H else n * k for n in (H, G))
    maps = {"Q": matrix(Q, "Q", every, d), "K": matrix(K, "K", shared, d),
            "V": matrix(V, "V", shared, d), "O": matrix(O, "O", d, every)}  # fmt: skip
    if qk_gain is not None and qk_norm is None:
        raise InputError("qk_gain is for heads with a norm: give qk_norm, its eps")
    if rope is not False and k.is_Integer and k % 2:
        raise InputError(f"rope turns pairs of coordinates, and a head has {k}")
    base = None if rope is False else Integer(10000) if rope is True else positive(rope, "the base of RoPE")
    b = biases(bias, maps)
    of_queries, of_keys = (column(qk_gain, f"N{side}_gain", k, "rows") for side in "qk")
    return m.MultiHead(
        query=maps["Q"], key=maps["K"], value=maps["V"], output=maps["O"], heads=H, width=k,
        query_bias=b["Q"], key_bias=b["K"], value_bias=b["V"], output_bias=b["O"],
        groups=None if groups is None else G, causal=causal, rotary=base, alibi=alibi,
        relative=None if relative is None else column(True, "relative_gain", H * size(relative), "rows"),
        qk_norm=None if qk_norm is None else m.QKNorm(positive(qk_norm, "qk_norm, an eps,"), of_queries, of_keys),
    )  # fmt: skip


def _softmax(kappa: Size) -> Expr:
    """In l1, per unit by which the largest score moves; with two keys and equal scores it is 1."""
    found = value(kappa, "kappa")
    if found.is_number and found < 1:
        raise InputError(f"kappa is at least 1, for a softmax moves so much, got {cut(str(kappa))}")
    return found


def Attention(
    V: Map, scores: Any, kappa: Size = 1, one_query: bool = False, scalar_scores: bool = False, best_gain: bool = True
) -> m.Attention:
    """Attention of the papers: the average of Vz with the weights softmax(x . Sz), S a matrix or a pair (Q, K) of them.
    `kappa` is the constant taken for the softmax; see `maurey.symbolic.modules.attention`."""
    is_map(V, "V")
    for one in scores if isinstance(scores, tuple) and len(scores) == 2 else (scores,):
        is_map(one, "the matrix of scores, or each of two,")
    return m.Attention(V, scores, _softmax(kappa), one_query, scalar_scores, best_gain)


def JointHeads(matrix: Map, heads: Size, kappa: Size = 1) -> m.JointHeads:
    """Heads side by side whose values are the tokens themselves, with one query for each sequence."""
    is_map(matrix, "the matrix of joint heads")
    return m.JointHeads(matrix, size(heads, "the number of heads"), _softmax(kappa))


def WithOne() -> m.WithOne:
    """(x, 1): what makes a bias a column of the next matrix."""
    return m.WithOne()


# --- inputs and read-outs ---------------------------------------------------------------------------------------------


def Tokens(number: Size, radius: Size = None, samples: Size = "m", radius_1: Size = None) -> m.Signal:
    """Sequences of so many tokens of norm at most the radius (in l1, at most radius_1)."""
    if radius is None:
        raise InputError("the radius of the tokens is not known: give Tokens(..., radius=1)")
    one = None if radius_1 is None else value(radius_1)
    return m.Signal(value(radius, "a radius"), size(samples), size(number, "the number of tokens"), one)


def Words(number: Size, samples: Size = "m") -> m.Signal:
    """Sequences of so many words, for a network that begins with an Embedding."""
    return m.Signal(Integer(1), size(samples), size(number, "the number of words"), Integer(1))


def Embedding(
    vocabulary: Size,
    width: Size,
    positions: Size = None,
    types: Size = None,
    E: Any = None,
    P: Any = None,
    S: Any = None,
) -> m.Embedding:
    """A vector for each word, for each of so many positions and of so many types, added; E, P and S bound the longest,
    called B_E_rows, B_P_rows, B_S_rows if they are not given."""
    places = None if positions is None else matrix(P, "P", width, positions, "columns")
    kinds = None if types is None else matrix(S, "S", width, types, "columns")
    return m.Embedding(matrix(E, "E", width, vocabulary, "columns"), places, kinds)


def Patches(
    numbers: Size, width: Size, positions: Size = None, first: Any = True, W: Any = None, P: Any = None
) -> m.Patches:
    """Patches of so many numbers, mapped alike, behind a token of its own (`first`, [CLS])."""
    places = None if positions is None else matrix(P, "P", width, positions, "columns")
    return m.Patches(matrix(W, "patch", width, numbers), column(first, "cls_bias", width), None, places)


def Read(what: str, width: Size = None) -> Any:
    """cls (the first token), last, mean, max (of every coordinate; give the width), or all."""
    _known(what, "read-out", READS)
    if what == "max" and width is None:
        raise InputError("Read('max', width) needs the width of a token")
    return {
        "cls": lambda: m.ReadToken(), "last": lambda: m.ReadToken(last=True), "mean": m.MeanToken,
        "max": lambda: m.LargestToken(size(width, "a width")), "all": lambda: m.Activation("identity"),
    }[what]()  # fmt: skip


# --- losses -----------------------------------------------------------------------------------------------------------


def Ramp(margin: Size = 1, several: bool = True) -> m.Ramp:
    """min(1, max(0, 1 - u/margin)) of the margin u of K scores; with several=False of yu, one output and a label."""
    return m.Ramp(positive(margin, "a margin"), several)


def CrossEntropy(cap: Size, several: bool = True) -> m.CrossEntropy:
    """Cut at `cap`, without which no loss is bounded."""
    return m.CrossEntropy(positive(cap, "a cap"), several)


def ZeroOne() -> m.ZeroOne:
    """1 for a wrong label; the route `bits` alone speaks of it."""
    return m.ZeroOne()


# --- a module of one's own --------------------------------------------------------------------------------------------


def attack(module: Any, sizes: dict[str, int], effort: str = "quick") -> Any:
    """Hold what a module states against what it computes: gradient ascent on the ratio, over inputs and weights.

    A module of one's own needs a method `forward(x, run)`, in which `run.mapped(M, x)` is Mx, `run.shifted(x, b)` adds
    a bias and `run.scaled(x, g)` multiplies by a gain, so that it is known what the weights act on.

    >>> from maurey import nn
    >>> found = nn.attack(nn.MultiHead("d", 1), sizes={"T": 2, "d": 2})
    >>> found.refuted, found.ratios["V"] > 0.9
    (False, True)
    """
    from maurey.verify.attack.own import attacked
    from maurey.verify.checks import effort as how_hard

    return attacked(_modules([module])[0], sizes, how_hard(effort))
