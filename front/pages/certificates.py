"""A certificate on a screen, and what a checker found of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .columns import columns, fitted

if TYPE_CHECKING:
    from maurey.verify.certificates.checker.check import Found

WIDTH = 100


def page(certificate: Mapping[str, Any], file: str, notes: Iterable[str]) -> str:
    own = [part for part in certificate["parts"] if "key" in part]
    rows = [("bound", "level", "claim"), *((part["bound"], part["delta"], part["key"]) for part in own)]
    lines = [
        *fitted(certificate["statement"], WIDTH),
        "",
        f"mean loss {certificate['empirical']} on {certificate['n']} samples, delta {certificate['delta']}",
        *(f"  {line}" for line in columns([tuple(map(str, row)) for row in rows], 2, WIDTH, lambda x, _: [x])),
        *_listed(certificate["hypotheses"]),
        "",
        f"written to {file}; check it with `maurey check-certificate {file}`",
        *(f"note: {note}" for note in notes),
    ]
    return "\n".join(lines)


def _listed(hypotheses: Iterable[Mapping[str, str]]) -> list[str]:
    lines = []
    for status, words in (("checked", "checked"), ("stated", "stated, since no program can check it")):
        own = [one["text"] for one in hypotheses if one["status"] == status]
        lines += ["", words, *(line for text in own for line in fitted(f"  - {text}", WIDTH, "    "))] if own else []
    return lines


def checked(found: Found) -> str:
    """It stands."""
    lines = [
        *fitted(f"It stands. {found.certificate['statement']}", WIDTH),
        *_listed(found.certificate["hypotheses"]),
        *(["", *(f"not there, and so not compared: {name}" for name in found.absent)] if found.absent else []),
    ]
    return "\n".join(lines)
