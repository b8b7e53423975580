"""Trained networks as objects of the calculus: the same function, the right norms, and what they say of the claims."""

import math
from dataclasses import replace

import pytest
import torch

from maurey.commands.verify import table
from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.modules import Heads
from maurey.symbolic.papers.edelman2022.section_4 import head
from maurey.symbolic.route import PAPER
from maurey.verify import ledger, matrix
from maurey.verify.attack import trained_networks
from maurey.verify.attack.forwards import forward
from maurey.verify.attack.statements import Statement
from maurey.verify.checks import EFFORTS, Result, checks_of
from maurey.verify.papers.edelman2022 import lipschitz as edelman_lipschitz
from maurey.verify.papers.edelman2022 import trained_networks as edelman_trained
from maurey.verify.papers.maurey import lipschitz as maurey_lipschitz
from maurey.verify.papers.maurey import trained_networks as maurey_trained
from maurey.verify.training.networks import encoder, layer
from maurey.verify.training.networks.binary_attention import attend, both
from maurey.verify.training.readings import norms, trajectories
from maurey.verify.training.trials.boolean import Config

SMALL = {"T": 5, "s": 1, "m": 4, "width": 6, "heads": 3, "dtype": "float64"}
CONFIGS = {"layer": Config(model="layer", **SMALL), "encoder": Config(**SMALL)}
MODELS = {"layer": layer, "encoder": encoder}


def parameters(config, seed=0):
    """Everything away from zero, gains and biases too."""
    rng = torch.Generator().manual_seed(seed)
    shapes = MODELS[config.model].shapes(config)
    return {n: torch.randn(*shape, generator=rng, dtype=torch.float64) for n, shape in shapes.items()}


def strings(config, number=20):
    return torch.randint(2, (number, config.T), generator=torch.Generator().manual_seed(1))


def summed(config, own, bits):
    heads = Heads(tuple(head(Setting(), PAPER, h) for h in range(1, config.heads + 1)))
    return forward(heads, own.weights(), own.sequences(bits), {"L_sigma": 1}, "identity")[:, 0]


def engine(p):
    return {name: value[None] for name, value in p.items()}


# --- the same function -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_layer_is_a_sum_of_heads_with_a_readout(seed):
    config = CONFIGS["layer"]
    p, bits = parameters(config, seed), strings(config)
    own = norms.reading(config, p)
    logits = layer.logits(config, engine(p), both(bits.double())[None])[0]
    z = logits[:, 1] - logits[:, 0]
    assert z.std() > 0.1
    torch.testing.assert_close(summed(config, own, bits) @ own.readout, z, rtol=0, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_encoders_attention_is_a_sum_of_heads(seed):
    config = CONFIGS["encoder"]
    p, bits = parameters(config, seed), strings(config)
    attended = attend(both(bits.double())[None], encoder.terms(config, engine(p)))[0] @ p["W_O"]
    assert attended.std() > 0.1
    torch.testing.assert_close(summed(config, norms.reading(config, p), bits), attended, rtol=0, atol=1e-10)


@pytest.mark.parametrize("model", MODELS)
def test_tokens_are_what_the_engine_embeds(model):
    config = CONFIGS[model]
    p, bits = parameters(config), strings(config, 1)
    X = norms.reading(config, p).sequences(bits)[0]
    assert X.shape == (config.T + 1, config.width + 1)
    assert torch.equal(X[:, -1], torch.ones(config.T + 1, dtype=torch.float64))
    if model == "encoder":
        x = torch.cat([p["token"][2:], p["token"][bits[0]]]) + p["position"]
        unit = (x - x.mean(1, keepdim=True)) / (x.var(1, unbiased=False, keepdim=True) + 1e-5).sqrt()
        torch.testing.assert_close(X[:, :-1], unit)
    else:
        symbols = torch.eye(3, config.width).double()[[2, *bits[0].tolist()]]
        torch.testing.assert_close(X[:, :-1], symbols + layer.sinusoids(config.T + 1, config.width))


# --- norms, entry by entry -------------------------------------------------------------------------------------------


def with_biases(config, p, name):
    W, b = p[f"W_{name}"], p[f"b_{name}"]
    if config.model == "encoder":
        return [*(p["ln1_gain"][:, None] * W).tolist(), (p["ln1_bias"] @ W + b).tolist()]
    return [*W.tolist(), b.tolist()]


def matrices(config, p, h):
    """S, W_V and W_O of one head, as lists of rows."""
    v, n = config.width // config.heads, config.width + 1
    Q, K, V = ([row[h * v : (h + 1) * v] for row in with_biases(config, p, name)] for name in "QKV")
    if config.model == "layer":
        w = (p["W_R"][:, 1] - p["W_R"][:, 0]).tolist()
        c = sum(w[i] * float(p["b_O"][i]) for i in range(n - 1)) + float(p["b_R"][1] - p["b_R"][0])
        read = [sum(float(p["W_O"][i][j]) * w[j] for j in range(n - 1)) for i in range(n - 1)]
        V[-1] = [x + c * read[h * v + i] / sum(r * r for r in read) for i, x in enumerate(V[-1])]
    S = [[sum(a * b for a, b in zip(Q[i], K[j], strict=True)) / v**0.5 for j in range(n)] for i in range(n)]
    return S, V, p["W_O"].tolist()[h * v : (h + 1) * v]


def l1(x):
    return sum(map(abs, x))


def l2(x):
    return math.sqrt(sum(y * y for y in x))


def columns(M):
    return [list(column) for column in zip(*M, strict=True)]


def product(A, B):
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns(B)] for row in A]


@pytest.mark.parametrize("model", MODELS)
def test_norms_entry_by_entry(model):
    config = CONFIGS[model]
    p = parameters(config)
    found = norms.norms_of(config, p)
    for h in range(config.heads):
        S, V, C = matrices(config, p, h)
        M = product(V, C)
        expected = {
            "B_QK_F": l2(map(l2, S)), "B_QK_inf": max(map(l2, columns(S))), "B_QK_11": sum(map(l1, S)),
            "B_QK_1inf": max(map(l1, S)), "B_QK_21": sum(map(l2, S)),  # W_QK of Trauger and Tewari is S^T
            "B_V_F": l2(map(l2, M)), "B_V_inf": max(map(l2, M)),
            "B_V_1inf": max(map(l1, V)), "B_V_1inf_rows": max(map(l1, columns(V))),
            "B_C_1inf": max(map(l1, C)), "B_C_1inf_rows": max(map(l1, columns(C))),
            "B_QK": float(torch.linalg.svdvals(torch.tensor(S, dtype=torch.float64))[0]),
            "B_V": float(torch.linalg.svdvals(torch.tensor(M, dtype=torch.float64))[0]),
        }  # fmt: skip
        assert {name: found[name][h] for name in expected} == pytest.approx(expected, rel=1e-12)
    tokens = norms.reading(config, p).tokens.tolist()
    expected = {"B_X": max(map(l2, tokens)), "B_X_1": max(map(l1, tokens))}
    expected["l1"] = sum(l1(value.flatten().tolist()) for value in p.values())
    if model == "layer":
        w = (p["W_R"][:, 1] - p["W_R"][:, 0]).tolist()
        expected |= {"B_w": l2(w), "B_w_1": l1(w)}
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    assert ("B_w" in found, "L_out" in found) == ((True, False) if model == "layer" else (False, True))


def test_norms_are_in_doubles_whatever_was_trained():
    config = CONFIGS["layer"]
    p = parameters(config)
    single = norms.norms_of(config, {name: value.float() for name, value in p.items()})
    assert single == norms.norms_of(config, {name: value.float().double() for name, value in p.items()})


# --- what comes after the encoder's attention ------------------------------------------------------------------------


def rest(p, y):
    """z from what stands at [CLS] after attention, y (n, d)."""
    W, zero = engine(p), torch.zeros_like(p["b_O"])
    logits = encoder.read(W | {"b_O": zero[None]}, y[None], torch.zeros_like(y)[None])[0]
    return logits[:, 1] - logits[:, 0]


def test_the_range_is_that_of_the_last_normalisation():
    p = parameters(CONFIGS["encoder"])
    A = norms.last_range(p)
    w = (p["head"][:, 1] - p["head"][:, 0]) * p["lnf_gain"]
    far = 1e6 * torch.stack([w - w.mean(), w.mean() - w])
    assert float(rest(p, far).abs().max()) == pytest.approx(A, rel=1e-4)
    assert float(rest(p, torch.randn(5000, 6).double() * 10).abs().max()) <= A


def test_the_slope_after_attention_is_bounded_and_can_be_reached():
    """A constant vector has no variance: both normalisations are as steep as they get, and the GELU at sqrt(2)."""
    p = parameters(CONFIGS["encoder"])
    direction = torch.linspace(-1, 1, 6).double()
    direction /= direction.norm()
    across = torch.zeros(24).double()
    across[0] = 1
    p |= {"ln2_gain": torch.full((6,), 2.0).double(), "ln2_bias": torch.zeros(6).double(),
          "lnf_gain": torch.full((6,), 3.0).double(), "head": torch.stack([-direction, direction], 1)}  # fmt: skip
    p |= {"W_1": 5 * direction[:, None] * across, "W_2": 7 * across[:, None] * direction}
    p["b_1"] = torch.full((24,), math.sqrt(2)).double()
    p["b_2"] = -torch.nn.functional.gelu(p["b_1"]) @ p["W_2"]
    step = 1e-9 * torch.stack([direction, -direction])
    slope = float((rest(p, step[:1]) - rest(p, step[1:])).abs() / 2e-9)
    L = norms.last_lipschitz(p)
    assert 0.99 * L < slope <= L
    a, b = (torch.randn(4000, 6, generator=torch.Generator().manual_seed(i)).double() for i in range(2))
    for scale in (1e-3, 1e-2, 1.0):
        moved = (rest(p, scale * a) - rest(p, scale * (a + 0.01 * b))).abs()
        assert bool((moved <= L * scale * 0.01 * b.norm(dim=1)).all())


# --- claims held against trained networks ----------------------------------------------------------------------------

QUICK = EFFORTS["quick"]
STATEMENTS = edelman_lipschitz.STATEMENTS | maurey_lipschitz.STATEMENTS
HELD = edelman_trained.HELD | maurey_trained.HELD


def test_a_course_learns_and_is_measured():
    for model in MODELS:
        run = trajectories.course(model)
        first, last = (float(network["W_V"].norm()) for network in run.networks)
        assert first != last
        assert run.record["train_errors"] < 40
        assert math.isfinite(run.gap)
        assert run.record["norms"]["B_X"] > 1


@pytest.mark.parametrize("key", HELD)
def test_trained_networks_hold(key):
    results = list(trained_networks.examine(QUICK, STATEMENTS[key], HELD[key]))
    assert {one.form for one in results} >= ({"printed"} if key != "edelman2022/A.12" else {"derived", "sharp"})
    for one in results:
        assert (one.verdict, one.rung) == ("holds", "trained")
        assert 0.002 < one.tightness <= 1
        assert one.instances >= 3


@pytest.mark.parametrize("key", HELD)
def test_a_bound_that_is_too_small_fails(key):
    """A right-hand side below what was measured is found out."""
    own = STATEMENTS[key]

    def smaller(**case):
        whole = own.build(**case)
        sides = lambda v: {n: (lhs, rhs / 500, scale / 500) for n, (lhs, rhs, scale) in whole.sides(v).items()}  # noqa: E731
        return type(whole)(whole.variables, whole.bounds, sides, whole.given)

    shrunk = Statement(smaller, own.cases, own.about, own.speaks)
    results = list(trained_networks.examine(QUICK, shrunk, HELD[key]))
    assert results
    assert all(one.verdict == "fails" and one.counterexample for one in results)


def test_pairs_are_the_networks_own():
    """The first half later in training, the second nearby on other strings; scores are those of the heads."""
    before, after = trajectories.pairs("encoder")
    (here, later), half = trajectories.wholes("encoder"), len(before.X) // 2
    assert len(before.X) == 2 * 16 * trajectories.STRINGS
    torch.testing.assert_close(before.S[:half], before.S[half:])
    torch.testing.assert_close(after.S[:half], later.own.scores.repeat_interleave(trajectories.STRINGS, 0))
    moved = (after.V[half:] - before.V[half:]).flatten(1).norm(dim=1) / before.V[half:].flatten(1).norm(dim=1)
    torch.testing.assert_close(moved, torch.full_like(moved, trajectories.NEARBY))
    maps = (before.C @ before.V)[:: trajectories.STRINGS][:16]
    torch.testing.assert_close(maps[:, :-1], here.own.maps.mT)
    assert not torch.equal(before.X[half:], after.X[half:])


def test_gaps_are_held_and_a_larger_one_is_found_out(monkeypatch):
    held = list(trained_networks.gaps("edelman2022/A.12", QUICK, ("layer", "encoder")))
    held += list(trained_networks.gaps("trauger2024/D.0.1", QUICK, ("layer",)))
    assert [(one.part, one.form) for one in held] == [
        *(("log_N", form) for form in ("derived", "sharp")),
        *((part, form) for part in ("R", "R_rows") for form in ("derived", "sharp")),
    ]
    assert all(one.verdict == "holds" and 0 < one.tightness < 0.01 for one in held)
    run = trajectories.course("layer")
    worse = trajectories.Course(run.config, run.networks, run.record | {"held_loss": 1e12})
    monkeypatch.setattr(trajectories, "course", lambda model, trial: worse)
    assert all(one.verdict == "fails" for one in trained_networks.gaps("trauger2024/D.0.1", QUICK, ("layer",)))


def test_the_checks_are_registered():
    more = ("trauger2024/E.2", "trauger2024/4.1.1", "trauger2024/D.0.1", "trauger2024/D.0.2")
    for key in (*HELD, *more):
        assert len(checks_of(key)) > 1, key


def test_trained_evidence_stands_beside_the_verdict():
    """It decides nothing that something stronger decides, nor a printed bound that the derivation does not give."""
    softmax = registry.find("edelman2022/A.7")
    held = Result("holds", "trained", "networks", instances=5, tightness=0.4)
    row = matrix.row(softmax, [Result("holds", "tested", "attacks", instances=3, tightness=0.9), held], None, 0.0)
    assert (row.verdict, row.evidence, row.tightness) == ("holds", "tested", 0.9)
    assert row.trained == {"instances": 5, "tightness": 0.4, "note": "networks"}
    assert matrix.row(softmax, [Result("holds", "tested", "attacks")], None, 0.0).trained is None
    one_head, deep = (with_networks(key, held) for key in ("edelman2022/4.4", "trauger2024/4.2.1-simplified"))
    assert (one_head.verdict, one_head.evidence, one_head.where) == ("holds", "derived", "B_X <= 1; T*m > 1")
    assert (one_head.trained["instances"], deep.trained["instances"]) == (10, 5)
    assert (deep.verdict, deep.where) == ("undecided", "")
    assert "trained networks: 5 instances" in " ".join(" ".join(table([deep])).split())


def with_networks(key, held):
    """The row of a claim of which nothing is known but its comparison, and networks held against every part."""
    claim = registry.find(key)
    compared = next(one for one in ledger.comparisons(keys=[key]) if one.key == key)
    return matrix.row(claim, [replace(held, part=part.name) for part in claim.parts], compared, 0.0)
