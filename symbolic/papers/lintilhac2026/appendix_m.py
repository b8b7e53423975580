"""Appendix M: the second derivatives of the output after a perturbation. Parts: 31 operator."""

from sympy import Expr

from maurey.symbolic.claim import Claim, Form, Part
from maurey.symbolic.curvature import AFTER, AT_REST, Curvature
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.gaussian import at_random
from maurey.symbolic.names import symbols
from maurey.symbolic.perturbation import JACOBIAN
from maurey.symbolic.sharpness import Target

from . import stated
from .appendix_i_moves import AT_RANDOM, CLOSED, CODE, SMALL, TAILS
from .appendix_l import ALL_THE_WAY
from .letters import LOW, SPARSE, letters
from .stated import sigma

(delta,) = symbols("delta")


def _after(exact: bool) -> Form:
    return steps(lambda proof: Curvature(at_random(proof, Target(), sigma, delta, exact), at_rest=False).bound())


def _printed_after(proof: Derivation) -> Expr:
    H_u = proof.let("H_u", "H_u", stated.hessian(), stated.PRINTED)
    H_p = proof.let("H_p", "H_p", stated.hessian_moves(), stated.PRINTED)
    return proof.let("hessian", "", H_u + H_p, stated.PRINTED)


appendix_m = Claim(
    key="lintilhac2026/M",
    title="Hessians after a perturbation",
    kind="summary",
    statement=r"""Term by term: for every pair of blocks that 18 counts, how far a perturbation moves what it adds to
the largest $u^\top\nabla^2f\,u$ (31).""",
    uses=(AFTER, AT_REST, *ALL_THE_WAY),
    source="reconstructed",
)

theorem_31 = Claim(
    key=AFTER,
    title="The Hessian of the output after a perturbation",
    kind="lipschitz",
    statement=rf"""In the construction with exact attention, $T^{{-2}}\le c_t\le1$, at one string. {AT_RANDOM}, wherever
$f$ is smooth: the operator norm of the Hessian is at most $H_u+H_p$. {CLOSED}.""",
    symbols=letters("omega D T sigma delta"),
    assumes=(SPARSE, LOW, SMALL),
    uses=(AT_REST, JACOBIAN, *ALL_THE_WAY, *TAILS),
    source=CODE,
    parts=(
        Part("operator", r"\|\nabla^2f_{\Theta+\epsilon}\|_{op}", "operator norm of the Hessian after the move",
             printed=steps(_printed_after), derived=_after(False), sharp=_after(True)),
    ),
)  # fmt: skip
