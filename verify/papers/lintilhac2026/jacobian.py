"""Lemma 15: the Jacobian of softmax between tokens and a vector, with the best constant."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sympy import symbols

from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula
from maurey.verify.tally import ROUNDING

JACOBIAN = "lintilhac2026/15"


def softmax_ratio(effort: Effort) -> tuple[float, int]:
    """|X' J v| / (max |x_t| max |v_t|) over random weights, tokens and vectors, and over halves with opposite signs."""
    rng, worst, seen = np.random.default_rng(effort.seed), 0.0, 0
    for _ in range(2000 * effort.scale):
        n, d = (int(v) for v in rng.integers(2, 9, 2))
        a = rng.dirichlet(np.full(n, rng.choice([0.1, 1.0, 10.0])))
        v, X = rng.choice([-1.0, 1.0], n) if rng.random() < 0.5 else rng.standard_normal(n), rng.standard_normal((n, d))
        if rng.random() < 0.5:
            X = np.where(v >= a @ v, 1.0, -1.0)[:, None] * X[:1]
        moved = X.T @ (a * (v - a @ v))
        worst = max(worst, float(np.linalg.norm(moved) / (np.linalg.norm(X, axis=1).max() * np.abs(v).max())))
        seen += 1
    return worst, seen


@check(JACOBIAN)
def softmax_jacobian(effort: Effort) -> Iterator[Result]:
    """Sum of a_t |v_t - mean| is 2 p (1-p) (x - y), with p the weight above the mean, x and y the means above and
    below; both are between -B and B."""
    B = positive("B")
    p, x, y = symbols("p x y", real=True)
    sharp, printed = (formula(JACOBIAN, form, "moved").subs(positive("B_X"), 1) for form in ("sharp", "printed"))
    mean = p * x + (1 - p) * y
    above, below = p * (x - mean), (1 - p) * (mean - y)
    inside = (p >= 0, p <= 1, x <= B, y >= -B, x >= y)
    steps = [
        polynomial(above + below <= sharp, *inside, control=above + below <= less * sharp),
        Proof((above - below).expand() == 0, "what is above the mean is below it too"),
    ]
    worst, seen = softmax_ratio(effort)
    if worst > 1 + ROUNDING:
        yield Result("undecided", "proved", f"a ratio of {worst:.4f} to the sharp form", part="moved", form="sharp")
        return
    note = (
        "X'Jv is the sum of a_t (v_t - mean) x_t; the weights' distance from the mean is 2p(1-p)(x-y) <= ||v||_inf "
        "(z3). Two tokens x and -x with weights 1/2 and v = (1, -1) attain 1, half of what is printed; "
        f"{seen} random and opposed instances reach {worst:.4f}"
    )
    yield conclude(note, steps, part="moved", form="sharp", instances=seen, tightness=1.0)
    steps.append(polynomial(sharp <= printed, B > 0, control=2 * sharp <= less * printed))
    yield conclude(note, steps, part="moved", instances=seen, tightness=0.5)
