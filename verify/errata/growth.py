"""How fast a form grows along every ray at once: a field for `walk` whose numbers are sizes.

Put x_j = t^(a_j) and let t -> infinity. What is built from the x_j by sums, products, roots, minima and logarithms
grows as t^p (log t)^l, where p and l are piecewise linear in a: sums are maxima, products sums, roots multiples,
log(1 + x) is x where x shrinks, a ceiling is at least a constant. What cannot be treated so is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any

import z3
from sympy import Expr, true
from sympy.core.relational import Ge, Gt, Le, Lt

from maurey.numeric.walk import walk

from .orders import (
    BEYOND,
    CONSTANT,
    ITERATED,
    NOTHING,
    Fact,
    Number,
    Order,
    Size,
    Tower,
    below,
    is_,
    is_number,
    is_term,
    logarithm,
    negation,
    number,
    product,
    raised,
    same,
    scaled,
)

MOST = 1000  # no integral has a larger power of t along a ray that is scaled


class Untreated(ArithmeticError):
    """A node whose growth is not known, by name."""


class Orders:
    """The field. Its `laws` say what its terms are; powers of log t are told apart if there are `logarithms`."""

    def __init__(self, logarithms: bool, context: Any, name: str = "") -> None:
        self.logarithms, self.context, self.name = logarithms, context, name
        self.indices: list[int] = []
        self.laws: list[Fact] = []
        self.kept: dict[Any, Order] = {}  # the same of the same is one term, in all forms
        self.integrals: dict[str, Size] = {}

    # --- orders -------------------------------------------------------------------------------------------------------

    def _new(self) -> Order:
        name = f"{self.name}{len(self.laws)}"
        log = z3.Real(f"l{name}", self.context) if self.logarithms else Fraction(0)
        return Order(z3.Real(f"p{name}", self.context), log)

    def where(self, fact: Fact, x: Order, y: Order) -> Order:
        """x where the fact holds, y elsewhere."""
        if isinstance(fact, bool) or same(x, y):
            return x if fact is True or same(x, y) else y
        key = fact.get_id(), *x.key, *y.key
        if key not in self.kept:
            z = self.kept[key] = self._new()
            self.laws.append(z3.And(z3.Implies(fact, is_(z, x)), z3.Or(fact, is_(z, y))))
        return self.kept[key]

    def largest(self, orders: list[Order], least: bool = False) -> Order:
        """Of several; or the least."""
        terms: list[Order] = []
        for x in orders:
            if not any(same(x, y) for y in terms) and (least or not same(x, NOTHING)):
                terms.append(x)
        if len(terms) <= 1:
            return terms[0] if terms else NOTHING
        if not any(is_term(x.power) or is_term(x.log) for x in terms):
            return (min if least else max)(terms, key=lambda x: (x.power, x.log))
        key = least, *sorted((x.key for x in terms), key=str)
        if key not in self.kept:
            z = self.kept[key] = self._new()
            bounds = [negation(below(x, z) if least else below(z, x)) for x in terms]
            self.laws.append(z3.And(z3.Or(*(is_(z, x) for x in terms)), *bounds))
        return self.kept[key]

    def _both(self, sizes: list[Size], least: bool = False) -> tuple[Order, Order]:
        """The largest, or the least, of the low ends and of the high ones."""
        low = self.largest([x.low for x in sizes], least)
        return low, low if all(x.exact for x in sizes) else self.largest([x.high for x in sizes], least)

    # --- sums, products, powers ---------------------------------------------------------------------------------------

    def rational(self, value: Fraction) -> Size:
        return number(value)

    def add(self, terms: list[Any]) -> Any:
        towers = [x for x in terms if isinstance(x, Tower)]
        if towers and len(terms) == 2 and any(is_number(x, -1) for x in terms):
            return self._risen(towers[0].log, less_one=True)
        if towers:
            return Tower(self._max(*(self._log(x) for x in terms)))
        moving = [x for x in terms if x.number is None]
        constant = sum((x.number for x in terms if x.number is not None), Fraction(0))
        if not moving:
            return number(constant)
        if is_number(number(constant), -1) and len(moving) == 1 and moving[0].counted is not None:
            return self._less_one(moving[0].counted)
        total = self._sum(moving if is_number(number(constant), 0) else [*moving, number(constant)])
        if is_number(number(constant), 1) and all(x.minus is None for x in moving):
            return replace(total, beyond_one=self._sum(moving))
        known = [x.exponential for x in terms if x.exponential is not None]
        return replace(total, exponential=reduce(Order.__add__, known)) if len(known) == len(terms) else total

    def _sum(self, terms: list[Size]) -> Size:
        if len(terms) == 1:
            return terms[0]
        taken = [x.minus for x in terms if x.minus is not None]
        minus = (self.largest([x for x, _ in taken]), self.largest([y for _, y in taken])) if taken else None
        return Size(*self._both(terms), minus, least=sum(x.least for x in terms), most=sum(x.most for x in terms))

    def _less_one(self, x: Size) -> Size:
        """ceiling(x) - 1: nothing where x shrinks."""
        low = self.where(below(CONSTANT, x.low), x.low, NOTHING)
        return Size(low, self.where(below(x.high, CONSTANT), NOTHING, x.high), most=x.most)

    def multiply(self, factors: list[Any]) -> Any:
        if any(is_number(x, 0) for x in factors):
            return number(Fraction(0))
        if any(isinstance(x, Tower) for x in factors):
            return Tower(self.add([self._log(x) for x in factors]))
        return reduce(self._product, factors)

    def _product(self, x: Size, y: Size) -> Size:
        if x.number is not None and y.number is not None:
            return number(x.number * y.number)
        if x.number is not None or y.number is not None:
            return scaled(y, x.number) if x.number is not None else scaled(x, y.number)
        x, y = (self.positive(z) if z.minus and z.least > 0 else z for z in (x, y))
        low = x.low + y.low
        high = low if x.exact and y.exact else x.high + y.high
        minus = None
        if x.minus or y.minus:
            crossed = [(z.low + m[0], z.high + m[1]) for z, m in ((x, y.minus), (y, x.minus)) if m]
            minus = self.largest([m for m, _ in crossed]), self.largest([m for _, m in crossed])
        if x.minus and y.minus:
            low, high = (self.largest([z, a + b]) for z, a, b in zip((low, high), x.minus, y.minus, strict=True))
        ends = [product(a, b) for a in x.ends for b in y.ends]
        return Size(low, high, minus, least=min(ends), most=max(ends))

    def power(self, base: Any, exponent: Number) -> Any:
        if isinstance(base, Tower):
            return Tower(self.multiply([number(exponent), base.log]))
        if base.number is not None:
            return number(base.number if is_term(exponent) else base.number**exponent)
        if not is_term(exponent) and exponent == 0:
            return number(Fraction(1))
        x = self._modulus(base) if base.minus and exponent in (2, 4) else self.positive(base)
        low = x.low.times(exponent)
        high = low if x.exact else x.high.times(exponent)
        if is_term(exponent):
            if not x.exact:
                raise Untreated("a power whose exponent is open")
            return Size(low, high)
        least, most = sorted(raised(end, exponent) for end in x.ends)
        return Size(*((low, high) if exponent > 0 else (high, low)), least=least, most=most)

    def power_of(self, base: Any, exponent: Any) -> Any:
        if isinstance(exponent, Size) and exponent.number is not None:
            return self.power(base, exponent.number)
        return Tower(self.multiply([exponent, self._log(base)]))

    # --- functions ----------------------------------------------------------------------------------------------------

    def apply(self, name: str, arguments: list[Any]) -> Any:
        treated: dict[str, Callable[..., Any]] = {
            "pi": lambda: number(math.pi),
            "log": self._log,
            "exp": self._exp,
            "min": self._min,
            "max": self._max,
            "binomial": self._binomial,
            "ceil_log2": lambda x: self._max(number(Fraction(1)), self._log(x)),
        }
        if name not in treated:
            raise Untreated(name)
        return treated[name](*arguments)

    def _min(self, *arguments: Any) -> Size:
        return self._best([self.positive(x) for x in arguments], least=True)

    def _max(self, *arguments: Any) -> Size:
        return self._best([self.positive(x) for x in arguments], least=False)

    def _best(self, sizes: list[Size], least: bool) -> Size:
        pick = min if least else max
        numbers: list[Number] = [x.number for x in sizes if x.number is not None]
        if len(numbers) == len(sizes):
            return number(pick(numbers))
        known = [x.exponential for x in sizes if x.exponential is not None]
        exponential = self.largest(known, least) if len(known) == len(sizes) else None
        low, high = self._both(sizes, least)
        ends = pick(x.least for x in sizes), pick(x.most for x in sizes)
        return Size(low, high, least=ends[0], most=ends[1], exponential=exponential)

    def _binomial(self, n: Size, k: Size) -> Tower:
        """Of k out of 2k: between 2^k and 4^k."""
        if not (n.exact and k.exact and same(n.low, k.low)):
            raise Untreated("binomial")
        return Tower(k)

    def _exp(self, x: Any) -> Any:
        if isinstance(x, Tower):
            raise Untreated("exp of an exponential")
        if x.number is not None:
            return number(math.exp(x.number))
        return Tower(x) if x.exponential is None else Size(x.exponential, x.exponential)

    def _risen(self, x: Size, less_one: bool = False) -> Size:
        """exp(x): beyond every power where x grows with one, constant where x shrinks; less 1, x where x shrinks."""
        still = (x.low, x.high) if less_one else (CONSTANT, CONSTANT)
        if x.minus is not None:
            x, still = self.positive(x), (NOTHING, still[1])
        return Size(self.where(x.low.power > 0, BEYOND, still[0]), self.where(x.high.power < 0, still[1], BEYOND))

    def _log(self, x: Any) -> Size:
        if isinstance(x, Tower):
            return x.log
        if x.number is not None:
            return number(math.log(x.number))
        exponential = x.low if x.exact else None
        if y := x.beyond_one:
            low = self._shrinking(y.low)
            high = low if y.exact else self._shrinking(y.high)
            return Size(low, high, least=math.log1p(y.least), most=math.log1p(y.most), exponential=exponential)
        x = self.positive(x)
        least, most = logarithm(x.least), logarithm(x.most)
        high = self._growing(x.high, CONSTANT)
        low = high if x.exact and least > 0 else self._growing(x.low, CONSTANT if least > 0 else NOTHING)
        size = Size(low, high, least=least, most=most, exponential=exponential)
        if least >= 0:
            return size
        inverse = self.power(x, Fraction(-1))
        return replace(size, minus=(self._growing(inverse.low, NOTHING), self._growing(inverse.high, CONSTANT)))

    def _shrinking(self, x: Order) -> Order:
        """Of log(1 + x)."""
        return self.where(below(CONSTANT, x), self._slow(x), x)

    def _growing(self, x: Order, level: Order) -> Order:
        """Of log x, nothing where it is negative; of the given order where x is level."""
        if same(x, CONSTANT):
            return level
        return self.where(below(CONSTANT, x), self._slow(x), self.where(below(x, CONSTANT), NOTHING, level))

    def _slow(self, x: Order) -> Order:
        """Of log x, where x grows."""
        if not self.logarithms:
            return CONSTANT
        return self.where(x.power > 0, Order(Fraction(0), Fraction(1)), Order(Fraction(0), ITERATED))

    def ceiling(self, x: Any, node: Expr, env: Mapping[str, Any]) -> Size:
        if x.number is not None:
            return number(Fraction(math.ceil(x.number)))
        x = self.positive(x)
        high = self.largest([CONSTANT, x.high])
        low = high if x.exact else self.largest([CONSTANT, x.low])
        return Size(low, high, least=max(1.0, x.least), most=x.most + 1, counted=x)

    def integer(self, x: Any) -> int:
        if not isinstance(x.number, Fraction) or x.number.denominator != 1:
            raise Untreated("a sum of growing length")
        return int(x.number)

    def integrate(self, node: Expr, env: Mapping[str, Any]) -> Size:
        """One unknown for each integral, the same in all forms, for it speaks of parameters and not of steps."""
        if str(node) not in self.integrals:
            order = Order(z3.Real(f"integral{len(self.integrals)}", self.context))
            self.laws.append(z3.And(order.power > -MOST, order.power < MOST))
            self.integrals[str(node)] = Size(order, order)
        return self.integrals[str(node)]

    # --- cases and signs ----------------------------------------------------------------------------------------------

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Any:
        (condition, value), *rest = branches
        if condition == true:
            return value()
        if not rest:
            raise Untreated("a case that may not apply")
        yes, no = self.holds(condition, env)
        if yes is True or no is True:
            return value() if yes is True else self.select(rest, env)
        x, y = self.positive(value()), self.positive(self.select(rest, env))
        low = self.where(yes, x.low, self.where(no, y.low, self.largest([x.low, y.low], least=True)))
        high = self.where(yes, x.high, self.where(no, y.high, self.largest([x.high, y.high])))
        return Size(low, high, least=min(x.least, y.least), most=max(x.most, y.most))

    def holds(self, condition: Any, env: Mapping[str, Any]) -> tuple[Fact, Fact]:
        """When it certainly holds, and when it certainly does not; between lie ties."""
        if condition.func not in (Le, Lt, Ge, Gt):
            raise Untreated(f"a case by {condition.func.__name__}")
        x, y = (self.positive(walk(side, env, self)) for side in (condition.lhs, condition.rhs))
        if condition.func in (Le, Lt):
            x, y = y, x
        return x.least > y.most or below(y.high, x.low), x.most < y.least or below(x.high, y.low)

    def positive(self, x: Any) -> Size:
        """The positive part: of a difference nothing where more is subtracted, and something unknown at a tie."""
        if isinstance(x, Tower):
            return self._risen(x.log)
        if x.minus is None:
            return x
        if x.number is not None:
            return number(Fraction(0))
        low = self.where(below(x.minus[1], x.low), x.low, CONSTANT if x.least > 0 else NOTHING)
        high = self.where(below(x.high, x.minus[0]), NOTHING, x.high)
        return Size(low, high, least=max(0.0, x.least), most=max(0.0, x.most))

    def _modulus(self, x: Size) -> Size:
        return self._sum([self.positive(x), self.positive(scaled(x, Fraction(-1)))])
