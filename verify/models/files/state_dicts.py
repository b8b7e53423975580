"""Tensors that torch saved, or that a module in memory holds, as they are stored.

A file is opened with `weights_only`, so that a pickle with code in it is refused and nothing is run; and it is mapped,
so that what is not read takes no memory.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np

from maurey.symbolic.errors import InputError, cut
from maurey.verify.tensors import torch

from ..numbers.tensors import KINDS, Stored
from .documents import check_file


def load(path: Path) -> dict[str, Stored]:
    """The state dict in a file."""
    check_file(path)
    if not is_zipfile(path):
        raise InputError(f"{path.name} is not whole, or not as torch.save writes now: want a state dict in a zip")
    try:
        found = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except pickle.UnpicklingError:
        raise InputError(f"{path.name} holds more than tensors, perhaps code: want a state dict") from None
    except (RuntimeError, ValueError, EOFError, OSError, LookupError, AttributeError, TypeError):
        raise InputError(f"{path.name} is damaged or compressed: want what torch.save writes") from None
    if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
        raise InputError(f"{path.name} holds no state dict: want a dictionary from names to tensors")
    return {name: stored(name, tensor) for name, tensor in found.items()}


def stored(name: str, tensor: Any) -> Stored:
    """The numbers of a dense tensor, where they are."""
    if not isinstance(tensor, torch.Tensor):
        raise InputError(f"{cut(name)} is no tensor, but {type(tensor).__name__}")
    tensor = tensor.detach()
    kinds = {
        torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int8: "I8",
        torch.uint8: "U8", torch.bool: "BOOL", torch.int16: "I16", torch.int32: "I32", torch.int64: "I64",
    }  # fmt: skip
    if tensor.dtype not in kinds:
        raise InputError(f"{cut(name)} has dtype {tensor.dtype}; {', '.join(KINDS)} can be read")
    if tensor.layout != torch.strided or tensor.device.type != "cpu":
        raise InputError(f"{cut(name)} is a {tensor.layout} tensor on {tensor.device}; want a dense one on the CPU")
    if tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
        raise InputError(f"{cut(name)} claims more numbers than are stored")
    kind = kinds[tensor.dtype]
    raw = tensor.view(torch.int16) if kind == "BF16" else tensor
    return Stored(name, kind, raw.numpy().view(np.dtype(KINDS[kind])))
