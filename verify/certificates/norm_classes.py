"""Every bound that applies to a trained network, at its measured norms, which are paid for.

The class of a bound is the networks with norms no larger than those measured, each rounded up to its cell, at the share
of delta that the class has (maurey/posthoc). Entropies lead to a gap by the chain of edelman2022/2.2, complexities by
trauger2024/S4.2 (heads add) and S2.3. The loss is 1-Lipschitz in the difference z of the logits, and with |z| <= A it
lies between 0 and b = log(1 + e^A), which no gap exceeds.

With as few samples as networks are trained on, a bound may say no more than that, or be negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from sympy import Indexed, evaluate

from maurey.numeric.evaluation import value, value_of
from maurey.symbolic import networks
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.modules import Fixed, Heads, Module, Signal, compose
from maurey.symbolic.names import symbols
from maurey.symbolic.norms import Matrix
from maurey.symbolic.papers.edelman2022 import section_4
from maurey.symbolic.papers.trauger2024 import section_4 as one_layer
from maurey.symbolic.papers.trauger2024.section_2 import COUNTING
from maurey.symbolic.papers.trauger2024.section_c_d import TOKENS_L1
from maurey.symbolic.route import PAPER, SHARP, Route
from maurey.verify.models.numbers.cells import cell, weight
from maurey.verify.training.trials.boolean import Config

from .gaps import Gap, Stated, Values, above, largest_loss, rounded_up, upper

DELTA = Fraction(1, 20)
UNUSED = ("l1",)  # measured, and in no bound
PROVED = ("derived", "sharp")  # a repaired form has no chain to the gap
HEADS, COUNTED = "edelman2022/A.12", "trauger2024/S2.5"
CHAIN, LOSSES = "edelman2022/2.2", "trauger2024/S2.3"
LAYERS = {  # the radius of the tokens and the norm of W_QK that each wants
    "trauger2024/4.1.1": ("B_X", "B_QK_11"),
    "trauger2024/D.0.1": ("B_X_1", "B_QK_1inf"),
    "trauger2024/D.0.2": ("B_X_1", "B_QK_21"),
}
d, m, T, L_sigma, B_X, B_w, L_out, A = symbols("d m T L_sigma B_X B_w L_out A")


# --- entropies: sums of heads, by their norms or by their number of entries ------------------------------------------


def _normed(route: Route, H: int) -> Heads:
    setting = Setting({"H": H}, frozenset({"B_V_F", "B_QK_F"}), None)
    return Heads(tuple(section_4.head(setting, route, h) for h in range(1, H + 1)))


def _counted(route: Route, H: int) -> Heads:
    """Heads of which nothing is known but spectral norms."""

    def head(h: int) -> Module:
        V, QK = (Matrix(f"{n}_{h}", f"{n}^{{[{h}]}}", d, d, spectral=Indexed(f"B_{n}", h)) for n in ("V", "QK"))
        return compose(route.attention(V, QK, one_query=True), Fixed(L_sigma))

    return Heads(tuple(head(h) for h in range(1, H + 1)))


@cache
def gap_steps(key: str, form: str, H: int, linear: bool) -> list[Step]:
    """The gap of a sum of H heads with a read-out w, or with what comes after them known to be Lipschitz."""
    D, x, last = Derivation(), Signal(B_X, m, T), networks.readout() if linear else Fixed(L_out)
    route = SHARP if form == "sharp" else PAPER
    with evaluate(False):
        if key == COUNTED:
            heads = _counted(COUNTING if form == "sharp" else PAPER, H)
            return D.steps_to(networks.counted_gap(D, route, compose(heads, last), x, A))
        return D.steps_to(networks.network_gap(D, route, compose(_normed(route, H), last), x, A))


@cache
def range_steps(H: int) -> list[Step]:
    """The largest |w . sum of heads|."""
    D = Derivation()
    radius = compose(_normed(PAPER, H), Fixed(B_w)).sensitivity(D, Signal(B_X, m, T)).output.radius
    return D.steps_to(D.let("A", "A", radius, "the largest value"))


def _of_heads(config: Config, at: Values) -> Iterator[Stated]:
    H, linear = config.heads, "B_w" in at
    range_ = above(upper(value_of(range_steps(H), at))) if linear else at["A"]
    at = {**at, "A": range_, "b": largest_loss(range_)}

    def printed(many: int) -> Decimal:
        """Read out by a fixed vector, as in 4.2-scalar."""
        here = {**at, "m": Fraction(many), "eps": 1 / at["B_w" if linear else "L_out"]}
        C_F = upper(value(HEADS, "printed", "log_N", here))
        here |= {"C_F": above(C_F)}
        return upper(value(CHAIN, "printed", "gap", here))

    def ours(key: str, form: str) -> Gap:
        return lambda many: upper(value_of(gap_steps(key, form, H, linear), {**at, "m": Fraction(many)}))

    largest = rounded_up(at["b"])
    yield Stated(key=HEADS, part="", form="printed", largest=largest, trained_on=config.m, least=1, at=printed)
    for key in (HEADS, COUNTED):
        yield from (
            Stated(key=key, part="", form=form, largest=largest, trained_on=config.m, least=1, at=ours(key, form))
            for form in PROVED
        )


# --- complexities: one head after the other, peeled ------------------------------------------------------------------


def _of_layers(config: Config, at: Values) -> Iterator[Stated]:
    """With both readings of the outer norms."""
    for key, (x, QK) in LAYERS.items():
        for part in ("R", "R_rows"):
            each = [
                {**at, "k": Fraction(config.width // config.heads), QK: at[QK][h]}
                | {name: at[name + part.removeprefix("R")][h] for name in ("B_V_1inf", "B_C_1inf")}
                for h in range(config.heads)
            ]
            D = Derivation()
            reach = one_layer.outer_range(D, part == "R_rows", TOKENS_L1 if x == "B_X_1" else one_layer.TOKENS)
            b = largest_loss(sum((upper(value_of(D.steps_to(reach), own)) for own in each), Decimal(0)))
            for form in ("printed", *PROVED):
                gap = _summed(key, part, form, each, b)
                yield Stated(
                    key=key,
                    part=part,
                    form=form,
                    largest=rounded_up(b),
                    trained_on=config.m,
                    least=config.width + 2,
                    at=gap,
                )  # m > d


def _summed(key: str, part: str, form: str, each: Sequence[Values], b: Fraction) -> Gap:
    def gap(many: int) -> Decimal:
        R = [upper(value(key, form, part, {**own, "m": Fraction(many)})) for own in each]
        if min(R) < 0:  # no complexity is, and S4.2 takes none
            return min(R)
        total = upper(value("trauger2024/S4.2", "printed", "R", {"R_F": above(R)}))
        here = {**each[0], "m": Fraction(many), "b": b, "R_F": above(total)}
        return upper(value(LOSSES, form, "gap", here))

    return gap


def of_class(config: Config, norms: Mapping[str, Any], delta: Fraction) -> list[Stated]:
    """Of a class that is given before the sample: as printed, and proved; those of layers where the read-out is
    linear."""
    sizes = {"d": config.width + 1, "T": config.T + 1, "H": config.heads, "L_sigma": 1, "L_loss": 1, "kappa": 2}
    at: dict[str, Any] = {**norms, **{name: Fraction(size) for name, size in sizes.items()}, "delta": delta}
    return [*_of_heads(config, at), *(_of_layers(config, at) if "B_w" in norms else ())]


def paid(norms: Mapping[str, Any]) -> tuple[dict[str, Any], Fraction]:
    """Measured norms rounded up to their cells, and by what delta is multiplied."""
    cells = {name: _cells(above(x)) for name, x in norms.items() if name not in UNUSED}
    every = [one for own in cells.values() for one in (own if isinstance(own, list) else [own])]
    bounds = {name: [c.bound for c in own] if isinstance(own, list) else own.bound for name, own in cells.items()}
    return bounds, weight(every)


def _cells(x: Any) -> Any:
    return [cell(one) for one in x] if isinstance(x, list) else cell(x)


def bounds(config: Config, norms: Mapping[str, Any]) -> list[Stated]:
    """Of a network with these norms."""
    known, share = paid(norms)
    return of_class(config, known, DELTA * share)
