"""Squared gradients and traces of second derivatives of any network of the construction's shape, string by string.

Second derivatives are summed over the directions of a block without forming them. In direction (i, j) of a block the
tokens of the second layer move by dg_t = p_ti q_tj, numbers p and vectors q: then the scores u_t = g_t' W_2 g_q of the
last position q and the values y_t = g_t' v_2 move by

  du_t = p_ti A_tj + p_qi C_tj,  A_tj = q_tj' W_2 g_q,  C_tj = g_t' W_2 q_qj;      dy_t = p_ti Y_tj,  Y_tj = q_tj' v_2,

and the second derivative of f is  du' H du + 2 du' S dy + 2 sum_t delta_t p_ti p_qi q_tj' W_2 q_qj,  with delta =
s (y - f), S the Jacobian of softmax and H = diag(delta) - delta s' - s delta'. Sums over i and j are products of Gram
matrices. The first layer's scores alone are not linear on the way to g: they add the slope times their own second
derivative. ReLUs have none; on a kink they count as off.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import NamedTuple

from maurey.numeric.types import Tensor
from maurey.verify.tensors import torch

from .construction import Masks, Network, Trace, run

CELLS = 1 << 21  # numbers of a table that are held at a time


class Curvature(NamedTuple):
    f: Tensor  # (n,)
    gradient: Tensor  # (n,): |grad f|^2
    trace: Tensor  # (n,): of the second derivatives of f

    def loss(self, labels: Tensor) -> Tensor:
        """The trace of the Hessian of the squared loss at every string."""
        return 2 * self.gradient + 2 * (self.f - labels) * self.trace


class Directions(NamedTuple):
    """Of a block: p (n, N, I), A, C and Y (n, N, J), and sum_j q_tj' W_2 q_qj (n, N)."""

    p: Tensor
    A: Tensor
    C: Tensor
    Y: Tensor
    bent: Tensor


def curvature(net: Network, z: Tensor, masks: Masks | None = None) -> Curvature:
    part = max(1, CELLS // ((z.shape[1] + 2) ** 2 + (z.shape[1] + 2) * len(net.Gamma)))
    found = [Pass(net, some, masks).curvature() for some in z.split(part)]
    return Curvature(*(torch.cat(columns) for columns in zip(*found, strict=True)))


class Pass:
    """One pass, forwards and back; t and s run over positions, q is the last."""

    def __init__(self, net: Network, z: Tensor, masks: Masks | None) -> None:
        self.net, self.seen = net, run(net, z, masks)
        n, T = z.shape
        bits = torch.cat([z.to(torch.float64), torch.zeros(n, 1, dtype=torch.float64)], dim=1)
        self.X = torch.cat([torch.eye(T + 1, dtype=torch.float64).expand(n, -1, -1), bits[:, :, None]], dim=2)
        seen: Trace = self.seen
        self.mean = seen.a.mT @ self.X  # (n, N, d + 1): what a position sees
        self.V = self.X @ net.W_V
        self.on = (seen.r > 0).to(torch.float64)
        self.delta = seen.s * (seen.y - seen.f[:, None])
        self.query = seen.g[:, -1] @ net.W_2.T  # (n, d + 1): W_2 g_q
        self.keys = seen.g @ net.W_2  # (n, N, d + 1)
        self.slope_g = seen.s[:, :, None] * net.v_2 + self.delta[:, :, None] * self.query[:, None]
        self.slope_g[:, -1] += (self.delta[:, None] @ self.keys)[:, 0]
        self.slope_r = self.on * (self.slope_g @ net.F.T)
        self.slope_b = self.slope_r @ net.M.T

    def covariances(self, values: Tensor, at_last: bool = False) -> Tensor:
        """Of the tokens x_s with values (n, s, t), under what position t sees, or the last one: (n, t, d + 1)."""
        a = self.seen.a[:, :, -1:] if at_last else self.seen.a
        return (a * (values - (a * values).sum(dim=1, keepdim=True))).mT @ self.X

    def curvature(self) -> Curvature:
        seen, X = self.seen, self.X
        scores = self.covariances(self.V @ self.slope_b.mT)
        squares = [
            (seen.s[:, None] @ seen.g).square().sum(dim=(1, 2)),  # v_2
            self.moved().square().sum(dim=1) * seen.g[:, -1].square().sum(dim=1),  # W_2
            _grams(seen.r, self.slope_g),  # F
            self.slope_r.sum(dim=1).square().sum(dim=1),  # Gamma
            _grams(seen.b, self.slope_r),  # M
            _grams(self.mean, self.slope_b),  # W_V
            _grams(X, scores),  # W_1
        ]
        traces = [self.of_last_scores(), self.of_first_scores(), *(self.second(block) for block in self.blocks())]
        return Curvature(seen.f, reduce(add, squares), reduce(add, traces))

    def moved(self) -> Tensor:
        return (self.delta[:, None] @ self.seen.g)[:, 0]

    # --- second derivatives -------------------------------------------------------------------------------------------

    def hessian(self) -> Tensor:
        """H, of f in the scores u."""
        outer = self.delta[:, :, None] * self.seen.s[:, None]
        return torch.diag_embed(self.delta) - outer - outer.mT

    def of_last_scores(self) -> Tensor:
        """In W_2: du_t = g_ti g_qj."""
        g = self.seen.g
        return (self.hessian() * (g @ g.mT)).sum(dim=(1, 2)) * g[:, -1].square().sum(dim=1)

    def of_first_scores(self) -> Tensor:
        """In W_1 by way of a_t: slopes times E |x_s - mean|^2 (v_s - mean)."""
        a, X = self.seen.a, self.X
        away = X.square().sum(dim=2)[:, :, None] - 2 * X @ self.mean.mT  # + |mean|^2, which has no covariance
        values = self.V @ self.slope_b.mT
        each = (a * away * values).sum(dim=1) - (a * away).sum(dim=1) * (a * values).sum(dim=1)
        return (X.square().sum(dim=2) * each).sum(dim=1)

    def second(self, block: Directions) -> Tensor:
        """The sum over all directions of a block."""
        P, s = block.p @ block.p.mT, self.seen.s
        last, AC = P[:, :, -1:], block.A @ block.C.mT
        uu = P * (block.A @ block.A.mT) + last * AC + last.mT * AC.mT + P[:, -1:, -1:] * (block.C @ block.C.mT)
        uy = P * (block.A @ block.Y.mT) + last.mT * (block.C @ block.Y.mT)
        S = torch.diag_embed(s) - s[:, :, None] * s[:, None]
        bent = (self.delta * last[:, :, 0] * block.bent).sum(dim=1)
        return (self.hessian() * uu).sum(dim=(1, 2)) + 2 * (S * uy).sum(dim=(1, 2)) + 2 * bent

    def blocks(self) -> list[Directions]:
        """F, Gamma, M, W_V and W_1: vectors q are unit vectors, rows of F that are on, these mapped by M, and
        covariances of tokens with those."""
        net, seen, on = self.net, self.seen, self.on
        n, N, width = seen.g.shape
        ones, everywhere = torch.ones(n, N, 1, dtype=torch.float64), torch.ones(n, N, width, dtype=torch.float64)
        F_W_F = net.F @ net.W_2 @ net.F.T
        A, Y = on * (self.query @ net.F.T)[:, None], on * (net.F @ net.v_2)
        C = on[:, -1:] * (self.keys @ net.F.T)
        units = Directions(ones, A, C, Y, (on * on[:, -1:]) @ F_W_F.diagonal())
        A_V, C_V, Y_V = (table @ net.M.T for table in (A, C, Y))
        bent_V = (on @ (F_W_F * (net.M.T @ net.M)) * on[:, -1:]).sum(dim=2)
        A_1, Y_1 = (self.covariances(self.V @ table.mT) for table in (A_V, Y_V))
        C_1 = self.covariances(self.V @ C_V.mT, at_last=True)
        return [
            Directions(seen.r, everywhere * self.query[:, None], self.keys, everywhere * net.v_2,
                       ones[:, :, 0] * net.W_2.trace()),
            units,
            units._replace(p=seen.b),
            Directions(self.mean, A_V, C_V, Y_V, bent_V),
            Directions(self.X, A_1, C_1, Y_1, self.bent_by_scores(F_W_F)),
        ]  # fmt: skip

    def bent_by_scores(self, F_W_F: Tensor) -> Tensor:
        """sum_j q_tj' W_2 q_qj with q_tj = sum_i cov_t(x_j, v_i) (M on_t F)_i, without forming it."""
        a, VM = self.seen.a, self.V @ self.net.M
        cov_q = self.X.mT @ (a[:, :, -1:] * (VM - a[:, :, -1:].mT @ VM))  # (n, d + 1, hidden), at the last position
        E = self.X @ ((cov_q * self.on[:, -1:]) @ F_W_F.T)  # (n, s, hidden)
        each = a.mT @ (VM * E) - (a.mT @ VM) * (a.mT @ E)
        return (self.on * each).sum(dim=2)


def _grams(left: Tensor, right: Tensor) -> Tensor:
    """|sum_t left_t right_t'|^2."""
    return ((left @ left.mT) * (right @ right.mT)).sum(dim=(1, 2))
