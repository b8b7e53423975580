"""Losses are read exactly, in every kind of file, and what is none is refused with the row it stands in."""

from fractions import Fraction as F

import numpy as np
import pytest

import maurey
from maurey.symbolic.errors import InputError
from maurey.verify.certificates import betting, bounds
from maurey.verify.certificates.losses import File, Losses, check_order, of_array, of_columns, of_file, of_networks
from maurey.verify.certificates.wording import CAP, FINE, GRID, UNIT


def text(name, *lines):
    return File(name, ("\n".join(lines) + "\n").encode())


def npy(array, tmp_path):
    np.save(tmp_path / "x.npy", array)
    return File.at(tmp_path / "x.npy")


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        (text("a.csv", "loss", "0", "0.5", "1"), [0, F(1, 2), 1]),
        (text("a.csv", "0", "0.5", "1e-1"), [0, F(1, 2), F(1, 10)]),
        (text("a.csv", "id,loss", "7,0.25", "8,1"), [F(1, 4), 1]),
        (text("a.csv", "label,prediction", "cat,dog", "cat,cat", "1,1.0"), [1, 0, 0]),
        (text("a.jsonl", "0.1", "1"), [F(1, 10), 1]),
        (text("a.jsonl", '{"loss": 0.3}', '{"loss": 1e-3}'), [F(3, 10), F(1, 1000)]),
    ],
)
def test_files(file, wanted):
    assert of_file(file).units == [-(-x * UNIT // 1) for x in map(F, wanted)]


def test_they_are_rounded_up_and_no_further():
    third = of_file(text("a.csv", "0.333333333333333333333")).units[0]
    assert F(third - 1, UNIT) < F("0.333333333333333333333") <= F(third, UNIT)
    assert of_array(np.array([1e-300, 1.0])).units == [1, UNIT]


def test_arrays(tmp_path):
    assert of_file(npy(np.array([True, False]), tmp_path)).units == [UNIT, 0]
    assert of_file(npy(np.array([0.1], dtype=np.float32), tmp_path)).units == [
        -(-F(float(np.float32(0.1))) * UNIT // 1)
    ]
    assert of_networks(npy(np.array([[0.5, 0], [1, 0]]), tmp_path)) == (2, 2, UNIT // 2 + UNIT)
    assert of_networks(text("a.csv", "0.5,0", "1,0")) == (2, 2, UNIT // 2 + UNIT)
    assert of_columns(text("a.csv", "sigma,mean", "2,-3"), ("mean", "sigma")) == [(F(-3), F(2))]


def test_torch(tmp_path):
    import torch

    assert of_array(torch.tensor([0.0, 1.0], requires_grad=True)).zero_one


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (
            text("a.csv", "loss", "0.5", "nan", "2"),
            r"a\.csv, row 2: 'nan' is no number; a loss is in \[0, 1\]. A log loss",
        ),
        (text("a.csv", "0.5", "2"), r"row 2: 2 is no loss; .* costs at most log\(1/\(1 - a\)\) more"),
        (text("a.csv", "-0.1"), "row 1: -1/10 is no loss"),
        (text("a.jsonl", "0.5", "{"), "row 2: no JSON"),
        (text("a.jsonl", "NaN"), "'NaN' is no number"),
        (text("a.csv", "a,b", "1,2"), r"columns a, b; it needs loss, or label and prediction"),
        (text("a.csv"), "has no rows"),
        (text("a.csv", "loss"), "has no rows"),
        (text("a.txt", "1"), r"come in files \.npy, \.csv or \.jsonl, got a\.txt"),
        (File("a.csv", b"\xff\xfe"), "not a text"),
        (File("a.npy", b"\x93NUMPY nothing"), "no array that NumPy reads"),
        (text("a.csv", "loss", "__import__('os')"), "is no number"),
        (text("a.csv", "loss", "1" * 999), "is no number"),
        (text("a.csv", "loss", "1" * 999999), "is no table"),
    ],
)
def test_what_is_refused(file, words):
    with pytest.raises(InputError, match=words):
        of_file(file)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([0.5, np.nan]), "row 2: nan is no loss"),
        (np.array([0.5, np.inf]), "row 2: inf"),
        (np.array([[0.5]]), "a row of losses"),
        (np.array(["a"]), "losses are numbers"),
        (np.array([]), "a row of losses"),
        (np.array([object()]), "losses are numbers"),
    ],
)
def test_arrays_that_are_refused(array, words):
    with pytest.raises(InputError, match=words):
        of_array(array)


def test_pickles_are_not_read(tmp_path):
    np.save(tmp_path / "x.npy", np.array([{"a": 1}]), allow_pickle=True)
    with pytest.raises(InputError, match="without running code"):
        of_file(File.at(tmp_path / "x.npy"))


def test_losses_in_order_of_size():
    values = np.linspace(0, 1, 50)
    for units in (values, values[::-1]):
        with pytest.raises(InputError, match="in order of size"):
            check_order(of_array(units.copy()), "losses.npy")
    check_order(of_array(np.random.default_rng(0).permutation(values)), "")
    check_order(of_array(np.repeat([0.0, 1.0], 30)), "")


# --- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pool", "key"), [(None, "capital"), (40, "without-replacement")])
def test_capital_is_that_of_the_claim(pool, key):
    """At every prefix, with stakes as they are capped: it reaches 1/delta at the bound, and not just below it."""
    delta = F(1, 4)
    units = of_array(np.random.default_rng(0).beta(1, 9, 12)).units
    losses, own, best = [F(x, UNIT) for x in units], betting.stakes(units, delta), betting.upper(units, delta, pool)
    assert best < GRID
    for mean, reached in ((best, True), (best - 1, False)):
        mu, most = F(mean, GRID), 0
        left = [mu if pool is None else (pool * mu - sum(losses[:i])) / (pool - i) for i in range(len(units))]
        bets = [min(F(stake, FINE), CAP / (1 - x)) for stake, x in zip(own, left, strict=True)]
        for n in range(1, len(units) + 1):
            at = {"mu": mu, "n": n, "bet": bets[:n], "loss": losses[:n], **({"N": pool} if pool else {})}
            most = max(most, maurey.claim(f"waudbysmith2024/{key}").enclose(digits=20, **at).value)
        assert (most >= 4) == reached


def test_the_best_of_three_pays_for_choosing():
    losses = of_array(np.random.default_rng(1).beta(2, 7, 400))
    parts = bounds.holdout(losses, F(1, 20))
    assert [F(part["delta"]) for part in parts] == [F(1, 60)] * 3
    alone = bounds._form("hoeffding1963/1", "printed", "risk", F(1, 20), m=400, loss_hat=bounds.mean(losses))
    assert bounds.decimal(alone) < parts[0]["bound"]
    assert float(bounds.least(parts)) == min(float(part["bound"]) for part in parts)


def test_decimals():
    assert [bounds.decimal(x) for x in (0, 1, 10**12, 5 * 10**9)] == ["0", "0.000000000001", "1", "0.005"]
    assert bounds.on_grid(F(1, 3)) == 333333333334


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_samples(n):
    """Nothing is said, or little, and never less than what was seen."""
    for losses in (of_array(np.full(n, 0.5)), of_array(np.ones(n)), of_array(np.zeros(n))):
        for parts in (bounds.holdout(losses, F(1, 20)), bounds.prequential(losses, F(1, 20)),
                      bounds.pool(losses, F(1, 20), n), bounds.occam(losses, F(1, 20), 9)):  # fmt: skip
            assert bounds.mean(losses) <= F(bounds.least(parts)) <= 1


def test_a_whole_pool_is_known():
    losses = Losses([UNIT, 0, 0, UNIT], True)
    assert bounds.pool(losses, F(1, 20), 4)[0]["bound"] == "0.5"
