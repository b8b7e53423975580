"""How long a question may take, in seconds of this program's CPU, and what was spent on it.

The system has one timer for that, so all limits that stand at once share it: a question inside a command that has a
limit of its own ends by whichever comes first, and the outer limit is neither put off nor taken for the inner one.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from threading import current_thread, main_thread
from time import process_time
from types import FrameType
from typing import Any

SOON, LATE = 1e-3, 1e6  # seconds that a timer is set to, at least and at most
AGAIN = 0.5  # seconds from ring to ring, should one be dropped


class Halt(Exception):
    """What ends the work from outside. An Exception, for what calls Python from C passes on no others."""


class OutOfTime(Halt):
    """The time is used up; whatever was not decided stays so."""


GIVES_UP = (ArithmeticError, MemoryError, RuntimeError, TypeError, ValueError)  # what SymPy says where it has no answer


class NoAnswer(Exception):
    """Computer algebra found none, in its time or at all."""


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
    limit = begin(seconds, OutOfTime)
    try:
        yield
    finally:
        limit.end = inf  # no call before it, so that no ring comes between
        over(limit)


@contextmanager
def algebra(seconds: float) -> Iterator[None]:
    """For what SymPy finds, or does not: where it cannot, it raises errors of many kinds, MemoryError among them."""
    try:
        with fence(seconds):
            yield
    except Exception as error:
        if isinstance(error, Halt) and not isinstance(error, OutOfTime):
            raise
        raise NoAnswer from None


@dataclass(eq=False)
class Limit:
    end: float  # in seconds of this program's CPU
    error: type[Halt]


_limits: list[Limit] = []  # the outermost first
_before: list[Any] = []  # the hook and the handler that were there


def begin(seconds: float, error: type[Halt]) -> Limit:
    """From then on the error is raised, again and again until the limit is over."""
    limit = Limit(process_time() + seconds, error)
    if current_thread() is main_thread() and hasattr(signal, "setitimer"):
        if not _limits:
            _before[:] = [sys.unraisablehook, signal.signal(signal.SIGPROF, _ring)]
            sys.unraisablehook = _dropped
        _limits.append(limit)
        _set()
    return limit


def over(limit: Limit) -> None:
    """This one, and what began within it."""
    if limit not in _limits:
        return
    del _limits[_limits.index(limit) :]
    _set()
    if not _limits:
        signal.signal(signal.SIGPROF, _before.pop())
        sys.unraisablehook = _before.pop()


def _set() -> None:
    if not _limits:
        signal.setitimer(signal.ITIMER_PROF, 0)
        return
    left = min(limit.end for limit in _limits) - process_time()
    signal.setitimer(signal.ITIMER_PROF, min(max(left, SOON), LATE), AGAIN)


def _ring(_signal: int, frame: FrameType | None) -> None:
    if _in_z3(frame):
        signal.setitimer(signal.ITIMER_PROF, SOON, AGAIN)
        return
    due()
    _set()


def due() -> None:
    """What rings inside z3 is put off, and raised here at the latest."""
    now = process_time()
    for limit in _limits:  # what the outermost ends, ends all within
        if limit.end <= now:
            raise limit.error


def remaining() -> float:
    """Seconds until the next limit."""
    return min((limit.end for limit in _limits), default=inf) - process_time()


def _in_z3(frame: FrameType | None) -> bool:
    """Its objects count their own references: one that is half made would free what it does not own."""
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("z3."):
        frame = frame.f_back
    return frame is not None


def _dropped(lost: Any) -> None:
    """A collection of garbage can raise nothing; the next ring will."""
    if not issubclass(lost.exc_type, Halt):
        _before[0](lost)
