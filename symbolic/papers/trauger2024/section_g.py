"""Appendix G: cross-entropy after the softmax."""

from maurey.symbolic.claim import Claim, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.softmax import CROSS_ENTROPY

(Delta,) = symbols("Delta")


def _mean_value(_: Setting) -> list[Step]:
    D = Derivation()
    reason = r"$2\sum_{j\ne i}e^{x_j}/\sum_te^{x_t}=2(1-\mathrm{softmax}(x)_i)$, which comes as near to 2 as one likes"
    slope = D.let("gradient", r"\sup\|\nabla_xL\|_1", CROSS_ENTROPY, reason)
    return D.steps_to(D.let("moved", "", slope * Delta, "mean value along the segment, and Hoelder's inequality"))


cross_entropy = Claim(
    key="trauger2024/G",
    title=r"Cross-entropy of the softmax is 2-Lipschitz in $\ell_\infty$",
    kind="lipschitz",
    statement=r"""For $L(x,y)=-\sum_iy_i\log\mathrm{softmax}(x)_i$ with one-hot $y$ and scores that differ by
$\Delta=\|\hat y_1-\hat y_2\|_\infty$.""",
    symbols=parameters("Delta"),
    parts=(
        Part("moved", r"|L(\hat y_1,y)-L(\hat y_2,y)|", "movement of the loss", printed=lambda _: 2 * Delta,
             derived=_mean_value),
    ),
)  # fmt: skip
