"""DistilBERT: BERT without types and pooler, and with a classifier of two layers (Sanh et al. 2019)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from maurey.symbolic.architecture import Architecture

from .configs import Config
from .places import Place, Places, Reading, Wanted, head_of, linear, normed, prefix_of, spans

WORDS = "embeddings.word_embeddings.weight"
EPS = Fraction(1, 10**12)  # of every norm; no key says it


def read(c: Config, wanted: Wanted) -> Reading:
    c("sinusoidal_pos_embds")  # how the table of positions was made
    c.only("tie_weights_", True)
    c.only("tie_word_embeddings", True)
    c.only("pruned_heads", {})
    a = Architecture(
        kind="encoder",
        layers=c.layers("n_layers"),
        width=c.size("dim"),
        heads=c.size("n_heads"),
        hidden=c.size("hidden_dim"),
        context=c.size("max_position_embeddings"),
        vocabulary=c.size("vocab_size"),
        norm="layer",
        norm_at="post",
        norm_eps=EPS,
        activation=c.activation("activation", "gelu"),
        positions="learned",
        read="cls",
    )
    prefix = prefix_of(wanted, WORDS, "distilbert.")
    places, buffers = _body(prefix, a.layers), (f"{prefix}embeddings.position_ids",)
    if c.task.endswith("ForMaskedLM") and not wanted.head:
        a = replace(a, read="all", pooler=a.activation, pooler_norm=True, tied=True)
        places |= linear("vocab_transform", "pool") | normed("vocab_layer_norm", "N4")
        places |= {"vocab_projector.bias": (Place("head_bias"),)}
        return Reading("distilbert", a, places, buffers, {"vocab_projector.weight": prefix + WORDS})
    if c.task.endswith("ForTokenClassification") and not wanted.head:
        a = replace(a, read="all")
    elif wanted.head:
        a = replace(a, read=wanted.pooling or "cls")
    else:
        a = replace(a, pooler="relu")
        places |= linear("pre_classifier", "pool")
    a, places = head_of(a, places, wanted, c, {"classifier": True})
    return Reading("distilbert", a, places, buffers, left_out=("vocab_*", *spans(wanted)))


def _body(prefix: str, layers: int) -> Places:
    places: Places = {
        WORDS: (Place("E"),), "embeddings.position_embeddings.weight": (Place("P"),),
        **normed("embeddings.LayerNorm", "N0"),
    }  # fmt: skip
    for i in range(layers):
        at, n = f"transformer.layer.{i}.", i + 1
        for part, slot in (("q", "Q"), ("k", "K"), ("v", "V"), ("out", "O")):
            places |= linear(f"{at}attention.{part}_lin", slot, n)
        places |= normed(f"{at}sa_layer_norm", "N1", n) | normed(f"{at}output_layer_norm", "N2", n)
        places |= linear(f"{at}ffn.lin1", "W1", n) | linear(f"{at}ffn.lin2", "W2", n)
    return {prefix + name: place for name, place in places.items()}
