"""Figures of comparisons as files."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from maurey.numeric.compare import Comparison
from maurey.numeric.figures import draw as draw
from maurey.numeric.figures import figure_of
from maurey.verify.files import replace

UNDATED = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def save(found: Comparison, file: Path) -> None:
    """The figure as PNG, SVG or PDF, without dates or random ids, so that the same numbers give the same bytes."""
    import matplotlib

    matplotlib.use("Agg")
    drawn, kind = BytesIO(), file.suffix.lower()
    with matplotlib.rc_context({"svg.hashsalt": "maurey", "font.size": 9}):
        figure_of(found).savefig(drawn, format=kind[1:], dpi=150, metadata=UNDATED[kind])
    replace(file, drawn.getvalue())
