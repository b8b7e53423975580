"""Covering numbers from both sides: covers that are built, and packings that no cover can undercut.

The claims on linear classes, heads and deep networks, and the covers of Maurey's own that their sharp forms use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check
from maurey.verify.covers import enumeration as whole
from maurey.verify.covers import instances as run
from maurey.verify.covers import networks
from maurey.verify.covers.linear import linear
from maurey.verify.packings.attacks import along, at_edge, constant_needed, decimal, hidden, survives, value
from maurey.verify.packings.claims import ATTACKS

from .covering_rays import EDGES, ONE_INPUT, REFUTED

POINTS = 300  # for each form, at the least effort

Instances = Callable[[Effort], Iterator[run.Instance]]
BOTH = ("derived", "sharp")


class Construction(NamedTuple):
    what: str
    instances: Instances
    forms: tuple[str, ...] = ()  # all, if none is named


ONLINE = "the cover that counts corrections, run in up to 1,000 dimensions"
WHOLE = "the same cover written out in tiny dimensions, all its centres against the worst members found"
LISTS = "Zhang's cover at half the error, members with one list within eps of each other"
BEST = "the best of the covers that count corrections, nets written out"
PRODUCT = "the cover of each weight at its share of the error, put together"


def _kinds(kind: str, norms: str) -> list[Construction]:
    return [Construction(ONLINE, partial(linear, kind=kind, norms=norms))]


def _vector(norms: str, kind: str) -> list[Construction]:
    """The best kind is no larger than the sharp form; any kind, in larger dimensions, no larger than the derived."""
    return [
        Construction(BEST, partial(linear, kind="best", norms=norms), BOTH),
        Construction(ONLINE, partial(linear, kind=kind, norms=norms), ("derived",)),
    ]


def _heads(key: str) -> list[Construction]:
    return [Construction(PRODUCT, partial(networks.heads, key=key), BOTH)]


def _deep(key: str) -> list[Construction]:
    return [Construction(PRODUCT, partial(networks.deep, key=key), BOTH)]


BUILT: dict[tuple[str, str], list[Construction]] = {
    ("edelman2022/sec2-linear-cover", "N_inf"): [Construction(ONLINE, partial(run.scalar, number="m"), BOTH)],
    ("edelman2022/A.10", "log_N"): [
        Construction(ONLINE, run.scalar),
        Construction(WHOLE, whole.scalars),
        Construction(LISTS, partial(run.zhang, share=Fraction(1, 2)), ("derived",)),
    ],
    ("edelman2022/4.5", "log_N"): [
        *_vector("inf", "coordinates"), Construction(WHOLE, partial(whole.matrices, norms="inf"), ("derived",)),
    ],
    ("edelman2022/4.5-stronger", "log_N"): _vector("mixed", "columns"),
    ("edelman2022icml/4.6", "log_N"): _vector("21", "columns"),
    **{
        (f"edelman2022/{number}", "log_N"): _heads(f"edelman2022/{number}")
        for number in ("4.4", "A.11", "A.12", "A.12-equal-heads")
    },
    **{(f"edelman2022/{number}", "log_N"): _deep(f"edelman2022/{number}") for number in ("A.17", "4.6")},
    ("maurey/lattice", "lattice"): [
        Construction("both roundings, in up to 10^5 dimensions", run.lattice),
        Construction("the lattice written out in tiny dimensions, its points counted", whole.lattices),
    ],
    ("maurey/online", "scalar"): [Construction(ONLINE, run.scalar), Construction(WHOLE, whole.scalars)],
    ("maurey/online", "coordinates"): [
        *_kinds("coordinates", "F"), Construction(WHOLE, partial(whole.matrices, norms="F")),
    ],
    ("maurey/online", "net"): [
        *_kinds("net", "F"), Construction(WHOLE, partial(whole.matrices, norms="F", kind="net")),
    ],
    ("maurey/online", "everywhere"): _kinds("everywhere", "F"),
    ("maurey/online", "columns"): _kinds("columns", "21"),
    ("maurey/score", "score"): [Construction("corrections along pairs of query and key", networks.scores)],
}  # fmt: skip


# --- the checks -----------------------------------------------------------------------------------------------------


def covering(effort: Effort, key: str) -> Iterator[Result]:
    for part in registry.find(key).parts:
        where = key, part.name
        if where not in ATTACKS:
            continue
        for one in BUILT.get(where, []):
            yield from run.built(*where, one.instances(effort), one.what, one.forms)
        again = part.name.endswith("_appendix")  # the same forms but for the printed one
        for form in part.forms:
            if not hidden(*where, form) and not again:
                yield survives(*where, form, effort, POINTS)
        for fall in REFUTED.get(where, []):
            yield along(*where, fall.at, fall.ray, fall.ts, fall.note)
        if where not in REFUTED and hidden(*where, "printed"):
            yield constant_needed(*where, effort, POINTS)
        if key in EDGES and not again:
            at, names = EDGES[key]
            yield at_edge(*where, at, ONE_INPUT.format(names))


for _key in dict.fromkeys(key for key, _ in BUILT):
    check(_key)(partial(covering, key=_key))


@check("edelman2022/sec2-linear-cover")
def no_centres(effort: Effort) -> Result:
    """From eps = B_X B_w m on the printed bound is not positive."""
    at = {name: Fraction(x) for name, x in (("eps", 2), ("m", 1), ("B_X", 1), ("B_w", 1))}
    bound = value("edelman2022/sec2-linear-cover", "N_inf", "printed", at)
    assert bound < 0
    return Result(
        "fails", "refuted", "it is negative where eps > B_X B_w m, for every constant, and a cover has a centre", 1,
        counterexample={**{name: str(x) for name, x in at.items()}, "packing": "the class is not empty"}, part="N_inf",
        printed_value=decimal(bound), true_value="1",
    )  # fmt: skip


@check("maurey/read")
def read(effort: Effort) -> Result:
    """Networks whose last layer is covered on the token that is read only: the output is as near as is promised."""
    found = [*networks.deep(effort), *networks.deep(effort, "edelman2022/4.6")]
    for one in found:
        if one.error > 1 + run.ROUNDING or not one.inside:
            at = {name: str(x) for name, x in one.at.items()} | {"error": str(one.error)}
            return Result("fails", "refuted", "the output is off by more than eps", len(found), counterexample=at)
    farthest = max(one.error for one in found)
    note = f"covers of the last layer on m vectors and mT pairs only: outputs within {farthest:.2f} eps"
    return Result("holds", "constructed", note, len(found))
