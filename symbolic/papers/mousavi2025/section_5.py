"""Section 5: feedforward networks on the concatenated tokens."""

from sympy import Expr, Min

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.names import parameters, symbols

n, N, d = symbols("n N d")


def _floor(D: Derivation) -> Expr:
    reason = "the rows of the first layer lie in the span of the training prompts"
    span = D.let("span", "k", Min(n, N * d), reason, "mousavi2025/8")
    reason = r"$\|VP_tu\|_2^2$ averaged over $u$ and $t$ is $\mathrm{tr}(V^\top V)/(Nd)$"
    seen = D.let("seen", "s", span / (N * d), reason)
    return D.let("risk", "", 1 - seen, "what is left of the variance 1 of the label given what the network sees")


theorem_9 = Claim(
    key="mousavi2025/9",
    title="Feedforward networks need as many samples as there are input coordinates",
    kind="lower-bound",
    statement=r"""Simple-1STR with $x\sim N(0,I_{Nd})$, one position $t$, uniform and the same for all outputs, and
$y=\langle u,x_t\rangle$. With probability 1 over the $n$ training prompts, for every algorithm of mousavi2025/8
there is a unit vector $u$, which may depend on them, for which the network that it returns has at least the stated
risk; the network may have any width and depth and be given all positions.""",
    symbols=parameters("n N d", n={"meaning": "number of training prompts"}, N={"meaning": "sequence length"},
                       d={"meaning": "dimension of a token"}),
    uses=("mousavi2025/8",),
    samples="n",
    parts=(
        Part("risk", r"\inf_{A\in\mathcal A}\sup_uR^{FFN}(f_{A(S_n)},W_{A(S_n)})", "population risk", ">=",
             printed=lambda _: 1 - n / (N * d), derived=steps(_floor)),
    ),
)  # fmt: skip
