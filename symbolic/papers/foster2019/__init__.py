"""D. Foster and A. Rakhlin, Vector contraction for Rademacher complexity in l_inf (2019)."""

from sympy import sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import C0, parameters, symbols

L_loss, K, R_F, c0 = symbols("L_loss K R_F C0")

contraction = Claim(
    key="foster2019/1",
    title=r"Vector contraction in $\ell_\infty$",
    kind="rademacher",
    statement=r"""For functions with $K$ outputs and losses that are $L$-Lipschitz in $\ell_\infty$, the complexity
of the composed class is at most $L\sqrt K$ times the largest complexity of one output over all samples of the
same size, up to a constant and a power of a logarithm.""",
    symbols=parameters("L_loss K R_F", R_F={"meaning": "the largest complexity of one output, over all samples"}),
    constants=(C0,),
    parts=(
        Part(
            name="R",
            lhs=r"\hat{\mathcal R}(\ell\circ\mathcal F)",
            meaning="complexity of the composed class",
            relation="<~",
            hides="a constant and a power of a logarithm of the sample size",
            keeps=(),
            printed=lambda _: c0 * L_loss * sqrt(K) * R_F,
        ),
    ),
    reference="D. Foster, A. Rakhlin, Vector contraction for Rademacher complexity (2019), Theorem 1",
)
