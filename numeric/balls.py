"""Certified values: ball arithmetic (Arb) along the steps, rounded outward.

Rational subtrees stay exact rationals and roots of perfect powers are exact. A ceiling or a comparison that a ball
leaves open is settled by exact radicals if it is a tie, by more precision if it is not, and reported otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add, mul
from typing import Any

from flint import acb, arb, ctx, fmpq
from sympy import Add, Expr, Integer, Mul, Pow, Rational, true
from sympy.core.relational import Eq, Ge, Gt, Le, Lt, Ne, Relational

from maurey.symbolic.claim import Claim
from maurey.symbolic.derivation import Step
from maurey.symbolic.expressions import text_of

from .binding import bind
from .elementary import FUNCTIONS
from .elementary import Unresolved as Unresolved
from .elementary import to_arb as to_arb
from .exact import check_digits, context, cut_number, to_rational
from .powers import rational_power
from .surds import Surds, vanishes
from .types import Ball
from .walk import RULES, Env, Reader, Reading, Undecided, Undefined, each, factors_of, readers, run, walk

LARGEST_EXPONENT = MAX_EMAX // 2
MOST_PRECISION = 1 << 14  # bits, or 16 times the precision first tried
MOST_INTEGRAL_PRECISION = 1 << 12  # bits: the nodes of a rule take the third power of them
MOST_EVALUATIONS = 1 << 18  # of an integrand


@dataclass(frozen=True, repr=False)
class Enclosure:
    """lower <= the exact value <= upper; `value` is within, rounded to the digits asked for.

    >>> import maurey
    >>> found = maurey.claim("edelman2022/A.10").enclose(eps="1/10", N=100, B_w=1, B_X=1)
    >>> found, found.lower <= found.value <= found.upper
    (<139753.405260909, certified to 15 digits>, True)
    """

    value: Decimal
    lower: Decimal
    upper: Decimal
    digits: int

    def __repr__(self) -> str:
        return f"<{cut_number(self.value)}, certified to {self.digits} digit{'s' if self.digits > 1 else ''}>"

    def __str__(self) -> str:
        return str(self.value)

    def __float__(self) -> float:
        found = float(self.value)
        if math.isinf(found):
            raise OverflowError(f"{cut_number(self.value)} is beyond what a float holds; `value` is a Decimal")
        return found


@lru_cache(maxsize=4096)
def _rational(p: int, q: int) -> fmpq:
    return fmpq(p, q)


class _ExactEnv(Mapping[str, Any]):
    """The same names as a ball environment, as exact radicals: steps are re-derived only when a tie asks for them."""

    def __init__(self, env: Mapping[str, Any], steps: Mapping[str, Step]) -> None:
        self.env, self.steps, self.cache = env, steps, dict[str, Any]()

    def _surd(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._surd(v) for v in value]
        return Surds().rational(Fraction(int(value.p), int(value.q)))

    def __getitem__(self, name: str) -> Any:
        if name not in self.cache:
            value = self.env[name]
            if isinstance(value, arb) and name not in self.steps:  # a number that is only known as a ball
                raise Unresolved(name)
            inexact = any(isinstance(v, arb) for v in (value if isinstance(value, list) else [value]))
            self.cache[name] = self._again(self.steps[name]) if inexact else self._surd(value)
        return self.cache[name]

    def _again(self, step: Step) -> Any:
        return walk(step.expr, self, Surds()) if step.over is None else each(step, self, Surds())

    def __iter__(self) -> Iterator[str]:
        return iter(self.env)

    def __len__(self) -> int:
        return len(self.env)


class Balls:
    """The field of exact rationals and real balls at the current precision."""

    def __init__(self, steps: list[Step]) -> None:
        self.steps = {step.name: step for step in steps}
        self.indices: list[int] = []
        self.decisions: dict[tuple[Any, tuple[int, ...]], Any] = {}

    def rational(self, value: Fraction) -> fmpq:
        return _rational(*value.as_integer_ratio())

    def add(self, terms: list[Ball]) -> Ball:
        return reduce(add, terms)

    def multiply(self, factors: list[Ball]) -> Ball:
        # zero is absorbing even next to a ball, so that it stays exact; a ball is never false
        return reduce(mul, factors) if all(factors) else fmpq(0)

    def power(self, base: Ball, exponent: Fraction) -> Ball:
        return rational_power(base, *exponent.as_integer_ratio())

    def power_of(self, base: Ball, exponent: Ball) -> Ball:
        if isinstance(exponent, fmpq):
            return self.power(base, Fraction(int(exponent.p), int(exponent.q)))
        return to_arb(base) ** exponent

    def apply(self, name: str, arguments: list[Ball]) -> Ball:
        return FUNCTIONS[name](*arguments)

    def integer(self, x: Ball) -> int:
        if isinstance(x, fmpq) and x.q == 1:
            return int(x.p)
        raise Undefined("a sum whose limits are not integers")

    def ceiling(self, x: Ball, node: Expr, env: Mapping[str, Any]) -> fmpq:
        if isinstance(x, fmpq):
            n = x.ceil()
        else:
            n = x.ceil().unique_fmpz()
            if n is None:
                n = x.unique_fmpz()  # the one integer that x may be
                if n is None or not self._vanishes(node.args[0] - Integer(int(n)), env):
                    raise Unresolved(text_of(node))
        self.decisions[node, tuple(self.indices)] = int(n)
        return fmpq(n)

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> Ball:
        for condition, value in branches:
            holds = condition == true or self._holds(condition, env)
            self.decisions[condition, tuple(self.indices)] = holds
            if holds:
                return value()
        raise Undefined("no case applies")

    def _holds(self, relation: Relational, env: Mapping[str, Any]) -> bool:
        difference = self.add([walk(relation.lhs, env, self), -walk(relation.rhs, env, self)])
        sign = 0 if difference == 0 else 1 if difference > 0 else -1 if difference < 0 else None
        if sign is None:
            if not self._vanishes(relation.lhs - relation.rhs, env):
                raise Unresolved(text_of(relation))
            sign = 0
        wanted = {Ge: (0, 1), Gt: (1,), Le: (-1, 0), Lt: (-1,), Eq: (0,), Ne: (-1, 1)}
        return sign in wanted[relation.func]

    def integrate(self, node: Expr, env: Mapping[str, Any]) -> Ball:
        """Certified quadrature: Arb's, on complex balls around the segment."""
        variable, low, high = node.limits[0]
        a, b = walk(low, env, self), walk(high, env, self)
        if isinstance(a, fmpq) and isinstance(b, fmpq) and a == b:
            return fmpq(0)
        names = {symbol.name for symbol in node.function.free_symbols} - {variable.name}
        fixed = {name: acb(to_arb(env[name])) for name in names}

        def integrand(z: Any, analytic: bool) -> Any:
            return acb(walk(node.function, {**fixed, variable.name: z}, _Complex(analytic)))

        return _integral(integrand, to_arb(a), to_arb(b))

    def _vanishes(self, expr: Expr, env: Mapping[str, Any]) -> bool:
        return bool(vanishes(expr, _ExactEnv(env, self.steps)))


def _integral(integrand: Callable[[Any, bool], Any], low: arb, high: arb) -> arb:
    if ctx.prec > MOST_INTEGRAL_PRECISION:
        raise Undecided(
            f"undecided: integrals are taken at up to {MOST_INTEGRAL_PRECISION} bits, {ctx.prec} are needed"
        )
    try:
        return acb.integral(integrand, acb(low), acb(high), eval_limit=MOST_EVALUATIONS).real
    except SystemError as broken:  # by an interruption, which is the cause of all that follows
        first: BaseException = broken
        while isinstance(first, SystemError) and first.__cause__ is not None:
            first = first.__cause__
        raise first from None


class _Complex(Balls):
    """Complex balls, for integrands; roots and logarithms stay off their branch cuts where `analytic` asks for it."""

    def __init__(self, analytic: bool) -> None:
        super().__init__([])
        self.analytic = analytic

    def power(self, base: Any, exponent: Fraction) -> Any:
        base = acb(base)
        if exponent.denominator == 1:
            return base ** int(exponent)
        if exponent.denominator == 2:
            return base.sqrt(analytic=self.analytic) ** exponent.numerator
        raise Undefined("an integrand with a root other than a square root")


# --- rules for `walk` -------------------------------------------------------------------------------------------------

ZERO = fmpq(0)


def number(expr: Any, read: Any) -> Reading:
    return _constant(expr.p, expr.q)


@lru_cache(maxsize=4096)
def _constant(p: int, q: int) -> Reading:
    value = fmpq(p, q)
    return lambda env, field: value


def _read_sum(expr: Any, read: Any) -> Reading:
    first, *rest = [read(term) for term in expr.args]

    def total(env: Env, field: Any) -> Ball:
        value = first(env, field)
        for term in rest:
            value = value + term(env, field)
        return value

    return total


def _read_product(expr: Any, read: Any) -> Reading:
    """With divisions, which are quicker than products with inverses. Zero is absorbing, as in `multiply`."""
    factors = factors_of(expr)
    below = [read(x.base) for x in factors if isinstance(x, Pow) and x.exp == -1]
    above = [read(x) for x in factors if not (isinstance(x, Pow) and x.exp == -1)]
    first, *rest = above or [_constant(1, 1)]

    def product(env: Env, field: Any) -> Ball:
        value = first(env, field)
        for factor in rest:
            x = factor(env, field)
            value = value * x if value and x else ZERO
        for divisor in below:
            x = divisor(env, field)
            if not x:
                raise Undefined("a division by zero")
            value = value / x if value else ZERO
        return value

    return product


def _read_power(expr: Any, read: Any) -> Reading:
    if not isinstance(expr.exp, Rational):
        return RULES[Pow](expr, read)
    base, p, q = read(expr.base), expr.exp.p, expr.exp.q
    return lambda env, field: rational_power(base(env, field), p, q)


readers[Balls] = Reader(RULES | {Rational: number, Add: _read_sum, Mul: _read_product, Pow: _read_power})


# --- values -----------------------------------------------------------------------------------------------------------


def enclose(claim: Claim, form: str = "", part: str = "", digits: int = 15, **values: Any) -> Enclosure:
    """The value of a form at a point, to so many certain digits."""
    bound = bind(claim, form, part, values)
    return enclose_steps(bound.steps, bound.values, digits)[0]


def at_precision(steps: list[Step], values: Mapping[str, Any], bits: int) -> tuple[Ball, Balls]:
    """The last of the steps at exact values, and the field, which holds every decision."""
    field = Balls(steps)
    with ctx.workprec(bits):
        return run(steps, {name: to_rational(v) for name, v in values.items()}, field), field


def enclose_steps(steps: list[Step], values: Mapping[str, Any], digits: int) -> tuple[Enclosure, Balls]:
    """Raise the precision until `digits` digits are certain; also return the field."""
    digits = check_digits(digits)
    precision = first = int(digits * 3.33) + 64 + len(steps) // 4  # a long chain loses some
    while True:
        try:
            ball, field = at_precision(steps, values, precision)
            enclosure = _decimal(ball, digits, precision)
            if enclosure is not None:
                return enclosure, field
            reason = "the value"
        except Unresolved as open_question:
            reason = str(open_question)
        precision *= 2
        if precision > max(MOST_PRECISION, 16 * first):
            raise Undecided(f"undecided at {precision // 2} bits: {reason}")


def _decimal(x: Ball, digits: int, precision: int) -> Enclosure | None:
    """Decimal bounds around the ball, ten digits finer than asked; None if the ball is too wide."""
    certain = isinstance(x, fmpq) or x == 0 or (x.is_finite() and x.rel_accuracy_bits() >= 3.33 * digits)
    if not certain:
        return None
    lower, upper = _decimals(x, digits + 10, precision)
    value = context(digits).create_decimal(lower)
    lower, upper = min(lower, value), max(upper, value)
    wide = context(digits + 30)
    allowed = value.copy_abs().scaleb(1 - digits, wide)
    return Enclosure(value, lower, upper, digits) if wide.subtract(upper, lower) <= allowed else None


def _decimals(x: Ball, digits: int, precision: int) -> tuple[Decimal, Decimal]:
    """Decimals just below and above; the same one twice for a rational that has so few digits."""
    if isinstance(x, fmpq):
        p, q = Decimal(int(x.p)), Decimal(int(x.q))
        return context(digits, ROUND_FLOOR).divide(p, q), context(digits, ROUND_CEILING).divide(p, q)
    with ctx.workprec(precision + 64):
        middle, radius, exponent = (int(v) for v in x.mid_rad_10exp(digits))
    if abs(exponent) > LARGEST_EXPONENT:
        raise Undefined(f"the value is too {'large' if exponent > 0 else 'small'} to be written in decimals")
    wide = context(digits + 20)
    return Decimal(middle - radius).scaleb(exponent, wide), Decimal(middle + radius).scaleb(exponent, wide)
