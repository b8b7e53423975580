"""Appendix D: moving weight from the outer to the inner layer of the network lowers norm and sharpness."""

from sympy import Expr, Integer, Rational, ceiling, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.sharpness import CONSTRUCTION, GRADIENT, GRID, NORMS, Target, summed

from .letters import LOW, SPARSE, D, letters

RESCALING = "lintilhac2026/D"


def _printed_inner() -> Expr:
    """||M||^2 + ||Gamma||^2."""
    return 4 * (D + 1) + 2 * (D + 1) * (2 * D + 1) / (3 * D) + 5 * (D + 1) / (8 * D**2)


def _printed_outer() -> Expr:
    """||F||^2."""
    return 64 * D**2 * ceiling((D + 1) / 2)


def _inner(proof: Derivation) -> Expr:
    target = Target()
    return proof.let("inner", "A", target.inner(proof) + target.offsets(proof), r"what $\alpha^2$ multiplies")


def _alpha(proof: Derivation) -> Expr:
    reason = r"where $\alpha^2A+\|F\|^2/\alpha^2$ is smallest"
    return proof.let("scaled", r"\alpha", (Target().outer(proof) / _inner(proof)) ** Rational(1, 4), reason)


def _network(proof: Derivation) -> Expr:
    scale = _alpha(proof)
    value = scale**2 * _inner(proof) + Target().outer(proof) / scale**2
    return proof.let("network", r"\|\alpha M\|^2+\|\alpha\Gamma\|^2+\|F/\alpha\|^2", value, r"at the best $\alpha$")


def _total(proof: Derivation) -> Expr:
    target = Target()
    others = [target.first_scores(proof), target.values(proof), target.second_scores(proof), target.read_out(proof)]
    return proof.let("total", "", summed([*others, _network(proof)]), "the other blocks stay", NORMS)


rescaling = Claim(
    key=RESCALING,
    title="The construction is not the best of its kind",
    kind="construction",
    statement=r"""$(\alpha M,\alpha\Gamma,F/\alpha)$ computes for all $\alpha>0$ what $(M,\Gamma,F)$ does. The network's
share of the squared norm becomes $\alpha^2A+B/\alpha^2$ with $A=\|M\|^2+\|\Gamma\|^2$ and $B=\|F\|^2$, that of the
squared gradient $a/\alpha^2+\alpha^2b$ with $a=\|\nabla_Mf\|^2+\|\nabla_\Gamma f\|^2$ and $b=\|\nabla_Ff\|^2$, averaged
over all strings. Both are said to be least beyond $\alpha=1$, so that one $\alpha$ lowers both. The norm of all
parameters needs $T^{-4}\le c_t\le1$. Besides, a sample that never visits a value of the count does not need its
units.""",
    symbols=letters("omega D T"),
    assumes=(SPARSE, LOW),
    uses=(CONSTRUCTION, GRID, NORMS, GRADIENT),
    source="reconstructed",
    parts=(
        Part("alpha", r"\alpha_N", "scale at which the norm is least", "=",
             printed=lambda _: (_printed_outer() / _printed_inner()) ** Rational(1, 4), derived=steps(_alpha)),
        Part("network", r"\min_\alpha(\alpha^2A+B/\alpha^2)", "the network's share of the squared norm there", "=",
             printed=lambda _: 2 * sqrt(_printed_inner() * _printed_outer()), derived=steps(_network)),
        Part("alpha_gradient", r"\alpha_G", "scale at which the squared gradient is least", ">=",
             printed=lambda _: Integer(1)),
        Part("total", r"\|\Theta_\alpha\|^2", r"squared norm of all parameters at $\alpha_N$", derived=steps(_total)),
    ),
)  # fmt: skip
