"""Learners that train in milliseconds: their true risks hardly ever exceed what is certified, and often do without its
price."""

from fractions import Fraction as F
from itertools import product

import numpy as np

from maurey.verify.certificates import bounds, messages
from maurey.verify.certificates.losses import of_array

DELTA, RUNS = F(1, 5), 80
CELLS = 4
NOISE = np.array([0.05, 0.1, 0.3, 0.45])  # how often the label of a cell is 0


def sample(n, rng):
    cells = rng.integers(CELLS, size=n)
    return cells, (rng.random(n) >= NOISE[cells]).astype(int)


def risk(table):
    """Of a table with an answer for each cell."""
    return float(np.where(table == 1, NOISE, 1 - NOISE).mean())


def online(n, rng, soft):
    """A table learns the label that was seen most; the loss is 0 or 1, or half of it where nothing was seen yet."""
    votes, losses, risks = np.zeros(CELLS), [], []
    for cell, label in zip(*sample(n, rng), strict=True):
        table = (votes > 0).astype(int)
        sure = np.where(votes == 0, 0.5, 1.0) if soft else np.ones(CELLS)
        losses.append(sure[cell] * (table[cell] != label) + (1 - sure[cell]) * 0.5)
        own = np.where(table == 1, NOISE, 1 - NOISE)
        risks.append(float((sure * own + (1 - sure) * 0.5).mean()))
        votes[cell] += 2 * label - 1
    return np.array(losses), np.mean(risks)


def exceeded(runs):
    """How often the true risk is above the bound."""
    return sum(true > bound for true, bound in runs)


def test_networks_that_change():
    rng = np.random.default_rng(0)
    for soft in (False, True):
        found = []
        for _ in range(RUNS):
            losses, true = online(60, rng, soft)
            found.append((true, float(bounds.least(bounds.prequential(of_array(losses), DELTA))), losses.mean()))
        assert exceeded([(true, bound) for true, bound, _ in found]) <= RUNS * DELTA
        assert exceeded([(true, mean) for true, _, mean in found]) > RUNS * DELTA  # the mean alone


def test_short_messages():
    """The table that errs least, of coins: its risk is one half."""
    rng, tables = np.random.default_rng(1), [np.array(t) for t in product((0, 1), repeat=6)]
    found = []
    for _ in range(RUNS):
        cells, labels = rng.integers(6, size=40), rng.integers(2, size=40)
        best = min(tables, key=lambda table: (table[cells] != labels).sum())
        losses = of_array((best[cells] != labels).astype(float))
        bits = messages.bits_of(messages.encode([best.tolist()]))
        paid, free = (float(bounds.least(bounds.occam(losses, DELTA, b))) for b in (bits, 0))
        found.append((paid, free))
    assert exceeded([(0.5, paid) for paid, _ in found]) <= RUNS * DELTA
    assert exceeded([(0.5, free) for _, free in found]) > RUNS * DELTA


def test_drawn_networks():
    """Answers are drawn cell by cell, more often those that were right; the prior is that of coins."""
    rng, found = np.random.default_rng(2), []
    for _ in range(RUNS):
        cells, labels = rng.integers(40, size=40), rng.integers(2, size=40)
        rights = np.array([(2 * labels[cells == c] - 1).sum() for c in range(40)])
        q = np.clip(0.5 + rights, 0.02, 0.98)
        KL = F(float((q * np.log(2 * q) + (1 - q) * np.log(2 * (1 - q))).sum()))
        drawn = (rng.random((100, 40)) < q).astype(int)
        losses = (drawn[:, cells] != labels).astype(float)
        total = sum(sum(of_array(row).units) for row in losses)
        paid, free = (float(bounds.gibbs(total, 100, 40, x, DELTA)[-1]["bound"]) for x in (KL, F(0)))
        found.append((paid, free))
    assert exceeded([(0.5, paid) for paid, _ in found]) <= RUNS * DELTA
    assert exceeded([(0.5, free) for _, free in found]) > RUNS * DELTA


def test_one_hypothesis():
    """Losses between 0 and 1, the best of three: exceeded no more often than allowed."""
    rng, delta = np.random.default_rng(3), F(1, 2)
    found = [of_array(rng.beta(0.3, 0.9, 25)) for _ in range(RUNS)]
    assert exceeded([(0.25, float(bounds.least(bounds.holdout(x, delta)))) for x in found]) <= RUNS * delta
    pools = rng.beta(0.3, 0.9, (RUNS, 40))
    drawn = [(pool.mean(), of_array(pool[:25])) for pool in pools]
    assert exceeded([(true, float(bounds.least(bounds.pool(x, delta, 40)))) for true, x in drawn]) <= RUNS * delta
