"""Trained networks held against theory: measured norms, measured gaps, and every bound that applies, in all its forms.

One network for each length, the one with the largest gap. A bound that is above the range of the loss is vacuous
whatever its value, so what it would take stands beside it: how many samples, norms kept, until it is down to log 2, the
loss of a coin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from maurey.verify.certificates.gaps import DIGITS, Stated
from maurey.verify.certificates.norm_classes import COUNTED, DELTA, PROVED, bounds
from maurey.verify.training.trials.keys import Job

from .accounts import account, finished
from .exhibits import Exhibit, Series
from .page import Shown
from .theory_figure import named
from .trained import Outcome
from .verdicts import Finding, line

COIN = math.log(2)
FORMS = ("printed", *PROVED)
COLUMNS = (
    "T", "run", "bound", "measured gap", "measured 0-1 gap", "largest loss", *(f"{form} gap" for form in FORMS),
    *(f"log10 {form}/measured" for form in PROVED), *(f"samples, {form}" for form in FORMS), "samples, derived/sharp",
)  # fmt: skip
METHOD = (
    f"Norms are computed in doubles and rounded up; bounds are certified to {DIGITS} digits from there (upper ends), "
    f"with probability {1 - DELTA}. Printed forms with C0 = 1, and c = 12 in 2.2. Of each length the run with the "
    "largest gap, at its first evaluation with the fewest held-out errors; gap: held-out minus training cross-entropy, "
    "in nats.",
    "Samples: with about how many the bound is down to log 2, the loss of a coin, norms kept.",
    "The norms are those of the trained network, a class that was chosen after the data, and that is paid for "
    "(maurey/posthoc): each is rounded up to a power 2^(k/8), and adds 2 log(1 + |k|) + 0.83 to log(1/delta).",
    "The cross-entropy is not bounded: b = log(1 + e^A), its largest value in the class, with A the range of the "
    "difference of the logits, in which it is 1-Lipschitz. A bound above b says nothing.",
    "Biases stand in the matrices: a constant 1 is appended to every token, and d and T count it and [CLS]. Query and "
    "key are one matrix; value and output are one for Edelman et al., two (W_v, W_c) for Trauger and Tewari.",
    f"{COUNTED} stands for counting parameters: the same sum of heads, every matrix covered in its spectral norm by "
    "counting entries. Its own claim on networks has projections and one head, and does not apply as it is stated.",
)


@dataclass(frozen=True)
class Held:
    """A network, and what is said of it: by label and form."""

    outcome: Outcome

    @property
    def T(self) -> int:
        return self.outcome.config.T

    @property
    def gap(self) -> float:
        return float(self.outcome.record["held_loss"] - self.outcome.record["train_loss"])

    @property
    def gap_01(self) -> float:
        record, config = self.outcome.record, self.outcome.config
        return float(record["errors"] / config.held_out - record["train_errors"] / config.m)

    @cached_property
    def stated(self) -> dict[str, dict[str, Stated]]:
        found: dict[str, dict[str, Stated]] = {}
        for one in bounds(self.outcome.config, self.outcome.record["norms"]):
            found.setdefault(one.label, {})[one.form] = one
        return found

    @cached_property
    def gaps(self) -> dict[str, dict[str, Decimal | None]]:
        return {name: {form: one.gap for form, one in forms.items()} for name, forms in self.stated.items()}

    @cached_property
    def samples(self) -> dict[str, dict[str, Decimal]]:
        return {name: {form: one.samples(COIN) for form, one in forms.items()} for name, forms in self.stated.items()}

    def largest(self, name: str) -> Decimal:
        return self.stated[name]["derived"].largest

    def lengthened(self, T: int) -> Held:
        """The same norms, at another length."""
        return Held(replace(self.outcome, config=replace(self.outcome.config, T=T)))


def worst(outcomes: Sequence[Outcome]) -> list[Held]:
    """Of every length, the run whose losses differ most."""
    found: dict[int, Held] = {}
    for one in map(Held, outcomes):
        if one.T not in found or abs(one.gap) > abs(found[one.T].gap):
            found[one.T] = one
    return [found[T] for T in sorted(found)]


# --- the table -------------------------------------------------------------------------------------------------------


def rows(networks: Sequence[Held]) -> Iterator[list[str]]:
    for one in networks:
        for name, gaps in one.gaps.items():
            samples = one.samples[name]
            yield [
                str(one.T), str(one.outcome.trial), name, f"{one.gap:.4g}", f"{one.gap_01:.4g}",
                number(one.largest(name)),
                *(_gap(gaps[form]) if form in gaps else "" for form in FORMS),
                *(_beyond(gaps[form], one.gap) for form in PROVED),
                *(number(samples[form]) if form in samples else "" for form in FORMS),
                number(samples["derived"] / samples["sharp"]),
            ]  # fmt: skip


def number(x: Decimal) -> str:
    return f"{x:.2E}" if x >= 10_000 else f"{x:.4g}"


def _gap(gap: Decimal | None) -> str:
    return "needs m > d" if gap is None else "negative" if gap < 0 else number(gap)


def _beyond(gap: Decimal | None, measured: float) -> str:
    return "" if gap is None or not measured else f"{math.log10(gap / Decimal(abs(measured))):.1f}"


# --- what it comes to ------------------------------------------------------------------------------------------------


def held(networks: Sequence[Held]) -> Finding:
    """No proved bound is below what was measured; and how many of them say anything."""
    said = [(one, name, one.gaps[name][form]) for one in networks for name in one.gaps for form in PROVED]
    known = [(one, name, gap) for one, name, gap in said if gap is not None]
    below = sum(abs(one.gap) > gap for one, _, gap in known)
    vacuous = sum(gap >= one.largest(name) for one, name, gap in known)
    text = f"Of {len(known)} bounds that are proved (derived and sharp), {vacuous} are above the largest loss"
    return Finding(f"{text} and so say nothing; below the measured gap are {below}", below == 0)


COUNTING = "ours: fewer samples than counting takes; which norms are reasonable, and what works well, is not said"


def against_counting(networks: Sequence[Held], says: str) -> Finding:
    """That none is ahead does not speak against the paper, which does not say what norms it has in mind."""
    ahead = 0
    for one in networks:
        least = {name: min(samples[form] for form in PROVED) for name, samples in one.samples.items()}
        ahead += min(n for name, n in least.items() if name != COUNTED) < least[COUNTED]
    text = f"here a proved bound by norms takes fewer samples than counting for {ahead} of {len(networks)} networks"
    return Finding(f"{says}; {text}", ahead > 0 or None, criterion=COUNTING)


def over_length(networks: Sequence[Held], says: str, paper: str, most: Callable[[int, int], float]) -> Finding:
    """By how much the samples of a paper's bounds grow with the length alone, and at most by how much they should."""
    first, last = networks[0], networks[-1]
    if len(networks) == 1:
        return Finding(f"{says}; here there is one length", None)
    longer = first.lengthened(last.T).samples
    grown = {
        f"{name} {form}": float(longer[name][form] / n)
        for name, own in first.samples.items() if name.startswith(paper) and name != COUNTED for form, n in own.items()
    }  # fmt: skip
    name = max(grown, key=lambda label: grown[label])
    text = f"the norms measured at T = {first.T} kept, T = {last.T} takes at most {grown[name]:.4g} times the samples"
    return Finding(f"{says}; {text} ({name})", grown[name] <= most(first.T, last.T) * (1 + 1e-3))


def measured(networks: Sequence[Held]) -> str:
    """The largest of the heads, over the networks."""
    norms = [one.outcome.record["norms"] for one in networks]
    tops = {n: [max(own[n]) if isinstance(own[n], list) else own[n] for own in norms] for n in norms[0]}
    told = (f"{name} {min(values):.3g} to {max(values):.3g}" for name, values in tops.items())
    return f"Measured, the largest of the heads, over the networks shown: {', '.join(told)}."


def negative(networks: Sequence[Held]) -> str:
    """How often a printed form says less than nothing."""
    printed = [own["printed"] for one in networks for own in one.gaps.values() if "printed" in own]
    below = sum((gap or 0) < 0 for gap in printed)
    return f"With as many samples as there were, printed forms are negative in {below} of {len(printed)} cases."


def exhibit(
    title: str,
    scale: Mapping[str, Any],
    planned: Sequence[Job],
    outcomes: Sequence[Outcome],
    departures: Sequence[str],
    findings: Callable[[Sequence[Held]], Sequence[Finding]],
) -> Exhibit:
    networks = worst(finished(outcomes))
    made = [held(networks), *findings(networks)]
    sizes = sorted({one.outcome.config.m for one in networks})
    return Exhibit(
        title=title,
        question="How many samples would a bound need to say anything of these networks?",
        answer=_answer(networks),
        verdict=[line(_short(one), one) for one in made],
        caption="For each bound, in each form, how many samples bring it down to log 2, norms as measured: a mark for "
        f"the network of each length (T = {', '.join(str(one.T) for one in networks)}), a bar from the least to the "
        "most. Printed forms with C0 = 1; they are not always proved.",
        shown=Shown(SHOWN, [_shown(networks, name) for name in networks[0].stated]),
        notes=[*account(scale, planned, outcomes), *METHOD, *departures, measured(networks), negative(networks)],
        columns=COLUMNS,
        rows=list(rows(networks)),
        series=Series(["m"], [[str(m)] for m in sizes[:1]]),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=made,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "bound": "norms of its proof: those that the proof uses, where the paper states others",
    "measured gap": "held-out less training cross-entropy in nats, over the networks",
    "sharp gap": "the sharp form of the bound on it, over the networks; above the largest loss it says nothing",
    "largest loss": "of the class",
    "samples, printed": "with which the bound is down to log 2, norms as measured",
    "samples, derived": "",
    "samples, sharp": "",
}


def _shown(networks: Sequence[Held], name: str) -> list[str]:
    """A bound, from the least to the most over the networks."""
    gaps = sorted(abs(one.gap) for one in networks)
    sharp = [gap for one in networks if (gap := one.gaps[name]["sharp"]) is not None]
    largest = [one.largest(name) for one in networks]
    samples = {form: [one.samples[name][form] for one in networks if form in one.samples[name]] for form in FORMS}
    return [
        _line(name), f"{gaps[0]:.2g} to {gaps[-1]:.2g}", _span(sharp) if sharp else "needs m > d", _span(largest),
        *(_span(found) if found else "-" for found in samples.values()),
    ]  # fmt: skip


def _span(found: Sequence[Decimal]) -> str:
    low, high = (f"{x:.1E}" if x >= 10_000 else f"{x:.3g}" for x in (min(found), max(found)))
    return low if low == high else f"{low} to {high}"


def _answer(networks: Sequence[Held]) -> str:
    least = [(one.samples[name][form], name, form) for one in networks for name in one.samples for form in PROVED]
    most = {name: max(one.samples[name][form] for one in networks for form in PROVED) for name in networks[0].samples}
    few, name, form = min(least)
    return (
        f"At least {few:.1E} ({_line(name)}, {form}), and up to {max(most.values()):.1E}; they had "
        f"{networks[0].outcome.config.m}."
    )


def _line(name: str) -> str:
    return named(name).replace("\n", " ")


def _short(one: Finding) -> str:
    """Without the name of the bound that decided it."""
    return one.text.partition(" (edelman")[0].partition(" (trauger")[0]
