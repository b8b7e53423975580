"""Each family on small random models: the compiled forward is the published one, and every tensor has its place."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import checkpoint_files as files
import numpy as np
import pytest
import references

from maurey.symbolic.errors import InputError
from maurey.verify.models import families
from maurey.verify.models.checkpoints import open_folder
from maurey.verify.models.families import configs
from maurey.verify.models.running import of_checkpoint

NAMES = list(references.MODELS)
GUIDE = Path(__file__).parents[3] / "docs" / "models.md"


def folder_of(tmp_path, config, weights, name="model"):
    folder = tmp_path / name
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    files.save(folder / "model.safetensors", weights)
    return folder


def as_input(name, sample):
    """Patches of a picture as rows."""
    if not name.startswith("vit"):
        return sample
    return np.stack([sample[:, i : i + 3, j : j + 3].ravel() for i in (0, 3) for j in (0, 3)])


def scores(name, folder, seed=1):
    found = of_checkpoint(open_folder(folder), alternating=True).scores(as_input(name, references.sample(name, seed)))
    return found if found.shape[0] > 1 else found[0]


def closest(name, folder, reference):
    return max(np.abs(scores(name, folder, seed) - reference(references.sample(name, seed))).max() for seed in (1, 2))


@pytest.mark.parametrize("name", NAMES)
def test_the_compiled_forward_is_the_published_one(name, tmp_path):
    config, weights, reference = references.model(name)
    folder = folder_of(tmp_path, config, weights)
    assert closest(name, folder, reference) < 1e-12
    checkpoint = open_folder(folder)
    assert set(checkpoint.tensors) == set(weights)
    assert checkpoint.numbers == sum(array.size for array in weights.values())
    labels = [place.label for place, _ in checkpoint.weights()]
    assert len(labels) == len(set(labels))


@pytest.mark.parametrize("name", NAMES)
def test_a_weight_in_the_place_of_another_is_noticed(name, tmp_path):
    """The forwards agree for no other places: pairs of tensors of one shape change theirs."""
    config, weights, reference = references.model(name)
    rng, swapped = np.random.default_rng(5), 0
    pairs = [(one, other) for one, other in itertools.combinations(weights, 2)
             if weights[one].shape == weights[other].shape]  # fmt: skip
    for one, other in rng.permutation(pairs)[:4]:
        folder = folder_of(tmp_path, config, weights | {one: weights[other], other: weights[one]})
        sample = references.sample(name)
        found = of_checkpoint(open_folder(folder), alternating=True).scores(as_input(name, sample))
        swapped += np.abs(found - reference(sample)).max() > 1e-6
    assert swapped >= 3  # a key's bias has no effect where nothing turns keys


@pytest.mark.parametrize("name", NAMES[::4])
@pytest.mark.parametrize("kind", ["F16", "BF16", "F64"])
def test_other_formats_are_run_as_stored(name, kind, tmp_path):
    config, weights, _ = references.model(name)
    if kind == "BF16":
        bits = {n: (x.view(np.uint32) >> 16).astype(np.uint16) for n, x in weights.items()}
        stored, wide = bits, {n: (x.astype(np.uint32) << 16).view(np.float32) for n, x in bits.items()}
    else:
        stored = {n: x.astype({"F16": np.float16, "F64": np.float64}[kind]) for n, x in weights.items()}
        wide = stored
    forward = references.MODELS[name][2]
    exact = {n: x.astype(float) for n, x in wide.items()}
    assert closest(name, folder_of(tmp_path, config, stored), lambda sample: forward(config, exact, sample)) < 1e-12


@pytest.mark.parametrize("name", ["bert, classes", "llama, words"])
def test_shards(name, tmp_path):
    config, weights, reference = references.model(name)
    (tmp_path / "config.json").write_text(json.dumps(config))
    files.save_shards(tmp_path, weights, 3)
    assert closest(name, tmp_path, reference) < 1e-12


def without(prefix, weights):
    return {name.removeprefix(prefix): array for name, array in weights.items()}


def test_models_without_a_head_get_one(tmp_path):
    """Saved without the prefix, they have no head; a new one is no tensor of theirs."""
    for name, prefix, config in (
        ("bert, classes", "bert.", {"architectures": ["BertModel"]}),
        ("gpt2, words", "transformer.", {"architectures": ["GPT2Model"]}),
        ("vit, classes", "vit.", {"architectures": ["ViTModel"]}),
        ("distilbert, classes", "distilbert.", {"architectures": ["DistilBertModel"]}),
        ("llama, words, tied", "model.", {"architectures": ["LlamaModel"]}),
    ):
        old, weights, _ = references.model(name)
        weights = {n: x for n, x in weights.items() if n.startswith(prefix)}
        folder = folder_of(tmp_path, old | config, without(prefix, weights))
        with pytest.raises(InputError, match="has no head of classes: --head K adds one of K classes"):
            open_folder(folder)
        checkpoint = open_folder(folder, head=5)
        assert checkpoint.architecture.outputs == 5
        assert set(checkpoint.tensors) == set(without(prefix, weights))


def test_a_head_takes_the_place_of_spans(tmp_path):
    """Where an answer begins and ends is scored without classes."""
    for name, prefix in (("bert, classes", "bert."), ("distilbert, classes", "distilbert.")):
        config, weights, _ = references.model(name)
        body = {n: x for n, x in weights.items() if n.startswith(prefix)}
        spans = {"qa_outputs.weight": np.ones((2, 8), np.float32), "qa_outputs.bias": np.ones(2, np.float32)}
        folder = folder_of(tmp_path, config | {"architectures": ["SomeForQuestionAnswering"]}, body | spans)
        with pytest.raises(InputError, match="has no head of classes"):
            open_folder(folder)
        checkpoint = open_folder(folder, head=3)
        assert set(checkpoint.tensors) == set(body)
        assert checkpoint.buffers == ("qa_outputs.bias", "qa_outputs.weight")


ANGLES = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 4}  # fmt: skip


def test_other_angles_of_rotations_are_bounded_and_not_run(tmp_path):
    config, weights, _ = references.model("llama, words")
    plain = open_folder(folder_of(tmp_path, config, weights))
    for key, table in (("rope_scaling", ANGLES), ("rope_scaling", {"type": "linear", "factor": 2.0}),
                       ("rope_parameters", ANGLES | {"rope_theta": 10000.0})):  # fmt: skip
        checkpoint = open_folder(folder_of(tmp_path, config | {key: table}, weights))
        assert checkpoint.architecture == plain.architecture
        assert "they keep lengths" in checkpoint.stated[0]
        with pytest.raises(InputError, match="are bounded, and not run: leave --data out"):
            of_checkpoint(checkpoint)


def test_a_head_of_its_own_stays(tmp_path):
    config, weights, _ = references.model("bert, classes")
    with pytest.raises(InputError, match="has a head, classifier: leave --head out"):
        open_folder(folder_of(tmp_path, config, weights), head=2)


BUFFERS = {
    "bert, classes": {"bert.embeddings.position_ids": np.arange(6)[None]},
    "gpt2, words": {
        f"transformer.h.{i}.attn.{name}": array
        for i in (0, 1) for name, array in (("bias", np.tril(np.ones((1, 1, 6, 6), np.float32))),
                                            ("masked_bias", np.float32(-1e4)))
    },
    "llama, words": {"model.layers.0.self_attn.rotary_emb.inv_freq": np.ones(1, np.float32)},
}  # fmt: skip


@pytest.mark.parametrize("name", BUFFERS)
def test_buffers_are_listed_by_name(name, tmp_path):
    config, weights, reference = references.model(name)
    folder = folder_of(tmp_path, config, weights | {n: np.asarray(x) for n, x in BUFFERS[name].items()})
    assert set(open_folder(folder).buffers) == set(BUFFERS[name])
    assert closest(name, folder, reference) < 1e-12


@pytest.mark.parametrize("name", ["bert, classes", "bert, words"])
def test_older_names_of_norms(name, tmp_path):
    config, weights, reference = references.model(name)
    older = {n.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): x
             for n, x in weights.items()}  # fmt: skip
    assert set(older) != set(weights)
    assert closest(name, folder_of(tmp_path, config, older), reference) < 1e-12


def test_keys_that_real_configs_have(tmp_path):
    """They change nothing of what is computed."""
    for name, keys in (
        ("bert, classes", {"gradient_checkpointing": False, "directionality": "bidi", "pooler_type": "first"}),
        ("bert, classes", {"is_decoder": False, "add_cross_attention": False, "cross_attention_hidden_size": None}),
        ("gpt2, words", {"n_inner": None, "scale_attn_weights": True, "task_specific_params": {}, "prefix": None}),
        ("llama, words, tied", {"is_llama_config": True, "rope_interleaved": False, "transformers.js_config": {}}),
        ("bert, classes", {"eos_token_ids": 0, "xla_device": True, "sbert_ce_default_activation_function": "Identity"}),
        ("vit, classes", {"pooler_act": "tanh", "pooler_output_size": 8, "encoder_stride": 16}),
        ("mistral, classes", {"attention_dropout": 0.0, "rope_parameters": {"rope_type": "default"}}),
    ):
        config, weights, reference = references.model(name)
        folder = folder_of(tmp_path, config | keys, weights)
        assert closest(name, folder, reference) < 1e-12
        assert open_folder(folder).reading.family == config["model_type"]


def test_a_copy_must_be_one(tmp_path):
    config, weights, reference = references.model("gpt2, words")
    tied = weights["transformer.wte.weight"]
    folder = folder_of(tmp_path, config, weights | {"lm_head.weight": tied})
    assert open_folder(folder).buffers == ("lm_head.weight",)
    assert closest("gpt2, words", folder, reference) < 1e-12
    changed = tied.copy()
    changed[-1, -1] += 1
    with pytest.raises(InputError, match=r"lm_head\.weight differs from transformer\.wte\.weight"):
        open_folder(folder_of(tmp_path, config, weights | {"lm_head.weight": changed}))


# --- what is refused --------------------------------------------------------------------------------------------------

CONFIGS = [
    ("bert, classes", "wings", 3, "has 'wings', and nothing is known"),
    ("bert, classes", "hidden_sizes", 3, "'hidden_sizes', perhaps hidden_size"),
    ("bert, classes", "model_type", "t5", "no family 't5'; there are bert, roberta"),
    ("bert, classes", "model_type", "berd", "no family 'berd', perhaps bert"),
    ("bert, classes", "model_type", None, "lacks model_type, which older ones do not have: add one of bert"),
    ("bert, classes", "model_type", ["bert"], "no family"),
    ("bert, classes", "is_decoder", True, "is_decoder = True is not read; want false"),
    ("bert, classes", "position_embedding_type", "relative_key", "want \"absolute\""),
    ("bert, classes", "hidden_act", "gulu", "hidden_act is 'gulu', perhaps gelu"),
    ("bert, classes", "num_hidden_layers", -2, "num_hidden_layers must be a positive integer, got -2"),
    ("bert, classes", "num_hidden_layers", 1.5, "num_hidden_layers must be a positive integer"),
    ("bert, classes", "num_hidden_layers", 10**400, "num_hidden_layers must be a positive integer"),
    ("bert, classes", "num_attention_heads", 3, "heads = 3 does not divide width = 8"),
    ("bert, classes", "layer_norm_eps", "small", "layer_norm_eps must be a positive number"),
    ("bert, classes", "layer_norm_eps", -1.0, "layer_norm_eps must be a positive number"),
    ("bert, classes", "intermediate_size", 13, "has shape"),
    ("bert, classes", "vocab_size", 14, "has shape [13, 8]; config.json asks for [14, 8]"),
    ("bert, classes", "quantization_config", {"bits": 4}, "quantization_config"),
    ("bert, classes", "auto_map", {"AutoModel": "mine.Model"}, "auto_map: the model is code of its own"),
    ("bert, classes", "architectures", "Bert", "architectures is a list"),
    ("bert, classes", "num_hidden_layers", 3, "lacks bert.encoder.layer.2"),
    ("bert, classes", "num_hidden_layers", 1, "is no tensor of a bert model"),
    ("gpt2, words", "scale_attn_by_inverse_layer_idx", True, "want false"),
    ("gpt2, words", "n_ctx", 5, "n_ctx = 5 is not read; want 6"),
    ("vit, classes", "patch_size", 4, "patch_size = 4 does not divide image_size = 6"),
    ("vit, classes", "patch_size", 2, "projection.weight has shape [8, 2, 3, 3]; config.json asks for [8, 2, 2, 2]"),
    ("llama, words", "rope_scaling", {"rope_type": "yarn", "factor": 8.0}, "no rotations of type 'yarn'"),
    ("llama, words", "rope_scaling", {"type": "dynamic", "factor": 2.0}, "no rotations of type 'dynamic'"),
    ("llama, words", "rope_scaling", {"type": ["linear"], "factor": 2.0}, "no rotations of type ['linear']"),
    ("llama, words", "rope_scaling", {"type": "linear", "attention_factor": 2.0}, "'attention_factor' for rotations"),
    ("llama, words", "rope_parameters", {"partial_rotary_factor": 0.5}, "partial_rotary_factor = 0.5 is not read"),
    ("llama, words", "rope_parameters", "default", "rope_parameters is an object, got 'default'"),
    ("llama, words", "pretraining_tp", 2, "want 1"),
    ("llama, words", "num_key_value_heads", 3, "kv_heads = 3 does not divide heads = 4"),
    ("llama, words", "tie_word_embeddings", "yes", "tie_word_embeddings is true or false"),
    ("llama, words", "num_local_experts", 8, "has 'num_local_experts', and nothing is known"),
    ("llama, words", "attention_bias", True, "lacks model.layers.0.self_attn"),
    ("llama, words", "rope_interleaved", True, "rope_interleaved = True is not read; want false"),
    ("bert, classes", "is_decoder", True, "is_decoder = True is not read; want false"),
    ("bert, classes", "hidden_act", ["gelu"], "hidden_act is ['gelu']"),
    ("bert, classes", "num_hidden_layers", 10**8, "num_hidden_layers must be at most 1000, got 100000000"),
    ("bert, classes", "hidden_size", None, "config.json lacks hidden_size"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "key", "value", "words"), CONFIGS, ids=lambda x: str(x)[:20])
def test_configs_that_are_refused(name, key, value, words, tmp_path):
    config, weights, _ = references.model(name)
    with pytest.raises(InputError, match=re.escape(words)) as error:
        open_folder(folder_of(tmp_path, config | {key: value}, weights))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 250


def test_tensors_that_are_refused(tmp_path):
    config, weights, _ = references.model("bert, classes")
    name = "bert.encoder.layer.1.output.dense.weight"
    for changed, words in (
        ({n: x for n, x in weights.items() if n != name}, f"lacks {name}"),
        ({n: x for n, x in weights.items() if "layer.1" not in n}, "and 15 more"),
        (weights | {"bert.wings": weights[name]}, "bert.wings is no tensor of a bert model"),
        (weights | {f"{name}s": weights[name]}, f"perhaps {name}"),
        (weights | {name: weights[name].T.copy()}, "asks for [8, 12]"),
        (weights | {name: weights[name].reshape(4, 24)}, "asks for [8, 12]"),
        (weights | {"classifier.weight": np.zeros((2, 8), np.float32)}, "classifier.bias has shape [3]"),
        (without("bert.embeddings.", weights), "no tensor bert.embeddings.word_embeddings.weight"),
        ({n: x for n, x in weights.items() if n != "classifier.bias"}, "lacks classifier.bias"),
        ({n: x for n, x in weights.items() if "pooler" not in n}, "lacks bert.pooler.dense.bias and 1 more"),
        (weights | {"bert.embeddings.LayerNorm.gamma": weights["bert.embeddings.LayerNorm.weight"]}, "is there twice"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=re.escape(words)):
            open_folder(folder_of(tmp_path, config, changed))


def test_every_key_is_read_neutral_or_refused():
    """A key is never in two of the lists, and every neutral one has its reason."""
    listed = [key for keys in configs.NEUTRAL.values() for key in keys.split()]
    assert len(listed) == len(set(listed))
    assert not set(listed) & set(configs.REFUSED)
    for config, *_ in references.MODELS.values():
        c = configs.Config(config)
        shapes = references.MODELS[_name(config)][1]
        families.FAMILIES[config["model_type"]](c, families.Wanted(shapes))
        c.check_all()
        assert not {k for k in c.asked & configs.NEUTRAL_KEYS if k not in ("pad_token_id",)}


def _name(config):
    return next(name for name, (own, *_) in references.MODELS.items() if own is config)


# --- sentence-transformers, windows, pictures -------------------------------------------------------------------------


def test_further_modules(tmp_path):
    config, weights, _ = references.model("bert, classes")
    weights = {n: x for n, x in weights.items() if not n.startswith("classifier")}
    folder = folder_of(tmp_path, config | {"architectures": ["BertModel"]}, weights)
    kind = "sentence_transformers.models"
    rows = [{"type": f"{kind}.Transformer", "path": ""}, {"type": f"{kind}.Pooling", "path": "1_Pooling"}]
    (folder / "1_Pooling").mkdir()
    modes = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True, "word_embedding_dimension": 8}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    write = lambda found: (folder / "modules.json").write_text(json.dumps(found))  # noqa: E731
    write([*rows, {"type": f"{kind}.Normalize", "path": "2_Normalize"}])
    checkpoint = open_folder(folder, head=3)
    assert checkpoint.architecture.read == "mean"
    assert not checkpoint.architecture.pooler
    assert checkpoint.buffers == ("bert.pooler.dense.bias", "bert.pooler.dense.weight")
    assert "Lipschitz" in checkpoint.refused[0]
    for found, words in (
        ([*rows, {"type": f"{kind}.Dense", "path": "2_Dense"}], "adds a module 'Dense'"),
        ([rows[0], {"type": f"{kind}.Pooling", "path": "../elsewhere"}], "want a folder beside it"),
        ({"type": 3}, "is no list of modules"), ([3], "is no list of modules"),
    ):  # fmt: skip
        write(found)
        with pytest.raises(InputError, match=words):
            open_folder(folder, head=3)
    write(rows)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes | {"pooling_mode_cls_token": True}))
    with pytest.raises(InputError, match="want one of cls, mean, max, got cls, mean"):
        open_folder(folder, head=3)
    for mode, read in (("max", "max"), (["cls"], "cls")):  # as newer ones say it
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": mode, "include_prompt": True}))
        assert open_folder(folder, head=3).architecture.read == read
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": "lasttoken"}))
    with pytest.raises(InputError, match="got lasttoken"):
        open_folder(folder, head=3)


def test_a_window_shortens_the_context(tmp_path):
    config, weights, _ = references.model("mistral, classes")
    checkpoint = open_folder(folder_of(tmp_path, config | {"sliding_window": 4}, weights))
    assert checkpoint.architecture.context == 4
    assert checkpoint.stated == ("sequences have at most sliding_window = 4 tokens",)
    assert open_folder(folder_of(tmp_path, config | {"sliding_window": 6}, weights)).architecture.context == 6


@pytest.mark.parametrize(("prepared", "radius"), [
    (None, np.sqrt(18)), ({"do_normalize": False}, np.sqrt(18)),
    ({"image_mean": [0.5, 0.5], "image_std": [0.5, 0.5], "rescale_factor": 0.00392156862745098}, np.sqrt(18)),
    ({"do_rescale": False, "do_normalize": False}, 255 * np.sqrt(18)),
    ({"image_mean": [0.2, 0.7], "image_std": [0.1, 0.2]}, np.sqrt(9 * (8**2 + 3.5**2))),
])  # fmt: skip
def test_the_longest_patch(prepared, radius, tmp_path):
    config, weights, _ = references.model("vit, classes")
    folder = folder_of(tmp_path, config, weights)
    if prepared is not None:
        (folder / "preprocessor_config.json").write_text(json.dumps(prepared))
    found = open_folder(folder).architecture.patch_radius
    assert radius * (1 - 1e-12) <= found <= radius * (1 + 1e-5)


def test_pictures_that_are_prepared_otherwise(tmp_path):
    config, weights, _ = references.model("vit, classes")
    folder = folder_of(tmp_path, config, weights)
    for prepared in ({"image_mean": [0.5]}, {"image_std": [0, 1]}, {"image_mean": ["a", "b"]}, {"rescale_factor": -1}):
        (folder / "preprocessor_config.json").write_text(json.dumps(prepared))
        with pytest.raises(InputError):
            open_folder(folder)
    assert replace(open_folder(folder_of(tmp_path, config, weights, "other"))).architecture.context == 5
