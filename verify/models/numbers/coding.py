"""A prefix code for stored numbers: byte by byte of a number, each in a stream of its own.

The exponents of floats repeat themselves, the last digits do not. So the first bytes of all numbers of a tensor make
one stream, their second bytes another, and each is coded by DEFLATE (RFC 1951), which ends its streams itself: behind
one tensor the next begins, no message begins with another, and Kraft's inequality holds. The decoder knows shapes and
kinds from the architecture. Every message is decoded again before its length is taken.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator

import numpy as np

from maurey.numeric.types import Array

from .tensors import KINDS, Stored

RAW = -15  # a stream without header and checksum, its window 2^15
STRATEGIES = (zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE)  # both are decoded alike


def message(A: Stored) -> bytes:
    """The shorter of two codes for each stream of bytes."""
    return b"".join(min((_deflated(plane, how) for how in STRATEGIES), key=len) for plane in _planes(A.array))


def decoded(coded: bytes, shape: tuple[int, ...], kind: str) -> tuple[Array, bytes]:
    """The array, and what stands behind it."""
    dtype = np.dtype(KINDS[kind])
    planes = np.empty((math.prod(shape), dtype.itemsize), np.uint8)
    for plane in planes.T:
        stream = zlib.decompressobj(RAW)
        plane[:] = np.frombuffer(stream.decompress(coded), np.uint8)
        if not stream.eof:
            raise ValueError("a stream that does not end")
        coded = stream.unused_data
    return planes.view(dtype).reshape(shape), coded


def coded_bits(A: Stored) -> int:
    """How many bits the message of a tensor has, once it was decoded again."""
    coded = message(A)
    array, rest = decoded(coded, A.shape, A.kind)
    if rest or array.tobytes() != A.array.tobytes():
        raise AssertionError(f"{A.name} is not what its message says")
    return 8 * len(coded)


def _planes(array: Array) -> Iterator[bytes]:
    flat = np.ascontiguousarray(array).reshape(-1)
    for plane in flat.view(np.uint8).reshape(flat.size, array.dtype.itemsize).T:
        yield plane.tobytes()


def _deflated(plane: bytes, strategy: int) -> bytes:
    coder = zlib.compressobj(9, zlib.DEFLATED, RAW, 9, strategy)
    return coder.compress(plane) + coder.flush()
