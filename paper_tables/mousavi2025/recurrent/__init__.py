"""Recurrent networks that were constructed: width and norm beside Proposition 6, and what the rectifier of Lemma 26 is
for."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from flint import arb, ctx

from maurey.numeric.evaluation import value
from maurey.numeric.exact import PRECISION, decimal
from maurey.paper_tables.accounts import PALETTE
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.paper_tables.verdicts import Finding
from maurey.verify.papers.mousavi2025.recurrent import solvers
from maurey.verify.papers.mousavi2025.recurrent.lower_bounds import at
from maurey.verify.papers.mousavi2025.recurrent.memory import Kept, accumulated
from maurey.verify.papers.mousavi2025.recurrent.solvers import Exists

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
        notes=[
            "Networks: states are words of a code or points of a grid that stand for all quantised values so far; they "
            "exist by a count in integers. |U| = 1, and all of the steepness is the Lipschitz constant L_f of the "
            f"read-out; the column has its square. {config['bits']} bits for each value; the risk is the quantiser's.",
            "Printed forms with C0 = 1: d_h >= N / log(1 + L_f^2 |U|^2) and |U|^2 >= N / (L_f^2 log(1 + d_h)). "
            "Deterministic: no seed. All numbers but the errors below are certified.",
            f"Rectifier: the transition of Lemma 26 for eps = {config['eps']}; the token asked for comes first, and "
            "then tokens that make the stray output largest, at positions whose vectors have the inner product 1/2 "
            "with that asked for. The error of the last state, with and without the last layer.",
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[*(_network(one) for one in found), *(_error(one) for one in kept)],
        draw=lambda figure: _draw(figure, found, kept),
        figure_size=(13.0, 4.4),
        parameters=config,
        findings=findings,
    )


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


def _draw(figure: Any, found: Sequence[Held], kept: Sequence[Kept]) -> None:
    left, middle, right = figure.subplots(1, 3)
    for n, N in enumerate(dict.fromkeys(one.network.N for one in found)):
        own = sorted((one for one in found if one.network.N == N), key=lambda one: one.network.d_h)
        own = [one for one in own if one.network.d_h > 1]  # whose steepness no axis shows
        with ctx.workprec(PRECISION):
            steep = [float(one.network.squared.log() / arb(10).log()) for one in own]
        left.plot([one.network.d_h / N for one in own], steep, "o-", color=PALETTE[n], markersize=4, label=f"N = {N}")
    left.set_xscale("log")
    left.set_xlabel("width of the state over N")
    left.set_ylabel("log10 of the squared steepness")
    left.set_title("what width costs in steepness", fontsize=9)
    left.legend(fontsize=8)
    widths, norms = _least(found, "widths"), _least(found, "norms")
    middle.loglog(list(widths), list(widths.values()), "o-", color=PALETTE[0], label="d_h over N / log(1 + L²|U|²)")
    middle.loglog(
        list(norms), [10**x for x in norms.values()], "s-", color=PALETTE[1], label="|U|² over N / (L² log(1 + d_h))"
    )
    middle.set_xlabel("tokens N of a prompt")
    middle.set_ylabel("least ratio of the networks to the printed bound")
    middle.set_title("Proposition 6: a constant must stay below", fontsize=9)
    middle.legend(fontsize=8)
    lengths = [one.N for one in kept]
    right.loglog(lengths, [one.plain for one in kept], "s-", color=PALETTE[1], label="without the rectifier")
    right.loglog(lengths, [one.rectified for one in kept], "o-", color=PALETTE[0], label="with it")
    right.axhline(kept[0].eps, color="black", linewidth=0.8, linestyle=":", label="eps")
    right.set_xlabel("tokens N of a prompt")
    right.set_ylabel("error of the last state")
    right.set_title("Lemma 26: errors do not add up", fontsize=9)
    right.legend(fontsize=8)
    for panel in (left, middle, right):
        panel.grid(alpha=0.3)
