"""A number of any size, or an array of them: a sign and the logarithm of the absolute value, in double precision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np


@dataclass(frozen=True, repr=False)
class LogValue:
    """sign * exp(log); the sign is +1 or an array of signs, zero has log -inf.

    >>> import maurey
    >>> found = maurey.claim("edelman2022/A.10").sweep(eps="1/10", N=[10, 100, 10**400], B_w=1, B_X=1)
    >>> found
    <3 values, from 10^5.028 to 10^7.125>
    >>> found.log10.round(3)
    array([5.028, 5.145, 7.125])
    """

    log: Any
    sign: Any = 1

    @property
    def log10(self) -> Any:
        return self.log / np.log(10.0)

    @property
    def value(self) -> Any:
        """Plain doubles; may overflow to inf, which `log` does not."""
        with np.errstate(over="ignore"):
            return self.sign * np.exp(self.log)

    def __repr__(self) -> str:
        logs = np.asarray(self.log10, dtype=float)
        if np.all(np.asarray(self.sign) > 0) and logs.size:
            told = f"10^{logs.min():.4g}" if logs.size == 1 else f"from 10^{logs.min():.4g} to 10^{logs.max():.4g}"
            return f"<{logs.size} value{'s' if logs.size > 1 else ''}, {told}>"
        return f"<{logs.size} values of any sign>"


def from_plain(x: Any) -> LogValue:
    """A finite double or array of doubles."""
    with np.errstate(divide="ignore"):
        if np.min(x) > 0:
            return LogValue(np.log(x))
        return LogValue(np.log(np.abs(x)), np.sign(x))


def from_exact(x: Fraction) -> LogValue:
    """A number of any size."""
    plain = float(x) if 1e-300 < abs(x) < 1e300 else 0.0
    if plain or not x:
        return from_plain(plain)
    return LogValue(math.log(abs(x.numerator)) - math.log(x.denominator), 1 if x > 0 else -1.0)


def joined(entries: list[LogValue]) -> LogValue:
    """Numbers as one array."""
    signs = np.array([x.sign for x in entries])
    return LogValue(np.array([float(x.log) for x in entries]), 1 if np.all(signs > 0) else signs)
