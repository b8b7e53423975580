"""Who is at which trial: a lock of the operating system on one byte of a file, for every trial.

The byte's place is the trial's key, and the file stays empty. Locks end with their process, however it ends, so that no
clock decides whether an owner is alive: one that is stopped keeps its trials, one that is killed leaves them at once.
They hold between processes, not within one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class Claims:
    def __init__(self, path: Path) -> None:
        self.path, self.file = path, -1  # made by the first claim

    def take(self, key: str) -> bool:
        """Whether the trial is ours now. Without such locks it always is: of two results, the first is kept."""
        if sys.platform == "win32":
            return True
        if self.file < 0:
            self.file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(key))
        except (BlockingIOError, PermissionError):  # as systems differ in saying that another has it
            return False
        return True

    def leave(self, key: str) -> None:
        if sys.platform != "win32" and self.file >= 0:
            fcntl.lockf(self.file, fcntl.LOCK_UN, 1, _place(key))

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


def _place(key: str) -> int:
    return int(key[:15], 16)  # below 2**60, as offsets must be
