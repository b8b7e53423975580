"""C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
Biometrika 26 (1934) 404-413."""

from sympy import Le

from maurey.symbolic.claim import Assumption, Claim, Part
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.tails import binomial_inverse

errors, m, delta = symbols("errors m delta")

COUNTED = Assumption(Le(errors, m), "there are no more errors than samples")

upper = Claim(
    key="clopper1934/upper",
    title="The upper end of the exact binomial interval",
    kind="generalization",
    statement=r"""A hypothesis that was fixed before the $m$ independent samples were drawn errs on $k$ of them. With
probability at least $1-\delta$ its risk is at most the largest $p$ with $P(\mathrm{Bin}(m,p)\le k)\ge\delta$: as a
probability of errors falls in $p$, what is above it for the risk $p$ is $k\le k^*$, with the largest $k^*$ for which
$P(\mathrm{Bin}(m,p)\le k^*)<\delta$. With no error it is $1-\delta^{1/m}$.""",
    symbols=parameters("errors m delta"),
    assumes=(COUNTED,),
    parts=(Part("risk", "L", "risk of the hypothesis", printed=lambda _: binomial_inverse(errors, m, delta)),),
    reference="C. J. Clopper, E. S. Pearson, Biometrika 26 (1934) 404-413",
)
