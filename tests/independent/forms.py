"""Where the second computations are collected, and what they share.

A file of this folder is found by being here. It registers its functions with `form` (or `several`, where forms agree),
and with `near` what random points of a claim, or of a whole paper, must look like beyond the claim's own hypotheses.
Ceilings are taken after subtracting 1e-40, at 60 digits, so that exact ties count as the integer they are.
"""

from fractions import Fraction

from mpmath import ceil, mp, mpf

mp.dps = 60
FORMS = {}  # (key, part, form): function
COMPOSED = set()  # (key, part, form), or key, of forms put together from steps that are mutated in other claims
RULES = {}  # key or paper: what is done to a random point


def form(key, part, name):
    return several(key, part, (name,))


def several(key, part, names):
    def register(function):
        for name in names:
            FORMS[key, part, name] = function
        return function

    return register


def near(*keys):
    """Register a function of a claim, a point and a random generator that moves the point where something happens."""

    def register(function):
        for key in keys:
            RULES.setdefault(key, []).append(function)
        return function

    return register


def assumed(claim):
    """The names of which the hypotheses speak."""
    return {str(symbol) for assumption in claim.assumes for symbol in assumption.relation.free_symbols}


def up(x):
    return ceil(x - mpf(10) ** -40)


def number(x):
    return [number(v) for v in x] if isinstance(x, list) else mpf(Fraction(x).numerator) / Fraction(x).denominator


def rounded(x):
    """What is drawn, as a parameter is given."""
    return str(Fraction(f"{float(x):.6g}"))
