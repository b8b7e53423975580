"""Appendix A: key-query blocks, the network that selects the relevant tokens, and the event that no token is long."""

from sympy import E, Expr, Max, exp, log, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import Steps, steps
from maurey.symbolic.moments import token_tail
from maurey.symbolic.names import symbols

from . import repaired
from .letters import RELEVANT, letters

n, N, d, q, m, d_e, r_x, r_a, r_w, eps_2NN, C_x, alpha = symbols("n N d q m d_e r_x r_a r_w eps_2NN C_x alpha")
BLOCKS, APPROXIMATION, BOUNDED = "mousavi2025/eqA.2", "mousavi2025/11", "mousavi2025/12"

# --- eqA.2: one block alpha I in each key-query matrix ---------------------------------------------------------------


def _spectral(D: Derivation) -> Expr:
    values = D.let("values", r"\sigma^2", alpha**2, r"the block times its transpose is $\alpha^2I$")
    return D.let("op", "", sqrt(values), "the largest singular value")


def _frobenius(D: Derivation) -> Expr:
    entries = D.let("entries", r"\sum_{ij}W_{ij}^2", d_e * alpha**2, r"one entry $\alpha$ in every row of the block")
    return D.let("F", "", sqrt(entries), "the root of the sum of squares")


def _columns(D: Derivation) -> Expr:
    column = D.let("column", r"\|W_{:j}\|_2", sqrt(alpha**2), "a column of the block has one entry")
    return D.let("QK_21", "", d_e * column, "as many columns as the block has; the others are zero")


blocks = Claim(
    key=BLOCKS,
    title="Key-query blocks that look for the position vectors",
    kind="construction",
    statement=r"""For head $h\in[q]$ the matrix $W_{QK}^{(h)}\in\mathbb R^{D_e\times D_e}$ has one non-zero block,
$\alpha I_{d_e}$: its rows are those of $w_{t_{ih}}$ in the query, its columns those of $w_j$ in the key. So $\langle
z_i,W_{QK}^{(h)}z_j\rangle=\alpha\frac dq\langle w_{t_{ih}},w_j\rangle$, since the encoding is scaled by
$\sqrt{d/q}$. Its norms are the stated ones.""",
    symbols=letters("d_e alpha", alpha={"meaning": "scale of the block"}),
    uses=("mousavi2025/as3",),
    parts=(
        Part("op", r"\|W_{QK}^{(h)}\|_{op}", "spectral norm", "=", printed=lambda _: alpha, derived=steps(_spectral)),
        Part("F", r"\|W_{QK}^{(h)}\|_F", "Frobenius norm", "=",
             printed=lambda _: alpha * sqrt(d_e), derived=steps(_frobenius)),
        Part("QK_21", r"\|W_{QK}^{(h)}\|_{2,1}", "sum of the norms of the columns", "=",
             printed=lambda _: alpha * d_e, derived=steps(_columns)),
    ),
)  # fmt: skip

# --- 11: attention selects the relevant tokens, the network for the link does the rest --------------------------------


def _reach(D: Derivation, radius: Expr) -> Expr:
    """What the network behind attention makes of a unit of wrong weight in every head."""
    gain = D.let("gain_link", "L_g", r_a * r_w, r"$\|a\|\|W\|\le\frac{r_a}{\sqrt m}\sqrt mr_w$")
    reason = r"two tokens differ by at most $2r_x$, in every head, and squares add over the heads"
    return D.let("effect", r"\Gamma", gain * sqrt(q) * (2 * radius), reason)


def scale(D: Derivation, radius: Expr, exact: bool = False) -> Expr:
    """alpha, at which what attention does not select moves the output by no more than sqrt(eps)."""
    effect, target = _reach(D, radius), sqrt(eps_2NN)
    ratio = D.let(
        "ratio", r"\omega", effect / target, "the error with all weight on wrong tokens, over what is allowed"
    )
    if exact:
        reason = r"$N-1$ others of odds $e^{-z}$ have together the share $(N-1)e^{-z}/(1+(N-1)e^{-z})$"
        odds = (N - 1) * Max(0, ratio - 1)
    else:
        reason = r"each of $N$ others has weight at most $e^{-z}$; where they may have all of it, no gap is needed"
        odds = N * ratio
    gap = D.let("score_gap", "z", log(Max(1, odds)), reason)
    return D.let("scale", r"\alpha", 2 * q * gap / d,
                 r"scores differ by $\alpha\frac dq(1-\langle w_t,w_j\rangle)\ge\frac{\alpha d}{2q}$",
                 "mousavi2025/as3")  # fmt: skip


def _error(exact: bool) -> Steps:
    def build(D: Derivation) -> Expr:
        gap = D.let("gap_reached", "z'", scale(D, r_x, exact) * d / (2 * q), "the gap of the scores", BLOCKS)
        if exact:
            others = D.let("odds", "o", (N - 1) * exp(-gap), "the odds of all other tokens together")
            wrong = D.let("wrong", "p", others / (1 + others), "their weight")
        else:
            wrong = D.let("wrong", "p", N * exp(-gap), r"each of them has weight at most $e^{-z'}$")
        selected = D.let("eps_selected", r"\varepsilon_{\mathrm{Attn}}", _reach(D, r_x) * wrong,
                         "a head is off by the weight of the other tokens times their distance")  # fmt: skip
        return D.let("error", "", sqrt(eps_2NN) + selected, "the network for the link on the tokens themselves",
                     "mousavi2025/as2")  # fmt: skip

    return build


def _norm(exact: bool) -> Steps:
    return lambda D: D.let("QK_21", "", d_e * scale(D, r_x, exact), r"as many columns, each of norm $\alpha$", BLOCKS)


def _wrong_weight(radius: Expr) -> Expr:
    """N times what the network makes of the wrong tokens, in units of its error."""
    return 2 * r_a * r_w * radius * N * sqrt(q) / sqrt(eps_2NN)


def printed_norm(radius: Expr) -> Expr:
    """Of the (2,1) norm of a key-query matrix; Theorem 10 calls this alpha."""
    return 2 * d_e * q / d * log(_wrong_weight(radius))


def repaired_scale(radius: Expr) -> Expr:
    """Where the logarithm would be negative, no selection is needed."""
    return 2 * q / d * log(Max(1, _wrong_weight(radius)))


def repaired_norm(radius: Expr) -> Expr:
    return 2 * d_e * q / d * log(Max(1, _wrong_weight(radius)))


approximation = Claim(
    key=APPROXIMATION,
    title="A Transformer layer approximates qSTR",
    kind="approximation",
    statement=r"""For $H=q$ heads, width $m=m_g$, position vectors as in Assumption 3 and a network for the link as in
Assumption 2 at the radius $r_x$ ($\sqrt{3eC_xd\log(nN)}$ there), some $\Theta_{TR}$ has at most the stated error on
all prompts whose tokens have norm at most $r_x$, at every position, and at most the stated norms.""",
    symbols=letters("N d q m d_e r_x r_a r_w eps_2NN"),
    assumes=(RELEVANT,),
    samples="n",
    uses=("mousavi2025/as2", "mousavi2025/as3", BLOCKS),
    differs={"score_gap": "its logarithm may be negative: then attention need not select, and no norm is negative"},
    parts=(
        Part("error", r"\sup|g(x_{t_{i1}},\dots,x_{t_{iq}})-\hat y(p;\Theta_{TR})_i|", "largest error",
             printed=lambda _: 2 * sqrt(eps_2NN), derived=steps(_error(False)), sharp=steps(_error(True))),
        Part("a", r"\|a\|_2", "norm of the output weights", printed=lambda _: r_a / sqrt(m)),
        Part("W_b", r"\|(W,b)\|_F", "norm of the inner weights and biases", printed=lambda _: sqrt(m) * r_w),
        Part("QK_21", r"\|W_{QK}^{(h)}\|_{2,1}", "norm of the key-query matrix of a head",
             printed=lambda _: printed_norm(r_x), repaired=lambda _: repaired_norm(r_x),
             derived=steps(_norm(False)), sharp=steps(_norm(True))),
    ),
)  # fmt: skip

# --- 12: no token of any prompt is long -------------------------------------------------------------------------------


def _tail(D: Derivation) -> Expr:
    squared = D.let("squared", "x", r_x**2 / (C_x * E * d), r"the squared radius in units of $C_xed$")
    number = D.let("number", "K", n * N, "tokens of all prompts")
    return D.let("P", "", token_tail(D, squared, number), "a union of so many; no probability exceeds 1")


def usual_tail(D: Derivation, name: str = "P_usual") -> Expr:
    """At the radius that the paper takes: the best order is above 1 from two tokens on, and one may be too long."""
    number = D.let("number", "K", n * N, "tokens of all prompts")
    order = D.let(
        "order", r"\varrho_0", 3 * log(number), r"the squared radius in units of $C_xed$, the order that serves best"
    )
    return D.let(name, "P", number * exp(-order / 2), "Markov's inequality for each of so many", BOUNDED)


TOO_LONG = r"\mathbb P(\max_{i,j}\|x_j^{(i)}\|_2\ge r_x)"

bounded = Claim(
    key=BOUNDED,
    title="All tokens of all prompts are bounded",
    kind="concentration",
    statement=r"""For $n$ prompts that satisfy Assumption 1, independent or not, and any $r_x>0$: the probability that
some token is as long as $r_x$; and the same at $r_x=\sqrt{3C_xed\log(nN)}$.""",
    symbols=letters("n N d r_x C_x"),
    samples="n",
    uses=("mousavi2025/as1",),
    differs={"order": r"it uses the moment of order $r_x^2/(C_xed)$ also where that is below 1"},
    parts=(
        Part("P", TOO_LONG, "probability that some token is longer",
             printed=lambda _: n * N * exp(-(r_x**2) / (2 * C_x * E * d)), repaired=lambda _: repaired.too_long(),
             derived=steps(_tail)),
        Part("P_usual", TOO_LONG, r"the same at $r_x=\sqrt{3C_xed\log(nN)}$",
             printed=lambda _: 1 / sqrt(n * N), derived=steps(usual_tail)),
    ),
)  # fmt: skip
