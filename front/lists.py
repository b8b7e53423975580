"""Lists that say in a line what they hold, and show it in a notebook: claims, errata, the steps of a derivation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from maurey.symbolic.claim import Claim
from maurey.symbolic.derivation import Step
from maurey.symbolic.errors import cut

if TYPE_CHECKING:
    from .view import ClaimView

MOST = 40  # rows that are shown


class _Shown:
    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from .notebook import bundle

        return bundle(self)


class Claims(_Shown, list["ClaimView"]):
    """Claims, in the order of their papers.

    >>> import maurey
    >>> maurey.claims("edelman2022icml")
    <3 claims of edelman2022icml>
    """

    def __repr__(self) -> str:
        papers = list(dict.fromkeys(claim.paper for claim in self))
        of = f" of {papers[0]}" if len(papers) == 1 else f" of {len(papers)} papers" if papers else ""
        return f"<{_count(len(self), 'claim')}{of}>"

    def __str__(self) -> str:
        return "\n".join([*map(repr, self[:MOST]), *_rest(len(self))]) or "no claims"


class Entry(_Shown, dict[str, Any]):
    """One erratum: a dictionary with the key, the part, the status, the witness, what is printed and what is true.

    >>> import maurey
    >>> maurey.errata("edelman2022/4.5")[0].keys() >= {"key", "part", "status", "witness", "note"}
    True
    """

    def __repr__(self) -> str:
        part = f" {self['part']}" if self.get("part") else ""
        return f"<{self.get('key')}{part}: {self.get('status')}. {cut(str(self.get('note')), 200)}>"


class Errata(_Shown, list[Entry]):
    """Errata, claim by claim.

    >>> import maurey
    >>> maurey.errata("edelman2022/4.5")
    <1 erratum on 1 claim, 1 refuted; 2 remarks>
    """

    def __repr__(self) -> str:
        entries = [entry for entry in self if entry["cause"]]
        keys, refuted = {entry["key"] for entry in entries}, sum(entry["status"] == "refuted" for entry in entries)
        told = "erratum" if len(entries) == 1 else "errata"
        on = f" on {_count(len(keys), 'claim')}, {refuted} refuted" if entries else ""
        more = f"; {_count(len(self) - len(entries), 'remark')}" if len(self) > len(entries) else ""
        return f"<{len(entries) or 'no'} {told}{on}{more}>"

    def __str__(self) -> str:
        return "\n".join([*(repr(entry)[1:-1] for entry in self[:MOST]), *_rest(len(self))]) or "no errata"


class Steps(_Shown, list[Step]):
    """A derivation, step by step; each has a name, an expression, a reason, and the key of what justifies it.

    >>> import maurey
    >>> maurey.claim("edelman2022/4.5").steps()
    <2 steps: delta_W, log_N>
    """

    def __init__(self, steps: Iterable[Step], claim: Claim) -> None:
        super().__init__(steps)
        self.claim = claim

    def __repr__(self) -> str:
        return f"<{_count(len(self), 'step')}: {cut(', '.join(step.shown for step in self), 100)}>"

    def __str__(self) -> str:
        lines = [f"({n}) {repr(step)[1:-1]}: {cut(step.reason, 100)}" for n, step in enumerate(self[:MOST], 1)]
        return "\n".join([*lines, *_rest(len(self))])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _rest(number: int) -> list[str]:
    return [f"and {number - MOST} more"] if number > MOST else []
