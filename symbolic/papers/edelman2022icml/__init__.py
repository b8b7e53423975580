"""The ICML 2022 version of Edelman et al., where its numbering or statements differ."""

from dataclasses import replace

from sympy import Rational, log

from maurey.symbolic.claim import Claim
from maurey.symbolic.covers import online, zhang
from maurey.symbolic.names import C0, parameters, symbols
from maurey.symbolic.papers.edelman2022.section_4 import LINEAR, corollary_4_4, hidden_part, linear_class
from maurey.symbolic.papers.edelman2022.section_4b import theorem_4_6

eps, N, d_2, B_X, B_1, c0 = symbols("eps N d_2 B_X B_W_21 C0")

RENUMBERED = "Number {} of the first version, stated again; only a summary of this version is at hand."

lemma_4_6 = Claim(
    key="edelman2022icml/4.6",
    title=r"Cover of a vector-valued linear class, $(2,1)$ norm",
    kind="covering",
    statement=r"""For matrices with $\|W\|_{2,1}\le B_w$, $W\in\mathbb R^{d_1\times d_2}$, and $\|x_i\|_2\le
B_x$, $i\in[N]$. Known at second hand, from its restatement in Trauger and Tewari 2024; the orientation of the
norm is read as in Lemma 4.5 of the first version (columns of $W$ are dotted with $x$), and the dimension in the
logarithm as the number of outputs.""",
    symbols=parameters("eps N d_1 d_2 B_X B_W_21", B_W_21="B_w", B_X="B_x", d_2="d"),
    source="recovered: as Trauger and Tewari 2024 restate it",
    uses=("edelman2022/4.5-stronger", "maurey/online", "maurey/columns"),
    differs={"log_N": "its proof is not at hand; this is the first version's, with $B_w$ in its grid of norms"},
    constants=(C0,),
    parts=(
        hidden_part(
            "log_N",
            LINEAR,
            "log covering number of the linear class",
            lambda _: c0 * (B_1**2 * B_X**2 / eps**2) * log(d_2 * N),
            lambda _: linear_class(zhang, row_sum=B_1),
            lambda _: linear_class(online, row_sum=B_1),
            repaired=lambda _: Rational(3, 2) * (B_1**2 * B_X**2 / eps**2) * log(16 * d_2**2 * N + 1),
            hides="an absolute constant",
            keeps=None,
        ),
    ),
)

# Results that the ICML version states again under another number.
corollary_4_5 = replace(
    corollary_4_4, key="edelman2022icml/4.5", uses=("edelman2022/4.4",), statement=RENUMBERED.format("4.4")
)
theorem_4_7 = replace(
    theorem_4_6, key="edelman2022icml/4.7", uses=("edelman2022/4.6",), statement=RENUMBERED.format("4.6")
)
