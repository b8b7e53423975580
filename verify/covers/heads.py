"""Covers of attention heads and of deep networks, built weight by weight as the sharp forms count them.

Every weight is covered on the vectors it acts on in the network of the centres found so far, at the share of the error
that the form gives it; scores as numbers (maurey/score), and of the last layer only what is read (maurey/read).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np

from maurey.numeric.binding import Bound
from maurey.numeric.evaluation import value_of
from maurey.numeric.types import Array

from . import online
from .instances import ROUNDING
from .online import Project

SIGNS = online.coordinates(1)
NETS = 4  # dimensions up to which nets are written out


class Built(NamedTuple):
    error: float  # of the centre, in the largest output
    log_size: float  # as many lists of as many corrections as were made
    spent: Mapping[str, tuple[float, float]]  # weight: what its corrections cost, and what the form allows


def quantities(bound: Bound, *prefixes: str) -> dict[str, float]:
    """Steps of a form by name, as doubles."""
    names = [(i, step.name) for i, step in enumerate(bound.steps) if step.name.startswith(prefixes)]
    return {name: float(value_of(bound.steps[: i + 1], bound.values)) for i, name in names}


def softmax(scores: Array) -> Array:
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def norm_project(x: Array) -> Array:
    return x / np.maximum(1.0, np.linalg.norm(x, axis=-1, keepdims=True))


def bounded(columns: float, spectral: float, rows: bool = False) -> Project:
    """Matrices with columns (or rows) and spectral norm within their bounds."""

    def outside(W: Array) -> float:
        longest = float(np.linalg.norm(W, axis=1 if rows else 0).max())
        return max(longest / columns, float(np.linalg.norm(W, 2)) / spectral)

    first = online.in_rows(columns) if rows else online.in_columns(columns)
    return online.in_both(first, online.in_spectral(spectral), outside)


def cover_scores(W: Array, left: Array, right: Array, R: float, eps: float, project: Project) -> tuple[Array, float]:
    """<W, x y^T> for given pairs of vectors of norm at most R: the centre, and what its list costs."""
    features = (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)

    def flat(v: Array) -> Array:
        return project(v.reshape(W.shape)).reshape(-1, 1)

    run = online.correct(W.reshape(-1, 1), features, R=R**2, eps=eps, project=flat, U=SIGNS, kappa=1.0)
    return run.centre.reshape(W.shape), len(run.corrections) * math.log(2 * len(left) + 1)


def cover_map(W: Array, X: Array, R: float, eps: float, project: Project) -> tuple[Array, float]:
    """x -> W^T x on the given vectors, by the directions whose count is smallest."""
    (d_1, d_2), N = W.shape, len(X)
    kinds = [(d_2 * math.log(2 * d_2 * N + 1), "coordinates")]
    if d_2 <= NETS:
        kinds.append((64 / 49 * math.log(5**d_2 * N + 1), "net"))
        if d_1 <= NETS:
            kinds.append(((64 / 49) ** 2 * math.log(5 ** (d_1 + d_2) + 1), "everywhere"))
    kind = min(kinds)[1]
    if kind == "everywhere":
        nets = online.net(d_1), online.net(d_2)
        run = online.correct_everywhere(W, R, eps, project, *nets)
        return run.centre, len(run.corrections) * math.log(len(nets[0]) * len(nets[1]) + 1)
    U, kappa = (online.net(d_2), online.NEAR) if kind == "net" else (online.coordinates(d_2), d_2**-0.5)
    run = online.correct(W, X, R=R, eps=eps, project=project, U=U, kappa=kappa)
    return run.centre, len(run.corrections) * math.log(len(U) * N + 1)


def counted(
    found: tuple[Array, float], allowed: float, W: Array, R: float, eps: float, project: Project
) -> tuple[Array, float]:
    """The centre that was found, if its list costs no more than the form allows; else the form counts entries by
    volume, and any member within eps may be the centre."""
    return found if found[1] <= allowed * (1 + ROUNDING) else (online.near_member(W, eps / R, project), allowed)


# --- heads ----------------------------------------------------------------------------------------------------------


def heads_output(X: Array, tau: int, weights: list[tuple[Array, Array]], sigma: Callable[[Array], Array]) -> Array:
    """The sum of heads sigma(W_V^T X^T softmax(X W_QK^T x_tau)), for X of shape (m, T, d): (m, d)."""

    def one(V: Array, QK: Array) -> Array:
        p = softmax(np.einsum("id,de,ite->it", X[:, tau], QK, X))
        return sigma(np.einsum("it,itd,dk->ik", p, X, V))

    return reduce(add, (one(V, QK) for V, QK in weights))


def build_heads(
    bound: Bound, X: Array, R: float, weights: list[tuple[Array, Array]], projects: list[tuple[Project, Project]],
    sigma: Callable[[Array], Array],
) -> Built:  # fmt: skip
    """The product cover of the sharp forms of 4.4, A.11 (X with its positions) and A.12."""
    shares, (m, T) = quantities(bound, "eps_", "E_"), X.shape[:2]
    keys, queries = X.reshape(m * T, -1), np.repeat(X[:, 0], T, axis=0)
    centres, spent = [], dict[str, tuple[float, float]]()
    for h, ((V, QK), (in_V, in_QK)) in enumerate(zip(weights, projects, strict=True), 1):
        label = f"_{h}" if f"eps_V_{h}" in shares else ""
        eps_QK, eps_V = shares[f"eps_QK{label}"], shares[f"eps_V{label}"]
        QK_hat, cost_QK = counted(cover_scores(QK, queries, keys, R, eps_QK, in_QK), shares[f"E_QK{label}"], QK,
                                  R**2, eps_QK, in_QK)  # fmt: skip
        V_hat, cost_V = counted(cover_map(V, keys, R, eps_V, in_V), shares[f"E_V{label}"], V, R, eps_V, in_V)
        centres.append((V_hat, QK_hat))
        spent |= {f"QK_{h}": (cost_QK, shares[f"E_QK{label}"]), f"V_{h}": (cost_V, shares[f"E_V{label}"])}
    off = heads_output(X, 0, weights, sigma) - heads_output(X, 0, centres, sigma)
    return Built(float(np.linalg.norm(off, axis=1).max()), sum(cost for cost, _ in spent.values()), spent)


# --- deep networks --------------------------------------------------------------------------------------------------


class Block(NamedTuple):
    V: Array  # (d, k)
    QK: Array  # W_K W_Q^T, (d, d)
    C: Array  # (k, d)


def attend(Z: Array, V: Array, QK: Array, queries: int) -> Array:
    """Rows 0, ..., queries - 1 of RowSoftmax(Z W_Q (Z W_K)^T) Z W_V."""
    scores = np.einsum("ite,ed,iqd->iqt", Z, QK, Z[:, :queries])
    return softmax(scores) @ Z @ V


def deep_output(X: Array, blocks: list[Block], w: Array, sigma: Callable[[Array], Array]) -> Array:
    for block in blocks:
        inner = sigma(norm_project(attend(X, block.V, block.QK, X.shape[1])))
        X = norm_project(inner @ block.C)
    return X[:, 0] @ w


def build_deep(
    bound: Bound, X: Array, R: float, blocks: list[Block], w: Array, budget: list[dict[str, float]], L_sigma: float,
    sigma: Callable[[Array], Array],
) -> Built:  # fmt: skip
    """The cover of the sharp form of A.17, layer by layer; of the last layer only the token that is read. `budget`
    holds the norm bounds of each layer."""
    shares = quantities(bound, "eps_", "E_")
    (m, T), Z, spent = X.shape[:2], X, dict[str, tuple[float, float]]()
    for i, (block, B) in enumerate(zip(blocks, budget, strict=True), 1):
        queries = 1 if i == len(blocks) else T
        d = Z.shape[2]
        keys = np.repeat(Z[:, None], queries, axis=1).reshape(-1, d)
        asked = np.repeat(Z[:, :queries, None], T, axis=2).reshape(-1, d)
        V_in, QK_in, C_in = (bounded(B[f"{name}_inf"], B[name]) for name in ("V", "QK", "C"))
        eps, allowed = ({name: shares[f"{what}_{name}_{i}"] for name in ("QK", "V", "C")} for what in ("eps", "E"))
        found = cover_scores(block.QK, keys, asked, R, eps["QK"], QK_in)
        QK, cost = counted(found, allowed["QK"], block.QK, R**2, eps["QK"], QK_in)
        spent[f"QK_{i}"] = cost, allowed["QK"]
        found = cover_map(block.V, Z.reshape(m * T, d), R, eps["V"], V_in)
        V, cost = counted(found, allowed["V"], block.V, R, eps["V"], V_in)
        spent[f"V_{i}"] = cost, allowed["V"]
        inner = sigma(norm_project(attend(Z, V, QK, queries)))
        R = L_sigma * min(1.0, B["V"] * R)
        found = cover_map(block.C, inner.reshape(m * queries, -1), R, eps["C"], C_in)
        C, cost = counted(found, allowed["C"], block.C, R, eps["C"], C_in)
        spent[f"C_{i}"] = cost, allowed["C"]
        Z, R = norm_project(inner @ C), min(1.0, B["C"] * R)
    project = online.in_frobenius(budget[0]["w"])
    run = online.correct(w[:, None], Z[:, 0], R=R, eps=shares["eps_w"], project=project, U=SIGNS, kappa=1.0)
    found = run.centre, len(run.corrections) * math.log(2 * m + 1)
    last, cost = counted(found, shares["E_w"], w[:, None], R, shares["eps_w"], project)
    spent["w"] = cost, shares["E_w"]
    off = np.abs(Z[:, 0] @ last[:, 0] - deep_output(X, blocks, w, sigma)).max()
    return Built(float(off), sum(cost for cost, _ in spent.values()), spent)
