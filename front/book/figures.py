"""Figures of exhibits: where they are in the book, how large, and whether there is one for dark pages."""

from __future__ import annotations

import re
from typing import Any

from maurey.paper_tables import exhibits

from .prose import ROOT

PLACES = re.compile(r'\bd="[^"]*"|translate\([^)]*\)')
FINER = re.compile(r"(\.\d\d)\d+")
LAYOUT = re.compile(r"<!--.*?-->|^\s+|(?<=>)\n", re.S | re.M)
SIZE = re.compile(r'(?:width="(?P<wide>[\d.]+)pt"|height="(?P<high>[\d.]+)pt")')


def figure(name: str, text: str) -> dict[str, Any] | None:
    """None of an exhibit that has no figure."""
    file = exhibits.ROOT / name / "figure.svg"
    if not file.exists():
        return None
    sizes = {kind: x for m in SIZE.finditer(file.read_text()[:2000]) for kind, x in m.groupdict().items() if x}
    dark = file.with_name("figure-dark.svg").exists()
    return {
        "light": f"{ROOT}exhibits/{name}.svg",
        "dark": f"{ROOT}exhibits/{name}-dark.svg" if dark else "",
        "width": round(float(sizes.get("wide", 720))),
        "height": round(float(sizes.get("high", 480))),
        "text": text,
    }


def slim(svg: str) -> str:
    """The same drawing in fewer bytes: places to a hundredth, short names of letters, and no layout of the file."""
    placed = PLACES.sub(lambda found: FINER.sub(r"\1", found[0]), svg)
    return LAYOUT.sub("", placed).replace('id="DejaVuSans', 'id="D').replace('xlink:href="#DejaVuSans', 'href="#D')
