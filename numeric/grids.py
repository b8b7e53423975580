"""Sweeps: a form over arrays of parameters, in log space, in double precision.

A number is a sign and the logarithm of its absolute value, so nothing overflows at any depth. A count jumps where
its argument passes an integer, and doubles cannot tell on which side they are: an argument less than 1e-12 (relative)
above an integer counts as that integer. Where that matters, ask for the certified value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from sympy import Expr, true
from sympy.core.relational import Eq, Ge, Gt, Le, Lt

from maurey.symbolic.claim import DOMAINS, Assumption, Claim, InputError, Parameter

from .binding import Bound, as_array, bind, names_in, read_exact
from .inverse_kl import of_arrays
from .logs import LogValue as LogValue
from .logs import from_exact as from_exact
from .logs import from_plain, joined
from .tails import of_binomial, of_hypergeometric, of_mixture, on_arrays
from .walk import run, walk

TOLERANCE = 1e-12
PANELS, NODES = 8, np.polynomial.legendre.leggauss(20)
BLOCK = 1 << 15  # points at once: the arrays of one step fit the cache
LARGE = 36.0  # exp(36) is beyond 2^52: every double is an integer there


class VaryingLength(InputError):
    """A sum has more terms at one point of the grid than at another: the points must be taken one by one."""


@lru_cache(maxsize=4096)
def _rational(p: int, q: int) -> LogValue:
    return from_exact(Fraction(p, q))


def _positive(x: LogValue) -> bool:
    return isinstance(x.sign, int)


def _varies(x: LogValue) -> bool:
    return isinstance(x.log, np.ndarray) and x.log.ndim > 0


def _log_add(x: Any, y: Any) -> Any:
    """log(e^x + e^y): NumPy's own, from its functions that take several doubles at once."""
    top = np.maximum(x, y)
    if np.ndim(top) == 0 or not -np.inf < np.min(top) <= np.max(top) < np.inf:
        return np.logaddexp(x, y)
    rest = np.minimum(x, y)
    rest -= top
    np.log1p(np.exp(rest, out=rest), out=rest)
    rest += top
    return rest


def _where(mask: Any, x: LogValue, y: LogValue) -> LogValue:
    sign = 1 if _positive(x) and _positive(y) else np.where(mask, x.sign, y.sign)
    sign = 1 if np.all(sign > 0) else sign  # so that sums keep what is far smaller
    return LogValue(np.where(mask, x.log, y.log), sign)


def _less(x: LogValue, y: LogValue) -> Any:
    if _positive(x) and _positive(y):
        return x.log < y.log
    return (x.sign < y.sign) | ((x.sign == y.sign) & (x.sign * x.log < y.sign * y.log))


class Logs:
    """The field of log-space arrays."""

    def __init__(self) -> None:
        self.indices: list[int] = []

    def rational(self, value: Fraction) -> LogValue:
        return _rational(*value.as_integer_ratio())

    def add(self, terms: list[LogValue]) -> LogValue:
        scalar = [t for t in terms if not _varies(t)]
        if 1 < len(scalar) < len(terms):  # constants first, once
            terms = [*filter(_varies, terms), self.add(scalar)]
        if all(map(_positive, terms)):
            return LogValue(reduce(_log_add, (t.log for t in terms)))
        top = terms[0].log
        for term in terms[1:]:
            top = np.maximum(top, term.log)
        top = np.where(np.isfinite(top), top, 0.0)
        plain = from_plain(sum(term.sign * np.exp(term.log - top) for term in terms))
        return LogValue(plain.log + top, plain.sign)

    def multiply(self, factors: list[LogValue]) -> LogValue:
        # scalars first, so that each array is read once and added in place
        scalars = [f.log for f in factors if not _varies(f)]
        arrays = [f.log for f in factors if _varies(f)]
        log: Any = sum(scalars)
        for i, array in enumerate(arrays):
            if i == 0:
                log = array + log if scalars else array
            elif i + bool(scalars) > 1 and log.shape == array.shape:
                log += array
            else:
                log = log + array
        sign: Any = 1
        for f in factors:
            sign = sign if _positive(f) else f.sign if isinstance(sign, int) else sign * f.sign
        return LogValue(log, sign)

    def power(self, base: LogValue, exponent: Fraction) -> LogValue:
        p, q = exponent.as_integer_ratio()
        log = base.log * (p / q)
        if _positive(base):
            return LogValue(log)
        if q > 1:
            return LogValue(np.where(np.asarray(base.sign) < 0, np.nan, log), np.abs(base.sign))
        return LogValue(log, 1 if p % 2 == 0 else base.sign)

    def power_of(self, base: LogValue, exponent: LogValue) -> LogValue:
        power = exponent.value
        if _positive(base):
            return LogValue(base.log * power)
        below, whole = np.asarray(base.sign) < 0, np.rint(power)
        between = np.abs(power - whole) > TOLERANCE * np.abs(power)  # exp(log 3) is not quite 3
        log = np.where(below & between, np.nan, base.log * power)
        return LogValue(log, np.where(below & (whole % 2 == 1), -1.0, np.abs(base.sign)))

    def apply(self, name: str, arguments: list[LogValue]) -> LogValue:
        if name in ("min", "max"):
            best = arguments[0]
            for x in arguments[1:]:
                best = _where(_less(x, best) if name == "min" else _less(best, x), x, best)
            return best
        return _FUNCTIONS[name](*arguments)

    def integer(self, x: LogValue) -> int:
        value = np.rint(x.value)
        if np.ndim(value):
            raise VaryingLength("the number of terms of a sum cannot vary over a grid")
        return int(value)

    def ceiling(self, x: LogValue, node: Expr, env: Mapping[str, Any]) -> LogValue:
        size = np.exp(np.minimum(x.log, LARGE)) * (1 - TOLERANCE)
        above = np.maximum(np.ceil(size), x.log > -np.inf)  # at least 1 where it is not zero
        count = from_plain(above if _positive(x) else np.where(x.sign > 0, above, np.ceil(x.sign * size)))
        if np.max(x.log) < LARGE:
            return count
        return LogValue(np.where(x.log < LARGE, count.log, x.log), count.sign)

    def select(self, branches: list[tuple[Any, Callable[[], Any]]], env: Mapping[str, Any]) -> LogValue:
        """Of what no point reaches nothing is asked: an entry before the first one is not there."""
        reached: list[tuple[Any, Callable[[], Any]]] = []
        for condition, build in [*branches, (true, lambda: LogValue(np.nan))]:  # no case applies: undefined
            holds = self._holds(condition, env)
            if np.any(holds):
                reached.append((holds, build))
            if np.all(holds):
                break
        value: LogValue = reached.pop()[1]()
        for holds, build in reversed(reached):
            value = _where(holds, build(), value)
        return value

    def integrate(self, node: Expr, env: Mapping[str, Any]) -> LogValue:
        """Gauss-Legendre in the logarithm of the variable, panel by panel."""
        variable, low, high = node.limits[0]
        a, b = walk(low, env, self).log, walk(high, env, self).log
        terms = []
        for panel in range(PANELS):
            for x, w in zip(*NODES, strict=True):
                t = a + (b - a) * (panel + (x + 1) / 2) / PANELS
                value = walk(node.function, {**env, variable.name: LogValue(t)}, self)
                with np.errstate(divide="ignore"):
                    width = np.log((b - a) * w / (2 * PANELS))
                terms.append(LogValue(value.log + t + width))
        return self.add(terms)

    def _holds(self, condition: Any, env: Mapping[str, Any]) -> Any:
        if condition == true:
            return True
        left, right = walk(condition.lhs, env, self), walk(condition.rhs, env, self)
        # compared quantities are not negative: radii, resolutions, indices; two zeros are equal
        above = np.where(left.log == right.log, 0.0, left.log - right.log)
        return {
            Ge: above >= -TOLERANCE,
            Gt: above > TOLERANCE,
            Le: above <= TOLERANCE,
            Lt: above < -TOLERANCE,
            Eq: np.abs(above) <= TOLERANCE,
        }[condition.func]


# log x! = (x + 1/2) log x - x + log(2 pi)/2 + gap(x): Stirling's series, from 16 on
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
_SMALL = [math.lgamma(x + 1) - (x + 0.5) * math.log(x) + x - math.log(2 * math.pi) / 2 for x in range(1, 16)]


def _series(x: Any) -> Any:
    inverse = 1 / (x * x)
    series = _STIRLING[-1]
    for c in reversed(_STIRLING[:-1]):
        series = series * inverse + c
    return series / x


_GAPS = np.concatenate([_SMALL, _series(np.arange(16.0, 4096.0))])  # at 1, 2, ...


def _gap(x: Any) -> Any:
    if np.max(x) <= len(_GAPS):
        return _GAPS[x.astype(int) - 1]
    return np.where(x < 16, _GAPS[np.minimum(x, 16).astype(int) - 1], _series(x))


def _binomial(n: LogValue, k: LogValue) -> LogValue:
    """log C(n, k) = -k log(k/n) - r log(r/n) - log(2 pi n (k/n) (r/n))/2 + gap(n) - gap(k) - gap(r) with r = n - k: no
    difference of large numbers."""
    a, b = np.asarray(np.rint(n.value)), np.asarray(np.rint(k.value))
    inner = (b > 0) & (b < a) & np.isfinite(a)
    everywhere, top, low, log_top = inner.all(), a, b, n.log
    if not everywhere:
        top, low, log_top = np.where(inner, a, 2.0), np.where(inner, b, 1.0), np.where(inner, n.log, 0.0)
    rest, share = top - low, low / top
    below, above = np.log(share), np.log1p(-share)
    root = (below + above + log_top + np.log(2 * np.pi)) / 2
    log = _gap(top) - _gap(low) - _gap(rest) - low * below - rest * above - root
    if everywhere:
        return LogValue(log)
    outer = np.where(b > a, -np.inf, np.where(np.isfinite(a), 0.0, np.nan))  # beyond doubles: undefined
    return LogValue(np.where(inner, log, outer))


def _log(x: LogValue) -> LogValue:
    return from_plain(x.log if _positive(x) else np.where(np.asarray(x.sign) > 0, x.log, np.nan))


def _tail(inverse: Callable[..., Any]) -> Callable[..., LogValue]:
    """The level, which comes last, may be far below all doubles."""
    over = on_arrays(inverse)
    return lambda *counts: from_plain(over(*(n.value for n in counts[:-1]), counts[-1].log))


_FUNCTIONS: dict[str, Callable[..., LogValue]] = {
    "log": _log,
    "exp": lambda x: LogValue(x.value),
    "tanh": lambda x: from_plain(np.tanh(x.value)),
    "erfc": lambda x: from_plain(np.vectorize(math.erfc, otypes=[float])(x.value)),
    "pi": lambda: LogValue(math.log(math.pi)),
    "binomial": _binomial,
    "ceil_log2": lambda n: from_plain(np.frexp(np.rint(n.value) - 1)[1].astype(float)),
    "inverse_kl": lambda q, c: from_plain(of_arrays(q.value, c.value)),
    "binomial_inverse": _tail(of_binomial),
    "hypergeometric_inverse": _tail(of_hypergeometric),
    "mixture_inverse": _tail(of_mixture),
}


def read_array(parameter: Parameter, raw: Any) -> Any:
    """An array inside the parameter's domain, or what `read_exact` reads, in log space. A list is one value per head
    or layer where the parameter has an index, and else an array."""
    raw = as_array(raw)
    if isinstance(raw, (list, tuple, range)) and not parameter.index and len(raw):
        entries = [read_exact(parameter, item) for item in raw]  # none is a list: there is no index
        return joined([from_exact(x) for x in entries if isinstance(x, Fraction)])
    if isinstance(raw, np.ndarray) and raw.ndim:
        if not raw.size or raw.dtype.kind not in "iuf":
            what = f"an array of {raw.dtype}" if raw.size else "an empty array"
            raise InputError(f"{parameter.name} must be a {parameter.domain}, got {what}")
        array = raw.astype(float, copy=False)
        # domains are intervals, or the integers in one: with both ends, all that lies between is inside
        low, high = array.min(), array.max()
        whole = not parameter.domain.endswith("integer") or raw.dtype.kind in "iu" or (array == np.rint(array)).all()
        if not (whole and _inside(parameter, low) and _inside(parameter, high)):
            bad = next(x for x in array.flat if not _inside(parameter, x))
            raise InputError(f"{parameter.name} must be a {parameter.domain}, got {bad!r}")
        return from_plain(array)
    if isinstance(raw, (list, tuple)) and parameter.index:
        return [read_array(parameter, item) for item in raw]
    value = read_exact(parameter, raw.item() if isinstance(raw, np.ndarray) else raw)
    return [_GridScalar.of(v) for v in value] if isinstance(value, list) else _GridScalar.of(value)


def _inside(parameter: Parameter, x: float) -> bool:
    return math.isfinite(x) and DOMAINS[parameter.domain](Fraction(x))


@dataclass(frozen=True, repr=False)
class _GridScalar(LogValue):
    """A scalar of the grid that can also tell a list length."""

    whole: int = 0

    @staticmethod
    def of(value: Fraction) -> _GridScalar:
        plain = from_exact(value)
        return _GridScalar(plain.log, plain.sign, int(value))

    def __int__(self) -> int:
        return self.whole


def shape_of(bound: Bound) -> tuple[int, ...]:
    flat = [v for value in bound.values.values() for v in (value if isinstance(value, list) else [value])]
    return np.broadcast_shapes(*(np.shape(v.log) for v in flat))


def run_over(bound: Bound) -> LogValue:
    """A form over the arrays that its symbols are bound to; nan where it is undefined."""
    shape = shape_of(bound)
    size = math.prod(shape)
    with np.errstate(invalid="ignore", over="ignore"):
        if size <= BLOCK:
            value: LogValue = run(bound.steps, bound.values, Logs())
            return value
        rows = max(1, BLOCK * shape[0] // size)
        slices = [slice(start, start + rows) for start in range(0, shape[0], rows)]
        blocks = [run(bound.steps, _cut(bound.values, here, len(shape)), Logs()) for here in slices]
    log, sign = np.empty(shape), 1 if all(map(_positive, blocks)) else np.empty(shape)
    for here, block in zip(slices, blocks, strict=True):
        log[here] = block.log
        if not isinstance(sign, int):
            sign[here] = block.sign
    return LogValue(log, sign)


def _cut(values: Mapping[str, Any], rows: slice, dimensions: int) -> dict[str, Any]:
    """The rows of the grid, of all that varies along them."""

    def cut(x: LogValue) -> LogValue:
        if np.ndim(x.log) < dimensions or len(x.log) == 1:
            return x
        return LogValue(x.log[rows], x.sign if _positive(x) else x.sign[rows])

    return {n: [cut(v) for v in x] if isinstance(x, list) else cut(x) for n, x in values.items()}


def assumed(claim: Claim, values: Mapping[str, Any]) -> Iterator[tuple[Assumption, Any]]:
    """The claim's assumptions that speak of these values alone, and where on the grid each of them holds."""
    for assumption in claim.assumes:
        if names_in([assumption.relation]) <= set(values):
            yield assumption, Logs()._holds(assumption.relation, values)


def sweep(claim: Claim, form: str = "", part: str = "", **values: Any) -> LogValue:
    """The form over arrays that broadcast together; scalars and lists per head are taken as elsewhere."""
    return sweep_bound(claim, bind(claim, form, part, values, read_array))


def sweep_bound(claim: Claim, bound: Bound) -> LogValue:
    """The same for symbols that are bound to log-space values; the claim's conditions must hold on all of the grid."""
    try:
        shape = shape_of(bound)
    except ValueError:
        raise InputError("the arrays do not broadcast together") from None
    for assumption, where in assumed(claim, bound.values):
        if not np.all(where):
            raise InputError(f"{claim.key} assumes that {assumption.text}; the grid leaves that")
    result = run_over(bound)
    if not np.max(result.log) < np.inf:  # nor nan
        raise InputError(f"{claim.key} is undefined somewhere on the grid")
    sign = result.sign if _positive(result) else np.broadcast_to(result.sign, shape)
    return LogValue(np.broadcast_to(result.log, shape), sign)
