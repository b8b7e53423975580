"""Figure 2: norm and sharpness of learned networks beside those of the construction for the same function.

Theorem 2 speaks of learned networks that the construction dominates: none of the two may be larger than its own. The
runs are those of lintilhac2026/gap.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.lintilhac2026 import runs
from maurey.paper_tables.lintilhac2026.runs import Place, size, together, variant_of, within
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import student
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.trained import plan as planned
from maurey.paper_tables.verdicts import Finding, here, line
from maurey.verify.training.tasks.walsh import Target
from maurey.verify.training.trials.keys import Job, key

from .figure import draw

__all__ = ["draw", "plan", "render"]

SHARES = ("lintilhac2026/gap",)
QUANTITIES = {"norm": 0, "trace": 1}  # places in what a pair says
NARROW, WIDE = 0.5, 1.0  # orders of magnitude either way, for what is roughly so many of them
COLUMNS = [
    "variant", "degree", "sparsity", "function", "converged", "squared norm learned", "at the start", "constructed",
    "ratio of norms", "trace learned", "its interval", "of gradients", "of residuals", "trace constructed",
    "ratio of traces",
    "dominated",
]  # fmt: skip


OTHERS: Mapping[str, Callable[[str], bool]] = {
    "script": lambda variant: variant == "script",
    "scale": lambda variant: variant.startswith("scale"),
}


def plan(scale: Mapping[str, Any]) -> list[Job]:
    return planned(SHARES[0], scale["of"])


@dataclass(frozen=True)
class Pair:
    """A learned network and the construction."""

    outcome: Outcome

    @cached_property
    def target(self) -> Target:
        record = self.outcome.record
        return Target(self.outcome.config.T, tuple(map(tuple, record["components"])), tuple(record["coefficients"]))

    @property
    def norm(self) -> float:
        return math.fsum(self.outcome.record["norms"].values())

    @property
    def trace(self) -> float:
        return float(self.outcome.record["gradient"] + self.outcome.record["residual"])

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of the trace, which random directions leave open."""
        half = student(self.outcome.config.probes - 1) * float(self.outcome.record["residual_error"])
        return self.trace - half, self.trace + half

    @cached_property
    def built_norm(self) -> float:
        from maurey.verify.papers.lintilhac2026.network import sharpness

        return float(sharpness.norms(self.target).total)

    @cached_property
    def built_trace(self) -> float:
        """The mean over the same training strings."""
        config = self.outcome.config
        from maurey.verify.papers.lintilhac2026.network import sharpness
        from maurey.verify.training.tasks.parities import drawn

        tokens, _ = drawn(config, key(config, self.outcome.trial), "training", config.m)
        return float(sharpness.hessian_trace(self.target, tokens[:, : config.T]).mean())

    @property
    def ratios(self) -> tuple[float, float | None]:
        """Of the norms (not squared), and of the traces, if that learned is surely positive."""
        traces = self.built_trace / self.trace if self.interval[0] > 0 else None
        return math.sqrt(self.built_norm / self.norm), traces

    @property
    def dominated(self) -> tuple[bool, bool | None]:
        """In norm, and in trace, if its interval decides that."""
        low, high = self.interval
        return (
            self.norm <= self.built_norm,
            True if high <= self.built_trace else False if low > self.built_trace else None,
        )


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    pairs = [Pair(o) for cell in runs.cells_of(outcomes) for o in cell.runs]
    text = [pair for pair in pairs if variant_of(pair.outcome) == "text"]
    jobs = plan(scale)
    planned = Counter((variant_of(job), job.config.D, job.config.omega) for job in jobs)
    findings = _findings(pairs, expected, planned)
    return Exhibit(
        title="Lintilhac and Shaikh 2026, Figure 2: norm and sharpness, learned and constructed",
        question="Does the construction dominate the networks that were learned?",
        answer=_answer(text),
        verdict=_verdict(findings),
        caption="The construction's norm and trace over those of the network that learned the same function: small "
        "marks are fitted functions, large ones geometric means of a class (a degree and a sparsity). Classes without "
        "a mark have no function that was fitted within its epochs. Diamonds: the ratio in a training log of the "
        "authors, of an earlier version.",
        shown=Shown(SHOWN, _shown(text)),
        notes=[
            *runs.account(scale, jobs, outcomes),
            runs.VARIANTS,
            "The runs are those of lintilhac2026/gap. Norms are of all parameters that are learned, or that the "
            "construction has (exact formulas). Traces are of the Hessian of the mean squared loss over the training "
            "strings: of the construction by exact formulas, with exact attention; of a learned network 2 mean |grad "
            "f|², exact, by the gradient of every string, plus 2 mean (f - y) Tr grad² f, estimated along random "
            "directions (95 % interval). Where that interval reaches down to 0 there is no ratio, and no mark in the "
            "figure.",
            "The two networks are not of one size: the learned one has 42,188 parameters, the construction "
            "between 1,800 and 2,600. A learned norm contains what the initial weights were: the CSV has the norm at "
            "the start.",
        ],
        columns=COLUMNS,
        rows=[_row(pair) for pair in pairs],
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "degree": "",
    "sparsity": "",
    "fitted": "functions, of those that were run",
    "norm": "constructed over learned: the mean of logarithms, and the least and the most",
    "larger norm": "functions for which the construction's is larger",
    "trace": "the same of the trace of the Hessian",
    "larger trace": "",
}


def _shown(pairs: Sequence[Pair]) -> list[list[str]]:
    """By class."""
    rows = []
    for (D, omega), own in sorted(by_class(pairs).items(), key=lambda one: one[0][::-1]):
        fitted = [pair for pair in own if pair.outcome.record["converged"]]
        cells = []
        for place in QUANTITIES.values():
            ratios = logs(fitted, place)
            middle = math.fsum(ratios) / len(ratios) if ratios else 0.0
            span = f"{10**middle:.3g} ({10 ** min(ratios):.3g} to {10 ** max(ratios):.3g})" if ratios else "-"
            cells += [span, f"{sum(pair.dominated[place] is True for pair in fitted)}" if fitted else "-"]
        rows.append([str(D), str(omega), f"{len(fitted)} of {len(own)}", *cells])
    return rows


def _answer(text: Sequence[Pair]) -> str:
    fitted = [pair for pair in text if pair.outcome.record["converged"]]
    if not fitted:
        return "No function was fitted."
    norm, trace = (sum(pair.dominated[place] is True for pair in fitted) for place in QUANTITIES.values())
    mean = [10 ** (math.fsum(own) / len(own)) for place in QUANTITIES.values() if (own := logs(fitted, place))]
    told = f", in the mean {mean[1]:.3g} times as large, and in norm" if len(mean) > 1 else ", and in norm"
    return f"In trace for {trace} of {len(fitted)} fitted functions{told} for {norm} of them" + (
        f", in the mean {mean[0]:.2g} times as large." if mean else "."
    )


SAYS = {  # how findings begin, and what they say together
    "Figure 2a": "the construction's trace is higher, at each degree and sparsity (Figure 2a)",
    "Figure 2b": "its norm is higher (Figure 2b); our choice of initial weights can turn this",
    "Remark 3": "norm and trace are lower in learned networks by roughly two orders of magnitude (Remark 3)",
    "Theorem 2": "norm and trace are dominated for every function, which Theorem 2 needs",
}


def _verdict(findings: Sequence[Finding]) -> list[str]:
    """What is found against a log of the authors and of initial weights is in the provenance."""
    own = {text: [one for one in findings if one.text.startswith(start)] for start, text in SAYS.items()}
    return [line(text + here(these[0]) * (len(these) == 1), *these) for text, these in own.items() if these]


# --- findings --------------------------------------------------------------------------------------------------------


def _row(pair: Pair) -> list[str]:
    record, config = pair.outcome.record, pair.outcome.config
    start = [variant_of(pair.outcome), str(config.D), str(config.omega), str(pair.outcome.trial)]
    start.append("yes" if record["converged"] else "no")
    norms = [f"{pair.norm:.1f}", f"{record['start_norm']:.1f}", f"{pair.built_norm:.1f}"]
    low, high = pair.interval
    traces = [f"{pair.trace:.1f}", f"{low:.1f} to {high:.1f}", f"{record['gradient']:.1f}", f"{record['residual']:.2f}"]
    norm, trace = ("-" if ratio is None else f"{ratio:.3g}" for ratio in pair.ratios)
    words = {True: "yes", False: "no", None: "undecided"}
    told = f"norm {words[pair.dominated[0]]}, trace {words[pair.dominated[1]]}"
    return [*start, *norms, norm, *traces, f"{pair.built_trace:.1f}", trace, told]


def _findings(pairs: Sequence[Pair], expected: Mapping[str, Any], planned: Counter[Place]) -> list[Finding]:
    fitted = [pair for pair in pairs if pair.outcome.record["converged"]]
    text = [pair for pair in fitted if variant_of(pair.outcome) == "text"]
    script, scaled = ([p for p in fitted if wanted(variant_of(p.outcome))] for wanted in OTHERS.values())
    logged = planned["script", expected["earlier"]["D"], expected["earlier"]["omega"]]
    ablation = _initial(text, scaled, sum(n for (own, *_), n in planned.items() if OTHERS["scale"](own)))
    others = [ablation, *(_of_the_log(script, name, expected, logged) for name in QUANTITIES)]
    if not text:
        none = [
            Finding("No function was fitted", None, of, **size([], expected)) for of in expected["figures"].values()
        ]
        return [*none, *others]
    late = [p.outcome for p in pairs if not p.outcome.record["converged"] and variant_of(p.outcome) == "text"]
    counts = size([pair.outcome for pair in text], expected, late)
    norm, trace = (_higher(text, name, expected, counts, bool(ablation.agrees)) for name in QUANTITIES)
    return [trace, norm, *(_factor(text, name, expected, counts) for name in QUANTITIES),
            _both(text, norm.agrees, counts), *others]  # fmt: skip


def by_class(pairs: Sequence[Pair]) -> dict[tuple[int, int], list[Pair]]:
    found: dict[tuple[int, int], list[Pair]] = {}
    for pair in pairs:
        found.setdefault((pair.outcome.config.D, pair.outcome.config.omega), []).append(pair)
    return found


def logs(pairs: Sequence[Pair], place: int) -> list[float]:
    return [math.log10(ratio) for pair in pairs if (ratio := pair.ratios[place]) is not None]


def sides(pairs: Sequence[Pair]) -> set[bool]:
    """Whether the norm of the construction is above, below, or both."""
    return {pair.dominated[0] for pair in pairs}


def starts_above(pair: Pair) -> bool:
    """Whether the initial weights alone have a larger norm than the construction."""
    return bool(pair.outcome.record["start_norm"] > pair.built_norm)


def _higher(
    pairs: Sequence[Pair], name: str, expected: Mapping[str, Any], counts: Mapping[str, Any], turned: bool
) -> Finding:
    """Class by class, by the mean of the logarithms of the ratios."""
    place, figure = QUANTITIES[name], expected["figures"][name]
    answers = []
    for own in by_class(pairs).values():
        ratios, sure = logs(own, place), all(p.dominated[place] for p in own if p.ratios[place] is None)
        answers.append(within(runs.interval(ratios), 0, math.inf) if ratios and sure else None)
    agrees, known = together(answers), [pair.dominated[place] for pair in pairs]
    text = (
        f"{figure}: {expected[name]}, at each degree and sparsity; here in {answers.count(True)} of {len(answers)} "
        f"classes with fitted functions, for {known.count(True)} of {len(known)} of these"
    )
    lower = [pair for pair in pairs if not pair.dominated[place]]
    if place == 0 and agrees is False:
        decided = all(map(starts_above, lower))
        text += f"; {sum(map(starts_above, lower))} of the other {len(lower)} have larger weights before training"
        text += "; smaller initial weights, our choice, turn it" if turned else ""
        agrees = None if decided or turned else False
    return Finding(
        text, agrees, figure, **counts,
        criterion="section 2.2: significantly higher, for each degree and sparsity; here the 95 % interval of a class "
        "mean of log ratios is above 0; undecided if our initial weights turn it",
    )  # fmt: skip


def _factor(pairs: Sequence[Pair], name: str, expected: Mapping[str, Any], counts: Mapping[str, Any]) -> Finding:
    """Roughly: within half an order of magnitude it agrees, beyond a whole one it does not."""
    place, factor = QUANTITIES[name], expected["factor"]
    ratios = logs(pairs, place)
    text = f"Remark 3: the {name} learned is lower by roughly two orders of magnitude; here"
    if not ratios:
        return Finding(f"{text} no ratio is sure", None, **counts)
    found = runs.interval(ratios)
    agrees = within(found, math.log10(factor) - NARROW, math.log10(factor) + NARROW)
    if agrees is False and within(found, math.log10(factor) - WIDE, math.log10(factor) + WIDE) is not False:
        agrees = None
    middle, low, high = (10**x for x in found)
    text += (
        f" by a factor of {10 ** min(ratios):.2g} to {10 ** max(ratios):.3g}, in the mean of logarithms "
        f"{runs.words((middle, low, high), '.3g')}"
    )
    shares = sorted(pair.outcome.record["start_norm"] / pair.norm for pair in pairs)
    if place == 0 and (share := shares[len(shares) // 2]) > 0.5:
        text += f"; the median share of the initial weights, which are ours, in the squared norm is {share:.2f}"
        agrees = None if agrees is False else agrees
    return Finding(
        text, agrees, **counts,
        criterion="ours, after looking: within half an order of magnitude it agrees, beyond a whole one it does not; "
        "undecided where a norm is mostly that of our initial weights", late=True,
    )  # fmt: skip


def _both(pairs: Sequence[Pair], norm: bool | None, counts: Mapping[str, Any]) -> Finding:
    both = sum(all(pair.dominated) for pair in pairs)
    text = (
        "Theorem 2 needs norm and trace to be dominated, the trace also after perturbations, and no loss at all; here "
        f"norm and trace are, as they stand, for {both} of {len(pairs)} fitted functions"
    )
    agrees = True if both == len(pairs) else None if norm is None else False
    return Finding(text, agrees, **counts, criterion="Theorem 2, for every function; the norm as in Figure 2b")


def _initial(text: Sequence[Pair], scaled: Sequence[Pair], planned: int) -> Finding:
    """Classes in which the norm of the construction is below all that were learned, and with smaller initial weights
    above all; or the other way round."""
    before, told, turned = by_class(text), [], []
    for variant in sorted({variant_of(pair.outcome) for pair in scaled}):
        own = by_class([pair for pair in scaled if variant_of(pair.outcome) == variant])
        shared = [place for place in own if place in before]
        counts = [[pair.dominated[0] for place in shared for pair in those[place]] for those in (own, before)]
        told.append(
            f"{variant}: {sum(counts[0])} of {len(counts[0])} fitted functions, with scale 1 {sum(counts[1])} of "
            f"{len(counts[1])} of these classes"
        )
        turned += [place for place in shared if sides(own[place]).isdisjoint(sides(before[place]))]
    turns = ", ".join(f"({D}, {omega})" for D, omega in sorted(set(turned))) or "no class"
    return Finding(
        "Ablation: the size of the initial weights decides whether the norm of the construction is higher; here it is, "
        + (f"{'; '.join(told)}; turned: {turns}" if told else "for no function yet"),
        bool(turned),
        run=len(scaled),
        planned=max(planned, len(scaled), 1),
        what="functions",
        criterion="ours: some class in which all functions are on the other side",
    )


def _of_the_log(pairs: Sequence[Pair], name: str, expected: Mapping[str, Any], planned: int) -> Finding:
    """The ratio in a log of the authors, for one function of an earlier version."""
    earlier = expected["earlier"]
    own = by_class(pairs).get((earlier["D"], earlier["omega"]), [])
    learned = math.sqrt(math.prod(earlier[name]))
    there = earlier[f"built_{name}"] / learned
    text = (
        f"Script against a log of the authors, of an earlier version, degree {earlier['D']}, sparsity "
        f"{earlier['omega']}: {name} {learned:.3g} learned, {earlier[f'built_{name}']:g} constructed, {there:.2g} "
        "times as large; here"
    )
    ratios = logs(own, QUANTITIES[name])
    answer = None
    if ratios:
        found = runs.interval(ratios)
        answer = within(found, math.log10(there / 2), math.log10(there * 2))
        middle, low, high = (10**x for x in found)
        text += f" {runs.words((middle, low, high), '.3g')} times"
        if answer is False and name == "trace":
            text += "; how the log takes the trace (of which loss, with dropout or without) is not known"
            answer = None
    return Finding(
        text + ("" if ratios else " none"), answer, run=len(ratios), planned=max(planned, len(ratios), 1),
        what="functions",
        criterion="ours: within a factor of 2; a trace, which may be taken otherwise, cannot disagree",
    )  # fmt: skip
