"""What does not stand is not let through: mutations as they are, and mutations whose hashes are all made again."""

import ast
import json
import random
import shutil
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
from made import files, one, requests, resealed

from maurey.symbolic.errors import InputError
from maurey.verify.certificates import betting, messages
from maurey.verify.certificates.bounds import decimal, on_grid
from maurey.verify.certificates.checker import check as module
from maurey.verify.certificates.checker import reading
from maurey.verify.certificates.checker.check import check
from maurey.verify.certificates.checker.reading import Unsound
from maurey.verify.certificates.wording import GRID, SLOPES, UNIT

NAMES = list(requests(Path()))
CHECKER = Path(module.__file__).parent
FEW, MANY = 40, 500


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    base = tmp_path_factory.mktemp("certificates")
    return {name: one(base / str(i), name) for i, name in enumerate(NAMES)}


@pytest.fixture
def copy(originals, tmp_path):
    def copied(name):
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.copytree(originals[name].parent, tmp_path / "copy")
        return tmp_path / "copy" / "certificate.json"

    return copied


def stands(path):
    try:
        check(path)
    except (Unsound, InputError):
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_what_is_made_stands(name, originals):
    assert stands(originals[name])


def test_the_checker_shares_no_function_with_the_maker():
    """But for number types, the error of a wrong argument, and words and numbers, which are no functions."""
    allowed = {"maurey.symbolic.errors", "maurey.numeric.types", "..wording", ".", "..", ".reading", "flint", "numpy"}
    for file in CHECKER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom):
                name = "." * node.level + (node.module or "")
                standard = node.level == 0 and "maurey" not in name
                assert standard or name in allowed, (file.name, name)
                if name == "..":
                    assert [alias.name for alias in node.names] == ["wording"]
    words = ast.parse((CHECKER.parent / "wording.py").read_text())
    assert not [node for node in ast.walk(words) if isinstance(node, ast.FunctionDef | ast.Lambda)]


# --- as they are ------------------------------------------------------------------------------------------------------


def leaves(x, at=()):
    if isinstance(x, dict):
        for name, value in x.items():
            yield from leaves(value, (*at, name))
    elif isinstance(x, list):
        for i, value in enumerate(x):
            yield from leaves(value, (*at, i))
    else:
        yield at, x


def changed(x, rng):
    if isinstance(x, int):
        return x + rng.choice([-1, 1, 100])
    place = rng.randrange(len(x))
    if x[place].isdigit():
        return x[:place] + str((int(x[place]) + rng.randint(1, 9)) % 10) + x[place + 1 :]
    return x[:place] + rng.choice([c for c in "xz " if c != x[place]]) + x[place + 1 :]


def mutate_record(path, rng):
    read = json.loads(path.read_text())
    at, old = rng.choice([leaf for leaf in leaves(read) if leaf[1] != ""])
    own = read
    for step in at[:-1]:
        own = own[step]
    own[at[-1]] = changed(old, rng)
    path.write_text(json.dumps(read, indent=1))
    return at


def mutate_text(path, rng):
    text = path.read_text()
    place = rng.choice([i for i, c in enumerate(text) if not c.isspace()])
    path.write_text(text[:place] + text[place + 1 :])


def mutate_input(path, rng):
    name = rng.choice(sorted(json.loads(path.read_text())["inputs"]))
    content = bytearray((path.parent / name).read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    (path.parent / name).write_bytes(bytes(content))


def as_they_are(copy, number, seed):
    rng = random.Random(seed)
    for _ in range(number):
        path = copy(rng.choice(NAMES))
        rng.choice([mutate_record, mutate_text, mutate_input])(path, rng)
        assert not stands(path)


def test_mutations_are_noticed(copy):
    as_they_are(copy, FEW, seed=1)


@pytest.mark.replay
def test_five_hundred_mutations_are_noticed(copy):
    as_they_are(copy, MANY, seed=2)


# --- resealed ---------------------------------------------------------------------------------------------------------


def set_bound(read, which, bound):
    """Of a part, and everywhere where it is told."""
    old = read["bound"]
    read["parts"][which]["bound"] = decimal(bound)
    own = [on_grid(F(part["bound"])) for part in read["parts"][1:]]
    read["bound"] = decimal(own[-1] if read["method"] == "pac-bayes" else min(own))
    read["statement"] = read["statement"].replace(old, read["bound"])


def lower(path, rng):
    """In the last digit."""

    def change(read):
        which = rng.randrange(1, len(read["parts"]))
        set_bound(read, which, on_grid(F(read["parts"][which]["bound"])) - 1)

    resealed(path, change)


def worse_losses(path, rng):
    """Some loss becomes 1; all else stays."""
    read = json.loads(path.read_text())
    file = path.parent / read["parts"][0]["losses"]
    if file.suffix == ".npy":
        array = np.load(file)
        array.flat[rng.randrange(array.size)] = 1
        np.save(file, array)
    else:
        lines = file.read_text().splitlines()
        first, last = map(int, read["parts"][0].get("window", f"1..{read['n']}").split(".."))
        if file.suffix == ".csv":
            at = rng.choice([i for i in range(first, last + 1) if lines[i] != "1"])
            lines[at] = "-1" if lines[0] == "margin" else "1"
        else:
            at = rng.randrange(len(lines))
            lines[at] = json.dumps(json.loads(lines[at]) | {"loss": 1})
        file.write_text("\n".join(lines) + "\n")
    resealed(path, lambda read: None)


def another_message(path, rng):
    file = path.parent / "message.bin"
    content = bytearray(file.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(bytes(content))
    resealed(path, lambda read: None)


def shorter_message(path, rng):
    """The bound of fewer bits, which are said to be enough."""

    def change(read):
        read["statement"] = read["statement"].replace(f"of {read['parts'][0]['bits']} bits", "of 9 bits")
        read["parts"][0]["bits"] = 9

    resealed(path, change)


def moved_delta(path, rng):
    """From one part to another, which then says more."""

    def change(read):
        parts = read["parts"][1:]
        a, b = rng.sample(range(len(parts)), 2) if len(parts) > 1 else (0, 0)
        parts[a]["delta"] = str(F(parts[a]["delta"]) * F(3, 2))
        if a != b:
            parts[b]["delta"] = str(F(parts[b]["delta"]) / 2)

    resealed(path, change)


def looking_ahead(path, rng):
    """Stakes from all losses, the one to come included."""
    read = json.loads(path.read_text())
    which = next(i for i, part in enumerate(read["parts"]) if str(part.get("key")).startswith("waudbysmith2024"))
    units, level = units_of(path, read), F(read["parts"][which]["delta"]) / 2 ** read["parts"][0].get("bits", 0)
    mean = sum(units) // len(units)
    ahead = [4 * 1 << 16 if x < mean else 0 for x in units]
    pool = read["parts"][0].get("pool")
    best = next(b for b in range(0, GRID, GRID // 50) if betting.rejected(b, units, ahead, level, pool))
    assert best < on_grid(F(read["parts"][which]["bound"]))
    resealed(path, lambda read: set_bound(read, which, best))


def units_of(path, read):
    file = path.parent / read["parts"][0]["losses"]
    if file.suffix == ".npy":
        return np.ceil(np.load(file) * UNIT).astype(int).tolist()
    return [-(-F(str(json.loads(line)["loss"])) * UNIT // 1) for line in file.read_text().splitlines()]


def without_parts(path, rng):
    """The best of several is left alone, with all of delta: the price of choosing is not paid."""

    def change(read):
        best = min(read["parts"][1:], key=lambda part: F(part["bound"]))
        read["parts"] = [read["parts"][0], best | {"delta": read["delta"]}]

    resealed(path, change)


def another_slope(path, rng):
    def change(read):
        slope = rng.choice([s for s in (*SLOPES, F(1, 3)) if str(s) != read["parts"][-1]["slope"]])
        read["parts"][-1] |= {"slope": str(slope)}
        set_bound(read, len(read["parts"]) - 1, on_grid(F(read["parts"][-1]["bound"])) - 1)

    resealed(path, change)


def smaller_divergence(path, rng):
    resealed(path, lambda read: read["parts"][-1].update(KL="0.01"))


def any_leaf(path, rng):
    """But for the version that made it, which is no part of what is claimed. A part may say less than it could."""
    before = path.read_text()
    while (at := mutate_record(path, rng))[0] in ("maurey", "digest", "inputs") or weaker(at, before, path.read_text()):
        path.write_text(before)
    resealed(path, lambda own: None)


def weaker(at, *texts):
    old, new = (json.loads(text) for text in texts)
    if at[-1] not in ("bound", "KL", "empirical"):
        return False
    for step in at:
        old, new = old[step], new[step]
    try:
        return F(new) >= F(old)
    except ValueError:
        return False


BETS = ("best of three", "pool")
ATTACKS = {
    lower: NAMES,
    worse_losses: NAMES,
    another_message: ("message", "message, values"),
    shorter_message: ("message", "message, values"),
    moved_delta: NAMES,
    looking_ahead: BETS,
    without_parts: (*BETS, "message, values", "online values"),
    another_slope: ("online values",),
    smaller_divergence: ("Gaussians",),
    any_leaf: NAMES,
}


def attacked(copy, number, seed):
    rng = random.Random(seed)
    for i in range(number):
        attack = list(ATTACKS)[i % len(ATTACKS)]
        path = copy(rng.choice(ATTACKS[attack]))
        attack(path, rng)
        assert not stands(path), (attack.__name__, path.read_text())


def test_resealed_mutations_are_noticed(copy):
    attacked(copy, 2 * len(ATTACKS), seed=3)


@pytest.mark.replay
def test_five_hundred_resealed_mutations_are_noticed(copy):
    attacked(copy, MANY, seed=4)


@pytest.mark.parametrize("name", NAMES)
def test_every_bound_is_the_least_that_follows(name, copy):
    """A checker that lost a factor would let through what is lower in the last digit."""
    for which, part in enumerate(json.loads(copy(name).read_text())["parts"][1:], 1):
        path, lower = copy(name), on_grid(F(part["bound"])) - 1
        resealed(path, lambda read, which=which, lower=lower: set_bound(read, which, lower))
        with pytest.raises(Unsound, match=f"{part['key']} does not say"):
            check(path)


def test_a_larger_bound_follows_too(copy):
    """What is implied stands, whoever sealed it."""
    path = copy("counted")
    resealed(path, lambda read: set_bound(read, 1, on_grid(F(read["bound"])) + GRID // 100))
    assert stands(path)


# --- what is not there, and what is there twice -----------------------------------------------------------------------


def test_a_missing_input_is_said(copy):
    path = copy("message")
    (path.parent / "message.bin").unlink()
    with pytest.raises(InputError, match=r"message\.bin is needed, and does not lie beside the certificate \(sha256"):
        check(path)


def test_a_missing_hypothesis_is_not_compared(copy):
    path = copy("listed")
    (path.parent / "one").unlink()
    assert check(path).absent == ["one"]


def test_a_name_that_leads_elsewhere(copy):
    path = copy("counted")

    def change(read):
        read["inputs"] = {"../errors.csv": read["inputs"]["errors.csv"]}
        read["parts"][0]["losses"] = "../errors.csv"

    shutil.copy(path.parent / "errors.csv", path.parent.parent / "errors.csv")
    resealed(path, change)
    with pytest.raises(Unsound, match="no name of a file"):
        check(path)


def test_two_certificates_of_one_sample(originals, tmp_path):
    files(tmp_path)
    for name in ("counted", "online"):
        shutil.copy(originals[name], tmp_path / f"{name}.json")
    with pytest.raises(Unsound, match=r"online\.json is made of the same data"):
        check(tmp_path / "counted.json")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1, "a": 2}', '{"a": 0.5}', '{"a": NaN}', "loss\n1\n"])
def test_what_is_no_certificate(text, tmp_path):
    path = tmp_path / "certificate.json"
    path.write_text(text)
    with pytest.raises(Unsound):
        check(path)


@pytest.mark.parametrize("cell", ["1e999999999", "1e-999999999", "1E+9999"])
def test_an_exponent_that_takes_for_ever(cell):
    with pytest.raises(Unsound, match="holds what is no loss"):
        reading.losses("a.csv", f"loss\n{cell}\n".encode())


def test_messages_are_decoded_alike(tmp_path):
    from maurey.verify.certificates.checker.decoding import integers, word_length

    rng = np.random.default_rng(0)
    for blocks in ([[]], [], [[7]], [[-5, 9, 9, -5], [0] * 300], [rng.integers(-20, 20, 500).tolist()]):
        message = messages.encode(blocks)
        assert messages.decode(message) == blocks
        assert integers(message) == [x for block in blocks for x in block]
        assert word_length(message) == messages.bits_of(message)
