"""LLaMA and Mistral: pre-norm decoders with RMSNorm, rotations, gates and grouped queries (Touvron et al. 2023; Jiang
et al. 2023)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from maurey.symbolic.architecture import Architecture
from maurey.symbolic.errors import InputError, cut
from maurey.symbolic.model_tables import number

from .configs import Config
from .places import Place, Places, Reading, Wanted, head_of, linear, normed, prefix_of

WORDS = "embed_tokens.weight"
ANGLES: dict[str, tuple[str, ...]] = {  # types of rotations, and the keys that say more of their angles
    "default": (),
    "linear": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
}
GATES = {"silu": "swiglu", "gelu": "geglu", "gelu_tanh": "geglu_tanh", "relu": "reglu"}


def read(c: Config, wanted: Wanted) -> Reading:
    c.only("pretraining_tp", 1)
    c.only("partial_rotary_factor", 1.0, 1)
    activation = c.activation("hidden_act", "silu")
    if activation not in GATES:
        raise InputError(f"config.json: no gate with hidden_act = {activation} is known; there are {', '.join(GATES)}")
    heads, width = c.size("num_attention_heads"), c.size("hidden_size")
    groups, head_width = c.size("num_key_value_heads", heads), c.size("head_dim", max(1, width // heads))
    base, angles = _rotations(c)
    a = Architecture(
        kind="decoder",
        layers=c.layers("num_hidden_layers"),
        width=width,
        heads=heads,
        kv_heads=groups if groups != heads else 0,
        head_width=head_width if head_width * heads != width else 0,
        hidden=c.size("intermediate_size"),
        context=c.size("max_position_embeddings"),
        vocabulary=c.size("vocab_size"),
        norm="rms",
        norm_at="pre",
        norm_eps=c.number("rms_norm_eps", 1e-6),
        activation=GATES[activation],
        positions="rope",
        rope_base=base,
        read="last",
    )
    a, stated = _window(a, c)
    if angles:
        stated += (f"rotations are of type {angles}: they keep lengths, so that no bound depends on their angles",)
    prefix, biases = prefix_of(wanted, WORDS, "model."), (c.flag("attention_bias", False), c.flag("mlp_bias", False))
    places = _body(prefix, a.layers, *biases)
    buffers = (f"{prefix}layers.*.self_attn.rotary_emb.inv_freq", f"{prefix}rotary_emb.inv_freq")
    tied = c.flag("tie_word_embeddings", False)
    if c.task.endswith("ForCausalLM") and not wanted.head:
        a = replace(a, read="all", tied=tied)
        if tied:
            return Reading("llama", a, places, buffers, {"lm_head.weight": prefix + WORDS}, stated=stated,
                           angles=angles)  # fmt: skip
        a, places = head_of(a, places, wanted, c, {"lm_head": False})
        left_out: tuple[str, ...] = ()
    else:
        tokens = c.task.endswith("ForTokenClassification") and not wanted.head
        a = replace(a, read="all") if tokens else a
        a, places = head_of(a, places, wanted, c, {"score": tokens})
        left_out = ("lm_head.weight",) if wanted.head else ()
    return Reading("llama", a, places, buffers, left_out=left_out, stated=stated, angles=angles)


def _rotations(c: Config) -> tuple[Fraction, str]:
    """The base of their angles, and the type, if it is not the usual one. What scales scores too is not read."""
    found: dict[str, Any] = {}
    for key in ("rope_scaling", "rope_parameters"):
        table = c(key) or {}
        if not isinstance(table, dict):
            raise InputError(f"config.json: {key} is an object, got {cut(repr(table))}")
        found |= table
    kind, whole = found.get("rope_type", found.get("type", "default")), found.pop("partial_rotary_factor", 1)
    if not isinstance(kind, str) or kind not in ANGLES:
        raise InputError(f"config.json: no rotations of type {cut(repr(kind))} are read; there are {', '.join(ANGLES)}")
    if unknown := [key for key in found if key not in ("rope_type", "type", "rope_theta", *ANGLES[kind])]:
        raise InputError(f"config.json has {cut(repr(unknown[0]))} for rotations, of which nothing is known")
    if whole != 1:
        raise InputError(f"config.json: partial_rotary_factor = {cut(repr(whole))} is not read; want 1.0")
    base = found.get("rope_theta", c("rope_theta", 10000.0))
    return number("config.json: rope_theta", base), "" if kind == "default" else kind


def _window(a: Architecture, c: Config) -> tuple[Architecture, tuple[str, ...]]:
    """Sequences that fit in the window see all of it: there it is the causal mask."""
    window = c("sliding_window")
    if window is None or c("use_sliding_window", True) is False:
        return a, ()
    window = c.size("sliding_window")
    if window >= a.context:
        return a, ()
    return replace(a, context=window), (f"sequences have at most sliding_window = {window} tokens",)


def _body(prefix: str, layers: int, attention_bias: bool, mlp_bias: bool) -> Places:
    places: Places = {WORDS: (Place("E"),), **normed("norm", "N3", bias=False)}
    for i in range(layers):
        at, n = f"layers.{i}.", i + 1
        places |= normed(f"{at}input_layernorm", "N1", n, False)
        places |= normed(f"{at}post_attention_layernorm", "N2", n, False)
        for slot in "QKVO":
            places |= linear(f"{at}self_attn.{slot.lower()}_proj", slot, n, attention_bias)
        for part, slot in (("gate", "G"), ("up", "U"), ("down", "D")):
            places |= linear(f"{at}mlp.{part}_proj", slot, n, mlp_bias)
    return {prefix + name: place for name, place in places.items()}
