"""The training engine against plain ones: networks, attention, optimiser, data, randomness, and what may not matter."""

import math
from dataclasses import asdict, fields, replace
from itertools import chain, pairwise, product

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from maurey.symbolic.claim import InputError
from maurey.verify.training.engine import optimiser, randomness
from maurey.verify.training.networks import encoder, layer
from maurey.verify.training.networks.binary_attention import attend, both, table
from maurey.verify.training.tasks import boolean, strings
from maurey.verify.training.trials import keys
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import Job, config, key, short

SMALL = dict(T=6, m=40, held_out=200, iterations=200, every=5, width=16, heads=4, rate=1e-2)
LAYER = dict(model="layer", function="majority", heads=2, decay=0.0, clip=0.0)
KINDS = {
    "fast": {},
    "paper": {"protocol": "paper"},
    "layer": LAYER,
    "batches": {"batch": 16},
    "fresh": {"m": 0, "batch": 16},
}


pytestmark = pytest.mark.usefixtures("one_thread")


def small(**values):
    return Config(**{**SMALL, **values})


def start(given, numbers):
    return optimiser.start(given, [key(given, n) for n in numbers], torch.device("cpu"))


def drawn(given, E=2, spread=0.3):
    """Parameters (E, ...) at which every one of them matters."""
    state = start(given, range(E))
    noise = torch.randn(state.flat.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return optimiser.named(given, (state.flat.double() + spread * noise).to(state.flat.dtype))


# --- plain networks: one trial, all positions, all pairs


def heads_of(x, H):
    return x.unflatten(-1, (H, -1)).transpose(1, 2)  # (n, H, T + 1, v)


def plain_attention(p, x, H, on_weights=None):
    """Every token attends to every token: (n, T + 1, d)."""
    q, k, v = (heads_of(x @ p[f"W_{name}"] + p[f"b_{name}"], H) for name in "QKV")
    weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
    if on_weights is not None:
        weights = torch.cat([weights[:, :, :1] * on_weights[:, :, None], weights[:, :, 1:]], 2)
    return (weights @ v).transpose(1, 2).flatten(-2)


def plain_tokens(p, bits):
    own = torch.full((len(bits), 1), 2)
    return p["token"][torch.cat([own, bits.long()], 1)] + p["position"]  # [CLS] first


def plain_encoder(p, bits, H, keep=None):
    def normal(name, x):
        return F.layer_norm(x, x.shape[-1:], p[f"{name}_gain"], p[f"{name}_bias"], 1e-5)

    on_tokens, on_weights, after_attention, after_mlp = keep or (1.0, None, torch.ones(1), torch.ones(1))
    x = plain_tokens(p, bits) * on_tokens
    attended = plain_attention(p, normal("ln1", x), H, on_weights)
    y = x + (attended @ p["W_O"] + p["b_O"]) * after_attention[:, None]
    z = y + (F.gelu(normal("ln2", y) @ p["W_1"] + p["b_1"]) @ p["W_2"] + p["b_2"]) * after_mlp[:, None]
    return (normal("lnf", z) @ p["head"])[:, 0]


def plain_layer_tokens(bits, d):
    x = np.zeros((len(bits), bits.shape[1] + 1, d))
    x[:, 0, 2] = 1
    for t in range(x.shape[1]):
        for i in range(d // 2):
            angle = t / 10_000 ** (2 * i / d)
            x[:, t, 2 * i] += math.sin(angle)
            x[:, t, 2 * i + 1] += math.cos(angle)
        if t:
            x[np.arange(len(bits)), t, bits[:, t - 1].long().numpy()] += 1
    return torch.from_numpy(x)


def plain_layer(p, bits, H):
    attended = plain_attention(p, plain_layer_tokens(bits, len(p["W_Q"])), H)
    return ((attended @ p["W_O"] + p["b_O"]) @ p["W_R"] + p["b_R"])[:, 0]


def all_strings(T, E):
    """Every string of T bits, for each trial in another order: (E, 2^T, T)."""
    x = torch.tensor(list(product((0.0, 1.0), repeat=T)), dtype=torch.float64)
    return torch.stack([x[torch.randperm(len(x), generator=torch.Generator().manual_seed(e))] for e in range(E)])


def of_trial(p, i):
    return {name: value[i] for name, value in p.items()}


@pytest.mark.parametrize("model", ["encoder", "layer"])
def test_the_networks_are_the_plain_ones(model):
    given = small(**(LAYER if model == "layer" else {}), dtype="float64")
    p, x = drawn(given), all_strings(given.T, 2)
    found = optimiser.MODELS[model].logits(given, p, both(x))
    plain = plain_encoder if model == "encoder" else plain_layer
    for i in range(2):
        wanted = plain(of_trial(p, i), x[i], given.heads)
        assert wanted.std(0).min() > 0.01
        assert (found[i] - wanted).abs().max() <= 1e-12 * wanted.abs().max()
    known = optimiser.MODELS[model].terms(given, p)
    assert torch.equal(optimiser.MODELS[model].logits(given, p, both(x), known), found)


def test_dropout_is_that_of_the_plain_network_with_the_same_masks():
    given = small(protocol="paper", dtype="float64", dropout=0.25)
    p, x = drawn(given), all_strings(given.T, 2)
    names = [key(given, i) for i in range(2)]
    keep = encoder.masks(given, names, 7, x.shape[1], torch.device("cpu"))
    assert [mask.shape[2:] for mask in keep] == [(7, 16), (4, 7), (16,), (16,)]
    assert all(set(mask.unique().tolist()) == {0.0, 1 / 0.75} for mask in keep)
    found = encoder.logits_with_dropout(given, p, both(x), keep)
    for i in range(2):
        wanted = plain_encoder(of_trial(p, i), x[i], given.heads, [mask[i] for mask in keep])
        assert (found[i] - wanted).abs().max() <= 1e-12 * wanted.abs().max()
    without = encoder.logits_with_dropout(given, p, both(x), [torch.ones_like(mask) for mask in keep])
    assert torch.allclose(without, encoder.logits(given, p, both(x)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["fast", "paper", "layer"])
def test_gradients_are_those_of_the_plain_network(kind):
    given = small(**KINDS[kind], dtype="float64")
    state = start(given, range(2))
    loss, slope = optimiser.gradient(given, state)
    bits = state.strings[..., given.T :]
    keep = encoder.masks(given, state.keys, 0, given.m, torch.device("cpu")) if kind == "paper" else None
    for i in range(2):
        flat = state.flat[i : i + 1].clone().requires_grad_()
        p = of_trial(optimiser.named(given, flat), 0)
        more = [[mask[i] for mask in keep]] if keep else []
        logits = (plain_layer if kind == "layer" else plain_encoder)(p, bits[i], given.heads, *more)
        wanted = F.cross_entropy(logits, state.labels[i])
        assert float(loss[i]) == pytest.approx(wanted.item(), rel=1e-12)
        (own,) = torch.autograd.grad(wanted, flat)
        assert (slope[i] - own[0]).abs().max() <= 1e-12 * own.abs().max()


# --- attention over binary tokens


def plain_binary(scores, values, bits):
    """Softmax over the tokens that stand in each string; scores (E, 2T + 1, H), values (E, 2T + 1, H, v)."""
    T = bits.shape[-1]
    rows = torch.cat([bits.long() * T + torch.arange(T), torch.full((*bits.shape[:-1], 1), 2 * T)], -1)
    found = []
    for i in range(len(bits)):
        weights = scores[i][rows[i]].softmax(1)  # (n, T + 1, H)
        found.append((weights[..., None] * values[i][rows[i]]).sum(1).flatten(-2))
    return torch.stack(found)


def by_difference(bits, scores, values):
    """What must not be done: the ones as a correction to all zeros."""
    terms = table(scores, values).flatten(-2)
    zeros, ones = terms[:, :-1].unflatten(1, (2, -1)).unbind(1)
    sums = bits @ (ones - zeros) + zeros.sum(1, keepdim=True) + terms[:, -1:]
    sums = sums.unflatten(-1, (*values.shape[-2:-1], values.shape[-1] + 1))
    return (sums[..., :-1] / sums[..., -1:]).flatten(-2)


def planted(nats, seed=0, few=True, T=40, E=2, H=4, v=4, n=200):
    """Scores that spread over so many nats, at a few positions or everywhere, values, and strings; in float32, so that
    both precisions mean the same."""
    g = torch.Generator().manual_seed(seed)
    scores = (1.0 if few else nats) * torch.rand(E, 2 * T + 1, H, generator=g)
    for i in range(4):  # of zeros and of ones, so that there are strings of every level
        scores[:, i] = scores[:, T + 4 + i] = nats * (4 - i) / 4
    return scores, torch.randn(E, 2 * T + 1, H, v, generator=g), torch.randint(0, 2, (E, n, T), generator=g).float()


def inside(state_p, given, n=200):
    """Scores and values of a network, and strings."""
    scores, values = encoder.scores_and_values(state_p, given.heads)
    bits = torch.randint(0, 2, (len(scores), n, given.T), generator=torch.Generator().manual_seed(5))
    return scores, values, bits.to(scores.dtype)


def worst(found, exact):
    return float((found.double() - exact).abs().max())


def networks(dtype):
    """Parameters at initialisation, after training, and with queries so large that scores spread over 60 nats."""
    given = small(T=12, m=100, iterations=100, stop=False, dtype="float32")
    first = optimiser.named(given, start(given, range(2)).flat)
    trained = optimiser.train(given, range(2)).networks
    last = {name: torch.stack([network[name] for network in trained]) for name in trained[0]}
    scores, _ = encoder.scores_and_values(last, given.heads)
    spread = (scores.amax(1) - scores.amin(1)).amax()
    wide = {n: v * (60 / spread) if n in ("W_Q", "b_Q") else v for n, v in last.items()}
    sets = {"initial": first, "trained": last, "wide": wide}
    return given, {name: {n: v.to(dtype) for n, v in p.items()} for name, p in sets.items()}


def test_attention_over_bits_is_attention():
    """In float64 to 1e-12; the scores of the wide network, and planted ones, spread over 60 nats."""
    given, sets = networks(torch.float64)
    for name, p in sets.items():
        scores, values, bits = inside(p, given)
        if name == "wide":
            assert (scores.amax(1) - scores.amin(1)).max() > 59
        exact = plain_binary(scores, values, bits)
        assert worst(attend(both(bits), table(scores, values)), exact) <= 1e-12 * exact.abs().max()
        for i in range(2):  # and by keys and queries of all tokens
            own = of_trial(p, i)
            x = F.layer_norm(plain_tokens(own, bits[i]), (given.width,), own["ln1_gain"], own["ln1_bias"])
            assert worst(exact[i], plain_attention(own, x, given.heads)[:, 0]) <= 1e-12 * exact.abs().max()
    for nats, few in product((1.0, 60.0, 160.0), (True, False)):
        scores, values, bits = (a.double() for a in planted(nats, few=few))
        exact = plain_binary(scores, values, bits)
        assert worst(attend(both(bits), table(scores, values)), exact) <= 1e-12 * exact.abs().max()


def test_attention_over_bits_in_float32():
    """At most four times the error of plain float32 attention; by the difference of the two weights it is far more."""
    for nats, few, seed in product((1.0, 16.0, 60.0, 160.0), (True, False), range(3)):
        scores, values, bits = planted(nats, seed, few)
        exact = plain_binary(scores.double(), values.double(), bits.double())
        plain = worst(plain_binary(scores, values, bits), exact)
        assert 0 < worst(attend(both(bits), table(scores, values)), exact) <= 4 * plain
        if nats >= 60 and few:
            assert not worst(by_difference(bits, scores, values), exact) <= 1000 * plain
    given, sets = networks(torch.float32)
    for p in sets.values():
        scores, values, bits = inside(p, given)
        found, exact, plain = attend(both(bits), table(scores, values)), [], []
        for i in range(2):
            for number, out in ((torch.float64, exact), (torch.float32, plain)):
                own = {n: v.to(number) for n, v in of_trial(p, i).items()}
                x = F.layer_norm(plain_tokens(own, bits[i]), (given.width,), own["ln1_gain"], own["ln1_bias"])
                out.append(plain_attention(own, x, given.heads)[:, 0])
        exact = torch.stack(exact)
        assert 0 < worst(found, exact) <= 4 * worst(torch.stack(plain), exact)


@pytest.mark.parametrize("nats", [165.0, 175.0, 180.0, 200.0, 400.0, 1e4])
def test_scores_beyond_float32_are_not_silently_wrong(nats):
    """Beyond 160 nats, outputs are right or no numbers."""
    scores, values, bits = planted(nats)
    exact = plain_binary(scores.double(), values.double(), bits.double())
    found = attend(both(bits), table(scores, values))
    right = (found.double() - exact).abs() <= 1e-5 * exact.abs().max()
    assert (right | ~found.isfinite()).all()
    if nats > 180:
        assert not found.isfinite().any()


# --- a trial does not know of the others


def same(together, alone, tolerance):
    return all(torch.allclose(together[n], alone[n], rtol=0, atol=tolerance) for n in together)


@pytest.mark.parametrize("kind", KINDS)
def test_a_trial_in_a_batch_is_the_trial_alone(kind):
    """All parameters to 1e-9 in float64, over 60 steps; the same losses and errors, nearly, in float32, over 200."""
    for dtype, steps in (("float64", 60), ("float32", 200))[: 2 if kind in ("fast", "paper", "layer") else 1]:
        given = small(**KINDS[kind], dtype=dtype, stop=False, curve=True, every=20, iterations=steps)
        together = optimiser.train(given, range(4))
        assert all(record["iterations"] == steps for record in together.records)
        for i in (0, 3):
            alone = optimiser.train(given, [i])
            if dtype == "float64":
                assert same(together.networks[i], alone.networks[0], 1e-9)
            rows, own = (np.array(done["curve"]) for done in (together.records[i], alone.records[0]))
            loose = dtype == "float32"  # another machine may multiply batches in another order
            assert np.abs(rows[:, 2] - own[:, 2]).max() <= loose
            assert np.allclose(rows[:, 1::2], own[:, 1::2], rtol=1e-2 if loose else 1e-9, atol=1e-4 if loose else 2e-6)


@pytest.mark.parametrize("kind", ["fast", "paper", "layer"])
def test_a_trial_is_the_same_when_others_leave(kind):
    given = small(**KINDS[kind], dtype="float64", **({"m": 24} if kind != "layer" else {}))
    together = optimiser.train(given, range(6))
    ends = [record["iterations"] for record in together.records]
    assert min(ends) < 100
    assert ends.count(max(ends)) < 6
    last = ends.index(max(ends))
    alone = optimiser.train(given, [last])
    for name, value in together.records[last].items():
        assert alone.records[0][name] == (pytest.approx(value, rel=1e-6) if isinstance(value, float) else value)
    assert same(together.networks[last], alone.networks[0], 1e-9)


def test_trials_with_dropout_may_go_one_after_the_other(monkeypatch):
    given = small(protocol="paper", dtype="float64", iterations=20, every=20)
    at_once = optimiser.train(given, range(3))
    monkeypatch.setattr(boolean, "ENOUGH", 1)
    for one, other in zip(at_once.networks, optimiser.train(given, range(3)).networks, strict=True):
        assert same(one, other, 1e-12)


# --- the optimiser


def test_the_optimiser_is_adamw_with_clipping():
    given = small(dtype="float64", decay=0.1, clip=0.5)
    state, decay, clipped = start(given, range(2)), optimiser.decay_of(small(decay=0.1)).double(), []
    weights = optimiser.named(given, state.flat)
    plain = [{n: v.clone().requires_grad_() for n, v in of_trial(weights, i).items()} for i in (0, 1)]

    def plain_adamw(p):
        groups = [[v for n, v in p.items() if encoder.decayed(n) == yes] for yes in (True, False)]
        rates = ({"params": g, "weight_decay": w} for g, w in zip(groups, (given.decay, 0.0), strict=True))
        return torch.optim.AdamW(rates, lr=given.rate, betas=(0.9, 0.999), eps=1e-8)

    optimisers = [plain_adamw(p) for p in plain]
    bits = state.strings[..., given.T :]
    for _ in range(20):
        _, slope = optimiser.gradient(given, state)
        optimiser.adam(given, state, slope, decay)
        for i, (p, own) in enumerate(zip(plain, optimisers, strict=True)):
            own.zero_grad()
            F.cross_entropy(plain_encoder(p, bits[i], given.heads), state.labels[i]).backward()
            clipped.append(float(torch.nn.utils.clip_grad_norm_(p.values(), given.clip)) > given.clip)
            own.step()
    assert True in clipped
    assert False in clipped
    found = optimiser.named(given, state.flat)
    for i, p in enumerate(plain):
        for name, value in p.items():
            assert torch.allclose(found[name][i], value, rtol=0, atol=1e-8), name
    matrices = {"W_Q", "W_K", "W_V", "W_O", "W_1", "W_2", "head"}
    assert {name for name in encoder.shapes(given) if encoder.decayed(name)} == matrices
    assert not any(layer.decayed(name) for name in layer.shapes(given))


def test_no_clipping_where_none_is_asked_for():
    given = small(dtype="float64", clip=0.0)
    state = start(given, [0])
    slope = torch.full_like(state.flat, 1e3)
    optimiser.adam(given, state, slope, torch.zeros_like(state.flat[0]))
    assert float(state.first[0, 0]) == pytest.approx(100)


# --- randomness


def test_streams():
    own, other = key(Config(m=2), 0), key(Config(m=2), 1)
    first = randomness.bits(own, "training", 50, 30)
    assert np.array_equal(first, randomness.bits(own, "training", 80, 30)[:50])
    assert np.array_equal(
        randomness.generator(own, "noise").random(9), randomness.generator(own, "noise").random(99)[:9]
    )
    draws = [randomness.philox(k, stream, step).random_raw(4).tolist()
             for k in (own, other) for stream in randomness.STREAMS for step in (0, 1, 2)]  # fmt: skip
    assert len({tuple(draw) for draw in draws}) == 2 * 3 * len(randomness.STREAMS)
    flat = randomness.philox(own, "training", 0).random_raw(400).tolist()
    assert not set(flat) & set(randomness.philox(own, "training", 1).random_raw(400).tolist())
    assert set(np.unique(first)) == {0, 1}


def test_pinned_draws():
    """Results that are kept depend on these numbers; another computation needs another SEMANTICS."""
    assert keys.SEMANTICS == 1
    own = key(Config(m=100), 0)
    assert own == "e73f89d7566df30a388e5e128a753305"
    assert strings.hidden(Config(m=100), own) == (0, 8, 33)
    assert randomness.philox(own, "training").random_raw(2).tolist() == [4365427938266625392, 5885802134386509193]
    assert randomness.bits(own, "evaluation", 1, 16, 3).tolist() == [[0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1]]
    start = encoder.initial(Config(m=100), own)["token"][0, :2].tolist()
    assert start == pytest.approx([-0.01035319964262825, -0.0075602283287876885])
    assert randomness.kept(own, 5, 16, 0.3, torch.device("cpu")).int().tolist() == [
        1,
        1,
        1,
        0,
        0,
        1,
        1,
        0,
        1,
        1,
        0,
        1,
        1,
        0,
        1,
        1,
    ]


def test_bits_are_fair():
    x = randomness.bits(key(Config(m=2), 0), "evaluation", 4000, 50).astype(float) - 0.5
    assert abs(x.mean()) < 4 * 0.5 / math.sqrt(x.size)
    assert np.abs(x.mean(0)).max() < 5 * 0.5 / math.sqrt(len(x))
    pairs = x.T @ x / len(x) - np.eye(50) / 4
    assert np.abs(pairs).max() < 6 * 0.25 / math.sqrt(len(x))


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5])
def test_dropout_keeps_what_it_should(rate):
    own, cpu, n = key(Config(m=2), 0), torch.device("cpu"), 100_001
    found = randomness.kept(own, 3, n, rate, cpu)
    assert found.dtype == torch.bool
    assert abs(float(found.double().mean()) - (1 - rate)) < 5 * math.sqrt(rate * (1 - rate) / n) + 1e-5
    assert torch.equal(found[:1000], randomness.kept(own, 3, 1000, rate, cpu))
    if rate:
        assert not torch.equal(found, randomness.kept(own, 4, n, rate, cpu))


OTHER = dict(
    model="layer", function="parity", s=2, T=20, m=50, batch=10, iterations=10, every=3, held_out=50, protocol="paper",
    noise=0.1, subset=(0, 1, 2), width=32, heads=8, rate=1e-2, decay=0.01, clip=0.5, dropout=0.2, stop=False,
    curve=True, measure=True, watch=True, dtype="float64",
)  # fmt: skip


def test_a_key_depends_on_all_that_matters_and_nothing_else(monkeypatch):
    base = Config(m=100)
    assert not set(OTHER.items()) & set(asdict(base).items())
    assert set(OTHER) == {f.name for f in fields(Config)}
    changed = [replace(base, **{name: value}) for name, value in OTHER.items()]
    different = {key(c, 0) for c in [base, *changed]} | {key(base, 1)}
    assert len(different) == len(OTHER) + 2
    assert key(base, 0) == key(Config(m=100), 0) == Job(base, 0).key
    monkeypatch.setattr(keys, "SEMANTICS", 2)
    assert key(base, 0) not in different


def test_short_configurations_read_back():
    for given in (Config(m=100), small(**LAYER), small(subset=(0, 3, 5))):
        assert config(short(given)) == given
        assert key(config(short(given)), 3) == key(given, 3)
    assert short(Config(m=100)) == {"m": 100}
    assert config({"m": 100, "subset": [5, 1, 2]}).subset == (5, 1, 2)


# --- the data


def test_labels():
    x = np.array(list(product((0, 1), repeat=5)), dtype=np.uint8)
    rows = [tuple(int(b) for b in row) for row in x]
    assert strings.labels("and", x).tolist() == [int(all(row)) for row in rows]
    assert strings.labels("parity", x).tolist() == [sum(row) % 2 for row in rows]
    assert strings.labels("majority", x).tolist() == [int(sum(row) > 2) for row in rows]
    even = np.array(list(product((0, 1), repeat=4)), dtype=np.uint8)
    assert strings.labels("majority", even).tolist() == [int(sum(row) > 2) for row in even.tolist()]
    text = "".join(str(int(b)) for b in np.random.default_rng(0).integers(0, 2, 32))
    wanted = {row: int(text[int("".join(map(str, row)), 2)]) for row in rows}
    assert strings.labels(text, x).tolist() == [wanted[row] for row in rows]


@pytest.mark.parametrize("function", ["and", "parity", "majority", "01101001"])
def test_strings_are_labelled_by_the_hidden_bits(function):
    given = Config(function=function, m=500, T=10)
    own = key(given, 3)
    places = strings.hidden(given, own)
    x, y = strings.strings(given, own, "training", 500)
    assert len(set(places)) == 3
    assert list(places) == sorted(places)
    assert np.array_equal(y, strings.labels(function, x[:, places]))
    held, _ = strings.strings(given, own, "evaluation", 500)
    assert not np.array_equal(x, held)
    fixed = replace(given, subset=(7, 2, 4))
    x, y = strings.strings(fixed, key(fixed, 3), "training", 500)
    assert strings.hidden(fixed, key(fixed, 3)) == (2, 4, 7)
    assert np.array_equal(y, strings.labels(function, x[:, [2, 4, 7]]))


def test_noise_is_on_training_labels_only():
    given = Config(m=20_000, noise=0.2)
    own = key(given, 0)
    places = strings.hidden(given, own)
    for stream, rate in (("training", 0.2), ("evaluation", 0.0)):
        x, y = strings.strings(given, own, stream, 20_000)
        wrong = float((y != strings.labels("and", x[:, places])).mean())
        assert abs(wrong - rate) < 5 * math.sqrt(rate * (1 - rate) / 20_000) + 1e-12


def test_subsets_are_uniform():
    given, n = Config(m=2, T=8, s=2), 2800
    counts: dict = {}
    for trial in range(n):
        places = strings.hidden(given, key(given, trial))
        counts[places] = counts.get(places, 0) + 1
    assert len(counts) == 28
    assert sum((c - n / 28) ** 2 / (n / 28) for c in counts.values()) < 60  # chi-squared, 27 degrees: 1 in 4,000


def test_an_epoch_takes_every_string_once():
    given = Config(m=100, batch=32, T=10, iterations=8)
    state = start(given, [0, 1])
    assert given.steps_of_an_epoch == 4
    epochs = []
    for state.step in range(8):
        x, y = state.taken()
        assert x.shape == (2, 4 if state.step % 4 == 3 else 32, 20)
        epochs.append([tuple(row) for row in x[1].tolist()])
        assert torch.equal(
            y[1], torch.tensor(strings.labels("and", x[1, :, 10:].numpy()[:, strings.hidden(given, state.keys[1])]))
        )
    whole = sorted(tuple(row) for row in state.strings[1].tolist())
    assert sorted(chain(*epochs[:4])) == sorted(chain(*epochs[4:])) == whole
    assert epochs[0] != epochs[4]


# --- what comes of a trial


def test_it_learns():
    found = optimiser.train(Config(T=12, m=200, held_out=2000, iterations=300), range(3)).records
    assert [record["errors"] for record in found] == [0, 0, 0]
    assert all(record["status"] == "done" and record["best"] == record["iterations"] < 300 for record in found)


def test_errors_are_counted():
    """Chunk by chunk, with another number at the end."""
    given = small(held_out=1030, dtype="float64")
    state = start(given, range(3))
    for _ in range(30):
        optimiser.adam(given, state, optimiser.gradient(given, state)[1], optimiser.decay_of(given).double())
    wrong, loss = boolean.errors(given, state.flat, state.held_bits, state.held_labels, False)
    for i in range(3):
        logits = plain_encoder(of_trial(optimiser.named(given, state.flat), i), state.held_bits[i], given.heads)
        assert int(wrong[i]) == int((logits.argmax(1) != state.held_labels[i]).sum())
        assert float(loss[i]) == pytest.approx(float(F.cross_entropy(logits, state.held_labels[i])), rel=1e-10)


@pytest.mark.parametrize("stop", [False, True])
def test_what_is_kept_for_evaluations_changes_nothing(stop, monkeypatch):
    """All strings, some or almost none as zeros and ones: the same errors and losses, to the last digit."""
    given = small(held_out=1030)
    trained = optimiser.train(replace(given, iterations=60, every=60, stop=False), range(5)).networks
    flat = torch.stack([torch.cat([value.flatten() for value in network.values()]) for network in trained])
    found, kept = [], []
    for numbers in (1, 5 * 2 * given.T * 500, boolean.KEPT):
        monkeypatch.setattr(boolean, "KEPT", numbers)
        state = start(given, range(5))
        kept.append(state.held.shape[1])
        assert torch.equal(state.held, both(state.held_bits[:, : kept[-1]].float()))
        found.append(boolean.errors(given, flat, state.held_bits, state.held_labels, stop, state.held))
    found.append(boolean.errors(given, flat, state.held_bits, state.held_labels, stop))
    assert kept == [200, 400, 1030]
    assert len(set(found[0][0].tolist())) > 1
    for wrong, loss in found[1:]:
        assert torch.equal(wrong, found[0][0])
        assert torch.equal(loss, found[0][1])


def test_an_evaluation_stops_where_it_is_decided():
    """Of 1,030 strings, in chunks of 200, 0, 10, 11 or 300 are wrong: 10 are fewer than one in a hundred."""
    given = small(held_out=1030)
    state = start(given, range(4))
    with torch.no_grad():
        labels = encoder.logits(given, optimiser.named(given, state.flat), both(state.held_bits.float())).argmax(-1)
    for i, places in enumerate(([], [*range(8), 500, 1029], [*range(8), 500, 900, 1029], range(300))):
        labels[i, list(places)] ^= 1
    whole, _ = boolean.errors(given, state.flat, state.held_bits, labels, False)
    assert whole.tolist() == [0, 10, 11, 300]
    stopped, loss = boolean.errors(given, state.flat, state.held_bits, labels, True)
    assert stopped.tolist() == [0, 10, 11, boolean.CHUNK]
    assert loss.isfinite().all()


def test_stopping_early_decides_the_same(monkeypatch):
    """Both definitions of success, fewer than one error in a hundred and none, with and without it."""
    given = small(T=8, m=30, held_out=400)
    monkeypatch.setattr(optimiser, "key", lambda config, trial: key(replace(config, stop=True), trial))
    soon, late = (optimiser.train(replace(given, stop=stop), range(12)).records for stop in (True, False))
    kinds = set()
    for one, other in zip(soon, late, strict=True):
        decided = [(r["errors"] * 100 < given.held_out, r["errors"] == 0) for r in (one, other)]
        assert decided[0] == decided[1]
        kinds.add(decided[0])
        if one["errors"] == 0:
            assert one["best"] == other["best"] == one["iterations"]
        assert other["iterations"] == 200
    assert len(kinds) >= 2


def broken_at_the_start(monkeypatch, given, trial, name="W_Q", factor=1e25):
    original = encoder.initial

    def initial(config, own):
        found = original(config, own)
        return {**found, name: found[name] * factor} if own == key(given, trial) else found

    monkeypatch.setattr(encoder, "initial", initial)


@pytest.mark.parametrize("protocol", ["fast", "paper"])
def test_a_trial_that_is_no_number_has_failed(monkeypatch, protocol):
    given = small(iterations=30, protocol=protocol)
    before = optimiser.train(given, range(3)).records
    broken_at_the_start(monkeypatch, given, 1, factor=1e40)
    first, middle, last = optimiser.train(given, range(3)).records
    assert (middle["status"], middle["iterations"], middle["errors"]) == ("failed", 1, None)
    assert [first["errors"], last["errors"]] == [before[0]["errors"], before[2]["errors"]]
    assert first["status"] == last["status"] == "done"


@pytest.mark.parametrize(("end", "broken", "where"), [(30, 7, 8), (7, 7, 7), (30, 9, 10)])
def test_a_trial_that_breaks_later_has_failed_there(monkeypatch, end, broken, where):
    """The gradient of a step is no number, so the loss of the next is none; or, at the last step, what is held out says
    so. In a step with an evaluation, the others keep their own losses."""
    given, original = small(iterations=end, stop=False, curve=True, every=10), optimiser.gradient
    before = optimiser.train(given, range(3)).records

    def planted(config, state):
        loss, slope = original(config, state)
        if state.step == broken - 1:
            slope[1] = math.inf
        return loss, slope

    monkeypatch.setattr(optimiser, "gradient", planted)
    first, middle, last = optimiser.train(given, range(3)).records
    assert (middle["status"], middle["iterations"]) == ("failed", where)
    assert first["status"] == last["status"] == "done"
    for one, other in ((first, before[0]), (last, before[2])):
        assert np.allclose(one["curve"], other["curve"], rtol=1e-3)


def test_rates_that_break_everything():
    found = optimiser.train(small(rate=1e30, iterations=20), range(2)).records
    assert all(record["status"] == "failed" and 2 <= record["iterations"] <= 20 for record in found)


def test_scores_out_of_range_fail(monkeypatch):
    """A network in float32 whose scores spread over thousands of nats is not called unsuccessful."""
    given = small(iterations=10)
    broken_at_the_start(monkeypatch, given, 0, "W_Q", 1e6)
    first, other = optimiser.train(given, range(2)).records
    assert first["status"] == "failed"
    assert other["status"] == "done"


def test_what_is_kept():
    given = small(iterations=30, curve=True, watch=True, every=10, stop=False)
    (record,) = optimiser.train(given, [0]).records
    assert [row[0] for row in record["curve"]] == [10, 20, 30]
    assert record["errors"] == min(row[2] for row in record["curve"])
    weights = np.array(record["attention"])
    assert weights.shape == (boolean.WATCHED, given.heads, given.T + 1)
    assert np.allclose(weights.sum(-1), 1, atol=1e-3)
    seen = []
    optimiser.train(small(iterations=20), [0, 1], report=lambda done, left: seen.append((done, left)))
    assert all(a[0] < b[0] and a[1] >= b[1] for a, b in pairwise(seen))


def test_attention_weights_are_those_of_the_network():
    given = small(watch=True, iterations=5, every=5, dtype="float64")
    done = optimiser.train(given, [0])
    p, state = done.networks[0], start(given, [0])
    bits = state.held_bits[0, : boolean.WATCHED]
    x = F.layer_norm(plain_tokens(p, bits), (given.width,), p["ln1_gain"], p["ln1_bias"])
    q, k = (heads_of(x @ p[f"W_{n}"] + p[f"b_{n}"], given.heads) for n in "QK")
    weights = (q[:, :, :1] @ k.mT / 2).softmax(-1)[:, :, 0]
    wanted = torch.cat([weights[..., 1:], weights[..., :1]], -1)  # [CLS] last
    assert np.allclose(done.records[0]["attention"], wanted.detach().numpy(), atol=1e-5)


# --- bad input


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (dict(model="rnn"), "no model 'rnn'; there are encoder, layer"),
        (dict(protocol="slow"), "no protocol 'slow'; there are fast, paper"),
        (dict(dtype="float16"), "no dtype 'float16'; there are float32, float64"),
        (dict(s=0), "1 <= s <= T, got s = 0, T = 100"),
        (dict(s=101), "1 <= s <= T, got s = 101, T = 100"),
        (dict(function="xor"), "no function 'xor'; there are and, parity, majority"),
        (dict(function="0110"), "a function of 3 bits has 8 values"),
        (dict(function=""), "a function of 3 bits has 8 values"),
        (dict(m=1), "m >= 2 training strings, or 0 for fresh ones, got 1"),
        (dict(m=-5), "got -5"),
        (dict(m=0), "fresh strings in every step need a batch size"),
        (dict(batch=101), "a batch has at most m = 100 strings"),
        (dict(batch=-1), "a batch has at most m = 100 strings"),
        (dict(subset=(1, 1, 2)), "the subset has 3 different positions from 0 to 99, got (1, 1, 2)"),
        (dict(subset=(1, 2)), "3 different positions"),
        (dict(subset=(1, 2, 100)), "from 0 to 99"),
        (dict(heads=7), "the heads divide the width, got 7 and 64"),
        (dict(heads=0), "got 0 and 64"),
        (dict(rate=0), "the rate is positive"),
        (dict(clip=-1), "decay and clip at least 0"),
        (dict(dropout=1), "dropout is in [0, 1), got 1.0"),
        (dict(iterations=0), "at least 1"),
        (dict(every=0), "at least 1"),
        (dict(held_out=0), "at least 1"),
        (dict(noise=0.5), "the label noise is in [0, 1/2), got 0.5"),
        (dict(noise=-0.1), "got -0.1"),
        (dict(noise=math.nan), "got nan"),
        (dict(model="layer", protocol="paper"), "the attention layer has no dropout: protocol fast"),
    ],
)
def test_impossible_trials(wrong, text):
    with pytest.raises(InputError) as error:
        config({"m": 100, **wrong})
    assert text in str(error.value)
    with pytest.raises(InputError, match="a trial has no colour; it has T, batch"):
        config({"colour": 1})
    assert set(asdict(Config(m=100))) == set(OTHER)


def test_a_whole_number_is_the_same_rate():
    assert key(Config(m=50, clip=1), 0) == key(Config(m=50, clip=1.0), 0)
