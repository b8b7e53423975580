"""Appendix J: the second derivatives of the output. Parts: 18 operator."""

from ...claim import Claim, Form, Part
from ...curvature import AT_REST, Curvature
from ...forms import steps
from ...perturbation import BEST_SOFTMAX, FLAT, JACOBIAN, SOFTMAX, Perturbed
from ...sharpness import CONSTRUCTION, GRID, SIZES
from . import stated
from .letters import LOW, SPARSE, letters


def _at_rest(exact: bool) -> Form:
    return steps(lambda proof: Curvature(Perturbed(proof, exact=exact), at_rest=True).bound())


theorem_18 = Claim(
    key=AT_REST,
    title="The Hessian of the output",
    kind="lipschitz",
    statement=r"""In the construction with exact attention, $T^{-2}\le c_t\le1$, at every string, wherever $f$ is
smooth. Of the 28 pairs of blocks the paper keeps $(v_2,W_2)$, $(v_2,F)$, $(v_2,M)$, $(v_2,\Gamma)$, $(F,M)$ and
$(F,\Gamma)$; the derived form keeps all that do not vanish, among them pairs of $W_1$ and $W_V$ with $M$ and $F$, and
pairs of $W_2$ and $F$ with themselves through the softmax. The closed form is that of an earlier revision, with
$d=T+1$.""",
    symbols=letters("omega D T"),
    assumes=(SPARSE, LOW),
    uses=(JACOBIAN, FLAT, SIZES, GRID, CONSTRUCTION, SOFTMAX, BEST_SOFTMAX),
    source="recovered",
    parts=(
        Part("operator", r"\|\nabla^2f_\Theta\|_{op}", "operator norm of the Hessian",
             printed=lambda _: stated.hessian(), derived=_at_rest(False), sharp=_at_rest(True)),
    ),
)  # fmt: skip
