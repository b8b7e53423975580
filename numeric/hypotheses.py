"""What a bound on an architecture rests on: what was checked, what a user states, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from maurey.symbolic.architecture import GATES, Architecture, split
from maurey.symbolic.modules.activations import ACTIVATIONS, CONSTANTS
from maurey.symbolic.modules.words import KINDS, OF_COLUMNS

from .exact import plain_number as plain

CHECKED, STATED, REFUSED = "checked", "stated", "refused"


@dataclass(frozen=True)
class Hypothesis:
    text: str
    status: str
    value: str | None = None
    norm: str = ""  # its name, of a bound on one


def hypotheses(a: Architecture, frozen: tuple[str, ...], bits: int, routes: int) -> list[Hypothesis]:
    return [*_sample(a, frozen), *loss_rests(a), *network_rests(a), *_absent(a), *_norms(a), *_routes(bits, routes)]


def _sample(a: Architecture, frozen: tuple[str, ...]) -> Iterator[Hypothesis]:
    yield Hypothesis("the samples are drawn independently from one distribution", STATED)
    yield Hypothesis("the class and all that the file says were fixed before the sample was drawn", STATED)
    if frozen:
        yield Hypothesis(f"{', '.join(frozen)} were fixed before the sample was drawn, and are not trained", STATED)
    if a.vocabulary:
        yield Hypothesis("an input is a sequence of at most so many words of the vocabulary", STATED, str(a.context))
    else:
        patches = a.context - (a.read == "cls")
        yield Hypothesis("an input is a sequence of at most so many patches", STATED, str(patches))
        yield Hypothesis("the norm of a patch is at most so much", STATED, plain(a.patch_radius))
    yield Hypothesis("the network is evaluated, not in training: there is no dropout", STATED)


def loss_rests(a: Architecture) -> Iterator[Hypothesis]:
    cap = a.loss.cap if a.loss.kind == "cross-entropy" else Fraction(1)
    yield Hypothesis("the loss lies between 0 and so much", CHECKED, plain(cap))
    if a.loss.kind == "0-1":
        yield Hypothesis("the loss is Lipschitz in the scores; the 0-1 loss is Lipschitz in nothing", REFUSED)
    if a.read == "all":
        yield Hypothesis("a sample is a sequence, and its loss the mean over its tokens", STATED)


def network_rests(a: Architecture) -> Iterator[Hypothesis]:
    if a.norm_eps:
        yield Hypothesis("norm_eps is positive: every norm has a Lipschitz constant", CHECKED, plain(a.norm_eps))
    else:
        yield Hypothesis("norm_eps is positive; a norm with eps = 0 has no Lipschitz constant", REFUSED, "0")
    for name in dict.fromkeys((GATES.get(a.activation, a.activation), *([a.pooler] if a.pooler else []))):
        slope = ACTIVATIONS[name].lipschitz
        value = CONSTANTS[str(slope)].value if str(slope) in CONSTANTS else Fraction(str(slope))
        yield Hypothesis(f"the slope of {name} is at most so much", CHECKED, plain(value))
    yield Hypothesis("scores are divided by the root of the width of a head", STATED)
    if a.experts:
        yield Hypothesis(f"top-k routing is continuous; {a.top_k} of {a.experts} experts are not", REFUSED)
    if "K_bias" in a.given and a.positions != "rope" and not a.qk_norm:
        yield Hypothesis("K_bias adds the same to all scores of a query: it has no effect, but costs bits", CHECKED)


def _absent(a: Architecture) -> Iterator[Hypothesis]:
    missing = [slot for slot in a.slots.values() if slot.optional and slot.name not in a.given]
    gains = [slot.name for slot in missing if slot.kind == "gain"]
    biases = [slot.name for slot in missing if slot.kind != "gain"]
    if gains:
        yield Hypothesis(f"gains that are not given are fixed at 1: {', '.join(gains)}", STATED, "1")
    if biases:
        yield Hypothesis(f"biases that are not given are none: {', '.join(biases)}", STATED, "0")


def _norms(a: Architecture) -> Iterator[Hypothesis]:
    known = a.slots
    for name, bound in a.norms.items():
        slot, kind = split(name, known)
        words = (OF_COLUMNS if slot.inputs == 1 else KINDS)[kind]
        words = words.replace("column", "vector") if slot.kind == "table" else words
        value = ", ".join(map(plain, bound)) if isinstance(bound, tuple) else plain(bound)
        text = f"in every network of the class {words} {slot.name} is at most so much"
        yield Hypothesis(text, STATED, value, name)


def _routes(bits: int, routes: int) -> Iterator[Hypothesis]:
    text = "every route bounds one side, risk less empirical risk, at this share of delta"
    yield Hypothesis(text, CHECKED, f"1/{routes}")
    yield Hypothesis("bits: so many for each number, and a program whose output on one input depends on nothing else",
                     STATED, str(bits))  # fmt: skip
    yield Hypothesis("all other routes speak of the network in real numbers", STATED)
