"""Results as lines of text, to be committed: one trial in each, with its checksum."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from maurey.verify.training.trials.keys import Job, config, short

from .checksums import check_protocol, checksum, in_words, tell

BEGINNING = re.compile(r'\{"key": "(\w+)"(?:, "config": (\{.*?\}), "trial": (\d+),)?')  # legible in a cut line too


def line(job: Job, record: dict[str, Any]) -> str:
    row = {"key": job.key, "config": short(job.config), "trial": job.trial, "result": record}
    return json.dumps(row | {"checksum": _checksum(row)})


def results(file: Path) -> list[tuple[Job, dict[str, Any]]]:
    """Those whose lines are whole; the others are told, and those of another protocol refused."""
    rows, records, damaged = [], [], []
    for number, text in enumerate(file.read_bytes().decode(errors="replace").splitlines(), 1):
        row = _row(text)
        if row is None:
            damaged.append(f"line {number}{_name(text)}")
            continue
        rows.append((row["key"], json.dumps(row["config"]), row["trial"]))
        records.append(row["result"])
    if damaged:
        tell(file, damaged)
    check_protocol(file, rows)
    configs = {text: config(json.loads(text)) for _, text, _ in rows}
    return [(Job(configs[text], trial), record) for (_, text, trial), record in zip(rows, records, strict=True)]


def _row(text: str) -> dict[str, Any] | None:
    """None if it was altered or cut."""
    try:
        row: dict[str, Any] = json.loads(text)
        whole = row["checksum"] == _checksum(row)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return row if whole else None


def _checksum(row: dict[str, Any]) -> str:
    return checksum(row["key"], json.dumps(row["config"]), row["trial"], json.dumps(row["result"]))


def _name(text: str) -> str:
    beginning = BEGINNING.match(text)
    return f", {in_words(*beginning.groups())}" if beginning else ""
