"""The sparse majority as in the script: against plain attention and a plain loop, when it stops, and what it keeps."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from maurey.symbolic.errors import InputError
from maurey.verify.training.engine import optimiser
from maurey.verify.training.engine.state import State, named
from maurey.verify.training.networks import binary_attention, voter
from maurey.verify.training.networks.binary_attention import both
from maurey.verify.training.tasks import majority
from maurey.verify.training.tasks.strings import hidden, order, strings
from maurey.verify.training.trials.keys import config, key, short
from maurey.verify.training.trials.majority import Majority

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = dict(T=4, s=3, m=11, batch=4, cap=80, held_out=100, width=8, rate=0.1, fall=0.98, least=0.05, dtype="float64")


def small(**values):
    return Majority(**{**SMALL, **values})


def start(given, trials):
    return optimiser.start(given, [key(given, i) for i in trials], torch.device("cpu"))


# --- plain ones: one trial, one string at a time


def plain_voter(given, p, vectors, bits):
    """Two logits of one string, in float64; [CLS] stands last."""
    d, H = given.width, given.heads
    x = np.array([vectors[b] for b in (*bits, 2)])
    for t, token in enumerate(x):
        for i in range(d):
            angle = t / 10_000 ** (i / d)
            token[i] += math.cos(angle) if i % 2 else math.sin(angle)
    q, k, v = ((x @ p[f"W_{name}"] + p[f"b_{name}"]).reshape(-1, H, d) for name in "QKV")
    read = []
    for h in range(H):
        weights = np.exp(k[:, h] @ q[-1, h] / math.sqrt(d))
        read.append(weights @ v[:, h] / weights.sum())
    y = np.concatenate(read) @ p["W_O"] + p["b_O"]
    return (np.maximum(y, 0) @ p["W_D"] + p["b_D"]) @ p["W_R"] + p["b_R"]


def logistic(logits, labels):
    """(n,): the mean over both answers."""
    signs = np.where(np.arange(2) == labels[:, None], 1, -1)
    return np.log1p(np.exp(-signs * logits)).mean(1)


def by_hand(given, trial):
    """Epoch by epoch to the end of all: the weights, the answers that were right in training, and the held-out loss."""
    own = key(given, trial)
    state = start(given, [trial])
    flat, velocity = state.flat.clone(), torch.zeros_like(state.flat)
    x, y = (torch.from_numpy(a) for a in strings(given, own, "training", given.m))
    held, held_labels = strings(given, own, "evaluation", given.held_out)

    def logits(weights, bits):
        p = optimiser.named(given, weights)
        return voter.logits(p, both(bits.double())[None], voter.terms(given, p, state.tokens))[0]

    epochs, rate = [], given.rate
    for epoch in range(given.cap):
        right, places = 0, torch.from_numpy(order(given, own, epoch))
        rate = max(given.least, rate * given.fall)
        for rows in places.split(given.batch):
            weights = flat.clone().requires_grad_()
            out = logits(weights, x[rows])
            right += int((out.argmax(1) == y[rows]).sum())
            wanted = F.one_hot(y[rows].long(), 2).double()
            (slope,) = torch.autograd.grad(F.binary_cross_entropy_with_logits(out, wanted), weights)
            velocity = given.momentum * velocity - rate * slope
            flat = flat + velocity
        loss = logistic(logits(flat, torch.from_numpy(held)).numpy(), held_labels).mean()
        epochs.append((flat[0], right, loss))
    return epochs


@pytest.fixture(scope="module")
def trials():
    """Of six trials, what is found, and what a plain loop finds."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    given = small()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(majority, "CHUNK", 7)
        found = optimiser.train(given, range(6))
    plain = [by_hand(given, i) for i in range(6)]
    torch.set_num_threads(before)
    return given, found, plain


def fitted(given, epochs):
    """The first epoch without a wrong answer, from 1; None if there is none."""
    return next((i for i, (_, right, _) in enumerate(epochs, 1) if right == given.m), None)


# --- the network


def test_the_network_is_plain_attention():
    given = small()
    state = start(given, range(2))
    noise = torch.randn(state.flat.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    p = optimiser.named(given, state.flat + 0.5 * noise)
    x = torch.randint(0, 2, (2, 20, given.T), generator=torch.Generator().manual_seed(2))
    found = voter.logits(p, both(x.double()), voter.terms(given, p, state.tokens))
    for i in range(2):
        own = {name: value[i].numpy() for name, value in p.items()}
        vectors = voter.vectors(given, key(given, i))
        wanted = np.array([plain_voter(given, own, vectors, row) for row in x[i].tolist()])
        assert wanted.std(0).min() > 0.01
        assert np.abs(found[i].numpy() - wanted).max() <= 1e-12 * np.abs(wanted).max()


def at_random(given, size):
    """Two trials with weights that are far from their start."""
    state = start(given, range(2))
    noise = torch.randn(state.flat.shape, generator=torch.Generator().manual_seed(3), dtype=state.flat.dtype)
    state.flat += size * noise
    return state


@pytest.mark.parametrize(("size", "spread"), [(0.02, 16.0), (0.15, 16.0), (0.15, 1.0)])
def test_strings_as_columns(size, spread, monkeypatch):
    """In float32, against plain attention in float64: by differences of terms, and by the terms."""
    given, halved = small(width=64, held_out=200, dtype="float32"), spread > 1
    monkeypatch.setattr(binary_attention, "SPREAD", spread)
    state = at_random(given, size)
    known = voter.prepared(given, named(given, state.flat), state.tokens)
    assert known["terms"].shape[-1] == (given.T + 1 if halved else 2 * given.T + 1)
    found = voter.logits_of_columns(known, state.held)
    p = named(given, state.flat.double())
    for i in range(2):
        own = {name: value[i].numpy() for name, value in p.items()}
        vectors = voter.vectors(given, key(given, i))
        bits = state.held[i, :-1].T.int().tolist()
        wanted = np.array([plain_voter(given, own, vectors, row) for row in bits])
        assert wanted.std(0).min() > 1e-4
        assert np.abs(found[i].T.numpy() - wanted).max() <= 1e-5 * max(1, np.abs(wanted).max())


@pytest.mark.parametrize("far", [0.5, 3.0, 12.0])
def test_differences_lose_nothing(far):
    """Nor where a small weight stands across from a large one: then they are not taken."""
    rng = torch.Generator().manual_seed(4)
    scores, values = (torch.randn(2, 13, 2, *more, generator=rng) for more in ((), (3,)))
    bits = torch.randint(0, 2, (2, 50, 6), generator=rng).float()
    terms = binary_attention.table(far * scores, values)
    exact = binary_attention.table(far * scores.double(), values.double())
    wanted = binary_attention.attend(both(bits.double()), exact)
    strings = F.pad(bits, (0, 1), value=1).mT
    sums = binary_attention.columns(strings, binary_attention.differences(terms)).unflatten(1, (2, 4))
    found = (sums[:, :, :-1] / sums[:, :, -1:]).flatten(1, 2).mT
    assert (found - wanted).abs().max() <= 2e-5


@pytest.mark.parametrize("size", [0.0, 0.1, 0.5])
def test_slopes_that_are_written_out(size):
    """Of every weight, against automatic differentiation."""
    state = at_random(small(heads=3), size)
    state.flat[:, ::7] += 0.01  # biases, too
    data, part = state.taken(), slice(0, 2)
    loss, slopes = state.slopes(part, data)
    wanted_loss, wanted = State.slopes(state, part, data)
    assert torch.allclose(loss, wanted_loss, rtol=1e-12, atol=0)
    for name, slope in named(state.config, wanted).items():
        assert (slope.abs().amax() > 1e-9) == (name != "b_K")
        assert torch.allclose(named(state.config, slopes)[name], slope, rtol=1e-9, atol=1e-12)


def test_vectors_are_orthogonal_and_of_norm_one():
    given = small(width=64)
    first, second = (voter.vectors(given, key(given, i)) for i in range(2))
    assert np.abs(first).sum(1) == pytest.approx(np.ones(3))
    assert np.abs(first @ first.T - np.diag((first**2).sum(1))).max() < 1e-15
    assert not np.allclose(first, second)


def test_initial_weights_are_those_that_are_stated():
    given = Majority(T=20)
    start, d, H = voter.initial(given, key(given, 0)), 64, 2
    for name in ("W_Q", "W_K", "W_V", "W_O", "W_D"):
        bound = math.sqrt(6 / {"W_O": 2 * H * d, "W_D": 2 * d}.get(name, d * (H + d)))
        assert np.abs(start[name]).max() == pytest.approx(bound, rel=1e-2)
        assert start[name].std() == pytest.approx(bound / math.sqrt(3), rel=0.05)
    assert start["W_R"].std() == pytest.approx(voter.STD, rel=0.2)
    assert not any(start[name].any() for name in start if name.startswith("b_"))
    assert sum(value.size for value in start.values()) == 3 * (64 * 128 + 128) + 128 * 64 + 64 + 64 * 65 + 2 * 65


def test_the_loss_is_the_mean_over_both_answers():
    rng = np.random.default_rng(0)
    logits, labels = 3 * rng.standard_normal((1, 9, 2)), rng.integers(0, 2, (1, 9))
    answers = torch.from_numpy(np.where(np.arange(2) == labels[..., None], 1, -1))
    found = majority.losses(torch.from_numpy(logits), answers).mean(-1)
    assert found[0].numpy() == pytest.approx(logistic(logits[0], labels[0]), rel=1e-12)


def test_labels_are_the_majority_of_nine():
    given = Majority(T=20)
    x, y = strings(given, key(given, 0), "training", given.m)
    places = hidden(given, key(given, 0))
    assert len(places) == 9
    assert y.tolist() == [int(sum(row) >= 4.5) for row in x[:, places].tolist()]


# --- training


def test_training_is_gradient_descent_with_momentum_and_a_falling_rate(trials):
    given, found, plain = trials
    assert given.rate * given.fall**given.cap < given.least
    for network, record, epochs in zip(found.networks, found.records, plain, strict=True):
        weights = torch.cat([value.flatten() for value in network.values()])
        assert torch.allclose(weights, epochs[record["epochs"] - 1][0], rtol=0, atol=1e-10)


def test_it_stops_after_the_first_epoch_without_a_wrong_answer(trials):
    given, found, plain = trials
    ends = [fitted(given, epochs) for epochs in plain]
    assert None in ends
    assert len({end for end in ends if end}) > 1
    for end, record in zip(ends, found.records, strict=True):
        assert (record["fitted"], record["epochs"]) == (end is not None, end or given.cap)


def test_the_least_held_out_loss_is_the_least(trials):
    """By a whole evaluation after every epoch, though most of them break off; and what is reported is of that epoch."""
    given, found, plain = trials
    assert len({record["best"] for record in found.records}) > 1
    for i, (record, epochs) in enumerate(zip(found.records, plain, strict=True)):
        losses = [loss for _, _, loss in epochs[: record["epochs"]]]
        assert record["best"] == 1 + int(np.argmin(losses))
        assert record["held_loss"] == pytest.approx(min(losses), rel=1e-9)
        flat = epochs[record["best"] - 1][0]
        assert record["norm"] == pytest.approx(float(flat.abs().sum()), rel=1e-9)
        own = {name: value[0].numpy() for name, value in optimiser.named(given, flat[None]).items()}
        for name, stream, number in (("train", "training", given.m), ("held", "evaluation", given.held_out)):
            x, y = strings(given, key(given, i), stream, number)
            vectors = voter.vectors(given, key(given, i))
            out = np.array([plain_voter(given, own, vectors, row) for row in x.tolist()])
            assert record[f"{name}_loss"] == pytest.approx(logistic(out, y).mean(), rel=1e-9)
            assert record[f"{name}_errors"] == int((out.argmax(1) != y).sum())


def test_evaluations_break_off(monkeypatch):
    given, seen = small(cap=20), []
    monkeypatch.setattr(majority, "CHUNK", 7)
    original = voter.logits_of_columns

    def counted(known, strings):
        seen.append(len(strings) * strings.shape[-1])
        return original(known, strings)

    monkeypatch.setattr(voter, "logits_of_columns", counted)
    state = start(given, range(4))
    state._held_loss()
    assert sum(seen) == 4 * given.held_out
    state.least[:] = torch.tensor([0.0, 10.0, 20.0, math.inf])
    seen.clear()
    found = state._held_loss()
    assert found.isfinite().tolist() == [False, False, False, True]
    assert sum(seen) < 2 * given.held_out


def test_strings_with_large_losses_come_first():
    """So that evaluations break off early; the sums are those of before."""
    state = at_random(small(), 0.5)
    before = state._held_loss()
    together = torch.cat([state.held, state.held_answers], 1)
    state._sort()
    out = voter.logits_of_columns(state._prepared(state.flat), state.held)
    losses = majority.losses(out, state.held_answers).sum(1)
    assert (losses.diff() <= 1e-12).all()
    assert (losses[:, 0] > losses[:, -1] + 0.1).all()
    assert torch.allclose(state._held_loss(), before, rtol=1e-12, atol=0)
    after = torch.cat([state.held, state.held_answers], 1)
    for one, other in zip(together, after, strict=True):
        assert sorted(one.T.tolist()) == sorted(other.T.tolist())


def test_a_trial_in_a_batch_is_the_trial_alone(trials):
    """Others leave earlier and later."""
    given, together, _ = trials
    assert len({record["epochs"] for record in together.records}) > 2
    for i in (0, 3, 4):
        alone = optimiser.train(given, [i])
        for name, value in alone.records[0].items():
            near = pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
            assert together.records[i][name] == near
        for name, value in alone.networks[0].items():
            assert torch.allclose(together.networks[i][name], value, rtol=0, atol=1e-10)


def test_a_trial_that_is_no_number_has_failed():
    found = optimiser.train(small(rate=1e200, cap=10), range(2)).records
    assert all(record["status"] == "failed" and "held_loss" not in record for record in found)


# --- the configuration


def test_every_field_is_in_the_key():
    base = small()
    other = dict(
        T=5, s=2, m=12, batch=5, cap=81, held_out=99, width=9, heads=3, rate=0.2, momentum=0.8, fall=0.9, least=0.01,
        dtype="float32",
    )  # fmt: skip
    assert {*other, "model"} == {f.name for f in fields(Majority)}
    found = {key(replace(base, **{name: value}), 0) for name, value in other.items()} | {key(base, 0), key(base, 1)}
    assert len(found) == len(other) + 2
    assert config(short(base)) == base
    assert short(Majority(T=20)) == {"T": 20, "model": "voter"}
    assert config({"model": "voter", "T": 20}) == Majority(T=20)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (dict(s=7), "1 <= s <= T, got s = 7, T = 4"),
        (dict(m=1, batch=1), "m >= 2 training strings, got 1"),
        (dict(batch=31), "a batch has 1 to m = 11 strings, got 31"),
        (dict(cap=0), "cap, held_out, width and heads are at least 1"),
        (dict(heads=0), "cap, held_out, width and heads are at least 1"),
        (dict(least=0.2), "the rate is positive, and at least the least one"),
        (dict(momentum=1.0), "momentum is in [0, 1)"),
        (dict(fall=0.0), "the fall in (0, 1]"),
        (dict(T=4.0), "T must be whole numbers"),
        (dict(model="layer"), "no model 'layer'; there are voter"),
    ],
)
def test_bad_input(wrong, text):
    with pytest.raises(InputError) as error:
        small(**wrong)
    assert text in str(error.value)
    with pytest.raises(InputError, match="the length T is missing"):
        config({"model": "voter"})
    with pytest.raises(InputError, match="protocol script"):
        small().under("paper")
