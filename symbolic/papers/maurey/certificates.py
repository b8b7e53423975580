"""Bounds for one trained network, proved here in brief; `maurey certify` evaluates them."""

from sympy import Expr, Integer, Le, Sum, erfc, log, sqrt

from maurey.symbolic.claim import Assumption, Claim, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.names import indexed, parameters, symbols
from maurey.symbolic.pacbayes import SEEGER, inverse_kl
from maurey.symbolic.pacbayes import rate as seeger_rate
from maurey.symbolic.tails import (
    CLOPPER,
    HOEFFDING,
    at_one_slope,
    binomial_inverse,
    chernoff,
    hypergeometric_inverse,
    martingale,
    mixture_inverse,
    rate,
)

errors, m, N, delta, bits, loss_hat = symbols("errors m N delta bits loss_hat")
temperature, slope, squares, total = symbols("temperature slope squares total")
KL, draws, split, n, i, scale = symbols("KL draws split n i scale")
(margin,) = indexed("margin")
MEAN = {"domain": "in [0, 1]", "meaning": "mean loss on the sample"}
NO_MORE = Assumption(Le(errors, m), "there are no more errors than samples")


finite_pool = Claim(
    key="maurey/finite-pool",
    title="Errors of a pool, from a sample drawn without replacement",
    kind="generalization",
    statement=r"""A hypothesis that was fixed before $m$ of a pool of $N$ were drawn without replacement errs on $k$
of them. With probability at least $1-\delta$ it errs on no larger share of the pool than $M/N$, for the largest $M$
with $P(\mathrm{Hyp}(N,M,m)\le k)\ge\delta$. Proof: that probability falls in $M$. If the pool has $M$ errors, what
is stated is below $M/N$ where $P(\mathrm{Hyp}(N,M,m)\le k)<\delta$, which is $k\le k^*$, with the largest $k^*$ of
that kind, and has probability below $\delta$.""",
    symbols=parameters("errors m N delta", N={"meaning": "size of the pool"}),
    assumes=(NO_MORE, Assumption(Le(m, N), "no more are drawn than there are")),
    parts=(
        Part("share", "M/N", "share of errors in the pool",
             printed=lambda _: hypergeometric_inverse(errors, m, N, delta)),
    ),
)  # fmt: skip


def _share(D: Derivation) -> Expr:
    reason = r"what the message gets of the probability of failure: the sum of $2^{-|h|}$ is at most 1"
    return D.let("share", r"\delta_h", delta / 2**bits, reason)


def _counted(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(D.let("count", "", binomial_inverse(errors, m, _share(D)), "for each message", CLOPPER))


def _by_mean(_: Setting) -> list[Step]:
    D = Derivation()
    c = D.let("rate", "c", rate(_share(D), m), "of the mean loss from the risk, for each message", HOEFFDING)
    return D.steps_to(D.let("mean", "", inverse_kl(loss_hat, c), "the divergence inverted", HOEFFDING))


occam = Claim(
    key="maurey/occam",
    title="Risk of what a short message decodes to",
    kind="generalization",
    statement=r"""A prefix code for hypotheses is fixed before the $m$ independent samples are drawn; $|h|$ is the
length in bits of the code word for $h$. With probability at least $1-\delta$, for all $h$ at once, the risk of $h$
is at most the stated amount: with $k$ errors by the exact binomial tail, for losses in $[0,1]$ from their mean.
Proof: by Kraft's inequality $\sum_h2^{-|h|}\le1$, and each $h$ gets $\delta2^{-|h|}$. In the same way the capital
won against its mean stays below $2^{|h|}/\delta$.""",
    symbols=parameters("m delta bits errors loss_hat", loss_hat=MEAN),
    assumes=(NO_MORE,),
    uses=(CLOPPER, HOEFFDING, "waudbysmith2024/capital"),
    parts=(
        Part("count", "L(h)", "risk, from the number of errors", derived=_counted),
        Part("mean", "L(h)", "risk, from the mean loss",
             printed=lambda _: inverse_kl(loss_hat, (bits * log(2) + log(1 / delta)) / m), derived=_by_mean),
    ),
)  # fmt: skip

martingale_bernstein = Claim(
    key="maurey/martingale-bernstein",
    title="Mean risk of networks that change, with the variance of their losses",
    kind="generalization",
    statement=r"""$x_t\in[0,1]$ is the loss, on sample $t$, of a network that depends on what was before $t$ alone;
so does $v_t\in[0,1]$. With probability at least $1-\delta$, for all $m$ at once, the mean over $t\le m$ of the
conditional means $\mu_t$ is at most the stated amount, for one $\lambda\in(0,1)$ that is fixed before; $V$ is the
mean of $(x_t-v_t)^2$. Proof: $\log(1+y)-y$ over $y^2$ increases in $y>-1$, so that
$e^{\lambda(v-x)-\psi(\lambda)(v-x)^2}\le1+\lambda(v-x)$ for $v-x\ge-1$, where
$\psi(\lambda)=-\log(1-\lambda)-\lambda$; the mean of the right-hand side is at most $e^{\lambda(v_t-\mu_t)}$. So
$\prod_te^{\lambda(\mu_t-x_t)-\psi(\lambda)(x_t-v_t)^2}$ does not grow in the mean from 1 on, and by Ville's
inequality it ever reaches $1/\delta$ with probability at most $\delta$. One of $r$ slopes, chosen after, has
$\delta/r$.""",
    symbols=parameters("m delta loss_hat squares slope", loss_hat=MEAN),
    parts=(
        Part("risk", r"\frac1m\sum_t\mu_t", "mean risk of the networks",
             printed=lambda _: martingale(loss_hat, squares, slope, delta, m)),
    ),
)  # fmt: skip

prequential = Claim(
    key="maurey/prequential",
    title="Mean risk of networks that change, from the losses on what comes next",
    kind="generalization",
    statement=r"""$x_t\in[0,1]$ is the loss, on sample $t$, of a network that depends on what was before $t$ alone.
With probability at least $1-\delta$, for all $m$ at once, the mean $\mu$ over $t\le m$ of the conditional means
$\mu_t$ is at most the stated amount: for one $\lambda>0$ that is fixed before, or for the sum $S$ of the losses,
rounded up, with nothing to be chosen. Proof: by convexity $\mathbb E[u^{x_t}|\text{past}]\le1-\mu_t+\mu_tu$ for
$u=e^{-\lambda}$, so that the product of $u^{x_t}/(1-\mu_t+\mu_tu)$ does not grow in the mean from 1 on, nor does its
mean over the uniform $u\in(0,1)$: by Ville's inequality either ever reaches $1/\delta$ with probability at most
$\delta$. As $\log(1-\mu_t+\mu_tu)$ is concave in $\mu_t$, the product is at least $u^S(1-\mu+\mu u)^{-m}$, which
increases in $\mu$ and falls in $S$; $\mathrm{Mix}^{-1}$ is where its mean over $u$ reaches $1/\delta$.""",
    symbols=parameters("m delta loss_hat temperature total", loss_hat=MEAN, temperature={"meaning": "slope"}),
    assumes=(Assumption(Le(total, m), "the sum of the losses is at most their number"),),
    parts=(
        Part("fixed", r"\mu", "mean risk of the networks, at one slope",
             printed=lambda _: at_one_slope(loss_hat, temperature, delta, m)),
        Part("mixture", r"\mu", "mean risk of the networks, over all slopes",
             printed=lambda _: mixture_inverse(total, m, delta)),
    ),
)  # fmt: skip


def _drawn(_: Setting) -> list[Step]:
    D = Derivation()
    by_draws = D.let("delta_draws", r"\delta_1", split * delta, "the draws' share of the probability of failure")
    by_sample = D.let("delta_sample", r"\delta_2", delta - by_draws, "what is left of it")
    gibbs = D.let("gibbs", r"\hat L_\rho", chernoff(loss_hat, by_draws, draws),
                  "losses of independent draws are numbers in [0, 1]", HOEFFDING)  # fmt: skip
    c = D.let("rate", "c", seeger_rate(KL, by_sample, m), "of the mean loss from the risk", SEEGER)
    return D.steps_to(D.let("risk", "", inverse_kl(gibbs, c), "the divergence inverted", SEEGER))


drawn = Claim(
    key="maurey/drawn",
    title="Risk of a drawn network, from the losses of a few",
    kind="generalization",
    statement=r"""For losses in $[0,1]$, a prior that is fixed before the $m$ independent samples are drawn, and $N$
networks drawn independently from the posterior, of mean loss $\hat L$ on the samples: with probability at least
$1-\delta$ over both, the risk of a network drawn from the posterior is at most the stated amount. The draws are
allowed $\alpha\delta$ to mislead about the mean loss over the posterior, the samples the rest.""",
    symbols=parameters("m delta KL draws split loss_hat",
                       loss_hat=MEAN | {"meaning": "mean loss of the drawn networks on the sample"}),
    uses=(HOEFFDING, SEEGER),
    parts=(
        Part("risk", r"L_\rho", "risk of a network drawn from the posterior",
             printed=lambda _: inverse_kl(inverse_kl(loss_hat, log(1 / (split * delta)) / draws),
                                          (KL + log(2 * sqrt(m) / ((1 - split) * delta))) / m), derived=_drawn),
    ),
)  # fmt: skip


def _gibbs(_: Setting) -> Expr:
    return Sum(erfc(scale * margin[i] / sqrt(Integer(2))) / 2, (i, 1, n)) / n


def _linear(_: Setting) -> list[Step]:
    D = Derivation()
    divergence = D.let("KL", r"\mathrm{KL}", scale**2 / 2, "of two Gaussians whose centres are that far apart")
    loss = D.let("loss", r"\hat L_\rho", _gibbs(Setting()), "the score is Gaussian")
    c = D.let("rate", "c", seeger_rate(divergence, delta, n), "of the mean loss from the risk", SEEGER)
    return D.steps_to(D.let("risk", "", inverse_kl(loss, c), "the divergence inverted", SEEGER))


linear_head = Claim(
    key="maurey/linear-head",
    title="A linear head with Gaussian weights, in closed form",
    kind="generalization",
    statement=r"""Features $\phi(x)\ne0$ are fixed before, labels are $\pm1$, and a head is drawn from $N(\beta
w,I)$ with $\|w\|=1$, the prior being $N(0,I)$. It errs on $(x,y)$ with probability $\Phi(-\beta\gamma)$,
$\gamma=y\,w\cdot\phi(x)/\|\phi(x)\|$: nothing is to be drawn. With probability at least $1-\delta$, for all $w$ and
all $\beta$ at once, its risk is at most the stated amount.""",
    symbols=parameters("n delta scale margin[n]", n={"meaning": "number of samples"},
                       scale={"latex": r"\beta", "meaning": "distance of the posterior from the prior"}),
    uses=(SEEGER,),
    parts=(
        Part("KL", r"\mathrm{KL}", "divergence of the posterior from the prior", "=", printed=lambda _: scale**2 / 2),
        Part("loss", r"\hat L_\rho", "mean loss on the sample, over the posterior", "=", printed=_gibbs),
        Part("risk", r"L_\rho", "risk of a head drawn from the posterior", derived=_linear),
    ),
)  # fmt: skip
