"""Appendix I, continued: Gaussian tails, and how far a perturbation moves what the network computes.

Parts: 19 norm; 20 norm; 21 b, eta_1, eta_V; 22 shift, r, g; 23 q; 24 moved, T_p.
"""

from collections.abc import Callable

from sympy import Expr, log, sqrt

from maurey.symbolic.claim import Assumption, Claim, Form, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import Steps, steps
from maurey.symbolic.gaussian import at_random, kappa, score_tail, value_tail
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.papers.laurent2000 import tail
from maurey.symbolic.perturbation import (
    BEST_SOFTMAX,
    CHI,
    FIRST,
    INACTIVE,
    NETWORK,
    OPERATOR,
    OUTPUT,
    SCORES,
    SOFTMAX,
    UNION,
    Perturbed,
)
from maurey.symbolic.sharpness import CONSTRUCTION, GRID, NORMS, SIZES, Target

from . import stated
from .letters import LOW, SPARSE, D, T, letters
from .stated import Stated, e_Gamma, e_M, eta_1, eta_V, sigma

n, N, d, delta = symbols("n N d delta")
CHI_SQUARED, BLOCKS = "laurent2000/1", "lintilhac2026/14"
MOVES = "e_M e_F e_2 e_Gamma e_v eta_1 eta_V"
SIZES_OF = r"""operator norms $e_M,e_F,e_2$, norms $e_\Gamma,e_v$, largest change $\eta_1$ of a score of the first layer
and $\eta_V$ of a row of its values"""
MOVED = rf"""In the construction with exact attention, $T^{{-2}}\le c_t\le1$, at one string, after a perturbation with
{SIZES_OF}"""
AT_RANDOM = r"""For independent perturbations $N(0,\sigma^2)$ of all parameters, with probability at least $1-\delta$
(seven events of probability $\delta/7$, one for each block)"""
CLOSED = r"""The closed form is that of an earlier revision, of first order in $\sigma$ and without $\delta$, for
positions that are not projected, $d=T+1$; $\sigma$ is taken to be small, so that no unit changes its sign (22)"""
OWN = "own: a bound of the same quantities, in the place of one that the text has lost"
CODE = "recovered: an earlier revision of the authors' published code"
SMALL = Assumption(
    sigma < 1 / (4 * D), "sigma < 1/(4 D), less than Lemma 22 asks for: at 1/(4 D) an offset alone crosses its kink"
)
own_shift = 2 * eta_1 * (1 + eta_V) + eta_V
NO_FLIP = Assumption(
    own_shift + (1 + own_shift) * e_M + e_Gamma < 1 / (4 * D),
    "no unit crosses its kink: beta_b + (1 + beta_b) e_M + e_Gamma < 1/(4 D), beta_b = 2 eta_1 (1 + eta_V) + eta_V",
)

# --- forms -----------------------------------------------------------------------------------------------------------


def printed(of: Callable[[Stated], Expr]) -> Form:
    return steps(lambda proof: of(Stated(proof)))


def moved(of: Callable[[Perturbed], Expr], exact: bool = False) -> Form:
    """For perturbations of given sizes, no unit crossing its kink."""
    return steps(lambda proof: of(Perturbed(proof, exact=exact)))


def random(of: Callable[[Perturbed], Expr], exact: bool = False) -> Form:
    """For Gaussian perturbations, whether or not units cross their kinks."""
    return steps(lambda proof: of(at_random(proof, Target(), sigma, delta, exact)))


def moves(name: str, lhs: str, meaning: str, said: Callable[[Stated], Expr], of: Callable[[Perturbed], Expr]) -> Part:
    """A part with the chain as stated, derived, and with the best constants."""
    return Part(name, lhs, meaning, printed=printed(said), derived=moved(of), sharp=moved(of, True), source=OWN)


# --- 19, 20 ----------------------------------------------------------------------------------------------------------


def _tail(failing: Expr, dimension: Expr) -> Steps:
    def build(proof: Derivation) -> Expr:
        squared = proof.let("squared", r"\|X\|^2/\sigma^2", tail(dimension, failing), "the tail", CHI_SQUARED)
        return proof.let("norm", "", sigma * sqrt(squared), "the root, times the deviation")

    return build


lemma_19 = Claim(
    key=CHI,
    title="The norm of a Gaussian vector",
    kind="concentration",
    statement=r"""For $X\sim N(0,\sigma^2I_n)$, with probability at least $1-\delta$, $\|X\|\le\sigma\sqrt
n\,\kappa(n,\delta)$ with $\kappa^2=1+2\sqrt{\log(1/\delta)/n}+2\log(1/\delta)/n$.""",
    symbols=parameters("n sigma delta", n={"meaning": "dimension"}),
    uses=(CHI_SQUARED,),
    source="reconstructed",
    parts=(
        Part("norm", r"\|X\|_2", "norm of the vector", printed=lambda _: sigma * sqrt(n) * kappa(n, delta),
             derived=steps(_tail(delta, n))),
    ),
)  # fmt: skip

lemma_20 = Claim(
    key=UNION,
    title="The norms of many Gaussian vectors",
    kind="concentration",
    statement=r"""For $N$ vectors $X_j\sim N(0,\sigma^2I_d)$, independent or not, with probability at least $1-\delta$
all norms are at most $\sigma\sqrt d\,\kappa(d,\delta/N)$. For $N$ polynomial in $T$ and $d=c\log T/\varepsilon^2$ that
is $\sigma\sqrt d(1+O(\varepsilon))$.""",
    symbols=parameters("N d sigma delta", N={"meaning": "number of vectors"}, d={"meaning": "their dimension"}),
    uses=(CHI,),
    source="reconstructed",
    parts=(
        Part("norm", r"\max_j\|X_j\|_2", "largest norm", printed=lambda _: sigma * sqrt(d) * kappa(d, delta / N),
             derived=steps(lambda proof: _tail(
                 proof.let("each", r"\delta_0", delta / N, "a union over the vectors"), d)(proof))),
    ),
)  # fmt: skip

# --- 21 to 24 --------------------------------------------------------------------------------------------------------

GIVEN = "omega D T " + MOVES


def _score_tail(proof: Derivation) -> Expr:
    pairs = proof.let("pairs", "n_1", (T + 1) ** 2, "pairs of tokens, a union")
    deviation = proof.let("deviation", r"\sigma_1", 2 * sigma, r"$\sigma\|x_j\|\,\|x_t\|$", SIZES)
    value = deviation * sqrt(2 * log(2 * pairs / delta))
    return proof.let("eta", "", value, r"$\mathbb P(|g|>s)\le2e^{-s^2/2}$")


def _sharp_score_tail(proof: Derivation) -> Expr:
    pairs = proof.let("pairs", "n_1", (T + 1) ** 2, "pairs of tokens, a union")
    deviation = proof.let("deviation", r"\sigma_1", 2 * sigma, r"$\sigma\|x_j\|\,\|x_t\|$", SIZES)
    return proof.let("eta", "", deviation * sqrt(2 * log(pairs / delta)), r"$\mathbb P(|g|>s)\le e^{-s^2/2}$")


def _value_tail(proof: Derivation) -> Expr:
    each = proof.let("each", r"\delta_0", delta / (T + 1), "a share for each row", UNION)
    deviation = proof.let("deviation", r"\sigma_V", sqrt(2) * sigma, r"$\sigma\|x_t\|$", SIZES)
    return proof.let("eta", "", deviation * sqrt(T + 2) * kappa(T + 2, each), "a row of $T+2$ Gaussians", CHI)


lemma_21 = Claim(
    key=FIRST,
    title="The first layer after a perturbation",
    kind="lipschitz",
    statement=r"""$\eta_1=\max_{j,t}|x_j^\top E_{W_1}x_t|$ and $\eta_V=\|XE_{W_V}\|_{2,\infty}$ move the outputs of the
first layer by at most $\beta_b$. For independent perturbations $N(0,\sigma^2)$ each of the two is at most the stated
amount with probability at least $1-\delta$.""",
    symbols=letters("T sigma delta eta_1 eta_V"),
    uses=(SIZES, CHI, UNION, SOFTMAX, BEST_SOFTMAX),
    source="reconstructed",
    parts=(
        moves("b", r"\|\tilde b_t-b_t\|", "move of an output of the first layer", Stated.b, Perturbed.b),
        Part("eta_1", r"\eta_1", "largest change of a score", printed=lambda _: score_tail(sigma, T, delta),
             derived=steps(_score_tail), sharp=steps(_sharp_score_tail)),
        Part("eta_V", r"\eta_V", "largest change of a value", printed=lambda _: value_tail(sigma, T, delta),
             derived=steps(_value_tail)),
    ),
)  # fmt: skip

lemma_22 = Claim(
    key=NETWORK,
    title="The network where counts are whole",
    kind="lipschitz",
    statement=rf"""{MOVED}: a unit's input moves by at most the stated shift, and the hidden units by $\beta_r$. At
$k/D$ every unit is at least $1/(4D)$ away from its kink; if the shift is less, none crosses it, the network stays flat,
and its output at positions $t\le\omega$ moves by at most $\beta_g$.""",
    symbols=letters(GIVEN),
    assumes=(SPARSE, LOW, NO_FLIP),
    uses=(FIRST, SIZES, GRID, CONSTRUCTION, NORMS, SOFTMAX, BEST_SOFTMAX),
    source=OWN,
    parts=(
        moves("shift", r"\max_u|\tilde u-u|", "move of a unit's input",
              lambda said: said.let("shift", r"\beta_u", said.b() + (1 + said.b()) * e_M + e_Gamma), Perturbed.shift),
        moves("r", r"\|\tilde r_t-r_t\|", "move of the hidden units", Stated.r, Perturbed.r),
        moves("g", r"\|\tilde g_t-g_t\|", r"move of the token at $t\le\omega$", Stated.g, Perturbed.g),
    ),
)  # fmt: skip

remark_23 = Claim(
    key=INACTIVE,
    title="The network at other positions",
    kind="lipschitz",
    statement=rf"""{MOVED}: at positions that hold no component, the output's included, counts need not be whole, and
tokens move by at most $\beta_q$, whether or not units cross their kinks.""",
    symbols=letters(GIVEN),
    assumes=(SPARSE, LOW),
    uses=(NETWORK, FIRST, GRID, SIZES, CONSTRUCTION, SOFTMAX, BEST_SOFTMAX),
    source=OWN,
    parts=(moves("q", r"\|\tilde g_t-g_t\|", r"move of the token at $t>\omega$", Stated.q, Perturbed.q),),
)

ON_THE_WAY = (SCORES, NETWORK, INACTIVE, FIRST, GRID, SIZES, CONSTRUCTION, SOFTMAX, BEST_SOFTMAX)
TAILS = (OPERATOR, CHI, UNION)

theorem_24 = Claim(
    key=OUTPUT,
    title="The output after a perturbation",
    kind="lipschitz",
    statement=rf"""{MOVED}, no unit crossing its kink: the output moves by at most $\beta_f$. {AT_RANDOM} it moves by at
most $T_p$; the derived form allows for units that cross. {CLOSED}.""",
    symbols=letters(f"{GIVEN} sigma delta"),
    assumes=(SPARSE, LOW, NO_FLIP, SMALL),
    uses=(*ON_THE_WAY, *TAILS),
    source=CODE,
    parts=(
        moves("moved", r"|f_{\tilde\Theta}-f_\Theta|", "move of the output", Stated.f, Perturbed.f),
        Part("T_p", r"|f_{\Theta+\epsilon}-f_\Theta|", "move of the output by a Gaussian perturbation",
             printed=lambda _: stated.output_moves(), derived=random(Perturbed.f), sharp=random(Perturbed.f, True)),
    ),
)  # fmt: skip
