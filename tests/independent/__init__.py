"""A second computation of every form, in mpmath, from the papers' texts alone: nothing here touches the calculus."""

from decimal import Decimal

import mpmath

import maurey
from maurey.numeric.walk import Undefined

from .edelman2022 import number
from .lintilhac2026 import FORMS

ALL = [(c.key, p.name, f) for c in maurey.claims() for p in c.parts for f in p.forms]


def second(key, part, form, at):
    """The second computation; undefined where it has no real value."""
    with mpmath.workdps(60):
        try:
            value = FORMS[key, part, form](**{name: number(v) for name, v in at.items()})
        except ZeroDivisionError as error:
            raise Undefined from error
    if isinstance(value, mpmath.mpc):
        raise Undefined
    return value


def close(x, y, digits):
    """Two numbers of any size agree to so many digits."""
    with mpmath.workdps(60):
        x, y = mpmath.mpf(str(x)) if isinstance(x, Decimal) else x, mpmath.mpf(y)
        return x == y or (y != 0 and abs(x / y - 1) < mpmath.mpf(10) ** -digits)
