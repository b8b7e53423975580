"""Finds exhibits and writes what they make: CSV, LaTeX, Markdown, figure and provenance.

The module of an exhibit that is computed has `make(progress)`. That of one that is trained has `plan(scale)`, the
trials, and `render(scale, expected, outcomes)`, see `trained.py`. Both return an Exhibit.
"""

from __future__ import annotations

import csv
import difflib
import importlib
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from maurey.symbolic.errors import InputError
from maurey.verify.files import replace

from .folders import ROOT as ROOT
from .folders import names as names
from .verdicts import Finding

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
    findings: Sequence[Finding] = ()  # of what the paper shows

    @property
    def disagreements(self) -> list[str]:
        return [finding.text for finding in self.findings if finding.word.endswith("disagrees")]


def check(name: str) -> str:
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=3, cutoff=0.3) or names()
        raise InputError(f"no exhibit {name!r}; the nearest are {', '.join(near)}")
    return name


def load(name: str) -> Any:
    """The module of an exhibit."""
    return importlib.import_module(f"maurey.paper_tables.{name.replace('/', '.')}")


def seconds_of(name: str, base: Path = ROOT) -> float:
    """What it took to make it, or 0 if it was not made."""
    file = base / name / "provenance.json"
    return float(json.loads(file.read_text())["seconds"]) if file.exists() else 0.0


def make(name: str, folder: Path, progress: Progress = lambda done, total: None) -> list[Path]:
    """Make one exhibit that is computed into the folder; returns the files written."""
    started = time.perf_counter()
    exhibit = load(name).make(progress)
    return write(name, exhibit, folder, time.perf_counter() - started)


def write(name: str, exhibit: Exhibit, folder: Path, seconds: float, **more: Any) -> list[Path]:
    """`more` goes into the provenance."""
    texts = {
        "table.csv": as_csv(exhibit),
        "table.tex": as_latex(exhibit),
        "table.md": as_markdown(exhibit),
        "provenance.json": json.dumps(_provenance(name, exhibit, seconds) | more, indent=1) + "\n",
    }
    for file, text in texts.items():
        replace(folder / file, text)
    return [*(folder / file for file in texts), *_figures(exhibit, folder)]


LIBRARIES = ("sympy", "mpmath", "numpy", "python-flint", "matplotlib", "torch")


def _provenance(name: str, exhibit: Exhibit, seconds: float) -> dict[str, Any]:
    """With which sources, libraries and machine it was made, when, and how long that took."""
    return {
        "exhibit": name,
        "version": version("maurey"),
        "commit": commit(),
        "python": platform.python_version(),
        "libraries": {library: version(library) for library in LIBRARIES},
        "processor": processor(),
        "threads": int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)),
        "date": datetime.now(UTC).date().isoformat(),
        "device": "cpu",
        "seed": exhibit.parameters.get("seed"),
        "seconds": round(seconds, 1),
        "findings": [finding.record for finding in exhibit.findings],
        "parameters": exhibit.parameters,
    }


def commit() -> str | None:
    """Of the checkout, with a mark if it was changed; none if there is no checkout."""
    call = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def processor() -> str:
    """As the system names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _figures(exhibit: Exhibit, folder: Path) -> list[Path]:
    """SVG and PNG without dates or random ids, so that the same numbers give the same bytes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "maurey", "font.size": 9}):
        figure = Figure(figsize=exhibit.figure_size, layout="constrained")
        exhibit.draw(figure)
        svg, png = BytesIO(), BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None})
        figure.savefig(png, format="png", dpi=150, metadata={"Software": None})
    files = {folder / "figure.svg": svg, folder / "figure.png": png}
    for file, drawn in files.items():
        replace(file, drawn.getvalue())
    return list(files)


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
        for mark in "_%#&$^":
            text = text.replace(mark, rf"\{mark}" + ("{}" if mark == "^" else ""))
        return text

    lines = [f"% {exhibit.title}", *(f"% {note}" for note in exhibit.notes)]
    lines += [rf"\begin{{tabular}}{{{'l' * len(exhibit.columns)}}}", r"\hline"]
    lines += [" & ".join(map(cell, exhibit.columns)) + r" \\", r"\hline"]
    lines += [" & ".join(map(cell, row)) + r" \\" for row in exhibit.rows]
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"
