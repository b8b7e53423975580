"""Linear covers by counting corrections (maurey/online) or by counting entries, whichever is less."""

from __future__ import annotations

from dataclasses import replace

from .covers import best_corrections, online_narrow_sum, vector_corrections, volumetric
from .derivation import Derivation
from .entropy import Entropy, minimum, quadratic
from .modules import Weight, times
from .norms import norm


def column_corrections(D: Derivation, w: Weight) -> Entropy:
    """The covers that count corrections by norms of the columns that are dotted with the inputs, rounded up."""
    M = w.matrix
    B = norm(D, M, "row_sum")
    C = online_narrow_sum(B, w.radius, w.number, M.outputs).coefficient
    reason = "counting corrections, by norms of the columns, rounded up to powers of 16/17"
    C = D.let(f"C_{M.label}", f"C_{{{M.mark}}}", C, reason, "maurey/columns")
    return quadratic(C).trivial(times(norm(D, M, "frobenius"), w.radius))


def columns_or_entries(D: Derivation, w: Weight) -> Entropy:
    """By counting entries; or corrections, where the norms of the columns are bounded."""
    if w.matrix.row_sum is None:
        return volumetric(D, w)
    reason = "counting corrections or counting entries, whichever is less"
    return replace(minimum(column_corrections(D, w), volumetric(D, w)), reason=reason, key="maurey/online")


def best_cover(D: Derivation, w: Weight) -> Entropy:
    """By counting corrections, or entries: the latter does better where outputs are few, so that corrections along
    coordinates are left out."""
    F = norm(D, w.matrix, "frobenius")
    counted = best_corrections(D, w, vector_corrections(w, F), times(F, w.radius))
    reason = "the best of counting corrections and counting entries"
    return replace(minimum(counted, volumetric(D, w)), reason=reason, key="maurey/online")
