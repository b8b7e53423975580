"""Plain columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator

BREAKS = re.compile(r"(?<!\*)\*(?!\*)|\(")
LEAST = 20  # characters of the column that gives way


def columns(rows: list[tuple[str, ...]], gives: int, width: int, fit: Callable[[str, int], list[str]]) -> list[str]:
    """As wide as their entries, but for the one that gives way where all of them are wider than that: its entries are
    fitted, each into a line or more."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    beside = sum(widths) - widths[gives] + 2 * (len(widths) - 1)
    widths[gives] = min(widths[gives], max(LEAST, width - beside))
    lines = []
    for row in rows:
        for i, piece in enumerate(fit(row[gives], widths[gives]) or [""]):
            cells = ["" if i else cell for cell in row]
            cells[gives] = piece
            lines.append("  ".join(f"{cell:<{size}}" for cell, size in zip(cells, widths, strict=True)).rstrip())
    return lines


def fitted(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most that many characters, where there are blanks, or else behind a star or a bracket of a formula;
    the first keeps its own indent."""
    start = text[: len(text) - len(text.lstrip())]
    lines = textwrap.wrap(
        text.lstrip(), width, initial_indent=start, subsequent_indent=start + indent, break_long_words=False,
        break_on_hyphens=False,
    ) or [""]  # fmt: skip
    return [piece for line in lines for piece in _broken(line, width, start + indent)]


def _broken(line: str, width: int, indent: str) -> Iterator[str]:
    while len(line) > width:
        ends = [mark.end() for mark in BREAKS.finditer(line, len(indent), width)]
        if not ends:
            break
        yield line[: ends[-1]]
        line = indent + line[ends[-1] :]
    yield line
