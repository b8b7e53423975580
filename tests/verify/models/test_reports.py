"""Reports on checkpoints: counted bits, norms that are paid for, a second computation, bases, noise, derivatives."""

import json
import math
from decimal import Decimal
from fractions import Fraction

import by_hand
import checkpoint_files as files
import numpy as np
import pytest
import references
import torch
from mpmath import mpf

from maurey.symbolic.architecture import Loss
from maurey.symbolic.errors import InputError
from maurey.verify.models import derivatives
from maurey.verify.models import report as reports
from maurey.verify.models.files import safetensors
from maurey.verify.models.model import of_folder, of_tables
from maurey.verify.models.report import Options, report
from maurey.verify.models.running import of_checkpoint

DELTA = Fraction(1, 20)


def write(folder, config, weights):
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    files.save(folder / "model.safetensors", weights)
    return folder


def asked(folder, head=0, **options):
    return report(of_folder(folder, head), Options(**{"help": False} | options))


def row(found, route):
    return next(row for row in found.rows if row.route == route)


def on_grid(x):
    """The next power of 2^(1/8), by logarithms."""
    return 2 ** (math.ceil(8 * math.log2(x)) / 8) if x else 2.0**-40


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    config, weights, _ = references.model("bert, classes")
    return write(tmp_path_factory.mktemp("bert") / "bert", config, weights), weights


@pytest.fixture(scope="module")
def of_bert(bert):
    return asked(bert[0], samples=10**6, bits=5, loss=Loss(margin=Fraction(3, 10)))


# --- bits -------------------------------------------------------------------------------------------------------------


def test_bits_are_counted_from_the_file(of_bert, bert):
    size = (bert[0] / "model.safetensors").read_bytes()
    numbers = (len(size) - 8 - int.from_bytes(size[:8], "little")) // 4
    assert of_bert.parameters == numbers
    plain, coded, rounded = (row(of_bert, route) for route in ("bits", "bits, coded", "bits, rounded"))
    assert abs(plain.log_N.value - 32 * numbers * Decimal(2).ln()) < Decimal("1e-9") * numbers
    assert coded.log_N.value < plain.log_N.value
    assert abs(rounded.log_N.value - (5 * numbers + 32 * len(bert[1]) + 5) * Decimal(2).ln()) < Decimal("1e-6")


def test_sample_sizes_are_least(of_bert):
    assert len(of_bert.rows) == 8
    for one in of_bert.rows:
        assert one.at_least.upper <= 1 < one.before.lower
        assert one.gap.lower <= one.gap.value <= one.gap.upper
    for route in ("bits", "net", "norms", "bits, coded"):
        assert sum(share.share for share in of_bert.blame if share.route == route) == pytest.approx(1)


def test_the_margin_is_paid_for_by_programs_too(of_bert):
    """Rounded to the grid, and its weight in delta: exp(-2 m gap^2) of a program is its share."""
    k = math.ceil(8 * math.log2(10 / 3))
    weight = 1 / ((1 + k) ** 2 * (math.pi**2 / 3 - 1))
    wanted = math.sqrt((of_bert.parameters * 32 * math.log(2) + math.log(20 * 8 / weight)) / 2e6)
    assert float(row(of_bert, "bits").gap.value) == pytest.approx(wanted, rel=1e-9)
    said = next(h for h in of_bert.rests if h.text.startswith("the margin is paid for"))
    assert float(said.value) == pytest.approx(2 ** (-k / 8), rel=1e-5)
    assert float(said.value) < 0.3


def test_every_cell_is_in_the_price(of_bert):
    total = 1.0
    for cell in of_bert.cells.values():
        total *= (1 + abs(cell.k)) ** 2 * (math.pi**2 / 3 - 1)
    assert float(of_bert.price) == pytest.approx(1 / total, rel=1e-6)
    named = {name.split("_")[0] for name in of_bert.cells}
    assert named >= {"Q", "K", "V", "O", "W1", "W2", "E", "P", "S", "head", "pool", "1/margin"}


# --- a second computation ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pooled(tmp_path_factory):
    """Equal layers, the mean token, and a head that is not there: what is computed by hand."""
    config, weights, _ = references.model("bert, classes")
    own = {n: x for n, x in weights.items() if n.startswith("bert.") and "pooler" not in n}
    own |= {n.replace("layer.0", "layer.1"): x for n, x in own.items() if "layer.0" in n}
    folder = tmp_path_factory.mktemp("pooled") / "model"
    write(folder, config | {"architectures": ["BertModel"], "layer_norm_eps": 1e-5}, own)
    kind = "sentence_transformers.models"
    rows = [{"type": f"{kind}.Transformer", "path": ""}, {"type": f"{kind}.Pooling", "path": "1_Pooling"}]
    (folder / "modules.json").write_text(json.dumps(rows))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    return folder, {n.removeprefix("bert."): x.astype(float) for n, x in own.items()}


def measured(w):
    """Norms by NumPy's singular values, on the grid."""
    at = "encoder.layer.0."
    places = {"Q": "attention.self.query", "K": "attention.self.key", "V": "attention.self.value",
              "O": "attention.output.dense", "W1": "intermediate.dense", "W2": "output.dense"}  # fmt: skip
    norms = {}
    for name, place in places.items():
        M = w[f"{at}{place}.weight"]
        norms |= {name: np.linalg.norm(M, 2), f"{name}_F": np.linalg.norm(M)}
        norms[f"{name}_bias"] = np.linalg.norm(w[f"{at}{place}.bias"])
    sites = {"N0": "embeddings.", "N1": f"{at}attention.output.", "N2": f"{at}output."}
    for name, place in sites.items():
        norms[f"{name}_gain"] = np.abs(w[f"{place}LayerNorm.weight"]).max()
        norms[f"{name}_bias"] = np.linalg.norm(w[f"{place}LayerNorm.bias"])
    for name, table in (("E", "word"), ("P", "position"), ("S", "token_type")):
        norms[f"{name}_rows"] = np.linalg.norm(w[f"embeddings.{table}_embeddings.weight"], axis=1).max()
    return {name: mpf(on_grid(x)) for name, x in norms.items()} | {"head": mpf(1)}


def test_net_and_norms_are_computed_again(pooled):
    folder, weights = pooled
    found, m = asked(folder, head=3, samples=10**9), mpf(10) ** 9
    sizes = dict(L=2, d=8, H=4, d_ff=12, K=13, types=2, T=6, classes=3, eps=mpf("1e-5"))
    own = by_hand.bert(sizes, measured(weights), m)
    net = row(found, "net")
    assert float(by_hand.by_counting(own, mpf(str(net.resolution.value)))) == pytest.approx(
        float(net.log_N.value), rel=1e-6
    )
    norms = row(found, "norms")
    assert norms.resolution is not None
    assert float(by_hand.by_norms(own) / mpf(str(norms.resolution.value)) ** 2) == pytest.approx(
        float(norms.log_N.value), rel=1e-6
    )


# --- frozen, rounded, base and noise ----------------------------------------------------------------------------------


def test_what_is_frozen_costs_nothing(tmp_path):
    """A tensor that several matrices share is named as a whole, and layers may differ."""
    config, weights, _ = references.model("gpt2, words")
    name = "transformer.h.0.attn.c_attn.weight"
    found = asked(write(tmp_path / "gpt", config, weights), frozen=(name,), loss=Loss("0-1"))
    assert [one.place.slot for one in found.layers if one.frozen] == ["Q", "K", "V"]
    free = sum(x.size for n, x in weights.items() if n != name)
    assert abs(row(found, "bits").log_N.value - 32 * free * Decimal(2).ln()) < Decimal("1e-6")
    assert "0-1 loss" in row(found, "net").refused
    with pytest.raises(InputError, match=r"no tensor is called 'transformer.h.7\*'"):
        asked(tmp_path / "gpt", frozen=("transformer.h.7*",))
    with pytest.raises(InputError, match="everything is frozen"):
        asked(tmp_path / "gpt", frozen=("*",))


def test_other_formats_take_their_own_bits(tmp_path):
    config, weights, _ = references.model("gpt2, words")
    half = {n: x.astype(np.float16) for n, x in weights.items()}
    found = asked(write(tmp_path / "gpt", config, half), loss=Loss("0-1"))
    numbers = sum(x.size for x in weights.values())
    assert abs(row(found, "bits").log_N.value - 16 * numbers * Decimal(2).ln()) < Decimal("1e-6")


def test_large_models_take_one_pass_and_say_so(bert, monkeypatch):
    """The spectral norm is then at most the Frobenius norm; no tensor is held."""
    monkeypatch.setattr(reports, "LARGE", 1000)
    monkeypatch.setattr(safetensors.Entry, "read", lambda self: pytest.fail("a tensor was held"))
    found = asked(bert[0], loss=Loss("0-1"))
    assert found.one_pass
    assert any("in one pass: the spectral norm is at most the Frobenius norm" in h.text for h in found.rests)
    layer = next(one for one in found.layers if one.place.slot == "Q")
    assert layer.norms.spectral.upper == layer.norms.frobenius.upper
    assert [one.route for one in found.rows if not one.refused] == ["bits"]  # a code would want another pass


SIGMA = 0.05


@pytest.fixture(scope="module")
def near(bert, tmp_path_factory):
    """A base without head, under older names, from which every tensor of the model has moved."""
    folder, weights = bert
    rng, base = np.random.default_rng(3), {}
    for name, x in weights.items():
        if name.startswith("bert."):
            old = name.removeprefix("bert.").replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")
            base[old] = (x - 1e-3 * rng.normal(size=x.shape)).astype(np.float32)
    place = tmp_path_factory.mktemp("base")
    write(place / "base", references.bert_config(architectures=["BertModel"]), base)
    (place / "losses.csv").write_text("loss\n" + "\n".join(["0.1", "0.05"] * 200))
    options = {"base": place / "base", "sigma": str(SIGMA), "losses": place / "losses.csv", "samples": 10**5}
    return asked(folder, **options), base, options


def test_distances_from_a_base(near, bert):
    """A difference in single numbers is exact in doubles, and what the base lacks is zero there."""
    found, base, _ = near
    square = 0.0
    for name, x in bert[1].items():
        old = name.removeprefix("bert.").replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")
        before = base.get(old, np.zeros_like(x)).astype(float)
        square += float(((x.astype(float) - before) ** 2).sum())
    assert float(found.noisy.KL.upper) == pytest.approx(square / (2 * SIGMA**2), rel=1e-9)
    said = next(h.value for h in found.rests if h.text == "what the base lacks is zero in it")
    assert said == "classifier.weight, classifier.bias"
    least = {one.route: one.m_least for one in found.rows}
    assert least["net, around the base"] < least["net"]
    assert least["norms, around the base"] < least["norms"]
    assert sum(s.share for s in found.blame if s.route == "norms, around the base") == pytest.approx(1)


def kl(p, q):
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a)


def above(p, bound):
    """The largest q with kl(p, q) at most that, by halving."""
    low, high = p, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle < 1 and kl(p, middle) <= bound else (low, middle)
    return low


def test_the_noisy_network_stands_apart(near):
    """By bisection: half of its share for the draws, half for the bound, sigma and the margin paid for."""
    found, _, _ = near
    one = row(found, "pac-bayes")
    assert (one.speaks, one.m_least) == ("the noisy network", None)
    delta = float(DELTA) / len(found.rows) / (math.pi**2 / 3 - 1)  # of the margin, whose cell is the first
    mean = above(0.075, math.log(2 / delta) / 400)
    assert float(found.noisy.above) == pytest.approx(mean, rel=1e-7)
    grid = 3**2 * (math.pi**2 / 3 - 1) * 10**6  # 5e-2
    budget = (float(found.noisy.KL.upper) + math.log(2 * math.sqrt(10**5) * 2 * grid / delta)) / 10**5
    assert float(found.noisy.risk.value) == pytest.approx(above(mean, budget), rel=1e-6)
    assert float(one.gap.value) == pytest.approx(above(mean, budget) - 0.075, rel=1e-5)


BASES = {
    "the base is of the family 'gpt2', the model of 'bert'": {"model_type": "gpt2"},
    "the base is of the family None": {"model_type": None},
}


@pytest.mark.parametrize("words", BASES)
def test_bases_of_other_families(words, bert, tmp_path):
    config, weights, _ = references.model("bert, classes")
    base = write(tmp_path / "base", config | BASES[words], weights)
    with pytest.raises(InputError, match=words):
        asked(bert[0], base=base)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sigma": ""}, "belong together"), ({"sigma": "0"}, "positive decimal"), ({"sigma": "1234567"}, "6 digits"),
        ({"base": None}, "wants --base"), ({"samples": None}, "wants --base"), ({"bits": 33}, "from 1 to 32"),
    ],
)  # fmt: skip
def test_options_that_contradict_each_other(changed, words, near, bert):
    with pytest.raises(InputError, match=words):
        asked(bert[0], **near[2] | changed)


@pytest.mark.parametrize("text", ["", "loss\n", "loss\n2\n", "0.5\nnan", "0.1\n-0.1", "a"])
def test_losses_that_are_none(text, near, bert, tmp_path):
    (tmp_path / "losses.csv").write_text(text)
    with pytest.raises(InputError, match=r"losses\.csv"):
        asked(bert[0], **near[2] | {"losses": tmp_path / "losses.csv"})


# --- derivatives ------------------------------------------------------------------------------------------------------


def test_measured_derivatives_are_those_of_the_network(bert):
    """A chord of a layer is about as long as its derivative, which is not exceeded; nor is the bound by it."""
    running = of_checkpoint(of_folder(bert[0]).source)
    stages = list(running.stages())
    X = running.run(stages[0].module, running.input(np.array([2, 3, 4, 5])))
    found = derivatives.slope(running, stages[2].module, X)
    jacobian = torch.func.jacrev(lambda x: running.run(stages[2].module, x))(X)  # (T, d, T, d)
    blocks = torch.linalg.matrix_norm(jacobian.permute(0, 2, 1, 3), ord=2).sum(1).max()  # over directions of each token
    rng, most = np.random.default_rng(0), 0.0
    for _ in range(50):
        v = derivatives.steepest(torch.from_numpy(rng.normal(size=X.shape)), False) * 1e-6
        chord = running.run(stages[2].module, X + v) - running.run(stages[2].module, X)
        most = max(most, float(chord.norm(dim=-1).max()))
    assert most / 1e-6 <= found * (1 + 1e-4)
    assert found <= float(blocks) * (1 + 1e-9)


def test_derivatives_are_below_the_bound(bert):
    found = asked(bert[0], data=[np.array([2, 3, 4, 5])], frozen=("bert.*",))
    bounds = {(s.layer, s.module): s.log10 for s in found.stretches}
    assert {key for key in bounds if key not in {(s.layer, s.module) for s in found.slopes}} == {(None, "Ramp(margin)")}
    assert all(s.log10 <= float(bounds[s.layer, s.module]) + 1e-9 for s in found.slopes)


def test_the_derivative_of_scores_is_that_of_the_largest_one(tmp_path):
    """Of words' scores it is the longest vector of a word, where the metric of l2 would have the spectral norm."""
    config, weights, _ = references.model("gpt2, words")
    table = weights["transformer.wte.weight"].astype(float)
    folder = write(tmp_path / "gpt2", config, weights)
    running = of_checkpoint(of_folder(folder).source)
    last, X = list(running.stages())[-1].module, torch.from_numpy(np.random.default_rng(0).normal(size=(5, 8)))
    longest, spectral = np.linalg.norm(table, axis=1).max(), np.linalg.norm(table, 2)
    assert derivatives.slope(running, last, X, after=True) <= longest * (1 + 1e-9) < 0.9 * spectral
    assert derivatives.slope(running, last, X) == pytest.approx(spectral, rel=0.05)
    found = asked(folder, data=[np.array([2, 3, 4, 5])])
    bounds = {(s.layer, s.module): s.log10 for s in found.stretches}
    assert found.slopes[-1].module == "Unembedding(E)"
    assert all(s.log10 <= float(bounds[s.layer, s.module]) + 1e-9 for s in found.slopes)


@pytest.mark.parametrize("text", ["", "1 2 x", "1 2 13", "1 2 -3", "2 " * 7])
def test_words_that_are_none(text, bert, tmp_path):
    (tmp_path / "words.txt").write_text(text)
    with pytest.raises(InputError, match=r"words\.txt"):
        derivatives.read_words(tmp_path / "words.txt", of_folder(bert[0]).architecture)


# --- state dicts that a file describes --------------------------------------------------------------------------------

PLACES = {
    "E": "embeddings.word_embeddings", "P": "embeddings.position_embeddings", "S": "embeddings.token_type_embeddings",
    "N0": "embeddings.LayerNorm", "Q": "encoder.layer.{}.attention.self.query",
    "K": "encoder.layer.{}.attention.self.key", "V": "encoder.layer.{}.attention.self.value",
    "O": "encoder.layer.{}.attention.output.dense", "N1": "encoder.layer.{}.attention.output.LayerNorm",
    "W1": "encoder.layer.{}.intermediate.dense", "W2": "encoder.layer.{}.output.dense",
    "N2": "encoder.layer.{}.output.LayerNorm", "pool": "pooler.dense",
}  # fmt: skip


def tables(**more):
    names = {"head": "classifier.weight", "head_bias": "classifier.bias"}
    for slot, place in PLACES.items():
        gain = slot in ("N0", "N1", "N2")
        names[f"{slot}_gain" if gain else slot] = f"bert.{place}.weight"
        if slot not in ("E", "P", "S"):
            names[f"{slot}_bias"] = f"bert.{place}.bias"
    model = dict(kind="encoder", layers=2, width=8, heads=4, hidden=12, vocabulary=13, types=2, context=6, norm="layer",
                 norm_at="post", norm_eps=Decimal("1e-12"), activation="gelu", positions="learned", read="cls",
                 pooler="tanh", outputs=3)  # fmt: skip
    return {"model": model, "weights": {"file": "model.pt", "names": names, "buffers": ["*.ids"]} | more}


def test_a_state_dict_is_the_folder(bert, tmp_path):
    torch.save({n: torch.from_numpy(x) for n, x in bert[1].items()} | {"a.ids": torch.arange(6)}, tmp_path / "model.pt")
    own = of_tables(tables(), tmp_path / "model.toml")
    assert own.buffers == ("a.ids",)
    sample, folder = references.sample("bert, classes"), of_folder(bert[0])
    assert np.array_equal(own.running().scores(sample), folder.running().scores(sample))
    assert own.architecture == folder.architecture


BAD = {
    "lacks E": lambda t: t["weights"]["names"].pop("E"),
    "no weight is called 'wings'": lambda t: t["weights"]["names"].update(wings="w"),
    "gives bert.pooler.dense.weight two places": lambda t: t["weights"]["names"].update(E="bert.pooler.dense.weight"),
    "is a name with {} for the number of the layer": lambda t: t["weights"]["names"].update(Q="q"),
    "is a name without {}": lambda t: t["weights"]["names"].update(E="e{}"),
    "is beside model.toml": lambda t: t["weights"].update(file="../model.pt"),
    "no file": lambda t: t["weights"].update(file="other.pt"),
    "no key 'fil', perhaps file": lambda t: t["weights"].update(fil="model.pt"),
    "buffers is a list of names": lambda t: t["weights"].update(buffers="*"),
    "first_layer is 0 or a positive integer": lambda t: t["weights"].update(first_layer=-1),
    "contradict each other": lambda t: t.update(norms={"Q": 1}),
    "a.ids is no tensor of a described model": lambda t: t["weights"].update(buffers=[]),
    "has shape [12, 8]; model.toml asks for [9, 8]": lambda t: t["model"].update(hidden=9),
}


@pytest.mark.parametrize("words", BAD)
def test_descriptions_that_are_wrong(words, bert, tmp_path):
    torch.save({n: torch.from_numpy(x) for n, x in bert[1].items()} | {"a.ids": torch.arange(6)}, tmp_path / "model.pt")
    wrong = tables()
    BAD[words](wrong)
    with pytest.raises(InputError) as error:
        of_tables(wrong, tmp_path / "model.toml")
    assert words in str(error.value)
    assert "\n" not in str(error.value)
