"""Appendix F: the trace of the Hessian, the gradient of every block, and a softmax inequality."""

from sympy import Expr, Integer, log

from maurey.symbolic.claim import REPAIRED, Claim, Form, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.perturbation import BEST_SOFTMAX, JACOBIAN
from maurey.symbolic.sharpness import CONSTRUCTION, GRADIENT, GRID, NORMS, SIZES, Target

from .letters import LOW, SPARSE, D, letters, omega

B_X, B, norm_squared, T = symbols("B_X B norm_squared T")
TRACE = "lintilhac2026/13"
CODE = "recovered: the authors' published code"
SPLIT = "reconstructed: the terms of the recovered total, block by block"


def printed_gradient(omega: Expr = omega, D: Expr = D) -> Expr:
    """G_u(omega, D)."""
    return 4 + 4 * omega * (2 + D + 32 * D**2 + 32 * D**3)


def repaired_gradient(proof: Derivation, factor: int = 1) -> Expr:
    """With the columns of the positions; `factor` of it."""
    squares = (2 * D + 1) * (32 * D * (D + 1) + 15) / (48 * D**2)
    rho = proof.let("rho_D", r"\rho_D", squares, REPAIRED)
    columns = omega * rho * (1 + (omega + 1) / 4 * log(T) ** 2)
    total = 4 + omega / 8 + 64 * omega * D**2 * (D + 1) + columns
    return proof.let("G", "", total if factor == 1 else factor * total, REPAIRED)


def _trace(proof: Derivation) -> Expr:
    reason = r"$\nabla^2\ell=2\nabla f\nabla f^\top+2(f_\Theta-f)\nabla^2f$, and $f_\Theta=f$"
    return proof.let("trace_loss", "", 2 * Target().gradient_squared(proof), reason, GRADIENT)


def _block(name: str, block: str, printed: Form | None) -> Part:
    return Part(name, rf"\|\nabla_{{{block}}}f\|^2", f"squared gradient with respect to ${block}$", printed=printed,
                derived=steps(lambda proof: Target().gradient_blocks(proof)[name]), source=SPLIT)  # fmt: skip


def _flat(name: str) -> Part:
    return Part(name, rf"\|\nabla_{{{name}}}f\|^2", f"squared gradient with respect to ${name}$",
                printed=lambda _: Integer(0), source="printed")  # fmt: skip


EXACT = r"""in the construction with exact attention, at every string and whatever the coefficients are, as long as
$T^{-2}\le c_t\le1$ after division by their norm"""

appendix_f = Claim(
    key="lintilhac2026/F",
    title="Hessian of the loss, and gradients",
    kind="summary",
    statement=r"""On an exact fit the Hessian of the squared loss is $2\nabla f\nabla f^\top$ (13), so that the trace
is twice the squared gradient, which is bounded block by block (14); the softmax enters through its Jacobian (15).""",
    uses=(TRACE, GRADIENT, JACOBIAN),
    source="reconstructed",
)

theorem_13 = Claim(
    key=TRACE,
    title="The trace of the Hessian of the loss",
    kind="lipschitz",
    statement=rf"""For the squared loss, {EXACT}: the Hessian is $2\nabla f\nabla f^\top$, of rank one, so
that its trace and its operator norm are $2\|\nabla f\|^2$; with 14, that is at most $2G_u$. The same for means over
strings.""",
    symbols=letters("omega D T norm_squared", norm_squared={"latex": r"\|\nabla f\|^2",
                                                            "meaning": "squared norm of the gradient"}),
    assumes=(SPARSE, LOW),
    uses=(GRADIENT,),
    source="reconstructed",
    parts=(
        Part("trace", r"\mathrm{Tr}\,\nabla^2\ell", "trace of the Hessian", "=", printed=lambda _: 2 * norm_squared),
        Part("operator", r"\|\nabla^2\ell\|_{op}", "largest eigenvalue of the Hessian", "=",
             printed=lambda _: 2 * norm_squared),
        Part("bound", r"\mathrm{Tr}\,\nabla^2\ell", "what follows from 14",
             printed=lambda _: 2 * printed_gradient(), repaired=steps(lambda proof: repaired_gradient(proof, 2)),
             derived=steps(_trace),
             source="recovered: twice the bound of 14, as Theorem 5 states it"),
    ),
)  # fmt: skip

theorem_14 = Claim(
    key=GRADIENT,
    title="Gradients of the construction",
    kind="lipschitz",
    statement=rf"""Squared gradients {EXACT}. The total is recovered, and split into blocks as its terms suggest; it has
no term for the positions' columns of $F$, which are zero but are parameters: they bring in $\omega^2\log^2T$.""",
    symbols=letters("omega D T"),
    assumes=(SPARSE, LOW),
    uses=(SIZES, JACOBIAN, CONSTRUCTION, GRID, NORMS),
    source=CODE,
    differs={"grad_F_pos": r"it counts the data column of $F$ alone, not the columns of the positions"},
    parts=(
        Part("total", r"\|\nabla f\|^2", "squared gradient with respect to all parameters",
             printed=lambda _: printed_gradient(), repaired=steps(repaired_gradient),
             derived=steps(lambda proof: Target().gradient_squared(proof))),
        _block("v_2", "v_2", lambda _: Integer(4)),
        _block("W_2", "W_2", lambda _: 4 * omega),
        _block("F", r"F,\mathrm{data}", lambda _: 4 * omega * (D + 1)),
        _block("F_pos", r"F,\mathrm{pos}", None),
        _block("M", "M", lambda _: 64 * omega * D**2 * (D + 1)),
        _block("Gamma", r"\Gamma", lambda _: 64 * omega * D**2 * (D + 1)),
        _flat("W_V"),
        _flat("W_1"),
    ),
)  # fmt: skip

# --- 15 --------------------------------------------------------------------------------------------------------------


def _twice(proof: Derivation) -> Expr:
    deviation = proof.let("deviation", r"\max|v_t-\bar v|", 2 * B, r"$\bar v$ is a mean of the $v_t$")
    return proof.let("moved", "", deviation * B_X, r"$\sum_ta_t(v_t-\bar v)x_t$, a mean")


def _once(proof: Derivation) -> Expr:
    reason = r"with $p$ the weight above the mean, at most $2p(1-p)$ times the range $2\|v\|_\infty$"
    deviation = proof.let("deviation", r"\sum_ta_t|v_t-\bar v|", B, reason, BEST_SOFTMAX)
    return proof.let("moved", "", deviation * B_X, r"$\sum_ta_t(v_t-\bar v)x_t$")


lemma_15 = Claim(
    key=JACOBIAN,
    title="The softmax Jacobian between tokens and values",
    kind="lipschitz",
    statement=r"""For weights $a$ of a softmax, $J=\mathrm{diag}(a)-aa^\top$, tokens $X$ and any vector $v$.""",
    symbols=parameters("B_X B", B_X={"latex": r"\|X\|_{2,\infty}", "meaning": "largest norm of a token"},
                       B={"latex": r"\|v\|_\infty", "meaning": "largest entry of the vector"}),
    uses=(BEST_SOFTMAX,),
    source="reconstructed",
    parts=(
        Part("moved", r"\|X^\top Jv\|_2", "the product", printed=lambda _: 2 * B_X * B, derived=steps(_twice),
             sharp=steps(_once)),
    ),
)  # fmt: skip
