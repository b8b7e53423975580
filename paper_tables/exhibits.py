"""Finds exhibits and writes what they make: CSV, LaTeX, Markdown, figure and provenance.

The module of an exhibit that is computed has `make(progress)`. That of one that is trained has `plan(scale)`, the
trials, and `render(scale, expected, outcomes)`, see `trained.py`. Both return an Exhibit. And it has `draw(figure,
data)`, which knows nothing but what is in the tables that were written.
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
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from maurey.symbolic.errors import InputError
from maurey.verify.files import replace

from . import style
from .folders import ROOT as ROOT
from .folders import made as made
from .folders import names as names
from .page import Shown, as_latex, as_markdown
from .verdicts import Finding, words

FIGURES = {"light": "figure.svg", "dark": "figure-dark.svg"}
Progress = Callable[[int, int], None]
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Series:
    """What a figure draws that is in no row of the table: points of curves, entries of matrices."""

    columns: Sequence[str]
    rows: Rows


@dataclass(frozen=True)
class Exhibit:
    """What an exhibit's `make` returns; the folder is written from it."""

    title: str  # which table or figure of which paper
    question: str  # which the figure answers, and has for its title
    answer: str  # in a sentence
    verdict: Sequence[str]  # at most four lines, with the words of the findings
    caption: str  # what the marks and the bars of the figure are
    shown: Shown  # the table of the page
    notes: Sequence[str]  # protocol, seeds, cost
    columns: Sequence[str]
    rows: Rows
    series: Series | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    findings: Sequence[Finding] = ()  # of what the paper shows

    @property
    def disagreements(self) -> list[str]:
        return [finding.text for finding in self.findings if finding.word.endswith("disagrees")]

    @property
    def told(self) -> list[str]:
        """All that is said of how it was made and of what is found."""
        return [*self.notes, *(finding.note for finding in self.findings)]


@dataclass(frozen=True)
class Data:
    """What a figure is drawn from: the tables as they were written, by column, and the exhibit's facts, as typed."""

    question: str
    table: list[dict[str, str]]
    series: list[dict[str, str]]
    facts: dict[str, Any]  # of expected.toml, or of config.toml where there is none


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
    return float(provenance_of(name, base).get("seconds", 0.0))


def provenance_of(name: str, base: Path = ROOT) -> dict[str, Any]:
    file = base / name / "provenance.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found


def make(name: str, folder: Path, progress: Progress = lambda done, total: None) -> list[Path]:
    """Make one exhibit that is computed into the folder; returns the files written."""
    started = time.perf_counter()
    exhibit = load(name).make(progress)
    return write(name, exhibit, folder, time.perf_counter() - started)


def redraw(name: str, folder: Path, progress: Progress = lambda done, total: None) -> list[Path]:
    """The committed exhibit with its figure drawn again; made, if there is none."""
    kept = [ROOT / name / file for file in (*TABLES, "provenance.json") if (ROOT / name / file).exists()]
    if not kept:
        return make(name, folder, progress)
    if folder != ROOT / name:
        for file in kept:
            replace(folder / file.name, file.read_bytes())
    return [*(folder / file.name for file in kept), *_figures(name, folder)]


TABLES = ("table.csv", "figure.csv", "table.tex", "table.md")


def write(name: str, exhibit: Exhibit, folder: Path, seconds: float, **more: Any) -> list[Path]:
    """`more` goes into the provenance."""
    own = exhibit.series
    texts = {
        "table.csv": as_csv(exhibit.columns, exhibit.rows),
        **({"figure.csv": as_csv(own.columns, own.rows)} if own else {}),
        "table.tex": as_latex(exhibit),
        "table.md": as_markdown(exhibit),
        "provenance.json": json.dumps(_provenance(name, exhibit, seconds) | more, indent=1) + "\n",
    }
    for file, text in texts.items():
        replace(folder / file, text)
    return [*(folder / file for file in texts), *_figures(name, folder)]


LIBRARIES = ("sympy", "mpmath", "numpy", "python-flint", "matplotlib", "torch")


def _provenance(name: str, exhibit: Exhibit, seconds: float) -> dict[str, Any]:
    """With which sources, libraries and machine it was made, when, and how long that took; and what is found."""
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
        "question": exhibit.question,
        "answer": exhibit.answer,
        "word": words(exhibit.findings),
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


def as_csv(columns: Sequence[str], rows: Rows) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


# --- figures ---------------------------------------------------------------------------------------------------------


def data(name: str, folder: Path) -> Data:
    """What is in the folder."""
    table, series = ((folder / file).read_text() if (folder / file).exists() else "" for file in TABLES[:2])
    return data_of(name, provenance_of("", folder)["question"], table, series)


def data_of(name: str, question: str, table: str, series: str) -> Data:
    """From the texts of the tables."""
    own = (ROOT / name / file for file in ("expected.toml", "config.toml"))
    facts = next((file.read_text() for file in own if file.exists()), "")
    rows, points = (list(csv.DictReader(StringIO(text, newline=""))) for text in (table, series))
    return Data(question, rows, points, tomllib.loads(facts))


def figure(name: str, found: Data) -> Any:
    """Drawn in the theme that is in force."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    made = Figure(layout="constrained")
    load(name).draw(made, found)
    return made


def _figures(name: str, folder: Path) -> list[Path]:
    """An SVG for each theme, without dates or random ids, so that the same numbers give the same bytes. Each says from
    which tables it was drawn."""
    found, about = data(name, folder), {"Date": None, "Source": digest(folder)}
    for theme, file in FIGURES.items():
        drawn = BytesIO()
        with style.theme(theme):
            figure(name, found).savefig(drawn, format="svg", metadata=about | {"Title": found.question})
        replace(folder / file, drawn.getvalue())
    return [folder / file for file in FIGURES.values()]


def digest(folder: Path) -> str:
    """Of the tables from which a figure is drawn."""
    files = [folder / file for file in TABLES[:2] if (folder / file).exists()]
    return ", ".join(f"{file.name} {sha256(file.read_bytes()).hexdigest()}" for file in files)
