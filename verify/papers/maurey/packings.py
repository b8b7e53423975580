"""The covers that are ours from below: certified lower bounds on log N at their parameters."""

from __future__ import annotations

from maurey.numeric.types import Point
from maurey.verify.packings.classes import EVERYWHERE, FROBENIUS, LATTICE, ROW_SUM, Attack, int_of, scalar, square_of
from maurey.verify.packings.euclidean import ball_in_largest
from maurey.verify.packings.lower_bounds import Lower


def _score(p: Point) -> Lower:
    """Queries e_i and keys e_t, all different: the mT outer products are orthogonal."""
    return ball_in_largest(square_of(p, "B_QK_F", "B_X", "B_X"), int_of(p, "m") * int_of(p, "T"), proper=True)


ATTACKS: dict[tuple[str, str], Attack] = {
    ("maurey/lattice", "lattice"): LATTICE,
    ("maurey/lattice", "closed"): LATTICE,
    ("maurey/online", "scalar"): scalar("N", proper=True),
    ("maurey/online", "coordinates"): FROBENIUS,
    ("maurey/online", "net"): FROBENIUS,
    ("maurey/online", "everywhere"): EVERYWHERE,
    ("maurey/online", "columns"): ROW_SUM,
    ("maurey/online", "fine"): ROW_SUM,
    ("maurey/score", "score"): Attack(_score, lambda p: p["B_QK_F"] * p["B_X"] ** 2),
}
