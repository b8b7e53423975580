"""Section 3.2 and appendix A.3: a layer with few heads fails, however many samples it is given."""

from sympy import Expr, Integer, Max, Piecewise, Rational

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.names import symbols

from .letters import RELEVANT, letters

N, q, d, H = symbols("N q d H")

RISK = r"\frac1N\mathbb E\|y-\hat y_{TR}(p)\|_2^2"
SETTING = r"""Tokens are independent, standard normal before position $N/2$ and zero from there on, so that the
queries of the latter half carry no token. In that half all relevant positions are $1,\dots,q$. The prefactor of $y_i$
is damaged in the source and is what the proof has. """
LEFT = "of the relevant tokens, what the heads at such a position do not see"


def unexplained(D: Derivation, left: Expr, total: Expr) -> Expr:
    """Conditioned on what the heads see the tokens are normal with a projection for covariance and a mean orthogonal to
    its range, so that the squared norm has variance 2 times the dimension that is left."""
    free = D.let("free", "k", left, LEFT)
    reason = r"$2\,\mathrm{tr}(\Sigma^2)+4\mu^\top\Sigma\mu$ for a projection $\Sigma$ with $\Sigma\mu=0$"
    variance = D.let("variance", "v", 2 * free, reason, "mousavi2025/40")
    reason = "at least half of the positions are of this kind, if the tokens before them have room; others are dropped"
    half = D.let("half", "h", _below_half(Rational(1, 2)), reason)
    return D.let("risk", "", half * variance / total, "no prediction from what is seen does better")


def _rows_and_scores(D: Derivation) -> Expr:
    seen = D.let("seen", "s", H * d + H * q, r"$d$ coordinates of $\sum_j\alpha_jx_j$, and $q$ scores, for each head")
    return unexplained(D, Max(0, q * d - seen), q * d)


def _tensor(D: Derivation) -> Expr:
    reason = r"$\mathrm{span}(\alpha^{(h)})\otimes\mathbb R^d+\mathbb R^q\otimes\mathrm{span}(v^{(h)})$ leaves the "
    reason += "product of the complements"
    positions = D.let("positions", r"q'", Max(0, q - H), "positions that the weights of the heads do not span")
    directions = D.let("directions", r"d'", Max(0, d - H), "directions that the scores of the heads do not span")
    room = D.let("room", "k'", positions * directions, reason)
    return unexplained(D, room, q * d)


def _below_half(risk: Expr) -> Expr:
    """The tokens that are not zero must have room for the relevant ones."""
    return Piecewise((risk, 2 * q < N), (Integer(0), True))


theorem_4 = Claim(
    key="mousavi2025/4",
    title="Fewer heads than relevant tokens",
    kind="lower-bound",
    statement=rf"""$y_i=(qd)^{{-1/2}}\sum_j(\|x_{{t_{{ij}}}}\|^2-\mathbb E\|x_{{t_{{ij}}}}\|^2)$, of variance 2.
{SETTING}For some law of the positions every one-layer Transformer with $H$ heads, with any key-query matrices and any
network behind them, has at least the stated risk, even with infinitely many samples.""",
    symbols=letters("N q d H"),
    assumes=(RELEVANT,),
    uses=("mousavi2025/21", "mousavi2025/40"),
    source="damaged",
    parts=(
        Part("risk", RISK, "population risk", ">=", printed=lambda _: 1 - (q + d) * H / (q * d),
             repaired=lambda _: _below_half(Max(0, 1 - H / q) * Max(0, 1 - H / d)),
             derived=steps(_rows_and_scores), sharp=steps(_tensor)),
    ),
)  # fmt: skip


def _rows(D: Derivation) -> Expr:
    return unexplained(D, Max(0, q - H), q)


proposition_21 = Claim(
    key="mousavi2025/21",
    title="Fewer heads than relevant tokens, block-diagonal key-query matrices",
    kind="lower-bound",
    statement=rf"""Tokens of dimension 1, $y_i=q^{{-1/2}}\sum_j(x_{{t_{{ij}}}}^2-\mathbb E[x_{{t_{{ij}}}}^2])$, of
variance 2. {SETTING}Key-query matrices do not mix tokens and encodings, so that attention weights of the latter half
do not depend on the tokens. For some law of the positions every one-layer Transformer with $H$ heads has at least the
stated risk.""",
    symbols=letters("N q H"),
    assumes=(RELEVANT,),
    uses=("mousavi2025/40",),
    source="damaged",
    parts=(
        Part("risk", RISK, "population risk", ">=", printed=lambda _: 1 - H / q,
             repaired=lambda _: _below_half(Max(0, 1 - H / q)), derived=steps(_rows)),
    ),
)  # fmt: skip
