"""Appendix A, last part: deep networks, from the lemmas on one layer to Theorem A.17."""

from sympy import Eq, Expr, Indexed, Integer, Max, Piecewise, Product, Sum, log, sqrt

from maurey.symbolic.capacity import capacity_steps
from maurey.symbolic.claim import REPAIRED, Claim, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.modules import ReadToken, Sensitivity, Signal, compose, square, times
from maurey.symbolic.names import C0, KAPPA, indexed, parameters, symbols
from maurey.symbolic.networks import Norms, block, matrices, network, network_gap, readout
from maurey.symbolic.route import PAPER, SHARP, Route
from maurey.symbolic.softmax import BEST_CONSTANT

from .section_4 import TWO_THIRDS, hidden_part

eps, d, k, m, T, L, i, j, L_sigma, B_w, c0 = symbols("eps d k m T L i j L_sigma B_w C0")
B_C, B_V, B_QK, L_loss, b, delta = symbols("B_C B_V B_QK L_loss b delta")
Delta, Delta_QK, Delta_V, Delta_C, Delta_w, Delta_g = symbols("Delta Delta_QK Delta_V Delta_C Delta_w Delta_g")
alpha, radii, B_Cs, B_Vs, B_QKs = indexed("alpha R B_C B_V B_QK")
B_C_infs, B_V_infs, B_QK_infs = indexed("B_C_inf B_V_inf B_QK_inf")

# --- A.13 to A.16: how far one layer moves, tokens in the unit ball --------------------------------------

UNIT = Signal(Integer(1), m, T)
LEMMA = Route(BEST_CONSTANT, best_gain=True)  # the lemmas measure scores as vectors
ONE: Norms = {"V": B_V, "QK": B_QK, "C": B_C, "QK_inf": B_QK}
MOVEMENTS = {"QK": Delta_QK, "V": Delta_V, "C": Delta_C, "w": Delta_w}


def movement(D: Derivation, s: Sensitivity, below: Expr | None = None) -> list[Step]:
    """What comes from below through the Lipschitz constant, and each weight's movement through its coefficient."""
    terms = []
    if below is not None:
        gain = D.name("gain", r"\Lambda", s.lipschitz(), "Lipschitz constants multiply", "edelman2022/A.14")
        terms.append(gain * below)
    for w in s.weights:
        label = w.matrix.label
        beta = D.name(f"beta_{label}", rf"\beta_{{{w.matrix.mark}}}", w.coefficient, w.reason, w.key)
        terms.append(MOVEMENTS[label] if beta == 1 else beta * MOVEMENTS[label])
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return D.steps_to(D.let("moved", r"\Delta_{\mathrm{out}}", total, "one after the other: triangle inequality"))


def _a13(route: Route) -> list[Step]:
    D = Derivation()
    V, QK, _ = matrices(ONE)
    return movement(D, route.attention(V, QK).sensitivity(D, UNIT))


lemma_a13 = Claim(
    key="edelman2022/A.13",
    title="Weight-Lipschitzness of one attention layer",
    kind="lipschitz",
    statement=r"""For tokens in the unit ball, when $W_QW_K^\top Z^\top$ moves by at most $\Delta_{QK}$ and
$W_V^\top Z^\top$ by at most $\Delta_V$ in its largest column, $f(Z)=\mathrm{RowSoftmax}(ZW_Q(ZW_K)^\top)ZW_V$
moves by at most the stated amount.""",
    symbols=parameters("B_V Delta_QK Delta_V"),
    uses=("edelman2022/4.3", "edelman2022/A.7", "maurey/softmax"),
    constants=(KAPPA,),
    parts=(
        Part("moved", r"\|(f(Z;W)-f(Z;\hat W))^\top\|_{2,\infty}", "movement of the layer's output",
             printed=lambda _: 2 * B_V * Delta_QK + Delta_V,
             derived=lambda _: _a13(PAPER), sharp=lambda _: _a13(LEMMA)),
    ),
)  # fmt: skip


def _a14(route: Route) -> list[Step]:
    D = Derivation()
    V, QK, _ = matrices(ONE)
    gain = route.attention(V, QK).sensitivity(D, UNIT).lipschitz()
    reason, key = (
        ("along any direction, against the covariance of the tokens", "maurey/attention")
        if route.best_gain
        else ("values move with their tokens, a score with its query and its key", "edelman2022/A.7")
    )
    gain = D.let("gain", r"\Lambda", gain, reason, key)
    return D.steps_to(D.let("moved", r"\Delta_{\mathrm{out}}", gain * Delta, "the distance of the tokens, times that"))


lemma_a14 = Claim(
    key="edelman2022/A.14",
    title="Input-Lipschitzness of one attention layer",
    kind="lipschitz",
    statement=r"""For two sequences of tokens in the unit ball whose tokens differ by at most $\Delta$, the
outputs of one attention layer differ by at most the stated amount.""",
    symbols=parameters("B_V B_QK Delta"),
    uses=("edelman2022/A.7", "maurey/attention"),
    constants=(KAPPA,),
    parts=(
        Part("moved", r"\|(f(Z;W)-f(\hat Z;W))^\top\|_{2,\infty}", "movement of the layer's output",
             printed=lambda _: B_V * (1 + 4 * B_QK) * Delta,
             derived=lambda _: _a14(PAPER), sharp=lambda _: _a14(LEMMA)),
    ),
)  # fmt: skip


def _a15(route: Route) -> list[Step]:
    D = Derivation()
    return movement(D, block(route, ONE).sensitivity(D, UNIT), Delta_g)


def printed_a15(_: Setting) -> Expr:
    below = L_sigma * B_C * B_V * (1 + 4 * B_QK) * Delta_g
    return Delta_C + below + 2 * L_sigma * B_C * B_V * Delta_QK + L_sigma * B_C * Delta_V


lemma_a15 = Claim(
    key="edelman2022/A.15",
    title="One-block error recursion",
    kind="lipschitz",
    statement=r"""How far the output of one block moves when the tokens below it move by at most $\Delta_g$ and
each of its matrices, on the vectors it acts on in the perturbed network, by at most $\Delta_C$, $\Delta_{QK}$
and $\Delta_V$.""",
    symbols=parameters("L_sigma B_C B_V B_QK Delta_g Delta_C Delta_QK Delta_V"),
    uses=("edelman2022/A.9", "edelman2022/A.13", "edelman2022/A.14"),
    constants=(KAPPA,),
    parts=(
        Part("moved", r"\|(g^{(i+1)}-\hat g^{(i+1)})^\top\|_{2,\infty}", "movement of the block's output",
             printed=printed_a15, derived=lambda _: _a15(PAPER), sharp=lambda _: _a15(LEMMA)),
    ),
)  # fmt: skip


def _a16(_: Setting) -> list[Step]:
    D = Derivation()
    return movement(D, compose(ReadToken(), readout()).sensitivity(D, UNIT), Delta_g)


lemma_a16 = Claim(
    key="edelman2022/A.16",
    title="Last linear layer",
    kind="lipschitz",
    statement=r"""How far $w^\top g_{\mathrm{[CLS]}}$ moves when $g_{\mathrm{[CLS]}}$ moves by at most
$\Delta_g$ and the read-out by at most $\Delta_w$ on the perturbed token, $\|w\|\le B_w$.""",
    symbols=parameters("B_w Delta_g Delta_w"),
    parts=(
        Part("moved", r"|g_{\text{tf-scalar}}(X;W,w)-g_{\text{tf-scalar}}(X;\hat W,\hat w)|", "movement of the output",
             printed=lambda _: B_w * Delta_g + Delta_w, derived=_a16),
    ),
)  # fmt: skip

# --- A.17 ------------------------------------------------------------------------------------------------


def deep_capacity(
    setting: Setting, route: Route, layers: list[Norms], radius: Expr | None = None, width: Expr = k
) -> list[Step]:
    """The first layer sees tokens of the given radius (1 if none is given), later ones what the projection leaves."""
    tokens = radius if radius is not None else setting.optional("B_X") or Integer(1)
    return capacity_steps(network(route, layers, width), Signal(tokens, m, T), eps, route.cover)


def layers(setting: Setting, route: Route) -> list[Norms]:
    names = [f"{matrix}{suffix}" for matrix in ("V", "QK", "C") for suffix in ("", "_inf")]
    if route.scalar_scores:
        names += [f"{matrix}_F" for matrix in ("V", "QK", "C") if setting.optional(f"B_{matrix}_F") is not None]
    return [{name: Indexed(f"B_{name}", n) for name in names} for n in range(1, setting.size("L") + 1)]


def deep_steps(setting: Setting, route: Route) -> list[Step]:
    return deep_capacity(setting, route, layers(setting, route))


def _printed_a17(_: Setting) -> list[Step]:
    layer = (
        d**TWO_THIRDS * B_C_infs[i] ** TWO_THIRDS
        + d**TWO_THIRDS * (2 * L_sigma * B_Cs[i] * B_Vs[i] * B_QK_infs[i]) ** TWO_THIRDS
        + k**TWO_THIRDS * (L_sigma * B_Cs[i] * B_V_infs[i]) ** TWO_THIRDS
    )
    below = Product(L_sigma * B_Cs[j] * B_Vs[j] * (1 + 4 * B_QKs[j]), (j, 1, i - 1))
    inside = B_w**TWO_THIRDS + Sum(alpha[i] ** TWO_THIRDS * layer, (i, 1, L))
    return [
        Step("alpha", r"\alpha", below, "as printed", over=(i, L)),
        Step("log_N", "", c0 * (log(m * T) / eps**2) * inside**3, "as printed"),
    ]


def repaired_a17(setting: Setting, rows: bool = False) -> list[Step]:
    """Errors are amplified by the layers above; inputs of W_C have norm L_sigma; the first layer sees long tokens. As
    many columns as outputs have the bound, or as many rows as inputs."""
    long = setting.optional("B_X")
    R = radii[i] if long else Integer(1)
    C_size, V_size = (sqrt(d * k),) * 2 if rows else (d, k)
    layer = (
        (C_size * L_sigma * B_C_infs[i]) ** TWO_THIRDS
        + times(2 * d * L_sigma * B_Cs[i] * B_Vs[i] * B_QK_infs[i], square(R), R) ** TWO_THIRDS
        + times(V_size * L_sigma * B_Cs[i] * B_V_infs[i], R) ** TWO_THIRDS
    )
    above = Product(L_sigma * B_Cs[j] * B_Vs[j] * (1 + 4 * B_QKs[j]), (j, i + 1, L))
    inside = B_w**TWO_THIRDS + B_w**TWO_THIRDS * Sum(alpha[i] ** TWO_THIRDS * layer, (i, 1, L))
    steps = [
        Step("alpha", r"\alpha", above, "an error is amplified by the layers above", over=(i, L)),
        Step("log_N", "", log(2 * Max(d, k) * m * T + 1) / eps**2 * inside**3, REPAIRED),
    ]
    if long:
        radius = Piecewise((long, Eq(i, 1)), (Integer(1), True))
        steps.insert(0, Step("R", "R", radius, "tokens below, what a projection leaves above", over=(i, L)))
    return steps


def _deep_gap(setting: Setting, route: Route) -> list[Step]:
    """The generalization gap of the class, by the chain of 2.2; the read-out of a projected token gives |f| <= B_w."""
    D = Derivation()
    module, x = network(route, layers(setting, route)), Signal(setting.optional("B_X") or Integer(1), m, T)
    return D.steps_to(network_gap(D, route, module, x))


DEEP = r"\log\mathcal N_\infty(\mathcal F^{(L)}_{\text{tf-scalar}};\varepsilon;X^{(1)},\dots,X^{(m)},\|\cdot\|_2)"
DEEP_DEPARTURES = {
    "Lambda": "it multiplies the Lipschitz constants of the layers below; an error is amplified by the layers above",
    "E_C": r"it takes the inputs of $W_C$ to have norm at most 1; after the activation they have norm $L_\sigma$",
    "delta": "its centres are not shown to lie in the class, as 2.1 asks",
}

theorem_a17 = Claim(
    key="edelman2022/A.17",
    title="Deep Transformer capacity",
    kind="covering",
    statement=r"""For $L$ layers with their own bounds, $\|W_V\|_{2,\infty}\le B_V^\infty$, $\|W_K
W_Q^\top\|_{2,\infty}\le B_{QK}^\infty$, $\|W_C\|_{2,\infty}\le B_C^\infty$, spectral norms at most
$B_V$, $B_{QK}$, $B_C$, a read-out of
norm at most $B_w$ and a projection onto the unit ball after attention and after each layer. The transposes inside
the norms of the budget cannot be read with certainty, and the repaired form is stated for both readings; nor can
the end of the sentence on the inputs: the proof takes the inputs of every layer in the unit ball, and so do the
forms unless $B_X$ is given. For $k<d$ the matrices $W_KW_Q^\top$ have rank at most $k$ and are no convex set. There
the sharp form covers the larger class in which $W_{QK}$ is any matrix within the norms, by members of that class;
the gap needs no more. Centres of rank $k$ are paid for in the repaired form, which has 2 where the softmax has 1: a
cover of $x\mapsto W_{QK}x$ at half the resolution, each centre moved to a member of the class beside it.""",
    symbols=parameters(
        "eps d k m T L L_sigma B_w B_C[L] B_C_inf[L] B_V[L] B_V_inf[L] B_QK[L] B_QK_inf[L] "
        "L_loss b delta B_X? B_V_F[L]? B_QK_F[L]? B_C_F[L]?",
        L_loss=r"L_\ell",
        B_V_inf={"meaning": r"bound on $\|W_V\|_{2,\infty}$, the largest column of $W_V$"},
        B_QK={"meaning": r"bound on the spectral norm of $W_KW_Q^\top$"},
        B_QK_inf={"meaning": r"bound on $\|W_KW_Q^\top\|_{2,\infty}$, its largest column"},
    ),
    uses=("edelman2022/4.5", "edelman2022/A.8", "edelman2022/A.10", "edelman2022/A.15", "edelman2022/A.16",
          "edelman2022/2.2", "maurey/levels", "maurey/sides",
          "maurey/softmax", "maurey/attention", "maurey/score", "maurey/online", "maurey/read"),
    constants=(C0, KAPPA),
    differs=DEEP_DEPARTURES,
    parts=(
        hidden_part("log_N", DEEP, "log covering number of the network", _printed_a17,
                    lambda setting: deep_steps(setting, PAPER), lambda setting: deep_steps(setting, SHARP),
                    repaired=repaired_a17,
                    source="damaged: exponents, and the term of the read-out, are read from the proof"),
        Part("gap", r"|\mathrm{risk}-\widehat{\mathrm{risk}}|", "generalization gap, through the chain of 2.2",
             derived=lambda setting: _deep_gap(setting, PAPER), sharp=lambda setting: _deep_gap(setting, SHARP)),
        Part("log_N_rows", DEEP, "log covering number, the rows of $W_V$ and $W_C$ bounded",
             repaired=lambda setting: repaired_a17(setting, rows=True)),
    ),
)  # fmt: skip
