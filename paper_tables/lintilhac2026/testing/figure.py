"""Reported against true levels, degrees of Boolean functions, free positions, and products that pass as constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from maurey.paper_tables.accounts import MARKERS, PALETTE

if TYPE_CHECKING:
    from . import Found, Level


def draw(figure: Any, found: Found) -> None:
    (first, second), (third, fourth) = figure.subplots(2, 2)
    _levels(first, [level for level in found.levels if level.kind == "degree"], f"degree, T = {found.T}")
    _levels(second, [level for level in found.levels if level.kind == "sparsity"], f"sparsity, T = {found.T}")
    for n, (r, levels) in enumerate(found.free.items()):
        look = {"color": "gray", "capsize": 3, "markersize": 5, "label": "equal coefficients, by r" if n == 0 else None}
        place = found.freed + 0.45 * (n - (len(found.free) - 1) / 2)
        second.errorbar(place, np.mean(levels), yerr=np.std(levels, ddof=1), fmt="x", **look)
        second.annotate(f"{r}", (place, np.mean(levels)), xytext=(4, 4), textcoords="offset points", fontsize=6)
    second.legend(fontsize=8)
    _booleans(third, found)
    _products(fourth, found)


def _levels(panel: Any, levels: Sequence[Level], title: str) -> None:
    true = sorted({level.true for level in levels})
    panel.plot([0, true[-1]], [0, true[-1]], ":", color="black", linewidth=1, label="as it is")
    cases = list(dict.fromkeys(level.eps for level in levels))
    for n, eps in enumerate(cases):
        own = [[level.found for level in levels if level.true == x and level.eps == eps] for x in true]
        label = f"reported, eps = {eps}" if eps != "-" else "reported"
        beside = [x + 0.1 * (2 * n - len(cases) + 1) for x in true]
        spread = [np.std(y, ddof=1) for y in own]
        panel.errorbar(beside, [np.mean(y) for y in own], yerr=spread, fmt=f"{MARKERS[n]}-", color=PALETTE[n],
                       capsize=3, markersize=5, label=label)  # fmt: skip
    panel.set_xticks(true)
    panel.set_xlabel(f"true {levels[0].kind}")
    panel.set_ylabel("first accepted level, mean and standard deviation")
    panel.set_title(title, fontsize=9)
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)


def _booleans(panel: Any, found: Found) -> None:
    rows = range(len(found.booleans))
    for n, (label, values) in enumerate((
        ("degree over GF(2)", [one.algebraic for one in found.booleans]),
        ("Fourier degree", [one.degree for one in found.booleans]),
        ("reported degree", [one.found[0] for one in found.booleans]),
    )):  # fmt: skip
        look = {"markersize": (6, 9, 5)[n], "markerfacecolor": "none" if n == 1 else PALETTE[n]}
        panel.plot(values, rows, ("s", "o", "x")[n], color=PALETTE[n], label=label, **look)
    panel.set_yticks(
        rows, [f"{one.name}\n{one.sparsity} component{'s' * (one.sparsity > 1)}" for one in found.booleans], fontsize=7
    )
    panel.set_ylim(len(found.booleans) - 0.5, -0.7)
    panel.set_xlabel("degree")
    panel.set_title("Boolean functions: degrees over GF(2) and of the spectrum", fontsize=9)
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)


def _products(panel: Any, found: Found) -> None:
    degrees = [one.d for one in found.products]
    panel.plot(degrees, [one.exact for one in found.products], "-", color=PALETTE[0], label="exactly")
    panel.plot(degrees, [one.accepted for one in found.products], "o", color=PALETTE[1], label="measured")
    single = [float((1 - one.hit) ** one.trials) for one in found.products]
    panel.plot(degrees, single, "--", color=PALETTE[2], label="one component of this degree")
    panel.axhline(float(found.doubt), color="black", linestyle=":", linewidth=1, label="1 - confidence")
    panel.set_xticks(degrees, [f"{d}\n{2**d} components" for d in degrees], fontsize=8)
    panel.set_xlabel("degree of a product of sums of two signs")
    panel.set_ylabel("probability to pass as a constant")
    panel.set_title("components of equal size cancel", fontsize=9)
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)
