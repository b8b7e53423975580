"""Files of torch: read to the bit, and nothing in them is run."""

import os
import pickle
import zipfile

import numpy as np
import pytest
import torch

from maurey.symbolic.errors import InputError
from maurey.verify.models.files import state_dicts
from maurey.verify.models.numbers.tensors import doubles


def test_every_kind_to_the_bit(tmp_path):
    kinds = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int64, torch.bool)
    state = {str(kind): (10 * torch.randn(3, 4)).to(kind) for kind in kinds}
    state |= {"turned": torch.randn(4, 5).T, "scalar": torch.tensor(2.5), "weight": torch.nn.Parameter(torch.ones(2))}
    torch.save(state, tmp_path / "model.pt")
    found = state_dicts.load(tmp_path / "model.pt")
    assert list(found) == list(state)
    for name, stored in found.items():
        assert stored.shape == tuple(state[name].shape)
        assert np.array_equal(doubles(stored.array, stored.kind), state[name].detach().double().numpy())


class Code:
    def __reduce__(self):
        return os.mkdir, ("made-by-a-pickle",)


def bad(path):
    """What may stand in a file, and what is said of it."""
    torch.save({"a": torch.zeros(1 << 20)}, path.with_name("whole"))
    whole = path.with_name("whole").read_bytes()

    def deflated():
        with zipfile.ZipFile(path.with_name("whole")) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for name in old.namelist():
                new.writestr(name, old.read(name))

    yield lambda: path.write_bytes(pickle.dumps(Code())), "not whole"
    yield lambda: torch.save({"a": Code()}, path), "perhaps code"
    yield lambda: torch.save(torch.nn.Linear(2, 2), path), "perhaps code"
    yield lambda: torch.save({"a": torch.ones(2)}, path, _use_new_zipfile_serialization=False), "not whole"
    yield lambda: torch.save({"a": torch.ones(1).expand(1 << 40)}, path), "a claims more numbers than are stored"
    yield lambda: torch.save([torch.ones(2)], path), "no state dict"
    yield lambda: torch.save({3: torch.ones(2)}, path), "no state dict"
    yield lambda: torch.save({"model": {"a": torch.ones(2)}}, path), "model is no tensor, but dict"
    yield lambda: torch.save({"a": torch.eye(3).to_sparse()}, path), "want a dense one"
    yield lambda: torch.save({"a": torch.ones(2, dtype=torch.complex64)}, path), "dtype torch.complex64"
    yield lambda: path.write_bytes(b""), "not whole"
    for length in (100, len(whole) // 2, len(whole) - 30):
        yield lambda length=length: path.write_bytes(whole[:length]), "not whole|damaged"
    yield lambda: path.write_bytes(whole[:200] + whole[600:]), "not whole|damaged"
    yield deflated, "damaged or compressed"


def test_what_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for write, words in bad(tmp_path / "model.pt"):
        write()
        with pytest.raises(InputError, match=words) as error:
            state_dicts.load(tmp_path / "model.pt")
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 200
    assert not (tmp_path / "made-by-a-pickle").exists()
    with pytest.raises(InputError, match="no file"):
        state_dicts.load(tmp_path / "nothing.pt")
