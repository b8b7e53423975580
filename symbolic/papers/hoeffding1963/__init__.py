"""W. Hoeffding, Probability inequalities for sums of bounded random variables, JASA 58 (1963) 13-30."""

from sympy import Ge

from maurey.symbolic import tails
from maurey.symbolic.claim import Assumption, Claim, Part
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.pacbayes import hoeffding

b, m, N, delta, loss_hat = symbols("b m N delta loss_hat")
MEAN = {"domain": "in [0, 1]", "meaning": "mean loss on the sample"}


def _risk() -> tuple[Part, Part]:
    return (
        Part("risk", "L", "risk of the hypothesis", printed=lambda _: tails.chernoff(loss_hat, delta, m)),
        Part("root", "L", "the same, by Pinsker's inequality",
             printed=lambda _: tails.hoeffding(loss_hat, delta, m)),
    )  # fmt: skip


theorem_1 = Claim(
    key="hoeffding1963/1",
    title="Risk from the mean loss on a sample",
    kind="generalization",
    statement=r"""For losses in $[0,1]$ and a hypothesis that was fixed before the $m$ independent samples were drawn:
the mean loss $\hat L$ is $q$ or less with probability at most $e^{-m\,\mathrm{kl}(q\|L)}$ for all $q\le L$, the
risk. Turned round, with probability at least $1-\delta$ the risk is at most the largest $p$ with
$\mathrm{kl}(\hat L\|p)\le\log(1/\delta)/m$, which by Pinsker's inequality is at most
$\hat L+\sqrt{\log(1/\delta)/(2m)}$.""",
    symbols=parameters("m delta loss_hat", loss_hat=MEAN),
    parts=_risk(),
    reference="W. Hoeffding, JASA 58 (1963) 13-30, Theorem 1",
)

theorem_4 = Claim(
    key="hoeffding1963/4",
    title="The same for samples drawn without replacement",
    kind="generalization",
    statement=r"""The mean of a convex continuous function of a sum is no larger for $m$ drawn without replacement from
a pool of $N$ numbers than for $m$ drawn with replacement. So whatever is proved by exponential moments holds for both:
for losses in $[0,1]$ of a hypothesis that was fixed before, with probability at least $1-\delta$ the mean loss on the
pool is at most the stated amount. The exact binomial interval is not of this kind, and is exceeded too often.""",
    symbols=parameters("m N delta loss_hat", loss_hat=MEAN, N={"meaning": "size of the pool"}),
    assumes=(Assumption(Ge(N, m), "no more are drawn than there are"),),
    uses=("hoeffding1963/1",),
    parts=_risk(),
    reference="W. Hoeffding, JASA 58 (1963) 13-30, Theorem 4",
)

lemma = Claim(
    key="hoeffding1963/lemma",
    title="Hoeffding's lemma",
    kind="concentration",
    statement=r"""A random variable $X$ with values in $[0,b]$ has $\mathbb Ee^{t(X-\mathbb EX)}\le e^{t^2\Sigma^2/2}$
for all real $t$, with the stated $\Sigma$.""",
    symbols=parameters("b", b={"meaning": "length of the interval"}),
    parts=(Part("Sigma", r"\Sigma", "sub-Gaussian constant", printed=lambda _: hoeffding(b)),),
    reference="W. Hoeffding, JASA 58 (1963) 13-30, inequality (4.16)",
)
