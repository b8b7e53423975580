"""Where results are kept: one SQLite file, one writer, every trial once.

A batch of trials is one transaction, so a process that is killed loses only the batches that it was at. Times are kept
beside the results, not in them: they depend on the machine.
"""

from __future__ import annotations

import errno
import json
import math
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from maurey.symbolic.claim import InputError
from maurey.verify.training.trials.keys import Job, Trial, config

MARK, LAYOUT = 0x4D617572, 1  # SQLite's application_id, "Maur", and user_version
SCHEMA = f"""
PRAGMA application_id = {MARK};
PRAGMA user_version = {LAYOUT};
CREATE TABLE IF NOT EXISTS trials (
  key TEXT PRIMARY KEY, config TEXT NOT NULL, trial INTEGER NOT NULL, result TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS batches (
  config TEXT NOT NULL, trials INTEGER NOT NULL, seconds REAL NOT NULL, device TEXT NOT NULL
);
"""
FULL = (errno.ENOSPC, 0), (0, sqlite3.SQLITE_FULL)  # as the system and SQLite say it: no fault of what was given
Record = dict[str, Any]


class Store:
    def __init__(self, path: Path) -> None:
        _check(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path, timeout=30)
            self.db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")  # also tells at once if nothing can be written
        except (OSError, sqlite3.Error) as error:
            if (getattr(error, "errno", 0), getattr(error, "sqlite_errorcode", 0)) in FULL:
                raise
            raise InputError(f"cannot keep results in {path}: {error}") from None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.db.close()

    def known(self, jobs: Iterable[Job]) -> dict[str, Record]:
        """The results of those trials that have one, by key."""
        rows = dict(self.db.execute("SELECT key, result FROM trials"))
        try:
            return {job.key: json.loads(rows[job.key]) for job in jobs if job.key in rows}
        except ValueError as error:
            raise InputError(f"a result that was kept is damaged ({error}); move the file away") from None

    def add(
        self, jobs: Sequence[Job], records: Sequence[Record], seconds: float | None = None, device: str = ""
    ) -> None:
        """A batch, whole or not at all; a trial that is there stays as it is."""
        rows = [
            (job.key, _text(job.config), job.trial, json.dumps(record))
            for job, record in zip(jobs, records, strict=True)
        ]
        with self.db:
            self.db.executemany("INSERT OR IGNORE INTO trials VALUES (?, ?, ?, ?)", rows)
            if seconds is not None:  # measured here, all of one configuration
                batch = (_text(jobs[0].config), len(jobs), seconds, device)
                self.db.execute("INSERT INTO batches VALUES (?, ?, ?, ?)", batch)

    def pace(self) -> Pace:
        rows = self.db.execute("SELECT config, SUM(trials), SUM(seconds) FROM batches GROUP BY config").fetchall()
        return Pace([(config(json.loads(text)), seconds / trials) for text, trials, seconds in rows])


class Pace:
    """Seconds for a trial, as measured on the nearest configuration of its kind, in proportion to the iterations."""

    def __init__(self, measured: Sequence[tuple[Trial, float]]) -> None:
        self.measured = list(measured)

    def __call__(self, wanted: Trial) -> float | None:
        def distance(other: Trial) -> float:
            return sum(abs(math.log(a / b)) for a, b in zip(wanted.size, other.size, strict=True))

        alike = [(c, seconds) for c, seconds in self.measured if c.kind == wanted.kind]
        if not alike:
            return None
        nearest, seconds = min(alike, key=lambda pair: distance(pair[0]))
        return seconds * wanted.iterations / nearest.iterations


def _text(c: Trial) -> str:
    return json.dumps(asdict(c), sort_keys=True)


def _check(path: Path) -> None:
    """Refuse what is not ours, or damaged, without touching it. What a killed writer left half-done is undone."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
        if not head:  # killed before anything was in it
            return
        if not head.startswith(b"SQLite format 3\0") or head[68:72] != MARK.to_bytes(4, "big"):
            raise sqlite3.DatabaseError("no mark")
        with closing(sqlite3.connect(path, timeout=30)) as db:
            (found,), (layout,) = (
                db.execute(f"PRAGMA {name}").fetchone() for name in ("quick_check(1)", "user_version")
            )
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"{path} is not a file of results, or is damaged ({error}); move it away") from None
    if found != "ok":
        raise InputError(f"{path} is damaged ({found}); move it away")
    if layout not in (0, LAYOUT):  # 0: undone, and empty
        raise InputError(f"{path} was written by another version (layout {layout}, here {LAYOUT}); move it away")
