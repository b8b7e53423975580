"""Section 5: word masking."""

from sympy import Expr, sqrt

from maurey.symbolic.claim import Claim, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.modules import Linear
from maurey.symbolic.names import C0, KAPPA, parameters, symbols
from maurey.symbolic.networks import network_complexity
from maurey.symbolic.norms import Matrix
from maurey.symbolic.route import LENGTH_FREE, Route
from maurey.symbolic.softmax import CROSS_ENTROPY

from . import repaired
from .section_4 import BY_ENTRIES, SHARPENINGS, TOKENS, deep

K, R_F, c0, d, B_w, B_11 = symbols("K R_F C0 d B_w B_W_11")
LOSSES = r"\hat{\mathcal R}_m(\ell\circ\mathcal F)"
HIDDEN = "a constant and all logarithms"


def _by_contraction(_: Setting) -> Expr:
    return c0 * sqrt(K) * R_F


def _read_words(setting: Setting, route: Route) -> list[Step]:
    """The network of Corollary 4.2.1 with K rows in the place of w. A score is at most B_w, and the losses, less their
    value at zero, are twice as far apart as the largest score."""
    D = Derivation()
    words = Linear(Matrix("w", "w", K, d, rows=B_w, entries=B_11), largest=True)
    module = deep(setting, route, "_11", B_11, last=words)
    R = network_complexity(D, route, module, TOKENS)
    return D.steps_to(D.let("R_loss", "", CROSS_ENTROPY * R, "the loss moves twice as far", "trauger2024/G"))


masking = Claim(
    key="trauger2024/5.1",
    title="Word masking reduces to the scalar classes",
    kind="rademacher",
    statement=r"""The row of the masked position is mapped by $W\in\mathbb R^{K\times d}$ to the scores of $K$ words,
under softmax and cross-entropy. By G and vector contraction in $\ell_\infty$ the complexity of the losses is at
most $\tilde O(\sqrt K)$ times the largest complexity of one score, to which Theorem 4.1 or 4.2 applies; the display has
that complexity on the sample itself, the contraction on the worst sample of its size. The last part
is a route that the paper does not take: in the network of Corollary 4.2.1 the read-out, rows of norm at most $B_w$
and all absolute entries together at most $B$, is covered as a matrix, and $K$ enters through a logarithm alone.""",
    symbols=parameters(
        "K R_F L L_sigma B_w B_C B_V B_QK d k m B_X B_W_11",
        B_X="B_x",
        B_C="B_{c2}",
        B_V="B_{v2}",
        B_QK="B_{QK2}",
        R_F={"meaning": "the largest complexity of one score"},
        B_w={"meaning": "bound on the norms of the rows of the read-out"},
        B_W_11={"latex": "B", "meaning": r"bound on the $(1,1)$ norms of all matrices"},
    ),
    uses=(
        "trauger2024/G",
        "trauger2024/4.1",
        "trauger2024/4.2",
        "trauger2024/4.2.1",
        "foster2019/1",
        "maurey/vocabulary",
        *SHARPENINGS,
    ),
    constants=(C0, KAPPA),
    unrolled=("L",),
    parts=(
        Part(
            name="R",
            lhs=LOSSES,
            meaning="complexity of the losses, scores on the sample itself",
            relation="<~",
            hides=HIDDEN,
            keeps=(),
            printed=_by_contraction,
            repaired=repaired.words,
        ),
        Part(
            name="R_worst",
            lhs=LOSSES,
            meaning="the same, scores on the worst sample",
            relation="<~",
            hides=HIDDEN,
            keeps=(),
            printed=_by_contraction,
        ),
        Part(
            "R_vocabulary",
            LOSSES,
            "the same, the read-out covered as a matrix",
            repaired=repaired.words,
            derived=lambda setting: _read_words(setting, BY_ENTRIES),
            sharp=lambda setting: _read_words(setting, LENGTH_FREE),
        ),
    ),
)
