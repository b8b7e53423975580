"""Appendix A, last part: deep networks, from the lemmas on one layer to Theorem A.17."""

from sympy import Expr, Indexed, Integer, Min, Product, Sum, Symbol, log, sqrt

from ...capacity import capacity, capacity_steps
from ...chain import TEXTBOOK, chained, dudley_at, gap
from ...claim import Claim, Part, Setting
from ...derivation import Derivation, Step
from ...modules import Fixed, Linear, Module, Projection, ReadToken, Sensitivity, Signal, compose
from ...names import C0, KAPPA, indexed, parameters, symbols
from ...norms import Matrix
from ...route import PAPER, SHARP, Route
from ...softmax import BEST_CONSTANT
from .section_4 import TWO_THIRDS, hidden_part

eps, d, k, m, T, L, i, j, L_sigma, B_w, c0 = symbols("eps d k m T L i j L_sigma B_w C0")
B_C, B_V, B_QK, L_loss, b, delta = symbols("B_C B_V B_QK L_loss b delta")
Delta, Delta_QK, Delta_V, Delta_C, Delta_w, Delta_g = symbols("Delta Delta_QK Delta_V Delta_C Delta_w Delta_g")
alpha, B_Cs, B_Vs, B_QKs = indexed("alpha B_C B_V B_QK")
B_C_infs, B_V_infs, B_QK_infs = indexed("B_C_inf B_V_inf B_QK_inf")

# --- the network -----------------------------------------------------------------------------------------

Norms = dict[str, Expr | None]


def matrices(norms: Norms, layer: int | None = None, width: Expr = k) -> tuple[Matrix, Matrix, Matrix]:
    """The maps of one layer: values W_V^T, scores W_Q W_K^T and W_C^T. Their rows are the columns of W_V, of
    W_QK = W_K W_Q^T and of W_C, which the (2, inf) norms bound."""
    label, mark = ("", "") if layer is None else (f"_{layer}", f"^{{({layer})}}")

    def matrix(name: str, outputs: Expr, inputs: Expr) -> Matrix:
        return Matrix(f"{name}{label}", f"{name}{mark}", outputs, inputs, spectral=norms[name],
                      rows=norms.get(f"{name}_inf"), frobenius=norms.get(f"{name}_F"))  # fmt: skip

    return matrix("V", width, d), matrix("QK", d, d), matrix("C", d, width)


def block(route: Route, norms: Norms, layer: int | None = None, last: bool = False, width: Expr = k) -> Module:
    """One layer: attention, projection, activation, W_C, projection."""
    V, QK, C = matrices(norms, layer, width)
    attention = route.attention(V, QK, one_query=route.read_one and last)
    projection = Projection(route.carried_radii)
    return compose(attention, projection, Fixed(L_sigma), Linear(C), projection)


def network(route: Route, layers: list[Norms], width: Expr = k) -> Module:
    """All layers, [CLS] and the read-out w."""
    blocks = [block(route, norms, n, n == len(layers), width) for n, norms in enumerate(layers, 1)]
    return compose(*blocks, ReadToken(), readout())


def readout() -> Linear:
    return Linear(Matrix("w", "w", 1, d, frobenius=B_w))


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


def _printed_a15(_: Setting) -> Expr:
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
             printed=_printed_a15, derived=lambda _: _a15(PAPER), sharp=lambda _: _a15(LEMMA)),
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


def _layers(setting: Setting, route: Route) -> list[Norms]:
    names = [f"{matrix}{suffix}" for matrix in ("V", "QK", "C") for suffix in ("", "_inf")]
    if route.scalar_scores:
        names += [f"{matrix}_F" for matrix in ("V", "QK", "C") if setting.optional(f"B_{matrix}_F") is not None]
    return [{name: Indexed(f"B_{name}", n) for name in names} for n in range(1, setting.size("L") + 1)]


def deep_steps(setting: Setting, route: Route) -> list[Step]:
    return deep_capacity(setting, route, _layers(setting, route))


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


def _deep_gap(setting: Setting, route: Route) -> list[Step]:
    """The generalization gap of the class, by the chain of 2.2; the read-out of a projected token gives |f| <= B_w.

    With eps inside the logarithms, eps^2 log N(eps) does not increase with eps, so from the cut-off tau on the entropy
    is at most C/eps^2 with C its value at tau; any tau is allowed. Without, it is at most gamma^3/eps^2 for every eps.
    """
    D = Derivation()
    module, x = network(route, _layers(setting, route)), Signal(setting.optional("B_X") or Integer(1), m, T)
    if route.scalar_scores:
        capacity(D, module, x, eps, route.cover)
        reason = "every term at its share of the error; a count is below its argument, and one centre is fewer"
        C = D.let("C_F", r"C_{\mathcal F}", Symbol("gamma") ** 3, reason, "edelman2022/A.8")
        R = chained(D, C, B_w, m)
    else:
        tau = D.let("tau", r"\tau", B_w / sqrt(m), "a cut-off at which what is left is of the order of the deviation")
        log_N = capacity(D, module, x, tau, route.cover)
        C = D.let("C_F", r"C_{\mathcal F}", tau**2 * log_N, r"$\varepsilon^2\log\mathcal N$ does not increase")
        area = D.let(
            "area", "I", sqrt(C / m) * log(B_w / tau), r"the integral of $\sqrt{C_{\mathcal F}/m}/\varepsilon$"
        )
        cut = Min(B_w, dudley_at(TEXTBOOK, tau, area))
        R = D.let("R", r"\hat{\mathcal R}", cut, "the integral, or the trivial bound", TEXTBOOK.key)
    return D.steps_to(gap(D, L_loss, R, b, delta, m))


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
W_Q^\top\|_{2,\infty}\le B_{QK}^\infty$, $\|W_C\|_{2,\infty}\le B_C^\infty$, spectral norms at most $B_V$,
$B_{QK}$, $B_C$, a read-out of norm at most $B_w$ and a projection onto the unit ball after attention and after
each layer. The transposes inside the norms of the budget cannot be read with certainty, nor the end of the
sentence on the inputs; the proof takes the inputs of every layer in the unit ball, and so do the forms unless
$B_X$ is given.""",
    symbols=parameters(
        "eps d k m T L L_sigma B_w B_C[L] B_C_inf[L] B_V[L] B_V_inf[L] B_QK[L] B_QK_inf[L] "
        "L_loss b delta B_X? B_V_F[L]? B_QK_F[L]? B_C_F[L]?",
        B_V_inf={"meaning": r"bound on $\|W_V\|_{2,\infty}$, the largest column of $W_V$"},
        B_QK={"meaning": r"bound on the spectral norm of $W_KW_Q^\top$"},
        B_QK_inf={"meaning": r"bound on $\|W_KW_Q^\top\|_{2,\infty}$, its largest column"},
    ),
    uses=("edelman2022/4.5", "edelman2022/A.8", "edelman2022/A.10", "edelman2022/A.15", "edelman2022/A.16",
          "edelman2022/2.2", "maurey/chaining",
          "maurey/softmax", "maurey/attention", "maurey/score", "maurey/online", "maurey/read"),
    constants=(C0, KAPPA),
    differs=DEEP_DEPARTURES,
    parts=(
        hidden_part("log_N", DEEP, "log covering number of the network", _printed_a17,
                    lambda setting: deep_steps(setting, PAPER), lambda setting: deep_steps(setting, SHARP)),
        Part("gap", r"|\mathrm{risk}-\widehat{\mathrm{risk}}|", "generalization gap, through the chain of 2.2",
             derived=lambda setting: _deep_gap(setting, PAPER), sharp=lambda setting: _deep_gap(setting, SHARP)),
    ),
)  # fmt: skip
