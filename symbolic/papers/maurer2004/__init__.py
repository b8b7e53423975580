"""A. Maurer, A note on the PAC-Bayesian theorem, arXiv cs/0411099, 2004."""

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.pacbayes import inverse_kl, pinsker, rate

m, delta, KL, loss_hat = symbols("m delta KL loss_hat")

theorem_5 = Claim(
    key="maurer2004/5",
    title="Seeger's bound with $2\\sqrt m$, and the square root that follows from it",
    kind="generalization",
    statement=r"""For losses in $[0,1]$ and a prior that is fixed before the $m$ independent samples are drawn: with
probability at least $1-\delta$, for all posteriors at once, the binary divergence of the mean loss on the samples
$\hat L$ from the risk is at most $c=(\mathrm{KL}+\log(2\sqrt m/\delta))/m$. Inverted, that bounds the risk; by
Pinsker's inequality it is at most $\hat L+\sqrt{c/2}$. Proved for $m\ge8$, where $\mathbb Ee^{m\,\mathrm{kl}}\le2\sqrt
m$; for $m<8$ that expectation is at most $\sum_k\binom mk(\frac km)^k(1-\frac km)^{m-k}$, which is no more than
$2\sqrt m$ either.""",
    symbols=parameters("m delta KL loss_hat", loss_hat={"domain": "in [0, 1]"}),
    parts=(
        Part("rate", r"\mathrm{kl}(\hat L\|L)", "divergence of the mean loss from the risk",
             printed=lambda _: rate(KL, delta, m)),
        Part("risk", "L", "risk of a network drawn from the posterior",
             printed=lambda _: inverse_kl(loss_hat, rate(KL, delta, m))),
        Part("root", "L", "the same, by Pinsker's inequality",
             printed=lambda _: loss_hat + pinsker(rate(KL, delta, m))),
    ),
    reference="A. Maurer, arXiv cs/0411099 (2004), Theorem 5, after M. Seeger, JMLR 3 (2002) 233-269",
)  # fmt: skip
