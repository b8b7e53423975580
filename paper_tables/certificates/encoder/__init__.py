"""Every certificate of one encoder beside the covering bounds of the same network: from a thousandth of the strings to
10^20 samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from functools import cached_property
from math import log
from typing import Any

from maurey.paper_tables.exhibits import Exhibit, Series
from maurey.paper_tables.page import Shown
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, line
from maurey.verify.certificates import bounds, messages
from maurey.verify.certificates.losses import Losses
from maurey.verify.certificates.norm_classes import bounds as covering
from maurey.verify.certificates.wording import UNIT

from .figure import FLOOR, draw

__all__ = ["draw", "plan", "render"]

COLUMNS = ["function", "certificate", "claim", "strings", "errors on them", "price", "at most", "on fresh strings"]
DELTA = Fraction(1, 20)
NAMES = {"parity": "parity of {}", "and": "AND of {}", "majority": "majority of {}"}
HALF, PASS = "held-out half", "one pass, second half"
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

        def row(name: str, part: dict[str, Any], strings: int, errors: int, test: int, price: str = "none") -> Row:
            return Row(name=name, claim=part["key"], strings=strings, errors=str(errors), price=price,
                       bound=float(part["bound"]), fresh=test / fresh)  # fmt: skip

        first, online, own = (record[name] for name in ("half", "online", "message"))
        for name, errors in ((HALF, first["errors"]), (f"{HALF}, every execution", half - first["proved"])):
            yield row(name, bounds.holdout(counted(half, errors), DELTA)[0], half, errors, first["test"])
        losses = [UNIT * int(x) for x in online["losses"][half:]]
        part = bounds.prequential(Losses(losses, True), DELTA)[0]
        yield row(PASS, part, half, sum(losses) // UNIT, online["test"])
        bits = messages.bits_of(messages.encode([own["integers"]]))
        part = bounds.occam(counted(config.n, own["errors"]), DELTA, bits)[0]
        yield row("message", part, config.n, own["errors"], own["test"], price=f"{bits} bits")
        for name, found in record["drawn"].items():
            yield Row(name=f"drawn, {name}", claim=bounds.SEEGER, strings=half, errors=f"{found['gibbs'] * half:.1f}",
                      price=f"KL {found['KL']:.4g}", bound=found["bound"], fresh=found["test_gibbs"])  # fmt: skip

    @cached_property
    def samples(self) -> dict[str, float]:
        """Of every covering bound, log10 of the samples with which it is down to log 2."""
        own = covering(self.outcome.config.boolean, self.outcome.record["half"]["norms"])
        return {f"{one.label}, {one.form}": float(one.samples(log(2)).log10()) for one in own}


def up(x: float, places: int = 4) -> str:
    """With so many digits, rounded up."""
    return str(Decimal(x).quantize(Decimal(1).scaleb(-places), ROUND_CEILING))


def counted(n: int, errors: int) -> Losses:
    return Losses([UNIT] * errors + [0] * (n - errors), True)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    networks = [Certified(o) for o in outcomes if o.record["status"] == "done"]
    findings = list(_findings(networks, expected))
    start = f"Scale {scale['scale']}" + (f", drawn from scale {scale['from']}" if "from" in scale else "")
    config = outcomes[0].config
    return Exhibit(
        title="One encoder: every certificate beside the covering bounds",
        question="What can be certified of one small encoder, and by which method?",
        answer=_answer(networks),
        verdict=[line(finding.text, finding) for finding in findings],
        caption="Above, with how many samples each covering bound is down to log 2, the loss of a coin; the line is "
        "how many there were. Below, the share of errors that is certified (filled) and what is found on fresh strings "
        f"(hollow; at the left edge, below {FLOOR:g}).",
        shown=Shown(_columns(networks), _shown(networks)),
        notes=[
            f"{start}, protocol fast (no dropout); {len(networks)} of {len(plan(scale))} planned functions; T = "
            f"{config.T}, {config.n} strings, delta = {DELTA}. Each bound holds with probability 0.95 by itself.",
            *METHOD,
        ],
        columns=COLUMNS,
        rows=[_cells(one, row) for one in networks for row in one.rows],
        series=Series(["function", "covering bound", "samples"], [
            [one.name, name, f"{10 ** (x % 1):.3f}E+{int(x // 1)}"]
            for one in networks for name, x in one.samples.items()
        ]),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )  # fmt: skip


METHOD = (
    "Held-out half: the encoder learns the first half of the strings, and its errors on the second are counted (exact "
    "binomial). Every execution: what running error analysis does not prove right in every float32 execution counts as "
    "an error. One pass: strings come in blocks, each is answered before it is learned; what is certified is the mean "
    "risk of the networks over the second half, and the fresh strings are those of the last one. Message: another "
    "encoder is a fixed start plus a fixed random matrix times whole coordinates, coded in the documented format; its "
    "risk is bounded on the strings it was trained on. Drawn: networks drawn around the one of the first half (kept), "
    "or around one that went on to learn all strings (retrained), with the prior around the one of the first half; 28 "
    "deviations share delta.",
    "Before this setting of its steps a parity had three others, each on strings of its own that were not used again; "
    "each missed one of the two aims, two of them since they learned too late, one by a single error. Each bound is "
    "valid on its own strings; that both aims are met is of the fourth try.",
    "The covering bounds are those of the network of the held-out half, at its measured norms (see "
    "edelman2022/trained).",
    "Seeds: hidden positions, strings, initial weights, the random matrix, the order of batches and the draws are "
    "keyed by the hash of a run's configuration and number. Rounding in float32 depends on the machine.",
)


def _answer(networks: Sequence[Certified]) -> str:
    if not networks:
        return "Nothing is trained yet."
    half, one_pass = (max(one.row(name).bound for one in networks) for name in (HALF, PASS))
    rest = [row.bound for one in networks for row in one.rows if row.name == "message" or row.name.startswith("drawn")]
    fewest = min(min(one.samples.values()) for one in networks)
    return (
        f"A held-out half certifies an error of at most {up(half)}, one pass {up(one_pass)}; messages and drawn "
        f"networks {up(min(rest), 3)} to {up(max(rest), 3)}; the best covering bound asks for 10^{fewest:.0f} samples."
    )


def _columns(networks: Sequence[Certified]) -> dict[str, str]:
    means = "at most, and on fresh strings"
    return {"certificate": "", "claim": "", **{one.name: means if not i else "" for i, one in enumerate(networks)}}


def _shown(networks: Sequence[Certified]) -> list[list[str]]:
    found = []
    for i, row in enumerate(networks[0].rows if networks else []):
        own = [one.rows[i] for one in networks]
        found.append([row.name, row.claim, *(f"{up(one.bound)} ({one.fresh:.4f})" for one in own)])
    return found


def _findings(networks: Sequence[Certified], expected: Mapping[str, Any]) -> Iterator[Finding]:
    for name, most in expected["at_most"].items():
        worst = max((one.row(name).bound for one in networks), default=1.0)
        text = f"{name.capitalize()}: at most {most} was aimed at; the largest of {len(networks)} is {up(worst)}"
        yield Finding(text, worst <= most, run=len(networks), planned=3, what="functions", criterion="ours")
    broken = [one.name for one in networks for row in one.rows if row.fresh > row.bound]
    text = f"On fresh strings {len(broken)} of {sum(len(one.rows) for one in networks)} are above their bound"
    yield Finding(text, not broken, run=len(networks), planned=3, what="functions", criterion="ours")


def _cells(one: Certified, row: Row) -> list[str]:
    return [one.name, row.name, row.claim, str(row.strings), row.errors, row.price, up(row.bound, 6),
            f"{row.fresh:.4f}"]  # fmt: skip
