"""How long a question may take, in seconds of this program's CPU, and what was spent on it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from typing import Any


class OutOfTime(Exception):
    """The time is used up; whatever was not decided stays so."""


class Clock:
    def __init__(self, seconds: float) -> None:
        self.start, self.seconds = process_time(), seconds
        self.end = self.start + seconds
        self.cells = self.points = 0

    def spent(self) -> float:
        return process_time() - self.start

    def left(self) -> float:
        return self.end - process_time()

    def look(self) -> None:
        if self.left() <= 0:
            raise OutOfTime

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """A part of the time for one attempt; what is left of it is not lost."""
        before = self.end
        self.end = min(before, process_time() + seconds)
        try:
            with fence(self.left()):
                yield
        finally:
            self.end = before


@contextmanager
def fence(seconds: float) -> Iterator[None]:
    """Algebra that does not look at a clock is interrupted, in the main thread, where that can be done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise OutOfTime

    start = process_time()
    handler = signal.signal(signal.SIGVTALRM, stop)
    earlier, _ = signal.getitimer(signal.ITIMER_VIRTUAL)
    if earlier:
        seconds = min(seconds, earlier)
    signal.setitimer(signal.ITIMER_VIRTUAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, max(earlier - (process_time() - start), 1e-3) if earlier else 0)
        signal.signal(signal.SIGVTALRM, handler)
