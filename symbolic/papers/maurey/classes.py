"""Covers and Lipschitz constants of classes that networks are made of."""

from maurey.symbolic.claim import Assumption, Claim, Parameter, Part
from maurey.symbolic.covers import atoms, few_columns, online_ratio_sum
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.relu_networks import largest_product, two_layer_movement

eps, n, N, d, d_2, k, B_X, B_X_1, B_1, rho = symbols("eps n N d d_2 k B_X B_X_1 B_W_21 rho")
R, Delta, ratio, share = symbols("R Delta ratio share")
BALL = r"\log\mathcal N_\infty(\mathcal F;\varepsilon)"

columns = Claim(
    key="maurey/columns",
    title="Covers by norms of columns in any ratio",
    kind="covering",
    statement=r"""As the covers by norms of columns of maurey/online, with norms rounded up to $B_1\rho^{-j}$, $0\le
j\le J=\lceil\log_\rho(d_2/\tau)\rceil$: the weights sum to at most $(\rho+\tau)B_1$, for what is rounded up to the
least of them adds $\tau B_1$ at most, and each correction is one of $2d_2N(J+1)$. The factor before the logarithm may
be as near to 1 as one likes.""",
    symbols=(
        *parameters("eps N d_1 d_2 B_X B_W_21"),
        Parameter("ratio", r"\rho", "ratio of the norms that columns are rounded up to"),
        Parameter("share", r"\tau", "what the smallest columns may add, in units of the sum"),
    ),
    assumes=(Assumption(ratio > 1, "the ratio is above 1"), Assumption(share <= d_2, "the share is at most d_2")),
    uses=("maurey/online",),
    parts=(
        Part("columns", BALL, "log of the number of corrections lists",
             printed=lambda _: online_ratio_sum(B_1, B_X, N, d_2, ratio, share).at(eps)),
    ),
)  # fmt: skip

ball = Claim(
    key="maurey/l1-ball",
    title=r"The $\ell_1$ ball at every resolution",
    kind="covering",
    statement=r"""The $\ell_1$ ball of radius $\rho$ in $\mathbb R^n$, in $\ell_2$:
$M=\lfloor\rho^2/\varepsilon^2\rfloor$ steps of the dense lattice of maurey/lattice err by at most
$\rho/\sqrt{2M}\le\varepsilon$, and none are needed from $\varepsilon=\rho$ on. Centres that leave a closed convex
class are projected onto it, which costs nothing where errors are measured in the Frobenius norm.""",
    symbols=parameters("eps n rho", n={"meaning": "dimension"}),
    uses=("maurey/lattice",),
    parts=(Part("log_N", BALL, "log of the number of centres", printed=lambda _: atoms(n, rho).at(eps)),),
)


block = Claim(
    key="maurey/block",
    title="Two layers, Lipschitz in all their parameters together",
    kind="lipschitz",
    statement=r"""$f(h)=a^\top\sigma(Wh+b)$, $\sigma$ 1-Lipschitz with $\sigma(0)=0$, on $\|h\|\le B_X$, both vectors
of parameters in the ball $\|\mathrm{vec}(a,W,b)\|\le R$ and at distance $\Delta$. Proof: $2(a^\top u-a'^\top
u')=(a-a')^\top(u+u')+(a+a')^\top(u-u')$ for the units $u$, of norm at most $\|(W,b)\|_F\sqrt{1+\|h\|^2}$;
Cauchy-Schwarz; two vectors of the ball have a sum of norm at most $2R$. And the product of two norms whose squares
add to at most $R^2$ is at most half of that.""",
    symbols=parameters("R B_X Delta", R={"meaning": "bound on the norm of all parameters"},
                       B_X={"meaning": r"bound on $\|h\|$"}, Delta={"meaning": "distance of the parameters"}),
    parts=(
        Part("moved", r"|f(h)-f'(h)|", "movement of the output", printed=lambda _: two_layer_movement(R, B_X) * Delta),
        Part("product", r"\|a\|\,\|(W,b)\|_F", "product of the norms of the two layers",
             printed=lambda _: largest_product(R)),
    ),
)  # fmt: skip

few = Claim(
    key="maurey/few-columns",
    title="Few columns of an absolutely summable family matter",
    kind="covering",
    statement=r"""$x\mapsto Wx$ with $W\in\mathbb R^{k\times d}$, $\|W\|_{2,1}\le B_1$ and $\|x\|_1\le B_X$, so that
only the images of $B_Xe_1,\dots,B_Xe_d$ count. With $\rho=B_1B_X/\varepsilon$ fewer than $\rho$ columns are longer
than $\varepsilon/B_X$; the others are set to zero. Of $q\le\rho$ columns whose norms sum to at most $\rho$ (in units
of $\varepsilon/B_X$) a maximal packing is a proper cover, and by volumes has at most
$(2\rho+q)^{kq}\frac{k!^q}{(kq)!}\le(1+\frac{2\rho}q)^{kq}\binom{kq+q-1}{q-1}\le(1+\frac{2\rho}q)^{kq}(e(k+1))^q$
points: the largest multinomial coefficient is at least their mean. Which columns: at most $d^q$ choices. All of it
grows with $q$. The entropy is of the order of $1/\varepsilon$, so that chaining costs no logarithm.""",
    symbols=parameters("eps d k B_X_1 B_W_21", d={"meaning": "number of columns"}, k={"meaning": "number of outputs"}),
    parts=(
        Part("log_N", BALL, "log of the number of centres", printed=lambda _: few_columns(B_1, B_X_1, d, k).at(eps)),
    ),
)  # fmt: skip
