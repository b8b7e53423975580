"""Gaussian perturbations of the construction: how large they are, and what they cost.

Everything holds but for a probability that is shared out among seven events, one for the perturbation of every block.
"""

from __future__ import annotations

from sympy import Expr, Min, log, sqrt

from .derivation import Derivation
from .perturbation import CHI, FIRST, OPERATOR, OUTPUT, UNION, WHOLE, Moved, Perturbed
from .sharpness import GRADIENT, Target

EVENTS = 7


def kappa(n: Expr, failing: Expr) -> Expr:
    """The norm of n standard Gaussians is at most sqrt(n) times this, but for the probability."""
    return sqrt(1 + 2 * sqrt(log(1 / failing) / n) + 2 * log(1 / failing) / n)


def score_tail(sigma: Expr, T: Expr, failing: Expr) -> Expr:
    """(T+1)^2 Gaussians of deviation at most 2 sigma."""
    return 2 * sigma * sqrt(2 * log(2 * (T + 1) ** 2 / failing))


def value_tail(sigma: Expr, T: Expr, failing: Expr) -> Expr:
    """T+1 rows of T+2 Gaussians of deviation at most sqrt(2) sigma."""
    return sigma * sqrt(2 * (T + 2)) * kappa(T + 2, failing / (T + 1))


def gaussian(proof: Derivation, target: Target, sigma: Expr, delta: Expr) -> Moved:
    """What all sizes are at most, but for the probability delta, when every parameter moves by N(0, sigma^2)."""
    width, units = target.T + 2, target.units(proof)
    each = proof.let("each", r"\delta_0", delta / EVENTS, "a share of the probability for each of seven events", UNION)
    spare = proof.let(
        "spare", r"\tau_0", sqrt(2 * log(1 / each)), r"what $\delta_0$ adds to an operator norm", OPERATOR
    )

    def operator(name: str, letter: str, rows: Expr, columns: Expr) -> Expr:
        value = sigma * (sqrt(rows) + sqrt(columns) + spare)
        return proof.let(f"size_{name}", rf"\bar e_{{{letter}}}", value, "a Gaussian matrix", OPERATOR)

    def vector(name: str, letter: str, n: Expr) -> Expr:
        value = sigma * sqrt(n) * kappa(n, each)
        return proof.let(f"size_{name}", rf"\bar e_{{{letter}}}", value, "a Gaussian vector", CHI)

    return Moved(
        M=operator("M", "M", width, units),
        F=operator("F", "F", units, width),
        W_2=operator("2", "2", width, width),
        Gamma=vector("Gamma", r"\Gamma", units),
        v_2=vector("v", "v", width),
        score=proof.let("size_score", r"\bar\eta_1", score_tail(sigma, target.T, each), "all pairs of tokens", FIRST),
        value=proof.let("size_value", r"\bar\eta_V", value_tail(sigma, target.T, each), "all tokens", FIRST),
    )


def at_random(proof: Derivation, target: Target, sigma: Expr, delta: Expr, exact: bool = False) -> Perturbed:
    """Every parameter moves by N(0, sigma^2); all that follows holds but for the probability delta."""
    return Perturbed(proof, gaussian(proof, target, sigma, delta), exact, crossing=True, target=target)


def loss_cost(proof: Derivation, target: Target, sigma: Expr, delta: Expr, exact: bool = False) -> Expr:
    """P such that the squared loss at one string, on the event of `gaussian`, has expectation at most
    sigma^2/2 (2 ||grad f||^2 + P). Where the event fails (probability delta) nothing is said: a loss that is clipped
    at b adds at most b delta.

    On the event f moves by at most |grad f . eps| + G_p |eps| (the mean over the segment of the gradient, which the
    event bounds on all of it), so that the root of the mean square is at most sigma (|grad f| + G_p sqrt|Theta|). No
    Hessian is needed, and none exists where units cross their kinks.
    """
    state = at_random(proof, target, sigma, delta, exact)
    root = proof.let(
        "root_count", r"\sqrt{|\Theta|}", sqrt(target.count(proof)), r"$\mathbb E\|\epsilon\|^2=\sigma^2|\Theta|$"
    )
    gradient = proof.let("root_G_u", r"\|\nabla f\|", sqrt(target.gradient_squared(proof)), "before the move", GRADIENT)
    moved = proof.let(
        "along", r"G_p\sqrt{|\Theta|}", state.gradient() * root, r"by which $\nabla f\cdot\epsilon$ may change", WHOLE
    )
    value = 2 * moved * (2 * gradient + moved)
    reason = r"$2(\|\nabla f\|+G_p\sqrt{|\Theta|})^2-2\|\nabla f\|^2$, by Cauchy and Schwarz"
    if exact:
        direct = proof.let("direct", r"P_0", 2 * (state.f() / sigma) ** 2, r"the loss is at most $\beta_f^2$", OUTPUT)
        return proof.let("P_loss", r"P_\ell", Min(value, direct), "through the gradient, or through the output", OUTPUT)
    return proof.let("P_loss", r"P_\ell", value, reason, WHOLE)
