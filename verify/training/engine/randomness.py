"""Random numbers without state: Philox, keyed by the trial and counted from (stream, step).

Any draw can be made again at any time, on any machine and in any order. The first numbers of a stream do not depend on
how many are drawn. Subsets, data and initial weights are drawn on the CPU and are the same on every device; dropout is
drawn on the device, and is the same on the same kind of device.
"""

from __future__ import annotations

import hashlib

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

STREAMS = (
    "subset", "training", "evaluation", "initialisation", "batches", "dropout", "noise", "probes", "certificate",
    "tokens",
)  # fmt: skip


def philox(key: str, stream: str, step: int = 0) -> np.random.Philox:
    words = np.array([int(key[:16], 16), int(key[16:32], 16)], dtype=np.uint64)
    return np.random.Philox(key=words, counter=np.array([0, 0, step, STREAMS.index(stream)], dtype=np.uint64))


def generator(key: str, stream: str, step: int = 0) -> np.random.Generator:
    return np.random.Generator(philox(key, stream, step))


def shared(what: str) -> str:
    """The key of what is the same for all trials."""
    return hashlib.sha256(what.encode()).hexdigest()[:32]


def bits(key: str, stream: str, rows: int, columns: int, step: int = 0) -> NDArray[np.uint8]:
    """Fair bits (rows, columns)."""
    words = philox(key, stream, step).random_raw(-(-rows * columns // 64)).astype("<u8")
    flat = np.unpackbits(words.view(np.uint8), bitorder="little")
    return flat[: rows * columns].reshape(rows, columns)


def kept(key: str, step: int, number: int, rate: float, device: torch.device) -> Tensor:
    """What dropout at this rate (to 16 bits) lets through: booleans (number,)."""
    if device.type == "cpu":
        halves = philox(key, "dropout", step).random_raw(-(-number // 4)).astype("<u8").view("<u2")[:number]
        return torch.from_numpy(halves >= np.uint16(round(rate * 2**16)))
    digest = hashlib.sha256(f"{key} dropout {step}".encode()).digest()
    own = torch.Generator(device).manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    return torch.rand(number, device=device, generator=own) >= rate
