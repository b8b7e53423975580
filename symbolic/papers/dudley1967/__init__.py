"""Dudley's entropy integral, as textbooks state it for empirical Rademacher complexities."""

from sympy import Expr

from maurey.symbolic.chain import TEXTBOOK, dudley_at, root_integral
from maurey.symbolic.claim import Assumption, Claim, Part, Setting
from maurey.symbolic.names import parameters, symbols

A, C_F, p_0, m, tau = symbols("A C_F p_0 m tau")


def _integral(_: Setting) -> Expr:
    return dudley_at(TEXTBOOK, tau, root_integral(p_0, C_F, m, tau, A))


integral = Claim(
    key="dudley1967/integral",
    title="Dudley's entropy integral, truncated",
    kind="rademacher",
    statement=r"""For a class of functions with $|f|\le A$ on $m$ points and every $\tau\in(0,A]$ the empirical
Rademacher complexity $\frac1m\mathbb E\sup_f\sum_i\epsilon_if(z_i)$ (no absolute value) is at most
$4\tau+12\int_\tau^A\sqrt{\log\mathcal N_2(\varepsilon)/m}\,d\varepsilon$, with covers in the root mean square
over the points and centres anywhere; $\infty$-covers are such covers. Stated here for entropies
$p_0+C_{\mathcal F}/\varepsilon^2$.""",
    symbols=parameters("A C_F p_0 m tau"),
    assumes=(Assumption(tau <= A, "the cut-off tau is at most A"),),
    parts=(Part("R", r"\hat{\mathcal R}", "empirical Rademacher complexity", printed=_integral),),
    reference="R. M. Dudley, J. Functional Analysis 1 (1967) 290-330; truncated as in P. Bartlett, D. Foster,"
    " M. Telgarsky, NeurIPS 2017, Lemma A.5",
)
