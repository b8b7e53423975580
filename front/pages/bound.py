"""What is told of an architecture: every bound that applies, on a page and as a record."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from decimal import Decimal
from itertools import groupby
from typing import TYPE_CHECKING, Any

from maurey.numeric.exact import context, plain_number
from maurey.symbolic.printing import plain

from .columns import columns, fitted

if TYPE_CHECKING:
    from maurey.numeric.balls import Enclosure
    from maurey.numeric.report import Report
    from maurey.numeric.routes import Row

WIDTH = 100
MOST = 4  # matrices of a route that are named
LONG = 10**15  # integers beyond are told by their size


def brief(x: Any, digits: int = 4) -> str:
    """A number in so many digits, or by its power of ten."""
    if isinstance(x, int) and x < LONG:
        return f"{x:,}"
    value = context(digits).plus(Decimal(x))
    return f"{value:.{digits - 1}E}" if abs(value.adjusted()) > 5 else str(value)


# --- the record -------------------------------------------------------------------------------------------------------


def record(found: Report, provenance: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": {"words": found.words, **found.model},
        "parameters": str(found.parameters),
        "hypotheses": [{"text": h.text, "status": h.status, "value": h.value} for h in found.rests],
        "bounds": [_row(row) for row in found.rows],
        "blame": [
            {"route": s.route, "layer": s.layer, "matrix": s.matrix, "share": _decimal(s.share)} for s in found.blame
        ],
        "lipschitz": [
            {"layer": s.layer, "module": s.module or None, "log10": _decimal(s.log10)} for s in found.stretches
        ],
        "help": [
            {"change": h.change, "route": h.route, "m_least": _integer(h.m_least), "m_now": _integer(h.m_now)}
            for h in found.helps
        ],
        "provenance": provenance | {
            "samples": _integer(found.samples), "delta": str(found.delta), "routes_shown": found.shown,
            "delta_of_each_route": str(found.each), "one_sided": True, "range_of_the_loss": plain_number(found.range),
        },
    }  # fmt: skip


def _row(row: Row) -> dict[str, Any]:
    formula = None
    if row.refused and row.claim is not None:
        from maurey.symbolic.printing import latex_of

        formula = latex_of(row.claim, "derived", part="gap")
    return {
        "route": row.route, "key": row.key, "trained": row.trained, "speaks_of": row.speaks,
        "log_N": _value(row.log_N), "resolution": _value(row.resolution), "gap": _ends(row.gap),
        "m_least": _integer(row.m_least),
        "m_before": _integer(row.m_least - 1) if row.m_least and row.m_least > 1 else None,
        "gap_at_m_least": str(row.at_least.upper) if row.at_least else None,
        "gap_at_m_before": str(row.before.lower) if row.before else None,
        "formula": formula, "refused": row.refused or None,
    }  # fmt: skip


def _decimal(x: Decimal) -> str:
    return format(x, "f") if abs(x.adjusted()) < 20 else str(x)


def _integer(x: int | None) -> str | None:
    return None if x is None else str(x)


def _value(x: Enclosure | None) -> str | None:
    return None if x is None else str(x.value)


def _ends(x: Enclosure | None) -> dict[str, str] | None:
    return None if x is None else {"value": str(x.value), "lower": str(x.lower), "upper": str(x.upper)}


# --- the page ---------------------------------------------------------------------------------------------------------


def page(found: Report, width: int = WIDTH, more: Mapping[str, list[str]] | None = None) -> str:
    """`more`: lines behind the routes, and others in the place of the Lipschitz constants."""
    more = more or {}
    blocks = [_head(found), [*_routes(found, width), *more.get("routes", [])], _formulas(found, width),
              _hypotheses(found, width), _blame(found, width), more.get("stretches") or _stretches(found, width),
              _helps(found, width)]  # fmt: skip
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _head(found: Report) -> list[str]:
    at = {"0-1": "", "ramp": f", margin {plain_number(found.loss.margin)}",
          "cross-entropy": f", cut at {plain_number(found.loss.cap)}"}[found.loss.kind]  # fmt: skip
    frozen = f"; {', '.join(found.frozen)} frozen" if found.frozen else ""
    share = f"; each of {found.shown} routes at delta = {found.each}, so that any may be picked"
    told = (
        f"risk less empirical risk, with probability at least 1 - {plain_number(found.delta)}, for all networks of the "
        f"class at once{share if found.shown > 1 else ''}"
    )
    line = f"{found.words}: {found.parameters:,} numbers{frozen}"
    return [*fitted(line, WIDTH, "  "), f"loss: {found.loss.kind}{at}, from 0 to {plain_number(found.range)}",
            *fitted(told, WIDTH, "  ")]  # fmt: skip


def _routes(found: Report, width: int) -> list[str]:
    """Ranked; below the table, what they are."""
    from maurey.numeric.routes import NOISY

    at = f"gap at m = {brief(found.samples)}" if found.samples else "gap"
    rows: list[tuple[str, ...]] = [("route", at, "below the range from m =", "log N", "speaks of the")]
    shown = sorted((row for row in found.rows if not row.refused), key=lambda row: row.m_least or 10**99999)
    for row in shown:
        gap = "" if row.gap is None else brief(row.gap.upper) + (" (vacuous)" if row.gap.lower >= found.range else "")
        least = brief(row.m_least) if row.m_least else "" if row.route == NOISY else "none found"
        size = brief(row.log_N.value) if row.log_N else ""
        rows.append((row.route, gap, least, size, row.speaks.removeprefix("the ")))
    lines = columns(rows, 0, width, textwrap.wrap)
    for why, group in groupby((row for row in found.rows if row.refused), key=lambda row: row.refused):
        lines += fitted(f"{', '.join(row.route for row in group)}: {why}", width, "  ")
    return [*lines, "", *(line for row in shown for line in fitted(f"  {row.route}: {about(row)}", width, "    "))]


def about(row: Row) -> str:
    from maurey.numeric.routes import ABOUT, AROUND

    plain_route = row.route.removesuffix(AROUND)
    words = ABOUT[plain_route].removeprefix("bits: ").removeprefix("norms: ")
    return f"{words}{row.route.removeprefix(plain_route)} [{row.key}]"


def _formulas(found: Report, width: int) -> list[str]:
    """Where no norms are given."""
    from maurey.numeric.routes import NO_NORMS
    from maurey.symbolic.expressions import text_of

    lines: list[str] = []
    for row in found.rows:
        if row.refused == NO_NORMS and row.claim is not None:
            *where, last = row.claim.part("gap").steps("derived")
            lines += [*([""] if lines else []), *fitted(f"{row.route}: gap <= {text_of(last.expr)}", width, "      ")]
            for step in where:
                lines += fitted(f"    where {step.shown} = {text_of(step.expr)}", width, "      ")
    if lines:
        row = next(row for row in found.rows if row.refused == NO_NORMS)
        assert row.claim is not None
        symbols = [f"    {p.name}: {plain(p.meaning)}" for p in row.claim.symbols]
        lines += ["", "  in which", *symbols]
    return lines


def _hypotheses(found: Report, width: int) -> list[str]:
    lines = ["hypotheses"]
    for h in (h for h in found.rests if not h.norm):
        value = "" if h.value is None else f": {h.value}"
        lines += fitted(f"  {h.status:<8} {h.text}{value}", width, " " * 9)
    norms = "; ".join(f"{h.norm} {h.value}" for h in found.rests if h.norm)
    return lines + (fitted(f"  stated   norms in every network of the class: {norms}", width, " " * 9) if norms else [])


def _blame(found: Report, width: int) -> list[str]:
    lines = ["where it comes from: shares of the log covering number"] if found.blame else []
    for route, group in groupby(found.blame, key=lambda s: s.route):
        largest = sorted(group, key=lambda s: -s.share)
        told = [f"{s.matrix}{f' of layer {s.layer}' if s.layer else ''} {100 * s.share:.1f} %" for s in largest[:MOST]]
        more = [f"{len(largest) - MOST} more"] if len(largest) > MOST else []
        lines += fitted(f"  {route}: {', '.join([*told, *more])}", width, "    ")
    return lines


def _stretches(found: Report, width: int) -> list[str]:
    if not found.stretches:
        return []
    total = sum((s.log10 for s in found.stretches), Decimal(0))
    lines = [f"Lipschitz constants, as powers of ten: {total:.2f} in all"]
    layers = [s for s in found.stretches if s.layer is not None]
    alike = [(f"{value:.2f}", [s.layer for s in group]) for value, group in groupby(layers, key=lambda s: s.log10)]
    for value, numbers in alike:
        lines.append(f"  layer {numbers[0]}{f' to {numbers[-1]}, each' if len(numbers) > 1 else ''}: {value}")
    others = [f"{s.module} {s.log10:.2f}" for s in found.stretches if s.layer is None and s.log10]
    return lines + fitted(f"  {'; '.join(others)}", width, "    ") if others else lines


def _helps(found: Report, width: int) -> list[str]:
    lines = ["what would help"] if found.helps else []
    for h in found.helps:
        now = f" instead of {brief(h.m_now)}" if h.m_now else ""
        told = f"{h.route} from m = {brief(h.m_least)}{now}" if h.m_least else f"{h.route} says nothing"
        lines += fitted(f"  {h.change}: {told}", width, "    ")
    return lines
