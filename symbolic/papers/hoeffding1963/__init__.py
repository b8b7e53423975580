"""W. Hoeffding, Probability inequalities for sums of bounded random variables, JASA 58 (1963) 13-30."""

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.pacbayes import hoeffding

(b,) = symbols("b")

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
