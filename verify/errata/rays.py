"""Growth of two forms along rays: every moving parameter is a power of t, t -> infinity, and the others stay.

A hidden constant cannot make up for a smaller power of t, nor for a smaller power of log t where the paper keeps the
logarithms. Growth is read off in log space at two huge t; what is found is certified elsewhere, at three exact t.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from sympy import Pow, Symbol, preorder_traversal

from maurey.numeric.binding import bind, names_in
from maurey.numeric.exact import each
from maurey.numeric.grids import assumed, read_array, run_over
from maurey.numeric.types import Point, Ray
from maurey.symbolic.claim import Claim, Parameter, Part

from .entries import fixed

FAR, NEAR = (1e100, 1e200), 1e8
POWER, LOG_POWER, RATIO = 0.08, 0.25, 1e-9  # what counts as less: powers of t and of log t come in larger steps
FACTORS = (Fraction(2**40), Fraction(1, 64))  # left open in an upper bound: very large, and small
EXPONENTS = [Fraction(2) ** n for n in range(-3, 9)]  # an exponent that a paper leaves open
STEPS = [(1, 0), (1, 1), (2, 1), (1, 2)]

START = {"eps": Fraction(1, 16), "tau": Fraction(1, 4), "m": Fraction(16), "T": Fraction(16), "N": Fraction(16)}
START |= dict.fromkeys(("e_M", "e_F", "e_2", "e_Gamma", "e_v", "eta_1", "eta_V"), Fraction(1, 1024))  # perturbations
START |= {"sigma": Fraction(1, 2**20), "grid": Fraction(1)}


def start(claim: Claim, part: Part) -> Point:
    """Where rays begin: ones and small sizes, with a resolution at which covers are not trivial, and samples enough for
    the claim's assumptions; twos where the printed form is zero or not defined at ones."""
    point = _sampled(claim, _start(claim, part, Fraction(1)))
    if part.printed is not None and point:
        value = run_over(bind(claim, "printed", part.name, point, read_array))
        if np.isnan(value.log).any() or np.isneginf(value.log).any():
            return _sampled(claim, _start(claim, part, Fraction(2)))
    return point


def _sampled(claim: Claim, point: Point) -> Point:
    """With as many more samples as the assumptions ask for, if that is what they ask for."""
    symbols = {p.name: p for p in claim.symbols}
    for power in range(40 if claim.samples in point else 0):
        more = point | {claim.samples: point[claim.samples] * 4**power}
        values = {name: read_array(symbols[name], x) for name, x in more.items()}
        if all(np.all(where) for _, where in assumed(claim, values)):
            return more
    return point


def _start(claim: Claim, part: Part, real: Fraction) -> Point:
    point: Point = {}
    names = names_of(part) | {p.index for p in claim.symbols} | set(claim.unrolled)
    for p in claim.symbols:
        if p.optional or p.name not in names:
            continue
        usual = {"positive integer": Fraction(4), "nonnegative integer": Fraction(1)}
        usual |= dict.fromkeys(("positive real", "nonnegative real"), real)
        value = START.get("m" if p.name == claim.samples else p.name, usual.get(p.domain, Fraction(1, 2)))
        if p.name in fixed(claim) and p.domain.endswith("integer"):
            value = Fraction(1 if p.name == "i" else 2)
        point[p.name] = [value, value] if p.index else value
    return point


def cone(claim: Claim) -> list[tuple[str, str, str, Fraction]]:
    """(small, large, size, power): small <= large <= size^power small holds for the norms of every matrix; without a
    size only small <= large, where large bounds several matrices at once."""
    symbols = {p.name: p for p in claim.symbols}
    pairs = [("C_inf", "C_2", "d", Fraction(1, 2)), ("B_W_inf", "B_W_21", "d_2", Fraction(1))]
    for matrix in ("V", "QK", "C"):
        columns = "k" if matrix == "V" and "k" in symbols else "d"
        pairs.append((f"B_{matrix}_inf", f"B_{matrix}", columns, Fraction(1, 2)))
    pairs += [
        (small, large, "", Fraction(0)) for small in ("B_V", "B_QK", "B_C", "B_w") for large in ("B_W_11", "B_W_21")
    ]
    return [
        (low, high, size, power)
        for small, large, size, power in pairs
        if small in symbols and large in symbols
        for low, high in zip(entries(symbols[small]), entries(symbols[large]), strict=True)
    ]


def rays(claim: Claim, point: Point) -> list[Ray]:
    """All rays along one or two directions that stay in the domains, in the cone and in the claim's assumptions. A
    direction is one parameter, one entry of a list, or the scale of one matrix (both its norms together)."""
    used = [p for p in claim.symbols if p.name in point and p.name not in fixed(claim)]
    ways = tuple((name, signs(p)) for p in used for name in entries(p))
    return _within(claim, point, list(_directions(ways, tuple(cone(claim)))))


@lru_cache(maxsize=64)
def _directions(
    ways: tuple[tuple[str, tuple[int, ...]], ...], wedge: tuple[tuple[str, str, str, Fraction], ...]
) -> tuple[Ray, ...]:
    """By the ways that each entry may move; the parts of a claim have them in common."""
    signs = dict(ways)
    steps = [{name: Fraction(s)} for name, allowed in signs.items() for s in allowed]
    steps += [
        {small: Fraction(s), large: Fraction(s)}
        for small, large, size, _ in wedge
        if size and small in signs and large in signs
        for s in (1, -1)
    ]
    found: dict[frozenset[tuple[str, Fraction]], Ray] = {}
    for (u, v), (a, b) in itertools.product(itertools.combinations(steps, 2), STEPS):
        for first, second in ((u, v), (v, u)):
            ray = {n: a * first.get(n, Fraction(0)) + b * second.get(n, Fraction(0)) for n in {**first, **second}}
            ray = {n: x for n, x in ray.items() if x}
            if not ray:
                continue
            top = max(abs(x) for x in ray.values())
            ray = {n: x / top for n, x in sorted(ray.items())}
            if all((x > 0) - (x < 0) in signs[n] for n, x in ray.items()) and _inside(ray, wedge):
                found.setdefault(frozenset(ray.items()), ray)
    return tuple(found.values())


def entries(p: Parameter) -> list[str]:
    return [f"{p.name}[1]", f"{p.name}[2]"] if p.index else [p.name]


def signs(p: Parameter) -> tuple[int, ...]:
    if p.domain.endswith("integer"):
        return (1,)
    if p.domain.startswith("in "):
        return (-1,) if p.domain.startswith("in (") else ()
    return (1, -1)


def _inside(ray: Ray, wedge: Iterable[tuple[str, str, str, Fraction]]) -> bool:
    zero = Fraction(0)
    return all(
        (excess := ray.get(large, zero) - ray.get(small, zero)) >= 0
        and (not size or excess <= power * ray.get(size, zero))
        for small, large, size, power in wedge
    )


@dataclass(frozen=True)
class Growth:
    """A form at the two far points of every ray: arrays of shape (2, rays)."""

    log: Any
    sign: Any

    @property
    def power(self) -> Any:
        """The power of t with which it grows."""
        with np.errstate(invalid="ignore"):
            return (self.log[1] - self.log[0]) / np.log(FAR[1] / FAR[0])

    @property
    def log_power(self) -> Any:
        """The power of log t with which it grows, where it does not grow with a power of t."""
        with np.errstate(invalid="ignore"):
            return (self.log[1] - self.log[0]) / np.log(np.log(FAR[1]) / np.log(FAR[0]))


def open_constants(claim: Claim, part: Part) -> list[list[Point]]:
    """What to give the constants that the paper leaves open: a list of choices for those in exponents, each with the
    factors as large and as small as can be. A claim fails along a ray if it fails whatever the factors are."""
    steps = part.steps("printed")
    used = names_in(step.expr for step in steps)
    powers = [node.exp for step in steps for node in preorder_traversal(step.expr) if isinstance(node, Pow)]
    names = [c.name for c in claim.constants if c.left_open and c.name in used]
    if not names:
        return []
    exponents = [name for name in names if any(Symbol(name) in exp.free_symbols for exp in powers)]
    factors = [1 / f for f in FACTORS] if part.below else FACTORS
    return [
        [dict(zip(exponents, choice, strict=True)) | {n: f for n in names if n not in exponents} for f in factors]
        for choice in itertools.product(EXPONENTS, repeat=len(exponents))
    ]


def exponents(constants: list[Point]) -> Point:
    """Those of the constants that are not factors: they are the same in both choices."""
    return {name: value for name, value in constants[0].items() if value == constants[-1][name]}


def names_of(part: Part) -> set[str]:
    """Everything that a form of the part speaks of."""
    return {name for form in part.forms for name in names_in(step.expr for step in part.steps(form))}


def growth(claim: Claim, part: Part, form: str, point: Point, found: list[Ray]) -> Growth:
    """The form along the rays."""
    value = run_over(bind(claim, form, part.name, _far(claim, point, found), read_array))
    shape = (2, len(found))
    return Growth(np.broadcast_to(value.log, shape), np.broadcast_to(value.sign, shape))


def _far(claim: Claim, point: Point, found: list[Ray], at: tuple[float, float] = FAR) -> Point:
    t, moving = np.array(at)[:, None], {name for ray in found for name in ray}
    integers = {p.name for p in claim.symbols if p.domain.endswith("integer")}

    def far(name: str, value: Fraction) -> Any:
        if name not in moving:
            return value
        powers = np.array([float(ray.get(name, 0)) for ray in found])
        values = np.where(powers == 0, float(value), t**powers)
        return np.rint(values) if name in integers else values

    return each(point, far)


def _within(claim: Claim, point: Point, found: list[Ray]) -> list[Ray]:
    """The rays that keep the claim's assumptions: far out, and where doubles still tell t + 1 from t."""
    symbols = {p.name: p for p in claim.symbols}
    far = {name: read_array(symbols[name], x) for name, x in _far(claim, point, found, (NEAR, FAR[1])).items()}
    keep: Any = True
    for _, where in assumed(claim, far):
        keep = keep & where
    inside: Any = np.broadcast_to(keep, (2, len(found))).all(axis=0)
    return [ray for ray, ok in zip(found, inside, strict=True) if ok]


KINDS = ("sign", "power", "log", "limit")


def falls_short(printed: Growth, other: Growth, kept: Any) -> dict[str, Any]:
    """Along which rays the first is less than the second from some t on, by kind: it has another sign, a smaller power
    of t, of log t (where `kept` says that this counts), or a limit of their ratio below 1. `undefined`: unknown."""
    positive = (other.sign[1] > 0) & (other.log[1] > -np.inf)
    with np.errstate(invalid="ignore"):
        ratio = Growth(printed.log - other.log, 1)
    huge = (other.log[1] == np.inf) & (printed.log[1] < np.inf)
    sign = positive & ((printed.sign[1] <= 0) | (printed.log[1] == -np.inf))
    power = positive & ~sign & (huge | (ratio.power < -POWER))
    level = positive & ~sign & ~power & (np.abs(ratio.power) < POWER)
    slower = ratio.log_power < -LOG_POWER  # by a power of log t: where that is hidden, it says nothing of a limit
    logs = level & kept & slower
    limit = level & ~slower & (ratio.log < -RATIO).all(axis=0)
    undefined = positive & ~sign & ~huge & np.isnan(ratio.log).any(axis=0)
    return {"sign": sign, "power": power, "log": logs, "limit": limit, "undefined": undefined}


def any_kind(short: dict[str, Any]) -> Any:
    return np.any([short[kind] for kind in KINDS], axis=0)


def support(ray: Ray) -> frozenset[tuple[str, int]]:
    """What moves, and which way."""
    return frozenset((name, 1 if power > 0 else -1) for name, power in ray.items())
