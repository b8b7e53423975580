"""A second computation of every form, in mpmath, from the papers' texts alone: nothing here touches the calculus.

Each function takes numbers and returns a number. Every file of the folder is loaded: none is listed.
"""

import importlib
import pkgutil
from decimal import Decimal

import mpmath

import maurey
from maurey.numeric.walk import Undefined

from .forms import COMPOSED, FORMS, number

for module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{module.name}")

__all__ = ["COMPOSED", "FORMS", "KEYS", "OWN", "close", "forms_of", "second"]
KEYS = [claim.key for claim in maurey.claims() if claim.parts]


def restated(key):
    """Its parts are those of a claim that it uses, where they are tested at length."""
    parts = maurey.claim(key).parts
    return any(maurey.claim(other).parts is parts for other in maurey.claim(key).uses)


OWN = [key for key in KEYS if not restated(key)]


def forms_of(key):
    """Its parts and forms."""
    return [(part.name, form) for part in maurey.claim(key).parts for form in part.forms]


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
