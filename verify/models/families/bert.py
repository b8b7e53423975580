"""BERT and RoBERTa: post-norm encoders with tables of positions and types (Devlin et al. 2019; Liu et al. 2019).

RoBERTa counts positions from the one behind its padding, and its classifier has the pooler inside.
"""

from __future__ import annotations

from dataclasses import replace

from maurey.symbolic.architecture import Architecture

from .configs import Config
from .places import Place, Places, Reading, Wanted, head_of, linear, normed, prefix_of, spans

WORDS = "embeddings.word_embeddings.weight"
IDS = ("embeddings.position_ids", "embeddings.token_type_ids")


def read(c: Config, wanted: Wanted) -> Reading:
    a = architecture(c)
    prefix = prefix_of(wanted, WORDS, "bert.")
    no_pooler: tuple[str, ...] = (f"{prefix}pooler.*",)
    places = body(prefix, a.layers)
    cls = "cls.predictions."
    if c.task.endswith("ForMaskedLM") and not wanted.head:
        a = replace(a, read="all", pooler=a.activation, pooler_norm=True, tied=True)
        places |= linear(f"{cls}transform.dense", "pool") | normed(f"{cls}transform.LayerNorm", "N4")
        places |= {f"{cls}bias": (Place("head_bias"),)}
        copies = {f"{cls}decoder.weight": prefix + WORDS, f"{cls}decoder.bias": f"{cls}bias"}
        return Reading("bert", a, places, ids(prefix), copies, left_out=(f"{prefix}pooler.*", "cls.seq_relationship.*"))
    if c.task.endswith("ForTokenClassification") and not wanted.head:
        a, left_out = replace(a, read="all"), no_pooler
    else:
        a, left_out = pooled(a, places, wanted, prefix, c.task)
    head = "cls.seq_relationship" if c.task.endswith("ForNextSentencePrediction") and not wanted.head else "classifier"
    a, places = head_of(a, places, wanted, c, {head: True})
    return Reading("bert", a, places, ids(prefix), left_out=("cls.*", *spans(wanted), *left_out))


def roberta(c: Config, wanted: Wanted) -> Reading:
    a = architecture(c)
    first = c.size("pad_token_id", 1) + 1
    a = replace(a, first_position=first)
    prefix = prefix_of(wanted, WORDS, "roberta.")
    no_pooler: tuple[str, ...] = (f"{prefix}pooler.*",)
    places = body(prefix, a.layers)
    cls = "lm_head."
    if c.task.endswith("ForMaskedLM") and not wanted.head:
        a = replace(a, read="all", pooler="gelu", pooler_norm=True, tied=True)
        places |= linear(f"{cls}dense", "pool") | normed(f"{cls}layer_norm", "N4")
        places |= {f"{cls}bias": (Place("head_bias"),)}
        copies = {f"{cls}decoder.weight": prefix + WORDS, f"{cls}decoder.bias": f"{cls}bias"}
        return Reading("roberta", a, places, ids(prefix), copies, left_out=no_pooler)
    if c.task.endswith("ForTokenClassification") and not wanted.head:
        a, left_out = replace(a, read="all"), no_pooler
        a, places = head_of(a, places, wanted, c, {"classifier": True})
    elif c.task.endswith("ForSequenceClassification") and not wanted.head:
        a, left_out = replace(a, pooler="tanh"), no_pooler
        places |= linear("classifier.dense", "pool")
        a, places = head_of(a, places, wanted, c, {"classifier.out_proj": True})
    else:
        a, left_out = pooled(a, places, wanted, prefix, c.task)
        a, places = head_of(a, places, wanted, c, {"classifier.out_proj": True, "classifier": True})
    return Reading("roberta", a, places, ids(prefix), left_out=("lm_head.*", *spans(wanted), *left_out))


def architecture(c: Config) -> Architecture:
    c.only("position_embedding_type", "absolute")
    c.only("tie_word_embeddings", True)
    c.only("pruned_heads", {})
    return Architecture(
        kind="encoder",
        layers=c.layers("num_hidden_layers"),
        width=c.size("hidden_size"),
        heads=c.size("num_attention_heads"),
        hidden=c.size("intermediate_size"),
        context=c.size("max_position_embeddings"),
        vocabulary=c.size("vocab_size"),
        types=c.size("type_vocab_size", 2),
        norm="layer",
        norm_at="post",
        norm_eps=c.number("layer_norm_eps", 1e-12),
        activation=c.activation("hidden_act", "gelu"),
        positions="learned",
        read="cls",
    )


def body(prefix: str, layers: int) -> Places:
    places = {
        WORDS: (Place("E"),), "embeddings.position_embeddings.weight": (Place("P"),),
        "embeddings.token_type_embeddings.weight": (Place("S"),), **normed("embeddings.LayerNorm", "N0"),
    }  # fmt: skip
    for i in range(layers):
        at, n = f"encoder.layer.{i}.", i + 1
        for part, slot in (("query", "Q"), ("key", "K"), ("value", "V")):
            places |= linear(f"{at}attention.self.{part}", slot, n)
        places |= linear(f"{at}attention.output.dense", "O", n) | normed(f"{at}attention.output.LayerNorm", "N1", n)
        places |= linear(f"{at}intermediate.dense", "W1", n) | linear(f"{at}output.dense", "W2", n)
        places |= normed(f"{at}output.LayerNorm", "N2", n)
    return {prefix + name: place for name, place in places.items()}


def ids(prefix: str) -> tuple[str, ...]:
    return tuple(prefix + name for name in IDS)


def pooled(
    a: Architecture, places: Places, wanted: Wanted, prefix: str, task: str
) -> tuple[Architecture, tuple[str, ...]]:
    """[CLS] through the pooler, if there is one; or what a list of further modules says is read."""
    dense = f"{prefix}pooler.dense"
    has_one = f"{dense}.weight" in wanted.shapes or (task.endswith("ForSequenceClassification") and not wanted.head)
    if wanted.pooling or not has_one:
        return replace(a, read=wanted.pooling or "cls"), (f"{prefix}pooler.*",)
    places |= linear(dense, "pool")
    return replace(a, pooler="tanh"), ()
