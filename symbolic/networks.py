"""The deep Transformer of the papers as a composition of modules, and its gap.

Both papers bound the same network; they differ in the linear cover that is plugged in (`route.cover`) and in the
norms that are given.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Add, Expr, S, sqrt, sympify

from .allocation import quadratic_total, whole_total
from .capacity import capacity, covered
from .chain import TEXTBOOK, best_gap, complexity, cut_off, gap, levelled, one_scale
from .covers import volumetric
from .derivation import Derivation
from .modules import Fixed, Linear, Module, Projection, ReadToken, Signal, compose, times
from .names import symbols
from .norms import Matrix
from .route import Route

d, k, m, L_sigma, B_w, L_loss, b, delta = symbols("d k m L_sigma B_w L_loss b delta")

Norms = Mapping[str, Expr | None]  # V, V_inf, ...: bounds on the maps of one layer
SUFFIXES = {
    "": "spectral", "_F": "frobenius", "_inf": "rows", "_21": "column_sum", "_11": "entries", "_1inf": "column_l1",
    "_col": "columns", "_row_21": "row_sum", "_row_1": "row_l1",
}  # fmt: skip


def bounded(name: str, norms: Norms) -> dict[str, Expr | None]:
    """The norms of one matrix, as the fields of a Matrix."""
    return {field: norms.get(f"{name}{suffix}") for suffix, field in SUFFIXES.items()}


def matrices(norms: Norms, layer: int | None = None, width: Expr = k) -> tuple[Matrix, Matrix, Matrix]:
    """The maps of one layer: values W_V^T, scores and W_C^T. The norms are those of the maps: the (2, inf) norm of W_V,
    its largest column, is the largest row of the map."""
    label, mark = ("", "") if layer is None else (f"_{layer}", f"^{{({layer})}}")

    def matrix(name: str, outputs: Expr, inputs: Expr) -> Matrix:
        return Matrix(f"{name}{label}", f"{name}{mark}", outputs, inputs, **bounded(name, norms))

    return matrix("V", width, d), matrix("QK", d, d), matrix("C", d, width)


def block(route: Route, norms: Norms, layer: int | None = None, last: bool = False, width: Expr = k) -> Module:
    """One layer: attention, projection, activation, W_C, projection."""
    V, QK, C = matrices(norms, layer, width)
    attention = route.attention(V, QK, one_query=route.read_one and last)
    projection = Projection(route.carried_radii)
    return compose(attention, projection, Fixed(L_sigma), Linear(C), projection)


def readout(norms: Norms | None = None) -> Linear:
    return Linear(Matrix("w", "w", 1, d, **(bounded("w", norms or {}) | {"frobenius": B_w})))


def network(route: Route, layers: list[Norms], width: Expr = k, last: Linear | None = None) -> Module:
    """All layers, [CLS] and the read-out w."""
    blocks = [block(route, norms, n, n == len(layers), width) for n, norms in enumerate(layers, 1)]
    return compose(*blocks, ReadToken(), last or readout())


def network_complexity(D: Derivation, route: Route, module: Module, x: Signal, A: Expr = B_w) -> Expr:
    """Of a class with |f| <= A, which is B_w where the read-out sees a projected token."""
    terms = covered(D, module, x, route.cover)
    if any(t.entropy.offset is None for t in terms):
        flats = [times(sympify(t.copies), t.entropy.flat) for t in terms if t.entropy.flat != 0]
        flat = D.let("flat", r"p_{\mathrm{flat}}", Add(*flats), "grids of norms") if flats else S.Zero
        return cut_off(D, TEXTBOOK, lambda tau: capacity(D, module, x, tau, route.cover), A, m, flat)
    p, C = quadratic_total(D, terms)
    if not route.chaining:
        return complexity(D, TEXTBOOK, C, A, m, p)
    return levelled(D, C, A, m, p, whole=None if p is None else whole_total(D, terms, "_whole"))


def network_gap(D: Derivation, route: Route, module: Module, x: Signal, A: Expr = B_w) -> Expr:
    """The complexity is bounded for every sample, which the sharp route makes use of."""
    R = network_complexity(D, route, module, x, A)
    return (best_gap if route.chaining else gap)(D, L_loss, R, b, delta, m)


def counted_gap(D: Derivation, route: Route, module: Module, x: Signal, A: Expr = B_w) -> Expr:
    """The gap from one cover of every matrix that counts its entries."""
    tau = D.let("tau", r"\tau", A / sqrt(m), "a resolution of the order of the deviation")
    R = one_scale(D, capacity(D, module, x, tau, volumetric), tau, A, m)
    return (best_gap if route.chaining else gap)(D, L_loss, R, b, delta, m)
