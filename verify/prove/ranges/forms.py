"""Other ways to write an expression, which keep more of its sign over a cell.

A sum over an infinite cell is infinity less infinity; with its largest term taken out, it is that term times a sum that
has a sign. This is the substitution at infinity: what is left goes to a constant there.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol, exp

from maurey.verify.prove.clock import NoAnswer, algebra

from .intervals import EVERYTHING, ZERO, Interval, entropy, over

MOST_TERMS = 10
LONGEST = 150


def products(expr: Expr) -> list[Expr]:
    """The expression, and the same as a product where that is soon found: products keep their signs."""
    expr = hyperbolic(expr)
    if expr.count_ops() > LONGEST:
        return [expr]
    try:
        with algebra(0.3):
            product = sympy.factor(sympy.together(expr))
    except NoAnswer:
        return [expr]
    return [expr, product] if product != expr else [expr]


@lru_cache(maxsize=256)
def entropies(expr: Expr) -> tuple[Expr, dict[str, Expr]]:
    """The expression with a letter for each u^r log u, r > 0, and what u^r is: with w for it, w log w / r."""
    found: dict[Expr, Symbol] = {}

    def named(product: Expr) -> Expr:
        powers = product.as_powers_dict()
        for one in [f for f in powers if isinstance(f, sympy.log) and f.free_symbols]:
            r = powers.get(one.args[0], sympy.S.Zero)
            if powers[one] == 1 and r.is_Rational and r > 0:
                w = one.args[0] ** r
                letter = found.setdefault(w, Symbol(f"w{len(found)}_log_w", real=True))
                product = product / (one * w) * letter / r
        return product

    expr = expr.replace(lambda e: isinstance(e, Mul), named)
    return expr, {letter.name: w for w, letter in found.items()}


def by_entropies(expr: Expr, names: Mapping[str, Interval]) -> tuple[Interval | None, bool]:
    """What it can be, and whether it is continuous there, with each w log w as one function."""
    rest, found = entropies(expr)
    ranges = {name: over(w, names)[0] for name, w in found.items()}
    letters = {name: entropy(w) for name, w in ranges.items() if w is not None}
    return over(rest, {**names, **letters}) if found and len(letters) == len(ranges) else over(expr, names)


def hyperbolic(expr: Expr) -> Expr:
    """sinh u / cosh u as tanh u, of which intervals know that it is bounded."""
    if not (expr.has(sympy.sinh) and expr.has(sympy.cosh)):
        return expr

    def quotient(product: Expr) -> Expr:
        factors = list(Mul.make_args(product))
        for sinh in [f for f in factors if isinstance(f, sympy.sinh)]:
            cosh = Pow(sympy.cosh(sinh.args[0]), -1)
            if cosh in factors:
                factors.remove(sinh)
                factors.remove(cosh)
                factors.append(sympy.tanh(sinh.args[0]))
        return Mul(*factors)

    return expr.replace(lambda e: isinstance(e, Mul), quotient)


Form = tuple[Expr, list[Expr]]


def dominated(expr: Expr) -> list[Form]:
    """Each term T with all terms divided by T."""
    try:
        with algebra(0.3):
            if expr.has(sympy.sinh, sympy.cosh):
                expr = expr.replace(lambda e: isinstance(e, (sympy.sinh, sympy.cosh)), lambda e: e.rewrite(exp))
            terms = Add.make_args(sympy.expand(expr))
            if not 2 <= len(terms) <= MOST_TERMS:
                return []
            return [(t, [_ratio(other, t) for other in terms]) for t in terms]
    except NoAnswer:
        return []


def _ratio(above: Expr, below: Expr) -> Expr:
    quotient = sympy.powsimp(above / below)
    quotient = quotient.replace(lambda e: isinstance(e, exp), lambda e: exp(sympy.factor(e.args[0])))
    return _rooted(quotient)


def _rooted(product: Expr) -> Expr:
    """x^a (c x^d + ...)^r with a + d r = 0 as (c + ...)^r: a root and a power that are infinite together are not."""
    powers = product.as_powers_dict()
    for base, r in powers.items():
        letters = base.free_symbols
        if not isinstance(base, Add) or not r.is_Rational or len(letters) != 1 or not base.is_polynomial(*letters):
            continue
        (x,) = letters
        d, a = sympy.degree(base, x), powers.get(x, sympy.S.Zero)
        if a and a + d * r == 0 and (d % 2 == 0 or not a.is_integer):
            side = sympy.sign(x) ** a if a.is_integer else 1
            return product / (x**a * base**r) * side * sympy.expand(base / x**d) ** r
    return product


def sign_at_infinity(forms: list[Form], names: Mapping[str, Interval]) -> int:
    """1 or -1 where one form shows that the sum is positive, or negative, over the cell; else 0."""
    for term, rest in forms:
        first, _ = over(term, names)
        if first is None or not (first.low >= 0 or first.high <= 0):
            continue
        ratios = [_fading(ratio, names) for ratio in rest]
        second = sum((r for r in ratios if r is not None), Interval(ZERO, ZERO))
        if None in ratios or not (second.low > 0 or second.high < 0):
            continue
        return (1 if first.low >= 0 else -1) * (1 if second.low > 0 else -1)
    return 0


def _fading(ratio: Expr, names: Mapping[str, Interval]) -> Interval | None:
    """What it can be; where its size falls all the way to infinity, between its first value and zero."""
    value, whole = by_entropies(ratio, names)
    if value is None or not whole or (value.low.is_finite() and value.high.is_finite()):
        return value
    letters = ratio.free_symbols
    side = names[next(iter(letters)).name] if len(letters) == 1 else EVERYTHING
    place = side.low if side.low.is_finite() else side.high
    if not place.is_finite():
        return value
    (x,) = letters
    rate, smooth = over(_rate(ratio, x), names)
    if rate is None or not smooth or not (rate.high <= 0 if place is side.low else rate.low >= 0):
        return value
    first, _ = over(ratio, {x.name: Interval(place, place)})
    return value if first is None else first.union(Interval(ZERO, ZERO))


@lru_cache(maxsize=256)
def _rate(product: Expr, x: Symbol) -> Expr:
    """The derivative of the logarithm of its size."""
    return Add(*(sympy.diff(factor, x) / factor for factor in Mul.make_args(product)))


def narrowest(forms: list[Expr], names: Mapping[str, Interval]) -> Interval:
    best = EVERYTHING
    for form in forms:
        value, _ = over(form, names)
        if value is None:
            return EVERYTHING
        low = best.low if best.low >= value.low else value.low
        best = Interval(low, best.high if best.high <= value.high else value.high)
        if best.low >= 0 or best.high <= 0:
            break
    return best
