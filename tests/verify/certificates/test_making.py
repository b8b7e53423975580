"""What is refused, what is stated, and what happens to data that were used before."""

import json
from dataclasses import replace
from fractions import Fraction as F

import pytest
from made import files, requests

from maurey.symbolic.errors import InputError
from maurey.verify.certificates import making
from maurey.verify.certificates.certificate import check_unused, digest, sure, write
from maurey.verify.certificates.checker.check import check
from maurey.verify.certificates.losses import File
from maurey.verify.certificates.making import certificate
from maurey.verify.certificates.wording import FIELDS


@pytest.fixture
def asked(tmp_path):
    files(tmp_path)
    return lambda name: requests(tmp_path)[name]()


def saved(request, path):
    found = certificate(request)
    check_unused(found, path)
    write(found, path)
    return found


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("counted", {"method": "guess"}, "no method 'guess'; there are holdout, prequential, occam, pac-bayes"),
        ("counted", {"window": (1, 5)}, "window is for the method prequential, not for holdout"),
        ("online", {"pool": 9}, "pool is for the method holdout"),
        ("counted", {"delta": F(1)}, r"in \(0, 1\), got 1"),
        ("counted", {"pool": 59}, "a pool of 59 has no 60 members"),
        ("pool", {"pool": 100}, "the members of the pool are 0 to 99, got"),
        ("online", {"window": (5, 61)}, r"within the samples 1\.\.60, got 5\.\.61"),
        ("online", {"window": (9, 5)}, r"got 9\.\.5"),
        ("message", {"decoded": File("integers.csv", b"integer\n1\n")}, "decodes to other integers than those of"),
        ("message", {"message": File("m", b"\x01\x02")}, r"not in the format of docs/certify\.md"),
        ("message", {"message": None}, "takes a message"),
        ("drawn", {"KL": None}, "either a divergence or the files"),
        ("drawn", {"KL": F(-1)}, "at least 0"),
        ("Gaussians", {"prior": None}, "either a divergence or the files"),
        ("Gaussians", {"prior": File("p.csv", b"mean,sigma\n0,1\n")}, "one number of parameters, got 4 and 1"),
        ("Gaussians", {"prior": File("p.csv", b"mean,sigma\n0,1\n0,1\n0,0\n0,1\n")}, "that of parameter 3 is not"),
        ("listed", {"hypothesis": None}, "name the file of the one that is certified"),
        ("listed", {"hypothesis": File("three", b"three")}, r"three is not on the list list\.txt"),
        ("listed", {"hypotheses": File("l.txt", b"x\n")}, "no list of hashes"),
        ("linear head", {"losses": File("m.csv", b"margin\n0.5\n1.5\n")}, "row 2: a margin"),
        ("linear head", {"KL": F(-1)}, "at least 0"),
        ("drawn", {"KL": F(10) ** 400}, "one above 1000000000000 says nothing"),
        ("counted", {"delta": F(1, 10**31)}, "up to 30 digits"),
        ("counted pool", {"pool": 10**13}, "at most 1000000000000 members"),
        ("counted", {"KL": F(0)}, "kl is for the method pac-bayes"),
    ],
)
def test_what_is_refused(asked, name, change, words):
    with pytest.raises(InputError, match=words):
        certificate(replace(asked(name), **change))


def test_a_member_that_is_there_twice(asked):
    twice = File("p.csv", b"index,loss\n3,0.5\n4,0\n3,1\n")
    with pytest.raises(InputError, match="row 3: sample 3 is there twice"):
        certificate(replace(asked("pool"), losses=twice))


def test_a_second_use_is_refused(asked, tmp_path):
    path = tmp_path / "first.json"
    saved(asked("counted"), path)
    saved(asked("counted"), tmp_path / "again.json")  # the same certificate
    for other in (replace(asked("counted"), delta=F(1, 100)), asked("online"), asked("counted pool"), asked("listed")):
        with pytest.raises(InputError, match=r"used for again\.json, and a second use is refused"):
            saved(other, tmp_path / "second.json")


def test_held_out_data_are_known_by_their_file(asked, tmp_path):
    data = File("data.npz", b"data")
    saved(replace(asked("counted"), heldout=data), tmp_path / "first.json")
    with pytest.raises(InputError, match="a second use is refused"):
        saved(replace(asked("best of three"), heldout=data), tmp_path / "second.json")
    saved(replace(asked("best of three"), heldout=File("other.npz", b"other")), tmp_path / "second.json")


def test_the_same_losses_with_held_out_data_named(asked, tmp_path):
    """Named or not, they were used; where no loss was seen, other data are another sample."""
    one, other = (File(name, name.encode()) for name in ("one.npz", "other.npz"))
    saved(asked("counted"), tmp_path / "first.json")
    for named in (one, asked("counted").losses):
        with pytest.raises(InputError, match="a second use is refused"):
            saved(replace(asked("counted"), heldout=named, delta=F(1, 9)), tmp_path / "second.json")
    (tmp_path / "first.json").unlink()
    saved(replace(asked("counted"), heldout=one), tmp_path / "first.json")
    with pytest.raises(InputError, match="a second use is refused"):
        saved(replace(asked("counted"), heldout=other), tmp_path / "second.json")
    (tmp_path / "first.json").unlink()
    (tmp_path / "none.csv").write_bytes(b"loss\n0\n0\n")
    for path, data in (("first.json", one), ("second.json", other)):
        saved(replace(asked("counted"), losses=File.at(tmp_path / "none.csv"), heldout=data), tmp_path / path)
        check(tmp_path / path)
    with pytest.raises(InputError, match="a second use is refused"):
        saved(replace(asked("counted"), losses=File.at(tmp_path / "none.csv")), tmp_path / "third.json")


@pytest.mark.parametrize("text", ["[1]", "{}", "[" * 100_000, json.dumps({name: ["x"] for name in FIELDS})])
def test_what_lies_beside_and_is_no_certificate(text, asked, tmp_path):
    (tmp_path / "other.json").write_text(text)
    saved(asked("counted"), tmp_path / "first.json")
    check(tmp_path / "first.json")


def test_listed_hypotheses_share_delta(asked, tmp_path):
    data = File("data.npz", b"data")
    first = saved(replace(asked("listed"), heldout=data), tmp_path / "first.json")
    assert first["parts"][1]["delta"] == "1/40"
    assert first["statement"].endswith("all others of the 2 that were listed.")
    losses, two = File("two.csv", b"loss\n1\n0\n0\n0\n"), File("two", b"two")
    for file in (losses, two, data):
        (tmp_path / file.name).write_bytes(file.content)
    saved(replace(asked("listed"), heldout=data, losses=losses, hypothesis=two), tmp_path / "second.json")
    assert check(tmp_path / "first.json").absent == []
    assert check(tmp_path / "second.json").absent == []
    with pytest.raises(InputError, match="a second use is refused"):  # of one hypothesis
        saved(replace(asked("listed"), heldout=data, losses=losses), tmp_path / "third.json")


def test_messages_share_one_sample(asked, tmp_path):
    """The bound is for all of them at once; another method on the same sample is not."""
    saved(asked("message"), tmp_path / "first.json")
    other = File("other.bin", making.messages.encode([[1, 2]]))
    own = replace(asked("message"), message=other, decoded=File("two.csv", b"integer\n1\n2\n"))
    saved(own, tmp_path / "second.json")
    with pytest.raises(InputError, match="a second use is refused"):
        saved(asked("counted"), tmp_path / "third.json")


def test_nothing_is_overwritten(asked, tmp_path):
    path = tmp_path / "certificate.json"
    path.write_text("{}")
    with pytest.raises(InputError, match="is there already"):
        write(certificate(asked("counted")), path)


def test_what_is_stated_of_each_method(asked):
    def stated(name):
        return [one["text"] for one in certificate(asked(name))["hypotheses"] if one["status"] == "stated"]

    assert any("drawn independently" in text for text in stated("counted"))
    assert any("takes no other values" in text for text in stated("counted"))
    assert any("order of the samples" in text for text in stated("best of three"))
    assert any("without replacement" in text for text in stated("pool"))
    assert any("only run on these samples" in text for text in stated("online"))
    assert any("prior was fixed before" in text for text in stated("drawn"))
    assert all(any("used for nothing else" in text for text in stated(name)) for name in requests(None))


def test_a_certificate_is_what_the_design_says(asked):
    found = certificate(asked("counted"))
    assert list(found) == ["maurey", "method", "delta", "n", "empirical", "bound", "statement", "hypotheses", "inputs",
                           "seeds", "parts", "digest"]  # fmt: skip
    assert found["digest"] == digest(json.loads(json.dumps(found)))


def test_probabilities_in_words():
    assert [sure(F(x)) for x in ("1/20", "1/2", "1/3", "1/1000", "3/8")] == ["0.95", "0.5", "2/3", "0.999", "0.625"]


def test_numbers_are_read_and_nothing_else():
    assert making.number("1/20", "x") == making.number("0.05", "x") == F(1, 20)
    assert making.window("3..70") == (3, 70)
    for bad in ("1+1", "", "1/0", "nan", "0x1", "1/2/3", "1e9999"):
        with pytest.raises(InputError, match="is a number such as"):
            making.number(bad, "delta")
    for bad in ("3", "3..", "a..b", "3-70"):
        with pytest.raises(InputError, match="a window is"):
            making.window(bad)
