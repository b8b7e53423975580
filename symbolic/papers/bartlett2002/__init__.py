"""P. Bartlett and S. Mendelson, Rademacher and Gaussian complexities, JMLR 3 (2002) 463-482."""

from sympy import log, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols

m, delta, R_F = symbols("m delta R_F")

theorem_8 = Claim(
    key="bartlett2002/8",
    title="Risk from Rademacher complexity",
    kind="generalization",
    statement=r"""Convention: the loss has values in $[0,1]$, the bound is one-sided, and $\hat{\mathcal R}$
stands for the expected complexity $R_m=\mathbb E\sup_f|\frac2m\sum_i\sigma_i\ell(f(x_i),y_i)|$, with the factor
2 and the absolute value inside. With probability at least $1-\delta$ the risk of every $f$ exceeds its
empirical risk by at most the stated amount.""",
    symbols=parameters("m delta R_F", R_F="R_m"),
    parts=(
        Part("gap", r"\mathrm{risk}-\widehat{\mathrm{risk}}", "excess of the risk over the empirical risk",
             printed=lambda _: R_F + sqrt(8 * log(2 / delta) / m)),
    ),
    reference="P. Bartlett, S. Mendelson, JMLR 3 (2002) 463-482, Theorem 8",
)  # fmt: skip
