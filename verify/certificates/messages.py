"""Messages: integers as bytes, by arithmetic coding in exact integers, and the length of the word that carries them.

A message is the number of its blocks, and of each block: how many integers, the least one, how many values from there
on, the length of its payload in bytes, and the payload. These numbers are written in base 128, least digits first,
with 128 added to all digits but the last; the least integer x is written as 2x, or -2x - 1 where it is negative.

Before integer i of a block (from 0) the value v has the frequency 2 c + 1, c the number of times that it came before,
of a total of 2 i + A for A values. An interval, at first [0, 1), is cut in these proportions, in the order of the
values, and the part that belongs to the integer is kept. The payload of L bytes, the first most significant, is the
least number b for the least L for which [b, b + 1)/256^L lies in what is left.

Any string of bytes is one word of a prefix code, Elias's delta code for its length plus one and then its bits: whatever
the bytes mean, the sum of 2^-bits over all of them is at most 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from maurey.symbolic.errors import InputError, cut

MOST_VALUES, MOST_INTEGERS = 1 << 14, 1 << 17  # of a block


def bits_of(message: bytes) -> int:
    """Of the word that carries it."""
    log = (len(message) + 1).bit_length() - 1
    return 8 * len(message) + log + 2 * ((log + 1).bit_length() - 1) + 1


def encode(blocks: Sequence[Sequence[int]]) -> bytes:
    """Blocks of integers that are alike: each is coded by how often its values came before."""
    return b"".join([_digits(len(blocks)), *map(_block, blocks)])


def decode(message: bytes) -> list[list[int]]:
    number, at = _number(message, 0)
    blocks = []
    for _ in range(number):
        length, at = _number(message, at)
        low, at = _number(message, at)
        values, at = _number(message, at)
        size, at = _number(message, at)
        if length > MOST_INTEGERS or values > MOST_VALUES or (length and not values) or at + size > len(message):
            raise InputError("the message is not in the format of docs/certify.md: a block that does not fit")
        blocks.append(_integers(message[at : at + size], length, -(low + 1) // 2 if low % 2 else low // 2, values))
        at += size
    if at < len(message):
        raise InputError("the message is not in the format of docs/certify.md: it goes on after its last block")
    return blocks


def _digits(x: int) -> bytes:
    digits = [x & 127]
    while x := x >> 7:
        digits.append(x & 127)
    return bytes([*(digit + 128 for digit in digits[:-1]), digits[-1]])


def _number(message: bytes, at: int) -> tuple[int, int]:
    x = shift = 0
    while at < len(message) and shift < 70:
        digit, at = message[at], at + 1
        x, shift = x | (digit & 127) << shift, shift + 7
        if digit < 128:
            return x, at
    raise InputError("the message is not in the format of docs/certify.md: a number does not end")


def _block(integers: Sequence[int]) -> bytes:
    low, values = (min(integers), max(integers) - min(integers) + 1) if integers else (0, 0)
    if values > MOST_VALUES or len(integers) > MOST_INTEGERS:
        raise InputError(f"a block has up to {MOST_INTEGERS} integers and {MOST_VALUES} values: use several")
    if not -(1 << 69) <= low < 1 << 69:
        raise InputError(f"the integers of a message are at least -2^69 and below 2^69, got {cut(str(low))}")
    payload = _payload([x - low for x in integers], values)
    head = (len(integers), 2 * low if low >= 0 else -2 * low - 1, values, len(payload))
    return b"".join([*map(_digits, head), payload])


def _payload(symbols: Iterable[int], values: int) -> bytes:
    counts, below, width, whole = [1] * values, 0, 1, 1  # the interval is [below, below + width)/whole
    for s in symbols:
        total = sum(counts)
        below, width, whole = below * total + width * sum(counts[:s]), width * counts[s], whole * total
        counts[s] += 2
    size = max(0, whole.bit_length() - width.bit_length() - 1) // 8
    while True:
        b = -(-(below << 8 * size) // whole)
        if (b + 1) * whole <= (below + width) << 8 * size:
            return b.to_bytes(size, "big")
        size += 1


def _integers(payload: bytes, length: int, low: int, values: int) -> list[int]:
    counts, found, unit = [1] * values, [], 1
    rest, width = int.from_bytes(payload, "big"), 1 << 8 * len(payload)  # where in the interval, and how wide it is
    for _ in range(length):
        total = sum(counts)
        target = rest * total // width
        ends = list(accumulate(counts))
        s = next(v for v, end in enumerate(ends) if target < end)
        rest, width = rest * total - width * (ends[s] - counts[s]), width * counts[s]
        counts[s], unit = counts[s] + 2, unit * total
        found.append(low + s)
    if not (rest < unit and rest + unit <= width):
        raise InputError("the message is not in the format of docs/certify.md: a payload is not the least of its kind")
    return found
