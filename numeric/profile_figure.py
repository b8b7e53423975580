"""A figure of Lipschitz constants, layer by layer, as powers of ten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

BOUND, MEASURED = "#4477aa", "#cc6677"


def figure_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """`rows` as in the JSON of a report: layer, module, log10, and measured_log10 where it was measured."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 1.0 + 0.28 * max(1, len(rows))), layout="constrained")
    axes, places = figure.add_subplot(), range(len(rows))
    names = [f"layer {row['layer']}" if row["layer"] else str(row["module"])[:40] for row in rows]
    axes.barh(places, [float(row["log10"]) for row in rows], color=BOUND, label="bound")
    measured = [(n, float(row["measured_log10"])) for n, row in enumerate(rows) if row.get("measured_log10")]
    if measured:
        axes.scatter([x for _, x in measured], [n for n, _ in measured], color=MEASURED, label="measured", zorder=3)
        axes.legend()
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    axes.set_xlabel("Lipschitz constant, as a power of ten")
    return figure
