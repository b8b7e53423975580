"""Routes from a network and its loss to a bound on the gap: a cover of the losses, a split of its error, a chain.

All of them bound one side, risk less empirical risk, of losses in [0, c], for all networks of the class at once. What
is covered is the loss, which the network ends with, never its scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sympy import Add, Expr, Integer, Min, S, Symbol, log, sqrt, sympify

from .allocation import Split, Term, allocate, allocate_counts, counts, in_parts, quadratic_total, total
from .capacity import LOG_N, covered
from .chain import TEXTBOOK, chained, cut_off, half_range, net, net_gap, one_scale, one_sided
from .corrections import columns_or_entries
from .counting import corrections_or_entries, everywhere, occurring, or_counted, packed
from .covers import Cover, length_free, maurey_columns, maurey_entries, online, zhang
from .derivation import Derivation
from .modules import Layers, Module, Signal, matrices_of, parts_of, times
from .norms import Matrix

delta, m, bits = Symbol("delta"), Symbol("m"), Symbol("bits")
SHARE = Integer(32)  # the resolution is sqrt(p/m) over so much: near the best for 8 to 800 nats for each parameter
GAP = r"\mathrm{risk}-\widehat{\mathrm{risk}}"


@dataclass(frozen=True)
class Way:
    """What a route is made of."""

    cover: Cover
    chain: str  # net, one scale, chained, Dudley
    key: str  # of the claim that ends it
    about: str
    split: Split = allocate


WAYS = {
    "net": Way(packed, "net", "maurey/net", "union over a net of all parameters", allocate_counts),
    "counting": Way(occurring, "one scale", "maurey/one-scale", "parameters counted at one scale", allocate_counts),
    "norms": Way(corrections_or_entries, "chained", "maurey/chaining", "norms: the best cover of each weight, chained"),
    "norm net": Way(everywhere, "net", "maurey/net", "norms: a union over a net for all inputs at once"),
    "length-free": Way(
        or_counted(length_free), "chained", "maurey/chaining", "norms: covers that do not count the inputs, chained"
    ),
    "Zhang": Way(or_counted(zhang), "Dudley", "dudley1967/integral", "norms: Zhang's covers, Dudley's integral"),
    "corrections": Way(online, "chained", "maurey/chaining", "norms: covers that count corrections, chained"),
    "Maurey": Way(or_counted(maurey_entries), "Dudley", "dudley1967/integral", "norms: entries by Maurey's lemma"),
    "Maurey's columns": Way(or_counted(maurey_columns), "Dudley", "dudley1967/integral", "norms: columns by the same"),
    "columns": Way(columns_or_entries, "one scale", "maurey/one-scale", "norms of columns, or entries counted"),
}
BITS = "bits"


def terms_of(D: Derivation, module: Module, x: Signal, way: Way, frozen: frozenset[str] = frozenset()) -> list[Term]:
    """Every weight that is trained, covered."""
    return [t for t in covered(D, module, x, way.cover) if t.label not in frozen]


def log_size(D: Derivation, terms: list[Term], eps: Expr, way: Way) -> Expr:
    return total(D, terms, eps, "log_N", LOG_N, "log-sizes of product covers add", split=way.split)


def in_shares(way: Way, parts: Mapping[str, Expr]) -> Way:
    """The same with a split that is given: one part in so many for each weight."""
    return replace(way, split=in_parts(parts)) if parts else way


def around(way: Way, moved: Mapping[str, Matrix]) -> Way:
    """The same for a class around fixed weights: what is covered is how far a weight is from its own, and with the
    covers of these differences the weights are covered. Radii are those of the weights."""
    cover = way.cover
    return replace(way, cover=lambda D, w: cover(D, replace(w, matrix=moved.get(w.matrix.label, w.matrix))))


def gap(D: Derivation, terms: list[Term], way: Way, c: Expr) -> Expr:
    """Of a loss in [0, c]."""
    if way.chain == "net":
        eps = resolution(D, terms, way, c)
        size = log_size(D, terms, eps, way) if _counts(way) else _closed_size(D, terms, eps)
        return net(D, eps, size, c, delta, m)
    half = half_range(D, c)
    dev = D.let("deviation", r"\mathrm{dev}", one_sided(c, delta, m), "the sample's deviation", "maurey/deviation")
    R = complexity(D, terms, way, c, half)
    return D.let("gap", GAP, 2 * R + dev, "symmetrization, one side", "maurey/deviation")


def _counts(way: Way) -> bool:
    return way.split is allocate_counts


def resolution(D: Derivation, terms: list[Term], way: Way, c: Expr) -> Expr:
    """At which the losses are covered once: near the best, and any other would do."""
    if _counts(way):
        eps, reason = times(c, sqrt(counts(D, terms) / m)) / SHARE, "near the best for so many parameters"
    elif any(t.entropy.offset is None for t in terms):
        raise ValueError("its covers are of outputs: give no loss")
    else:
        _, C = quadratic_total(D, terms)
        eps, reason = sqrt(times(c, sqrt(C / (2 * m))) / 2), r"the best for $C_{\mathcal F}/\varepsilon^2$"
    return D.let("eps_net", r"\varepsilon", eps, reason)


def _closed_size(D: Derivation, terms: list[Term], eps: Expr) -> Expr:
    """Where every cost is p + C/eps^2 the best split has a closed value."""
    p, C = quadratic_total(D, terms)
    value = C / eps**2 if p is None else p + C / eps**2
    return D.let("log_N", LOG_N, value, "the value of the best split", "edelman2022/A.8")


def complexity(D: Derivation, terms: list[Term], way: Way, c: Expr, half: Expr) -> Expr:
    if way.chain == "one scale":
        tau = resolution(D, terms, way, c)
        return one_scale(D, log_size(D, terms, tau, way), tau, half, m)
    if any(t.entropy.offset is None for t in terms):
        flats = [t.summed(t.entropy.flat) for t in terms if t.entropy.flat != 0]
        flat = D.let("flat", r"p_{\mathrm{flat}}", Add(*flats), "grids of norms") if flats else S.Zero
        return cut_off(D, TEXTBOOK, lambda tau: log_size(D, terms, tau, way), half, m, flat)
    p, C = quadratic_total(D, terms)
    return chained(D, C, half, m, p)


def finest(D: Derivation, terms: list[Term], way: Way, c: Expr) -> Expr:
    """The resolution at which a route covers the losses; of a chain, its last one."""
    if way.chain in ("net", "one scale"):
        return resolution(D, terms, way, c)
    half = half_range(D, c)
    if any(t.entropy.offset is None for t in terms):
        return half / sqrt(m)
    _, C = quadratic_total(D, terms)
    return D.let("s", "s", Min(half, sqrt(2 * C / m)), "the last level of the chain")


def own_size(D: Derivation, terms: list[Term], way: Way, c: Expr) -> Expr:
    """The log covering number of the losses at that resolution."""
    eps = finest(D, terms, way, c)
    if _counts(way) or any(t.entropy.offset is None for t in terms):
        return log_size(D, terms, eps, way)
    return _closed_size(D, terms, eps)


# --- bits -------------------------------------------------------------------------------------------------------------


Stored = Mapping[str, tuple[Expr, "tuple[Symbol, Expr] | None"]]  # by label; (i, L): so many in each layer


def stored(module: Module) -> Stored:
    """How many numbers the matrices are made of; one that is used twice counts once."""
    repeated = [part for part in parts_of(module) if isinstance(part, Layers)]
    over = {label: (part.index, part.number) for part in repeated for label in matrices_of(part)}
    return {
        label: (times(sympify(M.outputs), sympify(M.inputs)), over.get(label))
        for label, M in matrices_of(module).items()
    }


def number_of(numbers: Stored) -> Expr:
    """All together."""
    return Add(*(count if over is None else times(over[1], count) for count, over in numbers.values()))


def bits_gap(D: Derivation, numbers: Expr, c: Expr) -> Expr:
    """The class of the programs that differ in so many numbers, of so many bits each."""
    p = D.let("p_all", "P", numbers, "numbers that are stored, and trained")
    size = D.let("log_N", LOG_N, p * bits * log(Integer(2)), "programs that differ in their bits", "maurey/bits")
    value = net_gap(S.Zero, size, c, delta, m)
    return D.let("gap", GAP, value, "Hoeffding's inequality for each program, and a union", "maurey/bits")
