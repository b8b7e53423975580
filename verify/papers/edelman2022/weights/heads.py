"""The attention heads of Edelman et al., Appendix B, weight by weight, and the heads that repair them.

Inputs are bits b (N, T); X(b) has the T tokens and, last, [CLS]. The relevant positions are the first s. With `dual`
the key is along the direction whose product with every relevant vector is 1, instead of their sum, with all the norm
that the lemma grants it: the scores of the relevant positions are then equal, whatever the coherence.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maurey.numeric.types import Tensor
from maurey.verify.tensors import torch

MOST_BITS = 12  # up to here all inputs are tried


class Tokens(NamedTuple):
    """Positions or indicator vectors, and three unit vectors orthogonal to them and to each other."""

    V: Tensor  # (T, d)
    E_0: Tensor  # (d,)
    E_1: Tensor
    cls: Tensor


class Head(NamedTuple):
    W_Q: Tensor  # (d, k)
    W_K: Tensor  # (d, k)
    W_V: Tensor  # (d, k)
    W_C: Tensor  # (k, d)


def embed(vectors: Any) -> Tokens:
    """Three more dimensions, for the two bits and [CLS]."""
    rows = torch.as_tensor(np.asarray(vectors), dtype=torch.float64)
    V = torch.cat([rows, torch.zeros(len(rows), 3, dtype=torch.float64)], dim=1)
    return Tokens(V, *torch.eye(V.shape[1], dtype=torch.float64)[-3:])


def basis(size: int, index: int) -> Tensor:
    return torch.eye(size, dtype=torch.float64)[index]


def duals(V: Tensor) -> Tensor:
    """Vectors of the same span with product 1 with their own and 0 with the others, (s, d)."""
    return torch.linalg.solve(V @ V.T, V)


def scaled(x: Tensor, norm: float) -> Tensor:
    return x * (norm / x.norm())


# --- weights ------------------------------------------------------------------------------------------------------


def positions_head(tokens: Tokens, s: int, R: float, dual: bool, granted: bool = True) -> list[Head]:
    """B.2, one head. The repaired one also turns the values round, so that the target increases; its key has the norm
    that is granted to it, or stays as it is."""
    d, e = tokens.V.shape[1], basis(s, 0)
    key = duals(tokens.V[:s]).sum(0) if dual else tokens.V[:s].sum(0)
    key = scaled(key, s) if dual and granted else key
    value = tokens.E_1 - tokens.E_0 if dual else tokens.E_0 - tokens.E_1
    W_Q, W_K, W_V = (torch.outer(x, e) for x in (R * tokens.cls, key, value))
    return [Head(W_Q, W_K, W_V, torch.outer(e, basis(d, 0)))]


def positions_heads(tokens: Tokens, s: int, R: float, value_row: int = 0) -> list[Head]:
    """B.2 and B.3, one head for each relevant position. The source shows the values in row 2 (`value_row` 1) of the
    inner space, while W_C reads row 1; in B.3 both are row 1, which is the reading here."""
    d, e = tokens.V.shape[1], basis(s, 0)
    value = torch.outer(tokens.E_0 - tokens.E_1, basis(max(s, value_row + 1), value_row)[:s])
    query = torch.outer(R * tokens.cls, e)
    return [Head(query, torch.outer(tokens.V[h], e), value, torch.outer(e, basis(d, h))) for h in range(s)]


def trained_positions(T: int, s: int, several: bool) -> Tokens:
    """B.3: relevant rows are one unit vector or, for several heads, the first s of the standard basis; the others are
    zero. The bits and [CLS] are read as orthogonal to them: d = s + 3."""
    P = torch.zeros(T, s, dtype=torch.float64)
    P[range(s), range(s) if several else [0] * s] = 1.0
    return embed(P)


def trained_head(tokens: Tokens, s: int, R: float, turned: bool = False) -> list[Head]:
    d, e = tokens.V.shape[1], basis(s, 0)
    value = tokens.E_1 - tokens.E_0 if turned else tokens.E_0 - tokens.E_1
    W_Q, W_K, W_V = (torch.outer(x, e) for x in (R * tokens.cls, tokens.V[0], value))
    return [Head(W_Q, W_K, W_V, torch.outer(e, basis(d, 0)))]


def bag_head(tokens: Tokens, s: int, R: float, dual: bool, vector: bool, granted: bool = True) -> list[Head]:
    """B.4, for the scalar target or the vector-valued one."""
    d, e = tokens.V.shape[1], basis(s, 0)
    relevant = duals(tokens.V[:s]) if dual else tokens.V[:s]
    W_V = (relevant - tokens.cls).T  # columns n(i)
    W_C = torch.eye(s, d, dtype=torch.float64) if vector else torch.outer(torch.ones_like(e), basis(d, 0))
    key = relevant.sum(0) + tokens.cls
    key = scaled(key, s + 1) if dual and granted else key
    return [Head(torch.outer(R * tokens.cls, e), torch.outer(key, e), W_V, W_C)]


def norms(heads: list[Head]) -> dict[str, float]:
    """The largest Frobenius norm of each matrix over the heads."""
    each = zip(*heads, strict=True)
    return {name: max(float(W.norm()) for W in Ws) for name, Ws in zip(Head._fields, each, strict=True)}


# --- inputs, outputs, targets -------------------------------------------------------------------------------------


def inputs(T: int, s: int, count: int, rng: np.random.Generator) -> Tensor:
    """All of them, or the relevant bits in every way (or many) with the others all 0, all 1 and random: (N, T)."""
    if T <= MOST_BITS:
        return torch.as_tensor((np.arange(2**T)[:, None] >> np.arange(T)) & 1, dtype=torch.float64)
    some = np.arange(2**s)[:, None] >> np.arange(s) & 1 if 2**s <= count else rng.integers(0, 2, (count, s))
    ends = [np.zeros(s), np.ones(s)]
    b = rng.integers(0, 2, (3 * (len(some) + 2), T))
    b[:, :s] = np.vstack([*ends, some] * 3)
    b[: len(some) + 2, s:], b[len(some) + 2 : 2 * (len(some) + 2), s:] = 0, 1
    return torch.as_tensor(b, dtype=torch.float64)


def rows(tokens: Tokens, bag: bool) -> Tensor:
    """What each row of X(b) is for a 0 and for a 1, [CLS] last: (2, T+1, d). Row t is P_t + E_{b_t}, or b_t v_t."""
    zero, one = (0 * tokens.V, tokens.V) if bag else (tokens.V + tokens.E_0, tokens.V + tokens.E_1)
    return torch.stack([torch.cat([x, tokens.cls[None]]) for x in (zero, one)])


def outputs(tokens: Tokens, heads: list[Head], b: Tensor, bag: bool) -> Tensor:
    """softmax(v_CLS W_Q W_K^T X^T) X W_V W_C at X(b), summed over the heads: (N, d).

    A row of X(b) depends on its own bit only, so the products with the weights are taken once for either bit.
    """
    X = rows(tokens, bag)
    ones = torch.cat([b, torch.zeros(len(b), 1, dtype=torch.float64)], dim=1)  # (N, T+1)
    total = torch.zeros(len(b), X.shape[2], dtype=torch.float64)
    for W_Q, W_K, W_V, W_C in heads:
        z = X @ (W_K @ (W_Q.T @ tokens.cls))  # (2, T+1)
        p = torch.softmax(torch.where(ones == 1, z[1], z[0]), dim=1)
        values = X @ W_V @ W_C  # (2, T+1, d)
        total += (p * (1 - ones)) @ values[0] + (p * ones) @ values[1]
    return total


def signs(b: Tensor, s: int, turned: bool = False) -> Tensor:
    """+1 for a 0 and -1 for a 1, as printed, or turned round: (N, s)."""
    return (2 * b[:, :s] - 1) * (1 if turned else -1)


def mean_sign(b: Tensor, s: int, turned: bool = False) -> Tensor:
    """(N, 1)."""
    return signs(b, s, turned).mean(1, keepdim=True)


def bag_targets(b: Tensor, s: int, vector: bool) -> Tensor:
    """(b_i - 1)/(r + 1) for each i, or their sum (r - s)/(r + 1): (N, s) or (N, 1)."""
    each = (b[:, :s] - 1) / (b[:, :s].sum(1, keepdim=True) + 1)
    return each if vector else each.sum(1, keepdim=True)


def worst(found: Tensor, target: Tensor, b: Tensor) -> tuple[float, list[int]]:
    """The largest error over inputs and coordinates, and where."""
    errors = (found[:, : target.shape[1]] - target).abs().amax(1)
    at = int(errors.argmax())
    return float(errors[at]), [int(x) for x in b[at]]


def truncation(T: int, s: int, R: float, count: int, rng: np.random.Generator) -> Tensor:
    """|softmax(z') - softmax(z)|_1 of B.7 at random scores, some of them -inf, and at both ends: (count + 2,)."""
    z = torch.as_tensor(np.hstack([R + rng.exponential(1, (count + 2, s)), -rng.exponential(1, (count + 2, T - s))]))
    z[:, s:][torch.as_tensor(rng.random((count + 2, T - s)) < 0.2)] = -torch.inf
    z[-2, :s], z[-2, s:] = R, 0.0  # the corner at which it is largest
    z[-1, :s], z[-1, s:] = R, -torch.inf
    cut = z.clone()
    cut[:, s:] = -torch.inf
    return (torch.softmax(cut, 1) - torch.softmax(z, 1)).abs().sum(1)
