"""Section 2: background, the two shapes of bound, and the architecture."""

from dataclasses import replace

from sympy import Expr, Integer, log, sqrt

from maurey.symbolic.allocation import quadratic_total, whole_total
from maurey.symbolic.capacity import capacity, capacity_steps, covered
from maurey.symbolic.chain import TEXTBOOK, best_gap, complexity, levelled, one_scale
from maurey.symbolic.claim import Claim, Part, Setting
from maurey.symbolic.covers import Cover, length_free, maurey_entries, volumetric
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.modules import Fixed, Linear, Module, Signal, compose, times
from maurey.symbolic.names import C0, KAPPA, parameters, symbols
from maurey.symbolic.networks import Norms, counted_gap, network
from maurey.symbolic.norms import Matrix
from maurey.symbolic.papers.edelman2022.section_a1_generalization import theorem_a2
from maurey.symbolic.papers.shalev2014 import one_sided
from maurey.symbolic.route import PAPER, SHARP, Route

from . import repaired

eps, d, k, m, T, c0, b, delta, R_F, L_loss = symbols("eps d k m T C0 b delta R_F L_loss")
B_X, B_W, B_w, B_C, B_V, B_QK = symbols("B_X B_W_11 B_w B_C B_V B_QK")
GAP = r"|\mathbb E[\ell(h(x),y)]-\frac1n\sum_i\ell(h(x_i),y_i)|"
RADEMACHER = r"Rad_n(\mathcal F,S)"


def _two_sides(_: Setting) -> list[Step]:
    D = Derivation()
    half = D.let("delta_side", r"\delta'", delta / 2, "half the probability of failure for each side")
    return D.steps_to(D.let("gap", "", one_sided(half), "the one-sided theorem, twice", "shalev2014/26.5"))


def _sharp_sides(_: Setting) -> list[Step]:
    D = Derivation()
    # R_F is of the losses: nothing is left to contract
    return D.steps_to(best_gap(D, Integer(1), R_F, b, delta, m, every=False))


rademacher_gap = Claim(
    key="trauger2024/S2.3",
    title="Rademacher complexity bounds the gap",
    kind="generalization",
    statement=r"""For $|\ell|\le c$, $n$ independent samples and $Rad_n$ the empirical complexity of the losses,
$\frac1n\mathbb E_\sigma\sup_h\sum_i\sigma_i\ell(h(x_i),y_i)$, with probability greater than $1-\delta$ and for all
$h$ at once. The root is printed with $m$, the sum with $n$; they are the same number.""",
    symbols=parameters("b delta m R_F", b="c"),
    uses=("shalev2014/26.5", "maurey/sides"),
    differs={"delta_side": "it quotes a one-sided theorem for both sides"},
    parts=(
        Part("gap", GAP, "generalization gap",
             printed=lambda _: one_sided(delta),
             derived=_two_sides, sharp=_sharp_sides),
    ),
)  # fmt: skip

dudley = replace(
    theorem_a2,
    key="trauger2024/S2.4",
    title=r"Covering numbers, and Dudley's integral for $\infty$-covers",
    statement=r"""$\hat{\mathcal F}\subset\mathcal F$ covers $x_1,\dots,x_n$ at resolution $\epsilon$ in
$\|\cdot\|_q$, $q>0$, if every $f$ has some $\hat f$ with $\sup_i\|f(x_i)-\hat f(x_i)\|_q<\epsilon$;
$N_\infty(\mathcal F,\epsilon,n,\|\cdot\|_q)$ is the size of a smallest cover, for the worst $n$ points. For real
functions and some constant $c$ the complexity is at most $c$ times the infimum over the cut-off of the stated sum;
for a class bounded by $A$ the integral ends at $A$. The forms are for entropies $p_0+C_{\mathcal F}/\epsilon^2$
and one cut-off $\tau$.""",
    uses=("edelman2022/A.2",),
)

# --- 2.5: dimensions outside the logarithm and norms inside, or the other way round ---------------------------------

MAP = Matrix("W", "W", k, d, entries=B_W)
POINTS = Signal(B_X, m, Integer(1))
RANGE = times(B_X, B_W)


def linear_functions() -> Module:
    """x -> u.Wx with u a fixed unit vector."""
    return compose(Linear(MAP), Fixed(Integer(1)))


def _counted(_: Setting) -> list[Step]:
    D = Derivation()
    A = D.let("A", "A", RANGE, "the largest value")
    tau = D.let("tau", r"\tau", A / sqrt(m), "a resolution of the order of the deviation")
    return D.steps_to(one_scale(D, capacity(D, linear_functions(), POINTS, tau, volumetric), tau, A, m))


def _normed(cover: Cover, sharp: bool) -> list[Step]:
    D = Derivation()
    A = D.let("A", "A", RANGE, "the largest value")
    terms = covered(D, linear_functions(), POINTS, cover)
    p, C = quadratic_total(D, terms)
    if not sharp:
        return D.steps_to(complexity(D, TEXTBOOK, C, A, m, p))
    return D.steps_to(levelled(D, C, A, m, p, whole=whole_total(D, terms, "_whole")))


def _network(setting: Setting, route: Route, resolution: Expr | None = None) -> list[Step]:
    """The network of Theorem 4.2 with every matrix covered by counting its entries: its log covering number at a
    resolution, or its gap from one cover."""
    D = Derivation()
    layer: Norms = {"V": B_V, "QK": B_QK, "C": B_C}
    module, x = network(route, [layer] * setting.size("L")), Signal(B_X, m, T)
    if resolution is not None:
        return D.steps_to(capacity(D, module, x, resolution, volumetric))
    return D.steps_to(counted_gap(D, route, module, x))


COUNTING = replace(SHARP, scalar_scores=False)
NETWORK = r"\log N_\infty(g^{L+1}_{\mathrm{scalar}},\epsilon,m)"
UNBALANCED = "damaged: the brackets do not balance, and n is read under the root"
LINEAR = r"\log N_\infty(\mathcal F,\epsilon,n,\|\cdot\|_2)"

shapes = Claim(
    key="trauger2024/S2.5",
    title="Two shapes of bound: counting parameters, or norms",
    kind="rademacher",
    statement=r"""Inputs of dimension $d$ and norm at most $B_x$, matrices of size $k\times d$ and norm at most
$B_w$, $n$ samples. Two shapes are named as examples: dimensions outside the logarithm and norms inside, and the
reverse; their brackets do not balance, and $n$ is read under the root. Read for the functions
$x\mapsto u^\top Wx$ with $u$ a fixed unit vector, $\|x\|_2\le B_x$ and $\|W\|_{1,1}\le B_w$, which bounds every other
norm of $W$. The covers behind the shapes, and the network of Theorem 4.2 with every matrix covered in its spectral
norm by counting its entries, are parts of their own: the paper names such bounds and states none.""",
    symbols=parameters(
        "d k m B_X B_W_11 eps L L_sigma B_w B_C B_V B_QK L_loss b delta",
        eps=r"\epsilon",
        B_X="B_x",
        m="n",
        L_loss=r"L_\ell",
        B_w="B_{w2}",
        B_C="B_{c2}",
        B_V="B_{v2}",
        B_QK="B_{QK2}",
        k={"meaning": "number of rows of the matrix; in the network, the inner dimension"},
    ),
    uses=(
        "trauger2024/3.6",
        "maurey/levels",
        "maurey/one-step",
        "maurey/lattice",
        "dudley1967/integral",
        "edelman2022/A.8",
        "edelman2022/A.15",
        "edelman2022/A.16",
        "maurey/softmax",
        "maurey/attention",
        "maurey/deviation",
        "maurey/sides",
        "maurey/orientation",
    ),
    constants=(C0, KAPPA),
    unrolled=("L",),
    parts=(
        Part(
            name="counting",
            lhs=RADEMACHER,
            meaning="the parameter-counting shape",
            relation="<~",
            hides="a constant, and logarithms of n",
            keeps=("d", "k", "B_X", "B_W_11"),
            source=UNBALANCED,
            printed=lambda _: c0 * sqrt(d * k * log(B_X * B_W) / m),
            repaired=lambda _: repaired.counting(),
            derived=_counted,
        ),
        Part(
            name="norms",
            lhs=RADEMACHER,
            meaning="the norm-based shape",
            relation="<~",
            hides="a constant, and logarithms of n",
            keeps=("d", "k", "B_X", "B_W_11"),
            source=UNBALANCED,
            printed=lambda _: c0 * sqrt(B_X * B_W * log(d * k) / m),
            repaired=repaired.norms,
            derived=lambda _: _normed(maurey_entries, False),
            sharp=lambda _: _normed(length_free, True),
        ),
        Part(
            "log_N_counting",
            LINEAR,
            "log covering number of the linear maps, by volume",
            derived=lambda _: capacity_steps(Linear(MAP), POINTS, eps, volumetric),
        ),
        Part(
            "log_N_norms",
            LINEAR,
            "the same, by Maurey's lemma",
            derived=lambda _: capacity_steps(Linear(MAP), POINTS, eps, maurey_entries),
            sharp=lambda _: capacity_steps(Linear(MAP), POINTS, eps, length_free),
        ),
        Part(
            "log_N_network",
            NETWORK,
            "log covering number of the deep network, counting parameters",
            derived=lambda setting: _network(setting, PAPER, eps),
            sharp=lambda setting: _network(setting, COUNTING, eps),
        ),
        Part(
            "gap_network",
            r"|\mathrm{risk}-\widehat{\mathrm{risk}}|",
            "generalization gap of the deep network",
            derived=lambda setting: _network(setting, PAPER),
            sharp=lambda setting: _network(setting, COUNTING),
        ),
    ),
)

architecture = Claim(
    key="trauger2024/S2.6",
    title="Self-attention and Transformers",
    kind="definition",
    statement=r"""A head is $\sigma(\mathrm{RowSoftmax}(XW_QW_K^\top X^\top)XW_v)W_c$ with $W_c\in\mathbb R^{k\times
d}$, $W_v\in\mathbb R^{d\times k}$ and $W_{QK}=W_QW_K^\top\in\mathbb R^{d\times d}$; the heads of a layer are
summed. A block of $L$ layers applies $\Pi_{\mathrm{norm}}(\sigma(\Pi_{\mathrm{norm}}(\cdot))W_c)$ to the attention
of the layer below, $\Pi_{\mathrm{norm}}$ taking each row to the nearest point of the unit ball. The scalar output is
$w^\top Y_{\mathrm{[CLS]}}$. The single layer of Theorem 4.1 has no projections: $Y_{\mathrm{[CLS]}}=W_c^\top
\sigma(W_v^\top X^\top\mathrm{softmax}(XW_{QK}x_{\mathrm{[CLS]}}))$.""",
    symbols=parameters("d k T L H L_sigma"),
    uses=("edelman2022/3.2",),
)
