"""Appendix J: the second derivatives of the output. Parts: 18 operator."""

from maurey.symbolic.claim import Claim, Form, Part
from maurey.symbolic.curvature import AT_REST, Curvature
from maurey.symbolic.forms import steps
from maurey.symbolic.perturbation import BEST_SOFTMAX, FLAT, JACOBIAN, SOFTMAX, Perturbed
from maurey.symbolic.sharpness import CONSTRUCTION, GRID, SIZES

from . import stated
from .letters import LOW, SPARSE, letters


def _at_rest(exact: bool) -> Form:
    return steps(lambda proof: Curvature(Perturbed(proof, exact=exact), at_rest=True).bound())


appendix_j = Claim(
    key="lintilhac2026/J",
    title="Second derivatives",
    kind="summary",
    statement=r"""Seven blocks of parameters have 28 pairs. Those of $W_1$ and $W_V$ (13) are said to vanish, and nine
more; six second derivatives are written down (18).""",
    uses=(AT_REST,),
    source="reconstructed",
)

appendix_k = Claim(
    key="lintilhac2026/K",
    title="Largest eigenvalues",
    kind="summary",
    statement=r"""The operator norm of the Hessian of the output is the largest $u^\top\nabla^2f\,u$ over $\|u\|=1$, a
sum over pairs of blocks; each of the six that are kept is bounded by itself (18).""",
    uses=(AT_REST,),
    source="reconstructed",
)

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
    source="recovered: an earlier revision of the authors' published code",
    parts=(
        Part("operator", r"\|\nabla^2f_\Theta\|_{op}", "operator norm of the Hessian",
             printed=lambda _: stated.hessian(), derived=_at_rest(False), sharp=_at_rest(True)),
    ),
)  # fmt: skip
