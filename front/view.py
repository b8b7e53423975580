"""What `maurey.claim` returns: a thin view that asks the rooms, so that the record knows nothing of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maurey.symbolic import printing, registry
from maurey.symbolic.claim import Claim, InputError, Setting
from maurey.symbolic.derivation import Step

if TYPE_CHECKING:
    from maurey.numeric.balls import Enclosure
    from maurey.numeric.compare import Comparison
    from maurey.numeric.grids import LogValue
    from maurey.verify.evidence import Standing
    from maurey.verify.matrix import Row
    from maurey.verify.prove.page import Page


@dataclass(frozen=True)
class ClaimView:
    record: Claim

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "record":  # a copy asks before there is a record
            raise AttributeError(name)
        return getattr(self.record, name)

    @property
    def evidence(self) -> str | None:
        """The rung on which it stands, from the ledger; none, if it is to be verified again."""
        return self.standing.evidence

    @property
    def standing(self) -> Standing:
        """Verdict on the print, rung, and whether it was replayed with the sources as they are."""
        from maurey.verify.evidence import standing_of

        return standing_of(self.record)

    def __repr__(self) -> str:
        return f"<{self.record.key}: {self.record.title}>"

    def _repr_latex_(self) -> str:
        form = "printed" if "printed" in self.record.forms else self.record.default_form
        return f"$\\displaystyle {self.latex(form)}$" if self.record.parts else " ".join(self.record.statement.split())

    def latex(self, form: str = "", part: str = "", layers: int = 2) -> str:
        """The form as LaTeX; per-layer and per-head lists are written out for `layers` entries."""
        form = form or self.record.default_form
        self.record.part_with(form, part)
        return printing.latex_of(self.record, form, Setting(default=layers), part)

    def steps(self, form: str = "", part: str = "", layers: int = 2) -> list[Step]:
        form = form or self.record.default_form
        return self.record.part_with(form, part).steps(form, Setting(default=layers))

    def evaluate(self, form: str = "", part: str = "", digits: int = 15, **values: Any) -> Any:
        """A plain value (an mpmath number)."""
        from maurey.numeric.plain import evaluate

        return evaluate(self.record, form, part, digits, **values)

    def enclose(self, form: str = "", part: str = "", digits: int = 15, **values: Any) -> Enclosure:
        """A value with certified bounds around it."""
        from maurey.numeric.balls import enclose

        return enclose(self.record, form, part, digits, **values)

    def sweep(self, form: str = "", part: str = "", **values: Any) -> LogValue:
        """The form over NumPy arrays, in log space."""
        from maurey.numeric.grids import sweep

        return sweep(self.record, form, part, **values)

    def verify(self, effort: str = "quick") -> Row:
        """How it is known to be true, how tight it is, or how it fails."""
        from maurey.verify import checks, matrix

        (found,) = matrix.verify([self.record.key], checks.effort(effort), 1)
        return found.row


def claim(key: str) -> ClaimView:
    return ClaimView(registry.find(key))


def errata() -> list[dict[str, Any]]:
    """Where printed forms fail, each entry with its witness; as `maurey errata --json`."""
    from maurey.pages.errata import records
    from maurey.verify import ledger

    return records(ledger.comparisons())


def check(lhs: Any, rhs: Any = None, over: Any = None, **options: Any) -> Page:
    """Is lhs <= rhs? Formulas over a box are refuted or proved, functions over a hypothesis strategy tested.

    `check(lhs, rhs, over={"x": (0, 1)})`, or `check(relation, over=...)` with a SymPy relation; ends may be infinite.
    Options: relation ("<=", "<", ">=", ">", "=="), assuming (SymPy relations), seconds (of CPU, 10), instances (1000),
    seed (0), project (a function that brings a tensor back into its class). The page that comes back has a verdict
    (holds, fails, undecided), where, the evidence (proved, refuted, tested; none if undecided), the witness of what
    fails, and how it was decided, with its cost.

    >>> from sympy import symbols, sqrt
    >>> x = symbols("x")
    >>> check(x**2, x, over={"x": (0, 1)})
    <x**2 <= x: holds, proved>
    >>> check(sqrt(x), x, over={"x": (0, 2)}).witness
    {'x': 1/2}
    """
    from maurey.verify.prove.check import check

    known = ("relation", "assuming", "seconds", "instances", "seed", "project")
    if unknown := [name for name in options if name not in known]:
        raise InputError(f"check has no option {unknown[0]!r}; there are {', '.join(known)}")
    return check(lhs, rhs, over, **options)


def compare(
    *keys: str, over: Mapping[str, tuple[Any, Any]], forms: Sequence[str] = (), points: int = 200, **values: Any
) -> Comparison:
    """Claims (KEY or KEY:PART) over a range, e.g. over={"T": (16, 10**6)}: curves, winners, certified crossovers."""
    from maurey.numeric.compare import compare

    if len(over) != 1 or any(not isinstance(ends, (tuple, list)) or len(ends) != 2 for ends in over.values()):
        raise InputError(f"over takes one parameter and its two ends, e.g. {{'T': (16, 10**6)}}, got {over!r}")
    ((name, (low, high)),) = over.items()
    return compare(keys, (name, low, high), values, forms, points)


def claims(paper: str = "") -> list[ClaimView]:
    found = registry.claims_of(paper).values() if paper else registry.all_claims()
    return [ClaimView(record) for record in found]
