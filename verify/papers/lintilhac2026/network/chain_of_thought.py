"""Parity bit by bit: the network of Lintilhac and Shaikh, appendix G, which writes y_t = x_t + y_{t-1} mod 2.

The context holds x_1..x_T, a start bit y_0 = 0 at position T+1, and what was written: y_t at position T+1+t, 2T+1
positions in the end. Positions are cyclic: p and p + T have the same one-hot vector, and W_1 = 2 log T times the
identity on positions makes position T+t attend to x_t and y_{t-1}, half each, up to a leak of a T^2-th for every other.
The trapezoidal MLP of degree 2 turns the mean into [x_t = y_{t-1}]; the second attention sees its own position alone,
so that W_2 = 0 does. Written is 0 if the output is closer to 1, else 1.

The single pass is the network of appendix B for the parity of all T bits: one component, D = T.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from maurey.numeric.types import Tensor
from maurey.symbolic.claim import InputError
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, all_strings

from .construction import Network, build, flat, named, output

DEGREE = 2  # of a step: x_t and y_{t-1}


def network(T: int, scale: float | None = None) -> Network:
    """The network of a step; `scale` is that of its attention, 2 log T unless given."""
    cyclic = torch.eye(T, dtype=torch.float64)[torch.arange(T + 1) % T]
    net = build(Target(T, (tuple(range(DEGREE)),), (1,)), cyclic)
    W_1 = torch.zeros_like(net.W_1)
    W_1[:T, :T] = (2 * math.log(T) if scale is None else scale) * torch.eye(T, dtype=torch.float64)
    return net._replace(W_1=W_1, W_2=torch.zeros_like(net.W_2))


def single(T: int) -> Network:
    return build(Target(T, (tuple(range(T)),), (1,)))


def step(net: Network, bits: Tensor) -> Tensor:
    """(n,): the output at the last of the positions that are there, for bits (n, positions)."""
    return _outputs(net, bits, bits.shape[1] - 1)[:, 0]


def _outputs(net: Network, bits: Tensor, first: int) -> Tensor:
    """(n, positions - first): the outputs from a position on, each of what is there up to its own. A token is a one-hot
    vector and a bit, so that products with it are a choice and a multiple."""
    length, T = bits.shape[1], net.W_1.shape[0] - 1
    one_hot = torch.eye(T, dtype=bits.dtype)[torch.arange(length) % T]
    here = one_hot[first:] @ net.W_1[:, :T].T + bits[:, first:, None] * net.W_1[:, T]
    scores = here[:, :, torch.arange(length) % T] + here[:, :, T:] * bits[:, None]
    later = torch.ones(length - first, length, dtype=torch.bool).triu(first + 1)
    a = torch.softmax(scores.masked_fill(later, -math.inf), dim=2)
    b = a @ one_hot @ net.W_V[:T] + (a @ bits[:, :, None]) * net.W_V[T]
    g = torch.relu(b @ net.M + net.Gamma) @ net.F
    return one_hot[first:] @ net.v_2[:T] + g @ net.v_2


def written(out: Tensor) -> Tensor:
    return (out < 0.5).to(out.dtype)


def prefixes(x: Tensor) -> Tensor:
    """(n, T + 1): y_0 = 0, y_1, ..., y_T as they should be."""
    return torch.nn.functional.pad(x.cumsum(dim=1) % 2, (1, 0))


def forced(net: Network, x: Tensor) -> Tensor:
    """(n, T): the outputs of all steps, each with the right bits before it."""
    T = x.shape[1]
    return _outputs(net, torch.cat([x, prefixes(x)[:, :T]], dim=1), T)


def chain(net: Network, x: Tensor) -> Tensor:
    """(n, T): what is written, each step with what was written before it."""
    context = torch.cat([x, torch.zeros(len(x), 1, dtype=x.dtype)], dim=1)
    for _ in range(x.shape[1]):
        context = torch.cat([context, written(step(net, context))[:, None]], dim=1)
    return context[:, x.shape[1] + 1 :]


def traces(forward: Callable[[Network, Tensor], Tensor], net: Network, z: Tensor) -> Tensor:
    """(n,): the trace of the Hessian of the squared loss at each of z (n, bits) where it is 0, twice |grad f|^2."""

    def one(theta: Tensor, bits: Tensor) -> Tensor:
        return forward(named(theta, net), bits[None])[0]

    gradients = torch.func.vmap(torch.func.grad(one), (None, 0))(flat(net), z)
    return 2 * (gradients**2).sum(dim=1)


def mean_trace(net: Network, x: Tensor) -> float:
    """Over all steps of strings, with the right bits before them."""
    y = prefixes(x)
    each = [traces(step, net, torch.cat([x, y[:, :t]], dim=1)) for t in range(1, x.shape[1] + 1)]
    return float(torch.cat(each).mean())


@dataclass(frozen=True)
class Errors:
    """Shares of strings and mean losses, clipped at 1: a row for each drawn network."""

    steps: np.ndarray  # (draws, T): a step is wrong with the right bits before it
    end: np.ndarray  # (draws,): the last written bit is wrong
    single: np.ndarray  # (draws,): the single pass is closer to the wrong value
    step_loss: np.ndarray  # (draws,)
    single_loss: np.ndarray

    @property
    def union(self) -> np.ndarray:
        """A chain whose last bit is wrong has a first wrong step, and right bits before it."""
        return self.steps.sum(axis=1)


def perturbed(net: Network, sigma: float, seed: tuple[int, ...]) -> Network:
    """Every parameter with a normal variable of this standard deviation added."""
    theta = flat(net)
    noise = np.random.default_rng(seed).standard_normal(len(theta))
    return named(theta + sigma * torch.from_numpy(noise), net)


def errors(T: int, sigma: float, draws: int, strings: int = 0, seed: int = 0) -> Errors:
    """Of perturbed networks, on all strings, or on so many drawn ones."""
    if T < 2:
        raise InputError("T = 1: the scores 2 log T tell nothing apart")
    bits = all_strings(T) if not strings else np.random.default_rng((seed, T)).integers(0, 2, size=(strings, T))
    x = torch.from_numpy(bits.astype(np.float64))
    right, net, pass_ = prefixes(x)[:, 1:], network(T), single(T)
    rows = []
    for draw in range(draws):
        chained, passed = (perturbed(each, sigma, (seed, T, draw, i)) for i, each in enumerate((net, pass_)))
        each, once = forced(chained, x), output(passed, x)
        wrong = (
            (written(each) != right).double().mean(dim=0).numpy(),
            (chain(chained, x)[:, -1] != right[:, -1]).double().mean(),
            (written(once) != right[:, -1]).double().mean(),
        )
        rows.append((*wrong, _loss(each, 1 - right), _loss(once, 1 - right[:, -1])))
    return Errors(*(np.array(column) for column in zip(*rows, strict=True)))


def _loss(out: Tensor, aim: Tensor) -> float:
    return float(((out - aim) ** 2).clamp(max=1).mean())
