"""Repaired complexities: each display is, identically, what the calculus gives with covers in closed form and chains
that are not cut off at the range of one coordinate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sympy import Integer, Min, Symbol, log, sqrt

from maurey.symbolic import registry
from maurey.symbolic.allocation import quadratic_total
from maurey.symbolic.capacity import covered, term
from maurey.symbolic.chain import chained, levelled, union_cost
from maurey.symbolic.claim import Setting
from maurey.symbolic.covers import Cover, closed_columns, closed_entries, on_corners
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.modules import Linear, Signal
from maurey.symbolic.names import symbols
from maurey.symbolic.norms import Matrix
from maurey.symbolic.papers.trauger2024 import section_2, section_4, section_c_d
from maurey.symbolic.peeling import score_weight
from maurey.symbolic.softmax import BEST_CONSTANT, CROSS_ENTROPY
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula, nested
from maurey.verify.prove.repairs import SIZES, Calculus, in_letters, same_display

from .chain import best_cut_off
from .repairs import TWO, lattices

P = "trauger2024/"
d, m, K, B_w, B_11 = symbols("d m K B_w B_W_11")
C_F, B_QK_11, B_QK_1inf, B_QK_21 = symbols("C_F B_QK_11 B_QK_1inf B_QK_21")
Lemmas = Callable[[], Iterable[Proof]]


def uncut(steps: list[Step], name: str) -> list[Step]:
    """A step that takes the smaller of a range and a chain: the chain, which is no smaller."""

    def chain(one: Step) -> Step:
        (found,) = (x for x in one.expr.args if x.has(log))
        return replace(one, expr=found)

    return [chain(one) if one.name == name else one for one in steps]


def one_layer(x: Signal, QK: Matrix, cover: Cover, rows: bool, scalar: bool = False) -> Calculus:
    """What is peeled off, one coordinate by the best chain, and the largest of 2d of them."""

    def build(_: Setting) -> list[Step]:
        D = Derivation()
        F = section_4.outer(D, rows)
        weight = score_weight(D, BEST_CONSTANT, QK, x, scalar=scalar)
        C = quadratic_total(D, [term(weight, cover(D, weight))])[1]
        R = levelled(D, C, A=x.radius, m=m, name="R_one") + union_cost(2 * d, x.radius, m)
        A = section_4.outer_range(D, rows, x)
        return uncut(D.steps_to(D.let("R_layer", "", Min(F * R, A), "or the range")), "R_one")

    return build


def both_readings(x: Signal, QK: Matrix, cover: Cover, scalar: bool = False) -> dict[str, Calculus]:
    return {part: one_layer(x, QK, cover, rows, scalar) for part, rows in (("R", False), ("R_rows", True))}


def norms(_: Setting) -> list[Step]:
    """S2.5: all entries at once, and maurey/chaining."""
    D = Derivation()
    A = D.let("A", "A", section_2.RANGE, "the range")
    C = quadratic_total(D, covered(D, section_2.linear_functions(), section_2.POINTS, closed_entries))[1]
    return D.steps_to(chained(D, C, A, m))


def words(setting: Setting) -> list[Step]:
    """5.1: the entropy with K rows in the place of w."""
    D = Derivation()
    rows = Linear(Matrix("w", "w", K, d, rows=B_w, entries=B_11), largest=True)
    module = section_4.deep(setting, TWO, "_11", B_11, last=rows)
    return D.steps_to(quadratic_total(D, covered(D, module, section_4.TOKENS, closed_entries))[1])


@check(P + "5.1")
def vocabulary(effort: Effort) -> Iterator[Result]:
    """The entropy, layer by layer, and then maurey/chaining, and losses that move twice as far as scores."""
    C = Symbol("C_class")
    entropies = []
    for L in SIZES:
        steps = registry.find(P + "5.1").part("R").steps("repaired", Setting({"L": L}))
        at = [one.name for one in steps].index(C.name) + 1
        display, given = nested(steps[:at], L=L), nested(words(Setting({"L": L})), L=L)
        entropies.append(same(in_letters(display), in_letters(given)))
    D = Derivation()
    chain = nested(D.steps_to(D.let("R_loss", "", CROSS_ENTROPY * chained(D, C, B_w, m), "")))
    for part in ("R", "R_vocabulary"):
        steps = registry.find(P + "5.1").part(part).steps("repaired", Setting({"L": 2}))
        note = "The entropy is what the calculus gives with covers in closed form, L = 1, 2, 3; then maurey/chaining."
        yield conclude(note, [*lattices(), *entropies, same(nested(steps[-2:]), chain)], rung="identity", part=part,
                       form="repaired")  # fmt: skip


def counting(setting: Setting) -> list[Step]:
    return registry.find(P + "S2.5").part("counting").steps("derived", setting)


CALCULUS: dict[str, tuple[dict[str, Calculus], Lemmas]] = {
    "4.1": (both_readings(section_4.TOKENS, section_4.query_key(), section_4.given(C_F)), tuple),
    "4.1.1": (both_readings(section_4.TOKENS, section_4.query_key(entries=B_QK_11), closed_entries), lattices),
    "D.0.1": (both_readings(section_c_d.TOKENS_L1, section_4.query_key(column_l1=B_QK_1inf), closed_columns), lattices),
    "D.0.2": (
        both_readings(section_c_d.TOKENS_L1, section_4.query_key(column_sum=B_QK_21), on_corners, scalar=True),
        tuple,
    ),
    "S2.5": ({"counting": counting, "norms": norms}, lattices),
}

for key, (calculus, lemmas) in CALCULUS.items():
    check(P + key)(same_display(P + key, calculus, lemmas, how="with covers in closed form and no minimum inside"))

# --- 4.1: the minimiser of Dudley's sum, and 3.2 ----------------------------------------------------------------------


@check(P + "4.1")
def least_sum(effort: Effort) -> Iterable[Result]:
    """Below the range the sum is least where its slope vanishes; there it is no more than at the range, B_x."""
    where, least = best_cut_off()
    B, C, n, dim = positive("B_X C_F m d")
    root = sqrt(log(2 * dim))
    star = 2 * B**2 * sqrt(C) / (sqrt(n) - root)
    note = "where the slope of Dudley's sum vanishes, or the range (z3)"
    yield conclude(note, [*where, same(formula(P + "4.1", "repaired", "delta_star"), Min(B, star))],
                   part="delta_star", form="repaired")  # fmt: skip
    shown = formula(P + "4.1", "repaired", "E").args[0]
    printed = formula(P + "4.1", "printed", "E")
    yield conclude(f"{note}: the printed sum where it lies below", [*least, same(shown.expr, printed)], part="E",
                   form="repaired")  # fmt: skip


@check(P + "3.2")
def mixtures(effort: Effort) -> Result:
    """|sum t_j v_j| <= sum |t_j| |v_j| for a norm, and the |t_j| sum to 1 at most: term by term."""
    a, b, p, q, E_in = positive("a b p q E_in")
    joined = polynomial(a + b <= E_in, a <= p * E_in, b <= q * E_in, p + q <= 1, control=a + b <= less * E_in)
    shown = formula(P + "3.2", "repaired", q=Integer(2))
    note = "For q >= 1 the norm of a mixture is at most the mean of the norms (z3, two at a time)."
    return conclude(note, [joined, same(shown, Symbol("E_in", positive=True))], part="log_N", form="repaired")
