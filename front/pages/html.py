"""A report as one page that needs no network: tables, a picture of the Lipschitz constants, and every formula."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from html import escape
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from maurey.numeric.routes import NOISY
from maurey.symbolic.compiled import mark
from maurey.symbolic.printing import printer_of, step_latex

from .bound import about, brief

if TYPE_CHECKING:
    from maurey.numeric.report import Report
    from maurey.numeric.routes import Row, Share
    from maurey.symbolic.claim import Parameter

STYLE = """
:root { color-scheme: light dark; --line: #8884; --bar: #4477aa; --measured: #cc6677; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; font-size: 0.9rem; } td, th { padding: 0.2rem 0.8rem 0.2rem 0; text-align: left;
vertical-align: top; border-bottom: 1px solid var(--line); } td.n { font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } .refused, .reason { opacity: 0.7; } math { font-size: 1.05em; } summary { cursor: pointer; }
.step { margin: 0.6rem 0 0.6rem 1rem; overflow: auto hidden; padding-bottom: 0.2rem; }
.reason { font-size: 0.85rem; margin-left: 1rem; }
svg text { font: 12px system-ui, sans-serif; fill: currentColor; }
"""
SLOTS = ("E", "P", "S", "N0", "N1", "N2", "N3", "N4", "Q", "K", "V", "O", "G", "U", "D", "W1", "W2", "head", "pool",
         "patch", "cls", "Nq", "Nk")  # fmt: skip
LARGEST = 8  # matrices of a route that are named
BAR, ROW = 420, 20  # pixels


def page(found: Report, record: dict[str, Any]) -> str:
    title = PurePath(record["model"].get("name") or record["provenance"].get("file") or "a model").name
    blocks = [*_head(found, title), *_routes(found), *_noisy(record), *_hypotheses(found), *_stretches(record),
              *_blame(found), *_helps(found), *_layers(record), *_formulas(found), *_provenance(record)]  # fmt: skip
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}: every bound that applies</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(blocks)
        + "\n</body></html>\n"
    )


# --- blocks -----------------------------------------------------------------------------------------------------------


def _head(found: Report, title: str) -> Iterator[str]:
    yield f"<h1>{escape(title)}</h1>"
    yield f"<p>{escape(found.words)}: {found.parameters:,} numbers.</p>"
    yield (
        f"<p>Bounds on risk less empirical risk, with probability at least 1 - {escape(str(found.delta))}, for all "
        f"networks of the class at once. Each of {found.shown} routes is taken at delta = {escape(str(found.each))}, "
        f"so that any may be picked. The loss is {escape(found.loss.kind)}, from 0 to {escape(str(found.range))}.</p>"
    )


def _routes(found: Report) -> Iterator[str]:
    yield "<h2>Routes</h2>"
    at = f"gap at m = {brief(found.samples)}" if found.samples else "gap"
    head = ("route", at, "below the range from m =", "log N", "speaks of", "what it is")
    rows = []
    for row in sorted((r for r in found.rows if not r.refused), key=lambda r: r.m_least or 10**99999):
        vacuous = row.gap is not None and row.gap.lower >= found.range
        gap = "" if row.gap is None else brief(row.gap.upper) + (" (vacuous)" if vacuous else "")
        least = brief(row.m_least) if row.m_least else "" if row.route == NOISY else "none found"
        size = brief(row.log_N.value) if row.log_N else ""
        rows.append((row.route, gap, least, size, row.speaks, about(row)))
    yield _table(head, rows)
    for why, group in groupby((row for row in found.rows if row.refused), key=lambda row: row.refused):
        names = ", ".join(row.route for row in group)
        yield f'<p class="refused">Refused: {escape(names)}: {escape(why)}.</p>'


def _noisy(record: dict[str, Any]) -> Iterator[str]:
    n = record.get("noisy")
    if n:
        yield (
            f"<p>The noisy network, weights drawn around the trained ones with sigma = {escape(n['sigma'])}: its risk "
            f"is at most {escape(n['risk'])}. {n['draws']} losses of drawn networks have the mean "
            f"{escape(n['mean_loss'])}; KL = {escape(n['KL'])}.</p>"
        )


def _hypotheses(found: Report) -> Iterator[str]:
    yield "<h2>Hypotheses</h2>"
    yield _table(("status", "hypothesis", "value"), [(h.status, h.text, h.value or "") for h in found.rests])


def _stretches(record: dict[str, Any]) -> Iterator[str]:
    rows = record["lipschitz"]
    if not rows:
        return
    total = sum((Decimal(row["log10"]) for row in rows), Decimal(0))
    yield f"<h2>Lipschitz constants</h2><p>As powers of ten, layer by layer: {total:.2f} in all."
    if any(row.get("measured_log10") for row in rows):
        yield "The lower bars are the derivative measured at the words that are given: a measurement, never a bound."
    yield "</p>" + _picture(rows)


def _picture(rows: list[dict[str, Any]]) -> str:
    unit = max(abs(float(row["log10"])) for row in rows) or 1.0
    pieces = []
    for n, row in enumerate(rows):
        name = f"layer {row['layer']}" if row["layer"] else str(row["module"])
        y, bound, measured = ROW * n, float(row["log10"]), row.get("measured_log10")
        pieces.append(f'<text x="0" y="{y + 14}">{escape(name if len(name) < 32 else name[:29] + "...")}</text>')
        pieces.append(_bar(y + 3, 14 if measured is None else 7, bound / unit, "--bar"))
        if measured is not None:
            pieces.append(_bar(y + 10, 7, float(measured) / unit, "--measured"))
        pieces.append(f'<text x="{232 + BAR}" y="{y + 14}">{bound:.2f}{_beside(measured)}</text>')
    height, width = ROW * len(rows), 360 + BAR
    return (
        f'<div class="wide"><svg role="img" aria-label="Lipschitz constants" width="{width}" height="{height}">'
        f"{''.join(pieces)}</svg></div>"
    )


def _bar(y: int, height: int, share: float, color: str) -> str:
    return f'<rect x="224" y="{y}" width="{BAR * max(0.0, share):.1f}" height="{height}" fill="var({color})"/>'


def _beside(measured: str | None) -> str:
    return "" if measured is None else f" ({float(measured):.2f} measured)"


def _blame(found: Report) -> Iterator[str]:
    if not found.blame:
        return
    yield "<h2>Where it comes from</h2><p>Shares of the log covering number.</p>"
    rows = []
    for route, group in groupby(found.blame, key=lambda s: s.route):
        largest = sorted(group, key=lambda s: -s.share)
        told = [f"{_named(s)} {100 * s.share:.1f} %" for s in largest[:LARGEST]]
        more = [f"{len(largest) - LARGEST} more"] if len(largest) > LARGEST else []
        rows.append((route, ", ".join([*told, *more])))
    yield _table(("route", "matrices"), rows)


def _named(share: Share) -> str:
    return f"{share.matrix} of layer {share.layer}" if share.layer else share.matrix


def _helps(found: Report) -> Iterator[str]:
    if found.helps:
        yield "<h2>What would help</h2>"
        rows = [(h.change, h.route, brief(h.m_least) if h.m_least else "says nothing",
                 brief(h.m_now) if h.m_now else "") for h in found.helps]  # fmt: skip
        yield _table(("change", "route", "below the range from m =", "now"), rows)


def _layers(record: dict[str, Any]) -> Iterator[str]:
    if "layers" not in record:
        return
    yield "<h2>Matrices</h2><p>Certified norms, upper ends; the lower ends are in the JSON.</p>"
    names = ("spectral", "frobenius", "rows")
    rows = [
        (layer["name"], "x".join(map(str, layer["shape"])), layer["kind"],
         *(f"{float(layer['norms'][name][1]):.6g}" for name in names),
         "" if layer["stable_rank"] is None else f"{layer['stable_rank']:.4g}", "frozen" if layer["frozen"] else "")
        for layer in record["layers"]
    ]  # fmt: skip
    yield f"<details><summary>{len(rows)} matrices</summary>"
    yield _table(("name", "shape", "stored as", *names, "stable rank", ""), rows) + "</details>"


def _formulas(found: Report) -> Iterator[str]:
    yield "<h2>Formulas</h2><p>The gap, and what its letters stand for, step by step.</p>"
    done = set()
    for row in found.rows:
        if row.claim is None or row.claim.key in done:
            continue
        done.add(row.claim.key)
        yield f"<details><summary>{escape(row.route)}: {escape(about(row))}</summary>{_steps(row)}</details>"


def _steps(row: Row) -> str:
    assert row.claim is not None
    claim = replace(row.claim, symbols=tuple(replace(p, latex=letter(p)) for p in row.claim.symbols))
    part = claim.part("gap")
    *where, last = part.steps(part.forms[-1])
    printer = printer_of(claim, where)
    lines = [(f"{part.lhs} \\le {printer.doprint(last.expr)}", last.reason, last.key)]
    lines += [(f"{step_latex(step)} = {printer.doprint(step.expr)}", step.reason, step.key) for step in where]
    return "".join(
        f'<div class="step">{mathml(formula)}<div class="reason">{prose(reason)}{f" [{escape(key)}]" if key else ""}'
        "</div></div>"
        for formula, reason, key in lines
    )


SUFFIXES = {"F": "^F", "rows": r"^{\mathrm{rows}}", "21": "^{2,1}"}


def letter(p: Parameter) -> str:
    """Of the norm of a slot: B with the letter of the slot below."""
    found = re.fullmatch(r"([BD])_(\w+?)(?:_(F|rows|21))?", p.name)
    if not found or p.name == "B_X":
        return p.latex
    kind, slot, suffix = found.groups()
    below = mark(slot) if slot.split("_")[0] in SLOTS else rf"\mathrm{{{slot.replace('_', '.')}}}"
    return f"{kind}{SUFFIXES.get(suffix or '', '')}_{{{below}}}"


def _provenance(record: dict[str, Any]) -> Iterator[str]:
    rows = [(name, _told(value)) for name, value in record["provenance"].items()]
    yield "<h2>Provenance</h2>" + _table(("", ""), rows)


def _told(value: Any) -> str:
    """Sizes of files, or a value."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {size:,} bytes" for name, size in value.items())
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


# --- pieces -----------------------------------------------------------------------------------------------------------


def mathml(formula: str) -> str:
    """As the browser shows it without help; as it is written, if it cannot be turned."""
    from latex2mathml.converter import convert

    try:
        return str(convert(formula))
    except Exception:  # the converter has many ways to say that it does not know something
        return f"<code>{escape(formula)}</code>"


def prose(text: str) -> str:
    """With formulas between dollar signs."""
    pieces = re.split(r"\$([^$]*)\$", text)
    return "".join(mathml(piece) if i % 2 else escape(piece) for i, piece in enumerate(pieces))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["".join(f"<th>{escape(name)}</th>" for name in head)]
    lines += ["".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows]
    return f'<div class="wide"><table>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'
