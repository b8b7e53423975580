"""The three-layer ReLU networks of Edelman et al., B.8, as printed and repaired.

A unit of the first layer is a piece (a (x - x_i) + c)_+ of a bump in one coordinate around one point; pieces (h, i, j)
are combined with the signs [1, -1, -1, 1] over h. The second layer adds the bumps of a point and has a ramp that tells
d_f from what is less. With dyadic numbers every entry, sum and output is exact in doubles.

  printed   slopes 1, 1, -1, -1 (over delta), offsets 2, 1, 2, 1: a step from -1 to 1, which is 0 on the plateau
  repaired  slopes 1, 1, 1, 1, offsets 2, 1, -1, -2: 1 for |u| <= 1, 0 for |u| >= 2, where u = (x - x_i)/delta
  wide      half of offsets 3, 1, -1, -3: 1 for |u| <= 1, 0 for |u| >= 3, which is where other plateaus begin
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from maurey.numeric.types import Tensor
from maurey.verify.tensors import torch

CELLS = 1 << 22  # hidden values at a time
SIGNS = (1.0, -1.0, -1.0, 1.0)
SLOPES = {"printed": (1.0, 1.0, -1.0, -1.0), "repaired": (1.0,) * 4, "wide": (0.5,) * 4}
OFFSETS = {"printed": (2.0, 1.0, 2.0, 1.0), "repaired": (2.0, 1.0, -1.0, -2.0), "wide": (1.5, 0.5, -0.5, -1.5)}


class Network(NamedTuple):
    """Biases are the last rows."""

    W_1: Tensor  # (d_f + 1, 4 n d_f)
    W_2: Tensor  # (4 n d_f + 1, 2 n)
    w: Tensor  # (2 n,)


def network(points: Tensor, values: Tensor, ramp: float, kind: str) -> Network:
    """Value f(x_i) around point x_i: points (n, d_f), values (n,)."""
    n, d_f = points.shape
    # how wide the ramp of the second layer is: within the gap of 1 below d_f, if it is to work
    width = {"printed": ramp, "repaired": min(1.0, ramp), "wide": 1.0}[kind]
    W_1 = torch.zeros(d_f + 1, 4, n, d_f, dtype=torch.float64)
    W_2 = torch.zeros(4, n, d_f, 2, n, dtype=torch.float64)
    for h, (sign, slope, offset) in enumerate(zip(SIGNS, SLOPES[kind], OFFSETS[kind], strict=True)):
        for j in range(d_f):
            W_1[j, h, :, j] = slope / ramp
        W_1[d_f, h] = offset - slope * points / ramp
        for i in range(n):
            W_2[h, i, :, :, i] = sign / width
    biases = torch.tensor([1 - d_f / width, -d_f / width], dtype=torch.float64).repeat_interleave(n)
    W_2 = torch.cat([W_2.reshape(4 * n * d_f, 2 * n), biases[None]])
    return Network(W_1.reshape(d_f + 1, 4 * n * d_f), W_2, torch.cat([values, -values]))


def lean(points: Tensor, values: Tensor, ramp: float) -> Network:
    """Wide bumps, and one unit of the second layer for each point: what their sum has beyond d_f - 1."""
    n, d_f = points.shape
    wide = network(points, values, ramp, "wide")
    W_2 = wide.W_2[:, :n].clone()
    W_2[-1] = 1.0 - d_f
    return Network(wide.W_1, W_2, values)


def run(net: Network, x: Tensor) -> Tensor:
    """((x W_1)_+ W_2)_+ w with biases, a part of the points at a time: (N, d_f) -> (N,)."""

    def part(x: Tensor) -> Tensor:
        y = torch.relu(x @ net.W_1[:-1] + net.W_1[-1])
        return torch.relu(y @ net.W_2[:-1] + net.W_2[-1]) @ net.w

    return torch.cat([part(some) for some in x.split(max(1, CELLS // len(net.W_2)))])


def run_exactly(net: Network, x: list[float]) -> Fraction:
    """The same at one point, in fractions."""
    W_1, W_2, w = ([[Fraction(v) for v in row] for row in W.tolist()] for W in (net.W_1, net.W_2, net.w[None]))
    point = [Fraction(v) for v in x]
    for W in (W_1, W_2):
        point.append(Fraction(1))
        point = [max(Fraction(0), _dot(point, column)) for column in zip(*W, strict=True)]
    return _dot(point, w[0])


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def sizes(net: Network) -> dict[str, float]:
    """Widths, and the largest entry of each matrix."""
    widths = {"d_2": float(net.W_1.shape[1]), "d_3": float(net.W_2.shape[1])}
    return widths | {name: float(W.abs().max()) for name, W in zip(Network._fields, net, strict=True)}


def frobenius(net: Network) -> dict[str, float]:
    return {name: float(W.norm()) for name, W in zip(Network._fields, net, strict=True)}


def grid_points(n: int, d_f: int, ramp: float, rng: np.random.Generator) -> Tensor:
    """n points at distance 4 ramp or more, neighbours at exactly that: (n, d_f)."""
    side = 1
    while side**d_f < n:
        side += 1
    cells = list(itertools.product(range(side), repeat=d_f))
    chosen = np.array([cells[i] for i in rng.permutation(len(cells))[:n]], dtype=float).reshape(n, d_f)
    return torch.as_tensor((chosen - side // 2) * 4 * ramp)


def noises(d_f: int, radius: float, count: int, rng: np.random.Generator) -> Tensor:
    """The centre, corners of the cube of this radius, and dyadic points of it: (N, d_f)."""
    corners = rng.choice((-1.0, 1.0), size=(count, d_f)) if 2**d_f > count else None
    if corners is None:
        corners = np.array(list(itertools.product((-1.0, 1.0), repeat=d_f)))
    inside = rng.integers(-16, 17, size=(count, d_f)) / 16
    return radius * torch.as_tensor(np.vstack([np.zeros((1, d_f)), corners, inside]))


def mistakes(net: Network, points: Tensor, values: Tensor, noise: Tensor) -> tuple[float, dict[str, Any]]:
    """The largest |f_mlp(x_i + z) - f(x_i)|, and where."""
    n, d_f = points.shape
    x = (points[:, None] + noise[None]).reshape(-1, d_f)
    found = run(net, x).reshape(n, -1)
    errors = (found - values[:, None]).abs()
    i, z = divmod(int(errors.argmax()), len(noise))
    at = {"x_i": points[i].tolist(), "z": noise[z].tolist(), "f(x_i)": float(values[i])}
    return float(errors.max()), at | {"f_mlp(x_i+z)": float(found[i, z])}
