"""Certified values: ball arithmetic (Arb) along the steps, rounded outward.

Rational subtrees stay exact rationals and roots of perfect powers are exact. A ceiling or a comparison that a ball
leaves open is settled by exact radicals if it is a tie, by more precision if it is not, and reported otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add, mul
from typing import Any

from flint import acb, arb, ctx, fmpq, fmpz
from sympy import Add, Expr, Integer, Mul, Pow, Rational, true
from sympy.core.relational import Eq, Ge, Gt, Le, Lt, Relational

from maurey.symbolic.claim import Claim, InputError
from maurey.symbolic.derivation import Step
from maurey.symbolic.expressions import text_of

from .binding import bind
from .exact import context, to_rational
from .inverse_kl import of_balls
from .powers import EXACT_BITS, rational_power
from .surds import Surds, vanishes
from .types import Ball
from .walk import RULES, Env, Reader, Reading, Undecided, Undefined, factors_of, readers, run, walk

MOST_DIGITS = 10_000
LARGEST_EXPONENT = MAX_EMAX // 2
MOST_PRECISION = 1 << 14  # bits, or 16 times the precision first tried


class Unresolved(ArithmeticError):
    """Open at this precision."""


@dataclass(frozen=True)
class Enclosure:
    """lower <= the exact value <= upper; `value` is within, rounded to the digits asked for."""

    value: Decimal
    lower: Decimal
    upper: Decimal
    digits: int


def to_arb(x: Ball) -> arb:
    return arb(x) if isinstance(x, fmpq) else x


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
            self.cache[name] = (
                walk(self.steps[name].expr, self, Surds()) if isinstance(value, arb) else self._surd(value)
            )
        return self.cache[name]

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
        return _FUNCTIONS[name](*arguments)

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
        wanted = {Ge: (0, 1), Gt: (1,), Le: (-1, 0), Lt: (-1,), Eq: (0,)}
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

        return acb.integral(integrand, acb(to_arb(a)), acb(to_arb(b))).real

    def _vanishes(self, expr: Expr, env: Mapping[str, Any]) -> bool:
        return bool(vanishes(expr, _ExactEnv(env, self.steps)))


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


def _log(x: Ball) -> Ball:
    if isinstance(x, fmpq):
        if x <= 0:
            raise Undefined("the logarithm of a number that is not positive")
        return fmpq(0) if x == 1 else arb(x).log()
    if not x > 0:
        if x <= 0:
            raise Undefined("the logarithm of a number that is not positive")
        raise Unresolved("the sign of the argument of a logarithm")
    return x.log()


def _binomial(n: Ball, k: Ball) -> Ball:
    if not (isinstance(n, fmpq) and isinstance(k, fmpq) and n.q == k.q == 1 and k >= 0):
        raise Undefined("a binomial of numbers that are not integers")
    if k > n:
        return fmpq(0)
    if n <= EXACT_BITS:
        return fmpq(fmpz.bin_uiui(int(n.p), int(k.p)))
    log = (arb(n) + 1).lgamma() - (arb(k) + 1).lgamma() - (arb(n) - arb(k) + 1).lgamma()
    return log.exp()


def _ceil_log2(n: Ball) -> fmpq:
    if not (isinstance(n, fmpq) and n.q == 1 and n >= 1):
        raise Undefined("log2 of a number that is not a positive integer")
    return fmpq((int(n.p) - 1).bit_length())


def _inverse_kl(q: Ball, c: Ball) -> Ball:
    if q < 0 or q > 1 or c < 0:
        raise Undefined("the inverse of the divergence at a mean outside [0, 1], or at a negative divergence")
    if isinstance(q, fmpq) and (q == 1 or (isinstance(c, fmpq) and c == 0)):
        return q
    found = of_balls(q, c)
    if found is None:
        raise Unresolved("the inverse of the divergence")
    return found


def _smaller(a: Ball, b: Ball) -> Ball:
    """The smaller one itself where that is certain, so that a rational stays exact; else the ball around both."""
    return a if a <= b else b if b <= a else to_arb(a).min(to_arb(b))


def _least(*xs: Ball) -> Ball:
    return reduce(_smaller, xs)


def _largest(*xs: Ball) -> Ball:
    return -reduce(_smaller, (-x for x in xs))


def _from_zero(function: Callable[[arb], arb], at_zero: int = 0) -> Callable[[Ball], Ball]:
    """A function that is rational at zero, and kept so."""
    return lambda x: fmpq(at_zero) if x == 0 else function(to_arb(x))


def _within(function: Callable[[arb], arb], what: str, low: int, high: int | None = None) -> Callable[[Ball], Ball]:
    """A function with a domain: beyond it there is no value, and a ball across its end is left open."""

    def of(x: Ball) -> Ball:
        if x < low or (high is not None and x > high):
            raise Undefined(f"{what} outside its domain")
        if not (x >= low and (high is None or x <= high)):
            raise Unresolved(f"whether the argument of {what} is in its domain")
        value = function(to_arb(x))
        if not value.is_finite():
            raise Undefined(f"{what} at the end of its domain")
        return fmpq(0) if isinstance(x, fmpq) and value == 0 else value

    return of


def _floor(x: Ball) -> fmpq:
    n = x.floor() if isinstance(x, fmpq) else x.floor().unique_fmpz()
    if n is None:
        raise Unresolved("a floor")
    return fmpq(n)


def _sign(x: Ball) -> fmpq:
    if not (x > 0 or x < 0 or x == 0):
        raise Unresolved("the sign of a number")
    return fmpq(1 if x > 0 else -1 if x < 0 else 0)


def _absolute(x: Ball) -> Ball:
    return x if x >= 0 else -x if x <= 0 else abs(x)


def _tangent(x: Ball) -> Ball:
    value = to_arb(x).tan()
    if not value.is_finite():
        raise Unresolved("a tangent near its pole")
    return fmpq(0) if x == 0 else value


_FUNCTIONS: dict[str, Callable[..., Ball]] = {
    "log": _log,
    "exp": _from_zero(arb.exp, 1),
    "sin": _from_zero(arb.sin),
    "cos": _from_zero(arb.cos, 1),
    "tan": _tangent,
    "asin": _within(arb.asin, "an arcsine", -1, 1),
    "acos": _within(arb.acos, "an arccosine", -1, 1),
    "atan": _from_zero(arb.atan),
    "sinh": _from_zero(arb.sinh),
    "cosh": _from_zero(arb.cosh, 1),
    "tanh": _from_zero(arb.tanh),
    "asinh": _from_zero(arb.asinh),
    "acosh": _within(arb.acosh, "an inverse hyperbolic cosine", 1),
    "atanh": _within(arb.atanh, "an inverse hyperbolic tangent", -1, 1),
    "erf": _from_zero(arb.erf),
    "erfc": _from_zero(arb.erfc, 1),
    "abs": _absolute,
    "sign": _sign,
    "floor": _floor,
    "pi": arb.pi,
    "binomial": _binomial,
    "ceil_log2": _ceil_log2,
    "inverse_kl": _inverse_kl,
    "min": _least,
    "max": _largest,
}


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
    if not isinstance(digits, int) or not 1 <= digits <= MOST_DIGITS:
        raise InputError(f"digits must be an integer from 1 to {MOST_DIGITS}, got {digits}")
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
