"""Several claims against a parameter: what is printed of a comparison."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from maurey.numeric.compare import Comparison, Curve
from maurey.numeric.exact import plain_number
from maurey.numeric.grids import from_exact

ROWS = 9  # of the printed table
WIDTH = 100  # of its columns, beyond which curves are numbered


def record(found: Comparison, notes: list[str], plot: str | None) -> dict[str, Any]:
    at = [plain_number(x) for x in found.at]
    return {
        "over": {"name": found.over, "from": at[0], "to": at[-1], "points": len(at)},
        "curves": [
            {"label": c.label, "key": c.key, "part": c.part, "form": c.form, "log10": c.log10} for c in found.curves
        ],
        "at": at,
        "winners": [
            {"from": plain_number(w.start), "to": plain_number(w.end), "label": w.label, "ties": list(w.ties)}
            for w in found.winners
        ],
        "crossovers": [
            {"curves": list(c.curves), "at": [plain_number(x) for x in c.at], "below_before": c.below_before,
             "below_after": c.below_after, "certified": c.certified}
            for c in found.crossovers
        ],
        "notes": notes,
        "plot": plot,
    }  # fmt: skip


def page(found: Comparison, notes: list[str], plot: str) -> list[str]:
    names = {c.label: c.label for c in found.curves}
    lines = []
    if sum(len(name) + 2 for name in names) > WIDTH:
        names = {label: f"[{n}]" for n, label in enumerate(names, 1)}
        lines += [f"{short:>5} {label}" for label, short in names.items()] + [""]
    logs = [from_exact(x).log for x in found.at]
    wanted = (logs[0] + (logs[-1] - logs[0]) * i / (ROWS - 1) for i in range(ROWS))
    rows = sorted({min(range(len(logs)), key=lambda i: abs(logs[i] - log)) for log in wanted})
    columns = [[found.over, *(_short(found.at[i]) for i in rows)]]
    columns += [[names[c.label], *(_value(c, i) for i in rows)] for c in found.curves]
    widths = [max(map(len, column)) for column in columns]
    lines += [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in zip(*columns, strict=True)
    ]
    lines += ["", "smallest"]
    for w in found.winners:
        tie = f" and {', '.join(names[label] for label in w.ties)}, a tie," if w.ties else ""
        lines.append(f"  {names[w.label]}{tie} {_interval(found.over, w.start, w.end, 'from', 'to')}")
    lines += ["", "crossovers" if found.crossovers else "no crossovers"]
    for c in found.crossovers:
        where = _interval(found.over, *c.at, "between", "and")
        lines.append(
            f"  {names[c.below_after]} falls below {names[c.below_before]} {where}, "
            + ("certified" if c.certified else "undecided")
        )
    lines += ["", *(f"note: {note}" for note in notes)]
    return [*lines, plot] if plot else lines


def _interval(name: str, low: Fraction, high: Fraction, first: str, then: str) -> str:
    return f"at {name} = {_short(low)}" if low == high else f"{first} {name} = {_short(low)} {then} {_short(high)}"


def _short(x: Fraction) -> str:
    text: str = plain_number(x)
    return text if len(text) <= 20 else f"{Decimal(text):.12g}"


def _value(curve: Curve, i: int) -> str:
    """Four digits, of any size."""
    if not curve.values.sign[i]:
        return "0"
    log10, sign = float(curve.values.log10[i]), "-" if curve.values.sign[i] < 0 else ""
    if abs(log10) > 1e9:  # doubles have no digits left for the mantissa
        return f"{sign}10^{log10:.9g}"
    exponent, rest = divmod(log10, 1)
    mantissa = f"{10**rest:.3f}"
    if mantissa == "10.000":
        mantissa, exponent = "1.000", exponent + 1
    return f"{sign}{mantissa}e{int(exponent):+03d}"
