"""ViT: a pre-norm encoder of the patches of a picture and a token of its own (Dosovitskiy et al. 2021).

A patch is a vector of channels x size x size numbers; how long it is at most follows from how pixels are prepared.
"""

from __future__ import annotations

from dataclasses import replace

from maurey.symbolic.architecture import Architecture
from maurey.symbolic.errors import InputError

from .configs import Config
from .pictures import longest_patch, prepared
from .places import Place, Places, Reading, Wanted, head_of, linear, normed, prefix_of

FIRST = "embeddings.cls_token"


def read(c: Config, wanted: Wanted) -> Reading:
    bias = c.flag("qkv_bias", True)
    c("pooler_act"), c("pooler_output_size")  # of a pooler, if it is read
    size, patch, channels = c.size("image_size"), c.size("patch_size"), c.size("num_channels", 3)
    if size % patch:
        raise InputError(f"config.json: patch_size = {patch} does not divide image_size = {size}")
    pixels = prepared(wanted.pictures, channels)
    a = Architecture(
        kind="encoder",
        layers=c.layers("num_hidden_layers"),
        width=c.size("hidden_size"),
        heads=c.size("num_attention_heads"),
        hidden=c.size("intermediate_size"),
        context=(size // patch) ** 2 + 1,
        patch=channels * patch**2,
        patch_radius=longest_patch(pixels, patch),
        norm="layer",
        norm_at="pre",
        norm_eps=c.number("layer_norm_eps", 1e-12),
        activation=c.activation("hidden_act", "gelu"),
        positions="learned",
        read="cls",
    )
    prefix = prefix_of(wanted, FIRST, "vit.")
    kernel, wants = f"{prefix}embeddings.patch_embeddings.projection.weight", [a.width, channels, patch, patch]
    if list(wanted.shapes.get(kernel, wants)) != wants:
        raise InputError(f"{kernel} has shape {list(wanted.shapes[kernel])}; config.json asks for {wants}")
    places = _body(prefix, a.layers, bias)
    left_out: tuple[str, ...] = (f"{prefix}pooler.*",)
    if wanted.head and f"{prefix}pooler.dense.weight" in wanted.shapes:
        c.only("pooler_act", "tanh")
        c.only("pooler_output_size", a.width)
        a, left_out = replace(a, pooler="tanh"), ()
        places |= linear(f"{prefix}pooler.dense", "pool")
    a, places = head_of(a, places, wanted, c, {"classifier": True})
    largest = ", ".join(str(float(x)) for x in pixels)
    told = f"the pixels of a picture, as prepared, are at most {largest} in absolute value, by channel"
    return Reading("vit", a, places, left_out=(f"{prefix}embeddings.mask_token", *left_out), stated=(told,))


def _body(prefix: str, layers: int, bias: bool) -> Places:
    places: Places = {
        FIRST: (Place("cls"),), "embeddings.position_embeddings": (Place("P"),),
        **linear("embeddings.patch_embeddings.projection", "patch"), **normed("layernorm", "N3"),
    }  # fmt: skip
    for i in range(layers):
        at, n = f"encoder.layer.{i}.", i + 1
        for part, slot in (("query", "Q"), ("key", "K"), ("value", "V")):
            places |= linear(f"{at}attention.attention.{part}", slot, n, bias)
        places |= linear(f"{at}attention.output.dense", "O", n)
        places |= linear(f"{at}intermediate.dense", "W1", n) | linear(f"{at}output.dense", "W2", n)
        places |= normed(f"{at}layernorm_before", "N1", n) | normed(f"{at}layernorm_after", "N2", n)
    return {prefix + name: place for name, place in places.items()}
