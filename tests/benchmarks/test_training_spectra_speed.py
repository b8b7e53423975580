"""What a step on sums of parities costs: tables of tokens against the same network written down plainly, in one run."""

import math
import statistics
import time

import pytest
import torch
from ratios import report

from maurey.verify.training.engine import optimiser
from maurey.verify.training.networks import two_layers
from maurey.verify.training.trials.keys import key
from maurey.verify.training.trials.parities import Spectrum

STEPS, ROUNDS = 4, 5


def plain(p, bits):
    """Every token of every string through everything, as modules of torch would do it; one trial."""
    n, P = bits.shape
    x = torch.cat([torch.eye(P).expand(n, P, P), p["symbol"][bits.long()]], -1)
    for layer in "12":
        q, k, v = (x @ p[f"{name}_{layer}"] for name in "QKV")
        y = x + (q @ k.mT * math.log(P)).softmax(-1) @ v
        x = y + (y @ p[f"A_{layer}"] + p[f"a_{layer}"]).relu() @ p[f"B_{layer}"] + p[f"b_{layer}"]
    return x[:, -1] @ p["w"] + p["w_0"]


def seconds(run):
    started = time.perf_counter()
    for _ in range(STEPS):
        run()
    return (time.perf_counter() - started) / STEPS


@pytest.mark.benchmark(group="training")
def test_a_step_against_a_plain_network(benchmark):
    """Batches of 128 strings of 20 bits, one trial, one thread: loss and gradient; both sides in turn."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    c = Spectrum(model="two_layers", D=2, omega=7)
    state = optimiser.start(c, [key(c, 0)], torch.device("cpu"))
    own = {name: value[0].clone().requires_grad_() for name, value in optimiser.named(c, state.flat).items()}
    bits, labels = state.strings[0, : c.batch], state.labels[0, : c.batch, 0]

    def tables():
        optimiser.gradient(c, state)

    def written_down():
        loss = (plain(own, bits) - labels).square().mean()
        torch.autograd.grad(loss, list(own.values()))

    with torch.no_grad():
        ours = two_layers.outputs(c, optimiser.named(c, state.flat), bits[None])[0, :, 0]
        torch.testing.assert_close(ours, plain(own, bits), rtol=1e-4, atol=1e-5)  # the same network
    tables(), written_down()
    benchmark.pedantic(tables, rounds=1)
    pairs = [(seconds(written_down), seconds(tables)) for _ in range(ROUNDS)]
    torch.set_num_threads(threads)
    slow, fast = (1000 * statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    text = (
        f"times faster than a plain network: {fast:.2g} ms for loss and gradient of 128 strings against {slow:.2g} ms"
    )
    report(benchmark, text, ratio)
    assert ratio >= 1.3
