"""Linear covers by counting corrections (maurey/online) or by counting entries, whichever is less."""

from __future__ import annotations

from dataclasses import replace

from sympy import Min

from .covers import online_everywhere, online_net, online_row_sum, volumetric
from .derivation import Derivation
from .entropy import Entropy, minimum, quadratic
from .modules import Weight, times
from .norms import norm


def column_corrections(D: Derivation, w: Weight) -> Entropy:
    """The cover that counts corrections by dyadic norms of the columns that are dotted with the inputs."""
    M = w.matrix
    C = online_row_sum(norm(D, M, "row_sum"), w.radius, w.number, M.outputs).coefficient
    reason = "counting corrections, by dyadic norms of the columns"
    C = D.let(f"C_{M.label}", f"C_{{{M.mark}}}", C, reason, "maurey/online")
    return quadratic(C).trivial(times(norm(D, M, "frobenius"), w.radius))


def columns_or_entries(D: Derivation, w: Weight) -> Entropy:
    """By counting entries; or corrections, where the norms of the columns are bounded."""
    if w.matrix.row_sum is None:
        return volumetric(D, w)
    reason = "counting corrections or counting entries, whichever is less"
    return replace(minimum(column_corrections(D, w), volumetric(D, w)), reason=reason, key="maurey/online")


def corrections(D: Derivation, w: Weight) -> Entropy:
    """The covers that count corrections, but for those along coordinates: counting entries does better where outputs
    are few."""
    M, R, N = w.matrix, w.radius, w.number
    F = norm(D, M, "frobenius")
    found = [online_net(F, R, N, M.outputs), online_everywhere(F, R, M.inputs, M.outputs)]
    if M.row_sum is not None:
        found.append(online_row_sum(M.row_sum, R, N, M.outputs))
    C = Min(*(cover.coefficient for cover in found))
    C = D.let(f"C_{M.label}", f"C_{{{M.mark}}}", C, "the best of the covers that count corrections", "maurey/online")
    return quadratic(C).trivial(times(F, R))


def best_cover(D: Derivation, w: Weight) -> Entropy:
    """By counting corrections, or entries."""
    reason = "the best of counting corrections and counting entries"
    return replace(minimum(corrections(D, w), volumetric(D, w)), reason=reason, key="maurey/online")
