"""The softmax, and one attention layer."""

from sympy import Expr

from maurey.symbolic.claim import Claim, Part, Setting
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.modules import Signal, times
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.norms import Matrix
from maurey.symbolic.route import SHARP
from maurey.symbolic.softmax import BEST_CONSTANT, finite_shift

m, T, R, Delta, B_V, B_QK = symbols("m T B_X Delta B_V B_QK")


def _gain(_: Setting) -> Expr:
    layer = SHARP.attention(Matrix("V", "V", 1, 1, spectral=B_V), Matrix("QK", "QK", 1, 1, spectral=B_QK))
    return layer.sensitivity(Derivation(), Signal(R, m, T)).lipschitz() * Delta


softmax = Claim(
    key="maurey/softmax",
    title="The softmax constant from $\\ell_\\infty$ to $\\ell_1$ is 1",
    kind="lipschitz",
    statement=r"""Softmax is 1-Lipschitz from $\ell_\infty$ to $\ell_1$, and 1 is best possible. Proof: with
$J=\mathrm{diag}(p)-pp^\top$ the convex function $\|Jh\|_1$ is largest over $\|h\|_\infty\le1$ at a sign vector,
where it is $4P(1-P)\le1$ with $P$ the mass of $\{h=1\}$. Finite form: the logit of any event moves by at most
$2\Delta$. Equality in the limit: two classes at $p=1/2$.""",
    symbols=parameters("Delta"),
    parts=(
        Part("linear", r"\|\mathrm{softmax}(\theta_1)-\mathrm{softmax}(\theta_2)\|_1", "movement of the softmax",
             printed=lambda _: times(BEST_CONSTANT, Delta)),
        Part("finite", r"\|\mathrm{softmax}(\theta_1)-\mathrm{softmax}(\theta_2)\|_1", "the same, for finite moves",
             printed=lambda _: finite_shift(Delta)),
    ),
)  # fmt: skip


attention = Claim(
    key="maurey/attention",
    title="The best input-Lipschitz constant of an attention layer",
    kind="lipschitz",
    statement=r"""For tokens of norm at most $R$ and $A=W_KW_Q^\top$ the output of attention moves by at most
the stated multiple of the tokens' largest movement $\Delta$; best possible as $T\to\infty$. Proof: along
$\delta$ with $\|\delta_t\|\le1$ the derivative is $\sum_ts_t(\delta_t+(a\cdot\delta_t)(z_t-\bar
z))+\mathrm{Cov}_s(z)A\delta_\tau$ with $a=Az_\tau$; the last part is at most $R^2\|A\|$, and against a unit $y$
the first is at most $(1+\|a\|^2\mathrm{Var}_s(y\cdot z))^{1/2}$ because the centred tokens average to zero.""",
    symbols=parameters("B_V B_QK B_X Delta", B_X="R"),
    uses=("maurey/softmax",),
    parts=(
        Part("moved", r"\|(f(Z)-f(\hat Z))^\top\|_{2,\infty}", "movement of the layer's output", printed=_gain),
    ),
)  # fmt: skip


orientation = Claim(
    key="maurey/orientation",
    title="The score is bilinear",
    kind="lipschitz",
    statement=r"""$x^\top Wy=y^\top W^\top x$, so a cover of $x\mapsto Wx$ or of $x\mapsto W^\top x$ serves the
query-key matrix: use the one whose norm is given, on the tokens it acts on.""",
)
