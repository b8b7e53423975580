"""docs/repaired.md: of each theorem that has a repaired form, how grave its fault is, both displays and their ratio."""

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any

import natural

import maurey
from maurey.verify.rungs import SEVERITIES

INTRODUCTION = f"""# Repaired theorems

This page is generated. A theorem that fails, or holds under a condition that it does not state, has a repaired form:
a display with every constant, proved, which could stand in an erratum. [Forms and verdicts](verdicts.md) says what the
words mean, and `maurey errata` tells of each cause.

The ratios are at one natural point: dimensions of {natural.SIZES["d"]}, sequences of {natural.SIZES["T"]} tokens,
{natural.SIZES["m"]} samples, {natural.LAYERS} layers or heads, resolution {natural.LEVELS["eps"]}, confidence parameter
{natural.LEVELS["delta"]}, and all norms and other constants 1 (a few claims need other values; `point` in
`tests/natural.py` has them all). The hidden constant of a printed form is taken to be 1. A ratio above 1 says that the
repaired form is weaker there than the print claims to be; of a lower bound the ratio is the other way round. What the
best proved form gains on the repaired one is the quotient of the two. *none* says that there is no number: a form that
says nothing at that point, or there is no such form.
"""

WHY = """The repaired form is within 4 times the printed value (of `trauger2024/4.1.1`, within 5), but for these:
"""


def page() -> str:
    claims = [claim for claim in maurey.claims() if any(part.repaired is not None for part in claim.record.parts)]
    lines = [INTRODUCTION, "| theorem | severity | cause | repaired / printed | sharp / printed |"]
    lines += ["| --- | --- | --- | --- | --- |", *(row for claim in claims for row in _rows(claim)), "", WHY]
    lines += [f"- `{place.replace(':', ' ')}`: {reason}." for place, reason in natural.FAR.items()]
    for claim in claims:
        lines += ["", f"## {claim.key}", "", *_displays(claim)]
    return "\n".join(lines) + "\n"


def parts(claim: maurey.ClaimView) -> Iterator[str]:
    return (part.name for part in claim.record.parts if part.repaired is not None)


@lru_cache(maxsize=1)
def entries() -> list[dict[str, Any]]:
    """To compare all claims takes a while."""
    return [entry for entry in maurey.errata() if entry["severity"]]


def faults(claim: maurey.ClaimView, part: str) -> tuple[str, str]:
    """The gravest severity of its entries, and all their causes."""
    found = [one for one in entries() if (one["key"], one["part"]) == (claim.key, part)]
    grave = min((one["severity"] for one in found), key=SEVERITIES.index, default="-")
    return grave, ", ".join(dict.fromkeys(one["cause"] for one in found)) or "-"


def _rows(claim: maurey.ClaimView) -> Iterator[str]:
    at = natural.point(claim)
    for part in parts(claim):
        place = claim.key if len(claim.record.parts) == 1 else f"{claim.key} {part}"
        has, read = (claim.record.part(one) for one in (part, part.removesuffix("_rows")))
        ratios = [natural.ratio(claim, part, form, at) if form in has.forms and read.printed is not None else None
                  for form in ("repaired", "sharp")]  # fmt: skip
        yield f"| {' | '.join((f'`{place}`', *faults(claim, part), *map(_short, ratios)))} |"


def _short(ratio: Decimal | None) -> str:
    return "none" if ratio is None else f"{ratio:.3g}"


def _displays(claim: maurey.ClaimView) -> Iterator[str]:
    """Parts that differ only in print share the display that is repaired."""
    yield claim.title + "."
    shown = set()
    for one in map(claim.record.part, parts(claim)):
        for form in ("printed", "repaired"):
            if form in one.forms:
                again = form == "repaired" and one.repaired in shown
                yield from ("", f"{form.capitalize()} ({one.meaning}):{' as above.' if again else ''}")
                yield from () if again else ("", "$$", claim.latex(form, part=one.name), "$$")
        shown.add(one.repaired)
