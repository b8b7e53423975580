"""The covers of heads and networks, run on random members of their classes with bounds that bind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.numeric.binding import bind
from maurey.numeric.exact import below
from maurey.numeric.types import Array
from maurey.symbolic import registry
from maurey.verify.checks import Effort

from . import heads as build
from . import online, rounding
from .instances import ROUNDING, Instance, inputs, target


def _activation(L_sigma: float) -> Callable[[Array], Array]:
    return lambda x: L_sigma * np.tanh(x)


def _instance(made: build.Built, at: dict[str, Any]) -> Instance:
    """Each weight within what the form allows it; the cover is as large as all of that together."""
    inside = all(cost <= allowed * (1 + ROUNDING) for cost, allowed in made.spent.values())
    size = sum(allowed for _, allowed in made.spent.values())
    return Instance(at, made.error / float(at["eps"]), math.floor(made.log_size), math.ceil(size), size, inside)


def _fractions(**values: str) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in values.items()}


def heads(effort: Effort, key: str) -> Iterator[Instance]:
    """4.4, A.11 (with positions), A.12 (two heads), A.12-equal-heads (two equal bounds)."""
    rng, claim = np.random.default_rng(effort.seed), registry.find(key)
    indexed = any(p.index for p in claim.symbols)
    number = 2 if indexed or "equal" in key else 1
    for i in range(12 * effort.scale):
        d, m, T = int(rng.choice((2, 3, 6))), int(rng.choice((1, 4, 12))), int(rng.choice((1, 2, 5)))
        at: dict[str, Any] = _fractions(
            eps=str(rng.choice(("1/2", "1", "2"))), d=str(d), m=str(m), T=str(T), L_sigma="3/2", B_X="1",
            B_V="6/5", B_V_inf="1", B_QK_inf="3/2",
        )  # fmt: skip
        own = [at] * number
        X = inputs(rng, m * T, d, 1 + i % 2).reshape(m, T, d)
        R = 1.0
        if key.endswith("A.11"):
            at |= _fractions(B_P="1/2")
            X, R = X + 0.5 * inputs(rng, T, d, 1), 1.5
        if number == 2:
            at |= _fractions(H="2")
        if indexed:
            own = [at, at | _fractions(B_V="1/2", B_V_inf="1/2", B_QK_inf="1")]
            at = at | {name: [one[name] for one in own] for name in ("B_V", "B_V_inf", "B_QK_inf")}
        projects = [
            (build.bounded(float(one["B_V_inf"]), float(one["B_V"]), rows=True),
             online.in_columns(float(one["B_QK_inf"])))
            for one in own
        ]  # fmt: skip
        weights = [(V(3 * rng.normal(size=(d, d))), QK(3 * rng.normal(size=(d, d)))) for V, QK in projects]
        bound = bind(claim, "sharp", "log_N", at)
        made = build.build_heads(bound, X, R, weights, projects, _activation(1.5))
        yield _instance(made, at)


def scores(effort: Effort) -> Iterator[Instance]:
    """maurey/score: one query for each of m sequences of T tokens."""
    rng = np.random.default_rng(effort.seed)
    for i in range(24 * effort.scale):
        d, m, T = int(rng.choice((1, 3, 20))), int(rng.choice((1, 4, 30))), int(rng.choice((1, 2, 10)))
        B, R = Fraction(3, 2), Fraction(1, 2)
        eps = B * R**2 * Fraction(str(rng.choice(("21/20", "9/10", "1/2", "1/5", "1/10"))))
        X = float(R) * inputs(rng, m * T, d, i % 3).reshape(m, T, d)
        project = online.in_frobenius(float(B))
        W = target(rng, (d, d), i % 4 % 3, project, max(1, below((B * R**2 / eps) ** 2)))
        left, right = np.repeat(X[:, 0], T, axis=0), X.reshape(m * T, d)
        centre, cost = build.cover_scores(W, left, right, float(R), float(eps), project)
        error = float(np.abs(((left @ (W - centre)) * right).sum(1)).max()) / float(eps)
        allowed = max(0, below((B * R**2 / eps) ** 2))
        used = round(cost / math.log(2 * m * T + 1))
        at = {"eps": eps, "m": Fraction(m), "T": Fraction(T), "B_X": R, "B_QK_F": B}
        inside = bool(np.linalg.norm(centre) <= float(B) * (1 + ROUNDING))
        yield Instance(at, error, used, allowed, allowed * math.log(2 * m * T + 1), inside)


def deep(effort: Effort, key: str = "edelman2022/A.17") -> Iterator[Instance]:
    """A.17 with its own bounds in every layer, or 4.6 with the same in all."""
    rng, claim = np.random.default_rng(effort.seed), registry.find(key)
    equal = key.endswith("4.6")
    for _ in range(8 * effort.scale):
        d, m, T = int(rng.choice((2, 3, 5))), int(rng.choice((1, 3, 6))), int(rng.choice((1, 2, 4)))
        L, k = int(rng.choice((1, 2))), d if equal else int(rng.choice((2, 4)))
        at: dict[str, Any] = _fractions(
            eps=str(rng.choice(("1", "2"))), d=str(d), m=str(m), T=str(T), L=str(L), L_sigma="11/10", B_w="1"
        )
        one = _fractions(V="6/5", V_inf="1", QK="1/2", QK_inf="2/5", C="1", C_inf="9/10")
        if equal:
            one = _fractions(V="1", V_inf="4/5", QK="1", QK_inf="4/5", C="1", C_inf="4/5")
            at |= _fractions(C_2="1", C_inf="4/5", B_X="4/5")
        else:
            at |= {"k": Fraction(k)} | {f"B_{name}": [value] * L for name, value in one.items()}
        R = 0.8 if equal else 1.0
        X = R * inputs(rng, m * T, d, 1).reshape(m, T, d)
        budget = [{name: float(value) for name, value in one.items()} | {"w": 1.0}] * L
        shapes = {"V": (d, k), "QK": (d, d), "C": (k, d)}
        blocks = [
            build.Block(*(
                build.bounded(float(one[f"{name}_inf"]), float(one[name]))(3 * rng.normal(size=shape))
                for name, shape in shapes.items()
            ))
            for _ in range(L)
        ]  # fmt: skip
        w = online.in_frobenius(1.0)(10 * rng.normal(size=(d, 1)))[:, 0]
        bound = bind(claim, "sharp", "log_N", at)
        yield _instance(
            build.build_deep(bound, X, R=R, blocks=blocks, w=w, budget=budget, L_sigma=1.1, sigma=_activation(1.1)), at
        )


# --- every weight rounded to a lattice, for all inputs at once: trauger2024/4.2 and its corollaries ------------------

NORMS = {"4.2": "entries", "4.2.1": "entries", "F.0.1": "columns", "F.0.2": "sums"}
BOUNDS = {"entries": "B_W_11", "columns": "B_W_1inf", "sums": "B_W_21"}


def _l1(x: Array, B: float) -> Array:
    return online.weighted_columns(x.reshape(1, -1), np.ones(x.size), B).reshape(x.shape)


def _class(norm: str, B: float, spectral: float) -> tuple[online.Project, Callable[[Array], float]]:
    """The projection onto the maps with both bounds, and by what factor one is outside."""
    size: Callable[[Array], float]
    first: online.Project
    if norm == "entries":
        first, size = (lambda M: _l1(M, B)), (lambda M: float(np.abs(M).sum()))
    elif norm == "columns":
        first = lambda M: np.stack([_l1(column, B) for column in M.T], axis=1)  # noqa: E731
        size = lambda M: float(np.abs(M).sum(0).max())  # noqa: E731
    else:
        first = lambda M: online.weighted_columns(M, np.ones(M.shape[1]), B)  # noqa: E731
        size = lambda M: float(np.linalg.norm(M, axis=0).sum())  # noqa: E731
    outside: Callable[[Array], float] = lambda M: max(size(M) / B, float(np.linalg.norm(M, 2)) / spectral)  # noqa: E731
    return online.in_both(first, online.in_spectral(spectral), outside), outside


def rounded(x: Array, radius: float, eps: float) -> tuple[Array, float]:
    """A point of the smaller of the two lattices of maurey/lattice, and the log of how many it has at most."""
    n, a = x.size, (radius / eps) ** 2
    if a <= 1:
        return np.zeros(x.shape), 0.0
    M, S = rounding.dense_steps(a), rounding.sparse_support(a)
    few, most = min(M * math.log(2 * n + 1), n * math.log(2 * M + 1)), S * math.log(4 * n + 1)
    flat = x.reshape(-1)
    if few <= most:
        return (radius / (M + 1) * rounding.dense(flat, radius, M)).reshape(x.shape), few
    return (radius / (2 * S) * rounding.sparse(flat, radius, S)).reshape(x.shape), most


def _round_map(M: Array, norm: str, B: float, R: float, R_1: float, eps: float) -> tuple[Array, float]:
    """Entry by entry as one vector, or column by column, an input a mixture of R_1 times the basis."""
    if norm == "columns":
        found = [rounded(column, B, eps / R_1) for column in M.T]
        return np.stack([centre for centre, _ in found], axis=1), sum(cost for _, cost in found)
    return rounded(M, B if norm == "entries" else B * math.sqrt(M.shape[0]), eps / R)


def _corrected(M: Array, R: float, basis: float | None, eps: float, project: online.Project) -> tuple[Array, float]:
    """By corrections, on multiples of the basis where inputs are mixtures of these, else for all inputs."""

    def turned(W: Array) -> Array:
        return project(W.T).T

    if basis is not None:
        centre, cost = build.cover_map(M.T, basis * np.eye(M.shape[1]), basis, eps, turned)
        return centre.T, cost
    nets = online.net(M.shape[1]), online.net(M.shape[0])
    run = online.correct_everywhere(M.T, R, eps, turned, *nets)
    return run.centre.T, len(run.corrections) * math.log(len(nets[0]) * len(nets[1]) + 1)


def _same_cell(M: Array, centre: Array, reach: float, project: online.Project) -> Array:
    """Another member whose columns are within reach of the centre's, on the far side from M; M itself if none is."""
    for candidate in (project(2 * centre - M), project(centre)):
        if np.linalg.norm(candidate - centre, axis=0).max() <= reach:
            return candidate
    return M


def lattices(effort: Effort, key: str, share: float = 1.0) -> Iterator[Instance]:
    """The sharp form's cover, with centres projected into the class: Frobenius distances to a member do not grow.

    Where columns are rounded they may, so centres stay where they are; with a share of 1/2 any member near the centre
    is one, and such a cover is no larger than the derived form.
    """
    rng, norm = np.random.default_rng(effort.seed), NORMS[key.rpartition("/")[2]]
    B = Fraction(3, 2)
    for i in range(6 * effort.scale):
        widths = ((2, 3), (2, 4)) if norm == "sums" else ((4, 12), (4, 16))  # nets are written out for sums
        d, k, m = (int(rng.choice(choices)) for choices in (*widths, (1, 5)))
        at: dict[str, Any] = _fractions(
            eps=str(rng.choice(("1/20", "1/8"))), L=str(1 + i % 3), L_sigma="11/10", B_w="9/10", B_C="1", B_V="4/5",
            B_QK="1/2",
        )  # fmt: skip
        radius = Fraction(str(rng.choice(("1/2", "2"))))
        at["B_X" if norm == "entries" else "B_X_1"] = radius
        if key.endswith("4.2"):
            at["C_1"] = Fraction(math.ceil(10**6 * B**2 * math.log(2 * d * max(d, k) + 1)), 10**6)
            at["C_X"] = at["C_1"] * radius**2
        else:
            at |= {BOUNDS[norm]: B, "d": Fraction(d), "k": Fraction(k), "m": Fraction(m)}
        X = inputs(rng, m * 3, d, 1).reshape(m, 3, d)
        X[..., 0] += 2.0  # along the large entries
        X *= float(radius) / np.linalg.norm(X, axis=-1, keepdims=True)
        if norm != "entries":
            X /= np.maximum(1.0, np.abs(X).sum(-1, keepdims=True) / float(radius))
        yield _rounded_network(rng, key, at=at, X=X, k=k, B=float(B), share=share)


def _rounded_network(
    rng: np.random.Generator, key: str, at: dict[str, Any], X: Array, k: int, B: float, share: float
) -> Instance:
    norm, d = NORMS[key.rpartition("/")[2]], X.shape[2]
    shares = build.quantities(bind(registry.find(key), "sharp", "log_N", at), "eps_", "E_")
    spent, factors = dict[str, tuple[float, float]](), [1.0]

    def cover(label: str, shape: tuple[int, int], spectral: str, R: float, R_1: float) -> tuple[Array, Array]:
        """A member on the boundary and its centre. One entry is large, so that outputs are above eps: else a cover by
        zero alone would do as well."""
        project, outside = _class(norm, B, float(at[spectral]))
        x, eps = rng.normal(size=shape) / math.prod(shape), share * shares[f"eps_{label}"]
        x[0, 0] = 1.0
        M = x / outside(x)
        centre, cost = _round_map(M, norm, B, R, R_1, eps)
        if norm == "sums" and cost > shares[f"E_{label}"] * (1 + ROUNDING):
            centre, cost = _corrected(M, R, R_1 if label in ("V_1", "QK_1") else None, eps, project)
        if share == 1 and cost > shares[f"E_{label}"] * (1 + ROUNDING):  # counted by volume
            centre, cost = online.near_member(M, eps / (R_1 if norm == "columns" else R), project), shares[f"E_{label}"]
        if norm != "columns":
            centre = project(centre)
        elif share < 1:
            centre = _same_cell(M, centre, eps / R_1, project)
        factors.append(outside(centre))
        spent[label] = cost, shares[f"E_{label}"] if share == 1 else cost
        return M, centre

    networks: tuple[list[build.Block], list[build.Block]] = [], []
    R = R_1 = float(at["B_X" if norm == "entries" else "B_X_1"])
    for n in range(1, int(at["L"]) + 1):
        V, QK = cover(f"V_{n}", (k, d), "B_V", R, R_1), cover(f"QK_{n}", (d, d), "B_QK", R, R_1)
        R = float(at["L_sigma"]) * min(1.0, float(at["B_V"]) * R)
        C = cover(f"C_{n}", (d, k), "B_C", R, math.sqrt(k) * R)
        for blocks, maps in zip(networks, zip(V, QK, C, strict=True), strict=True):
            blocks.append(build.Block(*(M.T for M in maps)))
        R = min(1.0, float(at["B_C"]) * R)
        R_1 = math.sqrt(d) * R
    read = cover("w", (1, d), "B_w", R, R_1)
    sigma = _activation(float(at["L_sigma"]))
    true, near = (build.deep_output(X, blocks, w[0], sigma) for blocks, w in zip(networks, read, strict=True))
    made = build.Built(float(np.abs(true - near).max()), sum(cost for cost, _ in spent.values()), spent)
    whole = _instance(made, at)
    return whole._replace(inside=whole.inside and max(factors) <= 1 + ROUNDING)
