"""From entropies to complexities and gaps, and what peels a layer."""

from maurey.symbolic.chain import (
    EXTERNAL,
    PROPER,
    Dudley,
    chained,
    chained_linear,
    dudley_at,
    one_sided,
    root_integral,
    union_cost,
)
from maurey.symbolic.chain import deviation as deviation_term
from maurey.symbolic.claim import Assumption, Claim, Form, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.names import parameters, symbols

n, m, Delta, B_w_1, K_F, A, C_F, p_0, tau, L_loss, b, delta = symbols(
    "n m Delta B_w_1 K_F A C_F p_0 tau L_loss b delta"
)
n, m, A, B_w_1, Delta, C_F, K_F, p_0, tau, L_loss, b, delta, R_F = symbols(
    "n m A B_w_1 Delta C_F K_F p_0 tau L_loss b delta R_F"
)


def _cut(dudley: Dudley) -> Form:
    return lambda _: dudley_at(dudley, tau, root_integral(p_0, C_F, m, tau, A))


RADEMACHER = r"\hat{\mathcal R}(\mathcal F;z_1,\dots,z_m)"


dudley = Claim(
    key="maurey/dudley",
    title=r"Dudley's integral with $2$ and $4\sqrt2$",
    kind="rademacher",
    statement=r"""For a class bounded by $A$ and $\infty$-covers, every $\tau\in(0,A]$ gives a bound with
constants 2 and $4\sqrt2$ if the covers are proper, 2 and $6\sqrt2$ if their centres lie outside the class.
Proof: levels $\varepsilon_j=2^{J+1-j}\tau$; links go from fine to coarse, the coarse neighbour a function of
the fine centre, so level $j$ has at most $N_j$ links, of length at most $\varepsilon_{j-1}$ (proper) or
$\varepsilon_j+\varepsilon_{j-1}$; Massart; $\varepsilon_{j-1}=4(\varepsilon_j-\varepsilon_{j+1})$. Stated here
for entropies $p_0+C_{\mathcal F}/\varepsilon^2$.""",
    symbols=parameters("A C_F p_0 m tau"),
    assumes=(Assumption(tau <= A, "the cut-off tau is at most A"),),
    parts=(
        Part("proper", RADEMACHER, "empirical Rademacher complexity, proper covers", printed=_cut(PROPER)),
        Part("external", RADEMACHER, "the same, external covers", printed=_cut(EXTERNAL)),
    ),
)


def _chained(proper: bool) -> Form:
    def build(_: Setting) -> list[Step]:
        D = Derivation()
        return D.steps_to(chained(D, C_F, A, m, p_0, proper))

    return build


chaining = Claim(
    key="maurey/chaining",
    title=r"Closed-form chaining for $p+C/\varepsilon^2$ and for $K/\varepsilon$",
    kind="rademacher",
    statement=r"""Let $|f|\le A$ and $\log\mathcal N_\infty\le p_0+C_{\mathcal F}/\varepsilon^2$ for all
$\varepsilon$. With levels $\varepsilon_j=A\rho^{-j}$, $j\le n$, links from fine to coarse of length at most
$\varepsilon_{j-1}$ (proper covers; $\varepsilon_j+\varepsilon_{j-1}$ if centres lie outside the class) and
Massart's lemma, for every integer $n\ge0$ and real $\rho>1$ the complexity is at most $A\rho^{-n}+n\rho
s+A\sqrt{2p_0/m}\sum_{j<n}\rho^{-j}$ with $s=\sqrt{2C_{\mathcal F}/m}$. At $n=\lceil\log(A/s)\rceil$ and
$\rho=(A/s)^{1/n}\le e$ the first two terms are at most $es(1+\log(A/s))$ and the last sum is at most 2. External
covers cost $1+\rho$ for $\rho$, and at most twice that sum. For $\log\mathcal N_\infty\le K_{\mathcal
F}/\varepsilon$ (linear, centres anywhere) the levels form a geometric series, best at $\sqrt\rho=1+\sqrt2$.""",
    symbols=parameters("A C_F p_0 K_F m"),
    parts=(
        Part("R", RADEMACHER, "empirical Rademacher complexity, proper covers", printed=_chained(True)),
        Part("external", RADEMACHER, "the same, external covers", printed=_chained(False)),
        Part("linear", RADEMACHER, r"the same for $K_{\mathcal F}/\varepsilon$",
             printed=lambda _: chained_linear(K_F, A, m)),
    ),
)  # fmt: skip


union = Claim(
    key="maurey/union",
    title="The largest of several classes",
    kind="rademacher",
    statement=r"""For $n$ classes of functions with $|f|\le A$, each of complexity at most $\hat{\mathcal R}$,
the union has at most the stated complexity. Proof: $\sup_f\frac1m\sum_i\epsilon_if(z_i)$ changes by at most $2A/m$
with one sign, so its deviation from its mean is sub-Gaussian with variance $A^2/m$, and the mean of the largest of
$n$ such deviations is at most $A\sqrt{2\log n/m}$.""",
    symbols=parameters("n A m R_F", n={"meaning": "number of classes"}),
    parts=(
        Part("R", r"\hat{\mathcal R}(\mathcal F_1\cup\dots\cup\mathcal F_n)", "complexity of the union",
             printed=lambda _: R_F + union_cost(n, A, m)),
    ),
)  # fmt: skip


peeling = Claim(
    key="maurey/peeling",
    title="Duality, and one sign in all",
    kind="rademacher",
    statement=r"""Over $\|v\|_1\le B_w$ the supremum of $v^\top u$ is $B_w\max_j|u_j|$ (duality, an equality).
If zero is in the class, the class and its negative together have at most twice its complexity, and no more than its
own if it is its own negative, as after an odd activation. So peeling $w$, $W_c$, $\sigma$ and $W_v$ off one layer
costs one factor 2 in all.""",
    symbols=parameters("B_w_1 Delta R_F", Delta={"meaning": "the largest coordinate of $u$, without its sign"}),
    parts=(
        Part("duality", r"\sup_{\|v\|_1\le B_w}v^\top u", "supremum over the ball", "=",
             printed=lambda _: B_w_1 * Delta),
        Part("sign", r"\hat{\mathcal R}(\mathcal F\cup-\mathcal F)", "complexity of the class and its negative",
             printed=lambda _: 2 * R_F),
    ),
)  # fmt: skip


deviation = Claim(
    key="maurey/deviation",
    title="From complexity to gap, two-sided",
    kind="generalization",
    statement=r"""For $|\ell|\le b$ and an $L$-Lipschitz loss, with probability at least $1-\delta$ and for all
$f$ at once. Proof: McDiarmid three times at $\delta/3$, for both one-sided suprema and the empirical
complexity, each with differences at most $2b/m$; contraction. For losses in $[0,b]$ the last term halves. One side
alone for such losses, with $\hat{\mathcal R}$ their own complexity: McDiarmid twice at $\delta/2$.""",
    symbols=parameters("L_loss b delta m R_F"),
    parts=(
        Part("gap", r"|\mathrm{risk}-\widehat{\mathrm{risk}}|", "generalization gap",
             printed=lambda _: 2 * L_loss * R_F + deviation_term(b, delta, m)),
        Part("above", r"\mathrm{risk}-\widehat{\mathrm{risk}}", "one side, for losses in $[0,b]$",
             printed=lambda _: 2 * R_F + one_sided(b, delta, m)),
    ),
)  # fmt: skip
