"""maurey certify and check-certificate as a new user meets them, and the same in Python."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from fractions import Fraction as F

import numpy as np
import pytest

import maurey as package
from maurey import InputError
from maurey.verify.certificates.checker.check import check


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{i % 7 if i % 50 else 9}\n" for i in range(1000))
    (tmp_path / "predictions.csv").write_text("label,prediction\n" + rows)
    return tmp_path


def test_from_predictions_to_a_checked_certificate(maurey, folder):
    code, out, _ = maurey("certify", "holdout", "--losses", "predictions.csv")
    assert code == 0
    assert "the risk of the hypothesis is at\nmost 0.0289301228" in out
    assert "clopper1934/upper" in out
    assert "stated, since no program can check it" in out
    code, out, _ = maurey("check-certificate", "certificate.json")
    assert code == 0
    assert out.startswith("It stands.")


def test_json(maurey, folder):
    _, out, _ = maurey("certify", "holdout", "--losses", "predictions.csv", "--delta", "1/20", "--json")
    found = json.loads(out)
    assert found == json.loads((folder / "certificate.json").read_text())
    assert found["empirical"] == "0.02"
    code, out, _ = maurey("check-certificate", "certificate.json", "--json")
    assert (code, json.loads(out)["stands"]) == (0, True)


def test_what_does_not_stand(maurey, folder):
    maurey("certify", "holdout", "--losses", "predictions.csv")
    path = folder / "certificate.json"
    path.write_text(path.read_text().replace('"n": 1000', '"n": 2000'))
    code, out, err = maurey("check-certificate", "certificate.json")
    assert (code, err) == (1, "")
    assert out == "certificate.json does not stand: its digest is that of something else\n"
    code, out, _ = maurey("check-certificate", "certificate.json", "--json")
    assert (code, json.loads(out)["stands"]) == (1, False)


def test_missing_inputs(maurey, folder):
    maurey("certify", "holdout", "--losses", "predictions.csv")
    (folder / "predictions.csv").unlink()
    code, _, err = maurey("check-certificate", "certificate.json")
    assert code == 2
    assert "predictions.csv is needed, and does not lie beside the certificate" in err
    code, _, err = maurey("check-certificate", "nothing.json")
    assert (code, "no file nothing.json" in err) == (2, True)


def test_inputs_that_lie_elsewhere_are_named(maurey, folder):
    (folder / "data").mkdir()
    shutil.move("predictions.csv", "data/predictions.csv")
    _, out, _ = maurey("certify", "holdout", "--losses", "data/predictions.csv")
    assert "note: predictions.csv is to lie beside the certificate" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["holdout"], "missing option --losses"),
        (["guess", "--losses", "predictions.csv"], "no method 'guess'; there are holdout, prequential"),
        (["holdout", "--losses", "nothing.csv"], "cannot read nothing.csv: No such file"),
        (["holdout", "--losses", "predictions.csv", "--delta", "2"], "in (0, 1), got 2"),
        (["holdout", "--losses", "predictions.csv", "--delta", "__import__('os')"], "--delta is a number such as"),
        (["holdout", "--losses", "predictions.csv", "--window", "1..5"], "window is for the method prequential"),
        (["prequential", "--losses", "predictions.csv", "--window", "five"], "a window is its first and its last"),
        (["occam", "--losses", "predictions.csv"], "takes a message"),
        (["occam", "--losses", "predictions.csv", "--message", "predictions.csv"], "--decoded FILE"),
        (["pac-bayes", "--losses", "predictions.csv"], "either a divergence or the files"),
        (["holdout", "--losses", "predictions.csv", "--out", "here.json"], "is there already"),
        (["holdout", "--losses", "predictions.csv", "--out", "predictions.csv"], "a certificate is a .json file"),
        (["holdout", "--losses", "predictions.csv", "--delta", "1/²"], "--delta is a number such as"),
        (["holdout", "--losses", "predictions.csv", "--delta", "9" * 5000], "--delta is a number such as"),
        (["holdout", "--losses", "predictions.csv", "--delta", "1e-40"], "delta has up to 30 digits"),
        (["holdout", "--losses", "predictions.csv", "--kl", "0"], "kl is for the method pac-bayes"),
        (["holdout", "--losses", "predictions.csv", "--pool", "1" + "0" * 13], "at most 1000000000000 members"),
        (["holdout", "--losses", "predictions.csv", "--pool", "10"], "a pool of 10 has no 1000 members"),
        (["holdout", "--losses", "predictions.csv", "--every-execution"], "knows the encoder of one layer"),
    ],
)
def test_bad_input(words, told, maurey, folder):
    (folder / "here.json").write_text("[]")
    code, out, err = maurey("certify", *words)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


def test_names_that_are_not_printed(maurey, folder):
    for name in ("two\nlines.csv", "back\\slash.csv"):
        shutil.copy("predictions.csv", name)
        code, _, err = maurey("certify", "holdout", "--losses", name)
        assert (code, len(err.splitlines())) == (2, 1)
        assert "a name that can be printed" in err


def test_listed_at_two_levels(maurey, folder):
    """Shares are of one delta."""
    lines = []
    for name in ("one", "two"):
        (folder / name).write_text(name)
        lines.append(f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n")
    (folder / "list.txt").write_text("".join(lines))

    def certified(name, delta):
        words = ["--losses", "predictions.csv", "--hypotheses", "list.txt", "--hypothesis", name, "--delta", delta]
        return maurey("certify", "holdout", *words, "--out", f"{name}-{delta}.json")

    assert certified("one", "0.05")[0] == 0
    code, _, err = certified("two", "0.5")
    assert (code, "its share of one delta" in err) == (2, True)
    assert certified("two", "0.05")[0] == 0


def test_a_second_use(maurey, folder):
    maurey("certify", "holdout", "--losses", "predictions.csv")
    code, _, err = maurey("certify", "holdout", "--losses", "predictions.csv", "--delta", "0.01", "--out", "again.json")
    assert code == 2
    assert "a second use is refused" in err


# --- in Python --------------------------------------------------------------------------------------------------------

LABELS = np.arange(400) % 3


def guesses(wrong):
    return np.where(np.arange(400) < wrong, 7, LABELS)


def test_functions_and_predictions_are_alike():
    given = package.certify(guesses(10), (None, LABELS))
    called = package.certify(lambda x: guesses(10)[x], (np.arange(400), LABELS))
    assert given["bound"] == called["bound"]
    assert F(given["bound"]) > F(10, 400)
    assert F(given.bound) >= F(given["bound"])


def test_torch_and_other_losses():
    import torch

    labels = torch.from_numpy(LABELS)
    found = package.certify(torch.from_numpy(guesses(10)), (None, labels))
    assert found["bound"] == package.certify(guesses(10), (None, LABELS))["bound"]
    half = package.certify(labels, (None, labels), loss=lambda a, b: torch.rand(400) / 2 + (a != b))
    assert [part.get("key") for part in half["parts"][1:]] == [
        "hoeffding1963/1",
        "maurer2009/4",
        "waudbysmith2024/capital",
    ]


def test_saved_and_checked(tmp_path):
    package.certify(guesses(10), (np.arange(400), LABELS), out=tmp_path / "certificate.json")
    assert check(tmp_path / "certificate.json").absent  # the data themselves are not saved
    with pytest.raises(InputError, match="a second use is refused"):
        package.certify(guesses(9), (np.arange(400), LABELS), out=tmp_path / "second.json")
    fresh = np.arange(400, 800)
    package.certify(guesses(9), (fresh, LABELS), out=tmp_path / "second.json")


def test_training_and_held_out_data(tmp_path):
    inputs, seen = np.arange(400), np.arange(390, 900)
    found = package.certify(guesses(3), (inputs, LABELS), train=(seen, None), out=tmp_path / "c.json")
    assert any("10 of the 400 samples have the content" in one["text"] for one in found["hypotheses"])
    check(tmp_path / "c.json")
    with pytest.raises(InputError, match=r"10 samples are both in training and held out, e\.g\. 390"):
        package.certify(guesses(3), (inputs, LABELS), indices=inputs, train_indices=seen)
    own = package.certify(guesses(3), (inputs, LABELS), indices=inputs, train_indices=seen + 900, pool=5000)
    assert "of the 5000 members" in own["statement"]


class Frame:
    """As of pandas: it goes through the names of its columns."""

    def __init__(self, array):
        self.array = array

    def __iter__(self):
        return iter(["a", "b"])

    def to_numpy(self):
        return self.array


class Sparse:
    """As of scipy: rows are matrices."""

    def __init__(self, array):
        self.array = array

    def tocsr(self):
        return [Sparse(row[None]) for row in self.array]

    def toarray(self):
        return self.array


@pytest.mark.parametrize("kind", [Frame, Sparse])
def test_data_of_other_libraries(kind, tmp_path):
    """Known by their content: the same rows are a second use, others are not."""
    rows = np.arange(800).reshape(400, 2)
    package.certify(guesses(3), (kind(rows), LABELS), train=(kind(rows[:5] + 0), None), out=tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text())["parts"][0]["same"] == 5
    package.certify(guesses(2), (kind(rows + 1), LABELS), out=tmp_path / "b.json")
    with pytest.raises(InputError, match="a second use"):
        package.certify(guesses(4), (kind(rows), LABELS), out=tmp_path / "c.json")


def test_a_run_that_is_watched(tmp_path):
    run = package.Prequential(first=201)
    for step in range(80):
        run.observe(np.full(5, step < 30, dtype=float))
    found = run.certificate(out=tmp_path / "run.json")
    assert (found["n"], found["empirical"], run.n) == (200, "0", 400)
    assert check(tmp_path / "run.json").told["first"] == 201
    run.observe(0.25)
    assert run.n == 401
    with pytest.raises(InputError, match="losses are numbers, got 'none'"):
        run.observe("none")
    batch, own = np.zeros(400), package.Prequential()
    own.observe(batch)
    batch[:] = 1  # whoever gave it goes on
    assert own.certificate()["empirical"] == "0"
    with pytest.raises(InputError, match="losses after sample 401, row 1: 2 is no loss"):
        run.observe([2.0])
    with pytest.raises(InputError, match="sample 500 has not been observed yet"):
        package.Prequential(first=500).certificate()
    with pytest.raises(InputError, match="counted from 1"):
        package.Prequential(first=0)


def test_messages(tmp_path):
    x = np.arange(400)
    rule = package.occam([[2, 5], [100]], lambda blocks: lambda x: x % blocks[0][0])
    package.certify(rule, (x, x % 2), method="occam", out=tmp_path / "a.json")
    assert check(tmp_path / "a.json").told["bits"] == rule.bits
    own = package.occam(b"mine", lambda message: lambda x: x % 2)
    with pytest.raises(InputError, match="a second use is refused"):  # of two codes, each has all of delta
        package.certify(own, (x, x % 2), method="occam", out=tmp_path / "b.json")
    (tmp_path / "own").mkdir()
    package.certify(own, (x, x % 2), method="occam", out=tmp_path / "own/b.json")
    assert any("a program of the maker's own" in text for text in check(tmp_path / "own/b.json").stated)
    another = package.occam([[4, 5], [100]], lambda blocks: lambda x: x % blocks[0][0])
    package.certify(another, (x, x % 2), method="occam", out=tmp_path / "c.json")
    assert check(tmp_path / "c.json")
    with pytest.raises(InputError, match=r"takes what maurey\.occam"):
        package.certify(x, (x, x), method="occam")
    for message, words in ((3, "a message is bytes, or blocks of integers"), ([[1.5]], "is a whole number, got 1.5"),
                           ([[2**69]], "below 2^69"), ([[-(2**69) - 1]], "at least -2^69")):  # fmt: skip
        with pytest.raises(InputError, match=re.escape(words)):
            package.occam(message, None)
    ends = [[-(2**69)], [2**69 - 1], np.array([3, -2], dtype=np.int8)]
    assert package.occam(ends, list).hypothesis == [[-(2**69)], [2**69 - 1], [3, -2]]


def test_drawn_predictors(tmp_path):
    drawn = [guesses(k) for k in (3, 9, 12, 4)]
    package.certify(drawn, (None, LABELS), method="pac-bayes", KL="1/3", out=tmp_path / "a.json")
    assert check(tmp_path / "a.json").told["draws"] == 4
    prior, moved = (np.stack([np.full(5, mean), np.ones(5)], 1) for mean in (0, 0.25))
    found = package.certify(drawn, (None, LABELS), method="pac-bayes", prior=prior, posterior=moved)
    assert float(found["parts"][-1]["KL"]) == pytest.approx(5 * 0.25**2 / 2)


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import maurey, numpy as np
x = np.arange(400)
run = maurey.Prequential()
run.observe(np.zeros(400))
rule = maurey.occam([[3]], lambda blocks: lambda inputs: inputs % blocks[0][0])
made = [maurey.certify(x % 3, (x, x % 3)), run.certificate(), maurey.certify(rule, (x, x % 3), method="occam"),
        maurey.certify([x % 3] * 9, (x, x % 3), method="pac-bayes", KL=1)]
from maurey.verify.certificates.checker.check import check
for i, one in enumerate(made):
    one.save(f"{sys.argv[1]}/{i}/certificate.json")
    check(__import__("pathlib").Path(f"{sys.argv[1]}/{i}/certificate.json"))
print(*(one["method"] for one in made))
"""


def test_all_methods_without_torch(tmp_path):
    call = [sys.executable, "-c", WITHOUT_TORCH, str(tmp_path)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["holdout", "prequential", "occam", "pac-bayes"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (dict(data=LABELS), "data are a pair"),
        (dict(loss="hinge"), "no loss 'hinge'; there is 0-1"),
        (dict(window=3, windows=4), "no option 'windows', perhaps window"),
        (dict(delta="half"), "is a number such as"),
        (dict(predict=np.zeros((400, 2))), r"a prediction for each label, got arrays of shape \(400, 2\)"),
        (dict(method="pac-bayes", KL=1), "a list of predictors"),
        (dict(train_indices=[1]), "train_indices come with indices"),
        (dict(indices=[0, 1]), "an index for each of the 400 samples, got 2"),
        (dict(indices=np.arange(400) + 0.5), r"indices are whole numbers from 0 on, got 0\.5"),
        (dict(indices=np.zeros(400, dtype=int)), "sample 0 is there twice, and counts once"),
        (dict(loss=lambda a, b: np.repeat(a == b, 2)), r"a loss for each of the 400 labels, got .* \(800,\)"),
        (dict(data=(None, np.array([None] * 400))), "a label or a prediction is missing"),
        (dict(data=(None, np.where(LABELS == 1, np.nan, LABELS))), "a label or a prediction is missing"),
        (dict(data=(None, LABELS.astype(str))), "of one kind, got arrays of int64 and <U"),
        (dict(loss=lambda a, b: ["much"] * 400), "losses are numbers, got"),
        (dict(out="certificate.txt"), r"a certificate is a \.json file"),
        (dict(seeds={"a": 0.5}), r"a seed is a whole number, got 0\.5"),
        (dict(pool=500.5), "the size of a pool is a whole number"),
        (dict(method="prequential", window=(3,)), r"a window is its first and its last sample, got \(3,\)"),
    ],
)
def test_bad_input_in_python(given, told):
    with pytest.raises(InputError, match=told):
        package.certify(**{"predict": LABELS, "data": (None, LABELS)} | given)


def test_numbers_of_arrays(tmp_path):
    more = {"pool": np.int64(900), "seeds": {"split": np.int32(7)}}
    found = package.certify(guesses(1), (None, LABELS), delta=np.float64(0.05), out=tmp_path / "c.json", **more)
    assert (found["seeds"], check(tmp_path / "c.json").told["pool"]) == ({"split": 7}, 900)


def test_hashes_are_those_of_the_files(tmp_path):
    found = package.certify(guesses(1), (None, LABELS))
    found.save(tmp_path / "c.json")
    for name, digest in found["inputs"].items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
