"""Which exhibits there are, told without loading any."""

from __future__ import annotations

import pkgutil
from pathlib import Path

ROOT = Path(__file__).parent


def names() -> list[str]:
    """paper/exhibit for every package two levels down."""
    return [
        f"{paper.name}/{exhibit.name}"
        for paper in pkgutil.iter_modules([str(ROOT)])
        if paper.ispkg
        for exhibit in pkgutil.iter_modules([str(ROOT / paper.name)])
        if exhibit.ispkg
    ]


def made() -> list[str]:
    """Those that have been written; what is begun and not yet trained has no table."""
    return [name for name in names() if (ROOT / name / "table.md").is_file()]
