"""Where results are kept: one SQLite file, every trial once, each with its checksum.

A batch of trials is one transaction, so a process that is killed loses only the batches that it was at. Several
processes may share the file: each claims a trial before it trains it. Times are kept beside the results, not in them:
they depend on the machine.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from maurey.symbolic.errors import InputError
from maurey.verify.training.trials.keys import Job, Trial, config

from .checksums import check_protocol, checksum, in_words, tell
from .claims import Claims

MARK, LAYOUT = 0x4D617572, 2  # SQLite's application_id, "Maur", and user_version
SCHEMA = f"""
PRAGMA application_id = {MARK};
PRAGMA user_version = {LAYOUT};
CREATE TABLE IF NOT EXISTS trials (
  key TEXT PRIMARY KEY, config TEXT NOT NULL, trial INTEGER NOT NULL, result TEXT NOT NULL, checksum TEXT
);
CREATE TABLE IF NOT EXISTS batches (
  config TEXT NOT NULL, trials INTEGER NOT NULL, seconds REAL NOT NULL, device TEXT NOT NULL
);
"""
FULL = (errno.ENOSPC, 0), (0, sqlite3.SQLITE_FULL)  # as the system and SQLite say it: no fault of what was given
Record = dict[str, Any]
Row = tuple[Any, ...]  # rowid, key, config, trial, result, checksum


class Store:
    def __init__(self, path: Path) -> None:
        _check(path)
        self.path, self.claims = path, Claims(path.with_suffix(".claims"))
        self.damaged: set[Row] = set()  # the rows that were told
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path, timeout=30)
            self.db.text_factory = lambda text: text.decode(errors="replace")
            self._prepare()  # also tells at once if nothing can be written
        except (OSError, sqlite3.Error) as error:
            if (getattr(error, "errno", 0), getattr(error, "sqlite_errorcode", 0)) in FULL:
                raise
            raise InputError(f"cannot keep results in {path}: {error}") from None
        check_protocol(path, (row[1:4] for row in self._whole(self._rows())))

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.db.close()
        self.claims.close()

    def known(self, jobs: Iterable[Job]) -> dict[str, Record]:
        """The results of those trials that have one, by key; one that was altered is none."""
        rows = self._rows("WHERE key IN (SELECT value FROM json_each(?))", json.dumps([job.key for job in jobs]))
        return {key: json.loads(result) for _, key, _, _, result, _ in self._whole(rows)}

    def claim(self, jobs: Iterable[Job]) -> list[Job]:
        """Those that have no result and that no other process is at. They are ours until we leave them."""
        own = [job for job in jobs if self.claims.take(job.key)]
        known = self.known(own)  # asked for only now: whoever had them stores a result first, and leaves then
        self.leave([job for job in own if job.key in known])
        return [job for job in own if job.key not in known]

    def leave(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            self.claims.leave(job.key)

    def add(
        self, jobs: Sequence[Job], records: Sequence[Record], seconds: float | None = None, device: str = ""
    ) -> None:
        """A batch, whole or not at all; a trial that is there stays as it is, unless it was told as damaged."""
        rows = [
            (job.key, _text(job.config), job.trial, json.dumps(record))
            for job, record in zip(jobs, records, strict=True)
        ]
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            if self.damaged:  # looked at once more: another process may have mended them
                gone = [(row[0],) for row in self._rows() if not _fits(row)]
                self.db.executemany("DELETE FROM trials WHERE rowid = ?", gone)
            summed = [(*row, checksum(*row)) for row in rows]
            self.db.executemany("INSERT OR IGNORE INTO trials VALUES (?, ?, ?, ?, ?)", summed)
            if seconds is not None:  # measured here, all of one configuration
                batch = (_text(jobs[0].config), len(jobs), seconds, device)
                self.db.execute("INSERT INTO batches VALUES (?, ?, ?, ?)", batch)
        self.damaged.clear()

    def pace(self) -> Pace:
        """By what can be read: it is an estimate."""
        measured = []
        for text, trials, seconds in self.db.execute(
            "SELECT config, SUM(trials) AS n, SUM(seconds) AS s FROM batches GROUP BY config HAVING n > 0 AND s > 0"
        ):
            with suppress(ValueError, TypeError):
                measured.append((config(json.loads(text)), seconds / trials))
        return Pace(measured)

    def _prepare(self) -> None:
        """Layout 1 had no checksums: what can be read is taken as it is."""
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            if self.db.execute("PRAGMA user_version").fetchone() == (1,):
                self.db.execute("ALTER TABLE trials ADD COLUMN checksum TEXT")
                sums = [(checksum(*row[1:5]), row[0]) for row in self._rows() if _is_json(row[4])]
                self.db.executemany("UPDATE trials SET checksum = ? WHERE rowid = ?", sums)
            for statement in SCHEMA.split(";"):
                self.db.execute(statement)

    def _rows(self, where: str = "", *values: str) -> list[Row]:
        return self.db.execute(f"SELECT rowid, * FROM trials {where}", values).fetchall()

    def _whole(self, rows: Iterable[Row]) -> list[Row]:
        """Those whose checksum is theirs; the others are told, once."""
        whole, new = [], []
        for row in rows:
            if _fits(row):
                whole.append(row)
            elif row not in self.damaged:
                new.append(row)
        if new:
            self.damaged.update(new)
            tell(self.path, [in_words(*row[1:4]) for row in new])
        return whole


class Pace:
    """Seconds for a trial, as measured on the nearest configuration of its kind, in proportion to the work."""

    def __init__(self, measured: Sequence[tuple[Trial, float]]) -> None:
        self.measured = list(measured)
        self.kinds: dict[Any, list[tuple[Trial, float]]] = {}
        for one, seconds in self.measured:
            self.kinds.setdefault(one.kind, []).append((one, seconds))
        self.known: dict[Trial, float | None] = {}

    def __call__(self, wanted: Trial) -> float | None:
        if wanted not in self.known:
            self.known[wanted] = self._found(wanted)
        return self.known[wanted]

    def _found(self, wanted: Trial) -> float | None:
        def distance(other: Trial) -> float:
            return sum(abs(math.log(a / b)) for a, b in zip(wanted.size, other.size, strict=True))

        alike = self.kinds.get(wanted.kind)
        if not alike:
            return None
        nearest, seconds = min(alike, key=lambda pair: (distance(pair[0]), pair[0] != wanted))
        return seconds * wanted.work / nearest.work


def unfinished(folder: Path, keys: Sequence[str]) -> Path:
    """The file of a batch in hand."""
    return folder / f"{hashlib.sha256(' '.join(keys).encode()).hexdigest()[:32]}.pt"


def _text(c: Trial) -> str:
    return json.dumps(asdict(c), sort_keys=True)


def _fits(row: Row) -> bool:
    return bool(row[5] == checksum(*row[1:5]))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, TypeError):
        return False
    return True


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
    if layout not in (0, 1, LAYOUT):  # 0: undone, and empty
        raise InputError(f"{path} was written by another version (layout {layout}, here {LAYOUT}); move it away")
