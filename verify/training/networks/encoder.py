"""One layer of a Transformer encoder read at [CLS], as in appendix C of Edelman et al. 2022, for E trials at a time.

    x = token[b] + position                        at T bits and [CLS], which has position 0
    y = x_cls + W_O attention(LN_1 x)_cls          H heads, softmax(q . k / sqrt(width / H))
    z = y + W_2 gelu(W_1 LN_2 y)
    logits = head LN_f z                           one for each label

The paper leaves the rest to the defaults of a known small implementation. Decided here, once: layer normalisation
before each part and at the end, with gain and bias and 1e-5 under the root; the exact GELU, hidden width 4 width;
biases in all linear maps but the read-out; matrices, token and position vectors start at N(0, 0.02^2), biases at 0,
gains at 1; AdamW decays the matrices of linear maps, the read-out included, and nothing else; no gradient is clipped,
since the paper lists its optimiser and names no clipping (at T = m = 100, 14 of 16 trials succeeded without it, 5 with
the gradient of each clipped to norm 1). Dropout (protocol paper) stands on the embedded tokens, on the attention
weights and on what attention and MLP add; its masks are drawn for each string of each step.

Since only [CLS] is read, only its query is computed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from maurey.verify.training.engine.randomness import generator, kept
from maurey.verify.training.trials.boolean import Config

from .binary_attention import attend, table

Parameters = Mapping[str, Tensor]
STD = 0.02


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    d, T = config.width, config.T
    norms = {f"{name}_{part}": (d,) for name in ("ln1", "ln2", "lnf") for part in ("gain", "bias")}
    maps = {f"W_{name}": (d, d) for name in "QKVO"} | {f"b_{name}": (d,) for name in "QKVO"}
    mlp = {"W_1": (d, 4 * d), "b_1": (4 * d,), "W_2": (4 * d, d), "b_2": (d,)}
    return {"token": (3, d), "position": (T + 1, d), **norms, **maps, **mlp, "head": (d, 2)}


def decayed(name: str) -> bool:
    return name.startswith("W_") or name == "head"


def initial(config: Config, key: str) -> dict[str, np.ndarray]:
    rng = generator(key, "initialisation")

    def start(name: str, shape: tuple[int, ...]) -> np.ndarray:
        if name.endswith("_gain"):
            return np.ones(shape)
        if name.endswith("_bias") or name.startswith("b_"):
            return np.zeros(shape)
        return rng.standard_normal(shape) * STD

    return {name: start(name, shape) for name, shape in shapes(config).items()}


def affine(p: Parameters, name: str, x: Tensor) -> Tensor:
    """x (E, n, in) through W_name and b_name."""
    return torch.baddbmm(p[f"b_{name}"][:, None], x, p[f"W_{name}"])


def scaled(p: Parameters, name: str, unit: Tensor) -> Tensor:
    """Gain and bias of a layer normalisation, on vectors (E, n, d) of mean 0 and variance 1."""
    return unit * p[f"{name}_gain"][:, None] + p[f"{name}_bias"][:, None]


def normal(p: Parameters, name: str, x: Tensor) -> Tensor:
    """Layer normalisation of x (E, n, d)."""
    return scaled(p, name, F.layer_norm(x, x.shape[-1:]))


def tokens(p: Parameters) -> Tensor:
    """What can stand at each position: (E, 2T + 1, d), zeros, ones, and [CLS]."""
    bits = p["token"][:, :2, None] + p["position"][:, None, 1:]  # (E, 2, T, d)
    return torch.cat([bits.flatten(1, 2), (p["token"][:, 2:] + p["position"][:, :1])], 1)


def toward(p: Parameters, heads: int, unit: Tensor) -> Tensor:
    """A score is x . toward, for normalised tokens x and up to a number that all tokens share: (E, n, H, d), from
    queries (E, n, d), normalised."""
    q = affine(p, "Q", scaled(p, "ln1", unit)).unflatten(-1, (heads, -1))  # (E, n, H, v)
    W_K = p["W_K"].unflatten(-1, (heads, -1))  # (E, d, H, v)
    return torch.einsum("enhv,edhv->enhd", q, W_K) * p["ln1_gain"][:, None, None] / math.sqrt(q.shape[-1])


def scores_and_values(p: Parameters, heads: int) -> tuple[Tensor, Tensor]:
    """Scores (E, 2T + 1, H) and values (E, 2T + 1, H, v) of all that can stand anywhere."""
    unit = F.layer_norm(tokens(p), p["token"].shape[-1:])
    maps = torch.cat([toward(p, heads, unit[:, -1:])[:, 0].mT, p["ln1_gain"][..., None] * p["W_V"]], -1)
    scores, values = (unit @ maps).split([heads, unit.shape[-1]], -1)
    constant = affine(p, "V", p["ln1_bias"][:, None])
    return scores, (values + constant).unflatten(-1, (heads, -1))


def read(p: Parameters, own: Tensor, attended: Tensor, keep: tuple[Tensor, Tensor] | None = None) -> Tensor:
    """Logits (E, n, 2) from [CLS] (E, 1 or n, d) and what it attended to (E, n, d)."""
    added = affine(p, "O", attended)
    y = own + (added if keep is None else added * keep[0])
    added = affine(p, "2", F.gelu(affine(p, "1", normal(p, "ln2", y))))
    z = y + (added if keep is None else added * keep[1])
    return normal(p, "lnf", z) @ p["head"]


def terms(config: Config, p: Parameters) -> Tensor:
    """What attention sums over a string."""
    return table(*scores_and_values(p, config.heads))


def logits(config: Config, p: Parameters, strings: Tensor, known: Tensor | None = None) -> Tensor:
    """(E, n, 2) on strings (E, n, 2T), zeros and ones, no dropout; `known` are the terms, if they are."""
    attended = attend(strings, terms(config, p) if known is None else known)
    return read(p, p["token"][:, 2:] + p["position"][:, :1], attended)


def masks(config: Config, keys: list[str], step: int, number: int, device: torch.device) -> list[Tensor]:
    """What dropout keeps in one step, scaled: on tokens (E, n, T + 1, d), on weights (E, n, H, T + 1), and after
    attention and MLP (E, n, d)."""
    d, n, T = config.width, number, config.T
    each = [(n, T + 1, d), (n, config.heads, T + 1), (n, d), (n, d)]
    sizes = [math.prod(shape) for shape in each]
    flat = torch.stack([kept(key, step, sum(sizes), config.dropout, device) for key in keys])
    dtype = getattr(torch, config.dtype)
    return [
        part.reshape(len(keys), *shape).to(dtype).div_(1 - config.dropout)
        for part, shape in zip(flat.split(sizes, 1), each, strict=True)
    ]


def logits_with_dropout(config: Config, p: Parameters, strings: Tensor, keep: list[Tensor]) -> Tensor:
    """(E, n, 2) on strings (E, n, 2T), every token of every string with a mask of its own. Keys and values are never
    written out: the average of the values is the average of the normalised tokens, mapped."""
    on_tokens, on_weights, *after = keep
    zero, one, own = p["token"][:, None, None].unbind(3)  # (E, 1, 1, d)
    x = zero + strings[..., config.T :, None] * (one - zero)
    own = own.expand(-1, x.shape[1], -1, -1)
    x = (torch.cat([own, x], 2) + p["position"][:, None]) * on_tokens  # (E, n, T + 1, d)
    unit = F.layer_norm(x, x.shape[-1:])
    weights = (toward(p, config.heads, unit[:, :, 0]) @ unit.mT).softmax(-1) * on_weights  # (E, n, H, T + 1)
    mass = weights.sum(-1, keepdim=True)  # dropout leaves more or less than 1
    mean = (weights @ unit) * p["ln1_gain"][:, None, None] + mass * p["ln1_bias"][:, None, None]  # (E, n, H, d)
    W_V, b_V = (p[f"{kind}_V"].unflatten(-1, (config.heads, -1)) for kind in "Wb")
    values = torch.einsum("enhd,edhv->enhv", mean, W_V) + mass * b_V[:, None]
    return read(p, x[:, :, 0], values.flatten(-2), (after[0], after[1]))
