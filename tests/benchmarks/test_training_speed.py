"""What training costs: a trial in a batch of twenty against a plain loop over the same network, in one run."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from ratios import report
from torch import nn
from torch.nn import functional as F

from maurey.verify.training.engine import optimiser
from maurey.verify.training.networks import encoder, voter
from maurey.verify.training.networks.binary_attention import both
from maurey.verify.training.tasks import boolean, majority
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import key
from maurey.verify.training.trials.majority import Majority

TOGETHER = 20
SEEN, AT_ONCE = 50, 25  # held-out strings that the loop is timed on; and at a time, which suits its caches


class Plain(nn.Module):
    """The encoder as one would write it down: every token through everything, [CLS] first."""

    def __init__(self, config, fused):
        super().__init__()
        d, self.heads, self.fused = config.width, config.heads, fused
        self.rate = config.dropout if config.protocol == "paper" else 0.0
        self.token, self.position = nn.Embedding(3, d), nn.Parameter(torch.empty(config.T + 1, d))
        self.ln1, self.ln2, self.lnf = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.head = nn.Linear(d, 2, bias=False)

    def forward(self, symbols):  # (n, T + 1)
        p = self.rate if self.training else 0.0
        x = F.dropout(self.token(symbols) + self.position, p)  # (n, T + 1, d)
        q, k, v = self.qkv(self.ln1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)  # (n, H, T + 1, v)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=p)
        else:
            y = F.dropout((q @ k.mT / q.shape[-1] ** 0.5).softmax(-1), p) @ v
        x = x + F.dropout(self.out(y.transpose(1, 2).flatten(-2)), p)
        x = x + F.dropout(self.mlp(self.ln2(x)), p)
        return self.head(self.lnf(x))[:, 0]


def filled(net, p):
    """With the weights of one of our trials."""
    maps = {net.out: "O", net.mlp[0]: "1", net.mlp[2]: "2"}
    with torch.no_grad():
        net.token.weight.copy_(p["token"])
        net.position.copy_(p["position"])
        net.qkv.weight.copy_(torch.cat([p[f"W_{n}"].T for n in "QKV"]))
        net.qkv.bias.copy_(torch.cat([p[f"b_{n}"] for n in "QKV"]))
        net.head.weight.copy_(p["head"].T)
        for module, name in maps.items():
            module.weight.copy_(p[f"W_{name}"].T)
            module.bias.copy_(p[f"b_{name}"])
        for name in ("ln1", "ln2", "lnf"):
            getattr(net, name).weight.copy_(p[f"{name}_gain"])
            getattr(net, name).bias.copy_(p[f"{name}_bias"])
    return net


class Loop:
    """One trial, trained in the plain way."""

    def __init__(self, config, fused, state):
        self.net = filled(Plain(config, fused), {n: v[0] for n, v in optimiser.named(config, state.flat).items()})
        self.optimiser = torch.optim.AdamW(self.net.parameters(), config.rate, weight_decay=config.decay)
        self.symbols = self.with_cls(state.strings[0, :, config.T :])
        self.held, self.labels = self.with_cls(state.held_bits[0, :SEEN]), state.labels[0]

    @staticmethod
    def with_cls(bits):
        return torch.cat([torch.full((len(bits), 1), 2), bits.long()], 1)

    def step(self, strings=None):
        self.net.train()
        self.optimiser.zero_grad()
        F.cross_entropy(self.net(self.symbols[:strings]), self.labels[:strings]).backward()
        self.optimiser.step()

    @torch.no_grad()
    def evaluate(self):
        self.net.eval()
        return torch.cat([self.net(part) for part in self.held.split(AT_ONCE)])


def seconds(function, *arguments):
    started = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - started


def of_the_loop(config, loop):
    """Seconds for ten steps and an evaluation, from one step and `SEEN` strings."""
    return 10 * seconds(loop.step) + seconds(loop.evaluate) * config.held_out / SEEN


def of_ours(config, state, decay):
    """Seconds for ten steps and an evaluation, for each trial of the batch."""

    def period():
        for _ in range(10):
            _, slope = optimiser.gradient(config, state)
            optimiser.adam(config, state, slope, decay)
        boolean.errors(config, state.flat, state.held_bits, state.held_labels, False, state.held)

    return seconds(period) / len(state.keys)


@pytest.mark.benchmark(group="training")
@pytest.mark.parametrize(
    ("protocol", "T", "m", "least"), [("fast", 100, 100, 100), ("fast", 400, 150, 500), ("paper", 100, 100, 20)]
)
def test_a_trial_against_a_plain_loop(benchmark, protocol, T, m, least):
    """1,000 steps and 100 evaluations on 10,000 held-out strings. Both sides have one thread and are timed in turn."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    config = Config(T=T, m=m, protocol=protocol, stop=False)
    state = optimiser.start(config, [key(config, i) for i in range(TOGETHER)], torch.device("cpu"))
    decay, loops = optimiser.decay_of(config), {name: Loop(config, name == "SDPA", state) for name in ("SDPA", "eager")}
    with torch.no_grad():
        wanted = encoder.logits(config, optimiser.named(config, state.flat), both(state.held_bits[:, :SEEN].float()))[0]
    for loop in loops.values():
        assert torch.allclose(loop.evaluate(), wanted, atol=1e-5)  # the same network
        loop.step(AT_ONCE // 5)
    few = {name: seconds(loop.step, 10_000 // T) + 10 * seconds(loop.evaluate) for name, loop in loops.items()}
    faster = min(few, key=few.__getitem__)
    benchmark.pedantic(lambda: of_ours(config, state, decay), rounds=1)
    pairs = [(of_the_loop(config, loops[faster]), of_ours(config, state, decay)) for _ in range(3)]
    torch.set_num_threads(threads)
    plain, own = (100 * statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    text = (
        f"times faster than a plain loop with {faster} attention, protocol {protocol}, T = {T}, m = {m}: {own:.2g} s"
        f" for a trial against {plain:.0f} s (scaled: ours from 10 of 1,000 steps and 1 of 100 evaluations, the loop's"
        f" from one step and one evaluation on {SEEN} of 10,000 strings)"
    )
    report(benchmark, text, ratio)
    assert ratio >= least


# --- against the code before


def least(function, rounds=5):
    """CPU seconds of the quickest of some rounds."""
    found = []
    for _ in range(rounds):
        started = time.process_time()
        function()
        found.append(time.process_time() - started)
    return min(found)


@torch.no_grad()
def errors_before(config, flat, bits, labels):
    """Zeros and ones from bytes, in every evaluation."""
    p = optimiser.named(config, flat)
    known, rows = encoder.terms(config, p), torch.arange(len(flat))
    wrong = torch.zeros(len(flat), dtype=torch.int64)
    seen, loss = torch.zeros_like(wrong), torch.zeros_like(wrong, dtype=torch.float64)
    for i in range(0, bits.shape[1], boolean.CHUNK):
        part = slice(i, i + boolean.CHUNK)
        x, y = both(bits[rows, part].to(flat.dtype)), labels[rows, part]
        out = encoder.logits(config, p, x, known)
        wrong[rows] += (out.argmax(-1) != y).sum(1)
        loss[rows] += boolean.losses(out, y).double() * y.shape[1]
        seen[rows] += y.shape[1]
    return wrong, loss / seen


@pytest.mark.benchmark(group="training")
@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(("T", "m", "together"), [(100, 100, 5), (400, 150, 3)])
def test_sparse_and_against_the_code_before(benchmark, T, m, together):
    """Whole evaluations. A trial of 5 s, as at T = 400, was one of three before, and is one of five."""
    config = Config(T=T, m=m, stop=False)
    state = optimiser.start(config, [key(config, i) for i in range(5)], torch.device("cpu"))
    few = optimiser.start(config, state.keys[:together], torch.device("cpu"))
    decay = optimiser.decay_of(config)
    held = state.held_bits, state.held_labels

    def steps(own):
        for _ in range(10):
            optimiser.adam(config, own, optimiser.gradient(config, own)[1], decay)

    def before():
        steps(few)
        errors_before(config, few.flat, few.held_bits, few.held_labels)

    def now():
        steps(state)
        boolean.errors(config, state.flat, *held, False, state.held)

    one, other = errors_before(config, state.flat, *held), boolean.errors(config, state.flat, *held, False, state.held)
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    benchmark.pedantic(now, rounds=1)
    slow, fast = (
        least(lambda: errors_before(config, state.flat, *held)),
        least(lambda: boolean.errors(config, state.flat, *held, False, state.held)),
    )
    report(benchmark, f"times faster than before: an evaluation of sparse_and at T = {T}", slow / fast)
    ratio = least(before) / together / (least(now) / 5)
    report(benchmark, f"times faster than before: a trial of sparse_and at T = {T}", ratio)
    assert min(slow / fast, ratio) >= 0.9


def held_loss_before(state):
    """String by string, zeros and ones, in the order in which they were drawn."""
    p = optimiser.named(state.config, state.flat)
    known, total = voter.terms(state.config, p, state.tokens), torch.zeros_like(state.least)
    held, answers = both(state.held[:, :-1].mT), state.held_answers.mT
    for rows, own in zip(held.split(500, 1), answers.split(500, 1), strict=True):
        total += majority.losses(voter.logits(p, rows, known), own).sum((1, 2)).double() / 2
        if (total > state.least).all():
            break
    return total


@pytest.mark.benchmark(group="training")
@pytest.mark.usefixtures("one_thread")
def test_majority_against_plain_code(benchmark, monkeypatch):
    """Twenty epochs of three steps and an evaluation of three trials, beside automatic differentiation and held-out
    strings that are looked at one way round."""
    config = Majority(T=20)
    plain, state = (optimiser.start(config, [key(config, i) for i in range(3)], torch.device("cpu")) for _ in range(2))

    def epochs(state):
        for _ in range(60):
            loss, slope = optimiser.gradient(config, state)
            optimiser.momentum(config, state, slope, slope)
            if state.due:
                state.evaluate(loss)

    def before():
        with monkeypatch.context() as patch:
            patch.setattr(majority.Votes, "_held_loss", held_loss_before)
            patch.setattr(majority.Votes, "_sort", lambda self: None)
            patch.setattr(majority.Votes, "slopes", optimiser.State.slopes)
            epochs(plain)

    def now():
        epochs(state)

    before()
    benchmark.pedantic(now, rounds=1)
    assert torch.allclose(plain.flat, state.flat, rtol=0, atol=1e-4)  # the same trials
    slow, fast = least(before, 3), least(now, 3)
    text = f"times faster than plain code: majority at T = 20, {1000 * fast / 20:.2g} ms an epoch of three trials"
    report(benchmark, text, slow / fast)
    assert slow / fast >= 1.3


MEMORY = """
import re
from pathlib import Path
import torch
from maurey.verify.training.engine.optimiser import train
from maurey.verify.training.trials.boolean import Config

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 2**20

torch.zeros(1) @ torch.zeros(1)
before = peak()
config = Config(T=800, m=200, iterations=3, every=3, stop=False)
records = train(config, range(20)).records
assert len(records) == 20 and all(record["status"] == "done" for record in records)
print(peak() - before)
"""


@pytest.mark.benchmark(group="training")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_memory_of_a_batch(benchmark):
    """T = 800, m = 200, twenty trials, protocol fast: under 1 GB beyond what importing takes."""

    def run():
        return subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True).stdout

    gigabytes = float(benchmark.pedantic(run, rounds=1))
    report(benchmark, "GB for twenty trials at T = 800, m = 200", gigabytes)
    assert gigabytes < 1
