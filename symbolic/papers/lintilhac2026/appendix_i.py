"""Appendix I: the trace of the Hessian of the loss after a perturbation. Parts: 17 trace, P."""

from sympy import Expr, sqrt

from maurey.symbolic.claim import Claim, Form, Part
from maurey.symbolic.curvature import AFTER, AT_REST, Curvature
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.gaussian import at_random
from maurey.symbolic.names import symbols
from maurey.symbolic.perturbation import BACK, FLAT, GRADIENT, JACOBIAN, OUTPUT, WHOLE
from maurey.symbolic.sharpness import Target

from . import stated
from .appendix_f import printed_gradient
from .appendix_i_moves import AT_RANDOM, BLOCKS, CLOSED, CODE, ON_THE_WAY, SMALL, TAILS
from .letters import LOW, SPARSE, D, T, letters
from .stated import sigma

(delta,) = symbols("delta")


def _printed_cost(proof: Derivation) -> Expr:
    T_p = proof.let("T_p", "T_p", stated.output_moves(), stated.PRINTED)
    G_p = proof.let("G_p", "G_p", stated.gradient_moves(), stated.PRINTED)
    H_u = proof.let("H_u", "H_u", stated.hessian(), stated.PRINTED)
    H_p = proof.let("H_p", "H_p", stated.hessian_moves(), stated.PRINTED)
    G_u = proof.let("G_u", "G_u", printed_gradient(), stated.PRINTED)
    count = proof.let("count", r"|\Theta|", 3 * (T + 2) ** 2 + (T + 2) + (8 * (T + 1) + 12) * (D + 1), stated.PRINTED)
    return proof.let("P_trace", "P", 2 * G_p * (2 * sqrt(G_u) + G_p) + 2 * T_p * (H_u + H_p) * count, stated.PRINTED)


def _printed_trace(proof: Derivation) -> Expr:
    G_u = proof.let("G_u", "G_u", printed_gradient(), stated.PRINTED)
    return proof.let("trace_moved", "", 2 * G_u + _printed_cost(proof), stated.PRINTED)


def trace_cost(proof: Derivation, target: Target, sigma: Expr, delta: Expr, exact: bool = False) -> Expr:
    """How far the trace of the Hessian of the loss at the moved parameters exceeds 2 ||grad f||^2 before the move."""
    state = at_random(proof, target, sigma, delta, exact)
    before = proof.let("root_G_u", r"\|\nabla f\|", sqrt(target.gradient_squared(proof)), "before the move", BLOCKS)
    gradient = state.gradient()
    first = proof.let(
        "first", "P_1", 2 * gradient * (2 * before + gradient), r"$2(\|\nabla f\|+G_p)^2-2\|\nabla f\|^2$"
    )
    hessian = Curvature(state, at_rest=False).bound()
    reason = r"$2(f_{\tilde\Theta}-f)\mathrm{Tr}\nabla^2f$, and a trace is at most $|\Theta|$ operator norms"
    second = proof.let("second", "P_2", 2 * state.f() * hessian * target.count(proof), reason, OUTPUT)
    return proof.let("P_trace", "P", first + second, "both terms of the Hessian of the loss")


def _trace(exact: bool) -> Form:
    def build(proof: Derivation) -> Expr:
        cost = trace_cost(proof, Target(), sigma, delta, exact)
        gradient = Target().gradient_squared(proof)
        return proof.let("trace_moved", "", 2 * gradient + cost, "before the move, and the rest", BLOCKS)

    return steps(build)


def _cost(exact: bool) -> Form:
    return steps(lambda proof: trace_cost(proof, Target(), sigma, delta, exact))


appendix_i = Claim(
    key="lintilhac2026/I",
    title="Sharpness after a perturbation",
    kind="summary",
    statement=r"""The trace of the Hessian of the loss after a perturbation (17), from bounds on the gradient, on the
Hessian of the output and on the output itself before and after it (18, 24, 30, 31).""",
    uses=("lintilhac2026/17", AT_REST, OUTPUT, WHOLE, AFTER),
    source="recovered",
)

theorem_17 = Claim(
    key="lintilhac2026/17",
    title="The trace of the Hessian after a perturbation",
    kind="lipschitz",
    statement=rf"""In the construction with exact attention, $T^{{-2}}\le c_t\le1$, for the squared loss at one string.
{AT_RANDOM}, wherever the loss is smooth, the trace of its Hessian is at most $2G_u+P(\sigma)$ with
$P=2G_p(2\sqrt{{G_u}}+G_p)+2T_p(H_u+H_p)|\Theta|$. A bound on this trace does not bound the remainder
$\frac12\mathbb E\,\epsilon^\top(\nabla^2\ell(\Theta+\tau\epsilon)-\nabla^2\ell(\Theta))\epsilon$ of the expected loss,
where the Hessian depends on $\epsilon$: its operator norm, not its trace, times $\|\epsilon\|^2$ would. {CLOSED}.""",
    symbols=letters("omega D T sigma delta"),
    assumes=(SPARSE, LOW, SMALL),
    uses=(BLOCKS, AT_REST, AFTER, OUTPUT, WHOLE, FLAT, BACK, GRADIENT, JACOBIAN, *ON_THE_WAY, *TAILS),
    source=CODE,
    parts=(
        Part("trace", r"\mathrm{Tr}\,\nabla^2\ell(\Theta+\epsilon)", "trace of the Hessian after the move",
             printed=steps(_printed_trace), derived=_trace(False), sharp=_trace(True)),
        Part("P", r"\mathrm{Tr}\,\nabla^2\ell(\Theta+\epsilon)-2\|\nabla f_\Theta\|^2", "what the move adds to it",
             printed=steps(_printed_cost), derived=_cost(False), sharp=_cost(True)),
    ),
)  # fmt: skip
