"""Section 1: the learner, the main bound, its two assumptions, and the sharpness that it rests on."""

from sympy import Expr, Min, Symbol, log, sqrt

from maurey.symbolic.claim import REPAIRED, Claim, Form, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.forms import steps
from maurey.symbolic.gaussian import loss_cost
from maurey.symbolic.names import C0, parameters, symbols
from maurey.symbolic.pacbayes import (
    at_best_temperature,
    best_sigma,
    best_sum,
    best_temperature,
    clipped,
    complexity,
    complexity_of,
    confidence,
    divergence,
    gaussian_kl,
    seeger,
    tuned_before,
)
from maurey.symbolic.perturbation import WHOLE
from maurey.symbolic.sharpness import GRADIENT, NORMS, Target

from .appendix_b import printed_norm, repaired_norm
from .appendix_e import EXPANSION, PAC_BAYES, PRIOR, RISK
from .appendix_f import TRACE, printed_gradient, repaired_gradient, theorem_14
from .appendix_i import theorem_17
from .letters import LOW, SPARSE, D, letters, omega

m, delta, Sigma, sigma, grid, loss_hat, b, c0 = symbols("m delta Sigma sigma grid loss_hat b C0")
LEARNER, MAIN, DOMINATION, SUB_GAUSSIAN, SHARPNESS, PERTURBED = (f"lintilhac2026/{number}" for number in range(1, 7))
ABSOLUTE, PRINTED, COST = "an absolute constant", "as printed", theorem_17.key

learner = Claim(
    key=LEARNER,
    title="The learner: little loss, norm and sharpness",
    kind="definition",
    statement=r"""$\hat\Theta$ minimises $\hat L(\Theta)+\alpha\|\Theta\|+\beta\,\mathrm{Tr}\nabla^2\hat L(\Theta)$ for
some weights $\alpha,\beta>0$.""",
    source="recovered",
)

# --- 2 ----------------------------------------------------------------------------------------------------------------


def mean_loss(proof: Derivation, target: Target, b: Expr, P: Expr | None, exact: bool = False) -> Expr:
    """Of a perturbed network of the construction on any strings, the loss clipped at b. A given P is what was measured
    of E eps'(H(Theta + tau eps) - H(Theta)) eps, divided by sigma^2; without one, the gradient is followed, and where
    the perturbation is too large the loss is b."""
    gradient = target.gradient_squared(proof)
    if P is not None:
        reason = "the term of second order, and what was measured beyond it"
        return proof.let("mean_loss", r"\bar\ell", sigma**2 / 2 * (2 * gradient + P), reason, EXPANSION)
    tail = proof.let("tail", "p_0", 1 / m, "how often a perturbation may be too large")
    cost = loss_cost(proof, target, sigma, tail, exact)
    reason = "gradient and its change along the segment; too large a perturbation costs $b$ at most"
    return proof.let("mean_loss", r"\bar\ell", sigma**2 / 2 * (2 * gradient + cost) + b * tail, reason, WHOLE)


def gibbs_risk(proof: Derivation, mean: Expr, norm_squared: Expr, constant: Expr, deviation: Expr = sigma) -> Expr:
    """Everything in it is known before the sample is seen, so that the temperature costs nothing; the deviation is one
    of so many values."""
    K = complexity(proof, divergence(proof, norm_squared, deviation), confidence(proof, delta, grid))
    return proof.let("risk", "R", mean + tuned_before(proof, K, constant, m), "mean loss on the sample, and excess")


def inverted_risk(proof: Derivation, mean: Expr, norm_squared: Expr, b: Expr, deviation: Expr = sigma) -> Expr:
    """The same by Seeger's bound, at the same price."""
    KL = divergence(proof, norm_squared, deviation)
    share = proof.let("share", r"\delta_g", delta / grid, "each deviation gets its share of the probability of failure")
    return seeger(proof, mean, KL=KL, delta=share, m=m, b=b, name="inverted")


def risk(proof: Derivation, target: Target, P: Expr | None, exact: bool = False) -> Expr:
    level, constant = clipped(proof, Sigma)
    mean = mean_loss(proof, target, level, P, exact)
    norm_squared = target.norm_squared(proof)
    found = gibbs_risk(proof, mean, norm_squared, constant)
    return smaller(proof, found, inverted_risk(proof, mean, norm_squared, level)) if exact else found


def smaller(proof: Derivation, one: Expr, other: Expr) -> Expr:
    return proof.let("smaller", "", Min(one, other), "which is smaller is known before the sample is seen")


def printed_risk(P: Expr, deviation: Expr = sigma) -> Expr:
    sharpness = 2 * printed_gradient() if P == 0 else 2 * printed_gradient() + P
    K = complexity_of(gaussian_kl(printed_norm(), deviation), delta)
    return deviation**2 / 2 * sharpness + at_best_temperature(K, Sigma, m)


def printed_sigma() -> Expr:
    return best_sigma(printed_gradient(), printed_norm(), Sigma, m)


def printed_cost(proof: Derivation, components: Expr = omega, degree: Expr = D) -> Expr:
    """P(sigma), as 17 has it in print, for so many components of a degree."""
    last: Expr = omega
    for step in theorem_17.part("P").steps("printed"):
        last = proof.let(step.name, step.latex, step.expr.xreplace({omega: components, D: degree}), "as in 17", COST)
    return last


def _printed(setting: Setting) -> list[Step]:
    proof = Derivation()
    P = setting.optional("P") or printed_cost(proof)
    return proof.steps_to(proof.let("risk", "", printed_risk(P), PRINTED))


def _bound(exact: bool) -> Form:
    def build(setting: Setting) -> list[Step]:
        proof = Derivation()
        return proof.steps_to(risk(proof, Target(), setting.optional("P"), exact))

    return build


def computed_risk(_: Setting) -> list[Step]:
    """With the loss on the sample as it is found, of which norm and curvature are no bound."""
    complexity = Symbol("L") / (2 * sigma**2) + log(1 / delta)
    return [
        Step("L", r"L(\omega,D,T)", repaired_norm(), "the squared norm of all weights, as it should read", NORMS),
        Step("computed", "", loss_hat + 2 * Sigma * sqrt(complexity / (2 * m)), REPAIRED),
    ]


DOMINATED = r"""$\hat\Theta$ fits the $m$ independent samples, $\|\hat\Theta\|\le\|\Theta\|$, and perturbations
$\epsilon\sim N(0,\sigma^2I)$ raise its loss on the sample no more, in expectation, than that of the construction
$\Theta$ with exact attention, $T^{-2}\le c_t\le1$"""
TRACES = r"""it dominates traces; what the perturbed loss needs is $\mathbb E\,\epsilon^\top\nabla^2\hat L\,\epsilon$
at a point that depends on $\epsilon$, of which no trace is a bound""".replace("\n", " ")
REMAINDER = r"""$\sigma^2P$ is at least
$\mathbb E\,\epsilon^\top(\nabla^2\hat L(\Theta+\tau\epsilon)-\nabla^2\hat L(\Theta))\epsilon$, twice what 12 has
beyond the second order"""

REST = "reconstructed: from the prose of appendix E.2; the best deviation has the recovered value of E.3"

main = Claim(
    key=MAIN,
    title="PAC-Bayes bound for a learner that the construction dominates",
    kind="generalization",
    statement=rf"""If {DOMINATED}, then with probability at least $1-\delta$ the risk of the perturbed network is at
most the stated amount. It is a bound for a network drawn at random, not for $\hat\Theta$. As printed, domination is one
of traces, the loss is sub-Gaussian with constant $\Sigma$, and $P$ is that of 17. In the derived forms domination is of
expected losses as above, the change of the gradient takes the place of 17, and all losses are clipped at $2\Sigma$,
beyond which nothing is said: then $\Sigma$ serves for every network of the prior. A $\sigma$ that depends on nothing
but $G_u$, $L$, $m$, $\delta$ and a $\Sigma$ that was not measured is free, $n_g=1$; else it may be chosen after the
sample is seen among $n_g$ values that were fixed before. $P$ may be given: 0 truncates the bound, a measured value
makes it semi-analytic. Then it is a bound only if {REMAINDER}. As it should read, the first term is the loss of the
perturbed network on the sample, computed; losses are clipped at $2\Sigma$, $\sigma$ and $\Sigma$ are fixed before the
sample is seen, and of domination only $\|\hat\Theta\|\le\|\Theta\|$ is asked.""",
    symbols=letters("omega D T m delta Sigma sigma grid loss_hat P?"),
    assumes=(SPARSE, LOW),
    uses=(SHARPNESS, PERTURBED, NORMS, EXPANSION, COST, PAC_BAYES, WHOLE),
    source="recovered",
    differs={"constant": PRIOR, "mean_loss": TRACES, **theorem_14.differs},
    parts=(
        Part("risk", RISK, "risk of the perturbed network", printed=_printed, derived=_bound(False),
             sharp=_bound(True)),
        Part("computed", r"\mathbb E_\epsilon L_{2\Sigma}(f_{\hat\Theta+\epsilon})",
             r"risk, losses clipped at $2\Sigma$, the loss on the sample computed", repaired=computed_risk,
             source="own"),
        Part("temperature", r"\lambda^*", "best temperature", "=", source=REST,
             printed=lambda _: best_temperature(complexity_of(gaussian_kl(printed_norm(), sigma), delta), Sigma, m)),
        Part("sigma", r"\sigma^*", "best deviation for $P=0$, but for the logarithm", "=", source=REST,
             printed=lambda _: printed_sigma()),
        Part("least", r"R(\sigma^*)", "the bound there, but for the logarithm", "=", source=REST,
             printed=lambda _: best_sum(printed_gradient(), printed_norm(), Sigma, m)),
    ),
)  # fmt: skip

# --- 3 to 6 -----------------------------------------------------------------------------------------------------------

domination = Claim(
    key=DOMINATION,
    title="Domination is assumed",
    kind="assumption",
    statement=r"""That the learned network has no larger norm and no larger sharpness than the construction is an
assumption: a minimiser of a weighted sum may trade one for the other. It is made plausible by rescalings that lower
both (appendix D) and by experiment. If the construction were Pareto-optimal, nothing but $\hat\Theta=\Theta$, or
what is as good, would satisfy it; and it fails if what is learned scales in another way.""",
    uses=(LEARNER,),
)

sub_gaussian = Claim(
    key=SUB_GAUSSIAN,
    title="The loss is sub-Gaussian if it is bounded",
    kind="concentration",
    statement=r"""Where inputs and parameters are bounded so is the loss, and a loss in $[0,b]$ is sub-Gaussian with
the stated constant. The parameters of the prior $N(0,\sigma^2I)$ are not bounded: for a bound that holds for almost
all of them the loss itself must be, for instance clipped at $b$. The constant that is measured on one trained network
is another one.""",
    symbols=parameters("b"),
    uses=("hoeffding1963/lemma",),
    source="reconstructed: the constant of Hoeffding's lemma, which the text cites without it",
    parts=(Part("Sigma", r"\Sigma", "sub-Gaussian constant", printed=lambda _: b / 2),),
)  # fmt: skip


def _trace(proof: Derivation) -> Expr:
    reason = r"the Hessian of the loss is $2\nabla f\nabla f^\top$ where the fit is exact"
    return proof.let("trace_loss", "", 2 * Target().gradient_squared(proof), reason, TRACE)


REPAIRED_TRACE = steps(lambda proof: repaired_gradient(proof, 2))

sharpness = Claim(
    key=SHARPNESS,
    title="The sharpness of the construction",
    kind="lipschitz",
    statement=r"""The trace of the Hessian of the squared loss at the construction with exact attention, at any string,
for coefficients with $T^{-2}\le c_t\le1$ once their norm is 1; and its order, as the text has it.""",
    symbols=letters("omega D T"),
    assumes=(SPARSE, LOW),
    uses=(TRACE, GRADIENT),
    constants=(C0,),
    source="recovered: twice $G_u$ of the authors' published code; that it does not depend on $T$ is in the text",
    differs=theorem_14.differs,
    parts=(
        Part("trace", r"\mathrm{Tr}\,\nabla^2\hat L(\Theta)", "trace of the Hessian",
             printed=lambda _: 2 * printed_gradient(), repaired=REPAIRED_TRACE, derived=steps(_trace)),
        Part("order", r"\mathrm{Tr}\,\nabla^2\hat L(\Theta)", "its order", "<~", ABSOLUTE,
             printed=lambda _: c0 * omega * D**3, repaired=REPAIRED_TRACE, derived=steps(_trace)),
    ),
)  # fmt: skip


def _printed_loss(setting: Setting) -> list[Step]:
    proof = Derivation()
    P = setting.optional("P") or printed_cost(proof)
    value = sigma**2 / 2 * (2 * printed_gradient() + P)
    return proof.steps_to(proof.let("loss", "", value, PRINTED))


def _loss(exact: bool) -> Form:
    def build(setting: Setting) -> list[Step]:
        proof, target = Derivation(), Target()
        gradient = target.gradient_squared(proof)
        P: Symbol | Expr = setting.optional("P") or loss_cost(proof, target, sigma, delta, exact)
        reason = "gradient, and its change along the segment"
        return proof.steps_to(proof.let("loss", "", sigma**2 / 2 * (2 * gradient + P), reason, WHOLE))

    return build


perturbed = Claim(
    key=PERTURBED,
    title="The loss of the perturbed construction",
    kind="approximation",
    statement=rf"""For $\epsilon\sim N(0,\sigma^2I)$ the expected squared loss of the construction with exact attention,
$T^{{-2}}\le c_t\le1$, at any string. As printed, $P$ is that of 17; in the derived forms the change of the gradient
takes its place, and perturbations of probability at most $\delta$ are left out, where units may be anywhere: a loss
that is clipped at $b$ is larger by at most $b\delta$. $P$ may be given, as measured; then it is a bound only if
{REMAINDER}.""",
    symbols=letters(
        "omega D T sigma delta P?", delta={"meaning": "probability of the perturbations that are left out"}
    ),
    assumes=(SPARSE, LOW),
    uses=(EXPANSION, COST, GRADIENT, WHOLE),
    source="reconstructed",
    differs={"loss": TRACES},
    parts=(
        Part("loss", r"\mathbb E\hat L(\Theta+\epsilon)", "expected loss of the perturbed construction",
             printed=_printed_loss, derived=_loss(False), sharp=_loss(True)),
    ),
)  # fmt: skip
