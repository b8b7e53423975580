"""A PAC-Bayes bound for each network that was trained here, with nothing assumed: is it below 1, and below what a
constant prediction achieves? And what Theorem 2 assumes, on the same networks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from maurey.numeric.balls import enclose
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.lintilhac2026.runs import SEEDS
from maurey.paper_tables.page import Shown
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, line
from maurey.symbolic import registry
from maurey.verify.papers.lintilhac2026 import hypotheses

from .figure import FLOOR, draw

__all__ = ["draw", "plan", "render"]

COLUMNS = [
    "network", "degree", "sparsity", "prior", "function", "converged", "loss", "on the sample", "on other strings",
    "drawn, on the sample", "with its confidence", "drawn, on other strings", "sigma", "KL", "strings", "bound",
    "held-out test", "of a constant", "says",
]  # fmt: skip
MODELS = {"channel": "one channel", "two_layers": "two layers"}
PRIORS = {"start": "initial weights", "half": "half of the strings"}
LOSSES = {"wrong": ("rounded to the wrong bit", 0.5), "squared": ("squared, at most 1", hypotheses.CONSTANT)}
SURE = 4.0  # standard errors
plan = in_stages


@dataclass(frozen=True)
class Certified:
    outcome: Outcome

    @property
    def found(self) -> Mapping[str, Any]:
        certificate: Mapping[str, Any] = self.outcome.record["certificate"]
        return certificate

    @property
    def task(self) -> tuple[str, int, int]:
        config = self.outcome.config
        return config.model, config.omega, config.D

    @property
    def name(self) -> str:
        """Of the task."""
        model, omega, D = self.task
        return f"{MODELS[model]}\n{D}, {omega}".replace(" ", "\n", 1)

    @property
    def prior(self) -> str:
        return str(self.outcome.config.certify)

    @property
    def held_out(self) -> float | None:
        """The bound of an ordinary held-out test of the network that fitted the other half, if there is one."""
        return float(self.found["prior"]["bound"]) if self.prior == "half" and not self.earlier else None

    @property
    def earlier(self) -> bool:
        """Made before there was a held-out test, by floats of single precision in place of a lattice."""
        return "prior" not in self.found

    @property
    def chance(self) -> float:
        """What the best constant has."""
        return LOSSES[self.found["loss"]][1]

    @property
    def says(self) -> str:
        bound = self.found["bound"]
        return "less than a constant" if bound < self.chance else "below 1" if bound < 1 else "nothing"

    def case(self, Sigma: float) -> hypotheses.Case:
        """The theorem's numbers for this task."""
        config = self.outcome.config
        sizes = {"omega": config.omega, "D": config.D, "T": config.T}
        G_u, L = (
            float(enclose(registry.find(f"lintilhac2026/{key}"), "printed", "total", **sizes).value) for key in (14, 10)
        )
        return hypotheses.Case(G_u, L, Sigma, config.m)

    @property
    def network(self) -> hypotheses.Network:
        record = self.outcome.record
        return hypotheses.Network(
            loss=record["train_loss"],
            norm_squared=math.fsum(record["norms"].values()),
            trace=record["gradient"] + record["residual"],
            risk=record["test_loss"],
            Sigma={"learned": record["subgaussian"]},
        )


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    done = [o for o in outcomes if o.record["status"] == "done"]
    networks = sorted(
        (Certified(o) for o in done if o.record["certificate"]),
        key=lambda one: (one.task, one.prior == "half", one.outcome.trial),
    )
    findings = [_held(networks), _beaten(networks)]
    start = f"Scale {scale['scale']}" + (f", drawn from scale {scale['from']}" if "from" in scale else "")
    return Exhibit(
        title="PAC-Bayes certificates for networks that were trained",
        question="Does PAC-Bayes prove anything of networks that were trained?",
        answer=_answer(networks, outcomes),
        verdict=[*(line(one.text, one) for one in findings), *_answers(networks, outcomes)],
        caption="A row for each task, a mark for each of its networks. A bound that is left of the black bar is below "
        "what the best constant prediction loses; circles: the loss of networks drawn from the posterior, on strings "
        "that were not trained on.",
        shown=Shown(SHOWN, _shown(networks)),
        notes=[
            f"{start}; {len(outcomes)} of {len(plan(scale))} planned networks are trained; {len(networks)} have a "
            f"certificate. Without one, since no prior fitted its half, or no longer a number: {_without(outcomes)}.",
            *METHOD,
            *_earlier(networks),
            SEEDS,
            *_assumed(networks, expected["Sigma"]),
        ],
        columns=COLUMNS,
        rows=[_row(one) for one in networks],
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "network": "",
    "degree": "",
    "sparsity": "",
    "a constant": "the loss of the best constant prediction: of rounded bits for one parity, squared otherwise",
    "bound, initial weights": "with the prior around the initial weights, over the networks of the task",
    "bound, half": "with the prior around weights that fit half of the strings",
    "lost": "by networks drawn from the posterior around half, on other strings",
}


def _shown(networks: Sequence[Certified]) -> list[list[str]]:
    """By task."""
    rows = []
    for task in sorted(dict.fromkeys(one.task for one in networks), key=lambda task: (task[0] != "channel", *task[1:])):
        own = {prior: [one for one in networks if (one.task, one.prior) == (task, prior)] for prior in PRIORS}
        chance = next(one.chance for these in own.values() for one in these)
        bounds = [_span([one.found["bound"] for one in these]) for these in own.values()]
        lost = _span([one.found["test_gibbs"] for one in own["half"]])
        rows.append([MODELS[task[0]], str(task[2]), str(task[1]), f"{chance:g}", *bounds, lost])
    return rows


def _span(found: Sequence[float]) -> str:
    if not found:
        return "-"
    low, high = f"{min(found):.3f}", f"{max(found):.3f}"
    return low if low == high else f"{low} to {high}"


def _answer(networks: Sequence[Certified], outcomes: Sequence[Outcome]) -> str:
    if not networks:
        return "No network has a certificate yet."
    better = [one for one in networks if one.found["bound"] < one.chance]
    best = min(networks, key=lambda one: one.found["bound"])
    trained = len(outcomes)
    return (
        f"For {len(better)} of {trained} networks it proves less loss than that of the best constant; the least bound "
        f"is {best.found['bound']:.4f} {_named(best)}, where drawn networks lose {best.found['test_gibbs']:.4f}."
    )


# --- method ----------------------------------------------------------------------------------------------------------

METHOD = (
    "Posterior around the weights, prior around the initial weights and all strings, or around weights that fit the "
    "first half and the other half; both are Gaussians on a lattice of sigma/16, which floats hold exactly, with the "
    "divergence of Gaussians; sigma from a grid of 28 values, each with its share of the probability of failure. "
    "Seeger's bound with 2 sqrt(m), its inverse certified. The loss of drawn networks on the sample is estimated by "
    "2,000 draws with 16 strings each; their confidence is counted (0.01 of 0.05). Each bound holds with probability "
    "0.95 by itself, not all of them together. Outputs are doubles, rounded to multiples of 2^-20; losses are "
    "the largest within 2^-20 of that, and means are exact: nothing depends on how many are computed at once.",
    "Held-out test: the network that fitted the first half, on the other half, at the same confidence (exact binomial "
    "for wrong bits, else the best of three). It needs no prior and no draws, and speaks of the network itself.",
    "A bound of this kind is always below 1, which says little: a constant has the squared loss 1/4 on every "
    "target, and is wrong for half of the strings on one parity. Bounds are on drawn networks; what the network itself "
    f"has is in the CSV; the figure shows what is below {FLOOR:g} there.",
    "One channel: about 1,100 parameters, the network of the paper's interpretability study. Two layers: about 42,000. "
    "Training as in lintilhac2026/gap, protocol fast (no dropout); one parity (sparsity 1) is judged by rounded bits, "
    "sums of parities by squared errors.",
)


def _named(one: Certified) -> str:
    model, omega, D = one.task
    return f"({MODELS[model]}, degree {D}, sparsity {omega})"


def _without(outcomes: Sequence[Outcome]) -> str:
    lost = [Certified(o) for o in outcomes if o.record["status"] != "done" or not o.record["certificate"]]
    counts = Counter(f"{_named(one)}, prior around {PRIORS[one.prior]}" for one in lost)
    return "; ".join(f"{number} of {name}" for name, number in counts.items()) or "none"


def _answers(networks: Sequence[Certified], outcomes: Sequence[Outcome]) -> list[str]:
    """Which bounds say something, of all networks that were trained."""
    found = []
    for prior, words in PRIORS.items():
        own = [one for one in networks if one.prior == prior]
        trained = sum(o.config.certify == prior for o in outcomes)
        better = [one for one in own if one.found["bound"] < one.chance]
        found.append(
            f"Prior around {words}: of {trained} networks {sum(one.found['bound'] < 1 for one in own)} have a bound "
            f"below 1, {len(better)} one below what a constant has"
        )
    return found


def _held(networks: Sequence[Certified]) -> Finding:
    above = [
        one for one in networks if one.found["test_gibbs"] - SURE * one.found["test_gibbs_error"] > one.found["bound"]
    ]
    text = f"Drawn networks on other strings exceed their bound in {len(above)} of {len(networks)} cases"
    return Finding(text, not above)


def _beaten(networks: Sequence[Certified]) -> Finding:
    both = [one for one in networks if one.held_out is not None]
    below = sum(one.held_out < one.found["bound"] for one in both if one.held_out is not None)
    text = f"The held-out test says more than the PAC-Bayes bound in {below} of {len(both)} cases where both are there"
    halves = sum(one.prior == "half" for one in networks)
    return Finding(text, below > 0, run=len(both), planned=halves, what="networks", criterion="ours")


def _earlier(networks: Sequence[Certified]) -> list[str]:
    number = sum(one.earlier for one in networks)
    told = (
        f"Of the {len(networks)} certificates {number} are of an earlier kind: their Gaussians were drawn in single "
        "precision and on no lattice, which their divergence takes no account of, and they have no held-out test."
    )
    return [told] if number else []


def _assumed(networks: Sequence[Certified], Sigma: float) -> list[str]:
    """The hypotheses of Theorem 2 on the networks that fitted and were measured."""
    measured = [one for one in networks if "norms" in one.outcome.record and one.outcome.record["converged"]]
    if not measured:
        return []
    told = []
    for same in zip(*(hypotheses.audit(one.case(Sigma), one.network) for one in measured), strict=True):
        counts = {status: sum(h.status == status for h in same) for status in ("holds", "assumed", "fails")}
        words = ", ".join(f"{status} {count}" for status, count in counts.items() if count)
        told.append(f"{same[0].name}: {words} (the bound then {median(float(h.bound) for h in same):.3g})")
    stated = median(float(one.case(Sigma).terms.bound) for one in measured)
    return [
        f"Theorem 2 as printed with P = 0 and Sigma = {Sigma:g}: median {stated:.3g} over {len(measured)} networks "
        "of one channel that fitted, of all tasks and both priors. Its hypotheses on them, norm and trace against "
        "those of the construction, which is another network, and the median of the bound with each replaced by what "
        f"was measured: {'; '.join(told)}. A constant for each network is here that of the trained network itself, "
        "which tells little of those drawn around it."
    ]


def _row(one: Certified) -> list[str]:
    record, found = one.outcome.record, one.found
    model, omega, D = one.task
    return [
        MODELS[model], str(D), str(omega), PRIORS[one.prior], str(one.outcome.trial),
        "yes" if record["converged"] else "no", LOSSES[found["loss"]][0], f"{found['mean']:.4f}",
        f"{found['test_mean']:.4f}", f"{found['gibbs']:.4f}", f"{found['gibbs_above']:.4f}",
        f"{found['test_gibbs']:.4f} ± {found['test_gibbs_error']:.4f}", f"{found['sigma']:.4g}", f"{found['KL']:.1f}",
        str(found["strings"]), f"{found['bound']:.4f}", "" if one.held_out is None else f"{one.held_out:.4f}",
        f"{one.chance:g}", one.says,
    ]  # fmt: skip
