"""What training on tokens costs: a trial in a batch against torch's own modules and optimiser, in one run."""

import statistics
import time

import pytest
import torch
from ratios import report
from torch import nn

from maurey.verify.training.engine import optimiser
from maurey.verify.training.tasks import tokens
from maurey.verify.training.trials.keys import key
from maurey.verify.training.trials.regression import Regression

STEPS, ROUNDS = 10, 3


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.attention = nn.MultiheadAttention(c.D, 1, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(c.D, c.width), nn.ReLU(), nn.Linear(c.width, 1))

    def forward(self, z):
        return self.mlp(self.attention(z, z, z, need_weights=False)[0])[..., 0]


class Recurrent(nn.Module):
    def __init__(self, c):
        super().__init__()
        kind = nn.GRU if c.cell == "gru" else nn.RNN
        self.rnn, self.out = kind(c.D, c.states, batch_first=True, bidirectional=True), nn.Linear(2 * c.states, 1)

    def forward(self, z):
        return self.out(self.rnn(z)[0])[..., 0]


class Feedforward(nn.Sequential):
    def __init__(self, c):
        wide = c.N * c.d * c.q
        maps = nn.Linear(c.N * c.D, wide), nn.ReLU(), nn.Linear(wide, 1000), nn.ReLU(), nn.Linear(1000, c.N)
        super().__init__(nn.Flatten(), *maps)


PLAIN = {"transformer": Attention, "recurrent": Recurrent, "feedforward": Feedforward}


class Loop:
    """One trial, trained in the plain way, every step on fresh prompts."""

    def __init__(self, config):
        self.config, self.net = config, PLAIN[config.model](config)
        self.optimiser = torch.optim.AdamW(self.net.parameters(), config.rate, weight_decay=config.decay)
        self.table = torch.from_numpy(tokens.positions(config.N, config.d_e)).float()
        self.u = torch.from_numpy(tokens.directions(config.d, 1)[0]).float()

    def run(self):
        c = self.config
        for _ in range(STEPS):
            x, t = torch.randn(c.batch, c.N, c.d), torch.randint(c.N, (c.batch, c.N))
            y = (x @ self.u).gather(1, t)
            z = torch.cat([x, self.table.expand(c.batch, -1, -1), self.table[t]], -1)
            self.optimiser.zero_grad()
            (self.net(z) - y).square().mean().backward()
            self.optimiser.step()


class Ours:
    def __init__(self, config, together):
        self.config = config
        self.state = optimiser.start(config, [key(config, i) for i in range(together)], torch.device("cpu"))
        self.decay = optimiser.decay_of(config)

    def run(self):
        for _ in range(STEPS):
            _, slope = optimiser.gradient(self.config, self.state)
            optimiser.adam(self.config, self.state, slope, self.decay)


def seconds(run):
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


@pytest.mark.benchmark(group="training")
@pytest.mark.parametrize(
    ("model", "N", "together"),
    [
        ("transformer", 4, 10),
        ("transformer", 12, 10),
        ("feedforward", 4, 10),
        ("feedforward", 12, 10),
        ("recurrent tanh", 4, 1),
        ("recurrent gru", 4, 1),
    ],
)
def test_a_step_against_torchs_modules(benchmark, model, N, together):
    """Batches of 64 fresh prompts, q = 1, one thread; both sides in turn."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model, cell = [*model.split(), "tanh"][:2]
    config = Regression(model=model, N=N, cell=cell, held_out=2)
    ours, loop = Ours(config, together), Loop(config)
    assert ours.state.flat.shape[1] == sum(p.numel() for p in loop.net.parameters())  # the same network
    ours.run(), loop.run()
    benchmark.pedantic(ours.run, rounds=1)
    pairs = [(seconds(loop.run) / STEPS, seconds(ours.run) / STEPS / together) for _ in range(ROUNDS)]
    torch.set_num_threads(threads)
    plain, own = (1000 * statistics.median(side) for side in zip(*pairs, strict=True))
    kind = f"{model} {cell}" if model == "recurrent" else model
    text = (
        f"times faster than torch's modules one by one, {kind}, N = {N}, {together} at a time: {own:.2g} ms for a step"
        f" of a trial against {plain:.2g} ms"
    )
    report(benchmark, text, statistics.median(a / b for a, b in pairs))
