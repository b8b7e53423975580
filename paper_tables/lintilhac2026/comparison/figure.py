"""The bounds against the number of samples, and what the audit makes of the one at 10^6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from maurey.paper_tables.accounts import PALETTE
from maurey.verify.papers.lintilhac2026 import hypotheses

if TYPE_CHECKING:
    from . import Curve

STYLES = {"printed": ":", "derived": "-", "sharp": "--"}
NAMES = (
    "PAC-Bayes, truncated",
    "PAC-Bayes, fully analytic",
    "covering, edelman2022/A.17",
    "covering, this architecture",
)
COLOURS = {hypotheses.HOLDS: PALETTE[2], hypotheses.ASSUMED: PALETTE[4], hypotheses.FAILS: PALETTE[1]}


def draw(
    figure: Any, curves: Sequence[Curve], audit: Sequence[hypotheses.Hypothesis], case: hypotheses.Case,
    config: Mapping[str, Any],
) -> None:  # fmt: skip
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    _curves(left, curves, config)
    _audit(right, audit, case)


def _curves(panel: Any, curves: Sequence[Curve], config: Mapping[str, Any]) -> None:
    powers = range(config["over"]["first"], config["over"]["last"] + 1, config["over"]["step"])
    paper, many = config["paper"], config["case"]["m"]
    for curve in curves:
        text = curve.Sigma == config["constants"]["text"]
        if curve.name not in NAMES or (text and curve.form != "printed"):
            continue
        points = [(10**k, float(curve(10**k))) for k in powers]
        shown = [(m, y) for m, y in points if y > 0]
        constant = f", Sigma = {curve.Sigma}" if curve.Sigma else ""
        panel.plot(
            [m for m, _ in shown], [y for _, y in shown], STYLES[curve.form], color=PALETTE[NAMES.index(curve.name)],
            linewidth=2.2 if text else 1.2, label=f"{curve.name}, {curve.form}{constant}",
        )  # fmt: skip
    for value, marker, label in ((paper["truncated"], "o", "truncated"), (paper["semi"], "s", "semi-analytic"),
                                 (paper["covering"], "^", "covering")):  # fmt: skip
        panel.plot(
            [many], [float(value)], marker, color="black", markerfacecolor="none", label=f"the text: {label} {value}"
        )
    panel.axhline(1, color="gray", linewidth=0.8)
    panel.axhline(
        hypotheses.CONSTANT, color="gray", linewidth=0.8, linestyle="--", label="loss of the best constant, 1/4"
    )
    panel.set(xscale="log", yscale="log", ylim=(1e-3, 1e4), xlabel="samples m", ylabel="bound on the risk, or the gap")
    panel.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)
    panel.grid(alpha=0.3)


def _audit(panel: Any, audit: Sequence[hypotheses.Hypothesis], case: hypotheses.Case) -> None:
    rows = [
        ("as stated", float(case.terms.bound), "gray"),
        *((h.name, float(h.bound), COLOURS[h.status]) for h in audit),
    ]
    places = range(len(rows))[::-1]
    panel.barh(places, [value for _, value, _ in rows], color=[colour for *_, colour in rows], left=0)
    for place, (_, value, _) in zip(places, rows, strict=True):
        panel.text(value * 1.05, place, f"{value:.3g}", va="center", fontsize=7)
    panel.set_yticks(list(places), [name for name, *_ in rows], fontsize=8)
    panel.axvline(1, color="gray", linewidth=0.8)
    panel.axvline(hypotheses.CONSTANT, color="gray", linewidth=0.8, linestyle="--")
    panel.set(xscale="log", xlim=(0.1, 30), xlabel="the bound at m = 10^6, this replaced by what was measured")
    for status, colour in COLOURS.items():
        panel.barh([-5], [0], color=colour, label=status)
    panel.set_ylim(-0.8, len(rows) - 0.2)
    panel.legend(fontsize=8, loc="lower right")
