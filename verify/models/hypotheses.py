"""What a report on a model rests on: what was checked, what its user states, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING

from maurey.numeric.hypotheses import CHECKED, REFUSED, STATED, Hypothesis
from maurey.numeric.routes import AROUND, NOISY, ROUNDED

from .bases import Near
from .measured import Row
from .model import Model
from .numbers.cells import Cell

if TYPE_CHECKING:
    from .report import Options


@dataclass(frozen=True)
class Measurement:
    """The matrices, the cells that their norms and the margin are in, and the share of delta that these have."""

    rows: Sequence[Row]
    cells: Mapping[str, Cell]
    share: Fraction
    near: Near | None
    one_pass: bool
    margin: Fraction  # of the grid


def nats(share: Fraction) -> float:
    """What a share of delta adds to log(1/delta)."""
    return log(share.denominator) - log(share.numerator)


def rests(model: Model, options: Options, measured: Measurement, shown: int) -> Iterator[Hypothesis]:
    yield Hypothesis("the samples are drawn independently from one distribution", STATED)
    yield from model.rests(options.loss)
    if options.frozen:
        number, patterns = sum(row.frozen for row in measured.rows), ", ".join(options.frozen)
        text = f"the tensors called {patterns} were fixed before the sample was drawn, and are not trained"
        yield Hypothesis(text, STATED, f"{number} of {len(measured.rows)}")
    yield from _norms(options, measured)
    yield from _near(options, measured.near)
    text = "every route bounds one side, risk less empirical risk, at this share of delta"
    yield Hypothesis(text, CHECKED, f"1/{shown}")
    yield Hypothesis("bits: a program whose output on one input depends on nothing else", STATED)
    if options.bits:
        yield Hypothesis(f"{ROUNDED}: the empirical risk is that of the rounded model", STATED, f"{options.bits} bits")
    yield Hypothesis("what speaks of the real-number network says nothing of rounding in its program", STATED)
    yield from (Hypothesis(why, REFUSED) for why in model.refused)


def _norms(options: Options, measured: Measurement) -> Iterator[Hypothesis]:
    how = "in one pass: the spectral norm is at most the Frobenius norm" if measured.one_pass else "certified"
    yield Hypothesis(f"norms of {len(measured.rows)} matrices are those of the model, {how}", CHECKED)
    chosen = "norms and margin were" if options.loss.kind == "ramp" else "norms were"
    yield Hypothesis(
        f"{chosen} chosen after the data: each is rounded up to its cell, and the union over all cells is in every "
        "bound in real numbers, as so many nats beside log(1/delta) (maurey/posthoc)",
        CHECKED,
        f"{len(measured.cells)} numbers, {nats(measured.share):.1f} nats",
    )
    if options.loss.kind == "ramp":
        yield Hypothesis(
            "the margin is paid for in every bound, those of programs too; the risk is that at this margin of the grid,"
            " and the empirical risk at most that at the margin which is given",
            CHECKED,
            f"{float(measured.margin):.6g}",
        )
    if options.loss.kind == "cross-entropy":
        yield Hypothesis("the cap of the loss was fixed before the sample was drawn", STATED)


def _near(options: Options, near: Near | None) -> Iterator[Hypothesis]:
    if near is None:
        return
    text = f"routes{AROUND}: the base was fixed before the sample was drawn; distances are paid for like norms"
    yield Hypothesis(text, STATED, f"{len(near.cells)} numbers, {nats(near.share):.1f} nats")
    if near.lacks:
        yield Hypothesis("what the base lacks is zero in it", STATED, ", ".join(near.lacks))
    if options.sigma:
        text = f"{NOISY}: the losses are those of networks drawn independently with this sigma, on the sample"
        yield Hypothesis(text, STATED, options.sigma)
