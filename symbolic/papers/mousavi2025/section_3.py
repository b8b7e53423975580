"""Section 3.1: empirical risk minimisation over Transformers learns qSTR, nearly whatever the length."""

from collections.abc import Callable

from sympy import Expr, Min, Symbol, sqrt

from maurey.symbolic.claim import REPAIRED, Claim, Form, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.forms import steps
from maurey.symbolic.names import KAPPA, symbols
from maurey.symbolic.relu_networks import largest_product
from maurey.symbolic.route import PAPER_CONSTANT
from maurey.symbolic.shallow import Shallow
from maurey.symbolic.softmax import BEST_CONSTANT
from maurey.symbolic.truncation import cost

from . import repaired
from .letters import EXPONENT, EXPONENT_OF_FAILURE, HIDDEN, LOGARITHMS, RELEVANT, let_embedding, let_radii, letters
from .section_a_covers import LENGTHS, PROVED, SHARPER
from .section_a_network import APPROXIMATION, printed_norm, repaired_norm, repaired_scale, scale, usual_tail
from .section_a_risk import OWN_KEYS, PRINTED, complexity, gap_of, repaired_level, truncation_level

n, N, m, d, q, d_e, r_a, r_w, eps_2NN, c, c0 = symbols("n N m d q d_e r_a r_w eps_2NN c C0")
PRODUCT, BALL = "mousavi2025/10", "mousavi2025/3"
Norms = tuple[Expr, Expr, Expr, Expr | None]  # of a, of (W, b), of all key-query matrices: Frobenius, and (2,1)
Class = Callable[[Derivation, Expr, bool], Norms]  # from r_x


def product_class(D: Derivation, radius: Expr, exact: bool) -> Norms:
    """The set of Theorem 10."""
    outer = D.let("bound_a", "r_{m,a}", r_a / sqrt(m), "the bound on $a$")
    inner = D.let("bound_W", "R_{m,w}", sqrt(m) * r_w, "the bound on $(W,b)$")
    each = D.let("bound_QK", r"r_{QK}", d_e * scale(D, radius, exact), "what 11 asks of every head", APPROXIMATION)
    return outer, inner, sqrt(q) * each, q * each


def squared_radius(D: Derivation, radius: Expr, exact: bool, name: str = "squared_radius") -> Expr:
    """Of the ball that holds the network of 11."""
    blocks = q * d_e * scale(D, radius, exact) ** 2
    reason = r"$\|a\|^2$, $\|(W,b)\|_F^2$ and $q$ blocks $\alpha I_{d_e}$"
    return D.let(name, "R^2", r_a**2 / m + m * r_w**2 + blocks, reason, APPROXIMATION)


def ball_class(D: Derivation, radius: Expr, exact: bool) -> Norms:
    """The set of Theorem 3: one ball, which bounds every block."""
    ball = D.let("ball", "R", sqrt(squared_radius(D, radius, exact)), "every block is in the ball")
    return ball, ball, ball, None


def _risk(of: Class, exact: bool) -> Form:
    def build(D: Derivation) -> Expr:
        radius_x, radius_z = let_radii(D)
        outer, inner, frobenius, row_sum = of(D, radius_x, exact)
        kappa, keys = (BEST_CONSTANT, OWN_KEYS) if exact else (PAPER_CONSTANT, PROVED)
        net = Shallow(
            prompts=n,
            heads=q,
            width=m,
            embedding=let_embedding(D),
            radius=radius_z,
            outer=outer,
            inner=inner,
            frobenius=frobenius,
            row_sum=row_sum,
            kappa=kappa,
            keys=keys,
            ball=outer if exact and row_sum is None else None,
        )
        fit = D.let("fit", r"\hat R_n", 4 * eps_2NN, "the minimiser fits as well as the network of 11", APPROXIMATION)
        gain = outer * inner if net.ball is None else largest_product(outer)
        tau, moment, tail = truncation_level(D, q, gain, exact)
        failing = D.let("failing", r"\delta", n ** (-c), "the probability that the deviation is larger")
        gap = gap_of(net, D, tau, failing, exact)
        taken = cost(D, moment, tail, "taken_off")
        return D.let("risk", "", fit + gap + taken, "fit, gap of the truncated risk, and what truncation takes off",
                     "mousavi2025/20")  # fmt: skip

    return steps(build)


def _failure(D: Derivation) -> Expr:
    return D.let("failure", "", n ** (-c) + usual_tail(D, "P_long"), "the deviation, or a token that is too long")


def _printed_product(D: Derivation) -> Expr:
    radius_x, radius_z = let_radii(D, printed=True)
    alpha = D.let("scale", r"\alpha", printed_norm(radius_x), PRINTED)
    C_1 = D.let("C_1", "C_1", q * r_a**2 * r_w**2 * radius_z**2, PRINTED)
    by_norms = radius_z**6 * r_a**2 * r_w**2 * q**2 * alpha**2
    inside = m * q * (d + q) + Min(by_norms, q * (q**2 + d**2))
    return D.let("risk", "", c0 * (eps_2NN + C_1 * sqrt(inside / n)), PRINTED)


def _repaired_level(gain: Expr) -> Callable[[], list[Step]]:
    """Lemma 20's, for q heads."""

    def build() -> list[Step]:
        D = Derivation()
        return D.steps_to(repaired_level(D, q, gain))

    return build


def _repaired_norm() -> Expr:
    return repaired_norm(Symbol("radius_x"))


def _repaired_square() -> Expr:
    return r_a**2 / m + m * r_w**2 + q * d_e * repaired_scale(Symbol("radius_x")) ** 2


def _repaired_radius(_: Setting) -> list[Step]:
    return [repaired.radii()[0], Step("squared_radius", "", _repaired_square(), REPAIRED)]


def printed_square() -> Expr:
    return r_a**2 / m + m * r_w**2 + q**3 / d**2


def _printed_ball(D: Derivation) -> Expr:
    square = D.let("squared_radius", "R^2", printed_square(), PRINTED)
    C_1 = D.let("C_1", "C_1", square**2 * q * d, PRINTED)
    inside = m * q * (d + q) + q**3 + q * d**2
    return D.let("risk", "", c0 * (eps_2NN + C_1 * sqrt(inside / n)), PRINTED)


def _square(exact: bool) -> Form:
    return steps(lambda D: squared_radius(D, let_radii(D)[0], exact))


RISK = r"R^{TR}(\hat\Theta)"
NAMES = "n N m d q d_e r_a r_w eps_2NN C_x C_y s"
ASSUMED = r"""Under Assumptions 1, 2 and 3, with $H=q$ heads, width $m=m_g$, and $\hat\Theta$ that minimises the
empirical risk at one random position of each of $n$ prompts"""
USES = ("mousavi2025/11", "mousavi2025/12", "mousavi2025/17", "mousavi2025/18", "mousavi2025/19", "mousavi2025/20",
        *SHARPER)  # fmt: skip
OUR_FACTOR = "a factor that is not in the paper, which leaves nothing open but the exponent"
FAILURE = Part(
    name="failure",
    lhs=r"\mathbb P(\text{failure})",
    meaning="probability that it fails",
    relation="<~",
    hides=OUR_FACTOR,
    keeps=None,
    printed=lambda _: c0 * n ** (-c),
    derived=steps(_failure),
)
DEPARTURES = {
    "cut": complexity.differs["cut"],
    "level": r"it drops what the labels ask of $\tau$, which is left where the bounds on the network are small",
}

product = Claim(
    key=PRODUCT,
    title="Transformers learn qSTR, each block with its own bound",
    kind="generalization",
    statement=rf"""{ASSUMED}, over all $\|a\|_2\le r_a/\sqrt m$, $\|(W,b)\|_F\le r_w\sqrt m$ and
$\|W_{{QK}}^{{(h)}}\|_{{2,1}}\le\alpha$ for every head, $\alpha$ as in Lemma 11: the risk is at most the stated
amount, but for the stated probability of failure. The subscript of the norm of $W_{{QK}}^{{(h)}}$, $\alpha$ and $C_1$
are damaged in the source and are read from the proof.""",
    symbols=letters(NAMES),
    assumes=(RELEVANT, EXPONENT),
    samples="n",
    uses=USES,
    constants=(HIDDEN, KAPPA, EXPONENT_OF_FAILURE),
    differs=DEPARTURES | {"E_rows": LENGTHS},
    parts=(
        Part(
            name="risk",
            lhs=RISK,
            meaning="risk of the minimiser",
            relation="<~",
            hides=LOGARITHMS,
            keeps=(),
            printed=steps(_printed_product),
            repaired=repaired.risk(_repaired_level(r_a * r_w), _repaired_norm, r_a * r_w),
            derived=_risk(product_class, False),
            sharp=_risk(product_class, True),
            source="damaged",
        ),
        FAILURE,
    ),
)

ball = Claim(
    key=BALL,
    title="Transformers learn qSTR, all parameters in one ball",
    kind="generalization",
    statement=rf"""{ASSUMED}, over all $\|\mathrm{{vec}}(\Theta)\|_2\le R$, where $R^2$ is of the stated order:
what the network of Lemma 11 needs. The risk is at most the stated amount, but for the stated probability of
failure. The exponents of $q$, $d$ and $R$ are damaged in the source and are read from the proof.""",
    symbols=letters(NAMES),
    assumes=(RELEVANT, EXPONENT),
    samples="n",
    uses=(PRODUCT, *USES, "maurey/block"),
    constants=(HIDDEN, KAPPA, EXPONENT_OF_FAILURE),
    differs=DEPARTURES,
    parts=(
        Part(
            name="squared_radius",
            lhs="R^2",
            meaning="squared radius of a ball that serves",
            relation="<~",
            hides=LOGARITHMS,
            keeps=(),
            printed=lambda _: c0 * printed_square(),
            repaired=_repaired_radius,
            derived=_square(False),
            sharp=_square(True),
            source="damaged",
        ),
        Part(
            name="risk",
            lhs=RISK,
            meaning="risk of the minimiser",
            relation="<~",
            hides=LOGARITHMS,
            keeps=(),
            printed=steps(_printed_ball),
            repaired=repaired.ball_risk(_repaired_level(Symbol("gain")), _repaired_square),
            derived=_risk(ball_class, False),
            sharp=_risk(ball_class, True),
            source="damaged",
        ),
        FAILURE,
    ),
)
