"""Appendix A: the truncated loss, its complexity, its gap, and what truncation costs."""

from dataclasses import replace

from sympy import E, Expr, Max, Min, log, sqrt

from maurey.symbolic.claim import REPAIRED, Claim, Form, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.moments import label_moment, label_square, longest_moment, token_square
from maurey.symbolic.names import KAPPA, symbols
from maurey.symbolic.route import PAPER_CONSTANT
from maurey.symbolic.shallow import Keys, Shallow
from maurey.symbolic.softmax import BEST_CONSTANT
from maurey.symbolic.truncation import allowed_tail, cost, error_moment, level, truncated_gap

from . import repaired
from .letters import EXPONENT, HIDDEN, LOGARITHMS, RELEVANT, let_embedding, let_radii, letters
from .section_a_covers import CLASS, CLASS_NAMES, LENGTHS, PROVED, SHARPER, shallow
from .section_a_network import usual_tail

n, N, m, d, q, H, D_e, r_z, tau, delta, c0 = symbols("n N m d q H D_e r_z tau delta C0")
B_a, B_W, B_QK, C_x, C_y, s = symbols("B_a B_W_F B_QK_21 C_x C_y s")
COMPLEXITY, GAP, TRUNCATION = (f"mousavi2025/{number}" for number in (18, 19, 20))
OWN_KEYS = Keys(attention="maurey/softmax")
PRINTED = "as printed"

# --- 18 ---------------------------------------------------------------------------------------------------------------


def printed_sizes(D: Derivation, D_e: Expr, r_z: Expr) -> Expr:
    """The paper's local constants, and the sum of which the printed bounds are made."""
    first = D.let("C_1", "C_{(1)}", m * H * D_e, PRINTED)
    second = D.let("C_2", "C_{(2)}", r_z**6 * B_W**2 * B_a**2 * H**2 * B_QK**2, PRINTED)
    third = D.let("C_3", "C_{(3)}", H * D_e**2, PRINTED)
    return first + Min(second, third)


def _printed_complexity(D: Derivation) -> Expr:
    return D.let("Rad", "", c0 * tau * sqrt(printed_sizes(D, D_e, r_z) / n), PRINTED)


complexity = Claim(
    key=COMPLEXITY,
    title="Rademacher complexity of the truncated loss",
    kind="rademacher",
    statement=rf"""For the losses $(f(p)_j-y_j)^2\wedge\tau$ of the class of 17, that is {CLASS}: their empirical
complexity on the $n$ pairs of $S_n$, without an absolute value. By Dudley's integral from $\alpha_0=n^{{-1/2}}$
to $\tau$.""",
    symbols=letters(f"{CLASS_NAMES} tau", m="m_g"),
    samples="n",
    uses=("mousavi2025/17", "dudley1967/integral", *SHARPER),
    constants=(HIDDEN, KAPPA),
    differs={
        "E_rows": LENGTHS,
        "cut": r"it cuts the integral off at $n^{-1/2}$ also where that is beyond the range $\tau$",
    },
    parts=(
        Part(
            name="Rad",
            lhs=r"\hat{\mathfrak R}_n(\mathcal L_\tau)",
            meaning="empirical Rademacher complexity",
            relation="<~",
            hides=LOGARITHMS,
            keeps=(),
            printed=steps(_printed_complexity),
            repaired=repaired.of_class,
            derived=steps(lambda D: shallow().complexity(D, tau, n)),
            sharp=steps(lambda D: shallow(BEST_CONSTANT, OWN_KEYS).sharp_complexity(D, tau, n)),
            source="damaged",
        ),
    ),
)

# --- 19 ---------------------------------------------------------------------------------------------------------------


def _printed_gap(D: Derivation) -> Expr:
    sizes = printed_sizes(D, let_embedding(D), let_radii(D, printed=True)[1])
    return D.let("gap", "", c0 * (tau * sqrt(sizes / n) + tau * sqrt(log(1 / delta) / n)), PRINTED)


def gap_of(net: Shallow, D: Derivation, tau: Expr, delta: Expr, sharp: bool) -> Expr:
    rad = net.sharp_complexity(D, tau, n) if sharp else net.complexity(D, tau, n)
    return truncated_gap(D, rad, tau, delta, n, sharp)


def _gap(sharp: bool) -> Form:
    def build(D: Derivation) -> Expr:
        _, radius = let_radii(D)
        kappa, keys = (BEST_CONSTANT, OWN_KEYS) if sharp else (PAPER_CONSTANT, PROVED)
        net = replace(shallow(kappa, keys), embedding=let_embedding(D), radius=radius)
        return gap_of(net, D, tau, delta, sharp)

    return steps(build)


def _failure(D: Derivation) -> Expr:
    return D.let("failure", "", delta + usual_tail(D, "P_long"), "the deviation, or a token that is too long")


FAILURE = Part(
    "failure", r"\mathbb P(\text{failure})", "probability that it fails",
    printed=lambda _: delta + 1 / sqrt(n * N), derived=steps(_failure),
)  # fmt: skip

gap = Claim(
    key=GAP,
    title="Gap of the truncated risk",
    kind="generalization",
    statement=rf"""For $\hat\Theta$ that minimises the empirical risk over the class of 17, {CLASS}, with
$r_z=\sqrt{{r_x^2+d(1+1/q)}}$, $r_x=\sqrt{{3eC_xd\log(nN)}}$ and $D_e=d+(q+1)d_e$: with at most the stated
probability of failure the truncated risk exceeds the empirical risk by no more than the stated amount.""",
    symbols=letters("n N m d q H d_e B_a B_W_F B_QK_21 tau delta C_x", m="m_g"),
    assumes=(RELEVANT,),
    samples="n",
    uses=("mousavi2025/12", COMPLEXITY, "maurey/deviation", "maurey/sides"),
    constants=(HIDDEN, KAPPA),
    differs=complexity.differs,
    parts=(
        Part(
            name="gap",
            lhs=r"R_\tau^{TR}(\hat\Theta)-\hat R_n^{TR}(\hat\Theta)",
            meaning="excess of the truncated risk",
            relation="<~",
            hides=LOGARITHMS,
            keeps=(),
            printed=steps(_printed_gap),
            repaired=repaired.gap,
            derived=_gap(False),
            sharp=_gap(True),
            source="damaged",
        ),
        FAILURE,
    ),
)

# --- 20 ---------------------------------------------------------------------------------------------------------------


def prediction_square(squared: Expr, heads: Expr, gain: Expr, exact: bool) -> Expr:
    """A bound on the squared prediction from one on the longest token's square."""
    encoded = squared + d * (1 + 1 / q)
    if exact:
        return gain**2 * (1 + heads * encoded)
    return heads * gain**2 * (1 + sqrt(encoded)) ** 2


def truncation_level(D: Derivation, heads: Expr, gain: Expr, exact: bool = False) -> tuple[Expr, Expr, Expr]:
    """tau, and the fourth moment and the tail that it comes from."""
    reason = (r"$|\hat y|\le r_{m,a}R_{m,w}\sqrt{1+H\max\|z\|^2}$" if exact else
              r"$|\hat y|\le\sqrt Hr_{m,a}R_{m,w}(1+\max\|z\|)$")  # fmt: skip

    def square(of: Expr) -> Expr:
        return prediction_square(of, heads, gain, exact)

    longest = longest_moment(D, C_x, d, N)
    predicted = D.let("moment_prediction", r"\mu_{\hat y}", square(longest), f"{reason}, in $L^4$")
    moment = error_moment(D, label_moment(D, C_y, s), predicted, exact)
    tail = allowed_tail(D, moment, n)
    longest_square = token_square(D, C_x, d, N, tail)
    reached = D.let("square_prediction", r"\hat u^2", square(longest_square), reason, "mousavi2025/12")
    return level(D, label_square(D, C_y, s, tail), reached), moment, tail


def _level(exact: bool) -> Form:
    return steps(lambda D: truncation_level(D, H, B_a * B_W, exact)[0])


def _cost(D: Derivation) -> Expr:
    _, moment, tail = truncation_level(D, H, B_a * B_W)
    return cost(D, moment, tail)


def _printed_level(D: Derivation) -> Expr:
    _, radius = let_radii(D, printed=True)
    square = D.let("kappa_squared", r"\kappa^2", H * B_a**2 * B_W**2 * radius**2, PRINTED)
    return D.let("level", "", c0 * (square * log(square * N * sqrt(n)) + log(square * sqrt(n)) ** s), PRINTED)


def repaired_level(D: Derivation, heads: Expr, gain: Expr, name: str = "level") -> Expr:
    """`gain` bounds the product of the norms of a and (W, b)."""
    longest, encoded = 4 * sqrt(E) * C_x * d * Max(1, log(N)), d * (1 + 1 / q)
    moment = 2 * C_y * 4**s + 2 * gain**2 * (1 + heads * (encoded + longest))
    M = D.let("moment", "M", moment, REPAIRED)
    label = C_y * (E * Max(1, 2 / s * log(2 * n * M**2))) ** s
    prediction = gain**2 * (1 + heads * (encoded + E * C_x * d * Max(1, 2 * log(2 * n * N * M**2))))
    return D.let(name, r"\tau", 4 * Max(label, prediction), REPAIRED)


truncation = Claim(
    key=TRUNCATION,
    title="What truncation costs",
    kind="concentration",
    statement=r"""Under Assumption 1 and in the class of 17, with $\kappa^2=Hr_{m,a}^2R_{m,w}^2r_z^2$: at a
truncation level of the stated order the risk exceeds the truncated risk by no more than the stated amount. The
right-hand side is damaged in the source and is read from the proof.""",
    symbols=letters("n N d q H B_a B_W_F C_x C_y s"),
    assumes=(RELEVANT, EXPONENT),
    samples="n",
    uses=("mousavi2025/as1", "mousavi2025/12"),
    constants=(HIDDEN,),
    differs={"order": "its logarithms are negative where the norms are small; moments are bounded from order 1 on"},
    parts=(
        Part(
            name="level",
            lhs=r"\tau",
            meaning="a truncation level that serves",
            relation="<~",
            hides="an absolute constant",
            keeps=None,
            printed=steps(_printed_level),
            repaired=steps(lambda D: repaired_level(D, H, B_a * B_W)),
            derived=_level(False),
            sharp=_level(True),
        ),
        Part(
            name="cost",
            lhs=r"R^{TR}(\hat\Theta)-R_\tau^{TR}(\hat\Theta)",
            meaning="what truncation takes off the risk",
            relation="<~",
            hides="an absolute constant",
            keeps=None,
            printed=lambda _: c0 / sqrt(n),
            derived=steps(_cost),
            source="damaged",
        ),
    ),
)
