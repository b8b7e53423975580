"""Where a bound by norms is below counting: as the width grows and norms stay, and as the (1,1) norm shrinks."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import number, numbers, where

BOUNDS = {"A.17": style.VERMILLION, "4.2.1": style.BLUE, "counting": style.INK}
NAMES = {"A.17": "Edelman et al.\nA.17", "4.2.1": "Trauger, Tewari\n4.2.1", "counting": "counting\nparameters"}
LINES = {"derived": "-", "sharp": "--"}
NEAR = (1e-2, 1e4)  # (1,1) norms, where the two change places
BESIDE = {"d": ((9, -9.5, "left"), (7, -14, "left")), "B": ((-6, 7, "right"), (-3, -16, "left"))}  # names of crossovers


def draw(figure: Any, data: Data) -> None:
    left, right = style.panels(figure, data.question, height=3.8, columns=2, sharey=False)[0]
    for panel, over in ((left, "d"), (right, "B")):
        ends: dict[str, float] = {}
        for bound, color in BOUNDS.items():
            for form, line in LINES.items():
                own = [row for row in where(data.series, over=over, bound=bound, form=form)
                       if over == "d" or NEAR[0] <= number(row["at"]) <= NEAR[1]]  # fmt: skip
                if own:
                    style.law(panel, numbers(own, "at"), numbers(own, "log10"), Look(color, "", line), kind="data")
                    ends[bound] = max(ends.get(bound, -1e9), number(own[-1]["log10"]))
        for row, (x, y, side) in zip(where(data.series, over=over, form="crossover"), BESIDE[over], strict=False):
            at = number(row["at"]), number(row["log10"])
            style.points(panel, at[:1], at[1:], Look(style.ORANGE, "o", filled=False), markersize=10,
                         markeredgewidth=1.6, zorder=4)  # fmt: skip
            panel.annotate(f"{at[0]:,.0f}" if over == "d" else f"{at[0]:.2g}", at, xytext=(x, y), ha=side,
                           textcoords="offset points", fontsize=style.SMALL, fontweight="bold")  # fmt: skip
        panel.set(xscale="log", ylabel="log covering number" if over == "d" else "")
        low, high = panel.get_ylim()
        powers = [n for n in range(-20, 60) if low <= n <= high]
        style.ticks(panel.yaxis, powers[:: max(1, len(powers) // 6)],
                    [style.power(n) for n in powers[:: max(1, len(powers) // 6)]])  # fmt: skip
        style.ends(panel, [(y, NAMES[bound], BOUNDS[bound]) for bound, y in ends.items()])
    left.set(title="Wider, with the norms kept", xlabel="width d")
    right.set(title="By the (1,1) norm, width 64", xlabel="(1,1) norm of every matrix")
    right.set_xlim(*NEAR)
    for panel in (left, right):
        style.decades(panel.xaxis, 1 if panel is left else 2)
    drawn = sorted(where(data.series, over="weights"), key=lambda row: number(row["at"]))
    for row in drawn:
        style.down(right, number(row["at"]), line=":")
        last = row is drawn[-1]
        right.annotate(row["bound"], (number(row["at"]), 0.02), xycoords=("data", "axes fraction"), rotation=90,
                       xytext=(2 if last else -2, 0), textcoords="offset points", ha="left" if last else "right",
                       va="bottom", fontsize=style.SMALL, color=style.MUTED)  # fmt: skip
    style.legend(figure, [
        *(style.sample(Look(style.MUTED, "", line), form) for form, line in LINES.items()),
        style.sample(Look(style.ORANGE, "o", "none", filled=False), "certified crossover", markersize=8),
        style.sample(Look(style.MUTED, "", ":"), "weights that were drawn"),
    ])  # fmt: skip
