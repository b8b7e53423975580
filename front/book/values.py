"""A claim at a natural point: every form there, certified, and the words for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from maurey.numeric.balls import enclose
from maurey.numeric.walk import Undecided, Undefined
from maurey.symbolic.claim import Claim, InputError, Parameter

DIGITS = 4
SMALL = ("e_M", "e_F", "e_2", "e_Gamma", "e_v", "eta_1", "eta_V", "sigma")
SIZES = {  # of a small network with many samples
    "m": "1000000", "n": "1000000", "N": "1000", "T": "256", "d": "64", "d_1": "64", "d_2": "64", "k": "64",
    "K": "1000", "eps": "1/10", "delta": "1/20", "d_e": "16", "D_e": "80", "d_h": "256", "s": "3", "p": "8",
    "d_f": "3", "variation": "4", "ratio": "2", **dict.fromkeys(SMALL, "1/1000"),
}  # fmt: skip
OTHERS = {"in (0, 1)": "1/4", "in (0, 1]": "1/2", "in [0, 1]": "1/2", "in [-1, 1]": "1/2",
          "positive integer": "2", "nonnegative integer": "1"}  # fmt: skip
TRIED: tuple[dict[str, str], ...] = (  # in the place of the first, until the claim's assumptions are met
    {},
    {"R": "100", "N": "1000"},
    {"d": "4", "d_e": "64"},
    {"T": "64", "omega": "4", "D": "2", "sigma": "1/100000"},
    {"m": "16", "d": "4"},
    {"eps": "1/1000", "coherence": "1/10", "b": "4"},
    {"alpha_N": "1/10000", "r_h": "10", "R": "100"},
    {"scale": "10", "ramp": "1/10", "f_norm": "1/10"},
)


@dataclass(frozen=True)
class Value:
    form: str
    part: str
    text: str


@dataclass(frozen=True)
class Point:
    """Where a claim is evaluated, and what it comes to there, part by part."""

    at: dict[str, str]
    values: tuple[Value, ...]

    @property
    def words(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.at.items())


def _natural(p: Parameter, claim: Claim) -> str:
    size = SIZES["m"] if p.name == claim.samples else SIZES.get(p.name)
    return size or OTHERS.get(p.domain, "1")


def _points(claim: Claim) -> Iterator[dict[str, str]]:
    needed = [p for p in claim.symbols if not p.optional]
    lists = {p.index for p in needed if p.index} | set(claim.unrolled)
    for changes in TRIED:
        at = {p.name: _natural(p, claim) for p in needed}
        yield at | dict.fromkeys(lists & set(at), "2") | {n: x for n, x in changes.items() if n in at}


def point(claim: Claim) -> Point | None:
    """The first at which all its forms have values."""
    pairs = [(part.name, form) for part in claim.parts for form in part.forms]
    for at in _points(claim) if pairs else ():
        try:
            found = [(form, part, enclose(claim, form, part, DIGITS, **at).value) for part, form in pairs]
        except (InputError, Undefined, Undecided):
            continue
        return Point(at, tuple(Value(form, part, str(value)) for form, part, value in found))
    return None
