"""The corpus: the sources of Python's standard library, without its tests, as one text of bytes; and windows of it."""

from __future__ import annotations

import hashlib
import math
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

LEFT_OUT = {"site-packages", "__pycache__", "test", "tests", "idlelib", "lib2to3"}


@dataclass(frozen=True)
class Corpus:
    text: np.ndarray  # bytes of all files, one after the other
    ends: tuple[int, ...]  # of the files
    sha256: str

    @property
    def files(self) -> list[tuple[int, int]]:
        """Where each begins and ends."""
        return list(zip((0, *self.ends[:-1]), self.ends, strict=True))

    def order_0(self) -> float:
        """The entropy of a byte, in bits."""
        counts = np.bincount(self.text, minlength=256)
        shares = counts[counts > 0] / len(self.text)
        return float(-(shares * np.log2(shares)).sum())

    def windows(self, context: int, number: int, rng: np.random.Generator) -> np.ndarray:
        """At uniform positions of all of it: (number, context)."""
        return self._at(rng.integers(len(self.text) - context + 1, size=number), context)

    def windows_in(self, chosen: Sequence[int], context: int, number: int, rng: np.random.Generator) -> np.ndarray:
        """In files picked uniformly among these, at uniform positions of the file."""
        spans = [self.files[i] for i in chosen]
        picked = rng.integers(len(spans), size=number)
        starts = [int(rng.integers(spans[i][0], spans[i][1] - context + 1)) for i in picked]
        return self._at(np.array(starts), context)

    def halves(self, context: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
        """The files that hold a window, in two halves at random."""
        long = [i for i, (start, end) in enumerate(self.files) if end - start >= context]
        order = [long[i] for i in rng.permutation(len(long))]
        return order[: len(order) // 2], order[len(order) // 2 :]

    def _at(self, starts: np.ndarray, context: int) -> np.ndarray:
        return self.text[starts[:, None] + np.arange(context)].astype(np.int64)


@cache
def standard_library() -> Corpus:
    root = Path(sysconfig.get_paths()["stdlib"])
    paths = sorted(path for path in root.rglob("*.py") if not LEFT_OUT & set(path.relative_to(root).parts))
    texts = [path.read_bytes() for path in paths]
    whole = b"".join(texts)
    ends = tuple(np.cumsum([len(text) for text in texts]).tolist())
    return Corpus(np.frombuffer(whole, dtype=np.uint8), ends, hashlib.sha256(whole).hexdigest())


# --- bits per byte, as losses -----------------------------------------------------------------------------------------

BYTES, SHARE = 256, 1 / 16  # of the uniform code in every prediction, fixed once for all
DIGITS = 10**5  # losses are multiples of 1/DIGITS, rounded up
LEAST, MOST = -math.log2(1 - SHARE + SHARE / BYTES), math.log2(BYTES / SHARE)  # bits of a byte


def as_bits(loss: float) -> float:
    """From a loss in [0, 1] to bits per byte."""
    return LEAST + (MOST - LEAST) * loss
