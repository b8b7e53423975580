"""M. Ledoux and M. Talagrand, Probability in Banach Spaces, Springer 1991."""

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols

L_sigma, R_F = symbols("L_sigma R_F")

contraction = Claim(
    key="ledoux1991/4.12",
    title="Contraction",
    kind="rademacher",
    statement=r"""For $\sigma_1,\dots,\sigma_m$ that are $L_\sigma$-Lipschitz on the line, $\frac1m\mathbb
E\sup_{f\in\mathcal F}\sum_i\epsilon_i\sigma_i(f(z_i))$ is at most $L_\sigma$ times the complexity of $\mathcal
F$ itself. Convention: no absolute value inside the supremum, so no factor 2 and no $\sigma_i(0)=0$. If all
$\sigma_i(0)=0$, the same is true of the means of a convex increasing function of both suprema (4.20 there).""",
    symbols=parameters("L_sigma R_F"),
    parts=(
        Part("R", r"\hat{\mathcal R}(\sigma\circ\mathcal F)", "complexity after the activation",
             printed=lambda _: L_sigma * R_F),
    ),
    reference="M. Ledoux, M. Talagrand, Probability in Banach Spaces, Springer 1991, Theorem 4.12",
)  # fmt: skip
