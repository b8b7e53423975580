"""Modules of torch as users write them: what is compiled computes what they compute; what is not known is refused."""

import math

import pytest
import torch
from torch import nn

from maurey.symbolic.errors import InputError
from maurey.symbolic.modules import Embedding, Heads, MultiHead, Offset, Residual, Unembedding, parts_of
from maurey.verify.models.memory import graphs
from maurey.verify.models.memory.graphs import compiled

V, T, D = 11, 6, 8
IDS = torch.arange(T)[None] % V


def drawn(module):
    torch.manual_seed(1)
    for p in module.parameters():
        nn.init.normal_(p, std=0.4)
    return module.eval()


class Model(nn.Module):
    """As in many tutorials; how it reads, and what its layers are, is chosen."""

    def __init__(self, read, tied=False, causal=False, **options):
        super().__init__()
        self.read, self.causal = read, causal
        self.embed, self.places = nn.Embedding(V, D), nn.Embedding(T + 2, D)
        layer = nn.TransformerEncoderLayer(D, 2, 12, dropout=0.1, batch_first=True, **options)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm, self.head = nn.LayerNorm(D), nn.Linear(D, V if tied else 3)
        if tied:
            self.head.weight = self.embed.weight

    def forward(self, ids):
        x = self.embed(ids) + self.places(torch.arange(ids.shape[1]))
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1]) if self.causal else None
        return self.head(self.read(self.norm(self.encoder(x, mask=mask, is_causal=self.causal))))


READS = {
    "mean": lambda x: x.mean(dim=1), "first": lambda x: x[:, 0], "last": lambda x: x[:, -1, :],
    "largest": lambda x: x.max(dim=1).values, "largest, too": lambda x: x.amax(1), "all": lambda x: x,
    "selected": lambda x: x.select(1, 0),
}  # fmt: skip


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("options", [{}, {"norm_first": True}, {"activation": "gelu"}, {"bias": False}], ids=str)
def test_encoders(read, options):
    found = compiled(drawn(Model(READS[read], **options)), IDS)
    assert found.classes == 3
    assert found.every_token == (read == "all")
    assert isinstance(found.network.modules[0], Embedding)


@pytest.mark.parametrize("causal", [False, True])
def test_a_language_model_with_one_table(causal):
    found = compiled(drawn(Model(lambda x: x, tied=True, causal=causal)), IDS)
    assert isinstance(found.network.modules[-1], Unembedding)
    assert [part.causal for part in parts_of(found.network) if isinstance(part, MultiHead)] == [causal, causal]
    assert len([label for label, kind in found.kinds.items() if kind == "table"]) == 2  # words and positions


class Block(nn.Module):
    """One's own: attention and an MLP, one after the other or side by side."""

    def __init__(self, parallel):
        super().__init__()
        self.parallel, self.norm, self.second = parallel, nn.LayerNorm(D), nn.LayerNorm(D)
        self.attention = nn.MultiheadAttention(D, 4, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(D, 12), nn.GELU(approximate="tanh"), nn.Dropout(0.1), nn.Linear(12, D))

    def forward(self, x):
        y = self.norm(x)
        a = self.attention(y, y, y, need_weights=False)[0]
        if self.parallel:
            return x + a + self.mlp(y)
        x = x + a
        return x + self.mlp(self.second(x))


class Own(nn.Module):
    """Fixed positions in a buffer, words scaled, a pooler."""

    def __init__(self, parallel=False, trained=False):
        super().__init__()
        self.embed, self.blocks = nn.Embedding(V, D), nn.ModuleList([Block(parallel) for _ in range(2)])
        table = torch.randn(1, T + 3, D)
        self.trained = nn.Parameter(table) if trained else None
        self.register_buffer("fixed", table)
        self.pool, self.head, self.scale = nn.Linear(D, D), nn.Linear(D, 1), 1.0 if trained else math.sqrt(D)

    def forward(self, ids):
        x = self.embed(ids) if self.trained is not None else self.embed(ids) * self.scale
        x = x + (self.fixed if self.trained is None else self.trained)[:, : ids.size(1)]
        for block in self.blocks:
            x = block(x)
        return self.head(torch.tanh(self.pool(x[:, 0]))).squeeze(-1)[:, None]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("trained", [False, True])
def test_modules_of_ones_own(parallel, trained):
    found = compiled(drawn(Own(parallel, trained)), IDS)
    assert any(isinstance(part, Heads) for part in parts_of(found.network)) == parallel
    assert any(isinstance(part, Offset) for part in found.network.modules) != trained
    assert sum(isinstance(part, Residual) for part in parts_of(found.network)) == (2 if parallel else 4)


def test_an_encoder_of_vectors():
    layer = nn.TransformerEncoderLayer(D, 2, 12, batch_first=True, activation="relu")
    found = compiled(drawn(nn.Sequential(layer, nn.Linear(D, 2))), torch.randn(1, T, D))
    assert found.every_token
    single = nn.TransformerEncoderLayer(D, 2, 12)  # over the first axis: one sequence alone
    assert compiled(drawn(single), torch.randn(T, D)).classes == D


def test_what_is_compiled_is_held_against_the_module(monkeypatch):
    model = drawn(Model(READS["mean"]))
    compiled(model, IDS)
    monkeypatch.setattr(graphs, "Activation", lambda name, width: graphs.LayerNorm(width, graphs.Integer(1)))
    with pytest.raises(InputError, match="computes something else"):
        compiled(model, IDS)
    monkeypatch.undo()
    monkeypatch.setattr(graphs._Builder, "_bias", lambda self, t, largest: None)
    with pytest.raises(InputError, match="computes something else"):
        compiled(model, IDS)


class Function(nn.Module):
    """Between an embedding and a head, any function."""

    def __init__(self, between):
        super().__init__()
        self.embed, self.head, self.between, self.other = nn.Embedding(V, D), nn.Linear(D, 2), between, nn.Linear(D, D)

    def forward(self, ids):
        return self.head(self.between(self, self.embed(ids)))


MASK = torch.zeros(T, T).fill_diagonal_(1).bool()
REFUSED = {
    "the function softmax of torch": lambda m, x: x.softmax(-1),
    "the function normalize of torch is not known here: u/": lambda m, x: nn.functional.normalize(x, dim=-1),
    "the function topk of torch is not known here: which entries are the largest": lambda m, x: x.topk(2, dim=1).values,
    "the function matmul": lambda m, x: x @ m.other.weight,
    "the function cumsum": lambda m, x: x.cumsum(1),
    "multiplied by something that is no positive": lambda m, x: x * -2,
    "multiplied by something": lambda m, x: x * x,
    "that is no parameter": lambda m, x: x + torch.ones(D),
    "first or the last": lambda m, x: x[:, 2],
    "1 is read; want|is read; want": lambda m, x: x[:, 1:],
    "a mean that is not over the tokens": lambda m, x: x.mean(-1, keepdim=True) + x,
    "another shape": lambda m, x: x.reshape(1, -1, D // 2),
    "axes are exchanged": lambda m, x: x.transpose(1, 2),
    "is used twice": lambda m, x: m.other(m.other(x)),
    "neither a residual nor an embedding": lambda m, x: m.other(x) + x.relu(),
    "of the same tokens": lambda m, x: nn.MultiheadAttention(D, 2, batch_first=True).eval()(x, x, x.relu())[0],
    "axis of the batch": lambda m, x: nn.MultiheadAttention(D, 2).eval()(x, x, x)[0],
    "not the causal one": lambda m, x: nn.MultiheadAttention(D, 2, batch_first=True).eval()(x, x, x, attn_mask=MASK)[0],
    "no parameter of the module": lambda m, x: nn.Linear(D, D)(x),
    "dropout is on": lambda m, x: nn.functional.dropout(x, 0.5, training=True),
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused(words):
    with pytest.raises(InputError, match=words) as error:
        compiled(drawn(Function(REFUSED[words])), IDS)
    assert "\n" not in str(error.value)


def test_training_mode_and_examples():
    model = drawn(Model(READS["mean"]))
    with pytest.raises(InputError, match="in training mode"):
        compiled(model.train(), IDS)
    model.eval()
    model.encoder.layers[0].dropout.train()
    with pytest.raises(InputError, match="in training mode"):
        compiled(model, IDS)
    model.eval()
    for example, words in ((IDS.expand(2, T), "2 sequences; want one"), (IDS[None], "want one sequence")):
        with pytest.raises(InputError, match=words):
            compiled(model, example)


def test_a_module_in_half_precision_is_taken_as_stored():
    found = compiled(drawn(nn.Sequential(nn.Linear(D, D), nn.ReLU(), nn.Linear(D, 2))), torch.randn(1, T, D))
    assert {A.kind for A in found.tensors.values()} == {"F32"}
    wide = drawn(nn.Sequential(nn.Linear(D, D), nn.ReLU(), nn.Linear(D, 2))).double()
    assert {A.kind for A in compiled(wide, torch.randn(1, T, D).double()).tensors.values()} == {"F64"}
