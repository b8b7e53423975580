"""Appendix G: parity bit by bit, and in one pass."""

from collections.abc import Callable

from sympy import Expr, Integer, Max, Rational, exp

from maurey.symbolic.claim import Assumption, Claim, Form, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.forms import steps
from maurey.symbolic.names import symbols
from maurey.symbolic.pacbayes import clipped
from maurey.symbolic.sharpness import GRADIENT, NORMS, Target

from .appendix_b import printed_norm
from .appendix_f import printed_gradient
from .letters import T, letters
from .section_1 import COST, MAIN, PRINTED, gibbs_risk, inverted_risk, mean_loss, printed_cost

m, Sigma, sigma = symbols("m Sigma sigma")
WRONG = Rational(1, 4)  # what a wrong bit costs at least
SEPARATION = "lintilhac2026/16"
ONE, TWO = Integer(1), Integer(2)
BITS = Assumption(T >= 2, "T is at least 2: a step reads two bits")

# --- as printed -------------------------------------------------------------------------------------------------------


def exponent(degree: Expr, P: Expr) -> Expr:
    """The logarithm of the core for one component of this degree."""
    sharpness = m * sigma**2 / (4 * Sigma**2) * (2 * printed_gradient(ONE, degree) + P)
    return sharpness + printed_norm(ONE, degree, T) / (2 * sigma**2)


def printed_failure(factor: Expr, degree: Expr) -> Form:
    """exp(-m/(8 Sigma^2)) times the core."""

    def build(setting: Setting) -> list[Step]:
        proof = Derivation()
        P = setting.optional("P") or printed_cost(proof, ONE, degree)
        value = factor * exp(-m / (8 * Sigma**2)) * exp(exponent(degree, P))
        return proof.steps_to(proof.let("error", "", value, PRINTED))

    return build


# --- derived ----------------------------------------------------------------------------------------------------------


def chain_norm(proof: Derivation) -> Expr:
    """One network takes all steps: it attends from every position to those congruent to it."""
    target = Target(ONE, TWO, T, tag="step")
    scores = proof.let("W_1_chain", r"\|W_1\|_F^2", T * target.scale(proof) ** 2, "an entry for each of $T$ positions")
    blocks = [target.values(proof), target.inner(proof), target.offsets(proof), target.outer(proof)]
    total = scores
    for block in [*blocks, target.read_out(proof)]:
        total = total + block
    reason = r"the blocks together; the second attention sees its own position alone, $W_2=0$"
    return proof.let("Theta_chain", r"\|\Theta\|^2", total, reason, NORMS)


def chain_sizes() -> Target:
    """A step as a network of appendix B on 2T+1 positions: no size of its own is larger."""
    return Target(ONE, TWO, 2 * T)


def once() -> Target:
    return Target(ONE, T, T)


def error(passes: Expr, target: Target, norm: Expr, proof: Derivation, P: Expr | None, exact: bool) -> Expr:
    """How often the last bit is wrong: a first wrong step has the right bits before it, and costs 1/4 at least."""
    if exact:
        mean = mean_loss(proof, target, WRONG, P, exact)
        step = inverted_risk(proof, mean, norm, WRONG)
        wrong = 1 / WRONG
    else:
        level, constant = clipped(proof, Sigma)
        step = gibbs_risk(proof, mean_loss(proof, target, level, P), norm, constant)
        reason = r"Markov's inequality: a wrong bit costs $\frac14$, or $b$ if that is less"
        wrong = proof.let("markov", "w", Max(4, 1 / level), reason)
    if passes == 1:
        return proof.let("error", "", wrong * step, "Markov's inequality", MAIN)
    return proof.let("error", "", passes * wrong * step, "Markov's inequality, and all steps together", MAIN)


def chained_error(exact: bool, passes: Expr = T) -> Form:
    """Of all steps together, or of one."""

    def build(setting: Setting) -> list[Step]:
        proof = Derivation()
        last = error(passes, chain_sizes(), chain_norm(proof), proof, setting.optional("P"), exact)
        return proof.steps_to(last)

    return build


def single_error(exact: bool) -> Form:
    def build(setting: Setting) -> list[Step]:
        proof = Derivation()
        last = error(ONE, once(), once().norm_squared(proof), proof, setting.optional("P"), exact)
        return proof.steps_to(last)

    return build


# --- 16 ---------------------------------------------------------------------------------------------------------------


def _faster(name: str, lhs: str, meaning: str, of: Callable[[Derivation, Expr], Expr]) -> Part:
    """A formula at degree T is at least T times the same at degree 2."""
    return Part(
        name,
        lhs,
        meaning,
        ">=",
        printed=steps(lambda proof: proof.let("lower", "", T * of(proof, TWO), PRINTED)),
        derived=steps(lambda proof: proof.let("lower", "", of(proof, T), "the formula itself, at degree $T$")),
    )


appendix_g = Claim(
    key="lintilhac2026/G",
    title="Chain of thought",
    kind="summary",
    statement=r"""Parity bit by bit: $x_1,\dots,x_T$, a start bit 0, then what was written; positions with period $T$,
and $W_1=2\log T$ times the identity on them, so that the step for $y_t$ sees $x_t$ and $y_{t-1}$ alike; a network of
degree 2 turns their mean into $y_t$. Its norm and its sharpness are taken to be those of one component of degree 2,
against one of degree $T$ for the single pass (16), which gives 7 and 8.""",
    uses=(SEPARATION, "lintilhac2026/7", "lintilhac2026/8", "lintilhac2026/B"),
    source="reconstructed",
)

separation = Claim(
    key=SEPARATION,
    title="Bit by bit against one pass",
    kind="lower-bound",
    statement=r"""$G_u$, $L$ and $P$, as they are printed, at degree $T$ against $T$ times the same at degree 2, for one
component; and with them the exponents of 7 and 8: the core of the single pass is at least the $T$-th power of that of a
step, at the same $\sigma$, $\Sigma$ and $m$. The cores are without the factors $4T$ and 4 and without
$e^{-m/(8\Sigma^2)}$. All of it is about two upper bounds, not about what the two networks do.""",
    symbols=letters("T m Sigma sigma"),
    assumes=(Assumption(T >= 4, "T is at least 4: the condition of the text is lost, and at 2 and 3 this fails"),),
    uses=(MAIN, NORMS, GRADIENT, COST),
    source="reconstructed",
    parts=(
        _faster("gradient", "G_u(1,T)", "squared gradient at degree $T$",
                lambda _, degree: printed_gradient(ONE, degree)),
        _faster("norm", "L(1,T,T)", "squared norm at degree $T$", lambda _, degree: printed_norm(ONE, degree, T)),
        _faster("cost", r"P(\sigma;1,T,T)", "cost of perturbations at degree $T$",
                lambda proof, degree: printed_cost(proof, ONE, degree)),
        _faster("log_core", r"\log\mathcal E_{\mathrm{OP}}", "logarithm of the core of the single pass",
                lambda proof, degree: exponent(degree, printed_cost(proof, ONE, degree))),
    ),
)  # fmt: skip
