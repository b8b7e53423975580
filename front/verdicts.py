"""A claim, checked now: the row of the evidence matrix, on a page of its own."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any

from maurey.symbolic.claim import Claim, InputError
from maurey.symbolic.errors import cut
from maurey.verify import checks, matrix

NEEDED = {"torch": "train", "z3": "verify", "hypothesis": "verify"}


@dataclass(frozen=True, repr=False, kw_only=True)
class Verdict(matrix.Row):
    """What a check found: verdict, evidence, instances, tightness, counterexample, notes.

    >>> import maurey
    >>> found = maurey.claim("edelman2022/A.8").verify()
    >>> found.verdict, found.evidence
    ('holds', 'proved')
    """

    @property
    def words(self) -> str:
        where = f" where {self.where}" if self.where else ""
        return f"{self.verdict}{where}{f' ({self.evidence})' if self.evidence else ''}"

    def __repr__(self) -> str:
        return f"<{self.key}: {self.words}>"

    def __str__(self) -> str:
        lines = [f"{self.key} as printed", f"verdict    {self.words}"]
        if self.instances:
            lines.append(f"instances  {self.instances:,}")
        if self.tightness is not None:
            lines.append(f"tightness  {self.tightness:.6g}, the largest lhs/rhs that was found")
        lines += [f"  {name} = {cut(str(value), 100)}" for name, value in (self.counterexample or {}).items()]
        return "\n".join([*lines, *self.notes])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from .notebook import bundle

        return bundle(self)


def verified(claim: Claim, effort: str) -> Verdict:
    for module, extra in NEEDED.items():
        if importlib.util.find_spec(module) is None:
            raise InputError(f"verify needs {module}: install maurey[{extra}]")
    how_hard = checks.effort(effort)
    (found,) = matrix.verify([claim.key], how_hard, 1)
    return Verdict(**vars(found.row))
