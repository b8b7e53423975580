"""Keys by which committed results are found."""

import hashlib
import json
from dataclasses import asdict, fields, replace

import pytest

from maurey.paper_tables.exhibits import ROOT
from maurey.symbolic.errors import InputError
from maurey.verify.training.trials import keys
from maurey.verify.training.trials.keys import KINDS, config, key, short
from maurey.verify.training.trials.parities import Spectrum

FILES = sorted(ROOT.glob("*/*/results.jsonl"))
ROWS = 2358  # there were when this was written


def by_hand(said, trial):
    text = json.dumps({"config": said, "trial": trial, "semantics": 1}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def test_every_committed_result_has_the_key_of_its_configuration():
    number = 0
    for file in FILES:
        for line in file.read_text().splitlines():
            row = json.loads(line)
            assert key(config(row["config"]), row["trial"]) == row["key"], file
            number += 1
    assert number >= ROWS


def test_fields_that_came_later_leave_the_key_as_it_was():
    """At their defaults, in all that is committed, they are not part of it."""
    later = {name: f.default for kind in set(KINDS.values()) for f in fields(kind)
             if (name := f.name) and f.metadata.get("later")}  # fmt: skip
    assert later == {"scale": 1.0, "dropout": 0.0}
    base = Spectrum(model="two_layers", D=3)
    before = {name: value for name, value in asdict(base).items() if name not in later}
    assert key(base, 4) == key(replace(base, scale=1, dropout=0), 4) == by_hand(before, 4)
    assert not set(later) & set(short(base))
    for name, value in (("scale", 0.5), ("dropout", 0.1)):
        changed = replace(base, **{name: value})
        assert key(changed, 4) == by_hand(before | {name: value}, 4) != key(base, 4)
        assert config(short(changed)) == changed


@pytest.mark.parametrize("model", KINDS)
def test_a_key_is_the_hash_of_all_that_is_said(model, monkeypatch):
    needed = {"m": 200, "N": 4, "D": 2, "T": 20} | ({"function": "and", "s": 3} if model == "bits" else {})
    given = config({"model": model} | {n: v for n, v in needed.items() if n in {f.name for f in fields(KINDS[model])}})
    said = {f.name: getattr(given, f.name) for f in fields(given) if not f.metadata.get("later")}
    assert [key(given, i) for i in range(3)] == [by_hand(said, i) for i in range(3)]
    monkeypatch.setattr(keys, "SEMANTICS", 2)
    assert key(given, 0) != by_hand(said, 0)


def test_an_encoder_that_is_certified_has_a_function():
    with pytest.raises(InputError, match="the function, or s, is missing"):
        config({"model": "bits", "s": 3})
