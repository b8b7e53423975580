"""Maker and checker read files with code of their own: whatever the one takes, the other takes for the same numbers."""

import random
from fractions import Fraction as F

import numpy as np
import pytest

from maurey.symbolic.errors import InputError
from maurey.verify.certificates.checker import reading
from maurey.verify.certificates.losses import File, of_columns, of_file

NONE = ("nan", "NaN", "", " ", "١", "0_0", "1/2", "1e-9999", "1e99", "-0.1", "-1e-400", "1.0000000000000000001", "0x1",
        "inf", "1e", ".", "+-1", "0.5.5", "²", "1 0", "--0", "1e1e1", "9" * 401, "null", "[]")  # fmt: skip
NUMBERS = ("0", "1", "0.5", "+0.25", " 1e-3 ", "1E-400", "-0", ".5", "1.", "0.1e1", "0" * 399 + "1", "-0e5")
LABELS = ("cat", "1", "1.0", "01", "-1", "nan", "", "None", "True", '"a,b"', '"a', "é", "٣")


def units(file):
    """As the maker reads it; nothing, where it refuses."""
    try:
        found = of_file(file)
    except InputError:
        return None
    return found.units, found.indices


def units_again(file):
    """As the checker does."""
    try:
        exact, members = reading.losses(file.name, file.content)
        return reading.rounded_up(exact, file.name), members
    except (ValueError, LookupError, reading.csv.Error, TypeError, AttributeError, OSError):
        return None


def csv_of(header, rows, end="\n"):
    return File("a.csv", end.join([*([header] if header else []), *rows, ""]).encode())


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers(text):
    for file in (csv_of("loss", [text]), csv_of("", [text]), File("a.jsonl", f'"{text}"'.encode())):
        assert units(file) == units_again(file) == ([-(-F(text.strip()) * 2**40 // 1)], None)


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_loss(text):
    for file in (csv_of("loss,id", [f"{text},1"]), csv_of("", ["0", text, "1"]), File("a.jsonl", text.encode())):
        assert units(file) is units_again(file) is None


REFUSED = {
    "two columns without names": csv_of("", ["0,1"]),
    "more cells than names": csv_of("loss", ["0,1"]),
    "fewer cells than names": csv_of("loss,id", ["0"]),
    "one name twice": csv_of("loss,loss", ["1,0"]),
    "one name twice in JSON": File("a.jsonl", b'{"loss": 1, "loss": 0}'),
    "rows of several kinds": File("a.jsonl", b'{"loss": 1}\n0'),
    "a row that is empty": csv_of("loss", ["0", "", "1"]),
    "an empty row at the end": csv_of("loss", ["0", ""]),
    "an empty row in JSON": File("a.jsonl", b"0\n\n1"),
    "a sample twice": csv_of("index,loss", ["7,0", "7,0"]),
    "a sample twice, written otherwise": csv_of("index,loss", ["7,0", "07,0"]),
    "an index that is none": csv_of("index,loss", ["1_0,0"]),
    "a quote that swallows rows": csv_of("loss", ["0", '"0.', "1", "1"]),
    "a quote over two rows": csv_of("loss", ['"0', '"', "1"]),
    "rows by another separator": File("a.csv", "loss\n0\u20280\u20280\n".encode()),
    "rows by a form feed": File("a.csv", b"loss\n0\x0c0\n"),
    "labels that are missing": csv_of("label,prediction", [","]),
    "labels that are no number": csv_of("label,prediction", ["nan,NaN"]),
    "labels that are null": File("a.jsonl", b'{"label": null, "prediction": null}'),
    "labels that are lists": File("a.jsonl", b'{"label": [], "prediction": []}'),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what):
    assert units(REFUSED[what]) is units_again(REFUSED[what]) is None


def test_marks_of_other_programs():
    """A byte order mark, and ends of lines as Windows writes them."""
    file = File("a.csv", "\ufeffloss\r\n0\r\n1\r\n".encode())
    assert units(file) == units_again(file) == ([0, 2**40], None)


def drawn(rng):
    cells = NUMBERS * 4 + NONE[:6]
    rows = rng.randint(1, 3)
    if kind := rng.randrange(4):
        header = ("", "loss", "index,loss", "label,prediction")[kind]
        own = {1: lambda: rng.choice(cells), 2: lambda: f"{rng.randint(0, 9)},{rng.choice(cells)}",
               3: lambda: f"{rng.choice(LABELS)},{rng.choice(LABELS)}"}[kind]  # fmt: skip
        return csv_of(header, [own() for _ in range(rows)], rng.choice(("\n", "\r\n", "\u2028")))
    values = (*NUMBERS, "true", "false", "null", "0.5", '"0.5"', "NaN", "[0.5]", '{"loss": 0}', '{"loss": "1", "x": 0}')
    return File("a.jsonl", "\n".join(rng.choice(values) for _ in range(rows)).encode())


def test_both_read_the_same():
    rng, taken = random.Random(0), 0
    for _ in range(1500):
        file = drawn(rng)
        found = units(file)
        assert found == units_again(file), file.content
        taken += found is not None
    assert 300 < taken < 1300


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", ">f8", "complex64", "U1"])
def test_arrays_of_all_kinds(dtype, tmp_path):
    np.save(tmp_path / "a.npy", np.array([0, 1, 1]).astype(dtype))
    file = File.at(tmp_path / "a.npy")
    assert units(file) == units_again(file) == (None if dtype in ("complex64", "U1") else ([0, 2**40, 2**40], None))


def test_columns_of_numbers():
    file = File("a.csv", b"sigma,mean\n2,-3e2\n+.5,7\n")
    assert reading.table(file.name, file.content, ("mean", "sigma")) == [
        list(row) for row in of_columns(file, ("mean", "sigma"))
    ]
