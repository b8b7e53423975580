"""Appendices C and D: the softmax, and the corollaries of Theorem 4.1."""

from collections.abc import Callable
from dataclasses import replace

from sympy import Expr, Symbol, log, sqrt

from maurey.symbolic.claim import Claim, Form, Setting
from maurey.symbolic.covers import maurey_columns, on_corners, zhang_basis
from maurey.symbolic.derivation import Step
from maurey.symbolic.modules import Signal
from maurey.symbolic.names import C0, KAPPA, parameters, symbols
from maurey.symbolic.papers.edelman2022.section_a2_heads import lemma_a7

from . import repaired
from .section_3 import KEPT, LOGARITHMS
from .section_4 import (
    AS_STATED,
    CONDITIONS,
    LAYER_DEPARTURES,
    PEELING_USES,
    both_readings,
    layer,
    peeled,
    printed_layer,
    query_key,
    sharp_layer,
)

d, m, T, B_X_1, B_1inf, B_21 = symbols("d m T B_X_1 B_QK_1inf B_QK_21")
TOKENS_L1 = Signal(B_X_1, m, T, radius_1=B_X_1)

softmax = replace(
    lemma_a7,
    key="trauger2024/C.1",
    title="The softmax is 2-Lipschitz, restated",
    uses=("edelman2022/A.6", "edelman2022/A.7"),
)


def _printed(alpha: Callable[[], Expr]) -> Form:
    def build(_: Setting) -> list[Step]:
        a, root = Symbol("alpha_QK"), sqrt(m) - sqrt(log(2 * d))
        value = printed_layer(peeled(), B_X_1**3 * a, root / (B_X_1**2 * a), B_X_1)
        return [Step("alpha_QK", r"\alpha", alpha(), "as printed"), Step("R", "", value, "as printed")]

    return build


LETTERS = {"B_X_1": "B_x", "B_C_1inf": "B_{W_c}", "B_V_1inf": "B_{W_v}"}

corollary_d1 = Claim(
    key="trauger2024/D.0.1",
    title=r"One layer, $\|W_{QK}\|_{1,\infty}$",
    kind="rademacher",
    statement=rf"""Theorem 4.1 with the cover of Lemma 3.3, for tokens $\|x\|_1\le B_x$ and
$\|W_{{QK}}\|_{{1,\infty}}\le B_{{W_{{QK}}}}$. {AS_STATED}""",
    symbols=parameters("d k m L_sigma B_w_1 B_C_1inf B_V_1inf B_X_1 B_QK_1inf", B_QK_1inf="B_{W_{QK}}", **LETTERS),
    assumes=CONDITIONS,
    uses=("trauger2024/4.1", "trauger2024/3.3", *PEELING_USES, "maurey/entrywise"),
    constants=(C0, KAPPA),
    differs=LAYER_DEPARTURES,
    parts=both_readings(
        _printed(lambda: 2 * B_1inf * sqrt(d * log(2 * d + 1))),
        lambda rows: layer(TOKENS_L1, query_key(column_l1=B_1inf), maurey_columns, rows),
        lambda rows: sharp_layer(TOKENS_L1, query_key(column_l1=B_1inf), rows),
        repaired.columns(),
    ),
)  # fmt: skip

corollary_d2 = Claim(
    key="trauger2024/D.0.2",
    title=r"One layer, $\|W_{QK}\|_{2,1}$",
    kind="rademacher",
    statement=rf"""Theorem 4.1 with the cover of Lemma 3.4, for tokens $\|x\|_1\le B_x$ and
$\|W_{{QK}}\|_{{2,1}}\le B_{{W_{{QK}}}}$. {AS_STATED}""",
    symbols=parameters("d k m L_sigma B_w_1 B_C_1inf B_V_1inf B_X_1 B_QK_21", B_QK_21="B_{W_{QK}}", **LETTERS),
    assumes=CONDITIONS,
    uses=("trauger2024/4.1", "trauger2024/3.4", *PEELING_USES, "maurey/online"),
    constants=(C0, KAPPA),
    differs={name: text for name, text in LAYER_DEPARTURES.items() if name != "tau_best"}
    | {"bound_QK": r"its linear cover bounds rows that are dotted with $x$; here columns are"},
    parts=both_readings(
        _printed(lambda: 2 * B_21 * sqrt(2 * log(d))),
        lambda rows: layer(TOKENS_L1, query_key(column_sum=B_21), zhang_basis, rows),
        lambda rows: sharp_layer(TOKENS_L1, query_key(column_sum=B_21), rows, on_corners),
        repaired.sums(),
        hides=LOGARITHMS,
        keeps=KEPT,
    ),
)  # fmt: skip
