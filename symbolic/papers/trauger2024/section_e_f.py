"""Appendices E and F: lemmas under Theorem 4.2, and its other corollaries."""

from dataclasses import replace

from sympy import Expr, log

from maurey.symbolic.claim import Claim, Part, Setting
from maurey.symbolic.covers import maurey_columns, zhang_basis
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.modules import Signal
from maurey.symbolic.names import KAPPA, parameters, symbols
from maurey.symbolic.networks import block
from maurey.symbolic.papers.edelman2022.section_a2_heads import lemma_a8
from maurey.symbolic.papers.edelman2022.section_a3_deep import LEMMA, ONE, lemma_a15, lemma_a16, movement
from maurey.symbolic.route import PAPER, Route

from . import repaired
from .section_4 import DEEP_DEPARTURES, DEEP_NAMES, GAP_LETTERS, GAP_NAMES, SHARPENINGS, deep_parts

d, k, m, T, B_X, B_X_1, B_1inf, B_21 = symbols("d k m T B_X B_X_1 B_W_1inf B_W_21")
L_sigma, B_C, B_V, Delta_g, Delta_QK, Delta_V, Delta_C = symbols("L_sigma B_C B_V Delta_g Delta_QK Delta_V Delta_C")

lemma_e1 = replace(
    lemma_a8, key="trauger2024/E.1", title="Splitting a resolution among terms", uses=("edelman2022/A.8",),
)  # fmt: skip


def first_block(route: Route) -> list[Step]:
    D = Derivation()
    return movement(D, block(route, ONE).sensitivity(D, Signal(B_X, m, T)))


def _printed_first(_: Setting) -> Expr:
    return Delta_C + 2 * L_sigma * B_C * B_V * Delta_QK + L_sigma * B_C * Delta_V


def _repaired_first(_: Setting) -> Expr:
    """One norm of a token from the values, one from the keys."""
    return Delta_C + 2 * B_X**2 * L_sigma * B_C * B_V * Delta_QK + L_sigma * B_C * Delta_V


lemma_e2 = Claim(
    key="trauger2024/E.2",
    title="One-block perturbation",
    kind="lipschitz",
    statement=r"""How far the output of block $i$ moves when the tokens below it move by at most $\Delta_g$ and
each of its matrices, on the vectors it acts on in the perturbed network, by at most $\Delta_C$, $\Delta_{QK}$ and
$\Delta_V$. Stated for every $i$ and inputs of norm at most $B_x$. For $i\ge2$ the tokens below are projected;
for $i=1$ they are the inputs, which do not move: that is the second part.""",
    symbols=parameters("L_sigma B_C B_V B_QK B_X Delta_g Delta_C Delta_QK Delta_V", B_X="B_x", B_C="B_{c2}",
                       B_V="B_{v2}", B_QK="B_{QK2}"),
    uses=("edelman2022/A.15", "edelman2022/A.9", "maurey/softmax", "maurey/attention"),
    constants=(KAPPA,),
    differs={"beta_QK": "it takes the tokens below to lie in the unit ball, which the inputs need not"},
    parts=(
        *lemma_a15.parts,
        Part("moved_first", r"\|(g^{(2)}-\hat g^{(2)})^\top\|_{2,\infty}", "movement of the first block's output",
             printed=_printed_first, repaired=_repaired_first,
             derived=lambda _: first_block(PAPER), sharp=lambda _: first_block(LEMMA)),
    ),
)  # fmt: skip

lemma_e3 = replace(lemma_a16, key="trauger2024/E.3", title="Read-out perturbation", uses=("edelman2022/A.16",))

TOKENS_L1 = Signal(B_X_1, m, T, radius_1=B_X_1)


def _by_columns() -> tuple[Expr, Expr]:
    return d * B_1inf**2 * log(2 * k + 1), d * B_1inf**2 * B_X_1**2 * log(2 * k + 1)


def _by_sums() -> tuple[Expr, Expr]:
    return B_21**2 * log(d * k), B_21**2 * B_X_1**2 * log(d * k)


LETTERS = {"B_X_1": "B_x"} | {name: latex for name, latex in GAP_LETTERS.items() if name != "B_X"}
L1_DEPARTURES = DEEP_DEPARTURES | {
    "alpha": r"it takes the $\ell_1$ norms of projected vectors to be at most 1; the projection bounds $\ell_2$ norms"
}

corollary_f1 = Claim(
    key="trauger2024/F.0.1",
    title=r"Several layers, $(1,\infty)$ norms",
    kind="covering",
    statement=r"""Theorem 4.2 with the cover of Lemma 3.3: the maps $W_c^\top$, $W_v^\top$, $W_{QK}$ and $w^\top$ have
columns of $\ell_1$ norm at most $B$, and tokens satisfy $\|x\|_1\le B_x$. The repaired form is stated for rows
too.""",
    symbols=parameters(
        f"{DEEP_NAMES} d k B_X_1 B_W_1inf {GAP_NAMES}", **LETTERS,
        B_W_1inf={"latex": "B", "meaning": r"bound on the largest $\ell_1$ norm of a column of every map"},
    ),
    uses=("trauger2024/4.2", "trauger2024/3.3", "trauger2024/S2.4", *SHARPENINGS, "maurey/online"),
    constants=(KAPPA,),
    unrolled=("L",),
    differs=L1_DEPARTURES,
    parts=deep_parts(_by_columns, TOKENS_L1,
                     replace(PAPER, cover=maurey_columns), "_1inf", B_1inf, repaired.by_columns, rows=repaired.by_rows),
)  # fmt: skip

corollary_f2 = Claim(
    key="trauger2024/F.0.2",
    title=r"Several layers, $(2,1)$ norms",
    kind="covering",
    statement=r"""Theorem 4.2 with the cover of Lemma 3.4: the maps $W_c^\top$, $W_v^\top$, $W_{QK}$ and $w^\top$ have
column norms that sum to at most $B$, and tokens satisfy $\|x\|_1\le B_x$. The repaired form is stated for rows
too.""",
    symbols=parameters(
        f"{DEEP_NAMES} d k B_X_1 B_W_21 {GAP_NAMES}", **LETTERS,
        B_W_21={"latex": "B", "meaning": r"bound on the sum of the columns' $\ell_2$ norms of every map"},
    ),
    uses=("trauger2024/4.2", "trauger2024/3.4", "trauger2024/S2.4", *SHARPENINGS, "maurey/online"),
    constants=(KAPPA,),
    unrolled=("L",),
    differs=L1_DEPARTURES | {"bound": r"its linear cover bounds rows that are dotted with $x$; here columns are"},
    parts=deep_parts(_by_sums, TOKENS_L1,
                     replace(PAPER, cover=zhang_basis), "_21", B_21, repaired.by_sums,
                     rows=lambda setting: repaired.by_sums(setting, rows=True)),
)  # fmt: skip
