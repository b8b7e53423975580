"""Token regression: the law of the data, the networks against torch's own, tests that are left early, what is kept."""

import math
from dataclasses import asdict, fields, replace
from itertools import chain, pairwise, product

import numpy as np
import pytest
import torch
from torch import nn

from maurey.symbolic.claim import InputError
from maurey.verify.training.engine import optimiser
from maurey.verify.training.engine.store import Pace, Store
from maurey.verify.training.engine.sweep import UNKNOWN, batches, sweep
from maurey.verify.training.tasks import regression, tokens
from maurey.verify.training.trials import keys
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import Job, config, key, short
from maurey.verify.training.trials.regression import Regression

SMALL = dict(N=3, d=4, batch=16, cap=16 * 40, held_out=600, every=5)
KINDS = {
    "transformer": dict(model="transformer", width=12),
    "heads": dict(model="transformer", width=12, q=2, heads=3, link="hermite"),
    "tanh": dict(model="recurrent", hidden=7),
    "gru": dict(model="recurrent", hidden=7, cell="gru", q=2),
    "feedforward": dict(model="feedforward", task="simple"),
    "passes": dict(model="transformer", width=12, m=50),
}


pytestmark = pytest.mark.usefixtures("one_thread")


def small(kind="transformer", **values):
    return Regression(**{**SMALL, **KINDS[kind], **values})


def start(given, numbers):
    return optimiser.start(given, [key(given, n) for n in numbers], torch.device("cpu"))


def of_trial(p, i):
    return {name: value[i] for name, value in p.items()}


# --- the data


def test_position_vectors_are_different_vertices():
    numbers = {2: 3, 4: 6, 6: 8, 8: 10, 10: 11, 12: 12, 25: 16, 27: 16, 29: 16, 31: 17, 33: 17, 100: 23}
    assert {N: Regression(model="transformer", N=N).d_e for N in numbers} == numbers
    for N, d_e in numbers.items():
        table = tokens.positions(N, d_e)
        assert set(np.unique(table)) == {-1 / math.sqrt(d_e), 1 / math.sqrt(d_e)}
        assert len(np.unique(table, axis=0)) == N
    wide = tokens.positions(4000, 41) * math.sqrt(41)
    assert np.abs(wide.mean(0)).max() < 5 / math.sqrt(4000)
    assert np.abs(wide.T @ wide / 4000 - np.eye(41)).max() < 6 / math.sqrt(4000)


def test_directions_are_on_the_sphere():
    u = tokens.directions(10, 4)
    assert np.linalg.norm(u, axis=1) == pytest.approx(np.ones(4))
    assert np.array_equal(tokens.directions(10, 1), u[:1])
    many = tokens.directions(5, 4000)
    assert np.abs(many.T @ many / 4000 - np.eye(5) / 5).max() < 0.02


@pytest.mark.parametrize(("task", "q"), [("qstr", 1), ("qstr", 2), ("simple", 2)])
def test_the_law_of_the_prompts(task, q):
    given, n = small(task=task, q=q, N=5), 4000
    x, t = tokens.for_training(given, key(given, 0), n)
    assert x.shape == (n, 5, 4)
    assert t.shape == (n, 1 if task == "simple" else 5, q)
    flat = x.reshape(-1, 20)
    assert np.abs(flat.mean(0)).max() < 5 / math.sqrt(n)
    assert np.abs(flat.T @ flat / n - np.eye(20)).max() < 8 / math.sqrt(n)
    rows = t.reshape(-1, q)
    for k in range(q):
        counts = np.bincount(rows[:, k], minlength=5)
        assert len(counts) == 5
        assert np.abs(counts - len(rows) / 5).max() < 5 * math.sqrt(len(rows) * 0.16)
    if q == 2:  # drawn apart from each other
        assert abs((rows[:, 0] == rows[:, 1]).mean() - 0.2) < 5 * math.sqrt(0.16 / len(rows))
    if task == "qstr":
        assert abs((t[:, 0] == t[:, 1]).mean() - 0.2) < 5 * math.sqrt(0.16 / (n * q))
    assert not np.array_equal(x, tokens.for_training(given, key(given, 0), n, 1)[0])
    assert not np.array_equal(x, tokens.for_training(given, key(given, 1), n)[0])


@pytest.mark.parametrize(("link", "q", "task"), [*product(("linear", "hermite"), (1, 3), ("qstr", "simple"))])
def test_labels_and_inputs_by_hand(link, q, task):
    given = small(link=link, q=q, task=task, N=4)
    x, t = tokens.for_training(given, key(given, 0), 6)
    xs, ts = torch.from_numpy(x).double(), torch.from_numpy(t)
    y, z = tokens.labels(given, xs, ts), tokens.inputs(given, xs, ts)
    u, table = tokens.directions(4, q), tokens.positions(4, 6)
    assert y.shape == (6, 4)
    assert z.shape == (6, 4, given.D) == (6, 4, 4 + 6 * (q + 1))
    for n, i in product(range(6), range(4)):
        asked = t[n, 0 if task == "simple" else i]
        along = [u[k] @ x[n, asked[k]] for k in range(q)]
        terms = along if link == "linear" else [(a * a - 1) / math.sqrt(2) for a in along]
        assert float(y[n, i]) == pytest.approx(sum(terms) / math.sqrt(q * tokens.variance(given)))
        wanted = np.concatenate([x[n, i], table[i], *(table[j] for j in asked)])
        assert np.allclose(z[n, i], wanted)


@pytest.mark.parametrize(
    ("link", "q", "N"), [("linear", 1, 2), ("hermite", 1, 7), ("hermite", 3, 7), ("hermite", 4, 5)]
)
def test_the_mean_over_positions_explains_a_share(link, q, N):
    """What a predictor without positions reaches: an error of at most 1 - 1/N."""
    c = Regression(model="transformer", N=N, q=q, link=link)
    u = tokens.directions(c.d, q)
    more = (((u @ u.T) ** 2).sum() - q) / q if link == "hermite" else 0.0
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.standard_normal((20_000, N, c.d)))
    t = torch.from_numpy(rng.integers(0, N, (20_000, N, q)))
    z = x @ torch.from_numpy(u).T
    terms = z if link == "linear" else (z.square() - 1) / math.sqrt(2)
    blind = terms.mean(1).sum(-1) / math.sqrt(q * tokens.variance(c))
    error = float((tokens.labels(c, x, t) - blind[:, None]).square().mean())
    assert error == pytest.approx(1 - (1 + more) / (N + more), abs=0.03)
    assert 1 - (1 + more) / (N + more) <= 1 - 1 / N


@pytest.mark.parametrize(("link", "q"), [*product(("linear", "hermite"), (1, 2, 3))])
def test_labels_have_variance_one(link, q):
    """Though positions repeat: v is 1 for one of them, and is not for more."""
    given, n = small(link=link, q=q, N=3), 100_000
    x, t = (torch.from_numpy(a) for a in tokens.for_training(given, key(given, 0), n))
    y = tokens.labels(given, x, t)[:, 0].double()
    error = float((y.square() - 1).std()) / math.sqrt(n)
    assert abs(float(y.mean())) < 5 / math.sqrt(n)
    assert abs(float(y.square().mean()) - 1) < 5 * error
    assert (tokens.variance(given) == 1) == (q == 1)
    assert abs(tokens.variance(given) - 1) > 10 * error or q < 3  # one would see it


def test_a_test_is_shared():
    given = small()
    x, t = tokens.for_testing(given)
    assert x.shape == (600, 3, 4)
    others = (small(link="hermite"), small("tanh"), small(batch=8, cap=8, threshold=0.1), small(m=50))
    for other in others:
        assert all(np.array_equal(a, b) for a, b in zip(tokens.for_testing(other), (x, t), strict=True))
    assert tokens.for_testing(small(test="simple"))[1].shape == (600, 1, 1)
    assert np.array_equal(tokens.for_testing(small(test="simple"))[0], tokens.for_testing(small(task="simple"))[0])
    assert tokens.for_training(small(test="simple"), key(given, 0), 5)[1].shape == (5, 3, 1)
    first, second = start(given, [0]), start(given, [1])
    assert torch.equal(first.held[0], second.held[0])
    assert not torch.equal(first.fresh()[0], second.fresh()[0])


# --- the networks are torch's


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = nn.ModuleList(nn.MultiheadAttention(c.D, 1, batch_first=True) for _ in range(c.H))
        self.out = nn.Linear(c.H * c.D, c.D)
        self.mlp = nn.Sequential(nn.Linear(c.D, c.width), nn.ReLU(), nn.Linear(c.width, 1))
        for head in self.heads:  # what the heads give is joined, and mapped once
            head.out_proj.weight.data.copy_(torch.eye(c.D))
            head.out_proj.requires_grad_(False)

    def forward(self, z):
        joined = torch.cat([head(z, z, z, need_weights=False)[0] for head in self.heads], -1)
        return self.mlp(self.out(joined))[..., 0]

    def named_like_ours(self):
        heads = list(self.heads)
        yield "W_in", [h.in_proj_weight for h in heads]
        yield "b_in", [h.in_proj_bias for h in heads]
        for name, module in (("O", self.out), ("1", self.mlp[0]), ("2", self.mlp[2])):
            yield f"W_{name}", [module.weight]
            yield f"b_{name}", [module.bias]


class Recurrent(nn.Module):
    def __init__(self, c):
        super().__init__()
        kind = nn.GRU if c.cell == "gru" else nn.RNN
        self.rnn = kind(c.D, c.states, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * c.states, 1)

    def forward(self, z):
        return self.out(self.rnn(z)[0])[..., 0]

    def named_like_ours(self):
        for name, theirs in (("W_x", "weight_ih"), ("b_x", "bias_ih"), ("W_h", "weight_hh"), ("b_h", "bias_hh")):
            yield name, [getattr(self.rnn, f"{theirs}_l0{way}") for way in ("", "_reverse")]
        yield "W_y", [self.out.weight]
        yield "b_y", [self.out.bias]


class Feedforward(nn.Module):
    def __init__(self, c):
        super().__init__()
        widths = (c.N * c.D, c.N * c.d * c.q, 1000, c.N)
        self.maps = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))

    def forward(self, z):
        return self.maps[2](self.maps[1](self.maps[0](z.flatten(1)).relu()).relu())

    def named_like_ours(self):
        for i, module in enumerate(self.maps, 1):
            yield f"W_{i}", [module.weight]
            yield f"b_{i}", [module.bias]


PLAIN = {"transformer": Attention, "recurrent": Recurrent, "feedforward": Feedforward}


def as_theirs(given, name, value):
    """One of our parameters, of one trial, as the list of theirs."""
    if name in ("W_in", "b_in"):
        parts = value.unflatten(-1, (3, given.H, given.D))  # (..., 3, H, D)
        return [parts[..., h, :].flatten(-2).mT if name == "W_in" else parts[:, h].flatten() for h in range(given.H)]
    if name in ("W_x", "W_h"):
        return list(value.mT)
    if name in ("b_x", "b_h"):
        return list(value)
    if name == "W_y":
        return [value.flatten()[None]]
    return [value.mT if name.startswith("W") else value]


def filled(given, p):
    """Their network with our weights."""
    net = PLAIN[given.model](given).to(next(iter(p.values())).dtype)
    with torch.no_grad():
        for name, theirs in net.named_like_ours():
            for target, value in zip(theirs, as_theirs(given, name, p[name]), strict=True):
                target.copy_(value)
    return net


def agree(given, p, net, tolerance):
    for name, theirs in net.named_like_ours():
        for target, value in zip(theirs, as_theirs(given, name, p[name]), strict=True):
            assert torch.allclose(target.detach(), value, rtol=0, atol=tolerance), name


@pytest.mark.parametrize("kind", KINDS)
def test_the_networks_are_torchs(kind):
    given = small(kind, dtype="float64")
    state = start(given, range(2))
    state.flat += 0.2 * torch.randn(state.flat.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    p = optimiser.named(given, state.flat)
    x, t, _ = state.taken()
    z = tokens.inputs(given, x, t)
    found = optimiser.MODELS[given.model].outputs(given, p, z)
    assert found.shape == (2, 16, 3)
    for i in range(2):
        wanted = filled(given, of_trial(p, i))(z[i]).detach()
        assert wanted.std() > 0.05
        assert torch.allclose(found[i], wanted, rtol=0, atol=1e-12 * float(wanted.abs().max()))


@pytest.mark.parametrize("kind", KINDS)
def test_the_start_is_torchs(kind):
    """Each parameter has the largest size and the spread of its counterpart, and biases are 0 where theirs are."""
    given = replace(small(kind), d=10, N=4)
    rows = [optimiser.MODELS[given.model].initial(given, key(given, i)) for i in range(30)]
    torch.manual_seed(0)
    nets = [dict(PLAIN[given.model](given).named_like_ours()) for _ in range(30)]
    for name in rows[0]:
        if name == "b_O":  # of torch's attention, a part of which is written apart here
            assert not any(row[name].any() for row in rows)
            continue
        ours = np.concatenate([row[name].ravel() for row in rows])
        theirs = torch.cat([value.detach().flatten() for net in nets for value in net[name]]).numpy()
        assert len(ours) == len(theirs)
        assert np.abs(ours).max() == pytest.approx(np.abs(theirs).max(), rel=0.3 if len(ours) < 100 else 0.1)
        assert ours.std() == pytest.approx(theirs.std(), rel=0.3 if len(ours) < 100 else 0.1)
        assert abs(ours.mean()) <= 5 * ours.std() / math.sqrt(len(ours))


@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_those_of_adamw(kind):
    given = small(kind, dtype="float64", rate=1e-2)
    state, decay = start(given, range(2)), optimiser.decay_of(given).double()
    nets = [filled(given, of_trial(optimiser.named(given, state.flat), i)) for i in range(2)]
    steps = [
        torch.optim.AdamW([v for v in net.parameters() if v.requires_grad], lr=1e-2, weight_decay=0.1) for net in nets
    ]
    for _ in range(8):
        x, t, y = state.taken()
        loss, slope = optimiser.gradient(given, state)
        optimiser.adam(given, state, slope, decay)
        for i, (net, step) in enumerate(zip(nets, steps, strict=True)):
            step.zero_grad()
            wanted = (net(tokens.inputs(given, x[i], t[i])) - y[i]).square().mean()
            assert float(loss[i]) == pytest.approx(wanted.item(), rel=1e-8)
            wanted.backward()
            step.step()
    for i, net in enumerate(nets):
        agree(given, of_trial(optimiser.named(given, state.flat), i), net, 1e-8)


# --- a trial does not know of the others


def same(one, network, other, like):
    assert set(one) == set(other)
    assert all(one[name] == other[name] for name in ("status", "samples", "seen", "iterations"))
    assert (one["mse"], one["loss"]) == pytest.approx((other["mse"], other["loss"]), rel=1e-8)
    assert np.allclose(one["curve"], other["curve"], rtol=0, atol=2e-6)
    assert all(torch.allclose(network[name], value, rtol=0, atol=1e-9) for name, value in like.items())


@pytest.mark.parametrize("kind", KINDS)
def test_a_trial_in_a_batch_is_the_trial_alone(kind, monkeypatch):
    """Though others leave, and whether or not all of them fit through a network together."""
    given = small(kind, dtype="float64", rate=1e-2, threshold=0.9)
    together = optimiser.train(given, range(3))
    monkeypatch.setattr(regression, "ENOUGH", 1)
    split = optimiser.train(given, range(3))
    for i in range(3):
        same(split.records[i], split.networks[i], together.records[i], together.networks[i])
    last = max(range(3), key=lambda i: together.records[i]["iterations"])
    alone = optimiser.train(given, [last])
    same(alone.records[0], alone.networks[0], together.records[last], together.networks[last])


# --- tests


def counted(monkeypatch):
    """How many prompts of each trial were looked at."""
    seen, original = [0], regression.squares

    def squares(given, p, x, t, y):
        seen[0] += len(y) * y.shape[1]
        return original(given, p, x, t, y)

    monkeypatch.setattr(regression, "squares", squares)
    return seen


def test_a_test_is_the_mean_over_all_prompts():
    """The last chunk is smaller."""
    given = small(held_out=1100, dtype="float64")
    state = start(given, range(3))
    found = regression.test(given, state.flat, state.held, state.known, torch.ones(3, dtype=torch.bool))
    x, t, y = state.held
    for i in range(3):
        out = filled(given, of_trial(optimiser.named(given, state.flat), i))(tokens.inputs(given, x, t))
        wanted = (out - y).square().detach()
        assert float(found[i]) == pytest.approx(float(wanted.mean()), rel=1e-12)
        assert torch.allclose(state.known[i], wanted.mean(-1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("age", [None, 3, 30])
def test_a_test_left_early_decides_the_same(monkeypatch, age):
    """At thresholds around the error, whether the errors known are those of 0, or of the trial some steps ago."""
    given = small(held_out=4000, rate=1e-2, dtype="float64")
    state, decay, both = start(given, range(2)), optimiser.decay_of(given).double(), torch.ones(2, dtype=torch.bool)

    def steps(number):
        for _ in range(number):
            optimiser.adam(given, state, optimiser.gradient(given, state)[1], decay)

    steps(30)
    if age is not None:
        regression.test(given, state.flat, state.held, state.known, both)
        steps(age)
    whole = regression.test(given, state.flat, state.held, state.known.clone(), both)
    assert (whole > 0.2).all()
    seen, costs = counted(monkeypatch), []
    for factor in (0.01, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.001, 1.01, 1.05, 1.2, 3.0):
        seen[0] = 0
        for i in range(2):
            at = replace(given, threshold=float(whole[i]) * factor)
            known = state.known[i : i + 1].clone()
            found = regression.test(at, state.flat[i : i + 1], state.held, known, ~both[:1])
            assert (float(found) <= at.threshold) == (float(whole[i]) <= at.threshold)
            complete = not torch.equal(known, state.known[i : i + 1])
            if complete or factor > 1:
                assert float(found) == pytest.approx(float(whole[i]), rel=1e-12)
        costs.append(seen[0] / 2)
    assert costs[0] == 500
    assert costs[-5:] == [4000] * 5
    assert costs[3] < 4000 or age != 3  # a tenth above, and the change since is small


def test_trials_end_at_the_same_test(monkeypatch):
    given = small(held_out=3000, rate=1e-2, threshold=0.6, cap=16 * 200)
    soon = optimiser.train(given, range(4)).records
    monkeypatch.setattr(regression, "SURE", math.inf)
    monkeypatch.setattr(regression, "CHUNK", 3000)
    late = optimiser.train(given, range(4)).records
    for one, other in zip(soon, late, strict=True):
        assert [one[n] for n in ("samples", "seen", "iterations")] == [
            other[n] for n in ("samples", "seen", "iterations")
        ]
        assert one["mse"] == pytest.approx(other["mse"], rel=1e-5)
    assert any(record["samples"] for record in soon)


# --- what comes of a trial


@pytest.mark.parametrize(
    ("given", "most"),
    [
        (dict(model="transformer", threshold=0.2, rate=3e-3), 40_000),
        (dict(model="recurrent", cell="gru", hidden=40, threshold=0.4, rate=3e-3), 40_000),
        (dict(model="feedforward", threshold=0.5), 40_000),
        (dict(model="transformer", threshold=0.8, q=2, link="hermite", rate=3e-3), 60_000),
        (dict(model="transformer", threshold=0.3, m=2000, rate=3e-3), 60_000),
    ],
)
def test_it_learns(given, most):
    given = Regression(**{"N": 2, "d": 3, "held_out": 2000, "cap": most, **given})
    for record in optimiser.train(given, range(2)).records:
        assert record["status"] == "done"
        assert record["mse"] <= given.threshold
        assert record["samples"] == record["seen"] == given.samples(record["iterations"]) < most
        assert record["iterations"] % given.every == 0
        assert record["curve"][-1] == [record["samples"], round(record["mse"], 6)]
        assert all(mse > given.threshold for _, mse in record["curve"][:-1])


def test_a_trial_is_given_up_at_the_cap():
    given = small(threshold=1e-3, cap=16 * 42 + 5, every=4, held_out=2500)
    state = optimiser.train(given, range(2))
    for i, record in enumerate(state.records):
        assert (record["status"], record["samples"]) == ("done", None)
        assert (record["seen"], record["iterations"]) == (16 * 42, 42)
        assert [samples for samples, _ in record["curve"]] == [64 * (k + 1) for k in range(10)] + [16 * 42]
        x, t = (torch.from_numpy(a) for a in tokens.for_testing(given))
        out = filled(given, state.networks[i])(tokens.inputs(given, x, t)).detach()
        assert record["mse"] == pytest.approx(float((out - tokens.labels(given, x, t)).square().mean()), rel=1e-5)


def test_curves_are_thinned():
    given = small(threshold=1e-6, cap=16 * 200, every=1, held_out=50, width=2)
    (record,) = optimiser.train(given, [0]).records
    assert len(record["curve"]) == regression.POINTS
    assert record["curve"][0][0] == 16
    assert record["curve"][-1] == [3200, round(record["mse"], 6)]
    gaps = np.diff([samples for samples, _ in record["curve"]])
    assert gaps.max() - gaps.min() <= 16


def test_passes_over_a_training_set():
    given = small("passes", cap=170)
    assert (given.steps_of_an_epoch, given.iterations) == (4, 13)
    assert [given.samples(step) for step in range(6)] == [0, 16, 32, 48, 50, 66]
    assert given.samples(given.iterations) == 166
    state, epochs = start(given, [0, 1]), []
    for state.step in range(8):
        x, t, y = state.taken()
        assert x.shape == (2, 2 if state.step % 4 == 3 else 16, 3, 4)
        assert torch.equal(y, tokens.labels(given, x, t))
        epochs.append(x[1].flatten(1).tolist())
    whole = sorted(state.tokens[1].flatten(1).tolist())
    assert sorted(chain(*epochs[:4])) == sorted(chain(*epochs[4:])) == whole
    assert epochs[0] != epochs[4]
    (record,) = optimiser.train(replace(given, threshold=1e-9), [0]).records
    assert (record["samples"], record["seen"], record["iterations"]) == (None, 166, 13)


def test_a_floor_under_the_loss_of_an_epoch(monkeypatch):
    given = small("passes", threshold=1e-9, cap=50 * 60, every=7, rate=1e-2, dtype="float64")
    losses, original = [], optimiser.gradient

    def noted(config, state):
        loss, slope = original(config, state)
        losses.append(float(loss[0]))
        return loss, slope

    monkeypatch.setattr(optimiser, "gradient", noted)
    optimiser.train(given, [0])
    means = [sum(a * b for a, b in zip(losses[i : i + 4], (16, 16, 16, 2), strict=True)) / 50 for i in range(0, 240, 4)]
    floor = (min(means[:20]) + min(means[:15])) / 2 if min(means[:20]) < min(means[:15]) else means[10]
    wanted = 4 * (1 + next(i for i, mean in enumerate(means) if mean < floor))
    monkeypatch.setattr(optimiser, "key", lambda config, trial: key(replace(config, floor=0.0), trial))
    (record,) = optimiser.train(replace(given, floor=floor), [0]).records
    assert (record["samples"], record["iterations"]) == (None, wanted)
    assert wanted < 240
    assert record["curve"][-1] == [50 * wanted // 4, round(record["mse"], 6)]


@pytest.mark.parametrize("kind", ["heads", "transformer"])
def test_what_is_between_queries_and_keys(kind):
    """Scores of torch's attention, up to what all keys share."""
    given = small(kind, watch=True, dtype="float64", cap=16 * 30, rate=1e-2, threshold=1e-6)
    done = optimiser.train(given, [0])
    record, net = done.records[0], filled(given, done.networks[0])
    assert np.shape(record["qk"]) == (given.H, given.D, given.D)
    assert np.shape(record["qk_bias"]) == (given.H, given.D)
    x, t = (torch.from_numpy(a[:5]) for a in tokens.for_testing(given))
    z = tokens.inputs(given, x.double(), t)
    for head, qk, bias in zip(net.heads, *(torch.tensor(record[n]).double() for n in ("qk", "qk_bias")), strict=True):
        _, wanted = head(z, z, z)
        scores = (z @ qk @ z.mT + (z @ bias)[:, None]) / math.sqrt(given.D)
        assert torch.allclose(scores.softmax(-1), wanted, atol=2e-3)
    assert "qk" not in optimiser.train(small(kind), [0]).records[0]


def test_rates_that_break_everything():
    for kind in ("transformer", "tanh", "feedforward"):
        for record in optimiser.train(small(kind, rate=1e30), range(2)).records:
            assert record["status"] == "failed"
            assert record["samples"] is None
            assert record["seen"] == 16 * record["iterations"] <= 16 * 10
            assert record["mse"] is None or math.isfinite(record["mse"])


def test_a_trial_that_breaks_leaves_the_others(monkeypatch):
    given, original = small(threshold=1e-6, dtype="float64"), optimiser.gradient
    before = optimiser.train(given, range(3)).records

    def planted(config, state):
        loss, slope = original(config, state)
        if state.step == 7:
            slope[1] = math.nan
        return loss, slope

    monkeypatch.setattr(optimiser, "gradient", planted)
    first, middle, last = optimiser.train(given, range(3)).records
    assert (middle["status"], middle["iterations"], middle["seen"]) == ("failed", 9, 16 * 9)
    assert [first["mse"], last["mse"]] == pytest.approx([before[0]["mse"], before[2]["mse"]])


# --- trials


def test_a_key_depends_on_all_that_matters():
    other = dict(
        model="feedforward", N=5, task="simple", test="simple", link="hermite", q=2, d=4, m=500, batch=32, rate=1e-2,
        decay=0.01, threshold=0.5, cap=10_000, every=100, held_out=500, heads=2, width=50, watch=True, dtype="float64",
    )  # fmt: skip
    base = Regression(model="transformer", N=4)
    changed = [replace(base, **{name: value}) for name, value in other.items()]
    recurrent = replace(base, model="recurrent")
    changed += [recurrent, replace(recurrent, cell="gru"), replace(recurrent, hidden=5)]
    changed += [replace(base, m=500, floor=0.1)]
    assert {*other, "cell", "hidden", "floor"} == {f.name for f in fields(Regression)}
    different = {key(c, 0) for c in [base, *changed]} | {key(base, 1)}
    assert len(different) == len(changed) + 2
    assert not set(asdict(base)) <= set(asdict(Config(m=2)))
    for given in [base, *changed]:
        assert config(short(given)) == given
        assert key(config(short(given)), 3) == Job(given, 3).key
    assert short(base) == {"model": "transformer", "N": 4}
    assert key(replace(base, decay=1), 0) == key(replace(base, decay=1.0), 0)


def test_pinned_draws():
    """Results that are kept depend on these numbers; another computation needs another SEMANTICS."""
    assert keys.SEMANTICS == 1
    given = Regression(model="transformer", N=4)
    own = key(given, 0)
    assert own == "b66ea72378a2d257b97d305bd7346c12"
    x, t = tokens.for_training(given, own, 2, 3)
    assert x[0, 0, :2].tolist() == pytest.approx([-1.3086978197097778, -1.2463669776916504], abs=1e-6)
    assert t[:, :, 0].tolist() == [[3, 0, 3, 1], [2, 3, 3, 1]]
    assert (tokens.positions(4, 6) > 0).astype(int).tolist() == [
        [0, 0, 0, 1, 1, 0],
        [1, 0, 1, 0, 1, 1],
        [0, 0, 1, 0, 0, 1],
        [0, 1, 0, 0, 0, 0],
    ]
    assert tokens.directions(10, 1)[0, :2].tolist() == pytest.approx([0.24080183667726537, -0.7507699441482754])
    x, t = tokens.for_testing(given)
    assert x[0, 0, :2].tolist() == pytest.approx([0.21534116566181183, -0.2755724787712097], abs=1e-6)
    start = optimiser.MODELS["transformer"].initial(given, own)["W_in"][0, :2].tolist()
    assert start == pytest.approx([-0.12203661888656837, -0.08556825259292256])


def test_sweeps_take_both_kinds(tmp_path):
    """They are kept, timed and batched like any other; of a recurrent network one trial at a time, at first."""
    boolean = Config(T=8, m=20, width=16, heads=4, held_out=100, iterations=10, stop=False)
    cells = (boolean, small(), small("tanh"))
    jobs = [Job(cell, trial) for trial in range(3) for cell in cells]
    assert [len(batch) for batch in batches(jobs, Pace([]))] == [3, 3, 1, 1, 1]
    assert UNKNOWN >= 3
    with Store(tmp_path / "results.sqlite") as store:
        assert sweep(jobs, store, lambda _: None).done == 9
        known, pace = store.known(jobs), store.pace()
    assert all(pace(cell) > 0 for cell in cells)
    assert pace(small("tanh", N=5, cap=1280)) > 0
    assert pace(small("gru")) > pace(small("tanh"))  # by its gates
    assert pace(small("tanh", link="hermite")) is None
    assert {"samples", "seen", "mse", "curve"} <= set(known[Job(small(), 0).key])
    assert [c.protocol for c in cells] == ["fast"] * 3
    assert small().under("fast") == small()
    with pytest.raises(InputError, match="have no dropout: protocol fast"):
        small().under("paper")


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (dict(model="lstm"), "no model 'lstm'; there are encoder, layer, transformer, recurrent, feedforward"),
        (dict(task="2str"), "no task '2str'; there are qstr, simple"),
        (dict(test="qstr"), "no test 'qstr'; there is simple"),
        (dict(link="cubic"), "no link 'cubic'; there are linear, hermite"),
        (dict(cell="lstm"), "no cell 'lstm'; there are tanh, gru"),
        (dict(dtype="float16"), "no dtype 'float16'"),
        (dict(N=2.5), "N must be whole numbers"),
        (dict(q="2"), "q must be whole numbers"),
        (dict(N=1), "a prompt has N >= 2 tokens, got 1"),
        (dict(q=0), "1 <= q <= N, got q = 0, N = 4"),
        (dict(q=5), "1 <= q <= N, got q = 5, N = 4"),
        (dict(task="simple", test="simple"), "leave test out"),
        (dict(d=0), "d, batch, every and width are at least 1"),
        (dict(batch=0), "at least 1"),
        (dict(every=0), "at least 1"),
        (dict(width=0), "at least 1"),
        (dict(held_out=1), "a test has at least 2 prompts, got 1"),
        (dict(m=-1), "m training prompts, or 0 for fresh ones, got -1"),
        (dict(m=63), "a batch has at most m = 63 prompts, got 64"),
        (dict(cap=63), "the cap is at least a batch of 64 samples, got 63"),
        (dict(rate=0), "the rate is positive"),
        (dict(rate=math.nan), "the rate is positive"),
        (dict(decay=-1), "decay at least 0"),
        (dict(threshold=0), "the threshold is positive, got 0.0"),
        (dict(threshold=math.nan), "got nan"),
        (dict(floor=-1), "the floor is at least 0, got -1.0"),
        (dict(floor=0.1), "the floor is for passes over m training prompts"),
        (dict(heads=-1), "heads and hidden are at least 0"),
        (dict(hidden=5), "cell and hidden are of model recurrent"),
        (dict(cell="gru"), "cell and hidden are of model recurrent"),
        (dict(model="recurrent", heads=2), "heads, width and watch are of model transformer"),
        (dict(model="feedforward", watch=True), "heads, width and watch are of model transformer"),
        (dict(T=5), "a trial has no T; it has N, batch"),
    ],
)
def test_impossible_trials(wrong, text):
    with pytest.raises(InputError) as error:
        config({"model": "transformer", "N": 4} | wrong)
    assert text in str(error.value)
    with pytest.raises(InputError, match="N is missing"):
        config({"model": "recurrent"})
