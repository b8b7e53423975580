"""Appendix E: the expansion of the perturbed loss, and PAC-Bayes bounds for Gaussian perturbations."""

from sympy import Expr, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.names import symbols
from maurey.symbolic.pacbayes import (
    at_best_temperature,
    at_temperature,
    best_sigma,
    best_sum,
    best_temperature,
    clipped,
    complexity,
    complexity_of,
    confidence,
    divergence,
    gaussian_kl,
    inverse_kl,
    neyshabur,
    pinsker,
    rate,
    seeger,
    tuned_after,
    tuned_before,
)

from .letters import letters

n, sigma, trace, Delta, norm_squared, delta, m, Sigma = symbols("n sigma trace Delta norm_squared delta m Sigma")
temperature, loss_hat, grid = symbols("temperature loss_hat grid")
EXPANSION, PAC_BAYES = "lintilhac2026/12", "lintilhac2026/E.2"
PRIOR = r"""it asks for $\Sigma$ of the loss, and measures it on a trained network; it must serve for almost every
network of the prior $N(0,\sigma^2I)$, and none does for a squared loss that is not clipped""".replace("\n", " ")

# --- 12 ---------------------------------------------------------------------------------------------------------------


def _quadratic(proof: Derivation) -> Expr:
    each = proof.let("variance", r"\mathbb E\epsilon_i^2", sigma**2, r"$\mathbb E\epsilon_i\epsilon_j=0$ for $i\ne j$")
    return proof.let("quadratic", r"Q", each * trace / 2, r"only the diagonal of the Hessian is left")


def _remainder(proof: Derivation) -> Expr:
    length = proof.let("length", r"\mathbb E\|\epsilon\|^2", n * sigma**2, "all coordinates together")
    reason = r"the point on the segment depends on $\epsilon$: only $\|A\|_{op}\|\epsilon\|^2$ is a bound"
    return proof.let("remainder", "R_2", Delta * length / 2, reason)


def _expanded(proof: Derivation) -> Expr:
    reason = "Taylor's formula; the first two terms vanish"
    return proof.let("expectation", "", _quadratic(proof) + _remainder(proof), reason)


appendix_e = Claim(
    key="lintilhac2026/E",
    title="From sharpness and norm to a PAC-Bayes bound",
    kind="summary",
    statement=r"""E.1: the expected loss of the perturbed network is half of $\sigma^2$ times the trace of the Hessian,
and a remainder (12). E.2: with a Gaussian prior and posterior, the sub-Gaussian PAC-Bayes bound, at the best
temperature and then at the best deviation. E.3: the bound as a number, beside a covering bound.""",
    uses=(EXPANSION, PAC_BAYES, "lintilhac2026/E.3"),
    source="reconstructed",
)

expansion = Claim(
    key=EXPANSION,
    title="The perturbed loss, to second order",
    kind="approximation",
    statement=r"""For $\epsilon\sim N(0,\sigma^2I_{|\Theta|})$, $\hat L(\Theta)=0$ and $\nabla\hat L(\Theta)=0$:
$\mathbb E\hat L(\Theta+\epsilon)$ is $\frac{\sigma^2}2\mathrm{Tr}\nabla^2\hat L(\Theta)$ and half the expectation of
$\epsilon^\top(\nabla^2\hat L(\Theta+\tau\epsilon)-\nabla^2\hat L(\Theta))\epsilon$, with $\tau\in(0,1)$ that depends
on $\epsilon$. $\|\Delta\|$ bounds the operator norm of the difference of the Hessians for all $\epsilon$; the gradient
must be Lipschitz along the segment, which it is as long as no ReLU changes sign. How far the trace rises does not
bound the second term: the trace of the difference may vanish while it is not zero.""",
    symbols=letters(
        "sigma trace Delta n",
        Delta={"latex": r"\|\Delta\|", "meaning": "largest operator norm of the change of the Hessian"},
        n={"latex": r"|\Theta|", "meaning": "number of parameters"},
    ),
    source="reconstructed",
    parts=(
        Part("expectation", r"\mathbb E\hat L(\Theta+\epsilon)", "expected loss of the perturbed network",
             printed=lambda _: sigma**2 / 2 * trace + sigma**2 / 2 * n * Delta, derived=steps(_expanded)),
        Part("quadratic", r"\tfrac12\mathbb E\,\epsilon^\top\nabla^2\hat L\,\epsilon", "term of second order", "=",
             printed=lambda _: sigma**2 / 2 * trace, derived=steps(_quadratic)),
        Part("remainder", r"|\text{remainder}|", "what is left", printed=lambda _: sigma**2 / 2 * n * Delta,
             derived=steps(_remainder)),
    ),
)  # fmt: skip

# --- E.2 --------------------------------------------------------------------------------------------------------------


def _kl() -> Expr:
    return gaussian_kl(norm_squared, sigma)


def _at_one(proof: Derivation) -> Expr:
    K = complexity(proof, divergence(proof, norm_squared, sigma), confidence(proof, delta))
    _, constant = clipped(proof, Sigma)
    excess = proof.let("excess", r"\Delta_\lambda", at_temperature(K, temperature, constant, m),
                       "the bound at this temperature", "alquier2024/sub-gaussian")  # fmt: skip
    return proof.let("risk", "", loss_hat + excess, "mean loss on the sample, and excess")


def _best(proof: Derivation) -> Expr:
    K = complexity(proof, divergence(proof, norm_squared, sigma), confidence(proof, delta))
    return proof.let("best_temperature", "", best_temperature(K, Sigma, m), "where the derivative vanishes")


def _tuned(proof: Derivation) -> Expr:
    _, constant = clipped(proof, Sigma)
    K = complexity(proof, divergence(proof, norm_squared, sigma), confidence(proof, delta))
    return proof.let("risk", "", loss_hat + tuned_before(proof, K, constant, m), "mean loss on the sample, and excess")


def _chosen(proof: Derivation) -> Expr:
    _, constant = clipped(proof, Sigma)
    excess = tuned_after(proof, divergence(proof, norm_squared, sigma), constant, m, delta, grid)
    return proof.let("risk", "", loss_hat + excess, "mean loss on the sample, and excess")


def _inverted(proof: Derivation) -> Expr:
    b, _ = clipped(proof, Sigma)
    return seeger(proof, loss_hat, divergence(proof, norm_squared, sigma), delta, m, b)


def _root(proof: Derivation) -> Expr:
    KL = divergence(proof, norm_squared, sigma)
    c = proof.let("rate", "c", rate(KL, delta, m), "of the mean loss from the risk", "maurer2004/5")
    return proof.let("risk", "", loss_hat + pinsker(c), "Pinsker's inequality", "maurer2004/5")


def let_best_sigma(proof: Derivation, slope: Expr, norm: Expr, constant: Expr = Sigma) -> Expr:
    reason = r"where $a\sigma^2+\Sigma\sqrt{\|\Theta\|^2/m}/\sigma$ is smallest; the choice ignores $\log\frac1\delta$"
    return proof.let("best_sigma", r"\sigma^*", best_sigma(slope, norm, constant, m), reason)


def _least(proof: Derivation) -> Expr:
    best = let_best_sigma(proof, trace / 2, norm_squared)
    norm = proof.let("norm_term", "N", Sigma * sqrt(norm_squared / m) / best, "the divergence, at the best temperature")
    return proof.let("least", "", trace / 2 * best**2 + norm, "both terms at the best deviation")


def _at_best(proof: Derivation) -> Expr:
    _, constant = clipped(proof, Sigma)
    best = let_best_sigma(proof, trace / 2, norm_squared, constant)
    K = complexity(proof, divergence(proof, norm_squared, best), confidence(proof, delta, grid))
    excess = tuned_before(proof, K, constant, m)
    return proof.let("risk", "", trace / 2 * best**2 + excess, "the bound there, with all its terms")


RISK = r"\mathbb E_\epsilon L(f_{\hat\Theta+\epsilon})"

pac_bayes = Claim(
    key=PAC_BAYES,
    title="PAC-Bayes bounds for Gaussian perturbations",
    kind="generalization",
    statement=r"""Prior $N(0,\sigma^2I)$, posterior $N(\hat\Theta,\sigma^2I)$ with $\|\hat\Theta\|\le\|\Theta\|$, and
$\hat L$ the mean loss of a network drawn from it on $m$ independent samples: with probability at least $1-\delta$ its
risk is at most the stated amounts. They bound the risk of the drawn network, not that of $\hat\Theta$. The
sub-Gaussian ones need $\Sigma$ for almost every network of the prior; in the derived forms the loss is clipped at
$b=2\Sigma$, which gives just that, and says nothing beyond $b$. The best $\lambda$ for the bound on the
norm is known beforehand; that for $\|\hat\Theta\|$ itself is not, and to take it after the sample is seen $n_g$ values
are fixed before, each twice the one before. At the best deviation for a loss whose expected perturbed value is
$\frac{\sigma^2}2\mathrm{Tr}$, trace and norm must be bounds that are known before the sample is seen; $n_g$ deviations
may be tried. McAllester's bound is for losses in $[0,1]$.""",
    symbols=letters(
        "m delta Sigma sigma temperature norm_squared trace loss_hat grid",
        loss_hat={"domain": "in [0, 1]"},
        trace={"domain": "positive real"},
    ),
    source="reconstructed",
    uses=("alquier2024/sub-gaussian", "maurer2004/5", "neyshabur2017/mcallester", "hoeffding1963/lemma"),
    differs={"constant": PRIOR},
    parts=(
        Part("risk", RISK, "risk at the best temperature",
             printed=lambda _: loss_hat + at_best_temperature(complexity_of(_kl(), delta), Sigma, m),
             derived=steps(_tuned), sharp=steps(_inverted)),
        Part("chosen", RISK, "risk at a temperature that is chosen after the sample is seen", derived=steps(_chosen)),
        Part("KL", r"\mathrm{KL}(\rho\|\pi)", "divergence of the posterior from the prior", printed=lambda _: _kl()),
        Part("fixed", RISK, "risk at one temperature",
             printed=lambda _: loss_hat + at_temperature(complexity_of(_kl(), delta), temperature, Sigma, m),
             derived=steps(_at_one)),
        Part("temperature", r"\lambda^*", "best temperature", "=",
             printed=lambda _: 1 / Sigma * sqrt(2 * m * complexity_of(_kl(), delta)), derived=steps(_best)),
        Part("mcallester", RISK, "risk by McAllester's bound", printed=lambda _: loss_hat + neyshabur(_kl(), delta, m),
             derived=steps(_root),
             sharp=steps(lambda proof: proof.let(
                 "risk", "", inverse_kl(loss_hat, rate(divergence(proof, norm_squared, sigma), delta, m)),
                 "the divergence inverted", "maurer2004/5"))),
        Part("sigma", r"\sigma^*", "best deviation, but for the logarithm", "=",
             printed=lambda _: best_sigma(trace / 2, norm_squared, Sigma, m)),
        Part("least", r"R(\sigma^*)", "the bound there, but for the logarithm", "=",
             printed=lambda _: best_sum(trace / 2, norm_squared, Sigma, m), derived=steps(_least)),
        Part("at_best", RISK, "risk at this deviation, with the logarithm", derived=steps(_at_best)),
    ),
)  # fmt: skip
