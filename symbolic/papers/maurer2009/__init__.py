"""A. Maurer and M. Pontil, Empirical Bernstein bounds and sample variance penalization, COLT 2009, arXiv 0907.3740."""

from sympy import Ge

from maurey.symbolic.claim import Assumption, Claim, Part
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.tails import bernstein

loss_hat, variance, delta, m = symbols("loss_hat variance delta m")

theorem_4 = Claim(
    key="maurer2009/4",
    title="Bernstein's bound with the variance of the sample",
    kind="generalization",
    statement=r"""For losses in $[0,1]$ and a hypothesis that was fixed before the $m$ independent samples were
drawn, of mean $\hat L$ and variance $V=\frac1{m(m-1)}\sum_{i<j}(x_i-x_j)^2$ on them: with probability at least
$1-\delta$ the risk is at most the stated amount. Not for samples drawn without replacement.""",
    symbols=parameters("m delta loss_hat variance", loss_hat={"domain": "in [0, 1]"}),
    assumes=(Assumption(Ge(m, 2), "there are two samples or more"),),
    parts=(
        Part("risk", "L", "risk of the hypothesis", printed=lambda _: bernstein(loss_hat, variance, delta, m)),
    ),
    reference="A. Maurer, M. Pontil, COLT 2009, arXiv 0907.3740, Theorem 4",
)  # fmt: skip
