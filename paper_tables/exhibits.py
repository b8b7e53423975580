"""Finds exhibits and writes what they make: CSV, LaTeX, Markdown, figure and provenance."""

from __future__ import annotations

import csv
import difflib
import importlib
import json
import pkgutil
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

from maurey.symbolic.claim import InputError

ROOT = Path(__file__).parent
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Exhibit:
    """What an exhibit's `make` returns; the rest of the folder is written from it."""

    title: str
    notes: Sequence[str]  # scale, seed, cost, what the paper shows, whether they agree
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    draw: Callable[[Any], None]  # draws on a matplotlib figure
    figure_size: tuple[float, float] = (10.0, 7.0)
    parameters: dict[str, Any] = field(default_factory=dict)


def names() -> list[str]:
    """paper/exhibit for every package two levels down."""
    return [
        f"{paper.name}/{exhibit.name}"
        for paper in pkgutil.iter_modules([str(ROOT)])
        if paper.ispkg
        for exhibit in pkgutil.iter_modules([str(ROOT / paper.name)])
        if exhibit.ispkg
    ]


def check(name: str) -> str:
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=3, cutoff=0.3) or names()
        raise InputError(f"no exhibit {name!r}; the nearest are {', '.join(near)}")
    return name


def load(name: str) -> Any:
    """The module of an exhibit."""
    return importlib.import_module(f"maurey.paper_tables.{name.replace('/', '.')}")


def make(name: str, folder: Path, progress: Progress) -> list[Path]:
    """Make one exhibit into the folder; returns the files written."""
    started = time.perf_counter()
    exhibit = load(name).make(progress)
    return write(name, exhibit, folder, time.perf_counter() - started)


def write(name: str, exhibit: Exhibit, folder: Path, seconds: float) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "table.csv": as_csv(exhibit),
        "table.tex": as_latex(exhibit),
        "table.md": as_markdown(exhibit),
        "provenance.json": json.dumps(_provenance(name, exhibit, seconds), indent=1) + "\n",
    }
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    return [*(folder / file for file in texts), *_figures(exhibit, folder)]


def _provenance(name: str, exhibit: Exhibit, seconds: float) -> dict[str, Any]:
    return {
        "exhibit": name,
        "version": version("maurey"),
        "python": platform.python_version(),
        "device": "cpu",
        "seed": exhibit.parameters.get("seed"),
        "seconds": round(seconds, 1),
        "parameters": exhibit.parameters,
    }


def _figures(exhibit: Exhibit, folder: Path) -> list[Path]:
    """SVG and PNG without dates or random ids, so that the same numbers give the same bytes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "maurey", "font.size": 9}):
        figure = Figure(figsize=exhibit.figure_size, layout="constrained")
        exhibit.draw(figure)
        figure.savefig(folder / "figure.svg", metadata={"Date": None})
        figure.savefig(folder / "figure.png", dpi=150, metadata={"Software": None})
    return [folder / "figure.svg", folder / "figure.png"]


def as_csv(exhibit: Exhibit) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(exhibit.columns)
    writer.writerows(exhibit.rows)
    return out.getvalue()


def as_markdown(exhibit: Exhibit) -> str:
    lines = [f"# {exhibit.title}", "", *(f"- {note}" for note in exhibit.notes), "", "![figure](figure.svg)", ""]
    lines += ["| " + " | ".join(exhibit.columns) + " |", "|" + " --- |" * len(exhibit.columns)]
    lines += ["| " + " | ".join(row) + " |" for row in exhibit.rows]
    return "\n".join(lines) + "\n"


def as_latex(exhibit: Exhibit) -> str:
    def cell(text: str) -> str:
        mantissa, e, exponent = text.partition("E")
        if e and exponent.lstrip("+-").isdigit():
            return rf"${mantissa}\cdot10^{{{int(exponent)}}}$"
        return text.replace("_", r"\_")

    lines = [f"% {exhibit.title}", *(f"% {note}" for note in exhibit.notes)]
    lines += [rf"\begin{{tabular}}{{{'l' * len(exhibit.columns)}}}", r"\hline"]
    lines += [" & ".join(map(cell, exhibit.columns)) + r" \\", r"\hline"]
    lines += [" & ".join(map(cell, row)) + r" \\" for row in exhibit.rows]
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"
