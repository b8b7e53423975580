"""The derivative of each stage of a network, measured on given inputs: a measurement, never a bound.

Distances of token sequences are the largest distance of a token. In this metric the norm of a derivative J is the
largest |(Jv)_t| over directions v whose tokens have length 1. Given v, take the token t that moves most and w = J^T of
its direction there: v_s = w_s/|w_s| moves it at least as far. From a random start that is repeated some times. Scores
are measured by the largest one, as they are in the bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10
from pathlib import Path

import numpy as np

from maurey.numeric.types import Array, Tensor
from maurey.symbolic.architecture import Architecture
from maurey.symbolic.errors import InputError, cut
from maurey.symbolic.modules import Linear, Module, Unembedding
from maurey.symbolic.modules import Sequence as Sequential
from maurey.verify.tensors import torch

from .files.documents import check_file
from .running import Running

MOST_BYTES, MOST = 1 << 20, 16  # of a file; sequences
ROUNDS = 8


@dataclass(frozen=True)
class Slope:
    """The largest that was found, as a power of ten, of a layer or of a module that is no layer."""

    layer: int | None
    module: str
    log10: float


def slopes(running: Running, samples: Sequence[Array]) -> Iterator[Slope]:
    """Of every stage but the table of words, which does not move."""
    tokens = [running.input(sample) for sample in samples]
    stages, before = list(running.stages()), False
    if running.words:
        tokens = [running.run(stages[0].module, X) for X in tokens]
        stages = stages[1:]
    for stage in stages:
        after = before or by_largest(stage.module)
        if found := max(slope(running, stage.module, X, before, after) for X in tokens):  # a new head is zero
            yield Slope(stage.layer, stage.name, log10(found))
        with torch.no_grad():
            tokens = [running.run(stage.module, X) for X in tokens]
        before = after


def by_largest(module: Module) -> bool:
    """Whether its outputs are scores, measured by their largest coordinate as in its Lipschitz constant."""
    if isinstance(module, Sequential):
        return any(by_largest(part) for part in module.modules)
    return isinstance(module, Unembedding) or (isinstance(module, Linear) and module.largest)


def slope(running: Running, module: Module, X: Tensor, before: bool = False, after: bool = False) -> float:
    """Of one module at one input; `before` and `after` it tokens may be measured by their largest coordinate."""
    output, pull = torch.func.vjp(lambda x: running.run(module, x), X)
    rng, found = np.random.default_rng(0), 0.0
    v = steepest(torch.from_numpy(rng.normal(size=tuple(X.shape))), before)
    for _ in range(ROUNDS):
        _, u = torch.func.jvp(lambda x: running.run(module, x), (X,), (v,))
        u = u.reshape(-1, output.shape[-1])
        sizes = u.abs().amax(dim=-1) if after else u.norm(dim=-1)
        t = int(sizes.argmax())
        found = max(found, float(sizes[t]))
        direction = torch.zeros_like(u)
        if after:
            most = int(u[t].abs().argmax())
            direction[t, most] = u[t, most].sign()
        else:
            direction[t] = u[t] / sizes[t].clamp(min=1e-300)
        v = steepest(pull(direction.reshape(output.shape))[0], before)
    return found


def steepest(w: Tensor, largest: bool) -> Tensor:
    """Every token of length 1, or of coordinates 1 and -1, along w; those of length 0 but."""
    return w.sign() if largest else w / w.norm(dim=-1, keepdim=True).clamp(min=1e-300)


def read_words(path: Path, a: Architecture) -> list[Array]:
    """Numbers of words, a sequence on each line."""
    if not a.vocabulary:
        raise InputError("--data is a file of words' numbers, and this model reads pictures")
    check_file(path)
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path.name} has more than {MOST_BYTES} bytes; some sequences are enough")
    lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
    if not lines:
        raise InputError(f"{path.name} has no sequence: want numbers of words, a sequence on each line")
    return [_words(line, n, path.name, a) for n, line in enumerate(lines[:MOST], 1)]


def _words(line: str, n: int, name: str, a: Architecture) -> Array:
    numbers = re.findall(r"[^\s,\[\]]+", line)
    wrong = [w for w in numbers if not (w.isascii() and w.isdigit() and len(w) < 12 and int(w) < a.vocabulary)]
    if wrong or not numbers:
        what = cut(repr(wrong[0])) if wrong else "none"
        raise InputError(f"{name}, line {n}: want numbers of words below {a.vocabulary}, got {what}")
    if len(numbers) > a.context:
        raise InputError(f"{name}, line {n}: {len(numbers)} words, and the context is {a.context}")
    return np.array([int(word) for word in numbers])
