"""One attention head and its variants: 4.4, A.11 and A.12 as printed (with C0 = 1), derived and sharp."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path

from maurey.numeric.balls import enclose
from maurey.paper_tables.exhibits import Exhibit, Progress, Series
from maurey.paper_tables.page import Shown
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim

from .figure import draw

__all__ = ["draw", "make"]

CLAIMS = {"4.4": "one head", "A.11": "with positions", "A.12": "several heads"}
FORMS = ("printed", "derived", "sharp")


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    points = [(axis, x, number) for axis, xs in config["sweep"].items() for x in xs for number in CLAIMS]
    points = [(axis, x, n) for axis, x, n in points if axis in {p.name for p in _claim(n).symbols}]
    values: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    rows = []
    for done, (axis, x, number) in enumerate(points):
        progress(done, len(points))
        at = config["point"] | {axis: x}
        own = {p.name: at[p.name] for p in _claim(number).symbols if p.name in at}
        found = [enclose(_claim(number), f, digits=config["digits"], **own).value for f in FORMS]
        for form, value in zip(FORMS, found, strict=True):
            values.setdefault((axis, number, form), []).append((float(x), float(value)))
        printed, derived, sharp = (float(v) for v in found)
        rows.append([axis, str(x), number, *(f"{v:.5E}" for v in found), f"{derived / printed:.4g}",
                     f"{derived / sharp:.4g}"])  # fmt: skip
    fixed = ", ".join(f"{k} = {v}" for k, v in config["point"].items())
    return Exhibit(
        title="Edelman et al. 2022, one attention head: 4.4, A.11 and A.12 over T, d, H and m",
        question="How does the bound on one attention head grow with context and width?",
        answer=_answer(values),
        verdict=_verdict(values),
        caption="Left: from T = 16 on, divided by the value there; a straight line is a logarithm. Right: in the "
        "width, logarithmic on both axes. Printed forms with C0 = 1; they coincide on the left.",
        shown=Shown(SHOWN, [_shown(values, axis, number) for axis, number in
                            dict.fromkeys((axis, number) for axis, number, _ in values)]),
        notes=[
            f"Log covering number. Around the point {fixed}; printed with C0 = 1; equal bounds for all heads.",
            f"Deterministic: no seed. Every number certified to {config['digits']} digits, {3 * len(points)} of them.",
            "The paper states these bounds up to a constant and hidden logarithms; it shows no numbers for them.",
            "All norms are 1 here, so factors in which printed forms differ by a norm (4.4 and B_X) do not show.",
            "A growth exponent is that between the last two points of a range; the paper hides logarithms of "
            "everything but m and T, and one logarithm adds 1/log x to the exponent at x.",
        ],
        columns=["axis", "at", "claim", *FORMS, "derived/printed", "derived/sharp"],
        rows=rows,
        series=Series(["claim", "T", *FORMS], list(_relative(values))),
        parameters=config,
    )  # fmt: skip


# --- the page --------------------------------------------------------------------------------------------------------

Curves = dict[tuple[str, str, str], list[tuple[float, float]]]
SHOWN = {
    "claim": "",
    "in": "the parameter that grows, to the end of its range",
    "exponent, printed": "growth exponent of the form at that end",
    "derived": "",
    "sharp": "",
    "derived over printed": "the factor between the forms there, C0 = 1",
    "derived over sharp": "",
    "agrees": "the derived exponent is at most the printed one, and one hidden logarithm where the paper hides it",
}


def _relative(values: Curves) -> Iterator[list[str]]:
    """Over the value at the shortest length."""
    for number in CLAIMS:
        curves = [values["T", number, form] for form in FORMS]
        for at in zip(*curves, strict=True):
            grown = (f"{y / curve[0][1]:.5f}" for (_, y), curve in zip(at, curves, strict=True))
            yield [number, f"{at[0][0]:.0f}", *grown]


def _shown(values: Curves, axis: str, number: str) -> list[str]:
    curves = [values[axis, number, form] for form in FORMS]
    last = [curve[-1][1] for curve in curves]
    ratios = [f"{last[1] / last[0]:.3g}", f"{last[1] / last[2]:.1E}"]
    word = {True: "yes", False: "no"}[_agrees(values, axis, number)]
    return [number, f"{axis} to {curves[0][-1][0]:,.0f}", *(f"{_slope(curve):.3f}" for curve in curves), *ratios, word]


def _answer(values: Curves) -> str:
    first, last = values["T", "A.12", "printed"][0][0], values["T", "A.12", "printed"][-1][0]
    grown = {form: [values["T", n, form][-1][1] / values["T", n, form][0][1] for n in CLAIMS] for form in FORMS}
    told = ", ".join(
        f"{form} {min(own):.2f}" + (f" to {max(own):.2f}" if f"{min(own):.2f}" != f"{max(own):.2f}" else "")
        for form, own in grown.items()
    )
    width = ", ".join(f"{form} {_slope(values['d', 'A.12', form]):.2f}" for form in FORMS)
    return (
        f"{last / first:,.0f} times the context costs factors of {told}; in the width the exponents are {width} (A.12)."
    )


def _verdict(values: Curves) -> list[str]:
    known = dict.fromkeys((axis, number) for axis, number, _ in values)
    agree = [_agrees(values, *one) for one in known]
    word = "agrees" if all(agree) else "disagrees"
    heads = ", ".join(f"{form} {_slope(values['H', 'A.12', form]):.2f}" for form in FORMS)
    last = [values["d", "A.12", form][-1][1] for form in FORMS]
    return [
        f"**{word}**: {sum(agree)} of {len(agree)} derived growth exponents are at most those printed, and what one "
        "hidden logarithm allows",
        f"In the number of heads the exponents are {heads} (A.12)",
        f"The constants that are hidden come to a factor of about {last[1] / last[0]:.0f} for A.12 along the proof, "
        f"and to {last[2] / last[0]:.2g} in the sharp form (d = 1024)",
    ]


def _claim(number: str) -> Claim:
    return registry.find(f"edelman2022/{number}")


def _slope(curve: list[tuple[float, float]]) -> float:
    """Growth exponent between the last two points."""
    (x0, y0), (x1, y1) = curve[-2:]
    return math.log(y1 / y0) / math.log(x1 / x0)


def _agrees(values: Curves, axis: str, number: str) -> bool:
    printed, derived = (_slope(values[axis, number, form]) for form in FORMS[:2])
    hidden = 0.0 if axis in "mT" else 1 / math.log(values[axis, number, "printed"][-1][0])
    return derived - printed <= hidden
