"""Small models of BERT's family: what is trained is the published forward, and its loss falls."""

from itertools import pairwise

import numpy as np
import pytest
import references

from maurey.paper_tables import exhibits
from maurey.paper_tables.models import encoders
from maurey.verify.models.small import ONES, Size, drawn, ramp_loss, strings, trained

SIZE = Size(1, 8, "1e-5", bits=6)


def by_hand(model, words, classes):
    """The mean ramp loss of the published forward."""
    config = {"layer_norm_eps": float(SIZE.eps), "type_vocab_size": 1, "num_hidden_layers": SIZE.layers,
              "num_attention_heads": SIZE.heads, "hidden_act": "gelu"}  # fmt: skip
    w = {name: tensor.array.astype(float) for name, tensor in model.tensors.items()}
    w = {name: x.reshape(-1) if name.endswith(".bias") or "LayerNorm" in name else x for name, x in w.items()}
    losses = []
    for ids, c in zip(words, classes, strict=True):
        z = references.bert_classifier(config, w, ids)
        losses.append(np.clip(1 - (z[c] - z[1 - c]), 0, 1))
    return np.mean(losses)


def test_training_lowers_the_loss_of_the_published_forward():
    words, classes = strings(SIZE, 64, 0.0, 1)
    assert np.array_equal(classes, words[:, 1 : 1 + ONES].all(1))
    start = drawn(SIZE, 0)
    end = trained(start, words, classes, 60, 32, 1e-2, 2)
    for model in (start, end):
        assert ramp_loss(model, words, classes) == pytest.approx(by_hand(model, words, classes), abs=1e-6)
    assert ramp_loss(end, words, classes) < 0.5 * ramp_loss(start, words, classes)
    assert {n: x.shape for n, x in end.tensors.items()} == {n: x.shape for n, x in start.tensors.items()}


def test_noise_flips_its_share():
    (words, plain), (same, noisy) = (strings(SIZE, 4000, noise, 3) for noise in (0.0, 0.1))
    assert np.array_equal(words, same)
    assert (plain != noisy).mean() == pytest.approx(0.1, abs=0.02)


def test_the_exhibit_says_what_its_rows_say():
    """Norms ask for more with every layer, and with every smaller eps; the gap measured is the difference of losses."""
    rows = exhibits.data("models/encoders", exhibits.ROOT / "models" / "encoders").table
    assert list(rows[0]) == encoders.COLUMNS
    at = {"weights": "trained", "route": "norms", "d": "16", "m": "1000"}
    own = [row for row in rows if at.items() <= row.items()]
    for axis, sign, held in (("L", 1, {"eps": "1e-5"}), ("eps", -1, {"L": "2"})):
        curve = sorted(
            (sign * float(row[axis]), float(row["log10 samples"])) for row in own if held.items() <= row.items()
        )
        assert len(curve) == 4
        assert all(y < z for (_, y), (_, z) in pairwise(curve))
    for row in rows:
        if row["weights"] == "trained":
            assert float(row["gap"]) == pytest.approx(float(row["risk"]) - float(row["empirical"]), abs=2e-5)
            assert float(row["log10 gap"]) > float(f"{np.log10(max(1e-9, float(row['gap']))):.4f}")
