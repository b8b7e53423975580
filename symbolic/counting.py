r"""Covers that count the entries of a weight.

A maximal packing of any subset of a product of balls, in the norm max_j |.|_j/x_j, has at most prod (1 + 2 D_j/x_j)^p_j
points, D_j the radii and p_j the dimensions, by volume; it is a cover, and proper (maurey/packing). It covers the class
for all vectors of the radius at once. Of a table, on a sample, only those vectors count that occur in it.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, Min, log, sympify

from .covers import (
    Cover,
    online_coordinates,
    online_everywhere,
    online_scalar,
    vector_corrections,
    volumetric,
)
from .derivation import Derivation
from .entropy import Entropy, quadratic
from .modules import Weight, times
from .norms import norm

PACKING = "maurey/packing"


def packed(D: Derivation, w: Weight) -> Entropy:
    """For all vectors at once."""
    return replace(volumetric(D, w), key=PACKING)


def occurring(D: Derivation, w: Weight) -> Entropy:
    """For the vectors of a sample."""
    if w.by == "columns":
        w = replace(w, matrix=replace(w.matrix, inputs=w.number))
    return packed(D, w)


def reach(D: Derivation, w: Weight) -> Expr:
    """The longest that the weight makes of its vectors."""
    return times(norm(D, w.matrix, "frobenius" if w.scalar else w.by), w.radius)


def counted(D: Derivation, w: Weight) -> Entropy:
    """The same as C/eps^2, which chaining asks for. From the radius rho of the class on one centre is enough, and below
    it log(1 + 2 rho/eps) <= log 3 (rho/eps)^2: with x = rho/eps both sides agree at x = 1, and the left one has the
    smaller slope, 2/(1 + 2x) against 2x log 3."""
    columns = w.number if w.by == "columns" else sympify(w.matrix.inputs)
    p, rho = times(sympify(w.matrix.outputs), columns), reach(D, w)
    return replace(quadratic(log(Integer(3)) * p * rho**2).trivial(rho), reason=COUNTED, key=PACKING)


COUNTED = "entries counted by volume, and one centre from the radius of the class on"
BEST = "the best of counting corrections and counting entries; one centre from the radius of the class on"


def corrections_or_entries(D: Derivation, w: Weight) -> Entropy:
    """The best of what is known of a weight's norms, as C/eps^2: corrections (maurey/online) or entries. A read-out
    that is measured by its largest coordinate is one linear functional of the pairs of an output and a vector."""
    M, by_count = w.matrix, counted(D, w)
    found: list[Entropy] = []
    if w.by == "rows" and M.inputs != 1:
        found = [online_scalar(norm(D, M, "frobenius", best=True), w.radius, times(w.number, sympify(M.outputs)))]
    elif w.by == "columns" and M.frobenius is not None:
        found = [online_coordinates(M.frobenius, w.radius, w.number, sympify(M.outputs))]
    elif w.by == "spectral" and M.inputs != 1 and (w.scalar or M.outputs == 1):
        found = [online_scalar(norm(D, M, "frobenius"), w.radius, w.number)]
    elif w.by == "spectral" and M.inputs != 1:
        F = norm(D, M, "frobenius", best=True)
        found = [online_coordinates(F, w.radius, w.number, sympify(M.outputs)), *vector_corrections(w, F)]
    if not found:
        return by_count
    C = D.let(
        f"C_{M.label}", f"C_{{{M.mark}}}", Min(*(e.coefficient for e in [*found, by_count])), BEST, "maurey/online"
    )
    return replace(quadratic(C).trivial(reach(D, w)), reason=BEST, key="maurey/online")


def everywhere(D: Derivation, w: Weight) -> Entropy:
    """For all vectors of the radius at once, as C/eps^2: corrections along nets on both sides, or entries."""
    M = w.matrix
    if w.by == "columns":
        w = replace(w, number=sympify(M.inputs))
    by_count = counted(D, w)
    if w.by != "spectral" or M.inputs == 1:
        return by_count
    F = norm(D, M, "frobenius", best=True)
    corrections = online_everywhere(F, w.radius, sympify(M.inputs), sympify(M.outputs))
    C = Min(corrections.coefficient, by_count.coefficient)
    C = D.let(f"C_{M.label}", f"C_{{{M.mark}}}", C, BEST, "maurey/online")
    return replace(quadratic(C).trivial(reach(D, w)), reason=BEST, key="maurey/online")


def or_counted(cover: Cover) -> Cover:
    """A cover of linear maps, and for all that is none (a table, a gain, a bias) the count."""
    return lambda D, w: cover(D, w) if w.by == "spectral" and w.matrix.inputs != 1 else counted(D, w)
