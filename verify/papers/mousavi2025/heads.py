"""Too few heads (4 and 21): what they leave of the tokens, counted exactly; predictors that reach it; and lengths at
which no such law exists."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from flint import fmpq, fmpq_mat
from sympy import Expr, Max, Symbol, ceiling, symbols

from maurey.numeric.evaluation import value
from maurey.numeric.types import Array
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.prove.arguments import more, positive
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula

from .hard_distribution import Law, layer, outputs, risk
from .hard_distribution import embedded as embed

DEVIATIONS = 5  # standard errors by which a mean may be off
DENOMINATOR = 2**20  # to which weights are rounded

# --- what is left, in rationals --------------------------------------------------------------------------------------


def rational(M: Array) -> fmpq_mat:
    return fmpq_mat([[fmpq(round(float(x) * DENOMINATOR), DENOMINATOR) for x in row] for row in M])


def projection(rows: fmpq_mat) -> fmpq_mat:
    """On the span of independent rows."""
    return rows.transpose() * (rows * rows.transpose()).inv() * rows


def conditional_variance(rows: fmpq_mat) -> fmpq:
    """Of |x|^2, x standard normal, given its products with the rows: 2 tr(S^2) + 4 m^T S m, S the complement's
    projection and m in the span, so that S m = 0."""
    n = rows.ncols()
    P = projection(rows)
    S = fmpq_mat(n, n, [fmpq(int(i == j)) for i in range(n) for j in range(n)]) - P
    assert fmpq_mat(n, n) == S * P
    square = S * S
    return 2 * sum((square[i, i] for i in range(n)), fmpq(0))


def independent(rows: fmpq_mat) -> fmpq_mat:
    """Some of the rows that span the same."""
    kept: list[list[fmpq]] = []
    for row in rows.tolist():
        if fmpq_mat([*kept, row]).rank() > len(kept):
            kept.append(row)
    return fmpq_mat(kept)


def directions(a: fmpq_mat, v: fmpq_mat) -> fmpq_mat:
    """What the heads show of q tokens of dimension d: a_h (x) e_r, the mixed tokens, and e_j (x) v_h, the scores."""
    q, d = a.ncols(), v.ncols()
    mixed = [[row[j] * (r == s) for j in range(q) for s in range(d)] for row in a.tolist() for r in range(d)]
    scores = [[(i == j) * row[s] for i in range(q) for s in range(d)] for row in v.tolist() for j in range(q)]
    return fmpq_mat(mixed + scores)


def weights(law: Law, rng: np.random.Generator) -> tuple[fmpq_mat, fmpq_mat]:
    """Attention of a layer that looks at tokens, at one draw of them, and its directions v."""
    made, x = layer(law, rng), rng.normal(size=(1, law.q, law.d))
    seen = outputs(made, embed(law, made.w, x))[0]
    scores = np.array([embed(law, made.w, x)[0] @ (W.T @ embed(law, made.w, x)[0, -1]) for W in made.W])
    a = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert np.allclose(a[:, : law.q] @ x[0], seen[:, : law.d])
    d_e = made.w.shape[1]
    v = np.array([W[law.d + d_e : law.d + 2 * d_e, : law.d].T @ made.w[0] for W in made.W])
    return rational(a[:, : law.q]), rational(v)


@cache
def exact(effort: Effort, restricted: bool) -> tuple[int, str]:
    """How many draws were counted, and the first that leaves another variance than 2 (q - a) (d - b)."""
    rng, count = np.random.default_rng(effort.seed), 0
    for d, H, q in ((1, 1, 2), (1, 3, 4), (1, 4, 4), (2, 1, 3), (3, 2, 4), (4, 3, 3), (2, 3, 5)):
        law = Law(d, H, q, restricted)
        for _ in range(2 * effort.scale):
            a, v = weights(law, rng)
            shown = independent(directions(a, v))
            left = conditional_variance(shown) if shown.nrows() < q * d else fmpq(0)
            count += 1
            if left != 2 * (q - a.rank()) * (d - v.rank()) or a.rank() != min(H, q):
                return count, f"d = {d}, H = {H}, q = {q}: {left}"
    return count, ""


def half_of_them() -> list[Proof]:
    """Positions i with N/2 <= i <= N are at least N/2 + 1/2; those before are ceil(N/2) - 1, at least q if q < N/2."""
    N, q = symbols("N q", integer=True, positive=True)
    hard, before = N - ceiling(N / 2) + 1, ceiling(N / 2) - 1
    return [
        polynomial(2 * hard >= N + 1, control=2 * hard >= N + 2),
        polynomial(before >= q, 2 * q < N, control=before >= q + 1),
    ]


def proved(key: str, form: str, left: Expr, total: Expr, restricted: bool, effort: Effort) -> Result:
    """The share of hard positions times 2 left/total is at least the form, where that share is at least 1/2."""
    share = Symbol("share", positive=True)
    counts = symbols("q H d", integer=True, positive=True)
    whole = {positive(c.name): c for c in counts}
    floor, best = formula(key, form, "risk").subs(whole), (share * 2 * left / total).subs(whole)
    count, odd = exact(effort, restricted)
    return conclude(
        "For q < N/2. Attention weights at a zero token, as they are at a draw of the tokens, leave exactly twice the "
        "product of what they do not span and what the scores do not (rationals); the ranks are at most H, and at "
        "least half of the positions are such (z3).",
        [Proof(not odd, odd), *half_of_them(),
         polynomial(best >= floor, 2 * share >= 1, control=best >= more * floor)],
        part="risk", form=form, instances=count,
    )  # fmt: skip


def reached(key: str, form: str, laws: list[Law], effort: Effort) -> Result:
    """Layers that are run, and what is predicted from their outputs alone."""
    for law in laws:
        best, error = risk(law, effort)
        floor = law.floor("sharp")
        off = abs(best - floor) - DEVIATIONS * error
        if off > 1e-6:
            at = law._asdict() | {"risk": best, "standard error": error}
            word = "a predictor is better" if best < floor else "the best predictor is worse"
            return Result("undecided", "constructed", f"{word}: {at}", part="risk", form=form)
    note = (
        "layers with position vectors of coherence 1/2 in floor(5 log N) dimensions are run, and the mean of the label "
        f"given their outputs has this risk, within {DEVIATIONS} standard errors: it is attained"
    )
    return Result("holds", "constructed", note, instances=len(laws), tightness=1.0, part="risk", form=form)


def zero_tokens(key: str, at: dict[str, int]) -> Result:
    """N = 2: both positions are i >= N/2, so that all tokens and labels are zero, whatever the law of the t_i."""
    said = float(value(key, "printed", "risk", at))
    if not (said > 0 and at["N"] == 2):
        return Result("undecided", "refuted", "the point is not what it seems", instances=1, part="risk")
    note = (
        "at N = 2 no position is before N/2: all tokens are 0, all labels 0 for every law of the t_i, and the network "
        "that is 0 has no risk. The construction needs q < N/2, where the bound is proved"
    )
    return refuted(note, {**at, "network": "a = 0"}, f"{said:.6g}", 0, part="risk", instances=1)


@check("mousavi2025/21")
def block_diagonal(effort: Effort) -> Iterator[Result]:
    key, (q, H) = "mousavi2025/21", positive("q H")
    left = Max(0, q - H)
    for form in ("printed", "repaired", "derived"):
        yield proved(key, form, left, q, True, effort)
    laws = [Law(1, 1, 2, True), Law(1, 2, 4, True), Law(1, 3, 4, True), Law(1, 1, 8, True), Law(1, 4, 4, True)]
    yield reached(key, "derived", laws, effort)
    yield zero_tokens(key, {"N": 2, "q": 2, "H": 1})


@check("mousavi2025/4")
def unrestricted(effort: Effort) -> Iterator[Result]:
    key, (q, d, H) = "mousavi2025/4", positive("q d H")
    left = Max(0, q - H) * Max(0, d - H)
    for form in ("printed", "repaired", "derived", "sharp"):
        yield proved(key, form, left, q * d, False, effort)
    laws = [Law(1, 1, 2, False), Law(1, 1, 8, False), Law(2, 1, 4, False), Law(4, 2, 4, False), Law(4, 4, 8, False)]
    yield reached(key, "sharp", laws, effort)
    yield zero_tokens(key, {"N": 2, "q": 2, "H": 1, "d": 4})
