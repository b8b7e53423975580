"""S. Shalev-Shwartz and S. Ben-David, Understanding Machine Learning, Cambridge 2014."""

from sympy import Expr, log, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols

b, delta, m, R_F = symbols("b delta m R_F")


def one_sided(delta: Expr) -> Expr:
    return 2 * R_F + 4 * b * sqrt(2 * log(4 / delta) / m)


theorem_26_5 = Claim(
    key="shalev2014/26.5",
    title="Risk from empirical Rademacher complexity",
    kind="generalization",
    statement=r"""For a loss with $|\ell|\le c$, with probability at least $1-\delta$ and for all hypotheses at
once, the risk exceeds the empirical risk by at most the stated amount; $\hat{\mathcal R}$ is the empirical
complexity of the losses. One side.""",
    symbols=parameters("b delta m R_F", b="c"),
    parts=(
        Part("gap", r"\mathrm{risk}-\widehat{\mathrm{risk}}", "excess of the risk over the empirical risk",
             printed=lambda _: one_sided(delta)),
    ),
    reference="S. Shalev-Shwartz, S. Ben-David, Understanding Machine Learning, Cambridge 2014, Theorem 26.5",
)  # fmt: skip
