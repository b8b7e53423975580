"""The time a command with one answer may take, and what is said when it is up or the user has had enough.

Processor time is counted, so that a busy machine changes nothing. A signal ends the work between two steps of Python;
what computes longer than that in one step (a library written in C) is ended by the kernel, for the command then runs
in a process of its own, and the one that waits for it says how far it came.
"""

from __future__ import annotations

import math
import os
import signal
import sys
from mmap import mmap
from typing import Annotated, Any, NoReturn

import typer

from maurey.symbolic.errors import InputError
from maurey.verify.prove.clock import Halt, Limit, begin, over

SECONDS = 20.0  # of processor time, unless told otherwise
MOST_SECONDS = 1e6
GRACE = 3  # seconds more, before the kernel ends what did not end by itself
NOTHING = "nothing was kept"
ROOM = 4096  # bytes of the note that two processes share


class OutOfTime(Halt):
    """The command's time is up, whatever it was at."""


class Interrupted(Halt):
    """By the user; the text says what was kept."""

    def __str__(self) -> str:
        return super().__str__() or NOTHING


_program = False
_note: list[mmap | str] = [""]
_limit = SECONDS
_begun: list[Limit] = []  # the command's, while it runs


def as_program() -> None:
    """From now on commands may have processes of their own: nothing but the shell started this one."""
    global _program
    _program = True


def reached(text: str) -> None:
    """How far the work is."""
    place = _note[0]
    if isinstance(place, mmap):
        line = text.encode(errors="replace")[: ROOM - 1]
        place[: len(line) + 1] = line + b"\0"
    else:
        _note[0] = text


def out_of_time() -> str:
    place = _note[0]
    at = place[:].split(b"\0")[0].decode(errors="replace") if isinstance(place, mmap) else place
    came = f"it came to: {at}" if at else "it had just begun"
    return f"no answer in {_limit:g} s of processor time; {came}; --seconds gives it more"


def start(context: typer.Context, seconds: float) -> float:
    """Called with what --seconds says, before the command begins."""
    global _limit
    if not (math.isfinite(seconds) and 0 < seconds <= MOST_SECONDS):
        raise InputError(f"--seconds takes a positive number up to {MOST_SECONDS:.0f}, got {seconds:g}")
    _limit, _note[0] = seconds, ""
    if context.resilient_parsing:  # a shell completes words
        return seconds
    if _program and hasattr(os, "fork"):
        _note[0] = mmap(-1, ROOM)
        child = os.fork()
        if child:
            _wait(child)
        _limit_by_kernel(seconds)
        signal.signal(signal.SIGINT, _interrupt)
    _begun.append(begin(seconds, OutOfTime))
    return seconds


def stop() -> None:
    """The command is over."""
    while _begun:
        over(_begun.pop())


def _interrupt(*_: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells both processes, and the other one passes it on
    _begun.append(begin(0, Interrupted))  # again, should this one be dropped
    raise Interrupted


def _limit_by_kernel(seconds: float) -> None:
    import resource

    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = math.ceil(used + seconds) + GRACE
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_CPU, (min([wanted, *known]), hard))


def _wait(child: int) -> NoReturn:
    """Ends as the other process does."""

    def pass_on(number: int, _: Any) -> None:
        os.kill(child, number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code >= 0:
        sys.exit(code)
    if -code in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    if -code != signal.SIGXCPU:
        raise OutOfTime(f"ended by the system ({signal.strsignal(-code)}), perhaps for want of memory")
    raise OutOfTime


Seconds = Annotated[
    float,
    typer.Option("--seconds", help="Stop after so many seconds of processor time.", callback=start),
]
