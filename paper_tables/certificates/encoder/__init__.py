"""Every certificate of one encoder beside the covering bounds of the same network: from a thousandth of the strings to
10^20 samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log
from typing import Any

from maurey.paper_tables.accounts import PALETTE
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding
from maurey.verify.certificates import bounds, messages
from maurey.verify.certificates.losses import Losses
from maurey.verify.certificates.norm_classes import bounds as covering
from maurey.verify.certificates.wording import UNIT

COLUMNS = ["function", "certificate", "claim", "strings", "errors on them", "price", "at most", "on fresh strings"]
DELTA = Fraction(1, 20)
NAMES = {"parity": "parity of {}", "and": "AND of {}", "majority": "majority of {}"}
plan = in_stages


@dataclass(frozen=True)
class Row:
    name: str
    claim: str
    strings: int
    errors: str
    price: str
    bound: float
    fresh: float


@dataclass(frozen=True)
class Certified:
    outcome: Outcome

    @property
    def name(self) -> str:
        config = self.outcome.config
        return NAMES.get(config.function, config.function).format(config.s)

    @cached_property
    def rows(self) -> list[Row]:
        return list(self._rows())

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)

    def _rows(self) -> Iterator[Row]:
        config, record = self.outcome.config, self.outcome.record
        half, fresh = config.n // 2, config.held_out
        first = record["half"]
        for name, errors in (
            ("held-out half", first["errors"]),
            ("held-out half, every execution", half - first["proved"]),
        ):
            part = bounds.holdout(counted(half, errors), DELTA)[0]
            yield Row(name, part["key"], half, str(errors), "none", float(part["bound"]), first["test"] / fresh)
        online = [UNIT * int(x) for x in record["online"]["losses"][half:]]
        part = bounds.prequential(Losses(online, True), DELTA)[0]
        yield Row("one pass, second half", part["key"], half, str(sum(online) // UNIT), "none", float(part["bound"]),
                  record["online"]["test"] / fresh)  # fmt: skip
        own = record["message"]
        bits = messages.bits_of(messages.encode([own["integers"]]))
        part = bounds.occam(counted(config.n, own["errors"]), DELTA, bits)[0]
        yield Row(
            "message",
            part["key"],
            config.n,
            str(own["errors"]),
            f"{bits} bits",
            float(part["bound"]),
            own["test"] / fresh,
        )
        for name, found in record["drawn"].items():
            yield Row(f"drawn, {name}", "maurer2004/5", half, f"{found['gibbs'] * half:.1f}", f"KL = {found['KL']:.4g}",
                      found["bound"], found["test_gibbs"])  # fmt: skip

    @cached_property
    def samples(self) -> dict[str, float]:
        """Of every covering bound, log10 of the samples with which it is down to log 2."""
        own = covering(self.outcome.config.boolean, self.outcome.record["half"]["norms"])
        return {f"{one.key}, {one.form}": float(one.samples(log(2)).log10()) for one in own}


def counted(n: int, errors: int) -> Losses:
    return Losses([UNIT] * errors + [0] * (n - errors), True)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    networks = [Certified(o) for o in outcomes if o.record["status"] == "done"]
    findings = list(_findings(networks, expected))
    start = f"Scale {scale['scale']}" + (f", drawn from scale {scale['from']}" if "from" in scale else "")
    config = outcomes[0].config
    return Exhibit(
        title="One encoder: every certificate beside the covering bounds",
        notes=[
            f"{start}, protocol fast (no dropout); {len(networks)} of {len(plan(scale))} planned functions; T = "
            f"{config.T}, {config.n} strings, delta = {DELTA}. Each bound holds with probability 0.95 by itself.",
            *METHOD,
            *(_covering(networks)),
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[_cells(one, row) for one in networks for row in one.rows],
        draw=lambda figure: _draw(figure, networks),
        figure_size=(10.0, 7.5),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


METHOD = (
    "Held-out half: the encoder learns the first half of the strings, and its errors on the second are counted (exact "
    "binomial). Every execution: what running error analysis does not prove right in every float32 execution counts as "
    "an error. One pass: strings come in blocks, each is answered before it is learned; what is certified is the mean "
    "risk of the networks over the second half. Message: another encoder is a fixed start plus a fixed random matrix "
    "times whole coordinates, coded in the documented format; its risk is bounded on the strings it was trained on. "
    "Drawn: networks drawn around the one of the first half (kept), or around one that went on to learn all strings "
    "(retrained), with the prior around the one of the first half; 28 deviations share delta.",
    "The covering bounds are those of the network of the held-out half, at its measured norms (see "
    "edelman2022/trained): with how many samples they are down to log 2, the loss of a coin.",
    "Seeds: hidden positions, strings, initial weights, the random matrix, the order of batches and the draws are "
    "keyed by the hash of a run's configuration and number. Rounding in float32 depends on the machine.",
)


def _findings(networks: Sequence[Certified], expected: Mapping[str, Any]) -> Iterator[Finding]:
    for name, most in expected["at_most"].items():
        worst = max(one.row(name).bound for one in networks)
        text = (
            f"{name[0].upper()}{name[1:]}: at most {most} was aimed at; the largest of {len(networks)} is {worst:.4g}"
        )
        yield Finding(text, worst <= most, run=len(networks), planned=3, what="functions", criterion="ours")
    broken = [one.name for one in networks for row in one.rows if row.fresh > row.bound]
    text = f"On fresh strings {len(broken)} of {sum(len(one.rows) for one in networks)} are above their bound"
    yield Finding(text, not broken, run=len(networks), planned=3, what="functions", criterion="ours")


def _covering(networks: Sequence[Certified]) -> Iterator[str]:
    for name in networks[0].samples:
        logs = [one.samples[name] for one in networks]
        yield f"{name}: 10^{min(logs):.1f} to 10^{max(logs):.1f} samples."


def _cells(one: Certified, row: Row) -> list[str]:
    return [
        one.name,
        row.name,
        row.claim,
        str(row.strings),
        row.errors,
        row.price,
        f"{row.bound:.5f}",
        f"{row.fresh:.4f}",
    ]


# --- the figure -------------------------------------------------------------------------------------------------------

MARKS = ("o", "s", "^")


def _draw(figure: Any, networks: Sequence[Certified]) -> None:
    """Above, samples; below, shares of errors."""
    above, below = figure.subplots(2, 1, height_ratios=(1, 1.5))
    names = list(networks[0].samples)
    methods = [row.name for row in networks[0].rows][::-1]
    for place, one in enumerate(networks):
        look = {"color": PALETTE[place], "marker": MARKS[place % len(MARKS)], "linestyle": "none"}
        shift = 0.16 * (place - (len(networks) - 1) / 2)
        above.plot([10 ** one.samples[n] for n in names], [i + shift for i in range(len(names))], **look)
        at = [methods.index(row.name) + shift for row in one.rows]
        below.plot([row.bound for row in one.rows], at, **look, label=one.name)
        below.plot([max(row.fresh, 1e-4) for row in one.rows], at, **look | {"markerfacecolor": "none"}, alpha=0.6)
    above.set(xscale="log", yticks=range(len(names)), yticklabels=names,
              xlabel="samples with which a covering bound is down to log 2")  # fmt: skip
    above.axvline(networks[0].outcome.config.n, color="black", linewidth=1)
    above.text(networks[0].outcome.config.n, len(names) - 0.6, " there are so many", fontsize=8)
    above.set_xlim(1e3, None)
    above.set_ylim(-0.6, len(names) - 0.2)
    below.set(xscale="log", yticks=range(len(methods)), yticklabels=methods, xlim=(0.8e-4, 1.3),
              xlabel="share of errors, certified (filled) and on fresh strings (open; none: left edge)")  # fmt: skip
    below.axvline(0.5, color="black", linestyle="--", linewidth=1)
    below.text(0.5, len(methods) - 0.55, "a coin ", fontsize=8, ha="right")
    below.set_ylim(-0.6, len(methods) - 0.2)
    for axes in (above, below):
        axes.grid(alpha=0.3, axis="x")
    below.legend(fontsize=8, loc="lower left")
