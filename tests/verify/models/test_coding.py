"""The prefix code: what is coded is decoded to the bit, one tensor behind the other."""

import numpy as np
import pytest

from maurey.verify.models.numbers import coding
from maurey.verify.models.numbers.tensors import KINDS, Stored

RNG = np.random.default_rng(0)


def stored(kind, shape):
    values = 0.05 * RNG.normal(size=shape)
    if kind == "BF16":
        return Stored("a", kind, (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
    return Stored("a", kind, (values if kind[0] == "F" else 100 * values).astype(KINDS[kind]))


@pytest.mark.parametrize("kind", ["F64", "F32", "F16", "BF16", "I8", "I64", "BOOL"])
@pytest.mark.parametrize("shape", [(3, 5), (1,), (), (0, 4), (2, 3, 4)])
def test_what_is_coded_is_decoded(kind, shape):
    A = stored(kind, shape)
    array, rest = coding.decoded(coding.message(A), shape, kind)
    assert rest == b""
    assert array.shape == shape
    assert array.tobytes() == A.array.tobytes()


def test_tensors_stand_behind_each_other():
    """No message begins with another: the decoder finds where each ends."""
    many = [stored(kind, (n, 7)) for n, kind in enumerate(["F32", "BF16", "I8", "F64", "F16"], 1)]
    coded = b"".join(map(coding.message, many))
    for A in many:
        array, coded = coding.decoded(coded, A.shape, A.kind)
        assert array.tobytes() == A.array.tobytes()
    assert coded == b""


def test_weights_take_fewer_bits_than_they_are_stored_in():
    floats, zeros = stored("F32", (300, 300)), Stored("z", "F32", np.zeros((300, 300), np.float32))
    noise = Stored("n", "I8", RNG.integers(-128, 128, size=(300, 300)).astype(np.int8))
    assert 26 * 90_000 < coding.coded_bits(floats) < 28 * 90_000
    assert coding.coded_bits(zeros) < 0.2 * 90_000
    assert 8 * 90_000 < coding.coded_bits(noise) < 8.1 * 90_000


def test_kraft_holds_for_short_messages():
    """All arrays of one byte: their messages, as a prefix code, have weights that sum to less than one."""
    messages = [coding.message(Stored("a", "U8", np.array([b], np.uint8))) for b in range(256)]
    assert sum(2.0 ** (-8 * len(one)) for one in messages) < 1
    assert not any(a is not b and b.startswith(a) for a in messages for b in messages)


def test_a_decoder_that_errs_is_noticed(monkeypatch):
    A = stored("F32", (4, 4))
    honest = coding.decoded
    monkeypatch.setattr(coding, "decoded", lambda *given: (honest(*given)[0] + 1, b""))
    with pytest.raises(AssertionError):
        coding.coded_bits(A)
    monkeypatch.setattr(coding, "decoded", lambda *given: (honest(*given)[0], b"x"))
    with pytest.raises(AssertionError):
        coding.coded_bits(A)


@pytest.mark.parametrize("cut", [0, 1, 20])
def test_a_message_that_is_cut_is_noticed(cut):
    coded = coding.message(stored("F32", (9, 9)))[:-1]
    with pytest.raises((ValueError, IndexError)):
        coding.decoded(coded[: len(coded) - cut], (9, 9), "F32")
