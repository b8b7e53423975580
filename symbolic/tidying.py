"""An expression as one would write it down: numbers multiplied out, a letter times itself as a power, no fraction below
another. The calculus keeps every factor where it came from, which is what a derivation shows; a display is read alone.
"""

from __future__ import annotations

from math import ceil, isqrt, prod

from sympy import Add, Expr, Indexed, Integer, Mul, Piecewise, Pow, Rational, Symbol, ceiling
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from .expressions import chain, denominator

MOST = 10**6  # the largest power of a number that is multiplied out


def tidied(expr: Expr) -> Expr:
    """Equal to it, and built unevaluated like it."""
    if not expr.args or isinstance(expr, Indexed):
        return expr
    if isinstance(expr, ExprWithLimits):
        return expr.func(tidied(expr.function), *expr.limits)
    if isinstance(expr, Piecewise):
        return Piecewise(*((tidied(value), _condition(where)) for value, where in expr.args), evaluate=False)
    args = [tidied(arg) for arg in expr.args]
    if isinstance(expr, Pow):
        return _power(*args)
    whole = expr.func(*args, evaluate=False)
    if isinstance(expr, Mul):
        return _product(whole)
    if isinstance(expr, Add):
        return _sum(whole)
    if isinstance(expr, ceiling) and isinstance(args[0], Rational):
        return Integer(ceil(args[0]))
    return whole


def _condition(where: Boolean) -> Boolean:
    if not isinstance(where, Relational):
        return where
    return where.func(tidied(where.lhs), tidied(where.rhs), evaluate=False)


def _power(base: Expr, exponent: Expr) -> Expr:
    if base == 1:
        return Integer(1)
    if exponent == -1:
        return _inverse(base)
    if isinstance(base, Rational) and exponent == Rational(1, 2):
        root = Rational(isqrt(base.p), isqrt(base.q)) if base >= 0 else base
        return root if root * root == base else Pow(base, exponent, evaluate=False)
    if isinstance(base, Integer) and isinstance(exponent, Rational) and exponent.q == 2 and 1 < exponent < 9:
        whole = Integer(base ** (exponent.p // 2))
        return Mul(whole, _power(base, Rational(1, 2)), evaluate=False)
    if isinstance(exponent, Integer) and exponent > 0:
        if isinstance(base, Integer) and abs(base) ** int(exponent) <= MOST:
            return Integer(base**exponent)
        if _is_power(base):
            return Pow(base.base, base.exp * exponent, evaluate=False)
    return Pow(base, exponent, evaluate=False)


def _is_power(expr: Expr) -> bool:
    """A letter to a whole power."""
    return (
        isinstance(expr, Pow)
        and isinstance(expr.base, (Symbol, Indexed))
        and isinstance(expr.exp, Integer)
        and expr.exp > 1
    )


def _inverse(expr: Expr) -> Expr:
    """One over a fraction is the fraction turned round."""
    under = denominator(expr)
    if under is not None:
        return under
    below = [denominator(factor) for factor in chain(expr, Mul)] if isinstance(expr, Mul) else []
    if any(factor is not None for factor in below):
        above = [factor for factor in chain(expr, Mul) if denominator(factor) is None and factor != 1]
        return _product(_times([*(x for x in below if x is not None), *(_over(factor) for factor in above)]))
    return Rational(expr.q, expr.p) if isinstance(expr, Rational) and expr.q != 1 else _over(expr)


def _over(expr: Expr) -> Expr:
    return Pow(expr, -1, evaluate=False)


def _times(factors: list[Expr]) -> Expr:
    return factors[0] if len(factors) == 1 else Mul(*factors, evaluate=False) if factors else Integer(1)


def _product(expr: Expr) -> Expr:
    """Fraction by fraction: what stands to the right of a denominator begins another one."""
    if not isinstance(expr, Mul):
        return expr
    groups: list[tuple[list[Expr], list[Expr]]] = [([], [])]
    for factor in _flat(expr):
        under = denominator(factor)
        if under is not None:
            groups[-1][1].extend(_flat(under))
        elif groups[-1][1]:
            groups.append(([factor], []))
        else:
            groups[-1][0].append(factor)
    if all(isinstance(x, Rational) for above, below in groups for x in (*above, *below)):
        return prod((x for above, _ in groups for x in above), start=Integer(1)) / prod(
            (x for _, below in groups for x in below), start=Integer(1)
        )
    factors = [factor for above, below in groups for factor in _fraction(above, below)]
    return Integer(0) if any(factor == 0 for factor in factors) else _times(factors)


def _flat(expr: Expr) -> list[Expr]:
    """The factors; those of a product in parentheses too, unless it has a denominator."""
    if not isinstance(expr, Mul):
        return [expr]
    out: list[Expr] = []
    for factor in chain(expr, Mul):
        inner = chain(factor, Mul) if isinstance(factor, Mul) else [factor]
        out += [factor] if any(denominator(one) is not None for one in inner) else inner
    return out


def _fraction(above: list[Expr], below: list[Expr]) -> list[Expr]:
    numbers = [x for x in above if _is_number(x)]
    under = [x for x in below if isinstance(x, Integer)]
    count = Rational(1, 1)
    for x in numbers:
        count *= x
    for x in under:
        count /= x
    split = all(isinstance(x, Integer) for x in numbers) and len(below) > 0
    lead, last = (Integer(count.p), Integer(count.q)) if split else (count, Integer(1))
    top = _merged([x for x in above if not _is_number(x)])
    bottom = _merged([x for x in below if not isinstance(x, Integer)])
    top = [lead, *top] if lead != 1 else top
    bottom = [last, *bottom] if last != 1 else bottom
    return [*(top or [Integer(1)]), *([_over(_times(bottom))] if bottom else [])]


def _is_number(expr: Expr) -> bool:
    """Rounded ones stay as they are: 0.0853 is read as a name."""
    return isinstance(expr, Rational) and (expr.q == 1 or expr.q % 1000 != 0)


def _merged(factors: list[Expr]) -> list[Expr]:
    """A letter that stands there several times is a power, where it first stood."""
    powers: dict[Expr, Integer] = {}
    for factor in factors:
        base, times = _letter(factor)
        powers[base] = powers.get(base, Integer(0)) + times
    return [base if times == 1 else Pow(base, times, evaluate=False) for base, times in powers.items()]


def _letter(factor: Expr) -> tuple[Expr, Integer]:
    return (factor.base, factor.exp) if _is_power(factor) else (factor, Integer(1))


def _alike(terms: list[Expr]) -> list[Expr]:
    """A letter that is added to itself has a factor, where it first stood."""
    count = {term: terms.count(term) for term in terms}
    return [
        Mul(Integer(count[term]), term, evaluate=False) if isinstance(term, Symbol) and count[term] > 1 else term
        for n, term in enumerate(terms)
        if not (isinstance(term, Symbol) and term in terms[:n])
    ]


def _sum(expr: Expr) -> Expr:
    """Its numbers in one, where the first of them stood."""
    terms = chain(expr, Add)
    under = [denominator(term) for term in terms]
    found = [1 / x if isinstance(x, Integer) else term for x, term in zip(under, terms, strict=True)]
    terms = _alike(found)
    numbers = [term for term in terms if _is_number(term)]
    if len(numbers) < 2:
        return expr if len(found) == len(terms) == len(expr.args) else _whole(terms)
    total, first = sum(numbers, Integer(0)), terms.index(numbers[0])
    rest = [total if n == first else term for n, term in enumerate(terms) if n == first or not _is_number(term)]
    rest = [term for term in rest if term != 0]
    return _whole(rest)


def _whole(terms: list[Expr]) -> Expr:
    return terms[0] if len(terms) == 1 else Add(*terms, evaluate=False) if terms else Integer(0)
