"""The page of an exhibit, and its table for an article: verdict first, then the figure, at most twenty rows, and a
footer with protocol, seeds and provenance."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .exhibits import Exhibit

MOST_LINES, MOST_ROWS = 5, 20
NUMBER = re.compile(r"(?<![\w.])(?:(-?\d+(?:\.\d+)?)[Ee]([+-]?\d+)|10\^(-?\d+))(?!\w|\.\d)")
NUMERIC = re.compile(r"^[-+<>≤≥~ ]*[\d.]")
LONG = re.compile(r"(?<![\w.,^:-])[1-9]\d{4,}(?!\w|\.\d)")  # whole numbers that are set in groups of three
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SIGNS = {
    "≤": r"$\le$", "≥": r"$\ge$", "±": r"$\pm$", "·": r"$\cdot$", "×": r"$\times$", "∞": r"$\infty$", "²": "$^2$",
    "³": "$^3$", "σ": r"$\sigma$", "Σ": r"$\Sigma$", "ω": r"$\omega$", "√": r"$\surd$", "→": r"$\to$", "–": "--",
    "−": "$-$", "✓": r"$\surd$", "✗": r"$\times$",
}  # fmt: skip


@dataclass(frozen=True)
class Shown:
    """The table of the page: each column with what it means, where its name does not say it, and the rows."""

    columns: Mapping[str, str]
    rows: Sequence[Sequence[str]]


def as_markdown(exhibit: Exhibit) -> str:
    shown, own = exhibit.shown, [exhibit.answer, *exhibit.verdict]
    lines = [f"# {exhibit.title}", "", f"**{exhibit.question}** {raised(own[0])}"]
    lines += ["", *(f"- {raised(line)}" for line in own[1:])] if own[1:] else []
    lines += ["", f"![{exhibit.question}](figure.svg)", "", raised(exhibit.caption), ""]
    sides = [_side(n, shown) for n in range(_width(shown))]
    lines += [f"| {' | '.join(map(raised, shown.columns))} |", f"| {' | '.join(sides)} |"]
    lines += ["| " + " | ".join(raised(cell).replace("|", r"\|") for cell in row) + " |" for row in _rows(shown)]
    explained = [f"*{raised(name)}*: {raised(meaning)}." for name, meaning in shown.columns.items() if meaning]
    lines += ["", " ".join(explained)] if explained else []
    lines += ["", raised(" ".join([*exhibit.notes, *_where(exhibit)]))]
    return "\n".join(lines) + "\n"


def _width(shown: Shown) -> int:
    return len(shown.columns)


def _rows(shown: Shown) -> Sequence[Sequence[str]]:
    return shown.rows[:MOST_ROWS]


def _numeric(place: int, shown: Shown) -> bool:
    cells = [row[place] for row in shown.rows if row[place] not in ("", "-")]
    return bool(cells) and all(NUMERIC.match(cell) for cell in cells)


def _side(place: int, shown: Shown) -> str:
    return "---:" if _numeric(place, shown) else "---"


def _where(exhibit: Exhibit) -> list[str]:
    """What else is in the folder."""
    many = len(exhibit.shown.rows)
    first = f"The table has the first {MOST_ROWS} of {many} rows. " if many > MOST_ROWS else ""
    more = ", [figure.csv](figure.csv) what the figure draws beyond them" if exhibit.series else ""
    return [
        f"{first}[table.csv](table.csv) has all rows, {len(exhibit.rows)} of them{more}, and "
        "[provenance.json](provenance.json) every finding in full, with its criterion, versions and times."
    ]


def raised(text: str) -> str:
    """1.5E+21 as 1.5·10²¹, 1E+21 and 10^21 as 10²¹, and 12345 as 12,345."""
    text = NUMBER.sub(lambda found: f"{_times(found, '·')}10{str(_exponent(found)).translate(RAISED)}", text)
    return _grouped(text)


def _grouped(text: str) -> str:
    return LONG.sub(lambda found: f"{int(found[0]):,}", text)


def _exponent(found: re.Match[str]) -> int:
    return int(found[2] or found[3])


def _times(found: re.Match[str], sign: str) -> str:
    """What stands before a power of ten."""
    mantissa = found[1] or "1"
    one = mantissa.strip("-").rstrip("0").rstrip(".") == "1"
    return mantissa[: mantissa.startswith("-")] if one else mantissa + sign


def as_latex(exhibit: Exhibit) -> str:
    """A tabular for \\input, with booktabs."""
    shown = exhibit.shown
    sides = "".join("r" if _numeric(n, shown) else "l" for n in range(_width(shown)))
    comments = [exhibit.title, exhibit.question, exhibit.answer, *exhibit.verdict, r"\usepackage{booktabs}"]
    lines = [f"% {_plain(comment)}" for comment in comments]
    lines += [rf"\begin{{tabular}}{{@{{}}{sides}@{{}}}}", r"\toprule", _latex_row(list(shown.columns)), r"\midrule"]
    lines += [_latex_row(row) for row in _rows(shown)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _plain(text: str) -> str:
    return " ".join(text.replace("**", "").split())


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex, cells)) + r" \\"


def latex(text: str) -> str:
    """A cell."""
    made, last, text = "", 0, _grouped(text)
    for found in NUMBER.finditer(text):
        made += _escaped(text[last : found.start()])
        made += f"${_times(found, chr(92) + 'cdot')}10^{{{_exponent(found)}}}$"
        last = found.end()
    return made + _escaped(text[last:])


def _escaped(text: str) -> str:
    found = []
    for mark in text:
        if mark in SIGNS:
            found.append(SIGNS[mark])
        elif mark in "_%#&${}":
            found.append(f"\\{mark}")
        elif mark in "^~\\":
            found.append({"^": r"\^{}", "~": r"\~{}", "\\": r"\textbackslash{}"}[mark])
        elif mark in "<>|":
            found.append(f"${mark}$")
        else:
            found.append(mark)
    return "".join(found)
