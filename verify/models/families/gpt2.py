"""GPT-2: a pre-norm decoder whose maps are stored by inputs and outputs, queries, keys and values in one (Radford et
al. 2019)."""

from __future__ import annotations

from dataclasses import replace

from maurey.symbolic.architecture import Architecture

from .configs import Config
from .places import Place, Places, Reading, Wanted, head_of, linear, normed, prefix_of

WORDS = "wte.weight"


def read(c: Config, wanted: Wanted) -> Reading:
    c.only("scale_attn_weights", True)
    c.only("scale_attn_by_inverse_layer_idx", False)
    c.only("tie_word_embeddings", True)
    c.only("pruned_heads", {})
    d = c.size("n_embd")
    a = Architecture(
        kind="decoder",
        layers=c.layers("n_layer"),
        width=d,
        heads=c.size("n_head"),
        hidden=c.size("n_inner", 4 * d),
        context=c.size("n_positions"),
        vocabulary=c.size("vocab_size"),
        norm="layer",
        norm_at="pre",
        norm_eps=c.number("layer_norm_epsilon", 1e-5),
        activation=c.activation("activation_function", "gelu_new"),
        positions="learned",
        read="last",
    )
    c.only("n_ctx", a.context)
    prefix = prefix_of(wanted, WORDS, "transformer.")
    places = _body(prefix, a.layers)
    buffers = (f"{prefix}h.*.attn.bias", f"{prefix}h.*.attn.masked_bias")
    copies = {"lm_head.weight": prefix + WORDS}
    if c.task.endswith("LMHeadModel") and not wanted.head:
        return Reading("gpt2", replace(a, read="all", tied=True), places, buffers, copies)
    if c.task.endswith("ForTokenClassification") and not wanted.head:
        a = replace(a, read="all")
        a, places = head_of(a, places, wanted, c, {"classifier": True})
    else:
        a, places = head_of(a, places, wanted, c, {"score": False})
    return Reading("gpt2", a, places, buffers, copies)


def _body(prefix: str, layers: int) -> Places:
    places: Places = {WORDS: (Place("E"),), "wpe.weight": (Place("P"),), **normed("ln_f", "N3")}
    for i in range(layers):
        at, n = f"h.{i}.", i + 1
        places |= normed(f"{at}ln_1", "N1", n) | normed(f"{at}ln_2", "N2", n)
        for end, suffix in (("weight", ""), ("bias", "_bias")):
            places[f"{at}attn.c_attn.{end}"] = tuple(
                Place(slot + suffix, n, turned=end == "weight", part=j, parts=3) for j, slot in enumerate("QKV")
            )
        for part, slot in (("attn.c_proj", "O"), ("mlp.c_fc", "W1"), ("mlp.c_proj", "W2")):
            places |= linear(f"{at}{part}", slot, n, turned=True)
    return {prefix + name: place for name, place in places.items()}
