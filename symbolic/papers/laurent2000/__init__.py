"""B. Laurent and P. Massart, Adaptive estimation of a quadratic functional by model selection, Ann. Stat. 28 (2000)."""

from sympy import Expr, log, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols

n, delta = symbols("n delta")


def tail(n: Expr, failing: Expr) -> Expr:
    """n + 2 sqrt(n x) + 2 x with x = log(1/failing)."""
    return n + 2 * sqrt(n * log(1 / failing)) + 2 * log(1 / failing)


chi_squared = Claim(
    key="laurent2000/1",
    title="The upper tail of a chi-squared variable",
    kind="concentration",
    statement=r"""For $X\sim N(0,I_n)$, with probability at least $1-\delta$, $\|X\|^2$ is at most the stated
amount.""",
    symbols=parameters("n delta", n={"meaning": "number of independent standard Gaussians"}),
    parts=(Part("squared", r"\|X\|_2^2", "squared norm of a Gaussian vector", printed=lambda _: tail(n, delta)),),
    reference="B. Laurent, P. Massart, Ann. Statist. 28 (2000) 1302-1338, Lemma 1",
)
