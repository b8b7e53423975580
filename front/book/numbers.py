"""Numbers of the ledger as LaTeX: exact ones as they are, long ones with their power of ten."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction

DIGITS = 4  # of what is only enclosed
LONG = 10**6
POWER = re.compile(r"1(0{4,})")


def latex_of(text: str, digits: int = DIGITS) -> str:
    """A value: `-8.012e-71`, `1/16`, `1152921504606846976`."""
    if "/" in text:
        above, _, below = text.partition("/")
        return f"{_whole(int(above))}/{_whole(int(below))}"
    value = Decimal(text)
    if value.is_infinite():
        return r"\infty" if value > 0 else r"-\infty"
    if value == value.to_integral_value() and "." not in text and "E" not in text.upper():
        return _whole(int(value))
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = int(exponent)
    if -4 <= power < 6 and not (power >= 4 and Decimal(mantissa) == 1):
        return _trimmed(f"{Decimal(f'{mantissa}e{power}'):f}")
    return _scientific(_trimmed(mantissa), power)


def power_of(power: float) -> str:
    """t to a power, as in a ray."""
    exact = Fraction(power).limit_denominator(12)
    return "t" if exact == 1 else f"t^{{{exact}}}"


def is_number(text: str) -> bool:
    try:
        latex_of(text)
    except (InvalidOperation, ValueError, OverflowError):
        return False
    return True


def _whole(n: int) -> str:
    if power := POWER.fullmatch(str(n)):
        return f"10^{{{len(power[1])}}}"
    if abs(n) < LONG:
        return str(n)
    if n > 0 and not n & (n - 1):
        return f"2^{{{n.bit_length() - 1}}}"
    digits = str(abs(n))
    tail = len(digits) - len(digits.rstrip("0"))
    if tail >= DIGITS and len(digits) - tail <= 2 * DIGITS:
        head = digits.rstrip("0")
        return ("-" if n < 0 else "") + _scientific(head[0] + ("." + head[1:] if head[1:] else ""), len(digits) - 1)
    return str(n)


def _scientific(mantissa: str, power: int) -> str:
    return f"10^{{{power}}}" if mantissa == "1" else rf"{mantissa}\cdot10^{{{power}}}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
