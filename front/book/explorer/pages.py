"""The page of the explorer, and what stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from maurey.book.guides import guides
from maurey.book.page import Page
from maurey.book.prose import ROOT
from maurey.symbolic.claim import Claim

from . import data, runtime

SCRIPTS = (
    *(
        "words",
        "tails",
        "evaluator",
        "compare",
        "blame",
        "samples",
        "formula",
        "model",
        "address",
        "plot",
        "worker",
        "controls",
    ),
    *("answers", "taking", "certify", "own", "tour", "explorer"),
)
TEMML = Path(__file__).parents[1] / "temml" / "temml.min.js"
ABOUT = "Sliders for T, d, m and norms: what bounds say, which is smallest, what makes it large, when it says anything."


def pages() -> Iterator[Page]:
    scripts = ["assets/temml.min.js", "explorer/data.js", *(f"assets/explorer/{name}.js" for name in SCRIPTS)]
    how = f"{ROOT}guides/networks.html#in-ten-lines" if "networks" in guides() else ""
    context = {"how": how, "scripts": scripts, "runtime": f"{ROOT}{runtime.FOLDER}/" if runtime.complete() else ""}
    yield Page("explorer/index.html", "explorer.html", "Explorer", "explorer", context, ABOUT)


def files(claims: Iterable[Claim], tell: Callable[[str], None]) -> Iterator[tuple[str, str | bytes]]:
    yield "explorer/data.js", data.script(claims, tell)
    yield "assets/temml.min.js", TEMML.read_bytes()
    yield from runtime.files()
