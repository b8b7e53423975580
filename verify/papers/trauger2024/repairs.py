"""Repaired bounds: each display is, identically, what the calculus gives with covers in closed form, and these are no
smaller than covers that are proved: ceilings are dropped, and dimensions grow to the largest there is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sympy import Expr, Integer, Max, Min, Rational, Symbol, expand_func, log, prod, sympify

from maurey.symbolic.capacity import closed_capacity_steps
from maurey.symbolic.covers import (
    Cover,
    atoms,
    closed_columns,
    closed_entries,
    closed_net,
    closed_rows,
    closed_sums,
    on_basis,
    online_everywhere,
    online_fine_sum,
)
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.entropy import Entropy, lattice_closed, quadratic
from maurey.symbolic.modules import Linear, Signal, Weight, times
from maurey.symbolic.names import symbols
from maurey.symbolic.papers.trauger2024 import section_3, section_4, section_e_f
from maurey.symbolic.route import PAPER
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula
from maurey.verify.prove.repairs import Calculus, same_display

eps, d, k, B_11, B_1inf, B_21 = symbols("eps d k B_W_11 B_W_1inf B_W_21")
TWO = replace(PAPER, kappa=Integer(2))
WIDTH = Max(d, k)
ALMOST = Rational(99, 100)

Lemmas = Callable[[], Iterable[Proof]]


def _deep(cover: Cover, suffix: str = "", bound: Expr | None = None, x: Signal = section_4.TOKENS) -> Calculus:
    return lambda setting: closed_capacity_steps(section_4.deep(setting, TWO, suffix, bound), x, eps, cover)


def _one_logarithm(D: Derivation, w: Weight) -> Entropy:
    """All entries of a matrix, counted as if there were as many as in the largest."""
    return quadratic((B_11 * w.radius) ** 2 * log(2 * d * WIDTH + 1))


def _shared_rows(D: Derivation, w: Weight) -> Entropy:
    """Every row gets its share of the squared error, so that centres can be projected."""
    M = w.matrix
    return atoms(sympify(M.inputs), times(M.row_l1, w.radius)).coordinates(sympify(M.outputs))


def _summed_rows(D: Derivation, w: Weight) -> Entropy:
    """The rows' norms summed bound the Frobenius norm too; no map has more inputs or outputs than the width."""
    M = w.matrix
    if w.radius_1 is not None:
        return online_fine_sum(M.row_sum, w.radius_1, sympify(M.inputs), WIDTH)
    return online_everywhere(M.row_sum, w.radius, WIDTH, WIDTH)


def _linear(x: Signal, cover: Cover, **norms: Expr) -> Calculus:
    return lambda _: closed_capacity_steps(Linear(section_3.linear_map(**norms)), x, eps, cover)


def _by_norm(x: Signal, turn: Callable[[Cover], Cover]) -> dict[str, Calculus]:
    """Both readings of Lemmas 3.4 and 3.5."""
    columns, rows = _linear(x, turn(closed_net), column_sum=B_21), _linear(x, turn(closed_rows), row_sum=B_21)
    return {"log_N": columns, "log_N_rows": rows}


# --- why covers in closed form are no smaller ------------------------------------------------------------------------


def lattices() -> Iterator[Proof]:
    """At most a log(2n + 1), whatever a = (radius/eps)^2 is: of the three counts the one by steps."""
    a, n = (Symbol(name, positive=True) for name in ("a", "n"))
    steps = lattice_closed(n, a).replace(Min, lambda *counts: next(c for c in counts if c.has(log(2 * n + 1))))
    count = steps.xreplace({log(2 * n + 1): Integer(1)})
    yield polynomial(count <= a, control=count <= ALMOST * a)


def _at_most(largest: Expr, *sizes: Expr) -> Iterator[Proof]:
    x, y = (Symbol(name, positive=True) for name in ("d", "k"))
    for size in (largest, *sizes):
        claims = [s.subs({d: x, k: y}) <= c * largest.subs({d: x, k: y}) for s, c in ((size, 1), (largest, ALMOST))]
        yield polynomial(claims[0], x >= 1, y >= 1, control=claims[1])


def one_logarithm() -> Iterator[Proof]:
    yield from lattices()
    yield from _at_most(d * WIDTH, d, d * k, d**2)


def widths() -> Iterator[Proof]:
    yield from _at_most(WIDTH, d, k)
    yield from _at_most(2 * WIDTH, d + 1, d + k, 2 * d)


CALCULUS: dict[str, tuple[Calculus | dict[str, Calculus], Lemmas]] = {
    "trauger2024/3.1": ({"error": section_3.variance}, tuple),
    "trauger2024/3.4": (_by_norm(section_3.IN_L1, on_basis), tuple),
    "trauger2024/3.5": (_by_norm(section_3.IN_L2, lambda cover: cover), tuple),
    "trauger2024/4.2": (_deep(section_4.given_linear), tuple),
    "trauger2024/4.2.1": (_deep(closed_entries, "_11", B_11), lattices),
    "trauger2024/4.2.1-simplified": (_deep(_one_logarithm, "_11", B_11), one_logarithm),
    "trauger2024/E.2": (lambda _: section_e_f.first_block(TWO), tuple),
    "trauger2024/F.0.1": (
        {
            "log_N": _deep(closed_columns, "_1inf", B_1inf, section_e_f.TOKENS_L1),
            "log_N_rows": _deep(_shared_rows, "_row_1", B_1inf, section_e_f.TOKENS_L1),
        },
        lattices,
    ),
    "trauger2024/F.0.2": (
        {
            "log_N": _deep(closed_sums(WIDTH), "_21", B_21, section_e_f.TOKENS_L1),
            "log_N_rows": _deep(_summed_rows, "_row_21", B_21, section_e_f.TOKENS_L1),
        },
        widths,
    ),
}


@check("trauger2024/3.1")
def tuples(effort: Effort) -> Result:
    """The number of tuples is the product of (d + j)/j over j <= k."""
    D, j = (Symbol(name, positive=True) for name in ("d", "j"))
    one, few = (D + j) / j, (1, 2, 3)
    counted = (same(prod(one.subs(j, n) for n in range(1, most + 1)), _count("derived", most)) for most in few)
    return conclude(
        "The number of tuples is a product of k factors (d + j)/j, none above d + 1 (z3). Seen for k = 1, 2, 3.",
        [polynomial(one <= D + 1, j >= 1, control=one <= ALMOST * (D + 1)), *counted,
         *(same(_count("repaired", most), (D + 1) ** most) for most in few)],
        part="count", form="repaired",
    )  # fmt: skip


def _count(form: str, k: int) -> Expr:
    return expand_func(formula("trauger2024/3.1", form, "count", k=k))


for key, (calculus, lemmas) in CALCULUS.items():
    check(key)(same_display(key, calculus, lemmas))
