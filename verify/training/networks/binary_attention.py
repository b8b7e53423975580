"""One query over binary tokens: attention as a matrix product over zeros and one over ones.

Position t holds one of two known vectors, so a head has two scores and two values there, whatever the string. With
weights E_0, E_1 = exp(score of token 0, 1 at each position) and a string b,

    output = (sum_t b_t E_1t v_1t + (1 - b_t) E_0t v_0t + e v) / (sum_t b_t E_1t + (1 - b_t) E_0t + e),

where e and v are [CLS]'s own. All terms of the denominator are positive and stay apart: E_1 - E_0 would lose a small
weight that stands across from a large one. Where none does, half the work is enough (`columns`).
"""

from __future__ import annotations

import torch
from torch import Tensor


def both(bits: Tensor) -> Tensor:
    """Strings (..., T) of 0.0 and 1.0 as the indicators (..., 2T) of their zeros and of their ones."""
    return torch.cat([1 - bits, bits], -1)


def shift(scores: Tensor) -> Tensor:
    """(E, 1, H): the middle between a head's largest score of all and the largest that every string has, so that
    neither end leaves the range of float32 within 160 nats."""
    own, pairs = scores[:, -1:], scores[:, :-1].unflatten(1, (2, -1))
    sure = torch.maximum(pairs.amin(1).amax(1, keepdim=True), own)
    return (scores.amax(1, keepdim=True) + sure) / 2


def table(scores: Tensor, values: Tensor) -> Tensor:
    """The terms of numerators and denominators (E, 2T + 1, H, v + 1), from scores (E, 2T + 1, H) and values
    (E, 2T + 1, H, v): the zeros of each position, the ones, and [CLS].

    A float32 that is moved by tens of nats loses digits which plain attention keeps, since it moves scores by the
    largest of the string: so they are moved in float64."""
    weights = (scores.double() - shift(scores.detach())).exp().to(scores.dtype)[..., None]
    return torch.cat([weights * values, weights], -1)


def attend(strings: Tensor, terms: Tensor) -> Tensor:
    """Outputs (E, n, H v) on strings (E, n, 2T), see `both`."""
    flat = terms.flatten(-2)
    sums = torch.baddbmm(flat[:, -1:], strings, flat[:, :-1]).unflatten(-1, terms.shape[-2:])
    return (sums[..., :-1] / sums[..., -1:]).flatten(-2)


SPREAD = 16.0  # of a head's weights, from one string to another: differences then lose no more than a digit


def differences(terms: Tensor) -> Tensor:
    """Numerators and denominators are these (E, H (v + 1), T + 1) times a string with a one for [CLS] below its bits:
    what a one has more than a zero at every position, and the string of zeros. Where weights are too far apart, the
    terms (E, H (v + 1), 2T + 1) as they are, for zeros and ones of a string."""
    T = terms.shape[1] // 2
    zeros, ones, own = terms.flatten(2).mT.split([T, T, 1], -1)
    weights = terms[:, :-1, :, -1].unflatten(1, (2, T))
    least, most = (one.sum(1) + terms[:, -1, :, -1] for one in (weights.amin(1), weights.amax(1)))
    if (most > SPREAD * least).any():
        return torch.cat([zeros, ones, own], -1)
    return torch.cat([ones - zeros, zeros.sum(-1, keepdim=True) + own], -1)


def columns(strings: Tensor, known: Tensor) -> Tensor:
    """Numerators and denominators (E, H (v + 1), n) of strings that are columns (E, T + 1, n), a one for [CLS] below
    the bits, from their differences: the shape in which many strings are looked at fastest."""
    if known.shape[-1] > strings.shape[1]:
        strings = torch.cat([1 - strings[:, :-1], strings], 1)
    return known @ strings
