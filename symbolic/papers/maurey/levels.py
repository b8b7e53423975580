"""Chains with better constants: as many levels as serve best, one step, and one deviation for each side."""

from sympy import Expr

from maurey.symbolic.chain import levelled, one_step, side
from maurey.symbolic.claim import Claim, Form, Parameter, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.peeling import units_factor

A, C_F, p_0, m, b, delta, R_F, eps, size, k = symbols("A C_F p_0 m b delta R_F eps size k")
L_sigma, total, weight = symbols("L_sigma total weight")
RADEMACHER = r"\hat{\mathcal R}(\mathcal F;z_1,\dots,z_m)"
LENGTH = {"latex": "r", "meaning": "length of an interval that holds all losses"}


def _levelled(proper: bool) -> Form:
    def build(_: Setting) -> list[Step]:
        D = Derivation()
        return D.steps_to(levelled(D, C_F, A, m, p_0, proper))

    return build


levels = Claim(
    key="maurey/levels",
    title="Chaining with as many levels as serve best",
    kind="rademacher",
    statement=r"""Let $|f|\le A$ and $\log\mathcal N_\infty\le p_0+C_{\mathcal F}/\varepsilon^2$ for all
$\varepsilon$, and $A=se^u$ with $s=\sqrt{2C_{\mathcal F}/m}$. With levels $A\rho^{-j}$, $j<N$, $\rho=e^{u/N}$, the
first two terms of maurey/chaining are $sNe^{u/N}$ for every integer $N\ge1$. The best $N$ changes where $u$ is
$u_N=N(N+1)\log(1+\frac1N)$. As $Ne^{u/N}-eu$ is convex in $u$, it is enough to see that it is at most
$e(\frac4e-\log4)$ at every $u_N$, and at $N=1$ it is. From two levels on $\rho\ge2$, from three on $\rho\ge\frac94$,
so that all links together are no longer than $\frac95A$. For $u<1$ the trivial bound is smaller. External covers have
$1+e$ for $e$, since $N-1\le u_{N-1}$, and links of $\frac{13}5A$.""",
    symbols=parameters("A C_F p_0 m"),
    uses=("maurey/chaining",),
    parts=(
        Part("R", RADEMACHER, "empirical Rademacher complexity, proper covers", printed=_levelled(True)),
        Part("external", RADEMACHER, "the same, external covers", printed=_levelled(False)),
    ),
)

step = Claim(
    key="maurey/one-step",
    title="One cover at one resolution",
    kind="rademacher",
    statement=r"""Let all values lie in an interval of length $r$, and $\log\mathcal N_\infty(\varepsilon)$ be at most
$h$, with centres that have their values there too (they may be clipped). Less the middle of the interval, which
changes no complexity, centres are at most $r/2$, and Massart's lemma bounds the mean of the largest of them.""",
    symbols=(
        *parameters("eps b m", b=LENGTH),
        Parameter("size", "h", r"log covering number at $\varepsilon$", "nonnegative real"),
    ),
    parts=(
        Part("R", RADEMACHER, "empirical Rademacher complexity", printed=lambda _: one_step(size, eps, b, m)),
    ),
)  # fmt: skip

EVERY = r", where $\hat{\mathcal R}$ bounds the complexity of every sample"


def _deviating(odds: Expr, every: bool) -> Form:
    return lambda _: 2 * R_F + side(b, odds, m, every)


sides = Claim(
    key="maurey/sides",
    title="From complexity to gap, one deviation for each side",
    kind="generalization",
    statement=r"""Losses lie in an interval of length $r$; with probability at least $1-\delta$, for all $f$ at once,
with $\hat{\mathcal R}$ the complexity of the losses. Proof:
$\sup_f(\mathrm{risk}-\widehat{\mathrm{risk}})-2\hat{\mathcal R}$ has a mean of at most 0 (symmetrization) and moves
by at most $2r/m$ with one sample: the supremum by $r/m$, and $\hat{\mathcal R}$ by $r/2m$, for with all other signs
fixed $\frac12(\sup(A_f+a_f)+\sup(A_f-a_f))$ does not change when a constant is added to the losses $a_f$ of one
sample, so that $|a_f|\le r/2$, and then it lies between $\sup A_f$ and $\sup A_f+r/2$. McDiarmid for either side at
$\delta/2$, or for one at $\delta$. Where $\hat{\mathcal R}$ bounds the complexity of every sample, the supremum alone
moves.""",
    symbols=parameters("b delta m R_F", b=LENGTH,
                       R_F={"meaning": "complexity of the losses: of this sample, or a bound for every sample"}),
    parts=tuple(
        Part(f"{name}{'_every' if every else ''}", lhs, f"{words}{EVERY if every else ''}",
             printed=_deviating(odds, every))
        for name, lhs, words, odds in (
            ("gap", r"|\mathrm{risk}-\widehat{\mathrm{risk}}|", "generalization gap", 2 / delta),
            ("above", r"\mathrm{risk}-\widehat{\mathrm{risk}}", "one side", 1 / delta),
        )
        for every in (False, True)
    ),
)  # fmt: skip

units = Claim(
    key="maurey/units",
    title="Many units whose norms have a bounded sum",
    kind="rademacher",
    statement=r"""$\sum_{l\le k}u_l\sigma(v_l\cdot z)$ with $|u_l|\le U$, $\sum_l\|v_l\|_1\le S$ and $\sigma$
$L_\sigma$-Lipschitz with $\sigma(0)=0$; $\hat{\mathcal R}$ is the complexity of the coordinates of $z$ and their
negatives. Proof: let $G(n)$ be the largest $|\frac1m\sum_i\epsilon_i\sigma(v\cdot z_i)|$ over $\|v\|_1\le n$, of mean
at most $2L_\sigma n\hat{\mathcal R}$ (contraction, duality); it grows with $n$. Fewer than $2^{j+1}$ units have norms
above $2^{-j-1}S$, so that those with norms in $(2^{-j-1}S,2^{-j}S]$ add at most $2^{j+1}G(2^{-j}S)$, of mean at most
$4L_\sigma S\hat{\mathcal R}$, for each $j<\lceil\log_2k\rceil$, and all others together at most $2L_\sigma
S\hat{\mathcal R}$. Or each of the $k$ units by itself. For positively homogeneous $\sigma$ the factor is 1: the norms
go into $u_l$.""",
    symbols=(
        *parameters("k L_sigma R_F", k={"meaning": "number of units"},
                    R_F={"meaning": "complexity of the coordinates and their negatives"}),
        Parameter("weight", "U", "the largest weight with which a unit is read"),
        Parameter("total", "S", r"bound on the sum of the $\ell_1$ norms of the units' weights"),
    ),
    uses=("maurey/peeling", "ledoux1991/4.12"),
    parts=(
        Part("R", RADEMACHER, "empirical Rademacher complexity",
             printed=lambda _: 2 * weight * L_sigma * total * R_F * units_factor(k)),
    ),
)  # fmt: skip
