"""The forwards of six families, each written from its published definition in plain NumPy, with random small models.

A model is a config, as its config.json has it, and tensors under the names that its checkpoints have. A forward takes
the config, the tensors and one sample, and gives the scores; `MODELS` has all of them.
"""

import math

import numpy as np

VOCABULARY, T = 13, 6


# --- pieces -----------------------------------------------------------------------------------------------------------


def softmax(z):
    z = np.exp(z - z.max(-1, keepdims=True))
    return z / z.sum(-1, keepdims=True)


def layer_norm(x, gain, bias, eps):
    mean = x.mean(-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps) + bias


def rms_norm(x, gain, eps):
    return gain * x / np.sqrt((x**2).mean(-1, keepdims=True) + eps)


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def gelu_new(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def silu(x):
    return x / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_new, "silu": silu, "relu": relu, "gelu_pytorch_tanh": gelu_new}


def dense(w, name, x):
    """As torch stores it: outputs by inputs."""
    return x @ w[f"{name}.weight"].T + w.get(f"{name}.bias", 0)


def conv1d(w, name, x):
    """As GPT-2 stores it: inputs by outputs."""
    return x @ w[f"{name}.weight"] + w[f"{name}.bias"]


def normed(w, name, x, eps):
    return layer_norm(x, w[f"{name}.weight"], w[f"{name}.bias"], eps)


def attend(q, k, v, heads, causal=False, kv_heads=None):
    """(T, heads * h) from queries, keys and values of all heads side by side."""
    kv_heads, h = kv_heads or heads, q.shape[-1] // heads
    out = []
    for i in range(heads):
        j = i * kv_heads // heads
        scores = q[:, i * h : (i + 1) * h] @ k[:, j * h : (j + 1) * h].T / math.sqrt(h)
        if causal:
            scores = np.where(np.tril(np.ones_like(scores)) > 0, scores, -np.inf)
        out.append(softmax(scores) @ v[:, j * h : (j + 1) * h])
    return np.concatenate(out, -1)


# --- the families -----------------------------------------------------------------------------------------------------


def bert(c, w, ids, prefix="bert.", shift=0, types=None):
    """The hidden states of Devlin et al. 2019; RoBERTa's positions begin at `shift`. Every other word is of the second
    type, if there is one."""
    w, eps = {n.removeprefix(prefix): x for n, x in w.items()}, c["layer_norm_eps"]
    types = np.arange(len(ids)) % c["type_vocab_size"] if types is None else types
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][types]
    x = x + w["embeddings.position_embeddings.weight"][np.arange(len(ids)) + shift]
    x = normed(w, "embeddings.LayerNorm", x, eps)
    for i in range(c["num_hidden_layers"]):
        at = f"encoder.layer.{i}."
        q, k, v = (dense(w, f"{at}attention.self.{part}", x) for part in ("query", "key", "value"))
        a = dense(w, f"{at}attention.output.dense", attend(q, k, v, c["num_attention_heads"]))
        x = normed(w, f"{at}attention.output.LayerNorm", x + a, eps)
        inner = ACTIVATIONS[c["hidden_act"]](dense(w, f"{at}intermediate.dense", x))
        x = normed(w, f"{at}output.LayerNorm", x + dense(w, f"{at}output.dense", inner), eps)
    return x


def bert_classifier(c, w, ids):
    pooled = np.tanh(dense(w, "bert.pooler.dense", bert(c, w, ids)[0]))
    return dense(w, "classifier", pooled)


def bert_next(c, w, ids):
    """BertForNextSentencePrediction."""
    pooled = np.tanh(dense(w, "bert.pooler.dense", bert(c, w, ids)[0]))
    return dense(w, "cls.seq_relationship", pooled)


def bert_tokens(c, w, ids):
    return dense(w, "classifier", bert(c, w, ids))


def bert_words(c, w, ids):
    """BertForMaskedLM."""
    x = ACTIVATIONS[c["hidden_act"]](dense(w, "cls.predictions.transform.dense", bert(c, w, ids)))
    x = normed(w, "cls.predictions.transform.LayerNorm", x, c["layer_norm_eps"])
    return x @ w["bert.embeddings.word_embeddings.weight"].T + w["cls.predictions.bias"]


def roberta_classifier(c, w, ids):
    x = bert(c, w, ids, "roberta.", c["pad_token_id"] + 1)[0]
    return dense(w, "classifier.out_proj", np.tanh(dense(w, "classifier.dense", x)))


def roberta_words(c, w, ids):
    """RobertaForMaskedLM: the activation is GELU whatever the config says."""
    x = gelu(dense(w, "lm_head.dense", bert(c, w, ids, "roberta.", c["pad_token_id"] + 1)))
    x = normed(w, "lm_head.layer_norm", x, c["layer_norm_eps"])
    return x @ w["roberta.embeddings.word_embeddings.weight"].T + w["lm_head.bias"]


def distilbert(c, w, ids):
    w = {n.removeprefix("distilbert."): x for n, x in w.items()}
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = normed(w, "embeddings.LayerNorm", x, 1e-12)
    for i in range(c["n_layers"]):
        at = f"transformer.layer.{i}."
        q, k, v = (dense(w, f"{at}attention.{part}_lin", x) for part in "qkv")
        a = dense(w, f"{at}attention.out_lin", attend(q, k, v, c["n_heads"]))
        x = normed(w, f"{at}sa_layer_norm", x + a, 1e-12)
        inner = ACTIVATIONS[c["activation"]](dense(w, f"{at}ffn.lin1", x))
        x = normed(w, f"{at}output_layer_norm", x + dense(w, f"{at}ffn.lin2", inner), 1e-12)
    return x


def distilbert_classifier(c, w, ids):
    return dense(w, "classifier", relu(dense(w, "pre_classifier", distilbert(c, w, ids)[0])))


def distilbert_words(c, w, ids):
    """DistilBertForMaskedLM."""
    x = normed(
        w, "vocab_layer_norm", ACTIVATIONS[c["activation"]](dense(w, "vocab_transform", distilbert(c, w, ids))), 1e-12
    )
    return x @ w["distilbert.embeddings.word_embeddings.weight"].T + w["vocab_projector.bias"]


def gpt2(c, w, ids):
    """The hidden states of Radford et al. 2019."""
    w, eps = {n.removeprefix("transformer."): x for n, x in w.items()}, c["layer_norm_epsilon"]
    x = w["wte.weight"][ids] + w["wpe.weight"][: len(ids)]
    for i in range(c["n_layer"]):
        at = f"h.{i}."
        q, k, v = np.split(conv1d(w, f"{at}attn.c_attn", normed(w, f"{at}ln_1", x, eps)), 3, -1)
        x = x + conv1d(w, f"{at}attn.c_proj", attend(q, k, v, c["n_head"], causal=True))
        inner = ACTIVATIONS[c["activation_function"]](conv1d(w, f"{at}mlp.c_fc", normed(w, f"{at}ln_2", x, eps)))
        x = x + conv1d(w, f"{at}mlp.c_proj", inner)
    return normed(w, "ln_f", x, eps)


def gpt2_words(c, w, ids):
    return gpt2(c, w, ids) @ w["transformer.wte.weight"].T


def gpt2_classifier(c, w, ids):
    return gpt2(c, w, ids)[-1] @ w["score.weight"].T


def vit(c, w, image):
    """Dosovitskiy et al. 2021, on one image (channels, height, width)."""
    w, p, eps = {n.removeprefix("vit."): x for n, x in w.items()}, c["patch_size"], c["layer_norm_eps"]
    kernel = w["embeddings.patch_embeddings.projection.weight"]
    _, height, width = image.shape
    tokens = [
        (kernel * image[:, i : i + p, j : j + p]).sum((1, 2, 3)) + w["embeddings.patch_embeddings.projection.bias"]
        for i in range(0, height, p) for j in range(0, width, p)
    ]  # fmt: skip
    x = np.concatenate([w["embeddings.cls_token"][0], np.stack(tokens)]) + w["embeddings.position_embeddings"][0]
    for i in range(c["num_hidden_layers"]):
        at = f"encoder.layer.{i}."
        y = normed(w, f"{at}layernorm_before", x, eps)
        q, k, v = (dense(w, f"{at}attention.attention.{part}", y) for part in ("query", "key", "value"))
        x = x + dense(w, f"{at}attention.output.dense", attend(q, k, v, c["num_attention_heads"]))
        y = normed(w, f"{at}layernorm_after", x, eps)
        x = x + dense(w, f"{at}output.dense", ACTIVATIONS[c["hidden_act"]](dense(w, f"{at}intermediate.dense", y)))
    return normed(w, "layernorm", x, eps)


def vit_classifier(c, w, image):
    return dense(w, "classifier", vit(c, w, image)[0])


def rotated(x, heads, base):
    """Su et al. 2021, each coordinate of a head with the one half a head further."""
    places = np.arange(len(x))
    h = x.shape[-1] // heads
    angles = places[:, None] / base ** (2 * np.arange(h // 2) / h)
    out = []
    for i in range(heads):
        a, b = x[:, i * h : i * h + h // 2], x[:, i * h + h // 2 : (i + 1) * h]
        out += [a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)]
    return np.concatenate(out, -1)


def llama(c, w, ids):
    """Touvron et al. 2023, with grouped queries."""
    H, G, eps = c["num_attention_heads"], c["num_key_value_heads"], c["rms_norm_eps"]
    x = w["model.embed_tokens.weight"][ids]
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        y = rms_norm(x, w[f"{at}input_layernorm.weight"], eps)
        q, k, v = (dense(w, f"{at}self_attn.{part}_proj", y) for part in "qkv")
        q, k = rotated(q, H, c["rope_theta"]), rotated(k, G, c["rope_theta"])
        x = x + dense(w, f"{at}self_attn.o_proj", attend(q, k, v, H, causal=True, kv_heads=G))
        y = rms_norm(x, w[f"{at}post_attention_layernorm.weight"], eps)
        gate = ACTIVATIONS[c["hidden_act"]](dense(w, f"{at}mlp.gate_proj", y))
        x = x + dense(w, f"{at}mlp.down_proj", gate * dense(w, f"{at}mlp.up_proj", y))
    return rms_norm(x, w["model.norm.weight"], eps)


def llama_words(c, w, ids):
    head = w.get("lm_head.weight", w["model.embed_tokens.weight"])
    return llama(c, w, ids) @ head.T


def llama_tokens(c, w, ids):
    return dense(w, "score", llama(c, w, ids))


def llama_classifier(c, w, ids):
    return llama(c, w, ids)[-1] @ w["score.weight"].T


# --- random models ----------------------------------------------------------------------------------------------------


def drawn(shapes, seed, dtype=np.float32):
    rng = np.random.default_rng(seed)
    found = {}
    for name, shape in shapes.items():
        x = rng.normal(size=shape) * (0.6 / math.sqrt(shape[-1]) if len(shape) > 1 else 0.3)
        gains = ("LayerNorm.weight", "layer_norm.weight", "layernorm.weight", "ln_1.weight", "ln_2.weight")
        if name.endswith((*gains, "ln_f.weight", "norm.weight", "layernorm_before.weight", "layernorm_after.weight")):
            x = 1 + x
        found[name] = x.astype(dtype)
    return found


def linear(name, outputs, inputs, bias=True):
    return {f"{name}.weight": (outputs, inputs)} | ({f"{name}.bias": (outputs,)} if bias else {})


def norm(name, d):
    return {f"{name}.weight": (d,), f"{name}.bias": (d,)}


def bert_shapes(d, h, layers, context, prefix="bert.", types=2):
    found = {
        "embeddings.word_embeddings.weight": (VOCABULARY, d), "embeddings.position_embeddings.weight": (context, d),
        "embeddings.token_type_embeddings.weight": (types, d), **norm("embeddings.LayerNorm", d),
    }  # fmt: skip
    for i in range(layers):
        at = f"encoder.layer.{i}."
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            found |= linear(at + part, d, d)
        found |= norm(f"{at}attention.output.LayerNorm", d) | linear(f"{at}intermediate.dense", h, d)
        found |= linear(f"{at}output.dense", d, h) | norm(f"{at}output.LayerNorm", d)
    return {prefix + name: shape for name, shape in found.items()}


def bert_config(**more):
    return {
        "model_type": "bert", "architectures": ["BertForSequenceClassification"], "vocab_size": VOCABULARY,
        "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 12,
        "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
        "max_position_embeddings": T, "type_vocab_size": 2, "initializer_range": 0.02, "layer_norm_eps": 1e-12,
        "pad_token_id": 0, "position_embedding_type": "absolute", "use_cache": True, "torch_dtype": "float32",
        "transformers_version": "4.38.0", "id2label": {"0": "no", "1": "perhaps", "2": "yes"},
    } | more  # fmt: skip


def gpt2_config(**more):
    return {
        "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": VOCABULARY, "n_embd": 8,
        "n_layer": 2, "n_head": 2, "n_positions": T, "n_ctx": T, "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5, "attn_pdrop": 0.1, "embd_pdrop": 0.1, "resid_pdrop": 0.1,
        "summary_type": "cls_index", "bos_token_id": 12, "eos_token_id": 12,
    } | more  # fmt: skip


def gpt2_shapes(d=8, layers=2):
    found = {"wte.weight": (VOCABULARY, d), "wpe.weight": (T, d), **norm("ln_f", d)}
    for i in range(layers):
        at = f"h.{i}."
        found |= norm(f"{at}ln_1", d) | norm(f"{at}ln_2", d)
        for part, inputs, outputs in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, 4 * d),
                                      ("mlp.c_proj", 4 * d, d)):  # fmt: skip
            found |= {f"{at}{part}.weight": (inputs, outputs), f"{at}{part}.bias": (outputs,)}
    return {f"transformer.{name}": shape for name, shape in found.items()}


def vit_config(**more):
    return {
        "model_type": "vit", "architectures": ["ViTForImageClassification"], "hidden_size": 8,
        "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12, "image_size": 6, "patch_size": 3, "num_channels": 2, "qkv_bias": True,
        "hidden_dropout_prob": 0.0, "num_labels": 3,
    } | more  # fmt: skip


def vit_shapes(d=8, h=12, layers=2):
    found = {
        "embeddings.cls_token": (1, 1, d), "embeddings.position_embeddings": (1, 5, d),
        "embeddings.patch_embeddings.projection.weight": (d, 2, 3, 3),
        "embeddings.patch_embeddings.projection.bias": (d,), **norm("layernorm", d),
    }  # fmt: skip
    for i in range(layers):
        at = f"encoder.layer.{i}."
        for part in ("attention.query", "attention.key", "attention.value", "output.dense"):
            found |= linear(f"{at}attention.{part}", d, d)
        found |= linear(f"{at}intermediate.dense", h, d) | linear(f"{at}output.dense", d, h)
        found |= norm(f"{at}layernorm_before", d) | norm(f"{at}layernorm_after", d)
    return {f"vit.{name}": shape for name, shape in found.items()} | linear("classifier", 3, d)


def llama_config(**more):
    return {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": VOCABULARY, "hidden_size": 8,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 12,
        "hidden_act": "silu", "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "rope_scaling": None,
        "max_position_embeddings": T, "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False,
        "pretraining_tp": 1, "bos_token_id": 1, "eos_token_id": 2, "use_cache": True,
    } | more  # fmt: skip


def llama_shapes(d=8, h=12, layers=2, kv=4):
    found = {"model.embed_tokens.weight": (VOCABULARY, d), "model.norm.weight": (d,)}
    for i in range(layers):
        at = f"model.layers.{i}."
        found |= {f"{at}input_layernorm.weight": (d,), f"{at}post_attention_layernorm.weight": (d,)}
        sizes = {"self_attn.q": (d, d), "self_attn.k": (kv, d), "self_attn.v": (kv, d), "self_attn.o": (d, d),
                 "mlp.gate": (h, d), "mlp.up": (h, d), "mlp.down": (d, h)}  # fmt: skip
        for part, (outputs, inputs) in sizes.items():
            found |= linear(f"{at}{part}_proj", outputs, inputs, bias=False)
    return found


def distilbert_config(**more):
    return {
        "model_type": "distilbert", "architectures": ["DistilBertForSequenceClassification"], "dim": 8,
        "n_layers": 2, "n_heads": 2, "hidden_dim": 12, "activation": "gelu", "vocab_size": VOCABULARY,
        "max_position_embeddings": T, "sinusoidal_pos_embds": False, "tie_weights_": True, "dropout": 0.1,
        "attention_dropout": 0.1, "qa_dropout": 0.1, "seq_classif_dropout": 0.2, "pad_token_id": 0, "num_labels": 3,
    } | more  # fmt: skip


def distilbert_shapes(d=8, h=12, layers=2):
    found = {
        "embeddings.word_embeddings.weight": (VOCABULARY, d), "embeddings.position_embeddings.weight": (T, d),
        **norm("embeddings.LayerNorm", d),
    }  # fmt: skip
    for i in range(layers):
        at = f"transformer.layer.{i}."
        for part in ["q", "k", "v", "out"]:
            found |= linear(f"{at}attention.{part}_lin", d, d)
        found |= linear(f"{at}ffn.lin1", h, d) | linear(f"{at}ffn.lin2", d, h)
        found |= norm(f"{at}sa_layer_norm", d) | norm(f"{at}output_layer_norm", d)
    found = {f"distilbert.{name}": shape for name, shape in found.items()}
    return found | linear("pre_classifier", d, d) | linear("classifier", 3, d)


BERT = bert_shapes(8, 12, 2, T)
POOLER = linear("bert.pooler.dense", 8, 8)
WORDS = {
    **linear("cls.predictions.transform.dense", 8, 8), **norm("cls.predictions.transform.LayerNorm", 8),
    "cls.predictions.bias": (VOCABULARY,),
}  # fmt: skip
ROBERTA = bert_shapes(8, 12, 2, T + 2, "roberta.", 1)
# family and task: config, shapes, forward
MODELS = {
    "bert, classes": (bert_config(), BERT | POOLER | linear("classifier", 3, 8), bert_classifier),
    "bert, tokens": (
        bert_config(architectures=["BertForTokenClassification"]), BERT | linear("classifier", 3, 8), bert_tokens,
    ),
    "bert, next sentence": (
        bert_config(architectures=["BertForNextSentencePrediction"]),
        BERT | POOLER | linear("cls.seq_relationship", 2, 8), bert_next,
    ),
    "bert, words": (bert_config(architectures=["BertForMaskedLM"]), BERT | WORDS, bert_words),
    "roberta, classes": (
        bert_config(model_type="roberta", architectures=["RobertaForSequenceClassification"], type_vocab_size=1,
                    max_position_embeddings=T + 2, layer_norm_eps=1e-5, pad_token_id=1),
        ROBERTA | linear("classifier.dense", 8, 8) | linear("classifier.out_proj", 3, 8), roberta_classifier,
    ),
    "roberta, words": (
        bert_config(model_type="roberta", architectures=["RobertaForMaskedLM"], type_vocab_size=1, hidden_act="relu",
                    max_position_embeddings=T + 2, layer_norm_eps=1e-5, pad_token_id=1),
        ROBERTA | linear("lm_head.dense", 8, 8) | norm("lm_head.layer_norm", 8) | {"lm_head.bias": (VOCABULARY,)},
        roberta_words,
    ),
    "distilbert, classes": (distilbert_config(), distilbert_shapes(), distilbert_classifier),
    "distilbert, words": (
        distilbert_config(architectures=["DistilBertForMaskedLM"]),
        {n: s for n, s in distilbert_shapes().items() if n.startswith("distilbert.")} | linear("vocab_transform", 8, 8)
        | norm("vocab_layer_norm", 8) | {"vocab_projector.bias": (VOCABULARY,)},
        distilbert_words,
    ),
    "gpt2, words": (gpt2_config(), gpt2_shapes(), gpt2_words),
    "gpt2, classes": (
        gpt2_config(architectures=["GPT2ForSequenceClassification"], num_labels=3),
        gpt2_shapes() | linear("score", 3, 8, bias=False), gpt2_classifier,
    ),
    "vit, classes": (vit_config(), vit_shapes(), vit_classifier),
    "llama, words": (llama_config(), llama_shapes() | linear("lm_head", VOCABULARY, 8, bias=False), llama_words),
    "llama, words, tied": (llama_config(tie_word_embeddings=True), llama_shapes(), llama_words),
    "llama, tokens": (
        llama_config(architectures=["LlamaForTokenClassification"]),
        llama_shapes() | linear("score", 3, 8), llama_tokens,
    ),
    "mistral, classes": (
        llama_config(model_type="mistral", architectures=["MistralForSequenceClassification"], sliding_window=None,
                     num_labels=3, head_dim=2),
        llama_shapes() | linear("score", 3, 8, bias=False), llama_classifier,
    ),
}  # fmt: skip


def model(name, seed=0, dtype=np.float32):
    """A config, tensors, and the scores on a sample."""
    config, shapes, forward = MODELS[name]
    weights = drawn(shapes, seed, dtype)
    wide = {n: x.astype(float) for n, x in weights.items()}
    return config, weights, lambda sample: forward(config, wide, sample)


def sample(name, seed=1):
    rng = np.random.default_rng(seed)
    image = name.startswith("vit")
    return rng.uniform(-1, 1, size=(2, 6, 6)) if image else rng.integers(2, VOCABULARY, size=T)  # 0 and 1 pad
