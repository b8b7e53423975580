"""Rises against sigma, degree and T, and what rescaling leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from maurey.paper_tables.accounts import MARKERS, PALETTE

if TYPE_CHECKING:
    from . import Cell, Gain


def draw(figure: Any, cells: Sequence[Cell], gains: Sequence[Gain], show: Mapping[str, Any]) -> None:
    (along_sigma, along_degree), (along_T, rescaled) = figure.subplots(2, 2)
    _sigma(along_sigma, [c for c in cells if (c.T, c.omega) == (show["T"], show["omega"])], show)
    _degree(along_degree, [c for c in cells if (c.T, c.sigma) == (show["T"], show["sigma"])], show)
    _length(along_T, [c for c in cells if c.sigma == show["sigma"]], show)
    _rescaled(rescaled, gains)
    for panel in (along_sigma, along_degree, along_T, rescaled):
        panel.grid(alpha=0.3)


def _look(n: int) -> dict[str, Any]:
    return {"color": PALETTE[n % len(PALETTE)], "marker": MARKERS[n % len(MARKERS)], "markersize": 5}


def _sigma(panel: Any, cells: Sequence[Cell], show: Mapping[str, Any]) -> None:
    for n, D in enumerate(sorted({c.D for c in cells})):
        own = sorted((c for c in cells if c.D == D), key=lambda c: c.sigma)
        panel.plot([c.sigma for c in own], [c.relative for c in own], label=f"D = {D}", **_look(n))
        panel.plot([c.sigma for c in own], [c.P["printed"] / c.before.mean() for c in own], ":", color=PALETTE[n])
    panel.set(xscale="log", yscale="log", xlabel=r"$\sigma$", ylabel="largest rise of the trace / trace",
              title=rf"$\omega$ = {show['omega']}, T = {show['T']}; dotted: P of Theorem 17, printed")  # fmt: skip
    panel.legend(fontsize=8)


def _degree(panel: Any, cells: Sequence[Cell], show: Mapping[str, Any]) -> None:
    for n, omega in enumerate(sorted({c.omega for c in cells})):
        own = sorted((c for c in cells if c.omega == omega), key=lambda c: c.D)
        panel.plot([c.D for c in own], [c.rise for c in own], label=rf"$\omega$ = {omega}", **_look(n))
    panel.set(yscale="log", xlabel="degree D", ylabel="largest rise of the trace",
              title=rf"$\sigma$ = {show['sigma']:g}, T = {show['T']}")  # fmt: skip
    panel.set_xticks(sorted({c.D for c in cells}))
    panel.legend(fontsize=8)


def _length(panel: Any, cells: Sequence[Cell], show: Mapping[str, Any]) -> None:
    lengths = sorted({c.T for c in cells})
    places = sorted({(c.omega, c.D) for c in cells if c.T in lengths[-1:]})
    for n, (omega, D) in enumerate(places):
        own = sorted((c for c in cells if (c.omega, c.D) == (omega, D)), key=lambda c: c.T)
        panel.plot([c.T for c in own], [c.rise for c in own], label=rf"$\omega$ = {omega}, D = {D}", **_look(n))
    panel.set(yscale="log", xlabel="bits T", ylabel="largest rise of the trace",
              title=rf"$\sigma$ = {show['sigma']:g}")  # fmt: skip
    panel.set_xticks(lengths)
    low, high = panel.get_ylim()
    panel.set_ylim(low, high * (high / low) ** 0.3)  # room for the names
    panel.legend(fontsize=8, ncols=3, loc="upper center")


def _rescaled(panel: Any, gains: Sequence[Gain]) -> None:
    degrees = [g.D for g in gains]
    panel.plot(degrees, [g.norm for g in gains], label="squared norm", **_look(0))
    panel.plot(degrees, [g.gradient for g in gains], label="mean squared gradient", **_look(1))
    bound = [(g.norm * g.gradient) ** (1 / 3) for g in gains]
    panel.plot(degrees, bound, label="truncated bound", **_look(2))
    for g in gains:
        panel.annotate(rf"$\alpha$ = {g.alpha:.1f}", (g.D, g.norm), fontsize=8, xytext=(0, 6),
                       textcoords="offset points", ha="center")  # fmt: skip
    panel.set(
        xlabel="degree D", ylabel="after rescaling / before", ylim=(0, 1.1), title="appendix D: one scale for both"
    )
    panel.set_xticks(degrees)
    panel.legend(fontsize=8)
