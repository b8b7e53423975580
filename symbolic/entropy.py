"""Entropies: log N as a function of eps.

An entropy is an upper bound on the logarithm of a covering number, for every eps > 0. Counts stay integers:
ceilings and binomials are kept as such and decided exactly when a number is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sympy import Expr, Integer, Max, Min, Piecewise, S, Sum, Symbol, binomial, ceiling, log, sqrt, sympify


@dataclass(frozen=True)
class Entropy:
    """log N <= log_size(resolution(eps)). The resolution is what a base cover is asked for: eps, or a share of it."""

    log_size: Callable[[Expr], Expr]
    coefficient: Expr  # C of the leading C/eps^2; a logarithm that holds eps is replaced by 1
    proper: bool  # the centres lie in the class (an external cover's need not)
    reason: str = ""
    key: str = ""
    resolution: Callable[[Expr], Expr] = lambda eps: eps
    asked: str = ""  # why the resolution is not eps
    moved: bool = False  # whether centres were moved into the class
    offset: Expr | None = None  # p with log N <= p + coefficient/eps^2 for every eps, where there is one
    flat: Expr = S.Zero  # of log N, what does not change with eps; eps^2 times the rest does not increase with eps
    whole: Expr | None = None  # C with log N <= C/eps^2 for every eps, where there is one beside offset and coefficient
    count: Expr | None = None  # p of p log(1 + R/eps), where parameters are counted

    def at(self, eps: Expr) -> Expr:
        return self.log_size(self.resolution(eps))

    @property
    def everywhere(self) -> Expr | None:
        """C with log N <= C/eps^2 for every eps."""
        return self.coefficient if self.offset == 0 else self.whole

    def __add__(self, other: Entropy) -> Entropy:
        """The product of two classes, both covered at eps."""
        return Entropy(
            lambda eps: self.at(eps) + other.at(eps),
            self.coefficient + other.coefficient,
            self.proper and other.proper,
            offset=None if self.offset is None or other.offset is None else self.offset + other.offset,
        )

    def rescale(self, c: Expr) -> Entropy:
        """The class c F: N(cF, eps) = N(F, eps/c)."""
        return replace(
            self,
            resolution=lambda eps: self.resolution(eps / c),
            coefficient=c**2 * self.coefficient,
            whole=None if self.whole is None else c**2 * self.whole,
            asked=_and(self.asked, "the class is scaled"),
        )

    def side_by_side(self, d: Expr) -> Entropy:
        """d classes like this one, each covered at eps: log-sizes add."""
        return replace(
            self,
            log_size=lambda eps: d * self.log_size(eps),
            coefficient=d * self.coefficient,
            whole=None if self.whole is None else d * self.whole,
            offset=self.offset if self.offset is None or self.offset == 0 else d * self.offset,
            flat=self.flat if self.flat == 0 else d * self.flat,
        )

    def coordinates(self, d: Expr, q: Expr | None = None) -> Entropy:
        """d classes like this one as the coordinates of a vector measured in l_q, each covered at eps/d^(1/q); l2
        unless q is given."""
        share, which = (sqrt(d), "squared error") if q is None else (d ** (1 / q), "error's $q$-th power")
        return replace(
            self.side_by_side(d),
            resolution=lambda eps: self.resolution(eps / share),
            coefficient=d**2 * self.coefficient if q is None else share**2 * d * self.coefficient,
            whole=None,
            asked=_and(self.asked, f"each coordinate gets its share of the {which}"),
        )

    def trivial(self, radius: Expr) -> Entropy:
        """At and above the radius one centre, zero, covers the class: log N = 0."""
        return replace(
            self,
            log_size=lambda eps: Piecewise((Integer(0), eps >= radius), (self.at(eps), True)),
            resolution=lambda eps: eps,
        )

    def until(self, limit: Expr) -> Entropy:
        """A formula that holds only for eps <= limit, extended beyond it: N does not increase with eps."""
        return replace(
            self,
            resolution=lambda eps: self.resolution(Min(eps, limit)),
            offset=None,
            whole=None,
            asked=_and(self.asked, "no more than the largest resolution for which the formula holds"),
        )

    def made_proper(self) -> Entropy:
        """Replace each centre by a member of the class within eps/2 of it: N_proper(eps) <= N_external(eps/2)."""
        if self.proper:
            return self
        return replace(
            self,
            resolution=lambda eps: self.resolution(eps / 2),
            coefficient=4 * self.coefficient,
            whole=None if self.whole is None else 4 * self.whole,
            proper=True,
            moved=True,
            asked=_and(self.asked, "half the error is kept for moving the centres into the class"),
        )


def _and(before: str, reason: str) -> str:
    return f"{before}; {reason}" if before else reason


def minimum(*entropies: Entropy) -> Entropy:
    """The smallest of several covers of one class, chosen at each eps."""
    offsets = [e.offset for e in entropies if e.offset != 0]
    wholes = [C for e in entropies if (C := e.everywhere) is not None]
    return Entropy(
        lambda eps: Min(*(e.at(eps) for e in entropies)),
        Min(*(e.coefficient for e in entropies)),
        all(e.proper for e in entropies),
        offset=None if None in offsets else Max(*offsets) if len(offsets) > 1 else (offsets or [S.Zero])[0],
        whole=Min(*wholes) if wholes else None,
    )


def quadratic(C: Expr, p: Expr | int = 0, proper: bool = True) -> Entropy:
    """p + C/eps^2."""
    return Entropy(lambda eps: C / eps**2 if p == 0 else p + C / eps**2, C, proper, offset=sympify(p))


def parametric(p: Expr, R: Expr, proper: bool = True) -> Entropy:
    """p log(1 + R/eps), the volume count in dimension p. For the allocation, log(1 + x) counts as x^2."""
    return Entropy(lambda eps: p * log(1 + R / eps), p * R**2, proper, count=p)


def maurey(n: Expr, R: Expr) -> Entropy:
    """Maurey's sparsification of the l1 ball of radius R in n dimensions: k = ceil((R/eps)^2) signed atoms."""
    atoms = log(2 * n + 1)
    return Entropy(lambda eps: ceiling((R / eps) ** 2) * atoms, R**2 * atoms, True, offset=atoms)


def lattice_log_size(n: Expr, a: Expr, M: Expr, S: Expr) -> Expr:
    """The smaller of the dense lattice's and the sparse one's exact count; nothing but the origin for a <= 1."""
    j = Symbol("j")
    dense = Sum(2**j * binomial(n, j) * binomial(M, j), (j, 0, Min(n, M)))
    sparse = Sum(2**j * binomial(n, j) * binomial(2 * S, j), (j, 0, Min(n, S)))
    return Piecewise((Integer(0), a <= 1), (Min(log(dense), log(sparse)), True))


def lattice_terms(a: Expr) -> tuple[Expr, Expr]:
    """How many steps the dense lattice takes, and how large the sparse one's support is."""
    return Piecewise((Integer(1), a <= 4), (ceiling(a / 2) - 1, True)), ceiling(a / 4)


def lattice_closed(n: Expr, a: Expr) -> Expr:
    """Closed bounds on those counts: D(n, M) = D(M, n) is at most (2n + 1)^M and (2M + 1)^n, the other (4n + 1)^S."""
    M, support = ceiling(a / 2) - 1, ceiling(a / 4)
    counts = Min(M * log(2 * n + 1), n * log(2 * M + 1), support * log(4 * n + 1))
    return Piecewise((Integer(0), a <= 1), (log(2 * n + 1), a <= 4), (counts, True))


def lattice(n: Expr, R: Expr) -> Entropy:
    """Lattice covers of the l1 ball of radius R in n dimensions (maurey/lattice)."""
    return Entropy(
        lambda eps: lattice_closed(n, (R / eps) ** 2),
        R**2 / 4 * log(4 * n + 1),
        True,
        offset=log(4 * n + 1),
        whole=lattice_whole(n, R),
    )


def lattice_whole(n: Expr, R: Expr) -> Expr:
    """C of C/eps^2 at every resolution: what is left of the lattices without their ceilings (maurey/l1-ball)."""
    return R**2 * log(2 * n + 1)
