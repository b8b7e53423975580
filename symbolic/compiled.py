"""An architecture as a composition of modules: the matrices have the names of its slots, the norms those of its norms.

Sizes and norms stay letters, to which `values` gives what the record says, so that the bound is a formula in them. A
norm that is one number for all layers is one letter; a list is a letter with an index.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from sympy import Expr, Indexed, Integer, Symbol

from .architecture import GATES, SUFFIXES, Architecture, H, T, d, head_width, split
from .bounds import Stored
from .modules import (
    Activation,
    CrossEntropy,
    Embedding,
    Gated,
    Heads,
    LargestToken,
    LayerNorm,
    Layers,
    Linear,
    MeanToken,
    Module,
    MultiHead,
    Patches,
    QKNorm,
    Ramp,
    ReadToken,
    Residual,
    Sequence,
    Signal,
    Unembedding,
    ZeroOne,
    compose,
    times,
)
from .modules.layers import INDEX
from .names import symbols
from .norms import Matrix

L, G, m, eps_LN, B_X, margin, cap = symbols("L G m eps_LN B_X margin cap")
USUAL = {"map": "spectral", "table": "columns", "vector": "spectral"}  # the norms of a formula without numbers


class Compiler:
    """Matrices of one architecture, by name."""

    def __init__(self, a: Architecture) -> None:
        self.a, self.slots = a, a.slots

    def matrix(self, name: str) -> Matrix | None:
        """None of what is optional and not given."""
        slot, a = self.slots.get(name), self.a
        if slot is None or (slot.optional and name not in a.given):
            return None
        bounds = {field: self._bound(norm, raw) for norm, raw in a.norms.items()
                  if (field := split(norm, self.slots)[1]) and split(norm, self.slots)[0] is slot}  # fmt: skip
        if not bounds:
            usual = "rows" if name == "head" and a.classes > 1 else USUAL[slot.kind]
            suffix = next(s for s, field in SUFFIXES[slot.kind].items() if field == usual)
            bounds = {usual: Symbol(f"B_{name}_{suffix}" if suffix else f"B_{name}")}
        return Matrix(name, mark(name), slot.outputs, slot.inputs, **bounds)

    def needed(self, name: str) -> Matrix:
        found = self.matrix(name)
        assert found is not None
        return found

    def _bound(self, norm: str, raw: Any) -> Expr:
        return Indexed(f"B_{norm}", INDEX) if isinstance(raw, tuple) else Symbol(f"B_{norm}")

    # --- pieces -------------------------------------------------------------------------------------------------------

    def norm(self, name: str) -> LayerNorm:
        gain, bias = self.matrix(f"{name}_gain"), self.matrix(f"{name}_bias")
        return LayerNorm(d, self.eps, gain, bias, self.a.norm == "layer")

    @property
    def eps(self) -> Expr:
        return eps_LN if self.a.norm_eps else Integer(0)

    def linear(self, name: str, largest: bool = False) -> Linear:
        return Linear(self.needed(name), largest, self.matrix(f"{name}_bias"))

    def attention(self) -> MultiHead:
        a = self.a
        found: dict[str, Any] = {}
        for name, part in (("Q", "query"), ("K", "key"), ("V", "value"), ("O", "output")):
            found |= {part: self.needed(name), f"{part}_bias": self.matrix(f"{name}_bias")}
        normed = QKNorm(self.eps, self.matrix("Nq_gain"), self.matrix("Nk_gain"), a.norm == "layer")
        return MultiHead(
            **found,
            heads=H,
            width=head_width(a),
            groups=G if a.kv_heads else None,
            causal=a.kind == "decoder",
            rotary=Integer(1) * a.rope_base.numerator / a.rope_base.denominator if a.positions == "rope" else None,
            alibi=a.positions == "alibi",
            qk_norm=normed if a.qk_norm else None,
        )

    def mlp(self) -> Module:
        if self.a.gated:
            G, U, D = (self.linear(name) for name in "GUD")
            gate = GATES[self.a.activation]
            return Gated(G.matrix, U.matrix, D.matrix, gate, gate_bias=G.bias, up_bias=U.bias, down_bias=D.bias)
        return compose(self.linear("W1"), Activation(self.a.activation), self.linear("W2"))

    def block(self) -> Module:
        attention, mlp, N1 = self.attention(), self.mlp(), self.norm("N1")
        if self.a.norm_at == "parallel":
            return Residual(compose(N1, Heads((attention, mlp))))
        N2 = self.norm("N2")
        if self.a.norm_at == "post":
            return compose(Residual(attention), N1, Residual(mlp), N2)
        return compose(Residual(compose(N1, attention)), Residual(compose(N2, mlp)))

    def first(self) -> Module:
        if self.a.vocabulary:
            return Embedding(self.needed("E"), self.matrix("P"), self.matrix("S"), self.a.first_position)
        return Patches(self.needed("patch"), self.matrix("cls"), self.matrix("patch_bias"), self.matrix("P"))

    def last(self) -> Iterator[Module]:
        a = self.a
        if a.norm_at_end:
            yield self.norm("N3")
        readers: dict[str, Module] = {"cls": ReadToken(), "last": ReadToken(last=True), "mean": MeanToken()}
        readers["max"] = LargestToken(d)
        if a.read in readers:
            yield readers[a.read]
        if a.pooler:
            yield from (self.linear("pool"), Activation(a.pooler))
            yield from [self.norm("N4")] if a.pooler_norm else []
        bias = self.matrix("head_bias")
        yield Unembedding(self.needed("E"), bias) if a.tied else self.linear("head", largest=a.classes > 1)


def mark(name: str) -> str:
    """In LaTeX: a bias of Q is b_Q, the gain of N1 is g_1."""
    base, _, kind = name.partition("_")
    if kind in ("bias", "gain"):
        letter = "b" if kind == "bias" else "g"
        return f"{letter}_{{{base[1:] if base.startswith('N') else base}}}"
    return f"{base[0]}_{base[1]}" if base in ("W1", "W2") else rf"\mathrm{{{base}}}" if len(base) > 1 else base


def network(a: Architecture) -> Sequence:
    """From words or patches to the scores of the classes."""
    c = Compiler(a)
    embedded = [c.norm("N0")] if a.norm_after_embeddings else []
    return compose(c.first(), *embedded, Layers(c.block(), L), *c.last())


def loss(a: Architecture) -> Any:
    """With the mean over the tokens, where each has a loss; the 0-1 loss is no module."""
    if a.loss.kind == "0-1":
        return ZeroOne()
    several = a.classes > 1
    one = Ramp(margin, several) if a.loss.kind == "ramp" else CrossEntropy(cap, several)
    return Sequence((one, MeanToken())) if a.read == "all" else one


def inputs(a: Architecture) -> Signal:
    """Words are one-hot vectors; patches have a largest norm, and one token of their sequence may be no patch."""
    if a.vocabulary:
        return Signal(Integer(1), m, T, Integer(1))
    return Signal(B_X, m, T - 1 if a.read == "cls" else T)


def stored(a: Architecture) -> Stored:
    """How many numbers the model is made of, tensor by tensor."""
    found = {}
    for slot in a.slots.values():
        if slot.optional and slot.name not in a.given:
            continue
        expert = a.experts and slot.name.split("_")[0] in ("W1", "W2", "G", "U", "D")
        count = times(*([Symbol("n_experts")] if expert else []), slot.outputs, slot.inputs)
        found[slot.name] = count, (INDEX, L) if slot.per_layer else None
    return found


def values(a: Architecture) -> dict[str, Any]:
    """What the record says of every letter."""
    found: dict[str, Any] = {
        "L": a.layers, "d": a.width, "H": a.heads, "G": a.kv_heads, "k": a.head_width, "d_ff": a.hidden, "T": a.context,
        "K": a.vocabulary, "n_out": a.outputs, "n_types": a.types, "d_p": a.patch, "n_experts": a.experts,
        "B_X": a.patch_radius, "eps_LN": a.norm_eps, "margin": a.loss.margin, "cap": a.loss.cap,
    }  # fmt: skip
    found = {name: Fraction(x) for name, x in found.items() if x}
    return found | {f"B_{name}": list(x) if isinstance(x, tuple) else x for name, x in a.norms.items()}
