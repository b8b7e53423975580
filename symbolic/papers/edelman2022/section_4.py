"""Section 4: the capacity of one attention head, and the linear covers under it."""

from sympy import Expr, Indexed, Integer, Rational, Symbol, log

from maurey.symbolic.capacity import capacity_steps
from maurey.symbolic.claim import Claim, Form, Part, Setting
from maurey.symbolic.covers import Cover, online, zhang
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.entropy import Entropy
from maurey.symbolic.modules import Attention, Fixed, Linear, Module, Signal, compose
from maurey.symbolic.names import C0, KAPPA, parameters, symbols
from maurey.symbolic.norms import Matrix
from maurey.symbolic.route import PAPER, SHARP, Route

TWO_THIRDS = Rational(2, 3)
HIDES = "an absolute constant, and logarithms of all quantities but m and T"
EXPONENTS = "damaged: the exponents 2/3 and 3 are read with Lemma A.8"

eps, d, m, T, N, d_1, d_2 = symbols("eps d m T N d_1 d_2")
L_sigma, B_X, B_V, B_V_inf, B_QK_inf, B_inf, B_1 = symbols("L_sigma B_X B_V B_V_inf B_QK_inf B_W_inf B_W_21")
C_Norm, L_out, B_in, B_w, share, c0 = symbols("C_Norm L_out B_in B_w share C0")
Delta_score, Delta_in, E_score, E_in, E_head = symbols("Delta_score Delta_in E_score E_in E_head")


KEPT = ("m", "T", "N")  # N is what the linear covers call mT


def hidden_part(
    name: str,
    lhs: str,
    meaning: str,
    printed: Form,
    derived: Form,
    sharp: Form,
    repaired: Form | None = None,
    hides: str = HIDES,
    keeps: tuple[str, ...] | None = KEPT,
    source: str = "",
) -> Part:
    """A part that the paper prints with <~."""
    return Part(
        name=name,
        lhs=lhs,
        meaning=meaning,
        relation="<~",
        hides=hides,
        keeps=keeps,
        source=source,
        printed=printed,
        repaired=repaired,
        derived=derived,
        sharp=sharp,
    )


# --- 4.1 to 4.3: the general head -----------------------------------------------------------------------------

assumptions_4_1 = Claim(
    key="edelman2022/4.1",
    title="Regularity assumptions for an attention head",
    kind="assumption",
    statement=r"""Tokens satisfy $\|x_t\|_2\le B_X$; $\phi_{\mathrm{out}}$ and the read-out $w$ are fixed. (1)
$\phi_{\mathrm{out}}$ is $L_{\mathrm{out}}$-Lipschitz in $\ell_2$. (2)
$\|\phi_{\mathrm{in}}(a;\theta_{\mathrm{in}})\|\le B_{\mathrm{in}}\|a\|$ for all $a$ and $\theta_{\mathrm{in}}$.
(3) $\mathrm{Norm}$ is continuously differentiable with $\|J\,\mathrm{Norm}(\theta)\|_{1,1}\le
C_{\mathrm{Norm}}$.""",
    symbols=parameters("B_X L_out B_in C_Norm"),
    uses=("edelman2022/3.1",),
)


def general_head() -> Module:
    """The head of 3.1 under 4.1: whatever scores and values are, they enter by how far they move."""
    values = Matrix("in", r"\mathrm{in}", d, d, spectral=B_in)
    scores = Matrix("score", r"\mathrm{Score}", d, d)
    return compose(Attention(values, scores, C_Norm, one_query=True, scalar_scores=True), Fixed(L_out))


def general_coefficients(D: Derivation, module: Module) -> tuple[Expr, Expr]:
    """How far the output moves per unit of score and per unit of value."""
    score, value = module.sensitivity(D, Signal(B_X, Integer(1), T)).weights
    return (
        D.let("beta_score", r"\beta_{\mathrm{Score}}", score.coefficient, score.reason, "edelman2022/A.6"),
        D.name("beta_in", r"\beta_{\mathrm{in}}", value.coefficient, value.reason),
    )


def entropy_value(E: Expr) -> Entropy:
    """An entropy of which only its value at the resolution in question is known."""
    return Entropy(lambda _: E, E, proper=True)


def _resolution(which: int) -> list[Step]:
    D = Derivation()
    beta = general_coefficients(D, general_head())[which]
    name, latex = (
        ("eps_score", r"\varepsilon_{\mathrm{Score}}") if which == 0 else ("eps_in", r"\varepsilon_{\mathrm{in}}")
    )
    part = share * eps if which == 0 else (1 - share) * eps
    return D.steps_to(D.let(name, latex, part / beta, "its share of the error, through its coefficient"))


def _product_cover(_: Setting) -> list[Step]:
    D = Derivation()
    pair = entropy_value(E_score) + entropy_value(E_in)
    return D.steps_to(D.let("log_N", r"\log\mathcal N_\infty", pair.at(eps), "log-sizes of product covers add"))


theorem_4_2 = Claim(
    key="edelman2022/4.2",
    title="Attention-head capacity",
    kind="covering",
    statement=r"""Under 4.1, for every $\alpha\in[0,1]$ (and so for the infimum over $\alpha$), the log covering
number of $\mathcal F_{\mathrm{head}}$ at $\varepsilon$ on $m$ inputs is at most the sum of those of $\mathcal
F_{\mathrm{Score}}$ at $\varepsilon_{\mathrm{Score}}$ and of $\mathcal F_{\mathrm{in}}$ at
$\varepsilon_{\mathrm{in}}$, both on the $mT$ pooled tokens.""",
    symbols=parameters("eps share C_Norm L_out B_in B_X E_score E_in"),
    uses=("edelman2022/2.1", "edelman2022/4.1", "edelman2022/4.3"),
    parts=(
        Part(
            "log_N",
            r"\log\mathcal N_\infty(\mathcal F_{\mathrm{head}};\varepsilon;\{(X^{(i)},z^{(i)})\}_{i=1}^m,\|\cdot\|_2)",
            "log covering number of the head",
            printed=lambda _: E_score + E_in,
            derived=_product_cover,
        ),
        Part(
            "eps_score",
            r"\varepsilon_{\mathrm{Score}}",
            "resolution at which the scores are covered",
            relation="=",
            printed=lambda _: share * eps / (C_Norm * L_out * B_in * B_X),
            derived=lambda _: _resolution(0),
        ),
        Part(
            "eps_in",
            r"\varepsilon_{\mathrm{in}}",
            "resolution at which the values are covered",
            relation="=",
            printed=lambda _: (1 - share) * eps / L_out,
            derived=lambda _: _resolution(1),
        ),
    ),
)


scalar_4_2 = Claim(
    key="edelman2022/4.2-scalar",
    title="Scalar-output consequence of 4.2",
    kind="covering",
    statement=r"""For a fixed read-out $w$ with $\|w\|\le B_w$ the scalar class is covered at $\varepsilon$ by
the cover of $\mathcal F_{\mathrm{head}}$ at $\varepsilon_{\mathrm{head}}=\varepsilon/B_w$.""",
    symbols=parameters("eps B_w E_head"),
    uses=("edelman2022/4.2",),
    parts=(
        Part(
            "log_N",
            r"\log\mathcal N_\infty(\mathcal F_{\mathrm{scalar}};\varepsilon;\{(X^{(i)},z^{(i)})\}_{i=1}^m)",
            "log covering number of the scalar class",
            printed=lambda _: E_head,
        ),
        Part(
            "eps_head",
            r"\varepsilon_{\mathrm{head}}",
            "resolution at which the head is covered",
            relation="=",
            printed=lambda _: eps / B_w,
        ),
    ),
)


def _lipschitz_4_3(_: Setting) -> list[Step]:
    D = Derivation()
    score, value = general_coefficients(D, general_head())
    moved = score * Delta_score + value * Delta_in
    return D.steps_to(D.let("moved", r"\|f-\hat f\|", moved, "scores first, then values: triangle inequality"))


lemma_4_3 = Claim(
    key="edelman2022/4.3",
    title=r"$\ell_\infty$-Lipschitzness of the head",
    kind="lipschitz",
    statement=r"""Under 4.1, when the scores move by $\Delta_{\mathrm{Score}}$ in $\ell_\infty$ and every value
by at most $\Delta_{\mathrm{in}}$ in $\ell_2$, the head's output moves by at most the stated amount.""",
    symbols=parameters("C_Norm L_out B_in B_X Delta_score Delta_in"),
    uses=("edelman2022/4.1", "edelman2022/A.6"),
    parts=(
        Part(
            "moved",
            r"\|f_{\mathrm{head}}(X,z;\theta_s,\theta_{\mathrm{in}})-f_{\mathrm{head}}(X,z;\hat\theta_s,\hat\theta_{\mathrm{in}})\|",
            "movement of the head's output",
            printed=lambda _: C_Norm * L_out * B_in * B_X * Delta_score + L_out * Delta_in,
            derived=_lipschitz_4_3,
        ),
    ),
)

# --- 4.4: the Transformer head ----------------------------------------------------------------------------------


def head(setting: Setting, route: Route, h: int | None = None) -> Module:
    """tf-head of Section 4.2: sigma(W_V^T X^T softmax(X W_QK^T x_tau)), one query; head h where there are several.

    The map of the values is W_V^T, whose columns B_V_inf bounds; that of the scores is W_QK, whose columns
    B_QK_inf bounds.
    """

    def of(bound: Symbol) -> Expr:
        return bound if h is None else Indexed(bound.name, h)

    def given(name: str) -> Expr | None:
        symbol = setting.optional(name) if route.scalar_scores else None
        return symbol if symbol is None else of(symbol)

    label, mark = ("", "") if h is None else (f"_{h}", f"^{{[{h}]}}")
    V = Matrix(f"V{label}", f"V{mark}", d, d, spectral=of(B_V), columns=of(B_V_inf), frobenius=given("B_V_F"))
    QK = Matrix(f"QK{label}", f"QK{mark}", d, d, columns=of(B_QK_inf), frobenius=given("B_QK_F"))
    return compose(route.attention(V, QK, one_query=True), Fixed(L_sigma))


# Where the derivation of a head leaves the printed proof, by step.
HEAD_DEPARTURES = {
    "beta_QK": "it takes one factor of a score to have norm at most 1; here it is the radius of the tokens",
    "E_QK": r"it covers $x\mapsto W_{QK}x$ on all $mT$ tokens, whose rows nothing bounds; here "
    r"$W_{QK}^\top$ acts on the $m$ queries",
    "bound_V": r"it applies 4.5 to $x\mapsto W_V^\top x$ with a bound on the columns of $W_V^\top$; 4.5 wants its rows",
    "delta": "its centres are not shown to lie in the class, as 2.1 asks",
}


def head_capacity(module: Module, route: Route) -> list[Step]:
    return capacity_steps(module, Signal(B_X, m, T), eps, route.cover)


def _printed_4_4(score: Expr) -> Expr:
    return c0 * (d * L_sigma * B_X) ** 2 * ((B_V_inf**TWO_THIRDS + score**TWO_THIRDS) ** 3 / eps**2) * log(m * T)


def _derived_4_4(setting: Setting) -> list[Step]:
    return head_capacity(head(setting, PAPER), PAPER)


def _sharp_4_4(setting: Setting) -> list[Step]:
    return head_capacity(head(setting, SHARP), SHARP)


def repaired_head(pairs: Expr, radius: Expr) -> Expr:
    """`pairs`: over all heads, the two norms of values and scores, each to the power 2/3."""
    return (d * L_sigma * radius) ** 2 * (pairs**3 / eps**2) * log(2 * d * m * T + 1)


def _repaired_4_4(_: Setting) -> Expr:
    return repaired_head(B_V_inf**TWO_THIRDS + (B_QK_inf * B_V * B_X**2) ** TWO_THIRDS, B_X)


HEAD = r"\log\mathcal N_\infty(\mathcal F_{\text{tf-head}};\varepsilon;X^{(1)},\dots,X^{(m)},\|\cdot\|_2)"

corollary_4_4 = Claim(
    key="edelman2022/4.4",
    title="Capacity of a Transformer self-attention head",
    kind="covering",
    statement=r"""For $f(X)=\sigma(W_V^\top X^\top\mathrm{softmax}(XW_{QK}^\top x_\tau))$ with
$\|W_V^\top\|_{2,\infty}\le B_V^\infty$, $\|W_V\|_2\le B_V$, $\|W_{QK}\|_{2,\infty}\le B_{QK}^\infty$ and tokens
of norm at most $B_X$. The appendix ends its proof with a display that differs from the main text's by a factor
$B_X$ in one term; both are parts.""",
    symbols=parameters("eps d m T L_sigma B_X B_V B_V_inf B_QK_inf B_V_F? B_QK_F?"),
    differs=HEAD_DEPARTURES,
    uses=("edelman2022/4.2", "edelman2022/4.5", "edelman2022/A.7", "edelman2022/A.8",
          "maurey/orientation", "maurey/softmax", "maurey/score", "maurey/online"),
    constants=(C0, KAPPA),
    parts=(
        hidden_part("log_N", HEAD, "log covering number of the head",
                    lambda _: _printed_4_4(B_QK_inf * B_V), _derived_4_4, _sharp_4_4, repaired=_repaired_4_4,
                    source=EXPONENTS),
        hidden_part("log_N_appendix", HEAD, "the same, last display of the appendix",
                    lambda _: _printed_4_4(B_QK_inf * B_V * B_X), _derived_4_4, _sharp_4_4, repaired=_repaired_4_4,
                    source=EXPONENTS),
    ),
)  # fmt: skip

# --- 4.5: the linear cover ---------------------------------------------------------------------------------------

LINEAR = r"\log\mathcal N_\infty(\mathcal F;\varepsilon;x^{(1)},\dots,x^{(N)},\|\cdot\|_2)"


def linear_class(cover: Cover, **norms: Expr) -> list[Step]:
    """x -> W^T x on N inputs: the map is M = W^T, its rows are the columns of W."""
    W = Matrix("W", "W", d_2, d_1, **norms)
    return capacity_steps(Linear(W), Signal(B_X, N, Integer(1)), eps, cover)


lemma_4_5 = Claim(
    key="edelman2022/4.5",
    title=r"Cover of a vector-valued linear class, $(2,\infty)$ norm",
    kind="covering",
    statement=r"""For $\mathcal W=\{W\in\mathbb R^{d_1\times d_2}:\|W\|_{2,\infty}\le B_\infty\}$, output
coordinate $i$ being $v_i^\top x$ with $v_i$ the $i$-th column of $W$, and $\|x^{(i)}\|\le B_X$, $i\in[N]$.""",
    symbols=parameters("eps N d_1 d_2 B_X B_W_inf"),
    differs={
        "delta": "its centres are not shown to lie in the class, as 2.1 asks",
        "log_N": r"it indexes covers by $k_i=\lfloor d_2\|v_i\|/B_\infty\rfloor$ with $\sum_ik_i\le d_2$, which "
        r"columns of norm $B_\infty$ exceed; with equal radii no index is needed",
    },
    uses=("edelman2022/A.10", "maurey/online"),
    constants=(C0,),
    parts=(
        hidden_part(
            "log_N",
            LINEAR,
            "log covering number of the linear class",
            lambda _: c0 * ((d_2 * B_inf * B_X) ** 2 / eps**2) * log(N),
            lambda _: linear_class(zhang, rows=B_inf),
            lambda _: linear_class(online, rows=B_inf),
            repaired=lambda _: (d_2 * B_inf * B_X) ** 2 / eps**2 * log(2 * d_2 * N + 1),
        ),
    ),
)

stronger_4_5 = Claim(
    key="edelman2022/4.5-stronger",
    title=r"The mixed $(2,\infty)$, $(2,1)$ form of 4.5",
    kind="covering",
    statement=r"""For matrices that also satisfy $\|W\|_{2,1}\le B_1$ the factor $(d_2B_\infty)^2$ of 4.5 may be
replaced by $d_2B_\infty B_1$.""",
    symbols=parameters("eps N d_1 d_2 B_X B_W_inf B_W_21"),
    differs={
        "delta": "its centres are not shown to lie in the class, as 2.1 asks",
        "log_N": r"it has $B_\infty$ in the place of $B_1$ in its grid of norms, where $\sum_ik_i\le d_2$ fails",
    },
    uses=("edelman2022/4.5", "maurey/online", "maurey/columns"),
    constants=(C0,),
    parts=(
        hidden_part(
            "log_N",
            LINEAR,
            "log covering number of the linear class",
            lambda _: c0 * (d_2 * B_inf * B_1 * B_X**2 / eps**2) * log(N),
            lambda _: linear_class(zhang, row_sum=B_1),
            lambda _: linear_class(online, rows=B_inf, row_sum=B_1),
            repaired=lambda _: d_2 * B_inf * B_1 * B_X**2 / eps**2 * log(2 * d_2 * N + 1),
        ),
    ),
)
