"""Networks that learn sums of parities: against plain ones, how they stop, and what is measured of them at the end."""

import math
from dataclasses import asdict, fields, replace

import numpy as np
import pytest
import torch

from maurey.symbolic.claim import InputError
from maurey.verify.training.engine import optimiser
from maurey.verify.training.networks import channel, two_layers
from maurey.verify.training.readings import curvature
from maurey.verify.training.tasks import parities, walsh
from maurey.verify.training.trials import keys
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import config, key, short
from maurey.verify.training.trials.parities import Spectrum
from maurey.verify.training.trials.regression import Regression

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = dict(model="two_layers", D=2, T=5, m=60, batch=20, cap=3, held_out=100, more=4, width=8)
STEPS = dict(task="steps", T=4, m=16, batch=8)
CHANNEL = dict(model="channel", more=30)


def small(**values):
    return Spectrum(**{**SMALL, **values})


def drawn(given, E=2, spread=0.3):
    """In float64, parameters (E, number) at which every one of them matters."""
    state = optimiser.start(given, [key(given, i) for i in range(E)], torch.device("cpu"))
    noise = torch.randn(state.flat.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return state, state.flat.double() + spread * noise


# --- plain networks: one trial, every token through everything


def plain_two_layers(p, tokens, T, steps):
    n, P = tokens.shape
    C = T if steps else T + 1
    x = torch.cat([torch.eye(C).double()[torch.arange(P) % C].expand(n, P, C), p["symbol"][tokens.long()]], -1)
    later = torch.ones(P, P).triu(1).bool() if steps else torch.zeros(P, P).bool()
    for layer in "12":
        q, k, v = (x @ p[f"{name}_{layer}"] for name in "QKV")
        y = x + (q @ k.mT * math.log(P)).masked_fill(later, -math.inf).softmax(-1) @ v
        x = y + (y @ p[f"A_{layer}"] + p[f"a_{layer}"]).relu() @ p[f"B_{layer}"] + p[f"b_{layer}"]
    return (x[:, T:] if steps else x[:, -1:]) @ p["w"] + p["w_0"]


def plain_channel(p, tokens):
    n, P = tokens.shape
    x = torch.cat([torch.eye(P).double().expand(n, P, P), tokens[..., None]], -1)
    weights = ((x @ p["Q"]) @ (x @ p["K"]).mT * math.log(P)).softmax(-1)
    c = (weights @ x)[..., -1:]
    phi = (c * p["M"] + p["Gamma"]).relu() @ p["F"] + p["a"]
    return (phi * p["v"]).sum(-1, keepdim=True) + p["v_0"]


@pytest.mark.parametrize("given", [{}, STEPS, CHANNEL], ids=["function", "steps", "channel"])
def test_tables_against_a_plain_network(given):
    c = small(**given)
    state, flat = drawn(c)
    tokens = state.strings.double()
    p = optimiser.named(c, flat)
    found = optimiser.MODELS[c.model].outputs(c, p, tokens)
    for e in range(2):
        own = {name: value[e] for name, value in p.items()}
        plain = (
            plain_channel(own, tokens[e])
            if c.model == "channel"
            else plain_two_layers(own, tokens[e], c.T, c.task == "steps")
        )
        torch.testing.assert_close(found[e], plain, rtol=1e-10, atol=1e-10)


def test_steps_see_nothing_that_comes_later():
    c = small(**STEPS)
    state, flat = drawn(c, 1)
    tokens = state.strings.double()
    before = two_layers.outputs(c, optimiser.named(c, flat), tokens)
    for t in range(c.T):
        changed = tokens.clone()
        changed[:, :, c.T + t + 1 :] = 1 - changed[:, :, c.T + t + 1 :]
        after = two_layers.outputs(c, optimiser.named(c, flat), changed)
        torch.testing.assert_close(after[..., : t + 1], before[..., : t + 1])
        assert t == c.T - 1 or not torch.allclose(after[..., t + 1], before[..., t + 1])


def test_the_paper_has_these_numbers_of_parameters():
    def count(c):
        return sum(math.prod(shape) for shape in optimiser.MODELS[c.model].shapes(c).values())

    assert count(Spectrum(model="channel", D=2, width=32)) == 1087
    c = Spectrum(model="two_layers", D=2)
    assert two_layers.shapes(c)["Q_1"] == (51, 51)
    assert count(c) == 60 + 2 * (3 * 51**2 + 2 * 51 * 128 + 128 + 51) + 51 + 1


# --- data and keys


def test_strings_and_labels():
    c = small(omega=3, held_out=32)
    k = key(c, 0)
    tokens, labels = parities.drawn(c, k, "training", c.m)
    f = parities.target(c, k)
    assert (f.D, f.omega, f.T) == (2, 3, 5)
    assert np.array_equal(labels[:, 0], walsh.values(f, tokens[:, :5]))
    assert not tokens[:, 5].any()
    assert len({bytes(row) for row in parities.drawn(c, k, "evaluation", 32)[0]}) == 32  # all there are
    assert len(parities.drawn(c, k, "evaluation", 31)[0]) == 31
    tokens, labels = parities.drawn(small(**STEPS), k, "training", 16)
    for row, wanted in zip(tokens.tolist(), labels.tolist(), strict=True):
        x, y = row[:4], [sum(row[:t]) % 2 for t in range(5)]
        assert row[4:] == y[:4]
        assert wanted == [1 - bit for bit in y[1:]]
        assert all((x[t] + y[t]) % 2 == y[t + 1] for t in range(4))


def test_keys_of_other_tasks_are_what_they_were():
    """Committed results are found by them."""
    assert key(Config(m=100), 0) == "e73f89d7566df30a388e5e128a753305"
    assert key(Regression(model="transformer", N=4), 3) == "2226f2c0a43dfc3da287a69e80946730"


def test_every_field_is_in_the_key():
    base = small(task="function", omega=2)
    other = dict(
        model="channel", D=3, omega=3, T=6, m=61, batch=19, rate=1e-3, decay=0.1, threshold=0.1, cap=4, held_out=99,
        more=5, width=9, measure=True, probes=3, certify="half", dtype="float64",
        scale=0.5, dropout=0.1,
    )  # fmt: skip
    found = {key(replace(base, **({"more": 30} if name == "model" else {}), **{name: value}), 0)
             for name, value in other.items()}  # fmt: skip
    found |= {key(base, 0), key(base, 1), key(small(**STEPS), 0), key(small(**CHANNEL, watch=True), 0)}
    assert len(found) == len(other) + 4
    assert {*other, "task", "watch"} == {f.name for f in fields(Spectrum)}
    assert config(short(base)) == base
    assert keys.KINDS["channel"] is Spectrum
    assert asdict(base)["D"] == 2


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"D": 0}, "the degree is from 1 to T = 5, got 0"),
        ({"D": 6}, "the degree is from 1 to T = 5, got 6"),
        ({"omega": 6}, "the sparsity is from 1 to 5"),
        ({"omega": 0}, "the sparsity is from 1 to 5"),
        ({"D": 5, "omega": 2}, "the sparsity is from 1 to 1 at T = 5, degree 5, got 2"),
        ({"model": "tree"}, "no model 'tree'; there are two_layers, channel"),
        ({"task": "walk"}, "no task 'walk'; there are function, steps"),
        ({"m": 1}, "m >= 2 training strings, got 1"),
        ({"batch": 61}, "a batch has 1 to m = 60 strings, got 61"),
        ({"cap": 0}, "cap and width are at least 1"),
        ({"probes": 1}, "held_out and probes are at least 2"),
        ({"threshold": 0}, "the threshold is positive, got 0"),
        ({"rate": math.nan}, "the rate is positive"),
        ({"more": 0}, "the two symbols need at least 1 coordinate, got 0"),
        ({"T": 5.0}, "T must be whole numbers"),
        ({"watch": True}, "watch is of model channel"),
        ({"model": "channel"}, "more is of model two_layers"),
        ({"certify": "all"}, "no prior 'all'; there are start, half"),
        ({"task": "steps", "measure": True}, "steps are of model two_layers, without measure or certify"),
        ({"task": "steps", "D": 3}, "a step is a parity of 2 bits"),
        ({"scale": 0}, "scale is positive"),
        ({"dropout": 1}, "dropout in"),
        ({"task": "steps", "dropout": 0.1}, "steps are trained without dropout"),
        ({"model": "channel", "more": 30, "scale": 2}, "scale and dropout are of model two_layers"),
    ],
)
def test_bad_input(given, text):
    with pytest.raises(InputError, match=text.replace("(", r"\(")):
        small(**given)


def test_more_bad_input():
    with pytest.raises(InputError, match="how a sum of parities is trained is in the plan"):
        small().under("paper")
    with pytest.raises(InputError, match="a trial has no heads; it has D, T, batch"):
        config({"model": "two_layers", "D": 2, "heads": 2})
    with pytest.raises(InputError, match="the degree D is missing"):
        config({"model": "two_layers"})


# --- training


@pytest.fixture(scope="module")
def easy():
    torch.set_num_threads(1)
    c = Spectrum(model="two_layers", D=1, omega=2, T=5, m=128, batch=16, cap=40, held_out=4096, width=32, measure=True,
                 probes=8)  # fmt: skip
    return c, optimiser.train(c, [0, 1])


def test_it_fits_and_stops(easy):
    c, trained = easy
    for record in trained.records:
        assert record["converged"] is True
        assert record["train_loss"] < c.threshold <= min(record["curve"][:-1])
        assert record["epochs"] == len(record["curve"]) < c.cap
        assert record["curve"][0] > 2 * record["curve"][-1]
        assert 0 < record["test_loss"] < 0.1


def test_the_loss_is_that_of_the_network_at_the_end(easy):
    """Over all training strings, with the last weights; and the test is on every string there is."""
    c, trained = easy
    for trial, (record, network) in enumerate(zip(trained.records, trained.networks, strict=True)):
        p = {name: value.double() for name, value in network.items()}
        for name, (stream, number) in {"train_loss": ("training", c.m), "test_loss": ("evaluation", 32)}.items():
            tokens, labels = parities.drawn(c, key(c, trial), stream, number)
            out = plain_two_layers(p, torch.from_numpy(tokens).double(), c.T, False)
            assert record[name] == pytest.approx(float((out - torch.from_numpy(labels)).square().mean()), rel=1e-3)


def test_a_trial_does_not_depend_on_the_others(easy):
    c, trained = easy
    alone = optimiser.train(c, [1]).records[0]
    assert alone["epochs"] == trained.records[1]["epochs"]
    assert alone["train_loss"] == pytest.approx(trained.records[1]["train_loss"], rel=0.05)


def test_what_is_not_fitted_says_so():
    record = optimiser.train(small(cap=2, threshold=1e-9), [0]).records[0]
    assert (record["status"], record["converged"], record["epochs"]) == ("done", False, 2)
    assert record["test_loss"] > 0
    assert len(record["curve"]) == 2
    broken = optimiser.train(small(rate=1e30), [0]).records[0]
    assert (broken["status"], broken["converged"]) == ("failed", False)
    assert "components" in broken
    assert "test_loss" not in broken


def test_steps_are_learned():
    c = Spectrum(model="two_layers", task="steps", D=2, T=4, m=128, batch=16, cap=60, width=32)
    record = optimiser.train(c, [0]).records[0]
    assert record["converged"]
    assert record["wrong"] <= 0.05
    assert record["wrong_ends"] <= 0.2
    assert "components" not in record


def test_chains_go_on_with_their_own_answers():
    c = small(**STEPS)
    state, flat = drawn(c, 8, 1.0)
    tokens, p = state.held_bits[0], optimiser.named(c, flat)
    parity, differs = tokens[:, : c.T].double().sum(1) % 2, []
    for e in range(8):
        own = tokens.double().clone()
        own[:, c.T :] = 0
        for t in range(c.T):
            out = plain_two_layers({name: value[e] for name, value in p.items()}, own, c.T, True)
            if t + 1 < c.T:
                own[:, c.T + t + 1] = (out[:, t] < 0.5).double()
        wrong = float(((out[:, -1] < 0.5).double() != parity).double().mean())
        assert parities.wrong_ends(c, flat[e], tokens) == pytest.approx(wrong)
        forced = (parities.values(c, flat[e], tokens)[:, -1] < 0.5).double()
        differs.append(float((forced != parity).double().mean()) != pytest.approx(wrong))
    assert any(differs)  # right bits before an answer are not the network's own


def test_answers_are_read_back():
    """A network that answers a constant is wrong at the end on half of the strings."""
    c = small(**STEPS)
    state, _ = drawn(c, 1)
    flat = torch.zeros_like(state.flat[0])
    assert parities.wrong_ends(c, flat, state.held_bits[0]) == 0.5


# --- what is measured


def test_norms_and_gradients_against_plain_ones(easy):
    c, trained = easy
    record, network = trained.records[0], trained.networks[0]
    assert record["norms"] == pytest.approx({n: float(v.double().square().sum()) for n, v in network.items()})
    p = {name: value.double().requires_grad_() for name, value in network.items()}
    tokens, _ = parities.drawn(c, key(c, 0), "training", c.m)
    total = 0.0
    for out in plain_two_layers(p, torch.from_numpy(tokens).double(), c.T, False)[:, 0]:
        slopes = torch.autograd.grad(out, list(p.values()), retain_graph=True)
        total += sum(float(slope.square().sum()) for slope in slopes)
    assert record["gradient"] == pytest.approx(2 * total / c.m, rel=1e-3)


def test_traces_against_the_whole_hessian():
    """Where f is bent, its trace is the mean over directions; and the parts cover all strings."""
    c = small(T=3, m=16, batch=16, more=1, width=3, dtype="float64", held_out=8)
    state, flat = drawn(c, 1)
    w, strings, y = flat[0], state.strings[0], state.labels[0, :, 0]
    residual = (curvature.output(c, w, strings) - y).detach()
    hessian = torch.func.hessian(lambda own: (2 * residual * curvature.output(c, own, strings)).mean())(w)
    each = curvature.curvatures(c, w, strings.repeat(100, 1), y.repeat(100), 100, np.random.default_rng(0))
    error = each.std() / math.sqrt(len(each))
    assert abs(each.mean() - float(hessian.trace())) < 4 * error
    u = torch.from_numpy(np.random.default_rng(0).integers(0, 2, len(w)) * 2.0 - 1)
    (one,) = curvature.curvatures(c, w, strings, y, 1, np.random.default_rng(0))
    assert one == pytest.approx(float(u @ hessian @ u), rel=1e-9)
    record = curvature.measured(replace(c, probes=8), w, strings, y, torch.tensor([0.0, 0.0, 0.0, 1.0]), rng())
    parts = curvature.curvatures(c, w, strings, y, 8, rng())
    assert record["residual"] == pytest.approx(parts.mean())
    assert record["residual_error"] == pytest.approx(parts.std(ddof=1) / math.sqrt(8))
    assert record["subgaussian"] == pytest.approx(curvature.subgaussian(np.array([0.0, 0.0, 0.0, 1.0])))


def rng():
    return np.random.default_rng(5)


def test_the_subgaussian_constant():
    rng = np.random.default_rng(0)
    assert curvature.subgaussian(np.tile([0.0, 1.0], 500)) == pytest.approx(0.5, rel=1e-3)  # Hoeffding's lemma is sharp
    assert curvature.subgaussian(3 + 0.2 * rng.standard_normal(10_000)) == pytest.approx(0.2, rel=0.1)
    assert curvature.subgaussian(np.full(10, 0.7)) == pytest.approx(0, abs=1e-6)
    for p in (0.05, 0.95):  # Kearns and Saul: (1 - 2p)/(2 log((1-p)/p)), at t = 2 log((1-p)/p)
        losses = np.r_[np.ones(round(1000 * p)), np.zeros(round(1000 * (1 - p)))]
        exact = math.sqrt((1 - 2 * p) / (2 * math.log((1 - p) / p)))
        assert curvature.subgaussian(losses) == pytest.approx(exact, rel=1e-2)


def test_what_the_channel_learned():
    c = Spectrum(model="channel", D=1, T=5, m=128, batch=16, cap=40, width=8, watch=True, held_out=32)
    trained = optimiser.train(c, [0])
    record, p = trained.records[0], trained.networks[0]
    assert record["converged"]
    attention, phi = np.array(record["attention"]), np.array(record["phi"])
    assert attention.shape == (6, 6)
    assert attention.sum(1) == pytest.approx(np.ones(6), abs=1e-4)
    at = torch.linspace(0, 1, channel.POINTS)[:, None]
    plain = (at * p["M"] + p["Gamma"]).relu() @ p["F"] + p["a"]
    assert phi == pytest.approx(plain.numpy(), abs=1e-4)
    strings = torch.from_numpy(parities.drawn(c, key(c, 0), "training", c.m)[0]).float()
    x = torch.cat([torch.eye(6).expand(len(strings), 6, 6), strings[..., None]], -1)
    weights = ((x @ p["Q"]) @ (x @ p["K"]).mT * math.log(6)).softmax(-1).mean(0)
    assert attention == pytest.approx(weights.numpy(), abs=1e-4)


# --- dropout, and another scale of the initial weights


def with_masks(p, tokens, keep):
    """Every token through everything, the masks (n, P or 1, d) on what is added; the last one is read."""
    n, P = tokens.shape
    x = torch.cat([torch.eye(P).double().expand(n, P, P), p["symbol"][tokens.long()]], -1)
    for layer, (attention, mlp) in zip("12", (keep[:2], keep[2:]), strict=True):
        q, k, v = (x @ p[f"{name}_{layer}"] for name in "QKV")
        y = x + (q @ k.mT * math.log(P)).softmax(-1) @ v * attention
        x = y + ((y @ p[f"A_{layer}"] + p[f"a_{layer}"]).relu() @ p[f"B_{layer}"] + p[f"b_{layer}"]) * mlp
    return x[:, -1:] @ p["w"] + p["w_0"]


def test_dropout_is_that_of_a_plain_network_with_the_same_masks():
    c = small(dropout=0.25, dtype="float64")
    state, flat = drawn(c)
    p, bits = optimiser.named(c, flat), state.strings[:, :20]
    keep = two_layers.masks(c, state.keys, 7, 20, torch.device("cpu"))
    assert [mask.shape for mask in keep] == [(2, 20, 6, 10)] * 2 + [(2, 20, 1, 10)] * 2
    assert all(set(mask.unique().tolist()) == {0.0, 1 / 0.75} for mask in keep)
    assert not torch.equal(keep[0], two_layers.masks(c, state.keys, 8, 20, torch.device("cpu"))[0])
    found = two_layers.outputs_with_dropout(c, p, bits, keep)
    for i in range(2):
        own = {name: value[i] for name, value in p.items()}
        wanted = with_masks(own, bits[i], [mask[i] for mask in keep])
        assert (found[i] - wanted).abs().max() <= 1e-12 * wanted.abs().max()
    ones = [torch.ones_like(mask) for mask in keep]
    whole = two_layers.outputs_with_dropout(c, p, bits, ones)
    assert torch.allclose(whole, two_layers.outputs(c, p, bits), rtol=0, atol=1e-12)
    assert (whole - found).abs().max() > 0.01


def test_dropout_is_in_training_only():
    """A step sees masks, the loss after an epoch and the test do not; and no trial sees another's."""
    c = small(dropout=0.3, dtype="float64", cap=2, threshold=1e-9)
    together, alone = optimiser.train(c, range(3)), optimiser.train(c, [2])
    for name, value in alone.networks[0].items():
        assert torch.allclose(together.networks[2][name], value, rtol=0, atol=1e-10)
    record, flat = alone.records[0], torch.cat([value.flatten() for value in alone.networks[0].values()])
    for name, stream, number in (("train_loss", "training", c.m), ("test_loss", "evaluation", c.held_out)):
        tokens, labels = (torch.from_numpy(a) for a in parities.drawn(c, key(c, 2), stream, number))
        assert record[name] == pytest.approx(float(parities.squares(c, flat, tokens, labels).mean()), rel=1e-9)
    without = optimiser.train(small(dtype="float64", cap=2, threshold=1e-9), [2]).networks[0]
    assert not torch.allclose(without["Q_1"], alone.networks[0]["Q_1"])
    assert (c.protocol, small().protocol, c.under("script")) == ("script", "fast", c)


def test_the_scale_is_of_all_initial_weights():
    """Drawn from the same key."""
    once, half = (two_layers.initial(small(scale=scale), "0" * 32) for scale in (1.0, 0.5))
    assert all(np.array_equal(half[name], 0.5 * once[name]) for name in once)


# --- certificates


@pytest.mark.parametrize("prior", ["start", "half"])
def test_a_certificate_is_of_strings_that_the_prior_has_not_seen(prior, monkeypatch):
    from maurey.verify.certificates import pacbayes

    given = {}

    def certify(forward, mean, prior_mean, strings, labels, rng, *, loss, test):
        given.update(mean=mean, prior=prior_mean, strings=strings, loss=loss, test=test)
        given["outputs"] = forward(torch.stack([mean, prior_mean]), strings.expand(2, -1, -1))
        given["labels"] = labels
        return {"bound": 1.0}

    monkeypatch.setattr(pacbayes, "certify", certify)
    c = Spectrum(model="two_layers", D=1, T=5, m=128, batch=16, cap=60, width=16, certify=prior, held_out=32)
    trained = optimiser.train(c, [0])
    record = trained.records[0]
    assert record["certificate"] == {"bound": 1.0}
    tokens, labels = parities.drawn(c, key(c, 0), "training", c.m)
    unseen = slice(64, None) if prior == "half" else slice(None)
    assert np.array_equal(given["strings"].numpy(), tokens[unseen])
    assert given["labels"].numpy() == pytest.approx(labels[unseen, 0])
    assert given["loss"] == "wrong"
    assert given["outputs"].shape == (2, len(tokens[unseen]))
    assert len(given["test"][0]) == 32
    start = two_layers.initial(c, key(c, 0))
    first = torch.from_numpy(np.concatenate([a.ravel() for a in start.values()])).float()
    assert torch.equal(given["prior"], first) == (prior == "start")
    if prior == "half":  # it fits the half that it has seen
        seen = parities.squares(c, given["prior"], torch.from_numpy(tokens[:64]), torch.from_numpy(labels[:64]))
        assert float(seen.mean()) < c.threshold
        assert 0 < record["prior_epochs"] < record["epochs"]


def test_a_prior_of_half_does_not_depend_on_the_other_half(monkeypatch):
    c = Spectrum(model="two_layers", D=1, T=5, m=64, batch=16, cap=60, width=16, certify="half", held_out=32)
    plain, priors = parities.drawn, []

    def changed(config, k, stream, number):
        tokens, labels = plain(config, k, stream, number)
        if stream == "training":
            labels = np.r_[labels[:32], 1 - labels[32:]]
        return tokens, labels

    from maurey.verify.certificates import pacbayes

    def kept(forward, mean, prior_mean, strings, labels, rng, **_):
        priors.append((prior_mean.clone(), labels.clone()))
        return {"bound": 1.0}

    monkeypatch.setattr(pacbayes, "certify", kept)
    for drawn_by in (plain, changed):
        monkeypatch.setattr(parities, "drawn", drawn_by)
        optimiser.train(c, [0])
    (first, labels), (second, others) = priors
    assert torch.equal(first, second)
    assert torch.equal(labels, 1 - others)


def test_initial_weights_are_those_that_are_stated():
    c = Spectrum(model="two_layers", D=2, more=60, width=400)
    start, d = two_layers.initial(c, key(c, 0)), 81
    stated = {"Q_1": d, "K_2": d, "V_1": d, "A_1": d / 2, "A_2": d / 2, "B_1": 400, "symbol": 60}
    for name, inputs in stated.items():
        assert start[name].std() == pytest.approx(inputs**-0.5, rel=0.1)
    assert not any(start[name].any() for name in ("a_1", "b_2", "w_0"))
    own = channel.initial(Spectrum(model="channel", D=2, width=400), key(c, 0))
    kinks = -own["Gamma"] * own["M"]  # where M c + Gamma vanishes, M being a sign
    assert (np.abs(own["M"]) == 1).all()
    assert (kinks.min(), kinks.max()) == (pytest.approx(0, abs=0.02), pytest.approx(1, abs=0.02))
    assert all(model.decayed(name) for model in (two_layers, channel) for name in model.shapes(c))


def test_wrong_bits_and_errors_of_a_test():
    c = small(cap=2, held_out=100, threshold=1e-9)
    trained = optimiser.train(c, [0])
    record = trained.records[0]
    tokens, labels = parities.drawn(c, key(c, 0), "evaluation", 100)
    p = {name: value.double() for name, value in trained.networks[0].items()}
    out = plain_two_layers(p, torch.from_numpy(tokens).double(), c.T, False)
    off = (out - torch.from_numpy(labels)).abs()
    assert 0 < record["wrong"] == pytest.approx(float((off >= 0.5).double().mean()), abs=0.02)
    assert record["test_error"] == pytest.approx(float(off.square().std() / math.sqrt(len(off))), rel=1e-2)


def test_no_prior_no_certificate():
    c = small(D=1, cap=1, threshold=1e-9, certify="half")
    assert optimiser.train(c, [0]).records[0]["certificate"] is None
