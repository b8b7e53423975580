"""Linear covers: lattices, corrections, entries, and what need not be covered."""

from sympy import Expr

from maurey.symbolic.claim import Claim, Form, Part, Setting
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
from maurey.symbolic.modules import Linear, Signal
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.norms import Matrix

eps, N, n, m, T, R, rho, d_1, d_2, B_w, B_F, B_1 = symbols("eps N n m T B_X rho d_1 d_2 B_w B_W_F B_W_21")
Delta, B_QK_F, d, K, B_11, B_X_1, Delta_g, Delta_w = symbols("Delta B_QK_F d K B_W_11 B_X_1 Delta_g Delta_w")


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


read = Claim(
    key="maurey/read",
    title="Count only what is read",
    kind="covering",
    statement=r"""The scalar output reads one token of the last layer, so $W_C^{(L)}$ and the last scores need
covering on $m$ vectors and $mT$ (query, key) pairs, where all tokens would ask for $mT$ and $mT^2$.""",
)


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
