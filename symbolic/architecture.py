"""The record of an architecture, and what is asked of it: the tables [model], [norms] and [loss] of a file.

A record says which tensors there are (`slots`), under names that the norms are given by; `compiled` turns it into a
composition of modules whose matrices have these names. Whoever reads a checkpoint fills a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from sympy import Expr, Integer, Symbol

from .errors import InputError, cut, perhaps
from .names import symbols

GATES = {"swiglu": "silu", "geglu": "gelu", "geglu_tanh": "gelu_tanh", "reglu": "relu", "glu": "sigmoid"}
PLAIN = ("relu", "gelu", "gelu_tanh", "silu", "quick_gelu", "tanh")
CHOICES = {
    "kind": ("encoder", "decoder"),
    "norm": ("layer", "rms"),
    "norm_at": ("pre", "post", "parallel"),
    "activation": (*PLAIN, *GATES),
    "positions": ("learned", "rope", "alibi", "none"),
    "read": ("cls", "mean", "last", "max", "all"),
    "pooler": ("", *PLAIN),
}
LOSSES = {"0-1": (), "ramp": ("margin",), "cross-entropy": ("cap",)}  # and what they take

Norm = Fraction | tuple[Fraction, ...]  # one for all layers, or one for each


@dataclass(frozen=True)
class Loss:
    kind: str = "ramp"  # 0-1, ramp, cross-entropy
    margin: Fraction = Fraction(1)
    cap: Fraction = Fraction(1)


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """Sizes are those of the whole model; `norms` are bounds by the names of `slots`, with a suffix for each kind."""

    kind: str
    layers: int
    width: int
    heads: int
    hidden: int  # width of the MLP
    context: int  # tokens, [CLS] included
    norm: str
    norm_at: str
    norm_eps: Fraction
    activation: str
    positions: str
    read: str
    outputs: int = 0  # of a tied head: the vocabulary
    vocabulary: int = 0  # of words; a model of pictures has patches
    patch: int = 0  # numbers of a patch
    patch_radius: Fraction = Fraction(0)  # the largest norm of a patch
    kv_heads: int = 0  # groups of heads that share keys and values; as many as heads, if not said
    head_width: int = 0  # width / heads, if not said
    types: int = 0  # of tokens, each with a vector of its own
    tied: bool = False  # the head is the table of words
    embedding_norm: bool | None = None  # after the embeddings; of post-norm models, if not said
    final_norm: bool | None = None  # after the last layer; of others, if not said
    pooler: str = ""  # activation of a linear map before the head
    pooler_norm: bool = False  # behind that activation
    first_position: int = 0  # of the table of positions, where some of its vectors have no token
    qk_norm: bool = False
    rope_base: Fraction = Fraction(10000)
    experts: int = 0
    top_k: int = 0  # experts that a token is sent to
    norms: Mapping[str, Norm] = field(default_factory=dict)
    loss: Loss = field(default_factory=Loss)

    @property
    def groups(self) -> int:
        return self.kv_heads or self.heads

    @property
    def gated(self) -> bool:
        return self.activation in GATES

    @property
    def norm_after_embeddings(self) -> bool:
        return self.norm_at == "post" if self.embedding_norm is None else self.embedding_norm

    @property
    def norm_at_end(self) -> bool:
        return self.norm_at != "post" if self.final_norm is None else self.final_norm

    @property
    def classes(self) -> int:
        return self.vocabulary if self.tied else self.outputs

    @cached_property
    def slots(self) -> dict[str, Slot]:
        """The tensors by name, those of a layer in the order in which it runs."""
        return {slot.name: slot for slot in (*_inputs(self), *_layer(self), *_outputs(self))}

    @cached_property
    def given(self) -> frozenset[str]:
        """Slots of which some norm is given."""
        return frozenset(split(name, self.slots)[0].name for name in self.norms)


# --- which tensors there are ------------------------------------------------------------------------------------------

d, H, G, K, T, d_ff, n_out, n_types, n_experts, d_p = symbols("d H G K T d_ff n_out n_types n_experts d_p")
ONE = Integer(1)


@dataclass(frozen=True)
class Slot:
    """One tensor, or one for each layer."""

    name: str
    outputs: Expr
    inputs: Expr = ONE
    kind: str = "map"
    per_layer: bool = False

    @property
    def optional(self) -> bool:
        """A gain that is absent is 1, a bias none."""
        return self.kind in ("bias", "gain", "bias of scores")


SUFFIXES = {
    "map": {"": "spectral", "F": "frobenius", "rows": "rows", "21": "row_sum"},
    "table": {"": "spectral", "F": "frobenius", "rows": "columns", "21": "column_sum"},  # its vectors are its rows
    "vector": {"": "spectral"},
    "bias": {"": "spectral"},
    "bias of scores": {"": "rows"},  # which are measured by the largest one
    "gain": {"": "rows"},
}


def head_width(a: Architecture) -> Expr:
    return Symbol("k") if a.head_width else d / H


def _heads(a: Architecture, number: Symbol) -> Expr:
    """Rows of a matrix that has a block for each head, or for each group of them."""
    return d if not a.head_width and number == H else number * head_width(a)


def _norm(name: str, a: Architecture, per_layer: bool = False) -> Iterator[Slot]:
    yield Slot(f"{name}_gain", d, ONE, "gain", per_layer)
    if a.norm == "layer":
        yield Slot(f"{name}_bias", d, ONE, "bias", per_layer)


def _map(name: str, outputs: Expr, inputs: Expr, per_layer: bool = True) -> Iterator[Slot]:
    yield Slot(name, outputs, inputs, "map", per_layer)
    yield Slot(f"{name}_bias", outputs, ONE, "bias", per_layer)


def _inputs(a: Architecture) -> Iterator[Slot]:
    if a.vocabulary:
        yield Slot("E", d, K, "table")
    else:
        yield from _map("patch", d, d_p, per_layer=False)
        yield from [Slot("cls", d, ONE, "vector")] if a.read == "cls" else []
    if a.positions == "learned":
        yield Slot("P", d, T, "table")
    if a.types:
        yield Slot("S", d, n_types, "table")
    if a.norm_after_embeddings:
        yield from _norm("N0", a)


def _layer(a: Architecture) -> Iterator[Slot]:
    yield from _norm("N1", a, True)
    groups = G if a.kv_heads else H
    for name, number in (("Q", H), ("K", groups), ("V", groups)):
        yield from _map(name, _heads(a, number), d)
    if a.qk_norm:
        yield from (Slot(f"N{side}_gain", head_width(a), ONE, "gain", True) for side in "qk")
    yield from _map("O", d, _heads(a, H))
    if a.norm_at != "parallel":
        yield from _norm("N2", a, True)
    if a.experts:
        yield Slot("router", n_experts, d, per_layer=True)
    for name in ("G", "U") if a.gated else ("W1",):
        yield from _map(name, d_ff, d)
    yield from _map("D" if a.gated else "W2", d, d_ff)


def _outputs(a: Architecture) -> Iterator[Slot]:
    if a.norm_at_end:
        yield from _norm("N3", a)
    if a.pooler:
        yield from _map("pool", d, d, per_layer=False)
        if a.pooler_norm:
            yield from _norm("N4", a)
    if not a.tied:
        yield Slot("head", n_out, d)
    yield Slot("head_bias", K if a.tied else n_out, ONE, "bias of scores" if a.classes > 1 else "bias")


def split(name: str, known: Mapping[str, Slot]) -> tuple[Slot, str]:
    """A norm's name: the slot, and the field of a Matrix that it bounds."""
    base, _, suffix = (name, "", "") if name in known else name.rpartition("_")
    if base in known and suffix in SUFFIXES[known[base].kind]:
        return known[base], SUFFIXES[known[base].kind][suffix]
    names = {
        slot.name: [f"{slot.name}_{s}" if s else slot.name for s in SUFFIXES[slot.kind]] for slot in known.values()
    }
    if base in known:
        raise InputError(f"[norms] has no {cut(repr(name))}; of {base} it takes {', '.join(names[base])}")
    near = perhaps(name, [one for every in names.values() for one in every])
    raise InputError(f"[norms] has no {cut(repr(name))}{near}; there are {', '.join(known)}")
