"""Figures 3 and 4: what Gaussian perturbations of all parameters do to the trace of the loss of the construction; and
what rescaling does to its norm and gradient (appendix D)."""

from __future__ import annotations

import importlib
import math
import tomllib
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maurey.numeric.grids import sweep
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.paper_tables.page import Shown
from maurey.paper_tables.verdicts import Finding, here, line
from maurey.symbolic import registry
from maurey.verify.papers.lintilhac2026.network.construction import build, masks
from maurey.verify.papers.lintilhac2026.network.curvature import curvature
from maurey.verify.papers.lintilhac2026.network.noise import crossed, moved, perturbations
from maurey.verify.papers.lintilhac2026.network.rescaling import best_product, of_gradient, of_norm
from maurey.verify.papers.lintilhac2026.network.sharpness import hessian_trace
from maurey.verify.training.tasks.walsh import Target, random_target, values

from .figure import draw

__all__ = ["draw", "make"]

torch: Any = importlib.import_module("torch")

THEOREM, FORMS = "lintilhac2026/17", ("printed", "derived")
FIGURE = "Figures 3 and 4"
PART = 256  # strings at once
Place = tuple[int, int, int, float]  # T, D, omega, sigma
COLUMNS = ["T", "D", "omega", "sigma", "trace before", "largest rise", "over trace", "mean change over trace",
           "crossed", "crossed elsewhere", "P printed", "P derived"]  # fmt: skip


class Cell(NamedTuple):
    """A class of functions at one sigma; changes of the trace, one for each network."""

    T: int
    D: int
    omega: int
    sigma: float
    before: NDArray[np.float64]
    changes: NDArray[np.float64]
    crossed: tuple[float, float]  # pairs of network and string, at positions with and without a component
    P: Mapping[str, float]  # of Theorem 17, by form

    @property
    def rise(self) -> float:
        """The largest over functions and perturbations: the measured P(sigma)."""
        return float(self.changes.max())

    @property
    def relative(self) -> float:
        return float((self.changes / self.before).max())


class Gain(NamedTuple):
    """One scale alpha, at which norm times gradient is least: what is left of each, and where each is least."""

    D: int
    alpha: float
    norm: float
    gradient: float
    best_norm: float
    best_gradient: float


def networks(
    target: Target, z: NDArray, sigma: float, number: int, seed: int, ideal: bool = True, sides: Sequence[int] = (1, -1)
) -> tuple[float, list[float], Any]:
    """The trace before, its change in networks that come in opposite pairs (or on one side), and where units cross
    their kinks."""
    net, mask, bits = build(target), masks(target) if ideal else None, torch.from_numpy(z)
    label = torch.from_numpy(values(target, z))
    before = float(hessian_trace(target, z).mean()) if ideal else curvature(net, bits).loss(label).mean().item()
    changes, crossings = [], []
    for by in sigma * perturbations(net, number, seed):
        for other in (moved(net, side * by) for side in sides):
            changes.append(curvature(other, bits, mask).loss(label).mean().item() - before)
            crossings.append(crossed(net, other, bits, mask, target.omega).double().mean(dim=0))
    return before, changes, torch.stack(crossings).mean(dim=0)


def stated(config: Mapping[str, Any], places: Sequence[Place]) -> list[dict[str, float]]:
    """P of Theorem 17 at each."""
    columns = dict(zip(("T", "D", "omega", "sigma"), map(np.array, zip(*places, strict=True)), strict=True))
    claim = registry.find(THEOREM)
    values = [sweep(claim, form, "P", delta=config["delta"], **columns).value for form in FORMS]
    return [dict(zip(FORMS, map(float, each), strict=True)) for each in zip(*values, strict=True)]


def cell(config: Mapping[str, Any], place: Place, P: Mapping[str, float]) -> Cell:
    """Functions and strings depend on the class alone, so that sigma is all that differs along a curve."""
    T, D, omega, sigma = place
    rng = np.random.default_rng([config["seed"], T, D, omega])
    before, changes, crossings = [], [], []
    for number in range(config["functions"]):
        target, z = random_target(T, D, omega, rng), rng.integers(0, 2, (config["strings"], T))
        trace, change, crossing = networks(target, z, sigma, 1, config["seed"] + number)
        before += [trace] * len(change)
        changes += change
        crossings.append(crossing)
    with_component, without = torch.stack(crossings).mean(dim=0).tolist()
    return Cell(*place, np.array(before), np.array(changes), (with_component, without), P)


def whole(config: Mapping[str, Any], D: int, omega: int) -> tuple[float, float]:
    """The trace of a class over a whole training set, and its largest rise, part by part of the strings."""
    paper = config["paper"]
    rng = np.random.default_rng([config["seed"], paper["T"], D, omega, 1])
    found = []
    for number in range(paper["networks"]):
        target, z = random_target(paper["T"], D, omega, rng), rng.integers(0, 2, (paper["strings"], paper["T"]))
        parts = np.array_split(z, -(-len(z) // PART))
        each = [networks(target, part, paper["sigma"], 1, config["seed"] + number, sides=(1,)) for part in parts]
        weights = [len(part) / len(z) for part in parts]
        found.append([np.dot(weights, values) for values in zip(*((b, c[0]) for b, c, _ in each), strict=True)])
    before, changes = np.array(found).T
    return float(before.mean()), float(changes.max())


def gain(config: Mapping[str, Any], seed: int, D: int) -> Gain:
    rng = np.random.default_rng([seed, D])
    target = random_target(config["T"], D, config["omega"], rng)
    norm, gradient = of_norm(target), of_gradient(target, rng.integers(0, 2, (config["strings"], config["T"])))
    alpha = best_product(norm, gradient)
    first, second = (float(one.at(alpha) / one.at(1.0)) for one in (norm, gradient))
    return Gain(D, alpha, first, second, norm.best, gradient.best)


def settings() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("config.toml").read_text())


def make(progress: Progress) -> Exhibit:
    config = settings()
    work = [
        place for grid in config["grid"] for place in product(*(grid[name] for name in ("T", "D", "omega", "sigma")))
    ]
    classes = config["paper"]["classes"]
    cells, full = [], {}
    for done, (place, P) in enumerate(zip(work, stated(config, work), strict=True)):
        progress(done, len(work) + len(classes))
        cells.append(cell(config, place, P))
    for done, (D, omega) in enumerate(classes):
        progress(len(work) + done, len(work) + len(classes))
        full[D, omega] = whole(config, D, omega)
    gains = [gain(config["rescaling"], config["seed"], D) for D in config["rescaling"]["D"]]
    size = {"run": len(full), "planned": config["paper"]["cells"], "what": "cells"}
    findings = [_below(cells, full, config, size), _small(cells, full, size)]
    return Exhibit(
        title="Lintilhac and Shaikh 2026, Figures 3 and 4: the trace of the loss after Gaussian perturbations",
        question="How much does the trace rise when all weights are perturbed?",
        answer=_answer(cells, config["show"]),
        verdict=_verdict(findings, cells, config["show"], gains),
        caption="Each mark: a class of functions (a degree and a sparsity of 1, 7, 14 or 20), the largest rise of the "
        f"trace over functions and perturbations, T = {config['show']['T']}. The band: P of Theorem 17 as printed, "
        "over the same trace, from the least to the most of these classes. What the paper shows was not recovered in "
        "numbers.",
        shown=Shown(SHOWN, [_shown(c, config) for c in cells if (c.T, c.sigma) == _fixed(config)]),
        notes=[
            f"Scale: {config['functions']} functions of each class (the paper: 10), each with one perturbation of all "
            f"parameters and its opposite, {config['strings']} uniformly random strings; T = 20 with all classes, T = "
            "30, 40, 50 with some. The largest rise over functions is what the paper takes for P(sigma).",
            f"Seed {config['seed']}. The ideal network (masks in place of the leak). Traces are exact: before by "
            "closed formulas, after by 2|grad f|^2 + 2 (f - y) Tr(second derivatives of f), all of it summed over "
            "blocks, nothing estimated; the squared loss averaged over the strings. About 2 minutes on one core.",
            _whole(full, cells, config["paper"]),
            "Crossed: pairs of network and string at which a hidden unit changes between off and on, at positions that "
            "hold a component, and elsewhere. The loss is smooth only where none does: "
            f"{_crossings(cells)}.",
            "Which figure of the paper shows what is inferred. How the rise depends on sigma, degree and sparsity is "
            "not said in our text; one number is, see lintilhac2026/comparison.",
            _with_class(cells, config["show"]),
        ],
        columns=COLUMNS,
        rows=[_row(one) for one in cells],
        parameters=config,
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "degree": "",
    "sparsity": "",
    "trace before": "of the Hessian of the loss, T = 20",
    "largest rise": "over functions and perturbations, sigma = 0.001",
    "over trace": "the largest rise over the trace before, of the same function",
    "P, printed": "what Theorem 17 allows",
    "P, derived": "",
}


def _fixed(config: Mapping[str, Any]) -> tuple[int, float]:
    return config["show"]["T"], config["show"]["sigma"]


def _shown(one: Cell, config: Mapping[str, Any]) -> list[str]:
    _, D, omega, _, before, rise, share, _, _, _, *P = _row(one)
    return [D, omega, before, rise, share, *P]


def _answer(cells: Sequence[Cell], show: Mapping[str, Any]) -> str:
    own = [c for c in cells if show["T"] == c.T]
    told = ", ".join(
        f"{max(c.relative for c in own if c.sigma == sigma):.2g} at sigma = {sigma:g}"
        for sigma in sorted({c.sigma for c in own})
    )
    return f"At most by {told}, as a share of the trace; it grows as sigma itself, and P of Theorem 17 is far above."


def _verdict(
    findings: Sequence[Finding], cells: Sequence[Cell], show: Mapping[str, Any], gains: Sequence[Gain]
) -> list[str]:
    below, small = findings
    last = gains[-1]
    return [
        line(below.text.partition(": ")[2], below),
        line(f"the rise is small relative to the trace before{here(small)}", small),
        _with_sigma(cells),
        f"Rescaling (appendix D): one scale alpha for both leaves, at degree {last.D}, {last.norm:.2f} of the squared "
        f"norm and {last.gradient:.2f} of the gradient (alpha = {last.alpha:.1f})",
    ]


# --- rows ------------------------------------------------------------------------------------------------------------


def _row(one: Cell) -> list[str]:
    changes = one.changes / one.before
    return [str(one.T), str(one.D), str(one.omega), f"{one.sigma:.0E}", f"{one.before.mean():.4g}", f"{one.rise:.3g}",
            f"{one.relative:.2E}", f"{changes.mean():.1E}", f"{one.crossed[0]:.1%}", f"{one.crossed[1]:.1%}",
            *(f"{one.P[form]:.2E}" for form in FORMS)]  # fmt: skip


def _crossings(cells: Sequence[Cell]) -> str:
    told = []
    for sigma in sorted({one.sigma for one in cells}):
        own = [one for one in cells if one.sigma == sigma]
        most = max(own, key=lambda one: one.crossed[0])
        mean = np.mean([one.crossed for one in own], axis=0)
        worst = f" (at most {most.crossed[0]:.1%}, D = {most.D})" if most.crossed[0] else ""
        told.append(f"sigma = {sigma:g}: {mean[0]:.1%}{worst}, elsewhere {mean[1]:.1%}")
    return "; ".join(told)


def _below(
    cells: Sequence[Cell], full: Mapping[tuple[int, int], tuple[float, float]], config: Mapping[str, Any],
    size: Mapping[str, Any],
) -> Finding:  # fmt: skip
    paper = config["paper"]
    values = stated(config, [(paper["T"], D, omega, paper["sigma"]) for D, omega in full])
    rises = [(c.P, c.rise) for c in cells] + list(zip(values, (rise for _, rise in full.values()), strict=True))
    factors = {form: min(P[form] / rise for P, rise in rises if rise > 0) for form in FORMS}
    text = (
        f"{FIGURE}: the rise of the trace is small compared to the theoretical bound on it; here P of Theorem 17 is "
        "larger by factors of at least " + " and ".join(f"{factor:.1e} ({name})" for name, factor in factors.items())
    )
    return Finding(text, min(factors.values()) >= 1, FIGURE, **size,
                   criterion="section 1.1: relatively small compared to our theoretical upper bound; here below it, in "
                   "every cell")  # fmt: skip


def _small(
    cells: Sequence[Cell], full: Mapping[tuple[int, int], tuple[float, float]], size: Mapping[str, Any]
) -> Finding:
    shares = [rise / before for before, rise in full.values()]
    each = {sigma: max(c.relative for c in cells if c.sigma == sigma) for sigma in sorted({c.sigma for c in cells})}
    text = (
        f"{FIGURE}: the rise is small relative to the trace before; here at most "
        + ", ".join(f"{share:.2g} of it at sigma = {sigma:g}" for sigma, share in each.items())
        + f", and {max(shares):.2g} over whole training sets"
    )
    return Finding(text, max(*shares, *each.values()) < 1, FIGURE, **size,
                   criterion="appendix E.3: relatively small relative to the unperturbed sharpness; ours, after "
                   "looking: less than all of it, in every cell", late=True)  # fmt: skip


def _whole(full: Mapping[tuple[int, int], tuple[float, float]], cells: Sequence[Cell], paper: Mapping[str, Any]) -> str:
    few = {(c.D, c.omega): c.rise for c in cells if (c.T, c.sigma) == (paper["T"], paper["sigma"])}
    told = "; ".join(
        f"D = {D}, omega = {omega}: {rise:.3g}" + (f" ({few[D, omega]:.3g})" if (D, omega) in few else "")
        for (D, omega), (_, rise) in full.items()
    )
    return (
        f"At the paper's size, {len(full)} of its {paper['cells']} cells: {paper['strings']} strings, "
        f"{paper['networks']} functions, T = {paper['T']}, sigma = {paper['sigma']:g}; the largest rises are (and over "
        f"few strings, other functions and both sides, as in the table) {told}."
    )


def _with_sigma(cells: Sequence[Cell]) -> str:
    """Between the smallest and the largest sigma of every class."""
    powers = []
    for place in {(c.T, c.D, c.omega) for c in cells}:
        own = sorted((c for c in cells if (c.T, c.D, c.omega) == place), key=lambda c: c.sigma)
        first, last = own[0], own[-1]
        if first.rise > 0 and last.rise > 0:
            powers.append(math.log(last.rise / first.rise) / math.log(last.sigma / first.sigma))
    return (
        "The rise grows about as sigma, not as its square: between the ends as sigma to the powers "
        f"{min(powers):.2f} to {max(powers):.2f}"
    )


def _with_class(cells: Sequence[Cell], show: Mapping[str, Any]) -> str:
    """From the lowest to the highest degree at every sparsity, and the other way round."""
    own = {(c.D, c.omega): c.rise for c in cells if (c.T, c.sigma) == (show["T"], show["sigma"])}
    degrees, sparsities = ([f(x[i] for x in own) for f in (min, max)] for i in (0, 1))
    ups = {w: own[degrees[1], w] > own[degrees[0], w] for w in {w for _, w in own}}
    more = {D: own[D, sparsities[1]] > own[D, sparsities[0]] for D in {D for D, _ in own}}
    return (
        f"From the lowest degree to the highest the rise grows at {sum(ups.values())} of {len(ups)} sparsities, from "
        f"the lowest sparsity to the highest at {sum(more.values())} of {len(more)} degrees (sigma = "
        f"{show['sigma']:g}, T = {show['T']})."
    )
