"""Routes that count bits: the program as it is stored, in a prefix code, or with its numbers rounded (maurey/bits)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

from sympy import Integer, Symbol, log

from maurey.numeric.balls import Enclosure, enclose, enclose_steps
from maurey.numeric.routes import CODED, DIGITS, LIMIT, ROUNDED, Row, Share
from maurey.numeric.samples import smallest
from maurey.symbolic import registry
from maurey.symbolic.bounds import BITS
from maurey.symbolic.derivation import Step

from .measured import Row as Measured

PROGRAM = "maurey/bits"

SCALE = 32  # bits of the largest entry of a rounded tensor
CHOICE = 5  # bits that say how many bits an entry is rounded to, 1 to 32
HEAD_BITS = 32  # of a number of a head that the model lacks
SIZE = [Step("log_N", "", Symbol("bits") * log(Integer(2)), "so many programs")]


def lengths(rows: Sequence[Measured], head: int, rounded_to: int) -> Iterator[tuple[str, int]]:
    """Of the message that says what was trained; `head` counts the numbers of a new head."""
    trained = [row for row in rows if not row.frozen]
    new = HEAD_BITS * head
    yield BITS, sum(row.bits for row in trained) + new
    if trained and all(row.coded is not None for row in trained):
        yield CODED, sum(row.coded or 0 for row in trained) + new
    if rounded_to:
        tensors, numbers = len(trained) + bool(head), sum(row.numbers for row in trained) + head
        yield ROUNDED, rounded_to * numbers + SCALE * tensors + CHOICE


def occam(route: str, bits: int, each: Fraction, range_: Fraction, samples: int | None, trained: str) -> Row:
    """The row of a program that takes so many bits."""
    claim, at = registry.find(PROGRAM), {"bits": bits, "b": range_, "delta": each}
    found = smallest(claim, range_, "printed", "gap", at, LIMIT)
    gap = enclose(claim, "printed", "gap", DIGITS, **at, m=samples) if samples else None
    return Row(
        route=route,
        trained=trained,
        claim=claim,
        log_N=log_size(bits),
        gap=gap,
        m_least=found.m if found else None,
        at_least=found.at_m if found else None,
        before=found.before if found else None,
    )


def log_size(bits: int) -> Enclosure:
    return enclose_steps(SIZE, {"bits": Fraction(bits)}, DIGITS)[0]


def shares(route: str, rows: Sequence[Measured], head: int) -> Iterator[Share]:
    """Each tensor's share of the numbers, or of the bits that it was coded in."""
    trained = [row for row in rows if not row.frozen]
    costs = [(row.place.layer or None, row.place.slot, (row.coded if route == CODED else None) or row.numbers)
             for row in trained]  # fmt: skip
    if head:
        costs.append((None, "head", head * (HEAD_BITS if route == CODED else 1)))
    total = sum(cost for *_, cost in costs)
    yield from (Share(route, layer, slot, Decimal(cost) / total) for layer, slot, cost in costs)
