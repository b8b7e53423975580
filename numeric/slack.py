"""Norm bounds that make each other slack: one that exceeds a bound which its norm always obeys says nothing.

Claims differ in whether they bound a matrix or its transpose, so only inequalities that hold across both are used:

    (2,inf) <= spectral <= Frobenius <= (2,1) <= (1,1),    (1,inf) <= (1,1),    l2 <= l1 for tokens and read-outs.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from .exact import plain_number

Value = Fraction | list[Fraction]

ABOVE = {
    "_inf": ("", "_F", "_21", "_11"),
    "": ("_F", "_21", "_11"),
    "_F": ("_21", "_11"),
    "_21": ("_11",),
    "_1inf": ("_11",),
}
LARGER = {f"B_{M}{p}": [f"B_{M}{q}" for q in above] for M in ("V", "QK", "C", "W") for p, above in ABOVE.items()}
LARGER |= {"B_X": ["B_X_1"], "B_w": ["B_w_1"]}
for spectral in ("B_V", "B_QK", "B_C", "B_w"):  # where B_W bounds all matrices of a network
    LARGER[spectral] += ["B_W_21", "B_W_11"]


def slack(values: Mapping[str, Value]) -> list[str]:
    """One line for each given bound that another makes slack, in some layer or head where they are lists."""
    notes = []
    for name in LARGER:
        given = [other for other in (name, *LARGER[name]) if other in values]
        if name not in values or len(given) < 2:
            continue
        for where, (bound, *limits) in _entries([values[other] for other in given]):
            limit, other = min(zip(limits, given[1:], strict=True))
            if bound > limit:
                high, low = plain_number(bound), plain_number(limit)
                notes.append(f"{name}{where} = {high} is slack: that norm is never above {other}{where} = {low}")
                break
    return notes


def _entries(values: list[Value]) -> list[tuple[str, tuple[Fraction, ...]]]:
    """Entry by entry, with its place; one value stands for all layers or heads."""
    size = max(len(v) if isinstance(v, list) else 1 for v in values)
    rows = list(zip(*(v if isinstance(v, list) else [v] * size for v in values), strict=False))
    alike = len(set(rows)) == 1
    return [("" if alike else f"[{i}]", row) for i, row in enumerate(rows, 1)]
