"""Tong Zhang, Covering number bounds of certain regularized linear function classes, JMLR 2 (2002) 527-550."""

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.covers import zhang_scalar
from maurey.symbolic.names import parameters, symbols

B_w, B_X, N, eps = symbols("B_w B_X N eps")

zhang_4 = Claim(
    key="zhang2002/4",
    title="Cover of a Euclidean ball of linear functions",
    kind="covering",
    statement=r"""For $\|v\|_2\le a$ and $\|x_i\|_2\le b$, $i\in[N]$, the functions $x\mapsto v^\top x$ have a
cover in the largest deviation over the $N$ points of the stated size, for every $\varepsilon>0$. Convention:
the centres are arbitrary vectors of $N$ values (an external cover). The inequality is the same in any base of
the logarithm.""",
    symbols=parameters("eps N B_w B_X", B_w="a", B_X="b"),
    parts=(
        Part(
            "log_N",
            r"\log\mathcal N_\infty^{\mathrm{ext}}(\mathcal F_{\mathrm{linear}};\varepsilon;x_1,\dots,x_N)",
            "log of the number of centres",
            printed=lambda _: zhang_scalar(B_w, B_X, N).at(eps),
        ),
    ),
    reference="T. Zhang, JMLR 2 (2002) 527-550, Theorem 4",
)
