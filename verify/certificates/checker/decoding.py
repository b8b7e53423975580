"""Messages decoded again, from docs/certify.md: integers by arithmetic coding, and Kraft's inequality for their
words."""

from __future__ import annotations

from .reading import require

FEW, MANY = 1 << 14, 1 << 17  # values and integers of a block


def word_length(message: bytes) -> int:
    """Elias's delta code for the length plus one, then the bits: the code of the number x has the binary digits of x
    but the first, after Elias's gamma code for how many digits x has."""
    x = len(message) + 1
    digits = len(bin(x)) - 2
    gamma = 2 * (len(bin(digits)) - 2) - 1
    return gamma + (digits - 1) + 8 * len(message)


def integers(message: bytes) -> list[int]:
    place, found = 0, list[int]()

    def read() -> int:
        nonlocal place
        value, weight = 0, 1
        while True:
            require(place < len(message) and weight < 1 << 70, "the message breaks off in a number")
            byte = message[place]
            place += 1
            value, weight = value + (byte % 128) * weight, weight * 128
            if byte < 128:
                return value

    for _ in range(read()):
        length, coded, values, size = read(), read(), read(), read()
        require(length <= MANY and values <= FEW and (values or not length), "a block of the message is too large")
        require(place + size <= len(message), "a payload of the message breaks off")
        least = coded // 2 if coded % 2 == 0 else -(coded // 2) - 1
        found += [least + v for v in _values(message[place : place + size], length, values)]
        place += size
    require(place == len(message), "the message goes on after its last block")
    return found


def _values(payload: bytes, length: int, values: int) -> list[int]:
    """The number of the payload, over 256^size, is followed into ever smaller intervals. Of each the frequencies add up
    to the total, so that the lengths of the words do not break Kraft's inequality."""
    number, unit = int.from_bytes(payload, "big"), 256 ** len(payload)
    times, found, step = [0] * values, list[int](), 1
    for i in range(length):
        total = 2 * i + values
        require(sum(times) == i, "the frequencies of the message do not add up")
        share, v, below = number * total, 0, 0
        whole = share // unit
        while whole >= below + 2 * times[v] + 1:
            below += 2 * times[v] + 1
            v += 1
        number, unit = share - below * unit, unit * (2 * times[v] + 1)
        step *= total
        times[v] += 1
        found.append(v)
    require(number < step and number + step <= unit, "a payload of the message is not the least that decodes so")
    return found
