"""What is told of a model, a checkpoint or a module of torch: the page of every bound, with what was measured."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maurey.symbolic.errors import cut

from . import bound
from .columns import columns, fitted

if TYPE_CHECKING:
    from maurey.verify.models.measured import Row
    from maurey.verify.models.numbers.enclosures import Between
    from maurey.verify.models.report import ModelReport

BAR = 40  # characters of the longest bar
NAME = 44  # of what a module is called
DIGITS = 12
NORMS = ("spectral", "frobenius", "rows", "columns", "row_sum", "column_sum", "row_l1", "column_l1", "entries")


# --- the record -------------------------------------------------------------------------------------------------------


def record(found: ModelReport, provenance: dict[str, Any]) -> dict[str, Any]:
    from maurey.verify.models.hypotheses import nats

    plain = bound.record(found, provenance)
    measured = {(s.layer, s.module): s.log10 for s in found.slopes}
    for row in plain["lipschitz"]:
        key = row["layer"], row["module"] or ""
        row["measured_log10"] = f"{measured[key]:.6g}" if key in measured else None
    plain["model"] = {"name": found.name, **plain["model"], "buffers": list(found.buffers)}
    plain["layers"] = layers(found)
    plain["posthoc"] = {
        "norms": {name: 2 ** (cell.k / 8) for name, cell in found.cells.items()},
        "cells": {name: cell.k for name, cell in found.cells.items()},
        "nats": round(nats(found.price), 6),
    }
    plain["noisy"] = _noisy(found)
    return plain


def layers(found: ModelReport) -> list[dict[str, Any]]:
    """One row for each matrix, with its coefficient and its share in the best route in real numbers."""
    shares = {(s.matrix, s.layer): s.share for s in found.blame if s.route == found.best}
    rows = []
    for row in found.layers:
        coefficient = found.coefficients.get(row.place.label)
        share = shares.get((row.place.slot, row.place.layer or None))
        told = {"coefficient_log10": coefficient, "share": share}
        rows.append(layer(row) | {name: None if x is None else f"{x:.8g}" for name, x in told.items()})
    return rows


def layer(row: Row) -> dict[str, Any]:
    """One matrix; norms are those of the map, each between two decimals."""
    norms = {name: ends(getattr(row.norms, name)) for name in NORMS if getattr(row.norms, name) is not None}
    return {
        "name": row.name, "matrix": row.place.slot, "layer": row.place.layer or None, "shape": list(row.shape),
        "kind": row.kind, "frozen": row.frozen, "norms": norms, "stable_rank": row.stable_rank,
        "bits": row.bits, "coded_bits": row.coded,
    }  # fmt: skip


def ends(found: Between) -> list[str]:
    return [str(decimal(found.lower, ROUND_FLOOR)), str(decimal(found.upper, ROUND_CEILING))]


def decimal(x: Fraction, rounding: str, digits: int = DIGITS) -> Decimal:
    return Context(prec=digits, rounding=rounding).divide(Decimal(x.numerator), Decimal(x.denominator))


def _noisy(found: ModelReport) -> dict[str, Any] | None:
    n = found.noisy
    if n is None:
        return None
    return {
        "sigma": str(decimal(n.sigma, ROUND_CEILING)), "KL": str(n.KL.upper), "draws": n.draws,
        "mean_loss": str(decimal(n.mean * found.range, ROUND_CEILING)),
        "mean_loss_above": str(decimal(n.above * found.range, ROUND_CEILING)),
        "risk": str(decimal(Fraction(n.risk.upper) * found.range, ROUND_CEILING)),
    }  # fmt: skip


# --- the page ---------------------------------------------------------------------------------------------------------


def page(found: ModelReport, width: int = bound.WIDTH) -> str:
    return bound.page(found, width, {"stretches": stretches(found, width), "routes": noisy_lines(found, width)})


def stretches(found: ModelReport, width: int) -> list[str]:
    """A bar for each layer and module, and beside it what was measured."""
    if not found.stretches:
        return []
    total = sum((s.log10 for s in found.stretches), Decimal(0))
    measured = {(s.layer, s.module): s.log10 for s in found.slopes}
    unit = max(abs(float(s.log10)) for s in found.stretches) or 1.0
    rows: list[tuple[str, ...]] = []
    for s in found.stretches:
        name = f"layer {s.layer}" if s.layer else cut(s.module, NAME)
        bar = "#" * round(BAR * max(0.0, float(s.log10)) / unit)
        beside = (f"{measured[s.layer, s.module]:.2f}",) if (s.layer, s.module) in measured else ("",)
        rows.append((f"  {name}", f"{s.log10:.2f}", *(beside if measured else ()), bar))
    head = ("", "bound", *(("measured",) if measured else ()), "")
    lines = [f"Lipschitz constants, as powers of ten: {total:.2f} in all"]
    if measured:
        lines += fitted("  measured: the derivative at the words that are given; no bound", width, "  ")
    return [*lines, *columns([head, *rows], 0, width, lambda text, most: fitted(text, most, "    "))]


def noisy_lines(found: ModelReport, width: int) -> list[str]:
    told = _noisy(found)
    if told is None:
        return []
    text = (
        f"  the noisy network, weights drawn around the trained ones with sigma = {told['sigma']}: its risk is at most "
        f"{float(told['risk']):.4g}; {told['draws']} losses of mean {float(told['mean_loss']):.4g}, so that its mean "
        f"loss on the sample is at most {float(told['mean_loss_above']):.4g}; KL = {float(told['KL']):.6g}"
    )
    return ["", *fitted(text, width, "  ")]
