"""Appendices A and B: reductions of covers."""

from dataclasses import replace

from maurey.symbolic.claim import Claim, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.papers.edelman2022.section_4 import entropy_value

from . import section_3

eps, k, q, E_in = symbols("eps k q E_in")


def _rows(_: Setting) -> list[Step]:
    D = Derivation()
    rows = entropy_value(E_in).coordinates(k, q)
    return D.steps_to(D.let("log_N", "", rows.log_size(eps), "one cover for each row: log-sizes add"))


def _resolution(_: Setting) -> list[Step]:
    """A vector with k coordinates of at most eps."""
    D = Derivation()
    row = D.let(
        "share", r"\epsilon_{\mathrm{row}}", entropy_value(E_in).coordinates(k, q).resolution(1), "of an error of 1"
    )
    return D.steps_to(D.let("eps_map", "", eps / row, "each row is covered at $\\epsilon$"))


conversion = Claim(
    key="trauger2024/A",
    title="From a scalar cover to one of linear maps",
    kind="covering",
    statement=r"""If $\{x\mapsto w^\top x:\|w\|_r\le B_w\}$ has log covering number $C$ at $\epsilon$ on
$x_1,\dots,x_n$, then $\{x\mapsto Wx\}$, all $k$ rows of $W$ bounded so, has at most the stated one at the stated
resolution in $\|\cdot\|_q$, $q>0$. If $C$ does not depend on $n$, neither does this.""",
    symbols=parameters("eps k q E_in", eps=r"\epsilon",
                       E_in={"latex": "C", "meaning": "log covering number of the scalar class"}),
    parts=(
        Part("log_N", r"\log N_\infty(\mathcal F,k^{1/q}\epsilon,N,\|\cdot\|_q)", "log covering number of the maps",
             printed=lambda _: k * E_in, derived=_rows),
        Part("eps_map", r"\epsilon_{\mathrm{map}}", "resolution of that cover", "=",
             printed=lambda _: k ** (1 / q) * eps, derived=_resolution),
    ),
)  # fmt: skip

proof_3_2 = replace(
    section_3.lemma_3_2, key="trauger2024/B", uses=("trauger2024/3.2",), statement="The proof of Lemma 3.2."
)
