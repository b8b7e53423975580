"""Exported step lists evaluated from their JSON alone, in plain Python: a number is (sign, log of its size).

Written from the docstring of `maurey.symbolic.export`; it shares nothing with `numeric`."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce

import mpmath

Number = tuple[int, float]
ZERO = (0, -math.inf)
NEAR = 1e-12  # relative: what a count forgives
WHOLE = 36.0  # the logarithm of what has no fraction in doubles
PIECES = 400  # of an integral, each with Simpson's rule


class NoValue(ArithmeticError):
    pass


def number(x) -> Number:
    """From an exact or plain number."""
    x = Fraction(str(x))
    return (1 if x > 0 else -1, math.log(abs(x.numerator)) - math.log(x.denominator)) if x else ZERO


def plain(x: Number) -> float:
    return x[0] * math.exp(x[1]) if x[0] else 0.0


def of_plain(x: float) -> Number:
    return (1 if x > 0 else -1, math.log(abs(x))) if x else ZERO


def add(*terms: Number) -> Number:
    terms = [t for t in terms if t[0]]
    if not terms:
        return ZERO
    top = max(log for _, log in terms)
    ordered = sorted(terms, key=lambda t: t[1])
    if all(sign > 0 for sign, _ in terms):  # what is far smaller is kept where the sum is about 1
        return 1, reduce(lambda x, y: y + math.log1p(math.exp(x - y)), (log for _, log in ordered))
    sign, log = of_plain(math.fsum(s * math.exp(x - top) for s, x in terms))
    return sign, log + top


def multiply(*factors: Number) -> Number:
    sign = math.prod(s for s, _ in factors)
    return (sign, math.fsum(x for _, x in factors)) if sign else ZERO


def power(base: Number, exponent: Number) -> Number:
    p = plain(exponent)
    whole = abs(p - round(p)) < NEAR * max(1, abs(p))
    if base[0] == 0:
        if p < 0:
            raise NoValue("a division by zero")
        return (1, 0.0) if p == 0 else ZERO
    if base[0] < 0 and not whole:
        raise NoValue("a root of a negative number")
    return (-1 if base[0] < 0 and round(p) % 2 else 1), base[1] * p


def less(x: Number, y: Number) -> bool:
    return x[0] < y[0] or (x[0] == y[0] and x[0] * x[1] < y[0] * y[1])


def ceiling(x: Number) -> Number:
    if x[1] >= WHOLE:
        return x
    size = math.exp(x[1]) * (1 - NEAR) if x[0] else 0.0
    return of_plain(max(1, math.ceil(size)) if x[0] > 0 else math.ceil(x[0] * size))


def log(x: Number) -> Number:
    if x[0] <= 0:
        raise NoValue("a logarithm")
    return of_plain(x[1])


def binomial(n: Number, k: Number) -> Number:
    a, b = mpmath.mpf(plain(n)), mpmath.mpf(plain(k))
    with mpmath.workdps(50):
        a, b = mpmath.nint(a), mpmath.nint(b)
        if b > a:
            return ZERO
        return 1, float(mpmath.loggamma(a + 1) - mpmath.loggamma(b + 1) - mpmath.loggamma(a - b + 1))


def inverse_kl(q: Number, c: Number) -> Number:
    """By halving, in so many digits that the divergence of numbers that are close keeps its own."""
    with mpmath.workdps(50):
        q, c, one = mpmath.mpf(plain(q)), mpmath.mpf(plain(c)), mpmath.mpf(1)

        def divergence(p):
            first = q * mpmath.log(q / p) if q else 0
            return first + ((1 - q) * mpmath.log((1 - q) / (1 - p)) if q < 1 else 0)

        low, high = q, one
        if q == 1 or c == 0:
            return of_plain(float(q))
        for _ in range(140):
            middle = (low + high) / 2
            low, high = (middle, high) if divergence(middle) <= c else (low, middle)
        return of_plain(float(low))


def bisected(holds, low, high):
    """The largest p in [low, high] at which it holds, where it does so up to some p."""
    for _ in range(110):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def binomial_inverse(k: Number, m: Number, delta: Number) -> Number:
    """P(Bin(m, p) <= k) is a regularized incomplete beta function."""
    errors, trials = round(plain(k)), round(plain(m))
    if errors >= trials:
        return 1, 0.0
    with mpmath.workdps(40):
        level = mpmath.exp(delta[1])
        return of_plain(float(bisected(lambda p: _below(errors, trials, p) >= level, mpmath.mpf(0), mpmath.mpf(1))))


def _below(errors, trials, p):
    return mpmath.betainc(trials - errors, errors + 1, 0, 1 - p, regularized=True)


def hypergeometric_inverse(k: Number, m: Number, N: Number, delta: Number) -> Number:
    """By exact counts, one number of errors after the other."""
    errors, drawn, pool = (round(plain(x)) for x in (k, m, N))
    level, ways = Fraction(plain(delta)), math.comb(pool, drawn)

    def believed(M):
        """P(Hyp(N, M, m) <= k) >= delta."""
        below = (math.comb(M, j) * math.comb(pool - M, drawn - j) for j in range(max(0, drawn - pool + M), errors + 1))
        return sum(below) >= level * ways

    low, high = errors, pool - drawn + errors  # at most as many: the others were drawn, and are none
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if believed(middle) else (low, middle - 1)
    return of_plain(low / pool)


def mixture_inverse(S: Number, m: Number, delta: Number) -> Number:
    """With w = mu u/(1 - mu + mu u) the integral is an incomplete beta function over mu^(S+1) (1 - mu)^(m-S-1)."""
    total, count = round(plain(S)), round(plain(m))
    if total > count - 2:
        return 1, 0.0
    with mpmath.workdps(40):
        level, rest = mpmath.exp(-delta[1]), count - total - 1

        def believed(mu):
            return mpmath.betainc(total + 1, rest, 0, mu) <= level * mu ** (total + 1) * (1 - mu) ** rest

        return of_plain(float(bisected(believed, mpmath.mpf(10) ** -30, mpmath.mpf(1))))


FUNCTIONS: dict[str, Callable[..., Number]] = {
    "add": add,
    "multiply": multiply,
    "power": power,
    "min": lambda *xs: reduce(lambda x, y: y if less(y, x) else x, xs),
    "max": lambda *xs: reduce(lambda x, y: y if less(x, y) else x, xs),
    "ceiling": ceiling,
    "log": log,
    "exp": lambda x: (1, plain(x)),
    "tanh": lambda x: of_plain(math.tanh(plain(x))),
    "binomial": binomial,
    "ceil_log2": lambda n: of_plain((round(plain(n)) - 1).bit_length()),
    "inverse_kl": inverse_kl,
    "binomial_inverse": binomial_inverse,
    "hypergeometric_inverse": hypergeometric_inverse,
    "mixture_inverse": mixture_inverse,
    "erfc": lambda x: of_plain(math.erfc(plain(x))),
    "pi": lambda: (1, math.log(math.pi)),
    "e": lambda: (1, 1.0),
}


def holds(condition, env, functions) -> bool:
    sign, *sides = condition
    if sign == "true":
        return True
    (_, x), (_, y) = (value(side, env, functions) for side in sides)
    above = 0.0 if x == y else x - y
    return {
        "<=": above <= NEAR, "<": above < -NEAR, ">=": above >= -NEAR, ">": above > NEAR, "=": abs(above) <= NEAR,
    }[sign]  # fmt: skip


def value(node, env: Mapping, functions=FUNCTIONS) -> Number:
    """Of a node, with values for the names in it."""
    kind, *rest = node
    if kind == "number":
        return number(rest[0])
    if kind == "symbol":
        return env[rest[0]]
    if kind == "entry":
        return env[rest[0]][round(plain(value(rest[1], env, functions))) - 1]
    if kind in ("sum", "product"):
        index, low, high, term = rest
        first, last = (round(plain(value(end, env, functions))) for end in (low, high))
        if last - first > 2000:
            raise NoValue("a long sum")
        terms = [value(term, {**env, index: number(i)}, functions) for i in range(first, last + 1)]
        return add(*terms) if kind == "sum" else multiply(*terms)
    if kind == "integral":
        return integral(*rest, env, functions)
    if kind == "cases":
        for _, condition, found in rest:
            if holds(condition, env, functions):
                return value(found, env, functions)
        raise NoValue("no case")
    return functions[kind](*(value(argument, env, functions) for argument in rest))


def integral(variable, low, high, body, env, functions) -> Number:
    """In the logarithm of the variable: f(x) dx = f(e^t) e^t dt."""
    a, b = (value(end, env, functions)[1] for end in (low, high))
    if a == b:
        return ZERO
    if not math.isfinite(b - a):
        raise NoValue("an integral without end")
    terms = []
    for i in range(2 * PIECES + 1):
        t = a + (b - a) * i / (2 * PIECES)
        weight = 1 if i in (0, 2 * PIECES) else 4 if i % 2 else 2
        found = value(body, {**env, variable: (1, t)}, functions)
        terms.append(multiply(found, (1, t), number(weight)))
    width = (b - a) / (6 * PIECES)
    return multiply(add(*terms), of_plain(width))


def evaluate(exported: Mapping, values: Mapping, functions=FUNCTIONS) -> Number:
    """The last step, at exact values (or lists of them) of what it takes; constants have their own."""
    given = {**exported["constants"], **values}
    env = {name: [number(x) for x in v] if isinstance(v, list) else number(v) for name, v in given.items()}
    for step in exported["steps"]:
        if step["over"] is None:
            env[step["name"]] = value(step["value"], env, functions)
            continue
        index, count = step["over"]
        entries = env[step["name"]] = []
        for i in range(1, round(plain(value(count, env, functions))) + 1):
            entries.append(value(step["value"], {**env, index: number(i)}, functions))
    return env[exported["steps"][-1]["name"]]
