"""Networks to start from: sizes as published, norms as measured where a network was trained."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from maurey import paper_tables
from maurey.numeric.binding import exact
from maurey.numeric.exact import decimal, to_rational

FILE = Path(__file__).with_name("presets.toml")


def presets() -> list[dict[str, Any]]:
    found = tomllib.loads(FILE.read_text())["preset"]
    for one in found:
        if "run" in one:
            one["values"] |= measured(one.pop("run"), one.pop("T"))
    return found


def measured(exhibit: str, T: int) -> dict[str, str]:
    """Norms of the first network of that length, rounded up to six digits; of several heads the largest."""
    lines = (files(paper_tables) / exhibit / "results.jsonl").read_text().splitlines()
    runs = (json.loads(line) for line in lines)
    norms = next(run["result"]["norms"] for run in runs if run["config"].get("T", 100) == T)
    largest = {name: max(x) if isinstance(x, list) else x for name, x in norms.items()}
    return {
        name: decimal(to_rational(exact(x)))
        for name, x in largest.items()
        if name.startswith("B_") and "rows" not in name
    }
