"""How far the softmax moves, in l1, when the scores move by delta in l_inf."""

from __future__ import annotations

from sympy import Expr, Integer, tanh

# |softmax(a) - softmax(b)|_1 <= |a - b|_inf: J = diag(p) - p p^T, |Jh|_1 is convex in h, and at a sign vector h with
# P = p(h = 1) it is 4 P (1 - P) <= 1.
BEST_CONSTANT = Integer(1)

# -log softmax(x)_i has the gradient softmax(x) - e_i, whose l1 norm 2 (1 - softmax(x)_i) has the supremum 2: the loss
# is 2-Lipschitz in l_inf, and no constant below 2 will do.
CROSS_ENTROPY = Integer(2)


def entrywise_jacobian(p: Expr) -> Expr:
    """The largest sum of |J_ij|, 2 sum_i s_i (1 - s_i): over p classes at most 2 (1 - 1/p), by Cauchy-Schwarz."""
    return 2 * (1 - 1 / p)


def finite_shift(delta: Expr) -> Expr:
    """The logit of any event moves by at most 2 delta, so its probability by at most tanh(delta/2)."""
    return 2 * tanh(delta / 2)
