"""Appendix B, attention: its lemmas say that weights exist. They are built, within the norms that are printed, and
checked on every input, or on many; and where no weights within these norms can do it, that is shown. That the weights
of the printed proofs miss is a gap of those.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import sympy

from maurey.numeric.binding import bind
from maurey.numeric.evaluation import value
from maurey.numeric.exact import texts
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, besides, check
from maurey.verify.prove.arguments import positive
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import conclude, formula
from maurey.verify.tally import At, Tally

from .weights import counterexamples, unit_vectors

B, HALF = "edelman2022/B.", Fraction(1, 2)
SHARES = (Fraction(0), Fraction(1, 10), HALF, Fraction(99, 100))  # of the largest coherence
KNOWN = 3  # up to coherence 1/(3 s) the printed norms are enough
Target = Callable[[Any], Any]  # bits (N, T) -> (N, coordinates)

# --- B.2 to B.4: attention ----------------------------------------------------------------------------------------


def _cases(effort: Effort, most: Callable[[int], int], below: bool = False) -> Iterator[tuple[At, Any, str]]:
    """Parameters, vectors and their family; the coherence goes up to 1/most(s). `below`: as B.4 has it, with gamma
    below 1 and above s times the coherence."""
    rng, turn = np.random.default_rng(effort.seed), 0
    small = [(1, 1), (2, 1), (2, 2), (3, 3), (5, 2), (7, 3), (9, 4), (10, 1), (8, 8), (12, 5), (12, 12)]
    large = [(int(T * effort.scale**0.5), s) for T, s in ((100, 1), (200, 3), (300, 8))]
    gammas = itertools.cycle((Fraction(1), Fraction(1, 3), Fraction(1, 1000)))
    for (T, s), share in itertools.product([*small, *large], SHARES):
        coherence = share * Fraction(1, most(s))
        names = ["orthonormal"] if share == 0 else [*unit_vectors.FAMILIES, "drawn"][1:]
        if T > 8:  # a few of them, by turns
            names = [names[(turn := turn + 1) % len(names)] for _ in range(2 + 2 * (T <= 12))][: len(names)]
        for name in names:
            try:
                found = unit_vectors.vectors(name, T, s, coherence, rng)
            except ValueError:
                continue
            gamma = next(gammas)
            if below:
                gamma = s * coherence + (1 - s * coherence) * min(gamma, Fraction(999, 1000))
            yield dict(T=T, s=s, gamma=gamma, coherence=coherence), found, name


def _measure(
    tally: Tally, tokens: Any, heads: Any, at: At, target: Target, bag: bool, effort: Effort, suffix: str = "",
    **where: Any,
) -> None:  # fmt: skip
    """Norms and error of one set of weights, into the tally."""
    from .weights import heads as c

    b = c.inputs(at["T"], at["s"], 16 * effort.scale, np.random.default_rng(effort.seed + at["T"]))
    error, worst = c.worst(c.outputs(tokens, heads, b, bag), target(b), b)
    for name, norm in c.norms(heads).items():
        tally.see(f"{name}{suffix}", norm, at, **where)
    tally.see(f"error{suffix}", error, at, len(b), b=worst, **where)


def _least_step(target: Target, s: int, turned: bool = False) -> float:
    """g(r+1) - g(r) at its least; `turned` reads a decreasing target as an increasing one."""
    import torch

    steps = target(torch.tril(torch.ones(s + 1, s, dtype=torch.float64), -1))[:, 0].diff()
    return float((-steps if turned else steps).min())


def _misses(sure: Tally, family: str, at: At, error_of: Any, also: list[tuple[int, ...]]) -> Result:
    """The printed weights on all inputs, in balls; whether another scale would do, on those that count; and whether
    they are right where relevant scores cannot differ."""
    gram = unit_vectors.FAMILIES[family](at["T"], at["s"], at["coherence"])
    error, R = error_of(gram, at["s"]), value(sure.key, "printed", "W_Q", at)
    b, found = counterexamples.worst_input(error, at["T"], R)
    bound, reach = at["gamma"] / 4, 50 * int(float(R) + 1)
    if not found > counterexamples.ball(bound):
        return Result("undecided", "constructed", "the witness against the printed weights is none", part="error")
    every = counterexamples.fails_at_every_scale(error, [b, *also], bound, reach)
    note = "the weights of the printed proof, whose key is the sum of the relevant vectors, give relevant positions "
    note += f"unequal scores ({family} vectors, all inputs, in balls)"
    note += f"; every other scale R up to {reach} misses, too" if every else ""
    least = float(found.lower())
    witness = texts(at) | {"vectors": family, "b": list(b), "measured": least}
    return Result("fails", "constructed", note + _where_right(sure), instances=sure.instances["error"],
                  tightness=sure.ratios["error"], counterexample=witness, part="error", proof=True,
                  printed_value=str(float(bound)), true_value=str(least))  # fmt: skip


def no_head(key: str, others: int, gamma: Fraction, moves: Any, margin: Fraction) -> Result:
    """For s = 2: vectors within the domain to which no head can attend."""
    gram = unit_vectors.surrounded(2, others)
    at = dict(T=2 + others, s=2, gamma=gamma, coherence=unit_vectors.coherence_of(gram))
    bind(registry.find(key), "printed", "error", at)  # raises outside of the stated domain
    least = counterexamples.least_error(moves, others, margin)
    if not counterexamples.is_surrounded(gram, 2) or not least > counterexamples.ball(gamma / 4):
        return Result("undecided", "refuted", "the surrounded vectors do not refute it", part="error")
    vectors = "the relevant two at -1/3; the others are their mean plus the corners of a simplex"
    witness = texts(at) | {"vectors": vectors, "margin": str(margin), "error of any head": float(least.lower())}
    note = (
        "no head with the stated norms of W_V and W_C does it, whatever W_Q and W_K: the other vectors have the mean "
    )
    note += "of the relevant ones and always outweigh one of them"
    return Result("fails", "refuted", note, counterexample=witness, part="error", printed_value=str(float(gamma / 4)),
                  true_value=str(float(least.lower())))  # fmt: skip


EVERY = "all inputs up to T = 12 and many beyond, for vectors of every kind"
EVEN = "a key that gives relevant positions equal scores"
STATED = f"weights within the printed norms, for coherence up to 1/(3 s): {EVEN}, {EVERY}"
DUAL = f"{EVEN}, for coherence below 1/(2 s - 1), {EVERY}"
TURNED = "as printed the target has +1 for a 0 and decreases from g(0) = 1: read with the two bits exchanged"
EXTRACTED = "W_V of the s heads is read with e_1, as in B.3: with e_2, as extracted, W_V W_C = 0"


def _where_right(sure: Tally) -> str:
    if sure.exceeded("error"):
        return "; they fail even where relevant scores cannot differ"
    share, count = sure.ratios["error"], sure.instances["error"]
    return f"; with s = 1 or coherence 0 they are right ({count} inputs, at most {share:.4f} of it)"


def _enough(key: str, *given: Any, slack: int) -> Result:
    """The printed norm of W_Q is at least what the key that works needs, wherever 3 s Delta <= 1: its logarithm is, and
    what it multiplies, though not by `slack` percent."""
    s, Delta, said, needed = positive("s coherence Y Z")
    printed, derived = (formula(key, form, "W_Q") for form in ("printed", "derived"))
    (larger,), (smaller,) = printed.atoms(sympy.log), derived.atoms(sympy.log)
    printed, derived = printed.subs(larger, said), derived.subs(smaller, needed)
    inside = (s >= 1, KNOWN * s * Delta <= 1, *given)
    more = (1 + sympy.Rational(slack, 100)) * derived
    steps = [polynomial(printed >= derived, *inside, said >= needed, control=printed >= more)]
    if larger != smaller:
        (a,), (b,) = larger.args, smaller.args
        steps.append(polynomial(a >= b, *inside, control=a >= sympy.Rational(101, 100) * b))
    note = "for coherence up to 1/(3 s) it is at least what a key with equal scores needs (z3), which was built"
    return conclude(note, steps, part="W_Q")


@check(B + "2")
def deterministic_positions(effort: Effort) -> Iterator[Result]:
    from .weights import heads as c

    key = B + "2"
    stated, sure, derived = Tally(key, "printed"), Tally(key, "printed"), Tally(key, "derived")
    for tally, most in ((stated, lambda s: KNOWN * s), (derived, lambda s: 2 * s - 1)):
        for at, vectors, family in _cases(effort, most):
            s, tokens = at["s"], c.embed(vectors)
            mean = partial(c.mean_sign, s=s, turned=True)
            head = c.positions_head(tokens, s, float(value(key, tally.form, "W_Q", at)), dual=True)
            _measure(tally, tokens, heads=head, at=at, target=mean, bag=False, effort=effort, vectors=family)
            tally.see("margin", _least_step(mean, s), at)
    for at, vectors, family in _cases(effort, lambda s: s):  # one position to each of s heads; and as printed
        s, tokens = at["s"], c.embed(vectors)
        for tally in (stated, derived):
            heads = c.positions_heads(tokens, s, float(value(key, tally.form, "W_Q_heads", at)))
            _measure(tally, tokens, heads=heads, at=at, target=partial(c.signs, s=s), bag=False, effort=effort,
                     suffix="_heads", vectors=family)  # fmt: skip
        if s == 1 or at["coherence"] == 0:
            head = c.positions_head(tokens, s, float(value(key, "printed", "W_Q", at)), dual=False)
            _measure(sure, tokens, heads=head, at=at, target=partial(c.mean_sign, s=s), bag=False, effort=effort)
    yield from stated.results(STATED, ("W_Q", "W_K", "W_V", "W_C", "error"))
    yield stated.result("margin", STATED)
    yield from (besides(TURNED), besides(EXTRACTED))
    yield from stated.results(f"weights as printed, {EVERY}", ("W_Q_heads", "W_K_heads", "W_V_heads", "W_C_heads"))
    yield stated.result("error_heads", f"weights as printed, {EVERY}")
    yield _enough(key, slack=1)
    at = dict(T=4, s=3, gamma=HALF, coherence=Fraction(1, 10))
    yield no_head(key, 11, HALF, counterexamples.positions_moves(), Fraction(1))
    yield _misses(sure, "tilted", at, counterexamples.positions_error, [(0, 0, 0, 1), (1, 1, 1, 0)])
    yield from derived.results(DUAL)


@check(B + "3")
def trained_positions(effort: Effort) -> Iterator[Result]:
    from .weights import heads as c

    sizes = [(1, 1), (2, 2), (6, 1), (9, 4), (12, 1), (12, 3), (12, 12), (150, 4), (300 * effort.scale, 1)]
    for form in ("printed", "derived"):
        tally, turned = Tally(B + "3", form), form == "derived"
        for (T, s), gamma in itertools.product(sizes, (Fraction(1), Fraction(1, 10), Fraction(1, 10**4))):
            at = dict(T=T, s=s, gamma=gamma)
            R = float(value(B + "3", form, "W_Q", at))
            mean, each = partial(c.mean_sign, s=s, turned=turned), partial(c.signs, s=s)
            tokens = c.trained_positions(T, s, several=False)
            _measure(
                tally, tokens, heads=c.trained_head(tokens, s, R, turned), at=at, target=mean, bag=False, effort=effort
            )
            tally.see("P", float(tokens.V.norm(dim=1).sum()), at)
            tally.see("margin", _least_step(mean, s, turned=not turned), at)
            tokens, alone = c.trained_positions(T, s, several=True), at | {"s": 1}  # one position to each of s heads
            _measure(
                tally,
                tokens,
                heads=c.positions_heads(tokens, s, R),
                at=alone,
                target=each,
                bag=False,
                effort=effort,
                bits=s,
            )
            tally.see("P", float(tokens.V.norm(dim=1).sum()), at)
        note = "one head and s heads, all inputs up to T = 12 and many beyond; e_1, ..., e_s read as orthogonal to the "
        note += "embeddings of the bits, d = s + 3"
        yield from tally.results(note, [part for part in tally.ratios if part != "margin"])
        if not turned:
            yield tally.result("margin", note)
    yield besides(TURNED)


@check(B + "4")
def bags_of_vectors(effort: Effort) -> Iterator[Result]:
    from .weights import heads as c

    key = B + "4"
    stated, sure, derived = Tally(key, "printed"), Tally(key, "printed"), Tally(key, "derived")
    for tally, most, dual in (
        (stated, lambda s: KNOWN * s, True), (derived, lambda s: 2 * s - 1, True), (sure, lambda s: s, False),
    ):  # fmt: skip
        for at, vectors, family in _cases(effort, most, below=True):
            s, tokens = at["s"], c.embed(vectors)
            if not dual and s > 1 and at["coherence"]:
                continue  # as printed only where relevant scores cannot differ
            R = float(value(key, tally.form, "W_Q", at))
            for vector in (False, True):
                target = partial(c.bag_targets, s=s, vector=vector)
                where: dict[str, Any] = dict(vectors=family, outputs=s if vector else 1)
                _measure(tally, tokens, heads=c.bag_head(tokens, s, R, dual, vector), at=at, target=target, bag=True,
                         effort=effort, **where)  # fmt: skip
            tally.see("margin", min(_least_step(partial(c.bag_targets, s=s, vector=False), s), _apart(s)), at)
    yield from stated.results(STATED + "; row t is read as b_t v_t")
    gamma, s, Delta = positive("gamma s coherence")
    yield _enough(key, s * Delta < gamma, gamma < 1, slack=100)
    # s times the coherence is below gamma/4 here: no repair of that hypothesis helps
    at = dict(T=2, s=2, gamma=Fraction(9, 10), coherence=Fraction(1, 10))
    yield no_head(key, 83, Fraction(7, 10), counterexamples.bag_moves(2), HALF)
    yield _misses(sure, "huddled", at, counterexamples.bag_error, [(0, 0)])
    yield from derived.results(DUAL + "; the values are exact too")


@cache
def _apart(s: int) -> float:
    """The least distance of two values of the vector-valued target of bags, over all pairs up to s = 8."""
    from .weights import heads as c

    if s > 8:
        return 1 / s
    values = c.bag_targets(c.inputs(s, s, 0, np.random.default_rng(0)), s, True)
    far = (values[:, None] - values[None]).abs().amax(2)
    far.fill_diagonal_(1.0)
    return float(far.min())


# --- B.7: the softmax -----------------------------------------------------------------------------------------------


def _proved_truncation() -> bool:
    """With A = sum of exp z_t over t <= s and C over t > s the movement is 2 C/(A + C), which is largest at the largest
    C and the least A; there it is the derived form, the first bound is at least that, and the second more."""
    A, C, k, j, R = sympy.symbols("A C k j scale", positive=True)
    moved = (1 - A / (A + C)) + C / (A + C)
    extreme = sympy.simplify(moved - 2 * C / (A + C)) == 0
    monotone = sympy.factor(sympy.diff(moved, C)).is_positive and sympy.factor(sympy.diff(moved, A)).is_negative
    at = {"s": 1 + j, "T": 1 + j + k, "scale": R}  # s >= 1 and T >= s, as polynomials with positive coefficients
    printed, crude, derived = (
        _expression(part, form).subs({sympy.Symbol(name): value for name, value in at.items()})
        for part, form in (("moved", "printed"), ("crude", "printed"), ("moved", "derived"))
    )
    corner = (moved.subs({A: (1 + j) * sympy.exp(R), C: k}) - derived).simplify() == 0
    above = sympy.factor(sympy.together(printed - derived)).is_positive
    beyond = sympy.expand(sympy.simplify((crude - printed) * (1 + j) * sympy.exp(R))).is_positive
    return bool(extreme and monotone and corner and above and beyond)


def _expression(part: str, form: str) -> Any:
    steps = registry.find(B + "7").part(part).steps(form)
    made: dict[Any, Any] = {}
    for step in steps:
        made[sympy.Symbol(step.name)] = step.expr.doit().subs(made)
    return made[sympy.Symbol(steps[-1].name)]


@check(B + "7")
def softmax_truncation(effort: Effort) -> Iterator[Result]:
    from .weights import heads as c

    rng = np.random.default_rng(effort.seed)
    tallies = [Tally(B + "7", form) for form in ("printed", "derived")]
    for T, s in [(1, 1), (2, 1), (3, 2), (10, 1), (10, 9), (60, 7), (400, 1), (400, 399)]:
        for R in (Fraction(1, 1000), Fraction(1), Fraction(5), Fraction(12)):
            moved = float(c.truncation(T, s, float(R), 32 * effort.scale, rng).max())
            for tally, part in itertools.product(tallies, ("moved", "crude")):
                tally.see(part, moved, dict(T=T, s=s, scale=R), 32 * effort.scale + 2)
    proved = _proved_truncation()
    for tally in tallies:
        for found in tally.results("twice the mass outside, which is largest at z = R and 0; and scores of every kind"):
            yield replace(found, rung="proved") if proved and found.verdict == "holds" else found
