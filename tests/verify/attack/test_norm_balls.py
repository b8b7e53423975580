"""Norm balls: projections land inside, at the nearest point, and leave members alone."""

import pytest
import torch

from maurey.verify.attack import norm_balls
from maurey.verify.attack.norm_balls import NORMS, project

torch.set_num_threads(1)


def random_matrices(n, m, seed, E=60):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(E, n, m, dtype=torch.float64, generator=rng) * 10 ** (
        2 * torch.rand(E, 1, 1, dtype=torch.float64, generator=rng) - 1
    )


@pytest.mark.parametrize("kind", NORMS)
@pytest.mark.parametrize(("n", "m"), [(1, 4), (4, 1), (3, 3), (2, 7), (12, 10)])
def test_projections_land_inside_and_leave_members_alone(kind, n, m):
    M, bounds = random_matrices(n, m, 1), {kind: torch.full((60,), 0.7, dtype=torch.float64)}
    inside = project(M, bounds)
    assert norm_balls.inside(inside, bounds).all()
    assert not norm_balls.inside(M, bounds).all()
    assert torch.allclose(project(inside, bounds), inside, atol=1e-13)
    assert (NORMS[kind](inside)[NORMS[kind](M) > 0.7] > 0.7 - 1e-9).all()  # what was outside is on the boundary


@pytest.mark.parametrize("kind", ["spectral", "rows", "columns", "entries", "frobenius"])
def test_projections_are_the_nearest_points(kind):
    """For a convex set P is the nearest point iff (M - P) . (Y - P) <= 0 for every member Y."""
    bounds = {kind: torch.ones(60, dtype=torch.float64)}
    M, Y = random_matrices(4, 5, 2), project(random_matrices(4, 5, 3), bounds)
    P = project(M, bounds)
    assert (((M - P) * (Y - P)).sum((1, 2)) <= 1e-9).all()


def test_an_intersection_of_norm_balls_is_reached():
    bounds = {kind: torch.full((60,), b, dtype=torch.float64) for kind, b in
              (("columns", 0.4), ("spectral", 0.6), ("rows", 0.5), ("row_sum", 0.9), ("column_sum", 0.8))}  # fmt: skip
    assert norm_balls.inside(project(random_matrices(4, 4, 5), bounds), bounds).all()
