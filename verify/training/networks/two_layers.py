"""Two layers with one head and no layer normalisation, as in appendix A of Lintilhac and Shaikh 2026, for E trials.

    x_t = (e_t, s_b)                            one-hot position, and a learned vector for each of the symbols 0 and 1
    y = x + softmax(log(P) (x Q) (x K)^T) x V   at P positions
    x' = y + relu(y A + a) B + b                and so once more
    f = w . x'' + w_0                           at the output token, which holds 0

The paper names the widths, the optimiser and "log-scaled" logits. Decided here, once: the scale log P, with no root of
the width; V has no second factor, since there is one head; all parameters decay; Q, K, V and w start at N(0, 1/inputs),
A at N(0, 2/inputs), B at N(0, 1/inputs), symbols at N(0, 1/coordinates), all times a common scale, the rest at 0; no
dropout, or dropout of what attention and ReLU layers add to a token.

With steps (y_t at the token y_(t-1), for all t) no token attends to later ones, and positions repeat with period T.

Tokens are sums of a position and a symbol, so nothing of the first layer is as wide as a token: with the bits b, the
weights A (P, P) and what they give of the ones, c = A b, every vector before the ReLU is a table entry of its position
plus (A, c, b) times a matrix of P + 2 rows. The second layer reads x' only through a query u, the product with which is
taken before B, and through the average of all tokens, which is taken before B: so B meets no more than one vector for
each output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from maurey.verify.training.engine.randomness import generator, kept
from maurey.verify.training.trials.parities import Spectrum

from .encoder import Parameters


def shapes(config: Spectrum) -> dict[str, tuple[int, ...]]:
    d, h = config.codes + config.more, config.width
    found: dict[str, tuple[int, ...]] = {"symbol": (2, config.more)}
    for n in "12":
        found |= {f"Q_{n}": (d, d), f"K_{n}": (d, d), f"V_{n}": (d, d)}
        found |= {f"A_{n}": (d, h), f"a_{n}": (h,), f"B_{n}": (h, d), f"b_{n}": (d,)}
    return {**found, "w": (d,), "w_0": (1,)}


def decayed(_: str) -> bool:
    return True


def initial(config: Spectrum, key: str) -> dict[str, np.ndarray]:
    rng = generator(key, "initialisation")

    def start(name: str, shape: tuple[int, ...]) -> np.ndarray:
        if name.startswith(("a_", "b_")) or name == "w_0":
            return np.zeros(shape)
        inputs = shape[-1] if name == "symbol" else shape[0]
        return rng.standard_normal(shape) * math.sqrt((2 if name.startswith("A") else 1) / inputs) * config.scale

    return {name: start(name, shape) for name, shape in shapes(config).items()}


def numbers(config: Spectrum) -> int:
    """That are held for a string."""
    return config.positions * (2 * config.positions + 2 * config.width)


def outputs(config: Spectrum, p: Parameters, bits: Tensor) -> Tensor:
    """(E, n, outputs) on bits (E, n, P)."""
    E, n, P = bits.shape
    C, scale = config.codes, math.log(P)
    read = slice(config.T, None)  # positions of outputs
    later = torch.ones(P, P, dtype=torch.bool, device=bits.device).triu(1) if P > C else None  # with steps
    zero, change = p["symbol"][:, :1], p["symbol"][:, 1:] - p["symbol"][:, :1]  # (E, 1, more)

    def placed(own: Tensor, dim: int) -> Tensor:
        """What there is of each code, at each position."""
        own = own.narrow(dim, 0, C)
        return own if P == C else torch.cat([own, own], dim)

    def tables(W: Tensor) -> tuple[Tensor, Tensor]:
        """What a map (E, d, k) makes of a zero at each position (E, P, k), and what a one adds (E, 1, k)."""
        return placed(W, 1) + zero @ W[:, C:], change @ W[:, C:]

    def masked(scores: Tensor, after: Tensor | None) -> Tensor:
        return scores if after is None else scores.masked_fill(after, -math.inf)

    # the first layer: scores m_tj + b_j (k_t + b_t kk) + b_t q_j, up to what all j share
    query, query_one = tables(p["Q_1"] @ p["K_1"].mT * scale)  # (E, P, d), (E, 1, d)
    (m, k), (q, kk) = ((placed(own, 2), own[..., C:] @ change.mT) for own in (query, query_one))
    of_ones = k.mT + bits * kk  # (E, n, P)
    scores = torch.addcmul(m[:, None], of_ones[..., None], bits[:, :, None])
    weights = masked(torch.addcmul(scores, bits[..., None], q[:, None]), later).softmax(-1)  # (E, n, P, P)
    known = torch.cat([weights, weights @ bits[..., None], bits[..., None]], -1)  # (E, n, P, P + 2)
    attended = torch.cat(tables(p["V_1"]), 1)  # (E, P + 1, d): times (A, c)
    before, one = tables(p["A_1"])
    before, inner = before + p["a_1"][:, None], torch.cat([attended @ p["A_1"], one], 1)  # (E, P, h), (E, P + 2, h)

    def hidden(some: Tensor, at: slice) -> Tensor:
        """ReLUs (E, n, positions, h) from (A, c, b) at some positions."""
        return torch.relu_(torch.bmm(some.flatten(1, 2), inner).view(E, n, -1, inner.shape[-1]) + before[:, None, at])

    def token(codes: Tensor, some: Tensor, relus: Tensor) -> Tensor:
        """Tokens (E, n outputs, d), or averages of them, from those of codes, of (A, c, b) and of ReLUs."""
        codes, some, relus = (own.flatten(1, 2) for own in (codes, some, relus))
        x = torch.cat([codes, zero + some[..., -1:] * change], -1)
        return x + some[..., :-1] @ attended + torch.baddbmm(p["b_1"][:, None], relus, p["B_1"])

    # tokens at which there is an output (their ReLUs are computed again: cheaper than to cut them out), and the second
    # layer there
    r, own = hidden(known, slice(None)), known[:, :, read]
    codes = torch.eye(C, dtype=bits.dtype, device=bits.device)
    here = token(codes[-own.shape[2] :].expand(E, n, -1, -1), own, hidden(own, read))
    u = here @ (p["Q_2"] @ p["K_2"].mT * scale)
    toward = torch.cat([u @ attended.mT, u[..., C:] @ change.mT], -1).unflatten(1, (n, -1))
    inside = (u @ p["B_1"].mT).unflatten(1, (n, -1))
    scores = placed(u, 2).unflatten(1, (n, -1)) + (known @ toward.mT + r @ inside.mT).mT
    s = masked(scores, None if later is None else later[read]).softmax(-1)  # (E, n, outputs, P)
    mean = token(s if P == C else s[..., :C] + s[..., C:], s @ known, s @ r)
    y = torch.baddbmm(here, mean, p["V_2"])
    z = y + torch.baddbmm(p["b_2"][:, None], torch.baddbmm(p["a_2"][:, None], y, p["A_2"]).relu(), p["B_2"])
    return torch.baddbmm(p["w_0"][:, None], z, p["w"][..., None]).unflatten(1, (n, -1))[..., 0]


def masks(config: Spectrum, keys: Sequence[str], step: int, number: int, device: torch.device) -> list[Tensor]:
    """What dropout keeps in one step, scaled: of what attention and ReLU layer add, at all tokens in the first layer
    (E, n, P, d), at the output in the second (E, n, 1, d)."""
    d = config.codes + config.more
    sizes = [number * P * d for P in (config.positions, config.positions, 1, 1)]
    flat = torch.stack([kept(key, step, sum(sizes), config.dropout, device) for key in keys])
    parts = (part.to(getattr(torch, config.dtype)).div_(1 - config.dropout) for part in flat.split(sizes, 1))
    return [part.reshape(len(keys), number, -1, d) for part in parts]


def outputs_with_dropout(config: Spectrum, p: Parameters, bits: Tensor, keep: Sequence[Tensor]) -> Tensor:
    """(E, n, 1) on bits (E, n, P), every token written out."""
    E, n, P = bits.shape
    codes = torch.eye(P, dtype=bits.dtype, device=bits.device).expand(E, n, -1, -1)
    zero, one = p["symbol"][:, None, None].unbind(3)
    x = torch.cat([codes, zero + bits[..., None] * (one - zero)], -1)  # (E, n, P, d)
    for layer, (attention, mlp) in zip("12", (keep[:2], keep[2:]), strict=True):
        Q, K, V, A, B = (p[f"{name}_{layer}"] for name in "QKVAB")
        a, b = (p[f"{name}_{layer}"][:, None] for name in "ab")
        here = x if layer == "1" else x[:, :, -1:]
        toward = torch.bmm(here.flatten(1, 2), Q @ K.mT * math.log(P)).view_as(here)
        mean = ((toward @ x.mT).softmax(-1) @ x).flatten(1, 2)
        y = here + torch.bmm(mean, V).view_as(here) * attention
        added = torch.baddbmm(b, torch.baddbmm(a, y.flatten(1, 2), A).relu(), B)
        x = y + added.view_as(y) * mlp
    return (x[:, :, 0] @ p["w"][..., None]) + p["w_0"][:, None]
