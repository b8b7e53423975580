"""Chain of thought beside one pass: samples that bounds ask for, errors under noise, errors of trained networks."""

from __future__ import annotations

from typing import Any

from maurey.paper_tables import style
from maurey.paper_tables.exhibits import Data
from maurey.paper_tables.style import Look
from maurey.paper_tables.tabled import number, numbers, values, where

WAYS = {"chain": Look(style.BLUE, "o", "-"), "single": Look(style.VERMILLION, "s", "-")}
WRONG = {"chain": "chain wrong", "single": "single pass wrong"}
NAMES = {"chain": "bit by bit", "single": "in one pass"}
LINES = {"derived": "-", "sharp": (0, (4, 1.5))}


def draw(figure: Any, data: Data) -> None:
    left, middle, right = style.panels(figure, data.question, height=3.55, columns=3, width_ratios=(1.05, 1, 1.1))[0]
    for way, look in WAYS.items():
        for form, line in LINES.items():
            own = where(data.table, kind=f"{way}, bound", form=form, note="truncated")
            style.curve(left, numbers(own, "T"), numbers(own, "m"), look.but(line=line), markersize=3.5)
    left.set(xscale="log", yscale="log", xlabel="bits T", title="Samples, by bounds")
    style.ticks(left.xaxis, (2, 4, 8, 16))
    style.decades(left.yaxis)
    noisy = where(data.table, kind="noise")
    T = max(values(noisy, "T"), key=int, default="")
    for way, look in WAYS.items():
        own = where(noisy, T=T)
        style.curve(middle, numbers(own, "sigma"), numbers(own, WRONG[way]), look, markersize=3.5)
    middle.set(xscale="log", ylim=(-0.02, 0.62), xlabel=r"noise $\sigma$ on every weight",
               title=f"Constructions, T = {T}" if T else "Constructions")  # fmt: skip
    style.ticks(middle.xaxis, (0.001, 0.01), ("0.001", "0.01"))
    trained = where(data.table, kind="trained")
    for way, look in WAYS.items():
        known = [(n, number(r[WRONG[way]])) for n, r in enumerate(trained) if r[WRONG[way]] != "-"]
        style.points(right, [x for x, _ in known], [y for _, y in known], look.but(line="none"), markersize=5.5,
                     transform=style.beside(right, {"chain": -3.5, "single": 3.5}[way]))  # fmt: skip
    right.places = "x"
    right.set(ylim=(-0.02, 0.62), title="Trained networks", xlabel="bits T", xlim=(-0.5, max(1, len(trained)) - 0.5))
    style.ticks(right.xaxis, range(len(trained)), [r["T"] for r in trained])
    sizes = [r["m"] for r in trained]
    for m in dict.fromkeys(sizes):
        at = [n for n, size in enumerate(sizes) if size == m]
        right.annotate(f"m = {m}", ((at[0] + at[-1]) / 2, 0.85), xycoords=("data", "axes fraction"), ha="center",
                       fontsize=style.SMALL)  # fmt: skip
        if at[0]:
            style.mark(right.axvline(at[0] - 0.5, color=style.FAINT, linewidth=1), "guide")
    for panel in (middle, right):
        style.across(panel, 0.5, "a coin", place=0.02, below=True)
        style.ticks(panel.yaxis, (0, 0.1, 0.2, 0.3, 0.4, 0.5), ("0", "0.1", "0.2", "0.3", "0.4", "0.5"))
    middle.set_ylabel("strings with a wrong answer")
    left.set_ylabel("for an error of 1/2")
    style.legend(figure, [
        *(style.sample(look, NAMES[way]) for way, look in WAYS.items()),
        style.sample(Look(style.MUTED, "", LINES["derived"]), "bound, derived"),
        style.sample(Look(style.MUTED, "", LINES["sharp"]), "bound, sharp"),
    ])  # fmt: skip
