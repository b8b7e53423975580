"""Several claims against one parameter: their curves, where the order of two of them changes, and which is smallest.

Curves are sweeps in double precision over a grid; a change of order and back inside one step of it is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from numbers import Integral
from typing import Any

import numpy as np

from maurey.symbolic import registry
from maurey.symbolic.claim import FORMS, Claim, InputError, Parameter
from maurey.symbolic.errors import cut, perhaps

from .binding import read_exact
from .crossovers import MOST_CROSSOVERS, Crossover, Orders, certify, changes
from .curves import DIGITS, Graph, order, spread
from .exact import cut_number, plain_number
from .grids import LogValue
from .slack import slack
from .vacuous import remarks

MOST_POINTS = 10_000
ROUNDS = 8  # of taking unclear points into the grid
INTEGERS = ("positive integer", "nonnegative integer")

Report = Callable[[str], None]
Ranked = Callable[[Claim, str, str], bool]  # claim, part and form


@dataclass(frozen=True)
class Curve:
    label: str
    key: str
    part: str
    form: str
    values: LogValue  # over the grid

    @property
    def log10(self) -> list[float | None]:
        """None where the bound is not positive."""
        return [
            round(float(v), 12) if s > 0 else None for v, s in zip(self.values.log10, self.values.sign, strict=True)
        ]


@dataclass(frozen=True)
class Winner:
    """From its first to its last point as the smallest, of the grid and of the crossovers."""

    start: Fraction
    end: Fraction
    label: str
    ties: tuple[str, ...] = ()  # others that are as small, all along


@dataclass(frozen=True, repr=False)
class Comparison:
    """Curves over a parameter, which of them is the smallest where, and where two of them cross.

    >>> import maurey
    >>> at = dict(eps="1/10", d_1=64, d_2=8, B_X=1, B_W_inf=1)
    >>> found = maurey.compare("edelman2022/4.5", forms=["derived", "sharp"], over={"N": (10, 1000)}, points=5, **at)
    >>> found
    <2 curves over N from 10 to 1000, 0 crossovers; smallest: edelman2022/4.5 sharp>
    >>> found.curves[1].label, found.curves[1].log10[0]
    ('edelman2022/4.5 sharp', 3.317044023158)
    """

    over: str
    at: list[Fraction]
    given: dict[str, Any]  # the others, exact
    curves: list[Curve]
    winners: list[Winner]
    crossovers: list[Crossover]
    notes: list[str]

    def __repr__(self) -> str:
        smallest = list(dict.fromkeys(winner.label for winner in self.winners))
        told = ", then ".join(smallest[:3]) + (", ..." if len(smallest) > 3 else "")
        ends = f"from {cut_number(_short(self.at[0]))} to {cut_number(_short(self.at[-1]))}"
        counts = f"{len(self.curves)} curve{'s' * (len(self.curves) != 1)} over {self.over} {ends}"
        crossed = f"{len(self.crossovers)} crossover{'s' * (len(self.crossovers) != 1)}"
        return f"<{counts}, {crossed}; smallest: {told}>"

    def plot(self) -> Any:
        """A matplotlib figure: a color for each claim, a style for each form, a ring where another is the smallest.

        >>> import maurey
        >>> at = dict(eps="1/10", d_1=64, d_2=8, B_X=1, B_W_inf=1)
        >>> found = maurey.compare("edelman2022/4.5", over={"N": (10, 1000)}, points=5, **at)
        >>> figure = found.plot()
        >>> figure.axes[0].get_xlabel()
        'N, number of points of a linear cover'
        """
        from .figures import figure_of

        return figure_of(self)


def _short(x: Fraction) -> Decimal:
    return Context(prec=12).divide(Decimal(x.numerator), Decimal(x.denominator))


def compare(
    keys: Sequence[str],
    over: tuple[str, Any, Any],
    values: Mapping[str, Any],
    forms: Sequence[str] = (),
    points: int = 200,
    report: Report = lambda _: None,
    ranked: Ranked = lambda claim, part, form: True,
) -> Comparison:
    """The claims (KEY or KEY:PART) over the parameter from one value to another, at the given values of the others.
    Where no form is named, only those count as smallest that are `ranked`, if there are any."""
    chosen = _choose(keys, forms)
    claims = list({claim.key: claim for claim, _, _ in chosen}.values())
    if not isinstance(points, Integral) or not 2 <= points <= MOST_POINTS:
        raise InputError(f"points must be an integer from 2 to {MOST_POINTS}, got {points}")
    _check_names(claims, over[0], values)
    name, low, high, integer = _range(claims, over)
    grid = spread(low, high, int(points), integer)
    graphs = []
    for n, (claim, part, form) in enumerate(chosen, 1):
        report(f"curve {n} of {len(chosen)}")
        parts = {other for c, other, _ in chosen if c is claim}
        shown_part = f":{part}" if len(parts) > 1 or claim.part_with(form).name != part else ""
        graphs.append(
            Graph(
                label=f"{claim.key}{shown_part} {form}",
                claim=claim,
                part=part,
                form=form,
                values=values,
                over=name,
                grid=grid,
            )
        )
    counted = [bool(forms) or ranked(g.claim, g.bound.part.name, g.bound.form) for g in graphs]
    counted = counted if any(counted) else [True] * len(graphs)
    crossovers, winners, crowded = _settle(graphs, counted, grid, integer, report)
    curves = [Curve(g.label, g.claim.key, g.bound.part.name, g.bound.form, g.sweep(grid)) for g in graphs]
    given = {n: read_exact(p, v) for n, v in values.items() for c in claims if (p := _parameter(c, n)) is not None}
    notes = _notes(graphs, given, name, (low, high))
    same = ((a, b) for a, b in combinations(graphs, 2) if not order(a.sweep(grid), b.sweep(grid)).any())
    notes += [f"{a.label} and {b.label} coincide" for a, b in same]
    notes += [f"{g.label} is not ranked: it is not proved" for g, one in zip(graphs, counted, strict=True) if not one]
    notes += _vacuous(graphs, name, (low, high))
    if crowded:
        notes.append(f"only {MOST_CROSSOVERS} crossovers or so are followed; there are more")
    return Comparison(
        over=name, at=grid, given=given, curves=curves, winners=winners, crossovers=crossovers, notes=notes
    )


# --- what is asked for ---------------------------------------------------------------------------------------


def _choose(keys: Sequence[str], forms: Sequence[str]) -> list[tuple[Claim, str, str]]:
    """Claim, part and form of every curve, each once."""
    if not keys:
        raise InputError("name at least one claim, e.g. edelman2022/4.4 or edelman2022/A.17:gap")
    if not isinstance(forms, Sequence):
        raise InputError(f"forms are one or several of {', '.join(FORMS)}, all; got {cut(repr(forms))}")
    for form in forms:
        if form not in (*FORMS, "all"):
            raise InputError(f"no form {form!r}; there are {', '.join(FORMS)}, all")
    chosen = []
    for key in keys:
        name, _, part = key.partition(":")
        claim = registry.find(name)
        for form in forms or (claim.default_form,):
            if form == "all":
                which = claim.part(part) if part else claim.part_with(claim.default_form)
                chosen += [(claim, which.name, each) for each in which.forms]
            else:
                chosen.append((claim, claim.part_with(form, part).name, form))
    return list({(claim.key, part, form): (claim, part, form) for claim, part, form in chosen}.values())


def _parameter(claim: Claim, name: str) -> Parameter | None:
    constants = (Parameter(c.name, c.latex, c.meaning) for c in claim.constants)
    return next((p for p in (*claim.symbols, *constants) if p.name == name), None)


def _check_names(claims: list[Claim], over: str, values: Mapping[str, Any]) -> None:
    known = dict.fromkeys(p.name for claim in claims for p in claim.names)
    for name in (*values, over):
        if name not in known:
            near = perhaps(name, known)
            raise InputError(f"unknown parameter {cut(repr(name))}{near}; the chosen claims take {', '.join(known)}")
    if over in values:
        raise InputError(f"{over} is what moves; do not give it a value too")


def _range(claims: list[Claim], over: tuple[str, Any, Any]) -> tuple[str, Fraction, Fraction, bool]:
    """The parameter, its ends (as decimals) and whether it is an integer for some claim."""
    name, *ends = over
    parameters = [p for claim in claims if (p := _parameter(claim, name)) is not None]
    for parameter in parameters:
        low, high = (read_exact(replace(parameter, index=""), end) for end in ends)
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    if not 0 < low < high:
        wanted = "start above 0, for it goes by factors" if low <= 0 else "go from a smaller to a larger value"
        raise InputError(f"the range of {name} must {wanted}, got {ends[0]}..{ends[1]}")
    whole = any(p.domain in INTEGERS for p in parameters)
    return name, _decimal(low, ROUND_CEILING), _decimal(high, ROUND_FLOOR), whole


def _decimal(x: Fraction, rounding: str) -> Fraction:
    """Itself if it ends, else its first digits, inside the range."""
    if "/" not in plain_number(x):
        return x
    context = Context(prec=DIGITS, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return Fraction(context.divide(Decimal(x.numerator), Decimal(x.denominator)))


# --- what it comes to ----------------------------------------------------------------------------------------


def _vacuous(graphs: list[Graph], over: str, ends: tuple[Fraction, Fraction]) -> list[str]:
    """What says no more at an end of the range than what is true anyway."""
    notes = []
    for g in graphs:
        at_ends = [remarks(g.at(end)) for end in ends]
        for text in dict.fromkeys(text for found in at_ends for text in found):
            where = [plain_number(end) for end, found in zip(ends, at_ends, strict=True) if text in found]
            notes.append(f"{g.label}, at {over} = {' and '.join(where)}: {text}")
    return notes


def _settle(
    graphs: list[Graph], counted: Sequence[bool], grid: list[Fraction], integer: bool, report: Report
) -> tuple[list[Crossover], list[Winner], bool]:
    """Crossovers and winners that agree; and whether there are more crossovers than are followed.

    Two changes inside one step of the grid may leave points at which no curve is the smallest; those join the grid.
    """
    for _ in range(ROUNDS):
        swept = [graph.sweep(grid) for graph in graphs]
        orders: Orders = {(a, b): order(swept[a], swept[b]) for a, b in combinations(range(len(graphs)), 2)}
        report("narrowing the crossovers")
        brackets, crowded = changes(graphs, orders, grid, integer)
        found = set()
        for n, bracket in enumerate(brackets, 1):
            report(f"crossover {n} of {len(brackets)}")
            found.add(certify(graphs, bracket, integer))
        crossovers = sorted(found, key=lambda c: (c.at, c.curves))
        winners, unclear = _winners(graphs, counted, orders, grid, crossovers)
        if not unclear:
            break
        grid = sorted({*grid, *unclear})
    return crossovers, winners, crowded


def _winners(
    graphs: list[Graph], counted: Sequence[bool], orders: Orders, grid: list[Fraction], crossovers: list[Crossover]
) -> tuple[list[Winner], list[Fraction]]:
    """The smallest curve, in as few intervals as ties allow, and where none is that; between crossovers two curves
    keep their order."""
    xs = sorted({*grid, *(x for c in crossovers for x in c.at)})
    place = {x: i for i, x in enumerate(xs)}
    on_grid = [place[x] for x in grid]
    smallest = np.repeat(np.array(counted)[:, None], len(xs), axis=1)
    for (a, b), signs in orders.items():
        if not (counted[a] and counted[b]):
            continue
        pair = (graphs[a].label, graphs[b].label)
        strict = signs[np.flatnonzero(signs)]
        whole = np.full(len(xs), strict[0] if len(strict) else 0)
        for c in (c for c in crossovers if c.curves == pair):
            low, high = (place[x] for x in c.at)
            whole[low + 1 : high] = 0
            whole[high:] = -1 if c.below_after == pair[0] else 1
        whole[on_grid] = np.where(signs, signs, whole[on_grid])
        smallest[a] &= whole <= 0
        smallest[b] &= whole >= 0
    clear = smallest.any(axis=0)
    told = np.flatnonzero(clear)
    winners: list[Winner] = []
    start, alive = told[0], smallest[:, 0]
    for i, j in pairwise([*told, len(xs)]):
        still = alive & smallest[:, j] if j < len(xs) else np.zeros_like(alive)
        if not still.any():
            first, *ties = (graphs[n].label for n in np.flatnonzero(alive))
            winners.append(Winner(xs[start], xs[i], first, tuple(ties)))
            start, still = j, smallest[:, j % len(xs)]
        alive = still
    return winners, [xs[i] for i in np.flatnonzero(~clear)]


def _notes(graphs: list[Graph], given: Mapping[str, Any], over: str, ends: tuple[Fraction, Fraction]) -> list[str]:
    """Defaults, names that go unused, bounds that others make slack, and curves that bound from below."""
    notes = []
    defaults = {
        (c.name, c.value): g.claim.key
        for g in graphs
        for c in g.claim.constants
        if c.name in g.bound.used and c.name not in g.given and c.name != over
    }
    names = [name for name, _ in defaults]
    if defaults:
        told = (f"{n} = {v}" + (f" in {key}" if names.count(n) > 1 else "") for (n, v), key in defaults.items())
        notes.append(f"defaults {', '.join(told)}")
    foreign, idle = dict[str, dict[str, None]](), dict[str, list[str]]()
    for g in graphs:
        if names := [n for n in (over, *given) if _parameter(g.claim, n) is None]:
            foreign.setdefault(", ".join(names), {})[g.claim.key] = None
        if g.bound.unused:
            idle.setdefault(", ".join(g.bound.unused), []).append(g.label)
    notes += [f"no {names} in {', '.join(keys)}" for names, keys in foreign.items()]
    notes += [f"not used by {', '.join(labels)}: {names}" for names, labels in idle.items()]
    notes += [f"{g.label} bounds from below" for g in graphs if g.bound.part.relation == ">="]
    return notes + list(dict.fromkeys(line for end in ends for line in slack({**given, over: end})))
