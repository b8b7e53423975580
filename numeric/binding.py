"""From what a user gives to the values of a form's symbols. Numbers only: nothing is ever evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from numbers import Integral, Rational, Real
from typing import Any

import sympy
from sympy import Expr, Symbol
from sympy.core.relational import Relational

from maurey.symbolic.claim import DOMAINS, Claim, InputError, Parameter, Part, Setting
from maurey.symbolic.derivation import Step
from maurey.symbolic.errors import cut, perhaps
from maurey.symbolic.printing import plain

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?|[+-]?\d+/\d+", re.ASCII)
_LONG = re.compile(r"[0-9.eE+/-]{6,}")
LONGEST = 1000  # characters of one number
MOST_ENTRIES = 1000  # of a list per head or layer


def exact(raw: Any) -> Fraction:
    """An exact number from an integer, fraction, decimal, float (as it prints), text, or an array of one of them."""
    if type(raw) is Fraction:
        return raw
    raw = from_arrays(raw)
    if isinstance(raw, bool) or raw is None:
        raise ValueError
    if isinstance(raw, (Integral, Rational)):
        return Fraction(int(raw.numerator), int(raw.denominator))
    text = repr(float(raw)) if isinstance(raw, float) else str(raw) if isinstance(raw, (Decimal, Real)) else raw
    if not isinstance(text, str) or len(text) > LONGEST or not NUMBER.fullmatch(text.strip()):
        raise ValueError
    return Fraction(text.strip())


def as_array(raw: Any) -> Any:
    """A tensor, a series and their like as a NumPy array; others as they are. Neither NumPy nor torch is imported."""
    found = raw
    try:
        if hasattr(raw, "detach") and hasattr(raw, "cpu"):  # a tensor, maybe of a network that is being trained
            found = raw.detach().cpu()
            found = found.float() if str(found.dtype) == "torch.bfloat16" else found
        foreign = not isinstance(found, (str, Real, Decimal, type)) and hasattr(found, "__array__")
        return found.__array__() if foreign else found
    except (TypeError, RuntimeError):  # a tensor without entries, or with few that are kept: no number is read from it
        return raw


def from_arrays(raw: Any) -> Any:
    """What an array holds, as a scalar or as a list; of tuples and ranges too."""
    raw = as_array(raw)
    if isinstance(raw, str) or not hasattr(raw, "ndim"):
        return list(raw) if isinstance(raw, (tuple, range)) else raw
    return raw[()] if raw.ndim == 0 else list(raw) if raw.ndim == 1 else raw


@dataclass(frozen=True)
class Bound:
    """A form with values for its symbols."""

    part: Part
    form: str
    steps: list[Step]
    values: dict[str, Any]
    unused: tuple[str, ...] = ()

    @property
    def used(self) -> dict[str, Any]:
        """The values that the form really speaks of."""
        needed = names_in(step.expr for step in self.steps)
        return {name: value for name, value in self.values.items() if name in needed}


def names_in(exprs: Iterable[Expr]) -> set[str]:
    return {s.name for expr in exprs for s in expr.free_symbols if isinstance(s, Symbol)}


def read_exact(parameter: Parameter, raw: Any) -> Fraction | list[Fraction]:
    """A value, or a list of values where the parameter has an index, inside its domain."""
    raw = from_arrays(raw)
    items = raw.split(",") if isinstance(raw, str) else raw if isinstance(raw, list) else [raw]
    try:
        numbers = [exact(item) for item in items]
    except (ValueError, ZeroDivisionError):
        hint = f"; exponents go up to 999, numbers to {LONGEST} characters" if _LONG.fullmatch(str(raw)) else ""
        raise _refusal(parameter, _shown(raw) + hint) from None
    listed = len(numbers) != 1 or isinstance(raw, list)
    if listed and (not parameter.index or not numbers):
        raise _refusal(parameter, f"a list of {len(numbers)}")
    inside = DOMAINS[parameter.domain]
    for number, item in zip(numbers, items, strict=True):
        if not inside(number):
            raise _refusal(parameter, _shown(item))
    return numbers if listed else numbers[0]


def _refusal(parameter: Parameter, got: str) -> InputError:
    listed = " or a list of them" if parameter.index else ""
    return InputError(f"{parameter.name} must be {_article(parameter.domain)}{listed}, got {got}")


def _article(domain: str) -> str:
    return domain if domain.startswith("in ") else f"a {domain}"


def _shown(raw: Any) -> str:
    if shape := getattr(raw, "shape", ()):
        return f"an array of shape {tuple(shape)}"
    return cut(repr(raw) if isinstance(raw, str) else str(raw))


def check_names(claim: Claim, names: Iterable[str]) -> None:
    known = [p.name for p in claim.names]
    for name in names:
        if name not in known:
            near = perhaps(name, known)
            takes = f"takes {', '.join(known)}" if known else "takes no values"
            raise InputError(f"unknown parameter {cut(repr(name))}{near}; {claim.key} {takes}")


Reader = Callable[[Parameter, Any], Any]


def bind(claim: Claim, form: str, part: str, values: Mapping[str, Any], read: Reader = read_exact) -> Bound:
    """Check what was given against the claim and write the form out for it."""
    form = form or claim.default_form
    chosen = claim.part_with(form, part)
    constants = {c.name: Parameter(c.name, c.latex, c.meaning, "positive real") for c in claim.constants}
    known = {p.name: p for p in claim.symbols} | constants
    check_names(claim, values)
    bound: dict[str, Any] = {c.name: read(known[c.name], c.value) for c in claim.constants}
    bound |= {name: read(known[name], raw) for name, raw in values.items()}
    sizes = _sizes(claim, bound)
    steps, needed = _written(chosen, form, tuple(sorted(sizes.items())), frozenset(bound))
    bound |= {p.name: read(p, sizes[p.name]) for p in claim.symbols if p.name in sizes and p.name not in bound}
    if missing := [p for p in claim.symbols if p.name in needed and p.name not in bound]:
        p, *others = missing
        also = f"; also missing: {', '.join(other.name for other in others)}" if others else ""
        raise InputError(f"missing parameter {p.name}: {_article(p.domain)}, {plain(p.meaning)}{also}")
    for p in claim.symbols:
        if p.index and p.name in bound and not isinstance(bound[p.name], list):
            bound[p.name] = [bound[p.name]] * sizes.get(p.index, 1)
    _check_assumptions(claim, bound)
    indices = {p.index for p in claim.symbols} | set(claim.unrolled)
    unused = tuple(name for name in values if name not in needed and name not in indices)
    return Bound(chosen, form, list(steps), bound, unused)


@lru_cache(maxsize=4096)
def _written(
    part: Part, form: str, sizes: tuple[tuple[str, int], ...], given: frozenset[str]
) -> tuple[tuple[Step, ...], frozenset[str]]:
    """The steps for these list lengths, and the names that they take from outside."""
    steps = part.steps(form, Setting(dict(sizes), given, None))
    return tuple(steps), frozenset(names_in(step.expr for step in steps) - {step.name for step in steps})


def _sizes(claim: Claim, bound: Mapping[str, Any]) -> dict[str, int]:
    """List lengths, from their own parameter (H) or from the lists; they must agree."""
    sizes: dict[str, int] = {}
    listed = [p for p in claim.symbols if p.index and (not p.optional or p.name in bound)]
    indices = {p.index for p in listed} | set(claim.unrolled)
    for index in indices & set(bound):
        sizes[index] = _whole(index, bound[index])
    for p in claim.symbols:
        value = bound.get(p.name)
        if p.index and isinstance(value, list) and len(value) != sizes.setdefault(p.index, len(value)):
            raise InputError(f"{p.name} must be one value or {p.index} = {sizes[p.index]} of them, got {len(value)}")
    return sizes


def _whole(index: str, value: Any) -> int:
    try:
        size = int(value)
    except TypeError:
        raise InputError(f"{index} must be one number, got an array") from None
    if size > MOST_ENTRIES:
        raise InputError(f"{index} must be at most {MOST_ENTRIES}, for so many are written out, got {_shown(size)}")
    return size


@cache
def _symbols(relation: Relational) -> tuple[Symbol, ...]:
    return tuple(sorted(relation.atoms(Symbol), key=str))


@lru_cache(maxsize=4096)
def _holds(relation: Relational, values: tuple[Fraction, ...]) -> bool:
    """Kept, for the parts of a claim are asked for at the same point."""
    given = (sympy.Rational(*value.as_integer_ratio()) for value in values)
    return bool(relation.xreplace(dict(zip(_symbols(relation), given, strict=True))))


def _check_assumptions(claim: Claim, bound: Mapping[str, Any]) -> None:
    """Assumptions are relations between rational expressions of scalars: decided exactly."""
    for assumption in claim.assumes:
        relation: Relational = assumption.relation
        names = [symbol.name for symbol in _symbols(relation)]
        values = tuple(bound.get(name) for name in names)
        if all(isinstance(value, Fraction) for value in values) and not _holds(relation, values):
            given = ", ".join(f"{name} = {bound[name]}" for name in names)
            raise InputError(f"{claim.key} assumes that {assumption.text}; got {given}")
