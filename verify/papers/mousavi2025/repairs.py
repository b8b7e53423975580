"""Repaired forms: each display is, identically, what the calculus gives with the covers that are proved here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sympy import Expr, sqrt

from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.covers import online_fine_sum, volumetric
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.entropy import Entropy, minimum, parametric
from maurey.symbolic.forms import Steps, steps
from maurey.symbolic.modules import Weight
from maurey.symbolic.moments import label_moment, label_square, longest_moment, token_square
from maurey.symbolic.names import symbols
from maurey.symbolic.norms import norm
from maurey.symbolic.papers.mousavi2025 import section_a_covers, section_a_risk
from maurey.symbolic.softmax import BEST_CONSTANT
from maurey.symbolic.truncation import allowed_tail, error_moment, level
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import correction, fine_columns, lists, moved_by_parameters, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.proofs import conclude, formula
from maurey.verify.prove.repairs import same_display

eps, n, N, m, d, q, H, D_e, R = symbols("eps n N m d q H D_e R")
B_a, B_W, C_x, C_y, s = symbols("B_a B_W_F C_x C_y s")
P = "mousavi2025/"


def own_form(key: str, part: str, form: str) -> Callable[[Setting], list[Step]]:
    return lambda setting: registry.find(key).part(part).steps(form, setting)


check(P + "41")(same_display(P + "41", own_form(P + "41", "log_P", "derived"), how="by volumes"))

for number, part in (("11", "QK_21"), ("22", "width"), ("23", "A"), ("42", "width"), ("42", "a")):
    shown = {part: own_form(P + number, part, "derived")}
    check(P + number)(same_display(P + number, shown, how="step by step"))

# --- 14: two layers, Lipschitz in their parameters --------------------------------------------------------------------


@check(P + "14")
def two_layers(effort: Effort) -> Result:
    reach = R * R * sqrt(1 + H * R**2)  # the radius of the ball times the Lipschitz constant R S
    counted = parametric(m * (H * D_e + 2), 2 * reach).at(eps).subs(_positive())
    note = (
        "The block is R sqrt(1 + |h|^2)-Lipschitz in all its parameters together (z3), |h|^2 <= H R^2; a maximal "
        "packing of the ball of parameters is counted by volume."
    )
    return conclude(note, [*moved_by_parameters(), same(formula(P + "14", "repaired"), counted)], form="repaired",
                    part="log_N")  # fmt: skip


def _positive() -> dict[Expr, Expr]:
    return {x: positive(x.name) for x in (eps, m, H, D_e, R)}


# --- 16, 17: columns by norms in the ratio 5/4, or entries by volume --------------------------------------------------


def fine_columns_or_entries(D: Derivation, w: Weight) -> Entropy:
    M = w.matrix
    if M.row_sum is None:
        return volumetric(D, w)
    return minimum(online_fine_sum(norm(D, M, "row_sum"), w.radius, w.number, M.outputs), volumetric(D, w))


def _matrices(D: Derivation) -> Expr:
    w = section_a_covers.joint().query_key(D)
    return D.let("log_N", "", fine_columns_or_entries(D, w).at(eps), "the smaller of the two covers")


def _transformer(D: Derivation) -> Expr:
    net = section_a_covers.shallow(BEST_CONSTANT)
    weights = net.module().sensitivity(D, net.signal()).weights
    return net.shared(D, list(weights), eps, fine_columns_or_entries)


def with_fine_columns(key: str, calculus: Steps) -> None:
    """The display, and the cover that it rests on."""
    compare = same_display(key, steps(calculus))

    @check(key)
    def found(effort: Effort) -> Iterator[Result]:
        results = compare(effort)
        assert not isinstance(results, Result)
        for result in results:
            cover = conclude("", [*correction(), *lists(), *fine_columns()])
            words = " Norms of columns in the ratio 5/4 have weights that sum to at most 3/2 B, and each correction "
            words += "lowers the weighted distance by its share (z3)."
            yield replace(result, note=result.note + words) if cover.verdict == "holds" else replace(
                cover, part=result.part, form=result.form)  # fmt: skip


with_fine_columns(P + "16", _matrices)
with_fine_columns(P + "17", _transformer)

# --- 20 ---------------------------------------------------------------------------------------------------------------


def _level(D: Derivation) -> Expr:
    """The sharp level with twice the sum of the squares for the fourth moment of the error."""

    def square(squared: Expr) -> Expr:
        return section_a_risk.prediction_square(squared, H, B_a * B_W, exact=True)

    moment = error_moment(D, label_moment(D, C_y, s), square(longest_moment(D, C_x, d, N)))
    tail = allowed_tail(D, moment, n)
    return level(D, label_square(D, C_y, s, tail), square(token_square(D, C_x, d, N, tail)))


check(P + "20")(same_display(P + "20", steps(_level), how="with twice the sum of the squares for the moment"))
