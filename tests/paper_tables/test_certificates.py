"""Exhibits of certificates: what a record certifies, what was aimed at, and trials that come to an end."""

import math
import tomllib

import numpy as np
import pytest
from figures import data_of, figure_of

from maurey.paper_tables import exhibits, style, trained
from maurey.paper_tables.certificates import encoder, language
from maurey.paper_tables.trained import Outcome
from maurey.verify.certificates.wording import UNIT
from maurey.verify.training.trials.certified import Bits, Bytes

NORMS = {
    "B_QK": [1.5, 0.7], "B_QK_F": [2.0, 1.1], "B_QK_inf": [0.9, 0.6], "B_QK_11": [30.0, 20.0],
    "B_QK_1inf": [2.5, 1.9], "B_QK_21": [9.0, 7.0], "B_V": [3.0, 2.0], "B_V_F": [4.0, 2.5], "B_V_inf": [1.2, 0.8],
    "B_V_1inf": [5.0, 4.0], "B_V_1inf_rows": [6.0, 3.0], "B_C_1inf": [7.0, 8.0], "B_C_1inf_rows": [2.0, 4.0],
    "B_X": 6.0, "B_X_1": 40.0, "l1": 2000.0, "L_out": 1e4, "A": 7.0,
}  # fmt: skip


def facts(name):
    return tomllib.loads((exhibits.ROOT / name / "expected.toml").read_text())


# --- one encoder ------------------------------------------------------------------------------------------------------


def network(errors=0, online=0, test=0, function="and"):
    config = Bits(function=function, s=3 if function == "and" else 2, heads=2)
    half, drawn = config.n // 2, {"gibbs": 0.001, "KL": 3.5, "bound": 0.02, "test_gibbs": 0.001}
    record = {
        "status": "done",
        "half": {"errors": errors, "proved": half - errors - 1, "test": test, "norms": NORMS},
        "online": {"losses": "1" * half + "1" * online + "0" * (half - online), "test": 0},
        "message": {"integers": [3, -1, 0, 2] * 16, "errors": 60, "test": 150},
        "drawn": {"kept": drawn, "retrained": drawn | {"bound": 0.4}},
    }
    return Outcome(config, 0, record)


def of_encoders(*networks):
    return encoder.render({"scale": "smoke", "stage": []}, facts("certificates/encoder"), networks)


def test_certificates_of_an_encoder():
    """Exact where no error is seen: 1 - delta^(1/n)."""
    rows = {row.name: row for row in encoder.Certified(network()).rows}
    none, one = 1 - 0.05 ** (1 / 2048), rows["held-out half, every execution"]
    assert rows["held-out half"].bound == pytest.approx(none, abs=1e-11)
    assert (1 - one.bound) ** 2048 + 2048 * one.bound * (1 - one.bound) ** 2047 == pytest.approx(0.05, rel=1e-6)
    assert none < rows["one pass, second half"].bound < 0.003 < rows["message"].bound
    assert encoder.up(0.00120001) == "0.0013"


def test_what_was_aimed_at():
    assert not of_encoders(network(), network(function="parity")).disagreements
    assert [one.agrees for one in of_encoders(network(), network(errors=1)).findings] == [False, True, True]
    assert [one.agrees for one in of_encoders(network(online=9)).findings] == [True, False, True]
    assert [one.agrees for one in of_encoders(network(test=100)).findings] == [True, True, False]


def test_the_picture_of_encoders():
    made = of_encoders(network(), network(function="parity"))
    figure = figure_of("certificates/encoder", data_of("certificates/encoder", made))
    above, below = figure.axes
    drawn = [points for kind, points in style.drawn(below) if kind == "data"]
    assert [len(points) for points in drawn] == [6] * 4
    assert min(points[:, 0].min() for points in drawn) == 1e-4  # where nothing was found
    assert max(points[:, 0].max() for kind, points in style.drawn(above) if kind == "data") > 1e15
    assert "10^" in made.answer


# --- a language model -------------------------------------------------------------------------------------------------


def run(split="position", mean=0.2, message=0.35, fresh=0.2):
    rng, config = np.random.default_rng(0), Bytes(split=split, dimensions=200 if split == "position" else 0)
    losses = lambda number, mean: (1e5 * rng.beta(60 * mean, 60 * (1 - mean), number)).astype(int).tolist()  # noqa: E731
    record = {"status": "done", "sha256": "ab" * 32, "bytes": 11_000_000, "files": 600, "order_0": 4.68,
              "parameters": 124_416, "held_out": {"losses": losses(4096, mean), "test": fresh}}  # fmt: skip
    if split == "position":
        record["online"] = {"losses": losses(20_480, mean), "test": fresh}
        integers = [rng.integers(-3, 4, 200).tolist(), rng.integers(-9, 2, 256).tolist()]
        record["message"] = {"integers": integers, "losses": losses(20_480, message), "test": message}
    return Outcome(config, 0, record)


def of_runs(*runs):
    return language.render({"scale": "smoke", "stage": []}, facts("certificates/language"), runs)


def test_certificates_of_a_language_model():
    one = language.Certified(run())
    rows = {row.name: row for row in one.rows}
    assert set(rows) == set(language.LABELS.values())
    for row in rows.values():
        assert row.mean < row.bound
        assert not row.bound > row.by_hoeffding  # nan, of networks that change
    assert rows["message"].bound > rows["held out"].bound + 0.3
    assert [row.name for row in language.Certified(run("file")).rows] == ["held out"]
    assert one.losses("online").n == 5120
    assert language.Certified(run(message=0.2)).needed().startswith("With the same message and mean")
    assert "would not bring the message below the entropy of a byte" in language.Certified(run(message=0.5)).needed()


def test_what_was_aimed_at_in_bits():
    assert [one.agrees for one in of_runs(run(message=0.5), run("file")).findings] == [True, False, True]
    assert [one.agrees for one in of_runs(run(fresh=0.19)).findings] == [False, True, True]
    assert [one.agrees for one in of_runs(run(fresh=0.5)).findings] == [True, True, False]


def test_the_picture_of_a_language_model():
    made = of_runs(run(), run("file"))
    (panel,) = figure_of("certificates/language", data_of("certificates/language", made)).axes
    bounds = {float(row[5]) for row in made.rows}
    assert bounds <= {x for kind, points in style.drawn(panel) if kind == "data" for x in points[:, 0]}
    assert len(made.rows) == 4
    assert "entropy of a byte" in [text.get_text() for text in panel.texts]


# --- trials -----------------------------------------------------------------------------------------------------------


@pytest.mark.train
@pytest.mark.usefixtures("one_thread")
def test_a_small_encoder_is_certified_in_every_way():
    from maurey.verify.training.tasks.certified_bits import trial
    from maurey.verify.training.trials.keys import key

    config = Bits(function="and", s=2, T=5, n=64, steps=60, walk=20, draws=10, held_out=100, width=16, heads=2, each=2)
    record = trial(config, key(config, 0), lambda done: None)
    first = record["half"]
    assert len(record["online"]["losses"]) == 64
    assert 0 <= first["proved"] <= 32 - first["errors"]
    assert len(record["message"]["integers"]) == config.dimensions
    assert set(record["drawn"]) == {"kept", "retrained"}
    assert record["drawn"]["kept"]["KL"] == 0


@pytest.mark.train
@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("split", ["position", "file"])
def test_a_small_language_model_is_certified(split):
    from maurey.verify.training.tasks.certified_bytes import trial
    from maurey.verify.training.trials.keys import key

    config = Bytes(split=split, windows=64, held_out=32, test=8, context=8, width=8, heads=2, layers=1, each=1, walk=4,
                   dimensions=3 * (split == "position"))  # fmt: skip
    record = trial(config, key(config, 0), lambda done: None)
    assert ("online" in record) == ("message" in record) == (split == "position")
    assert len(record["held_out"]["losses"]) == 32
    assert all(0 <= x <= 10**5 for x in record["held_out"]["losses"])
    assert 4 < record["order_0"] < 6
    units = language.Certified(Outcome(config, 0, record)).losses("held_out").units
    assert max(units) <= UNIT


def test_the_plans_have_each_way_once():
    functions = [job.config.function for job in trained.plan("certificates/encoder", "paper")]
    assert sorted(functions) == ["and", "majority", "parity"]
    splits = {job.config.split: job.config for job in trained.plan("certificates/language", "paper")}
    assert (splits["position"].windows, splits["position"].held_out) == (20_480, 4096)
    assert splits["position"].dimensions > 0 == splits["file"].dimensions
    assert language.as_bits(0) == pytest.approx(-math.log2(15 / 16 + 1 / 4096))
