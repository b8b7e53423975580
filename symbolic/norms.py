"""Matrices as maps y = Mx, and the norms that bound them.

A class states its norms relative to the map: the rows of M are dotted with x. `norm` finds the one that a
cover needs; where another orientation or another norm is given, it is turned into it by a step with its factor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Min, sqrt, sympify

from .derivation import Derivation


@dataclass(frozen=True)
class Matrix:
    label: str  # ASCII, e.g. V or V_1
    mark: str  # the same in LaTeX, as it stands below a letter
    outputs: Expr | int
    inputs: Expr | int
    spectral: Expr | None = None
    frobenius: Expr | None = None
    rows: Expr | None = None  # the largest l2 norm of a row of M
    columns: Expr | None = None  # the largest l2 norm of a column of M
    row_sum: Expr | None = None  # the sum of the l2 norms of the rows of M
    column_sum: Expr | None = None  # the sum of the l2 norms of the columns of M
    row_l1: Expr | None = None  # the largest l1 norm of a row of M
    column_l1: Expr | None = None  # the largest l1 norm of a column of M
    entries: Expr | None = None  # the sum of the absolute entries of M

    def transposed(self) -> Matrix:
        return replace(
            self,
            outputs=self.inputs,
            inputs=self.outputs,
            rows=self.columns,
            columns=self.rows,
            row_sum=self.column_sum,
            column_sum=self.row_sum,
            row_l1=self.column_l1,
            column_l1=self.row_l1,
        )


NAMES = {
    "frobenius": ("F", "F"),
    "row_sum": ("21", "1"),
    "rows": ("inf", r"\infty"),
    "spectral": ("2", "2"),
    "row_l1": ("row", r"\mathrm{row}"),
    "columns": ("col", r"\mathrm{col}"),
    "entries": ("11", "1,1"),
}


def norm(D: Derivation, M: Matrix, kind: str, best: bool = False) -> Expr:
    """A bound on the named norm of M: the one given, else the first that follows from what is given; with `best`, the
    smallest of them all."""
    found = [(getattr(M, kind), "as given")] if getattr(M, kind) is not None else []
    for source, factor, reason in _routes(M, kind):
        if found and not best:
            break
        bound = _frobenius(D, M, best) if source == "frobenius" else getattr(M, source)
        if bound is not None:
            found.append((bound if factor in (None, 1) else factor * bound, reason))
    if kind == "frobenius" and best and M.rows is not None and M.row_sum is not None:
        found.append((sqrt(M.rows * M.row_sum), "the squared rows sum to at most the largest times the sum"))
    if not found:
        raise ValueError(f"nothing bounds the {kind} norm of {M.label}")
    name, below = NAMES[kind]
    if len(found) > 1:
        smallest = Min(*(v for v, _ in found))
        return D.name(f"best_{M.label}_{name}", rf"B^*_{{{M.mark},{below}}}", smallest, "the smallest of what follows")
    return D.name(f"bound_{M.label}_{name}", rf"B_{{{M.mark},{below}}}", *found[0])


def _frobenius(D: Derivation, M: Matrix, best: bool) -> Expr | None:
    known = M.frobenius is not None or any(getattr(M, source) is not None for source, _, _ in _routes(M, "frobenius"))
    return norm(D, M, "frobenius", best) if known else None


def _root(n: Expr) -> Expr:
    return n if n == 1 else sqrt(n)


def _routes(M: Matrix, kind: str) -> list[tuple[str, Expr | None, str]]:
    """Ways to bound a norm by another: (source, factor, reason), the best first. The sharpest source is the
    one the class was stated with, so the spectral norm, which bounds nearly everything, comes last."""
    outputs, inputs = sympify(M.outputs), sympify(M.inputs)
    rank = outputs if outputs == inputs else Min(outputs, inputs)
    if kind == "frobenius":
        return [
            ("columns", _root(inputs), "as many columns as inputs, each of them bounded"),
            ("rows", _root(outputs), "as many rows as outputs, each of them bounded"),
            ("row_sum", None, r"the $\ell_2$ norm of the row norms is at most their $\ell_1$ norm"),
            ("column_sum", None, r"the $\ell_2$ norm of the column norms is at most their $\ell_1$ norm"),
            ("entries", None, r"the $\ell_2$ norm of the entries is at most their $\ell_1$ norm"),
            ("column_l1", _root(inputs), r"as many columns as inputs, each bounded in $\ell_1$ and so in $\ell_2$"),
            ("spectral", _root(rank), "as many singular values as the rank"),
        ]
    if kind == "row_sum":
        return [
            ("rows", outputs, "as many rows as outputs"),
            ("frobenius", _root(outputs), "Cauchy-Schwarz over the rows: orientation costs nothing"),
        ]
    if kind == "row_l1":
        return [("column_l1", inputs, r"a row has as many entries as inputs, each at most its column's $\ell_1$ norm")]
    if kind == "entries":
        return [
            ("column_l1", inputs, "as many columns as inputs"),
            ("column_sum", _root(outputs), r"Cauchy-Schwarz in every column"),
            ("frobenius", _root(outputs * inputs), "Cauchy-Schwarz over all entries"),
        ]
    if kind == "columns":
        return [
            ("column_sum", None, "one column is at most the sum"),
            ("spectral", None, "a column is the image of a unit vector"),
            ("frobenius", None, "one column is at most all"),
        ]
    if kind == "rows":
        return [
            ("row_sum", None, "one row is at most the sum"),
            ("columns", _root(inputs), "a row has as many entries as inputs, each at most its column"),
            ("spectral", None, "a row is the image of a unit vector under the transpose"),
            ("frobenius", None, "one row is at most all"),
        ]
    return [("frobenius", None, "the spectral norm is at most the Frobenius norm")]
