"""Files as they should be, read to the bit; files that lie, refused in one line before anything is read."""

import json
import tracemalloc

import checkpoint_files as files
import numpy as np
import pytest

from maurey.symbolic.errors import InputError
from maurey.verify.models.files import safetensors
from maurey.verify.models.numbers.norms import norms
from maurey.verify.models.numbers.tensors import doubles

RNG = np.random.default_rng(0)
TENSORS = {
    "a": RNG.normal(size=(3, 4)).astype(np.float32),
    "b": RNG.normal(size=5).astype(np.float16),
    "c.weight": RNG.normal(size=(2, 2)),
    "d": RNG.integers(-128, 127, size=(2, 3, 2)).astype(np.int8),
    "e": (RNG.normal(size=(2, 2)).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16),
    "ids": np.arange(4),
    "scalar": np.float32(2.5).reshape(()),
    "none": np.zeros((0, 3), np.float32),
}


def check(place):
    found = safetensors.entries(place)
    assert set(found) == set(TENSORS)
    for name, entry in found.items():
        stored = entry.read()
        assert stored.shape == entry.shape == TENSORS[name].shape
        assert stored.array.tobytes() == TENSORS[name].tobytes()


def test_a_file_a_folder_and_shards(tmp_path):
    check(files.save(tmp_path / "other.safetensors", TENSORS))
    check(tmp_path)
    for number in (1, 2, 5):
        folder = tmp_path / str(number)
        folder.mkdir()
        check(files.save_shards(folder, TENSORS, number))
    header, data = files.header_of(TENSORS)
    check(files.write(tmp_path / "model.safetensors", {"__metadata__": {"format": "pt"}} | header, data))
    check(files.write(tmp_path / "model.safetensors", json.dumps(header).encode() + b"      ", data))


def test_bfloat16_is_widened_without_rounding():
    bits = np.array([0x3F80, 0xC040, 0x0001, 0x8000, 0x7F7F], np.uint16)
    assert doubles(bits, "BF16").tolist() == [1.0, -3.0, 2.0**-133, -0.0, (2 - 2.0**-7) * 2.0**127]


def row(dtype="F32", shape=(2,), ends=(0, 8), **more):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(ends)} | more


BAD = {
    "empty": (b"", b"", None, "no JSON"),
    "a length beyond the file": ({}, b"", 1 << 40, "is cut: a header of 1099511627776 bytes does not fit"),
    "a length of all ones": ({}, b"", (1 << 64) - 1, "does not fit"),
    "no JSON": (b"{]", b"", None, "no JSON"),
    "no UTF-8": (b'{"\xff": 1}', b"", None, "no JSON"),
    "a list": (b"[]", b"", None, "no JSON object"),
    "nested without end": (b"[" * 100_000, b"", None, "no JSON"),
    "a number of many digits": (b'{"a": ' + b"9" * 5000 + b"}", b"", None, "no JSON"),
    "a name twice": (b'{"a": 1, "a": 2}', b"", None, "twice"),
    "a row that is none": ({"a": 3}, b"", None, "a has no data_offsets"),
    "offsets that are none": ({"a": row(ends=(0, "8"))}, b"", None, "a has no data_offsets"),
    "offsets that are bools": ({"a": row(ends=(False, True))}, b"", None, "a has no data_offsets"),
    "offsets backwards": ({"a": row(ends=(8, 0))}, b"", None, "a has no data_offsets"),
    "offsets below zero": ({"a": row(ends=(-8, 0))}, b"", None, "a has no data_offsets"),
    "a terabyte": ({"a": row(shape=(1 << 38,), ends=(0, 1 << 40))}, b"", None, "is cut: a ends at byte"),
    "a terabyte of shape": ({"a": row(shape=(1 << 38,))}, bytes(8), None, "take 8 bytes; F32 of shape"),
    "a shape that wraps": ({"a": row(shape=(1 << 32, 1 << 32))}, bytes(8), None, "take 8 bytes"),
    "a shape below zero": ({"a": row(shape=(-1, -2))}, bytes(8), None, "no shape"),
    "a shape of floats": ({"a": row(shape=(2.0,))}, bytes(8), None, "no shape"),
    "a shape of too many axes": ({"a": row(shape=(1,) * 60 + (2,))}, bytes(8), None, "no shape"),
    "a kind that is none": ({"a": row(dtype="Q4")}, bytes(8), None, "dtype 'Q4'; F64, F32"),
    "a kind that is a list": ({"a": row(dtype=["F32"])}, bytes(8), None, "dtype"),
    "an overlap": ({"a": row(), "b": row(ends=(4, 12))}, bytes(12), None, "b overlaps"),
    "the same bytes": ({"a": row(), "b": row()}, bytes(8), None, "overlaps"),
    "a hole": ({"a": row(), "b": row(ends=(12, 20))}, bytes(20), None, "leaves 4 bytes"),
    "a tail": ({"a": row()}, bytes(9), None, "1 bytes behind"),
    "cut short": ({"a": row(), "b": row(ends=(8, 16))}, bytes(15), None, "is cut: b ends"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_files_that_lie(name, tmp_path):
    header, data, length, words = BAD[name]
    path = files.write(tmp_path / "model.safetensors", header, data, length)
    tracemalloc.start()
    with pytest.raises(InputError) as error:
        safetensors.entries(tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert words in str(error.value)
    assert path.name in str(error.value)
    assert len(str(error.value)) < 250
    assert "\n" not in str(error.value)
    assert peak < 20e6


def test_a_file_that_is_cut_anywhere(tmp_path):
    whole = files.save(tmp_path / "whole", TENSORS).read_bytes()
    cut = tmp_path / "model.safetensors"
    for length in (*range(12), *range(12, len(whole), 7), len(whole) - 1):
        cut.write_bytes(whole[:length])
        with pytest.raises(InputError):
            safetensors.entries(tmp_path)


def test_a_file_cut_after_it_was_listed(tmp_path):
    path = files.save(tmp_path / "model.safetensors", TENSORS)
    found = safetensors.entries(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="ended within"):
        [entry.read() for entry in found.values()]


def test_a_long_header_is_not_read(tmp_path):
    path = tmp_path / "model.safetensors"
    with path.open("wb") as file:
        file.write((1 << 30).to_bytes(8, "little"))
        file.truncate(2 << 30)  # takes no place on the disk
    with pytest.raises(InputError, match="of which at most"):
        safetensors.entries(tmp_path)


def index(folder, listed):
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": listed}))


def test_an_index_that_lies(tmp_path):
    files.save_shards(tmp_path, TENSORS)
    names = json.loads((tmp_path / "model.safetensors.index.json").read_text())["weight_map"]
    first, second = dict.fromkeys(names.values())
    for listed, words in (
        (names | {"b": first}, "b lies in"),
        (names | {"extra": first}, "lacks extra"),
        ({name: file for name, file in names.items() if name != "a"}, "says in no file"),
        (names | {"a": "gone.safetensors"}, "no file"),
        (names | {"a": "../a.safetensors"}, "beside it"),
        (names | {"a": "/etc/passwd"}, "beside it"),
        (names | {"a": "model.bin"}, "beside it"),
        (names | {"a": 3}, "beside it"),
        ([], "no weight_map"), ({}, "no weight_map"), (None, "no weight_map"),
    ):  # fmt: skip
        index(tmp_path, listed)
        with pytest.raises(InputError, match=words):
            safetensors.entries(tmp_path)
    index(tmp_path, names)
    (tmp_path / second).unlink()
    with pytest.raises(InputError, match="no file"):
        safetensors.entries(tmp_path)


def test_folders_without_safetensors(tmp_path):
    with pytest.raises(InputError, match=r"has no model\.safetensors$"):
        safetensors.entries(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'echo'\ntR.")
    with pytest.raises(InputError, match="is a pickle"):
        safetensors.entries(tmp_path)
    for name in "ab":
        files.save(tmp_path / f"{name}.safetensors", TENSORS)
    with pytest.raises(InputError, match="has 2 safetensors files and no"):
        safetensors.entries(tmp_path)
    with pytest.raises(InputError, match="no file"):
        safetensors.entries(tmp_path / "nothing.safetensors")
    with pytest.raises(InputError, match="no file"):
        safetensors.entries(tmp_path / "nothing\0.safetensors")
    with pytest.raises(InputError, match="no file"):
        safetensors.entries(type(tmp_path)("/dev/zero"))


@pytest.mark.parametrize("shape", [(300, 700), (7,), (1, 5), (3, 2, 4)])
def test_one_pass_over_a_file_is_one_pass_over_memory(shape, tmp_path):
    tensors = {"pad": np.zeros(3, np.float16), "a": RNG.normal(size=shape).astype(np.float32)}
    entry = safetensors.entries(files.save(tmp_path / "model.safetensors", tensors))["a"]
    assert norms(entry, one_pass=True) == norms(entry.read(), one_pass=True)


def test_a_file_cut_while_it_is_streamed(tmp_path):
    path = files.save(tmp_path / "model.safetensors", {"a": np.ones((1000, 1000))})
    entry = safetensors.entries(path)["a"]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="ended within a"):
        norms(entry, one_pass=True)


def test_what_the_library_writes_is_read_alike(tmp_path):
    """Its files, to the bit; and it reads those that the tests write."""
    library = pytest.importorskip("safetensors.numpy")
    rng = np.random.default_rng(0)
    arrays = {
        str(i): rng.integers(0, 2, (3, i + 1)).astype(kind) for i, kind in enumerate(("f4", "f8", "f2", "i1", "i8"))
    }
    library.save_file(arrays, tmp_path / "theirs.safetensors", metadata={"format": "pt"})
    found = safetensors.entries(tmp_path / "theirs.safetensors")
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        read = found[name].read().array
        assert read.dtype == array.dtype
        assert np.array_equal(read, array)
    again = library.load_file(files.save(tmp_path / "ours.safetensors", arrays))
    assert all(np.array_equal(again[name], array) for name, array in arrays.items())
