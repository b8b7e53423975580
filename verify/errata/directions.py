"""Whether there is a ray, in any number of directions, along which the print grows more slowly than what is proved.

The orders of both forms are piecewise linear in the powers a_j of a ray x_j = t^(a_j), and so are the domains, the norm
inequalities and the assumptions of a claim: a question for linear arithmetic. Rays may be scaled, so |a_j| <= 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Any

import z3

from maurey.numeric.binding import bind
from maurey.numeric.grids import read_array
from maurey.numeric.types import Point, Ray
from maurey.numeric.walk import Undecided, run
from maurey.symbolic.claim import Claim, Parameter, Part

from . import rays
from .growth import Orders
from .orders import BEYOND, Order, Size, below
from .orders import number as constant

MOST_STEPS = 60_000_000  # of z3, some ten seconds: counted, so that the answer is the same on every machine
SIZES = (1, 2, 3, 4, 6, 12)  # of the whole powers that are tried for a ray, before others

MOST_READINGS = 24  # values of an open exponent that are tried

Support = frozenset[tuple[str, int]]


class Question:
    """The print against the best proved form of a part, over all rays from a point. Exponents that the paper leaves
    open have values; or the ray has, and they are asked for."""

    def __init__(
        self,
        claim: Claim,
        part: Part,
        at: Point,
        exponents: Point,
        logarithms: bool = False,
        moving: Collection[str] | None = None,
        ray: Ray | None = None,
        among: tuple[Any, str] | None = None,
    ) -> None:
        self.claim, self.part, self.at = claim, part, at
        self.context, name = among or (z3.Context(), "")  # of its own: what z3 finds depends on nothing before
        self.field = Orders(logarithms, self.context, name)
        self.signs = {
            entry: rays.signs(p)
            for p in claim.symbols
            if p.name in at and p.name not in rays.fixed(claim) and (moving is None or p.name in moving)
            for entry in rays.entries(p)
        }
        self.powers = {
            entry: z3.Real(entry, self.context) if ray is None else ray.get(entry, Fraction(0)) for entry in self.signs
        }
        self.env = self._environment(exponents)
        self.forms = {form: self.field.positive(self._order_of(form)) for form in part.forms}
        self.printed = self.forms["printed"]
        proved = [size for form, size in self.forms.items() if form != "printed"]
        self.proved = self.field.apply("max" if part.below else "min", proved)
        self.solver = z3.Solver(ctx=self.context)
        self.solver.set("rlimit", MOST_STEPS)
        self.solver.add(*self._cone(), *self.field.laws)

    def _environment(self, exponents: Point) -> dict[str, Any]:
        constants = {c.name: c.value for c in self.claim.constants} | exponents
        env: dict[str, Any] = {name: constant(value) for name, value in constants.items()}
        for p in self.claim.symbols:
            if p.name in self.at:
                values = self.at[p.name] if p.index else [self.at[p.name]]
                sizes = [self._size(p, entry, v) for entry, v in zip(rays.entries(p), values, strict=True)]
                env[p.name] = sizes if p.index else sizes[0]
        return env

    def _size(self, p: Parameter, entry: str, value: Fraction) -> Size:
        """Of a parameter: integers only grow from where they are, and what is below 1 shrinks."""
        if not self.signs.get(entry):
            return constant(value)
        order = Order(self.powers[entry])
        least = float(value) if p.domain == "positive integer" else 0.0
        most = float(value) if p.domain.startswith("in ") else math.inf
        return Size(order, order, least=least, most=most)

    def _order_of(self, form: str) -> Any:
        return run(bind(self.claim, form, self.part.name, self.at, read_array).steps, self.env, self.field)

    def _cone(self) -> Iterator[Any]:
        for entry, signs in self.signs.items():
            a = self.powers[entry]
            yield from (self._fact(a >= (-1 if -1 in signs else 0)), self._fact(a <= (1 if 1 in signs else 0)))
        yield z3.Or(*(self._fact(a != 0) for a in self.powers.values()), self._fact(False))
        integers = {p.name for p in self.claim.symbols if p.domain == "positive integer"}
        free: dict[str, Any] = {}  # norms and sizes of which no form speaks, but which bound what a form speaks of

        def power(name: str) -> Any:
            label = name.partition("[")[0]
            if name in self.powers or label in self.at:
                return self.powers.get(name, Fraction(0))
            return free.setdefault(name, z3.Real(name, self.context))

        for small, large, size, exponent in rays.cone(self.claim):
            if {small, large} & set(self.powers):
                excess = power(large) - power(small)
                yield self._fact(excess >= 0)
                if size:
                    yield self._fact(excess <= exponent * power(size))
        yield from (a >= 0 for name, a in free.items() if name in integers)
        for assumption in self.claim.assumes:
            if {symbol.name for symbol in assumption.relation.free_symbols} <= set(self.env):
                _, broken = self.field.holds(assumption.relation, self.env)
                yield z3.Not(self._fact(broken))

    def fails(self, loosely: bool = False) -> Any:
        """The print is of smaller order (larger, of a lower bound); loosely, if ties are decided against it."""
        if self.part.below:
            return self._fact(below(self.proved.low if loosely else self.proved.high, self.printed.low))
        return self._fact(below(self.printed.high, self.proved.high if loosely else self.proved.low))

    def beyond(self) -> Any:
        """Both are beyond every power of t: there their orders say nothing."""
        ends = self.printed.high.power, self.proved.high.power
        return z3.And(*(self._fact(end > BEYOND.power / 10) for end in ends))

    def leave(self, support: Support) -> None:
        """Ask no more for rays that move all of this, and these ways."""
        if all(entry in self.powers for entry, _ in support):
            ways = (self.powers[entry] > 0 if way > 0 else self.powers[entry] < 0 for entry, way in support)
            self.solver.add(z3.Not(z3.And(*ways)))

    def exists(self, *facts: Any) -> bool:
        """Whether there is a ray of this kind."""
        found = self.solver.check(*facts)
        if found == z3.unknown:
            raise Undecided(f"z3 does not decide it in {MOST_STEPS} steps")
        return bool(found == z3.sat)

    def ray(self, *facts: Any) -> Ray | None:
        """One of least support, in small whole powers where these do."""
        if not self.exists(*facts):
            return None
        steps = self._steps()
        moves = [z3.Bool(f"{step} moves", self.context) for step in steps]
        held = [z3.Or(moved, step == 0) for moved, step in zip(moves, steps, strict=True)]
        most = 1
        while not self.exists(*facts, *held, z3.AtMost(*moves, most)):
            most += 1
        return self._rounded([*facts, *held, z3.AtMost(*moves, most)])

    def _steps(self) -> list[Any]:
        """What counts as one direction: a parameter, or both norms of a matrix by the same factor."""
        wedge = {large: small for small, large, size, _ in rays.cone(self.claim) if size and small in self.powers}
        return [a - self.powers[wedge[name]] if name in wedge else a for name, a in self.powers.items()]

    def _rounded(self, facts: list[Any]) -> Ray:
        """In whole powers, not far apart, with as large a difference of the orders as there is."""
        model = self.solver.model()
        still = [a == 0 for a in self.powers.values() if _value(model, a) == 0]
        gap = self.proved.high.power - self.printed.high.power
        gap = self.printed.low.power - self.proved.low.power if self.part.below else gap
        for size in SIZES:
            whole = [z3.IsInt(size * a) for a in self.powers.values()]
            for share in (1, 2, 4, 8):
                wide = [self._fact(gap * share >= 1)] if share < 8 else []
                if self.solver.check(*facts, *still, *whole, *wide) == z3.sat:
                    return _ray(self.solver.model(), self.powers)
        return _ray(model, self.powers)

    def _fact(self, fact: Any) -> Any:
        return z3.BoolVal(fact, self.context) if isinstance(fact, bool) else fact

    def power(self, form: str, ray: Ray) -> float:
        """The power of t with which a form grows along a ray."""
        size = self.forms[form]
        top = max(abs(x) for x in ray.values())
        self.solver.check(*(a == ray.get(entry, Fraction(0)) / top for entry, a in self.powers.items()))
        found = float(top * _value(self.solver.model(), (size.low if self.part.below else size.high).power))
        return found if abs(found) < float(BEYOND.power) / 10 else math.copysign(math.inf, found)


def serving(claim: Claim, part: Part, at: Point, guesses: list[Point]) -> Point:
    """Values of the exponents that a paper leaves open with which no ray fails, if there are any; else the last that
    the rays found before had left, and every value fails along one of these rays."""
    context = z3.Context()
    unknown = {name: z3.Real(name, context) for name in guesses[0]}
    solver = z3.Solver(ctx=context)
    solver.add(*(c > 0 for c in unknown.values()))
    guess: Point = guesses[0]
    for number in range(MOST_READINGS):
        if solver.check() != z3.sat:
            return guess
        found = {name: _value(solver.model(), c) for name, c in unknown.items()}
        tried = [*guesses, *({name: k * x for name, x in found.items()} for k in (4, 1))]
        guess = next(g for g in tried if solver.check(*(c == g[name] for name, c in unknown.items())) == z3.sat)
        question = Question(claim, part, at, guess)
        if not question.exists(question.fails()):
            return guess
        ray = _ray(question.solver.model(), question.powers)
        against = Question(claim, part, at, unknown, ray=ray, among=(context, f"_{number}_"))
        solver.add(*against.field.laws, z3.Not(against.fails()))
    raise Undecided("no value of an exponent that is left open was found, nor that there is none")


def _ray(model: Any, powers: dict[str, Any]) -> Ray:
    found = {entry: _value(model, a) for entry, a in powers.items()}
    top = max(abs(x) for x in found.values())
    return {entry: x / top for entry, x in found.items() if x}


def _value(model: Any, term: Any) -> Fraction:
    return term if isinstance(term, Fraction) else Fraction(str(model.eval(term, model_completion=True)))
