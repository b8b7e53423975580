"""Recurrent networks that were constructed: width and norm beside Proposition 6, and what the rectifier of Lemma 26 is
for."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from flint import arb, ctx

from maurey.numeric.evaluation import value
from maurey.numeric.exact import PRECISION, decimal
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.paper_tables.page import Shown
from maurey.paper_tables.verdicts import Finding, line
from maurey.verify.papers.mousavi2025.recurrent import solvers
from maurey.verify.papers.mousavi2025.recurrent.lower_bounds import at
from maurey.verify.papers.mousavi2025.recurrent.memory import Kept, accumulated
from maurey.verify.papers.mousavi2025.recurrent.solvers import Exists

from .figure import draw

__all__ = ["draw", "make"]

KEY = "mousavi2025/6"
COLUMNS = ["kind", "N", "d_h", "steepness", "risk", "printed width", "d_h over printed", "derived width",
           "printed norm", "norm over printed", "error, rectified", "error, plain", "how"]  # fmt: skip
CONSTANT = 10.0  # a ratio that falls by more over the lengths has no constant below it
FALLS = f"the paper has a constant below the ratio at all N; ours: none, if the ratio falls by a factor of {CONSTANT:g}"


@dataclass(frozen=True)
class Held:
    """A network, and what Proposition 6 says of it; |U| = 1, so that its squared norm is 1."""

    network: Exists
    width: arb  # printed, C0 = 1
    derived: arb
    norm: arb  # printed: of |U|^2, C0 = 1

    @property
    def widths(self) -> float:
        with ctx.workprec(PRECISION):
            return float(self.network.d_h / self.width)

    @property
    def norms(self) -> float:
        with ctx.workprec(PRECISION):
            return float((1 / self.norm).log() / arb(10).log())


def held(network: Exists) -> Held:
    point = at(network)
    return Held(network, *(value(KEY, form, part, point) for part, form in
                           (("width", "printed"), ("width", "derived"), ("norm", "printed"))))  # fmt: skip


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    total = len(config["N"]) + len(config["lengths"])
    found: list[Held] = []
    kept: list[Kept] = []
    for done, N in enumerate(config["N"]):
        progress(done, total)
        found += map(held, solvers.table((N,), config["bits"]))
    for done, N in enumerate(config["lengths"], len(config["N"])):
        progress(done, total)
        kept += accumulated(config["eps"], (N,))
    findings = [_widths(found), _norms(found), _errors(kept)]
    return Exhibit(
        title="Mousavi-Hosseini et al. 2025: recurrent networks that were constructed, beside Proposition 6",
        question="Are the lower bounds of Proposition 6 true up to a constant?",
        answer=_answer(found),
        verdict=[line(text, one) for text, one in zip(SAYS, findings, strict=True)],
        caption="Each network that was constructed, its width and the squared norm of its read-in over the printed "
        "lower bounds with C0 = 1. If the ratio of the smallest falls without end as prompts get longer, there is no "
        "constant.",
        shown=Shown(SHOWN, [_shown(found, N) for N in config["N"]]),
        notes=[
            "Networks: states are words of a code or points of a grid that stand for all quantised values so far; they "
            "exist by a count in integers. |U| = 1, and all of the steepness is the Lipschitz constant L_f of the "
            f"read-out; the column has its square. {config['bits']} bits for each value; the risk is the quantiser's.",
            "Printed forms with C0 = 1: d_h >= N / log(1 + L_f^2 |U|^2) and |U|^2 >= N / (L_f^2 log(1 + d_h)). "
            "Deterministic: no seed. All numbers but the errors below are certified.",
            f"Rectifier, in the CSV: the transition of Lemma 26 for eps = {config['eps']}; the token asked for comes "
            "first, and then tokens that make the stray output largest, at positions whose vectors have the inner "
            "product 1/2 with that asked for. The error of the last state, with and without the last layer: from "
            f"N = {kept[0].N} to {kept[-1].N}, {kept[0].rectified:.3f} to {kept[-1].rectified:.3f} with it, and "
            f"{kept[0].plain:.3f} to {kept[-1].plain:.3g} without.",
        ],
        columns=COLUMNS,
        rows=[*(_network(one) for one in found), *(_error(one) for one in kept)],
        parameters=config,
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SAYS = (
    "a constant stays below the width over N / log(1 + L_f^2 |U|^2)",
    "a constant stays below the squared norm over N / (L_f^2 log(1 + d_h))",
    "Lemma 26: the rectifier keeps errors at most eps at every length; without it they add up",
)
SHOWN = {
    "N": "tokens of a prompt",
    "least width over printed": "of the networks of this length",
    "width of that network": "",
    "least norm over printed": "",
    "width of the network of that norm": "",
}


def _shown(found: Sequence[Held], N: int) -> list[str]:
    own = [one for one in found if one.network.N == N]
    width, norm = min(own, key=lambda one: one.widths), min(own, key=lambda one: one.norms)
    sizes = f"{width.widths:.3g}", f"{10**norm.norms:.3g}"
    return [f"{N:,}", sizes[0], f"{width.network.d_h:,}", sizes[1], f"{norm.network.d_h:,}"]


def _answer(found: Sequence[Held]) -> str:
    widths, norms = (list(_least(found, name).items()) for name in ("widths", "norms"))
    (first, a), (last, b) = widths[0], widths[-1]
    return (
        f"From N = {first:,} to {last:,} the least width over what is printed goes from {a:.2f} to {b:.2f}, the least "
        f"squared norm from {10 ** norms[0][1]:.1f} to {10 ** norms[-1][1]:.2f}."
    )


# --- findings --------------------------------------------------------------------------------------------------------


def _least(found: Sequence[Held], name: str) -> dict[int, float]:
    """Of the networks of each length."""
    lengths = dict.fromkeys(one.network.N for one in found)
    return {N: min(getattr(one, name) for one in found if one.network.N == N) for N in lengths}


def _widths(found: Sequence[Held]) -> Finding:
    least = list(_least(found, "widths").items())
    (first, a), (last, b) = least[0], least[-1]
    text = (
        f"Proposition 6, width: d_h is at least a constant times N / log(1 + L_f^2 |U|^2). The least d_h over that is "
        f"{a:.3g} at N = {first} and {b:.3g} at N = {last}; a fall by {CONSTANT:g} would speak against a constant"
    )
    return Finding(text, b * CONSTANT > a, criterion=FALLS)


def _norms(found: Sequence[Held]) -> Finding:
    least = list(_least(found, "norms").items())
    (first, a), (last, b) = least[0], least[-1]
    text = (
        f"Proposition 6, norm: |U|^2 is at least a constant times N / (L_f^2 log(1 + d_h)). The least |U|^2 over that "
        f"is {10**a:.3g} at N = {first} and {10**b:.3g} at N = {last}, by codes, whose steepness need not grow with N"
    )
    return Finding(text, 10 ** (a - b) < CONSTANT, criterion=FALLS)


def _errors(kept: Sequence[Kept]) -> Finding:
    first, last = kept[0], kept[-1]
    text = (
        f"Lemma 26: the rectifier keeps errors at most eps = {last.eps:g} at every length; without it they may add up. "
        f"From N = {first.N} to {last.N}, {first.rectified:.3f} to {last.rectified:.3f} with it, and "
        f"{first.plain:.3f} to {last.plain:.3g} without"
    )
    return Finding(text, all(one.rectified <= one.eps for one in kept) and last.plain > last.eps)


def _network(one: Held) -> list[str]:
    with ctx.workprec(PRECISION):
        ratio = decimal(1 / one.norm)
    numbers = [short(decimal(x)) for x in (one.network.squared, one.network.error, one.width)]
    width = [f"{one.widths:.3g}", short(decimal(one.derived)), short(decimal(one.norm)), short(ratio)]
    how = one.network.how.replace("^", " to the power ")
    return ["network", str(one.network.N), str(one.network.d_h), *numbers, *width, "-", "-", how]


def short(text: str) -> str:
    """Three digits of a decimal of any size."""
    x = Decimal(text)
    return f"{x:.2E}" if x and not -3 <= x.adjusted() <= 3 else f"{float(x):.4g}"


def _error(one: Kept) -> list[str]:
    return ["error", str(one.N), *["-"] * 8, f"{one.rectified:.4f}", f"{one.plain:.4f}", f"eps = {one.eps:g}"]
