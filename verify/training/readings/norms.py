"""A trained network as an object of the calculus: tokens, heads with a score matrix and a value map, and a read-out.

A constant 1 is appended to every token, so that biases are rows of the matrices. A head h has the score x_cls . S x_t
with S = W_Q W_K^T / sqrt(v), and the value map x -> (W_V W_O)^T x; the heads are summed. What is read is the difference
z of the two logits, in which the cross-entropy log(1 + e^(-+z)) is 1-Lipschitz. A softmax sums to one, so a constant
after attention can stand in the bias of the values.

Attention layer, exactly: z = w . (sum of heads), w the difference of the read-out's columns. The constants b_O and b_R
enter z as one number c = w . b_O + (difference of b_R); c W_O w / |W_O w|^2 in the bias of the values is the same.

Encoder, its attention: tokens are the embedded vectors, normalised to mean 0 and variance 1; gain and bias of the first
layer normalisation stand in the matrices. Embeddings and all that comes after attention are taken as given. What comes
after is Lipschitz: u -> (u - mean) / sqrt(var + eps) has a Jacobian of norm at most 1/sqrt(var + eps) <= 1/sqrt(eps).
Along the strings the variance is larger, but a cover compares the network with all others of its class, whose outputs
may lie anywhere. |z| is bounded by the last layer normalisation, whatever comes in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from maurey.verify.training.networks import encoder, layer
from maurey.verify.training.trials.boolean import Config

Parameters = Mapping[str, Tensor]  # without the axis of trials
Norms = dict[str, "float | list[float]"]
UNDER_THE_ROOT = 1e-5  # of a layer normalisation
GELU_SLOPE = 1.13  # its largest slope is 1.12890..., at sqrt(2)


@dataclass(frozen=True)
class Reading:
    tokens: Tensor  # (2T + 1, n): what can stand at each position, zeros, ones, and [CLS]; 1 in the last coordinate
    scores: Tensor  # (H, n, n): S
    values: Tensor  # (H, n, v): W_V
    outputs: Tensor  # (H, v, d): W_O
    readout: Tensor | None = None  # (d,): w, where it is all that comes after attention

    @property
    def maps(self) -> Tensor:
        """W_V W_O, (H, n, d)."""
        return self.values @ self.outputs

    def weights(self) -> dict[str, Tensor]:
        """By the labels that the heads of the calculus have; maps act from the left there."""
        named = {f"QK_{h}": S for h, S in enumerate(self.scores, 1)}
        return named | {f"V_{h}": M.mT for h, M in enumerate(self.maps, 1)}

    def sequences(self, bits: Tensor) -> Tensor:
        """The tokens (..., T + 1, n) of strings (..., T), [CLS] first."""
        zeros, ones = self.tokens[:-1].unflatten(0, (2, -1))
        x = torch.where(bits[..., None].bool(), ones, zeros)
        return torch.cat([self.tokens[-1:].expand(*x.shape[:-2], -1, -1), x], -2)


def with_bias(W: Tensor, b: Tensor) -> Tensor:
    return torch.cat([W, b[None]])


def with_one(x: Tensor) -> Tensor:
    return F.pad(x, (0, 1), value=1.0)


def by_head(W: Tensor, heads: int) -> Tensor:
    """(n, H v) as (H, n, v)."""
    return W.unflatten(-1, (heads, -1)).movedim(-2, 0)


def heads_of(tokens: Tensor, maps: Mapping[str, Tensor], W_O: Tensor, heads: int, w: Tensor | None = None) -> Reading:
    """From the matrices Q, K and V with their biases, all heads side by side."""
    Q, K, V = (by_head(maps[name], heads) for name in "QKV")
    return Reading(with_one(tokens), Q @ K.mT / math.sqrt(Q.shape[-1]), V, W_O.unflatten(0, (heads, -1)), w)


def double(parameters: Parameters) -> dict[str, Tensor]:
    return {name: value.detach().to("cpu", torch.float64) for name, value in parameters.items()}


def difference(two: Tensor) -> Tensor:
    """Of the two labels."""
    return two[..., 1] - two[..., 0]


def reading(config: Config, parameters: Parameters) -> Reading:
    p = double(parameters)
    if config.model == "layer":
        w = difference(p["W_R"])
        constant, read = w @ p["b_O"] + difference(p["b_R"]), p["W_O"] @ w
        biases = {name: p[f"b_{name}"] for name in "QK"} | {"V": p["b_V"] + constant * read / (read @ read)}
        maps = {name: with_bias(p[f"W_{name}"], biases[name]) for name in "QKV"}
        tokens = layer.tokens(replace(config, dtype="float64"), torch.device("cpu"))
        return heads_of(tokens, maps, p["W_O"], config.heads, w)
    gain, bias = p["ln1_gain"], p["ln1_bias"]
    maps = {n: with_bias(gain[:, None] * p[f"W_{n}"], bias @ p[f"W_{n}"] + p[f"b_{n}"]) for n in "QKV"}
    x = encoder.tokens({name: value[None] for name, value in p.items()})[0]
    return heads_of(F.layer_norm(x, x.shape[-1:]), maps, p["W_O"], config.heads)


# --- what comes after the encoder's attention -----------------------------------------------------------------------


def centred(x: Tensor) -> Tensor:
    """Without its mean along the first axis: a normalised vector has mean 0, so a map sees no more of it."""
    return x - x.mean(0, keepdim=True)


def last_range(p: Parameters) -> float:
    """The largest |w . LN_f(u)|: the normalised u has norm at most sqrt(d)."""
    w, d = difference(p["head"]), len(p["lnf_gain"])
    return float(centred(w * p["lnf_gain"]).norm() * math.sqrt(d) + (w @ p["lnf_bias"]).abs())


def last_lipschitz(p: Parameters) -> float:
    """Of what attention adds to [CLS] -> z."""
    normalised = 1 / math.sqrt(UNDER_THE_ROOT)
    inner = spectral(centred(p["ln2_gain"][:, None] * p["W_1"])) * GELU_SLOPE * spectral(p["W_2"])
    read = centred(difference(p["head"]) * p["lnf_gain"]).norm()
    return float(read * normalised * (1 + inner * normalised))


# --- norms ----------------------------------------------------------------------------------------------------------


def spectral(M: Tensor) -> Tensor:
    return torch.linalg.matrix_norm(M, 2)


def norms_of(config: Config, parameters: Parameters) -> Norms:
    """What the claims call them, one for each head where there are several.

    Edelman et al. write the score x_cls . W_QK x_t, so that W_QK = S, and bound its columns; Trauger and Tewari write
    x_t . W_QK x_cls, so that W_QK = S^T and its columns are the rows of S. Of the values, A.12 bounds the rows of
    W_V W_O, Theorem 4.1 the rows of W_v and of W_c = W_O in l1; its other reading, `_rows`, their columns.
    """
    p, own = double(parameters), reading(config, parameters)
    S, M, V, C = own.scores, own.maps, own.values, own.outputs
    lists = {
        "B_QK": spectral(S), "B_QK_F": S.flatten(1).norm(dim=1), "B_QK_inf": S.norm(dim=1).amax(1),
        "B_QK_11": S.abs().sum((1, 2)), "B_QK_1inf": S.abs().sum(2).amax(1), "B_QK_21": S.norm(dim=2).sum(1),
        "B_V": spectral(M), "B_V_F": M.flatten(1).norm(dim=1), "B_V_inf": M.norm(dim=2).amax(1),
        "B_V_1inf": V.abs().sum(2).amax(1), "B_V_1inf_rows": V.abs().sum(1).amax(1),
        "B_C_1inf": C.abs().sum(2).amax(1), "B_C_1inf_rows": C.abs().sum(1).amax(1),
    }  # fmt: skip
    found: Norms = {name: values.tolist() for name, values in lists.items()}
    found |= {"B_X": float(own.tokens.norm(dim=1).max()), "B_X_1": float(own.tokens.abs().sum(1).max())}
    if own.readout is not None:
        found |= {"B_w": float(own.readout.norm()), "B_w_1": float(own.readout.abs().sum())}
    else:
        found |= {"L_out": last_lipschitz(p), "A": last_range(p)}
    return found | {"l1": sum(float(value.abs().sum()) for value in p.values())}
