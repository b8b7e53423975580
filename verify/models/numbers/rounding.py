"""Numbers rounded to so many bits each: a grid of odd multiples or of multiples of one step, as wide as the largest
entry.

With B bits an entry is one of 2^B - 1 multiples of a step, the largest being the largest entry, rounded to a float32;
with one bit it is that entry or its negative.
"""

from __future__ import annotations

import numpy as np

from maurey.numeric.types import Array
from maurey.symbolic.errors import InputError

from .tensors import Stored, doubles

MOST_BITS = 32


def check_bits(bits: int) -> None:
    if isinstance(bits, bool) or not isinstance(bits, int) or not 0 < bits <= MOST_BITS:
        raise InputError(f"--bits takes an integer from 1 to {MOST_BITS}, got {bits}")


def rounded(A: Stored, bits: int) -> Array:
    """The tensor of the rounded model, as doubles."""
    check_bits(bits)
    x = doubles(A.array, A.kind)
    top = float(np.float32(np.abs(x).max(initial=0.0)))
    if not top:
        return np.zeros_like(x)
    if bits == 1:
        return np.where(x < 0, -top, top)
    steps = 2 ** (bits - 1) - 1
    return np.clip(np.rint(x * (steps / top)), -steps, steps) * (top / steps)
