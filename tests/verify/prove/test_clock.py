"""Limits inside limits: each ends what is its own, and nothing rings afterwards."""

import signal
import sys
from contextlib import suppress
from time import process_time

import pytest
from sympy import log, symbols

import maurey
from maurey.verify.prove import clock

a, b, x, y = symbols("a b x y", positive=True)
OPEN = (a + b) * log((a + b) / (x + y)), a * log(a / x) + b * log(b / y)  # on a box it takes all the time there is


class Up(clock.Halt):
    pass


def busy(seconds):
    end = process_time() + seconds
    while process_time() < end:
        pass


@pytest.fixture(autouse=True)
def _as_before():
    before = signal.getsignal(signal.SIGPROF), sys.unraisablehook
    yield
    assert (signal.getsignal(signal.SIGPROF), sys.unraisablehook) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def limited(seconds, work, late=0):
    limit, start = clock.begin(seconds, Up), process_time()
    try:
        work()
    finally:
        clock.over(limit)
        assert process_time() - start < seconds + late + 0.5  # the memory may be tidied meanwhile


def ask(seconds):
    maurey.check(x, x, over={"x": (0, 1)})  # what is imported on first use
    return lambda: maurey.check(*OPEN, over=dict.fromkeys("abxy", (1, 3)), seconds=seconds)


def test_the_outer_limit_ends_a_question():
    with pytest.raises(Up):
        limited(0.3, ask(seconds=20))


def test_the_outer_limit_goes_on_after_a_question():
    question, found = ask(seconds=0.2), []
    with pytest.raises(Up):
        limited(0.6, lambda: (found.append(question()), busy(2)))
    assert found[0].verdict == "undecided"
    assert found[0].how == "open after 0.2 s"


def test_what_takes_the_inner_limit_for_its_own_is_rung_again():
    def attempts():
        while True:
            with suppress(clock.OutOfTime), clock.fence(0.05):
                busy(1)

    with pytest.raises(Up):
        limited(0.2, attempts)


def test_a_limit_that_never_comes():
    with clock.fence(1e300):
        busy(0.01)


def test_no_object_of_z3_is_left_half_made():
    """Interrupted between the making of a solver and the counting of it, its end would free what is not its own."""
    room = {"__name__": "z3.room", "busy": busy, "done": []}
    exec("def work():\n    busy(0.2)\n    done.append(1)", room)

    def made():
        room["work"]()
        busy(1)

    with pytest.raises(Up):
        limited(0.05, made, late=0.2)
    assert room["done"] == [1]
