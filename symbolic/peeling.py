"""A chain that peels one layer from the outside and covers only its query-key matrix (Trauger and Tewari 2024, 4.1).

Everything outside the softmax leaves by duality and contraction: the supremum of v.u over |v|_1 <= B is B max_j |u_j|,
so a read-out and the rows of a matrix turn into coordinates with a sign; the sign costs a factor 2 once, where zero is
in the class; an activation costs its Lipschitz constant. What is left are coordinates of averages of tokens, whose
weights the query-key matrix makes.
"""

from __future__ import annotations

from sympy import Expr, Integer, Min, log, sympify

from .allocation import Term, quadratic_total, total
from .capacity import LOG_N
from .chain import TEXTBOOK, Dudley, complexity, cut_off, union_cost
from .covers import ceil_log2
from .derivation import Derivation
from .modules import Attention, Signal, Weight, times
from .norms import Matrix, norm

PEELING = "maurey/peeling"
IDENTITY = Matrix("I", "I", 1, 1, spectral=Integer(1))


def peel(D: Derivation, B_w: Expr, C: Matrix, L_sigma: Expr, V: Matrix) -> Expr:
    """What the outer maps cost: the read-out, x -> Cx, the activation and x -> Vx, one after the other."""
    picks = r"duality: over an $\ell_1$ ball a linear function is largest at a coordinate, with a sign"
    F = D.let("F_w", "F_w", B_w, picks, PEELING)
    F = D.let("F_C", "F_C", F * norm(D, C, "row_l1"), "the same for the row of the matrix that was picked out", PEELING)
    F = D.let("F_sign", r"F_\pm", 2 * F, "the class and its negative, with zero in both", PEELING)
    F = D.let("F_sigma", r"F_\sigma", F * L_sigma, "contraction", "ledoux1991/4.12")
    return D.let("F_V", "F_V", F * norm(D, V, "row_l1"), "duality for the row that the activation sees", PEELING)


def peel_columns(D: Derivation, B_w: Expr, C: Matrix, L_sigma: Expr, V: Matrix) -> Expr:
    """The same where the columns of both maps are bounded: the units together, some of which may be large."""
    F = D.let("F_w", "F_w", B_w, r"the read-out, by its largest coordinate", PEELING)
    reason = (
        "a unit is read with at most this: a column of the map in $\\ell_1$ against the read-out's largest coordinate"
    )
    F = D.let("F_C", "F_C", F * C.column_l1, reason, PEELING)
    F = D.let("F_sign", r"F_\pm", 2 * F, "the class and its negative, with zero in both", PEELING)
    F = D.let("F_sigma", r"F_\sigma", F * L_sigma, "contraction", "ledoux1991/4.12")
    total = times(sympify(V.inputs), V.column_l1)
    total = D.let("units", r"\sum_l\|v_l\|_1", total, "the absolute entries of the map, column by column")
    return D.let("F_V", "F_V", F * total * units_factor(V.outputs), "units sorted by their norms", "maurey/units")


def units_factor(number: Expr) -> Expr:
    """How many times the complexity of one unit of the total norm they have together, at most (maurey/units)."""
    return Min(number, 2 * ceil_log2(number) + 1)


def score_weight(D: Derivation, kappa: Expr, QK: Matrix, x: Signal, scalar: bool = False) -> Weight:
    """Averages of tokens with the weights softmax(X W_QK x_CLS): how a coordinate of them moves with W_QK."""
    average = Attention(IDENTITY, QK.transposed(), kappa, one_query=True, scalar_scores=scalar, on_queries=True)
    return average.sensitivity(D, x).weights[0]


def averages(D: Derivation, t: Term, d: Expr, A: Expr, m: Expr, dudley: Dudley = TEXTBOOK) -> Expr:
    """The complexity of the 2d classes of signed coordinates together, by Dudley's integral: their covers add up."""
    signs = D.let("log_signs", r"\log2d", log(2 * d), "a sign and a coordinate")
    if t.entropy.offset is None:
        return cut_off(
            D, dudley, log_N=lambda tau: total(D, [t], tau, "log_N", LOG_N), A=A, m=m, flat=t.entropy.flat, beside=signs
        )
    p, C = quadratic_total(D, [t])
    return complexity(D, dudley, C, A, m, signs if p is None else signs + p)


def largest_of_signs(D: Derivation, R: Expr, d: Expr, A: Expr, m: Expr) -> Expr:
    """The same from the complexity of one class: the largest of 2d costs no more than their number beyond it."""
    value = Min(A, R + union_cost(2 * d, A, m))
    return D.let("R_signs", r"\hat{\mathcal R}_\pm", value, "the largest of a sign and a coordinate", "maurey/union")
