"""Certificates: their ingredients one by one, and how often they are exceeded."""

from fractions import Fraction as F

import mpmath
import numpy as np
import pytest
import torch

from maurey.symbolic.claim import InputError
from maurey.verify.certificates import pacbayes
from maurey.verify.certificates.pacbayes import GRID, POINTS, REACH, certify, chernoff, divergence, seeger

T = 4
STRINGS = torch.tensor([[i >> j & 1 for j in range(T)] for i in range(2**T)], dtype=torch.float64)
POWERS = torch.tensor([2**j for j in range(T)])


def table(flat, strings):
    """A network with a parameter for each string of 4 bits, which is its output there."""
    return flat.gather(1, (strings @ POWERS.double()).long())


def kl(q, p):
    return (q * mpmath.log(q / p) if q else 0) + (1 - q) * mpmath.log((1 - q) / (1 - p))


def test_the_mean_of_draws():
    for q, n, delta in ((F(1, 10), 1000, F(1, 100)), (F(0), 50, F(1, 20)), (F(9, 10), 10, F(1, 2))):
        p = chernoff(q, n, delta)
        exact = mpmath.log(1 / mpmath.mpf(delta.numerator) * delta.denominator) / n
        assert kl(mpmath.mpf(q.numerator) / q.denominator, mpmath.mpf(p.numerator) / p.denominator) == pytest.approx(
            float(exact), rel=1e-9
        )
    assert chernoff(F(1), 10, F(1, 2)) == 1


def divergence_of(q, p):
    with mpmath.workdps(60):
        return kl(*(mpmath.mpf(x.numerator) / x.denominator for x in (q, p)))


def test_bounds_are_upper_ends():
    """The exact divergence from the estimate is not below what it may be: the bound is beyond the root."""
    with mpmath.workdps(60):
        for q, n, delta in ((F(1, 10), 1000, F(1, 100)), (F(1, 3), 77, F(1, 20)), (F(1, 7), 2000, F(1, 3))):
            allowed = mpmath.log(mpmath.mpf(delta.denominator) / delta.numerator) / n
            assert divergence_of(q, chernoff(q, n, delta)) >= allowed
        for q, KL, n, delta in ((F(1, 20), F(300), 4096, F(1, 100)), (F(2, 7), F(1, 3), 100, F(1, 7))):
            price = mpmath.log(2 * mpmath.sqrt(n) * delta.denominator / delta.numerator)
            allowed = (mpmath.mpf(KL.numerator) / KL.denominator + price) / n
            assert divergence_of(q, seeger(q, KL, n, delta)) >= allowed


def first(flat, strings):
    """A network that answers its first parameter, whatever the string."""
    return flat[:, :1].expand(-1, strings.shape[1])


def test_draws_have_the_deviation_and_the_strings():
    """The labels are 0."""
    gibbs = pacbayes.Gibbs(first, torch.zeros(3), "squared")
    found = gibbs.losses(0.125, (STRINGS, torch.zeros(16)), 4000, 3, np.random.default_rng(0))
    assert float(sum(found) / 4000) == pytest.approx(0.125**2, rel=0.1)
    assert len(set(found)) > 50


def test_noise_is_that_of_its_table():
    """A Gaussian on the lattice: mean 0, variance POINTS^2, and the law itself to 2^-64."""
    J = pacbayes.noise((2000, 200), np.random.default_rng(0))
    assert np.array_equal(J, np.rint(J))
    assert abs(J.mean()) < 0.2
    assert J.var() == pytest.approx(POINTS**2, rel=0.02)
    table = [0, *map(int, pacbayes._table()), 2**64]
    with mpmath.workdps(40):
        weights = {j: mpmath.exp(-(mpmath.mpf(j) ** 2) / (2 * POINTS**2)) for j in range(-2 * REACH, 2 * REACH + 1)}
        total, drawn = (
            sum(weights.values()),
            {j: table[j + REACH + 1] - table[j + REACH] for j in range(-REACH, REACH + 1)},
        )
        missed = sum(abs(mpmath.mpf(drawn.get(j, 0)) / 2**64 - w / total) for j, w in weights.items()) / 2
        assert 0 < missed < mpmath.mpf(2) ** -55


def test_the_divergence_is_that_of_the_law_which_is_drawn():
    """Summed over the lattice, for a shift of 5 points."""
    weights = {j: mpmath.exp(-(mpmath.mpf(j) ** 2) / (2 * POINTS**2)) for j in range(-400, 401)}
    total = sum(weights.values())
    exact = sum(w / total * (((j + 5) ** 2 - j**2) / mpmath.mpf(2 * POINTS**2)) for j, w in weights.items())
    shifted = divergence(torch.tensor([5 / 64]), torch.tensor([0.0]), 0.25)
    assert float(shifted) == pytest.approx(float(exact), rel=1e-12)
    assert shifted == F(25, 2 * POINTS**2)


def test_what_is_drawn_are_floats_of_single_precision():
    mean = torch.tensor([0.3, -4.0, 31.0])
    for s in GRID:
        J = torch.from_numpy(pacbayes.noise((50, 3), np.random.default_rng(1)))
        drawn = (pacbayes.on_lattice(mean, s) + J) * (s / POINTS)
        assert pacbayes.fits(mean, s)
        assert torch.equal(drawn.float().double(), drawn)
    assert not pacbayes.fits(torch.tensor([40.0]), GRID[-1])


def tangled(flat, strings):
    """A network whose outputs depend on how many are computed at once, as those of libraries do."""
    return table(flat, strings) + 1e-13 * strings.shape[1] * flat.shape[0]


def test_losses_do_not_depend_on_how_many_are_computed_at_once(monkeypatch):
    made = []
    for cells in (16, 16 * 7, 1 << 22):
        monkeypatch.setattr(pacbayes, "CELLS", cells)
        monkeypatch.setattr(pacbayes, "AT_ONCE", max(1, cells // 16))
        made.append(certificate(draws=50, forward=tangled))
    assert made[0] == made[1] == made[2]


def test_means_are_exact_and_rounded_up():
    assert pacbayes.mean_of([F(1, 3), F(1, 3), F(0)]) == F(2, 9)
    assert F(pacbayes.up(F(2, 9))) >= F(2, 9) > F(np.nextafter(pacbayes.up(F(2, 9)), 0))
    found = certificate(draws=300)
    assert F(found["mean"]) >= 0
    assert found["prior"]["mean"] <= found["prior"]["bound"] <= 1


def test_seegers_bound():
    p = seeger(F(1, 20), F(300), 4096, F(1, 100))
    c = (300 + mpmath.log(2 * mpmath.sqrt(4096) * 100)) / 4096
    assert kl(mpmath.mpf("0.05"), mpmath.mpf(p.numerator) / p.denominator) == pytest.approx(float(c), rel=1e-9)
    assert F(999, 1000) < seeger(F(1, 20), F(10**9), 100, F(1, 100)) <= 1


def certificate(n=64, seed=0, rng=None, forward=table, **more):
    rng = rng or np.random.default_rng(seed)
    strings = STRINGS[rng.integers(2**T, size=n)]
    labels = torch.from_numpy(rng.integers(2, size=n).astype(float))
    mean = torch.full((2**T,), 0.5, dtype=torch.float64)
    for x, y in zip((strings @ POWERS.double()).long(), labels, strict=True):
        mean[x] = y  # the last label that was seen
    prior = torch.full_like(mean, 0.5)
    test = STRINGS.repeat(2, 1), torch.cat([torch.zeros(2**T), torch.ones(2**T)]).double()
    return certify(forward, mean, prior, strings, labels, rng, test=test, **more)


def test_what_a_certificate_is_made_of():
    found = certificate(draws=300, delta=F(1, 10))
    assert found["sigma"] in GRID
    assert found["parameters"] == 16
    assert found["delta_draws"] == pytest.approx(0.02)
    assert F(found["gibbs_above"]) >= chernoff(F(found["gibbs"]), 300, F(1, 50))
    again = seeger(F(found["gibbs_above"]), F(found["KL"]), 64, F(2, 25) / len(GRID))
    assert found["bound"] == pytest.approx(float(again), rel=1e-9)
    assert found["gibbs"] < found["gibbs_above"] < found["bound"]
    assert found["test_mean"] == pytest.approx(0.5, abs=0.2)  # coins: nothing is to be learned


@pytest.mark.parametrize("loss", ["squared", "wrong"])
def test_certificates_are_not_exceeded_and_without_their_price_they_are(loss, monkeypatch):
    """Labels are coins, and tables know those of the sample by heart."""
    delta, rng = F(1, 5), np.random.default_rng(1)
    found = [certificate(16, rng=rng, loss=loss, delta=delta, draws=200) for _ in range(25)]
    assert sum(one["test_gibbs"] - 3 * one["test_gibbs_error"] > one["bound"] for one in found) <= 25 * delta
    monkeypatch.setattr(pacbayes, "seeger", lambda loss, KL, n, delta: loss)
    free = [certificate(16, rng=rng, loss=loss, delta=delta, draws=200) for _ in range(25)]
    assert sum(one["test_gibbs"] - 3 * one["test_gibbs_error"] > one["bound"] for one in free) > 20


def test_draws_have_a_price():
    few, many = (certificate(draws=draws) for draws in (100, 4000))
    assert few["gibbs_above"] - few["gibbs"] > many["gibbs_above"] - many["gibbs"]


def test_the_grid_has_its_price(monkeypatch):
    """Each of its values gets its share of the probability of failure."""
    shares, plain = [], pacbayes.seeger

    def noted(loss, KL, n, delta):
        shares.append(delta)
        return plain(loss, KL, n, delta)

    monkeypatch.setattr(pacbayes, "seeger", noted)
    monkeypatch.setattr(pacbayes, "GRID", (0.25, 0.5, 1.0))
    certificate(draws=50, delta=F(1, 10))
    assert set(shares) == {F(1, 10) * F(4, 5) / 3}


def test_outputs_that_are_no_numbers_count_as_errors():
    f, y = torch.tensor([float("nan"), float("inf"), 0.2, 0.9]), torch.zeros(4)
    assert pacbayes.squared(f, y).tolist() == pytest.approx([1, 1, 0.04, 0.81], rel=1e-4)
    assert pacbayes.wrong(f, y).tolist() == [1, 1, 0, 1]


def test_bad_input():
    with pytest.raises(InputError, match="no loss 'hinge'; there are squared, wrong"):
        certificate(loss="hinge")
    with pytest.raises(InputError, match="at least 8 strings, got 4"):
        certificate(4)
    with pytest.raises(InputError, match="one number of parameters, got 3 and 2"):
        certify(table, torch.zeros(3), torch.zeros(2), STRINGS, STRINGS[:, 0], np.random.default_rng(0))
