"""Covering numbers from both sides: linear classes, heads and deep networks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from maurey.numeric.exact import decimal
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check
from maurey.verify.covers import enumeration as whole
from maurey.verify.covers import instances as run
from maurey.verify.covers import networks
from maurey.verify.covers.constructions import BOTH, ONLINE, POINTS, WHOLE, Built, Construction, both_sides, vectors
from maurey.verify.packings.attacks import ONE_INPUT, along, at_edge, constant_needed, hidden, size

from .covering_rays import EDGES, MISPRINTED, REFUTED
from .packings import ATTACKS

LISTS = "Zhang's cover at half the error, members with one list within eps of each other"
PRODUCT = "the cover of each weight at its share of the error, put together"


def _heads(key: str) -> list[Construction]:
    return [Construction(PRODUCT, partial(networks.heads, key=key), BOTH)]


def _deep(key: str) -> list[Construction]:
    return [Construction(PRODUCT, partial(networks.deep, key=key), BOTH)]


BUILT: Built = {
    ("edelman2022/sec2-linear-cover", "N_inf"): [Construction(ONLINE, partial(run.scalar, number="m"), BOTH)],
    ("edelman2022/A.10", "log_N"): [
        Construction(ONLINE, run.scalar),
        Construction(WHOLE, whole.scalars),
        Construction(LISTS, partial(run.zhang, share=Fraction(1, 2)), ("derived",)),
    ],
    ("edelman2022/4.5", "log_N"): [
        *vectors("inf", "coordinates"), Construction(WHOLE, partial(whole.matrices, norms="inf"), ("derived",)),
    ],
    ("edelman2022/4.5-stronger", "log_N"): vectors("mixed", "columns"),
    **{
        (f"edelman2022/{number}", "log_N"): _heads(f"edelman2022/{number}")
        for number in ("4.4", "A.11", "A.12", "A.12-equal-heads")
    },
    **{(f"edelman2022/{number}", "log_N"): _deep(f"edelman2022/{number}") for number in ("A.17", "4.6")},
}  # fmt: skip


# --- the checks -----------------------------------------------------------------------------------------------------


def covering(effort: Effort, key: str) -> Iterator[Result]:
    for part in registry.find(key).parts:
        where = key, part.name
        if where not in ATTACKS:
            continue
        attack, again = ATTACKS[where], part.name.endswith("_appendix")  # the same forms but for the printed one
        if not again:
            yield from both_sides(*where, BUILT.get(where, []), attack, effort)
        for fall in REFUTED.get(where, []):
            yield along(*where, fall.at, fall.ray, fall.ts, fall.note, attack)
        if key not in MISPRINTED and hidden(key, "printed", part.name):
            yield constant_needed(*where, effort, POINTS, attack)
        if key in EDGES and not again:
            at, names = EDGES[key]
            yield at_edge(*where, at, ONE_INPUT.format(names), attack)


for _key in dict.fromkeys(key for key, _ in BUILT):
    check(_key)(partial(covering, key=_key))


@check("edelman2022/sec2-linear-cover")
def no_centres(effort: Effort) -> Result:
    """From eps = B_X B_w m on the printed bound is not positive."""
    at = {name: Fraction(x) for name, x in (("eps", 2), ("m", 1), ("B_X", 1), ("B_w", 1))}
    bound = size("edelman2022/sec2-linear-cover", "printed", "N_inf", at)
    assert bound < 0
    return Result(
        "fails",
        "refuted",
        "it is negative where eps > B_X B_w m, for every constant, and a cover has a centre",
        instances=1,
        counterexample={**{name: str(x) for name, x in at.items()}, "packing": "the class is not empty"},
        part="N_inf",
        printed_value=decimal(bound),
        true_value="1",
    )
