"""The gradient of a step of `voter`, written out in NumPy for one trial: a third of the time of automatic
differentiation, which spends most of its own on handing out small tensors.

A string is a row of X: zeros, ones, and a one for [CLS], which stands last. For every head, from the tokens x,

    u = x W_V W_O,  s = x W_K q / sqrt(width),  w = exp(s)        of each token
    D = X w,  A = X (w u) / D                                     of each string
    y = sum_h A + c,  r = relu(y),  z = r P + e                   c = b_V W_O + b_O, P = W_D W_R, e = b_D W_R + b_R

and backwards, from g, the slope of the loss at z:

    dP = r^T g,  de = sum g,  dy = (g P^T) 1[y > 0],  dc = sum dy
    dN = dy / D,  dD = -(dN . A),  d(w u) = X^T dN,  ds = w (u . d(w u) + X^T dD),  du = w d(w u)
    d(W_V W_O) = x^T du,  d(W_K q) = x^T ds / sqrt(width)

b_K adds the same to all scores of a head: its slope is 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from maurey.verify.training.trials.majority import Majority

from .voter import shapes

Array = NDArray[np.floating]


def gradient(config: Majority, flat: Array, x: Array, X: Array, answers: Array, slopes: Array) -> Array:
    """Logits (n, 2) on strings (n, 2T + 1), from weights (P,) and tokens (2T + 1, width). To `slopes` (P,) are written
    those of the mean of log(1 + exp(-answer logit)), with answers (n, 2), 1 or -1."""
    d, H, p, out = config.width, config.heads, _named(config, flat), _named(config, slopes)
    root = x.dtype.type(1 / math.sqrt(d))
    W_K, W_V = (p[name].reshape(d, H, d).transpose(1, 0, 2) for name in ("W_K", "W_V"))  # (H, d, d)
    W_O = p["W_O"].reshape(H, d, d)
    # forwards
    q = (x[-1] @ p["W_Q"] + p["b_Q"]).reshape(H, d)
    w = _weights((W_K @ q[..., None])[..., 0] @ x.T * root)  # (H, 2T + 1)
    u = x @ (W_V @ W_O)  # (H, 2T + 1, d)
    share = 1 / (w @ X.T)[..., None]  # (H, n, 1)
    A = X @ (u * w[..., None])
    A *= share
    y = A.sum(0) + (p["b_V"] @ p["W_O"] + p["b_O"])
    r, P = np.maximum(y, 0), p["W_D"] @ p["W_R"]
    z = r @ P + (p["b_D"] @ p["W_R"] + p["b_R"])
    # backwards
    g = answers / (1 + np.exp(answers * z)) / x.dtype.type(-2 * len(X))
    dP, de = r.T @ g, g.sum(0)
    dy = g @ P.T
    dy *= y > 0
    dc = dy.sum(0)
    dN = dy * share
    dwu = X.T @ dN
    ds = w * (np.einsum("hnd,hnd->hn", u, dwu) - np.einsum("hnd,hnd->hn", dN, A) @ X)
    dwu *= w[..., None]
    dVO, dKq = x.T @ dwu, ds @ x * root
    dq = (dKq[:, None] @ W_K).ravel()
    # to the weights
    out["W_V"].reshape(d, H, d)[:] = (dVO @ W_O.transpose(0, 2, 1)).transpose(1, 0, 2)
    np.matmul(W_V.transpose(0, 2, 1), dVO, out=out["W_O"].reshape(H, d, d))
    out["W_O"][:] += p["b_V"][:, None] * dc
    np.multiply(dKq.T[..., None], q, out=out["W_K"].reshape(d, H, d))
    np.multiply(x[-1][:, None], dq, out=out["W_Q"])
    np.matmul(dP, p["W_R"].T, out=out["W_D"])
    out["W_R"][:] = p["W_D"].T @ dP + p["b_D"][:, None] * de
    biases = {"b_Q": dq, "b_K": 0, "b_V": p["W_O"] @ dc, "b_O": dc, "b_D": p["W_R"] @ de, "b_R": de}
    for name, slope in biases.items():
        out[name][:] = slope
    return z


def _named(config: Majority, flat: Array) -> dict[str, Array]:
    """Views of the weights (P,)."""
    found, start = {}, 0
    for name, shape in shapes(config).items():
        end = start + math.prod(shape)
        found[name], start = flat[start:end].reshape(shape), end
    return found


def _weights(s: Array) -> Array:
    """exp(s), up to a factor of each head: see `binary_attention.shift`."""
    pairs = s[:, :-1].reshape(len(s), 2, -1)
    sure = np.maximum(pairs.min(1).max(1), s[:, -1])
    middle = (s.max(1) + sure) / 2
    return np.exp(s.astype(np.float64) - middle[:, None]).astype(s.dtype)
