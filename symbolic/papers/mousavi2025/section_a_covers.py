"""Appendix A: covering numbers of the Transformer, from those of its two blocks."""

from dataclasses import replace
from fractions import Fraction

from sympy import Expr, Max, Min, Rational, Symbol, log, sqrt

from maurey.symbolic.claim import Claim, Constant, Form, Part
from maurey.symbolic.corrections import best_cover
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.forms import steps
from maurey.symbolic.names import C0, KAPPA, OPEN, symbols
from maurey.symbolic.relu_networks import ReLUNetwork, block_entropy, largest_product
from maurey.symbolic.route import PAPER_CONSTANT
from maurey.symbolic.shallow import Keys, Shallow
from maurey.symbolic.softmax import BEST_CONSTANT

from .letters import letters

eps, n, m, H, D_e, r_z, R, c0, c_R, kappa = symbols("eps n m H D_e r_z R C0 c_R kappa")
B_a, B_W, B_QK, B_QK_F, L_f = symbols("B_a B_W_F B_QK_21 B_QK_F L_f")
Delta_2NN, Delta_attn, Delta_QK, E_2NN, E_attn = symbols("Delta_2NN Delta_attn Delta_QK E_2NN E_attn")

COMPOSED, BLOCK, ATTENTION, MATRICES, TRANSFORMER = (f"mousavi2025/{number}" for number in range(13, 18))
PROVED = Keys(COMPOSED, BLOCK, ATTENTION, MATRICES)
DEGREE_R = Constant("c_R", Fraction(1), "c_R", "the degree that poly(R) hides", OPEN, left_open=True)


def shallow(kappa: Expr = PAPER_CONSTANT, keys: Keys = PROVED) -> Shallow:
    """The class of 17: per head a (2,1) norm, which bounds those of all heads together."""
    return Shallow(
        prompts=n,
        heads=H,
        width=m,
        embedding=D_e,
        radius=r_z,
        outer=B_a,
        inner=B_W,
        frobenius=sqrt(H) * B_QK,
        row_sum=H * B_QK,
        kappa=kappa,
        keys=keys,
    )


def joint(kappa: Expr = PAPER_CONSTANT) -> Shallow:
    """The class of 16, with bounds on the matrix of all heads; nothing is said of the block behind it."""
    return replace(shallow(kappa, Keys()), frobenius=B_QK_F, row_sum=B_QK)


# --- 13 ---------------------------------------------------------------------------------------------------------------


def _moved(D: Derivation) -> Expr:
    inner = D.let("inner", r"\Delta_f", L_f * Delta_attn, "every network of the block is Lipschitz")
    reason = "the triangle inequality; the networks are compared where the outputs of attention lie"
    return D.let("moved", "", Delta_2NN + inner, reason)


def _radius(D: Derivation) -> Expr:
    radius = shallow().attention().sensitivity(D, shallow().signal()).output.radius
    return D.let("radius", "", radius, "an average of tokens for each head, side by side")


composition = Claim(
    key=COMPOSED,
    title="A cover of the Transformer from covers of its two blocks",
    kind="covering",
    statement=r"""$\mathcal F_{TR}=\mathcal F_{2NN}\circ\mathcal F_{\mathrm{Attn}}$, distances taken at the $n$
pairs $(p,j)\in S_n$ for the Transformer and for attention (there in $\ell_2$), and over all $\|h\|_2\le\sqrt
Hr_z$ for the block. If every $f_{2NN}$ is $L_f$-Lipschitz and tokens have norm at most $r_z$, covers at
$\epsilon_{2NN}$ and $\epsilon_{\mathrm{Attn}}$ give one of the Transformer at
$\epsilon_{2NN}+L_f\epsilon_{\mathrm{Attn}}$, whose log-size is at most the sum of theirs.""",
    symbols=letters("H r_z L_f Delta_2NN Delta_attn E_2NN E_attn", L_f={
        "latex": "L_f", "meaning": "Lipschitz constant of the networks of the block"}),
    uses=("mousavi2025/12",),
    parts=(
        Part("moved", r"d_\infty^{TR}(f,f')", "movement of the Transformer, from those of its blocks",
             printed=lambda _: Delta_2NN + L_f * Delta_attn, derived=steps(_moved)),
        Part("radius", r"\|f^{(H)}_{\mathrm{Attn}}(p)_j\|_2", "largest output of attention",
             printed=lambda _: sqrt(H) * r_z, derived=steps(_radius)),
        Part("log_N", r"\log\mathcal C(\mathcal F_{TR},\epsilon_{2NN}+L_f\epsilon_{\mathrm{Attn}})",
             "log covering number of the Transformer", printed=lambda _: E_2NN + E_attn),
    ),
)  # fmt: skip

# --- 14 ---------------------------------------------------------------------------------------------------------------

LONGER = r"it covers the block on inputs of norm $R$, and these are longer by $\sqrt H$"


def _two_layers(best: bool) -> Form:
    def build(D: Derivation) -> Expr:
        inputs = D.let("radius_v", "r_v", sqrt(H) * R, "averages of tokens, one for each head", COMPOSED)
        count = D.let("count", "p", m * (H * D_e + 2), r"$W$, $b$ and $a$")
        if not best:
            entropy = ReLUNetwork(2, inputs, R, count, R).entropy(D)
            return D.let("log_N", "", entropy.at(eps), entropy.reason, "mousavi2025/30")
        entropy = block_entropy(inputs, R, count)
        largest = D.let("range", "A", largest_product(R) * sqrt(1 + inputs**2), "the largest output", "maurey/block")
        size = entropy.trivial(largest).at(eps)
        return D.let("log_N", "", size, "one centre from the range of the class on", "maurey/block")

    return steps(build)


two_layers = Claim(
    key=BLOCK,
    title="Cover of the two-layer block",
    kind="covering",
    statement=r"""For $\|\mathrm{vec}(\Theta_{2NN})\|_2\le R$ and tokens of norm at most $R$, the log covering
number of the block over all $\|h\|_2\le\sqrt HR$. A case of 30, with two layers and $m(HD_e+2)$ parameters.""",
    symbols=letters("eps m H D_e R", eps=r"\epsilon", m="m_g"),
    samples="n",
    uses=("mousavi2025/30", COMPOSED, "maurey/block"),
    constants=(C0, DEGREE_R),
    differs={"radius_v": LONGER},
    parts=(
        Part(
            name="log_N",
            lhs=r"\log\mathcal C(\mathcal F_{2NN},d_\infty^{2NN},\epsilon)",
            meaning="log covering number of the block",
            relation="<~",
            hides="an absolute constant and the degree of a polynomial",
            keeps=None,
            printed=lambda _: c0 * m * H * D_e * log(1 + (1 + R) ** c_R / eps),
            repaired=lambda _: m * (H * D_e + 2) * log(1 + 2 * R**2 * sqrt(1 + H * R**2) / eps),
            derived=_two_layers(False),
            sharp=_two_layers(True),
        ),
    ),
)

# --- 15 ---------------------------------------------------------------------------------------------------------------


def _attention_moves(kappa: Expr) -> Form:
    def build(D: Derivation) -> Expr:
        w = joint(kappa).query_key(D)
        per = D.let("coefficient", r"\beta", w.coefficient, w.reason)
        return D.let("moved", "", per * Delta_QK, "per unit by which the matrices move a query")

    return steps(build)


def _matrix_resolution(kappa: Expr) -> Form:
    def build(D: Derivation) -> Expr:
        w = joint(kappa).query_key(D)
        per = D.let("coefficient", r"\beta", w.coefficient, w.reason)
        return D.let("eps_QK", "", eps / per, "a cover of the matrices at this resolution covers attention")

    return steps(build)


attention = Claim(
    key=ATTENTION,
    title="A cover of attention from one of the key-query matrices",
    kind="covering",
    statement=r"""Key-query matrices $\Theta=(W^{(1)}_{QK},\dots,W^{(H)}_{QK})$ are compared by $\sup_{p,j\in
S_n}\|\Theta^\top z_j-\Theta'^\top z_j\|_2$. For tokens of norm at most $r_z$ attention moves by at most the first
amount, so that $\log\mathcal C(\mathcal F_{\mathrm{Attn}},\epsilon)\le\log\mathcal
C(\varTheta_{QK},\epsilon_{QK})$ with the stated resolution.""",
    symbols=letters("eps r_z Delta_QK", eps=r"\epsilon", Delta_QK={
        "meaning": r"largest movement of $\Theta^\top z_j$ over the queries"}),
    uses=("mousavi2025/39", "edelman2022/A.7", "maurey/softmax"),
    constants=(KAPPA,),
    parts=(
        Part("moved", r"d_\infty^{\mathrm{Attn}}(f,f')", "movement of attention",
             printed=lambda _: 2 * r_z**2 * Delta_QK, derived=_attention_moves(PAPER_CONSTANT),
             sharp=_attention_moves(BEST_CONSTANT)),
        Part("eps_QK", r"\epsilon_{QK}", "resolution at which a cover of the matrices serves", ">=",
             printed=lambda _: eps / (2 * r_z**2), derived=_matrix_resolution(PAPER_CONSTANT),
             sharp=_matrix_resolution(BEST_CONSTANT)),
    ),
)  # fmt: skip

# --- 16 ---------------------------------------------------------------------------------------------------------------


def _matrices(D: Derivation) -> Expr:
    w = joint().query_key(D)
    flat, growing, counted = joint().matrix_sizes(D, w, eps)
    assert growing is not None
    return D.let("log_N", "", Min(flat + growing, counted), "the smaller of the two covers")


def _best_matrices(D: Derivation) -> Expr:
    smallest = D.let(
        "best_F", "B_F", Min(B_QK_F, B_QK), r"the $\ell_2$ norm of the columns' norms is at most their sum"
    )
    entropy = best_cover(D, replace(joint(), frobenius=smallest).query_key(D))
    return D.let("log_N", "", entropy.at(eps), entropy.reason, entropy.key)


def _repaired_matrices() -> Expr:
    by_norms = Rational(3, 2) * (r_z**2 * B_QK**2 / eps**2) * log(16 * H**2 * D_e**2 * n + 1)
    return Min(by_norms, H * D_e**2 * log(1 + 2 * B_QK_F * r_z / eps))


LENGTHS = r"it has a cover in $\sup_j\|\Theta^\top z_j\|_2$ from Maurey's lemma, whatever the $n$ queries"

matrices = Claim(
    key=MATRICES,
    title="Cover of the key-query matrices",
    kind="covering",
    statement=r"""For $\|\Theta_{QK}\|_{2,1}\le R_{2,1}$, the norms of the $HD_e$ columns summed,
$\|\Theta_{QK}\|_F\le R_F$ and queries $\|z_j\|_2\le r_z$, $n$ in number: the log covering number in $\sup_{p,j\in
S_n}\|\Theta^\top z_j-\Theta'^\top z_j\|_2$. The columns are dotted with the queries.""",
    symbols=letters(
        "eps n H D_e r_z B_QK_21 B_QK_F",
        eps=r"\epsilon",
        B_QK_21={"latex": "R_{2,1}", "meaning": r"bound on $\|\Theta_{QK}\|_{2,1}$, all heads together"},
        B_QK_F={"latex": "R_F", "meaning": r"bound on $\|\Theta_{QK}\|_F$, all heads together"},
    ),
    samples="n",
    uses=("zhang2002/4", "edelman2022/2.1", "mousavi2025/41", "trauger2024/3.1", "maurey/online", "maurey/columns"),
    constants=(C0,),
    differs={"E_rows": LENGTHS},
    parts=(
        Part(
            name="log_N",
            lhs=r"\log\mathcal C(\varTheta_{QK},d_\infty^{QK},\epsilon)",
            meaning="log covering number of the matrices",
            relation="<~",
            hides="an absolute constant",
            keeps=None,
            printed=lambda _: (
                c0 * Min(r_z**2 * B_QK**2 * log(2 * H * D_e**2) / eps**2, H * D_e**2 * log(1 + 2 * B_QK_F * r_z / eps))
            ),
            repaired=lambda _: _repaired_matrices(),
            derived=steps(_matrices),
            sharp=steps(_best_matrices),
        ),
    ),
)

# --- 17 ---------------------------------------------------------------------------------------------------------------


def printed_transformer(_: object) -> list[Step]:
    bound = Symbol("bound")
    by_norms = r_z**6 * B_a**2 * B_W**2 * H**2 * B_QK**2 * log(H * D_e**2) / eps**2
    by_count = H * D_e**2 * log(1 + sqrt(H) * B_QK * r_z**3 * B_a * B_W / eps)
    return [
        Step("bound", "R", Max(B_a, B_W, r_z), "as printed"),
        Step("log_N", "", c0 * (m * H * D_e * log(1 + bound / eps) + Min(by_norms, by_count)), "as printed"),
    ]


def _repaired_transformer() -> Expr:
    block = m * (H * D_e + 2) * log(1 + 8 * B_a * B_W * sqrt(1 + H * r_z**2) / eps)
    by_norms = 6 * r_z**6 * B_a**2 * B_W**2 * H**2 * B_QK**2 / eps**2 * log(16 * H**2 * D_e**2 * n + 1)
    return block + Min(by_norms, H * D_e**2 * log(1 + 4 * sqrt(H) * B_QK * r_z**3 * B_a * B_W / eps))


def _best_transformer(D: Derivation) -> Expr:
    net = shallow(BEST_CONSTANT, Keys(attention="maurey/softmax"))
    return D.let("log_N", "", net.sharp_log_size(D, eps), "the cost of all weights")


CLASS = r"""$\|a\|_2\le r_{m,a}$, $\|(W,b)\|_F\le R_{m,w}$, $\|W_{QK}^{(h)}\|_{2,1}\le r_{QK}$ for all $h$ and tokens
$\|z_j^{(i)}\|_2\le r_z$"""
CLASS_NAMES = "n m H D_e r_z B_a B_W_F B_QK_21"
SHARPER = ("maurey/softmax", "maurey/columns", "maurey/levels", "maurey/one-step")

transformer = Claim(
    key=TRANSFORMER,
    title="Cover of the Transformer class",
    kind="covering",
    statement=rf"""For {CLASS}: the log covering number at the $n$ pairs of $S_n$, with $R$ the largest of $r_{{m,a}}$,
$R_{{m,w}}$ and $r_z$. Some exponents of the second part are damaged in the source and are those of Lemma 18.""",
    symbols=letters(f"eps {CLASS_NAMES}", eps=r"\epsilon", m="m_g"),
    samples="n",
    uses=(COMPOSED, BLOCK, ATTENTION, MATRICES, *SHARPER),
    constants=(C0, KAPPA),
    differs={"radius_v": LONGER, "E_rows": LENGTHS},
    parts=(
        Part(
            name="log_N",
            lhs=r"\log\mathcal C(\mathcal F_{TR},d_\infty^{TR},\epsilon)",
            meaning="log covering number",
            relation="<~",
            hides="an absolute constant",
            keeps=None,
            printed=printed_transformer,
            repaired=lambda _: _repaired_transformer(),
            derived=steps(lambda D: shallow().log_size(D, eps)),
            sharp=steps(_best_transformer),
            source="damaged",
        ),
    ),
)
