"""Checkpoints that the tests write, and files that lie."""

import json

import numpy as np

CODES = {np.dtype(t): code for t, code in (("f8", "F64"), ("f4", "F32"), ("f2", "F16"), ("i1", "I8"), ("i8", "I64"))}


def header_of(tensors):
    """As a correct file has it, and the bytes behind it."""
    header, data = {}, b""
    for name, array in tensors.items():
        code = CODES.get(array.dtype, "BF16")  # bits of bfloat16 come as two bytes
        raw = array.tobytes()
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    return header, data


def write(path, header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + data)
    return path


def save(path, tensors):
    return write(path, *header_of(tensors))


def save_shards(folder, tensors, number=2):
    names = list(tensors)
    listed = {}
    for i in range(number):
        file = f"model-{i + 1:05d}-of-{number:05d}.safetensors"
        own = {name: tensors[name] for name in names[i::number]}
        save(folder / file, own)
        listed |= dict.fromkeys(own, file)
    index = {"metadata": {"total_size": 0}, "weight_map": listed}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder
