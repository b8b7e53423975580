"""Better constants and covers, proved here in brief; the `sharp` forms of the papers' claims use them."""

from sympy import Expr

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
from maurey.symbolic.covers import (
    entrywise_l1,
    entrywise_l2,
    online_coordinates,
    online_everywhere,
    online_fine_sum,
    online_net,
    online_row_sum,
    online_scalar,
)
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.entropy import lattice as lattice_entropy
from maurey.symbolic.entropy import lattice_log_size, lattice_terms
from maurey.symbolic.modules import Linear, Signal, times
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.norms import Matrix
from maurey.symbolic.relu_networks import least_product
from maurey.symbolic.route import SHARP
from maurey.symbolic.softmax import BEST_CONSTANT, finite_shift

eps, N, n, m, T, R, rho = symbols("eps N n m T B_X rho")
d_1, d_2, B_w, B_F, B_1, Delta, B_QK_F = symbols("d_1 d_2 B_w B_W_F B_W_21 Delta B_QK_F")
d, K, B_11, B_w_1, B_X_1, K_F, Delta_g, Delta_w = symbols("d K B_W_11 B_w_1 B_X_1 K_F Delta_g Delta_w")
B_V, B_QK, A, C_F, p_0, tau, L_loss, b, delta, R_F = symbols("B_V B_QK A C_F p_0 tau L_loss b delta R_F")
L_y, risk = symbols("L_y risk")


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


def _cover(name: str, of: str, bound: Form) -> Part:
    return Part(name, rf"\log\mathcal N_\infty(\mathcal F_{{\mathrm{{{name}}}}};\varepsilon)", of, printed=bound)


def _lattice(_: Setting) -> list[Step]:
    D = Derivation()
    a = D.let("a", "a", (rho / eps) ** 2, "the squared ratio of radius and resolution")
    dense, sparse = lattice_terms(a)
    M = D.let("M", "M", dense, "steps of the dense lattice")
    S = D.let("S", "S", sparse, "support of the sparse lattice")
    size = lattice_log_size(n, a, M, S)
    return D.steps_to(D.let("lattice", r"\log\mathcal N_\infty", size, "the smaller of the two counts"))


lattice = Claim(
    key="maurey/lattice",
    title="Lattice covers of the $\\ell_1$ ball",
    kind="covering",
    statement=r"""With $a=(\rho/\varepsilon)^2$ the $\ell_1$ ball of radius $\rho$ in $\mathbb R^n$ has a proper
cover in $\ell_2$ of at most the stated log-size: nothing but the origin for $a\le1$; else the smaller of the
dense lattice $\{\rho z/(M+1):\|z\|_1\le M\}$ and the sparse one $\{\rho z/(2S):|\mathrm{supp}\,z|\le
S,\|z\|_1\le2S\}$, by rounding. The counts have closed bounds: that of the dense lattice is symmetric in $n$ and
$M$, so at most $(2n+1)^M$ and $(2M+1)^n$; that of the sparse one is at most $(4n+1)^S$.""",
    symbols=parameters("eps n rho", n={"meaning": "dimension"}),
    parts=(
        _cover("lattice", "log of the number of lattice points", _lattice),
        _cover("closed", "the same in closed form", lambda _: lattice_entropy(n, rho).at(eps)),
    ),
)

online = Claim(
    key="maurey/online",
    title="Covers by counting corrections",
    kind="covering",
    statement=r"""Let $\mathcal W\ni0$ be closed and convex. Start at zero; while some input is off by more than
$\varepsilon$, correct along it and project back onto $\mathcal W$. The squared distance to the target drops by
more than $\varepsilon^2/B_X^2$ each time (in the direction found), and the end depends only on the list of
corrections, so counting lists counts a proper cover of $x\mapsto W^\top x$, $W\in\mathbb R^{d_1\times d_2}$, on
$N$ inputs of norm at most $B_X$. Directions: the input itself (scalar, $\|v\|_2\le B_w$), coordinates of the
output, a $1/2$-net of its sphere, nets on both sides (every input at once), or columns weighted by norms rounded
up, to dyadic ones or to $8d_2$ powers of $4/5$ (classes closed under zeroing columns).""",
    symbols=parameters("eps N d_1 d_2 B_X B_w B_W_F B_W_21"),
    parts=(
        _cover("scalar", "log of the number of corrections lists, one output",
               lambda _: online_scalar(B_w, R, N).at(eps)),
        _cover("coordinates", "the same for $d_2$ outputs, by coordinates",
               lambda _: online_coordinates(B_F, R, N, d_2).at(eps)),
        _cover("net", "by a net of the sphere of outputs", lambda _: online_net(B_F, R, N, d_2).at(eps)),
        _cover("everywhere", "for all inputs at once", lambda _: online_everywhere(B_F, R, d_1, d_2).at(eps)),
        _cover("columns", "by dyadic norms of the columns", lambda _: online_row_sum(B_1, R, N, d_2).at(eps)),
        _cover("fine", "by norms of the columns in powers of $4/5$",
               lambda _: online_fine_sum(B_1, R, N, d_2).at(eps)),
    ),
)  # fmt: skip

score = Claim(
    key="maurey/score",
    title="The score needs no vector cover",
    kind="covering",
    statement=r"""The score $x_\tau^\top W_{QK}x_t=\langle W_{QK},x_\tau x_t^\top\rangle$ is a scalar linear
function of $W_{QK}$ whose features have Frobenius norm at most $B_X^2$; the scalar cover of maurey/online
applies to the $mT$ (query, key) pairs when one query is read. No dimension appears.""",
    symbols=parameters("eps m T B_X B_QK_F"),
    uses=("maurey/online",),
    parts=(
        _cover("score", "log covering number of the scores",
               lambda _: online_scalar(B_QK_F, R**2, m * T).at(eps)),
    ),
)  # fmt: skip

orientation = Claim(
    key="maurey/orientation",
    title="The score is bilinear",
    kind="lipschitz",
    statement=r"""$x^\top Wy=y^\top W^\top x$, so a cover of $x\mapsto Wx$ or of $x\mapsto W^\top x$ serves the
query-key matrix: use the one whose norm is given, on the tokens it acts on.""",
)

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

read = Claim(
    key="maurey/read",
    title="Count only what is read",
    kind="covering",
    statement=r"""The scalar output reads one token of the last layer, so $W_C^{(L)}$ and the last scores need
covering on $m$ vectors and $mT$ (query, key) pairs, where all tokens would ask for $mT$ and $mT^2$.""",
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

entries = Claim(
    key="maurey/entrywise",
    title=r"Tokens bounded in $\ell_1$: only entries need covering",
    kind="covering",
    statement=r"""If $\|x\|_1,\|y\|_1\le B_X$ then $|x^\top\Delta Wy|\le B_X^2\max_{ij}|\Delta W_{ij}|$. Balls
of radius $\rho$ in $\mathbb R^n$ are covered in $\ell_\infty$ at $\varepsilon$ by rounding $x/2\varepsilon$, halves
towards 0: an entry that is not rounded to zero exceeds $\varepsilon$, and one that is rounded to $z$ is above
$(2|z|-1)\varepsilon\ge|z|\varepsilon$. The centres need not lie in the ball.""",
    symbols=parameters("eps n rho B_X_1 Delta", n={"meaning": "dimension"},
                       Delta={"meaning": "largest movement of an entry"}),
    parts=(
        Part("moved", r"|x^\top\Delta Wy|", "movement of a score", printed=lambda _: B_X_1**2 * Delta),
        _cover("l2", r"log of the number of points, $\ell_2$ ball", lambda _: entrywise_l2(rho, n).at(eps)),
        _cover("l1", r"the same, $\ell_1$ ball", lambda _: entrywise_l1(rho, n) / eps),
    ),
)  # fmt: skip


def _vocabulary(_: Setting) -> Expr:
    words = Linear(Matrix("w", "w", K, d, rows=B_w, entries=B_11), largest=True)
    return words.sensitivity(Derivation(), Signal(R, m, T)).lipschitz() * Delta_g + Delta_w


vocabulary = Claim(
    key="maurey/vocabulary",
    title=r"$K$ outputs without $\sqrt K$",
    kind="lipschitz",
    statement=r"""For a read-out $W\in\mathbb R^{K\times d}$ the largest score moves by at most the largest
row's norm times the movement of its input, plus its own largest movement $\Delta_w$ on the perturbed input.
Matrices with $\|W\|_{1,1}\le B_w$ are covered as one $\ell_1$ ball (maurey/lattice), so that $K$ enters a
logarithm.""",
    symbols=parameters("B_w Delta_g Delta_w", B_w={"meaning": "bound on the norms of the rows of the read-out"}),
    uses=("maurey/lattice",),
    parts=(Part("moved", r"\max_s|W_s^\top g-\hat W_s^\top\hat g|", "movement of the scores", printed=_vocabulary),),
)

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


def _readout(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(least_product(D, N, L_y, risk))


readout = Claim(
    key="maurey/readout",
    title="A ReLU read-out of bounded states has large norms",
    kind="lower-bound",
    statement=r"""Tokens with independent standard Gaussian values, states $h$ of two directions, each of norm at most
1, that depend on them in any way, and a ReLU network of depth $L_y$ that is told $k$ and reads $h$, first through
$U$; it may be given whatever else does not depend on the other tokens, the token at its own position included. If the
mean squared error of its output, for uniform $k$, against the value of token $k$ is at most the risk, the Frobenius
norms of $U$ and of its matrices have a product of at least the stated size. Proof: $\sum_k\mathbb E\,g_kF_k(h)$ over
the other tokens is at least $N-1-\sqrt{N(N-1)\,\mathrm{risk}}$ and at most $\mathbb E\sup_h\sum_kg_k(F_k(h)-F_k(0))$.
With $x_k(h)$ the change of a layer's output and $S^2=\mathbb E\sup_h\|\sum_kg_kx_k(h)\|^2$, which is $2(N-1)$ at the
input, the next layer has $S^2\le2\|W\|_F^2S^2$: unit by unit, contraction bounds the mean square of the positive
part of the supremum, and as $-g$ is distributed as $g$ that of the other sign.""",
    symbols=parameters("N L_y risk", N={"meaning": "sequence length"}),
    uses=("ledoux1991/4.12",),
    parts=(
        Part("product", r"\|U\|_F\prod_l\|W_l\|_F", "product of the Frobenius norms of the read-out", ">=",
             printed=_readout),
    ),
)  # fmt: skip
