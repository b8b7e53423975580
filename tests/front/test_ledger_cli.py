"""A ledger that cannot be believed: one line and exit 2 from every command that needs it; what can be told without it
is told, and says so."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ledgers import entries_of, text_of

from maurey.verify import digests, evidence

POINT = ("eps=1/10", "N=100", "B_w=1", "B_X=1")
DAMAGE = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "altered": lambda whole: whole.replace(b'"holds"', b'"fails"', 1),
    "of the wrong types": lambda whole: text_of({"x": 1}).encode(),
    "no text": lambda whole: b"\xff\xfe" + whole,
}


@pytest.fixture(params=DAMAGE)
def damaged(request, tmp_path, monkeypatch):
    path = tmp_path / "ledger.json"
    path.write_bytes(DAMAGE[request.param](evidence.PATH.read_bytes()))
    monkeypatch.setattr(evidence, "PATH", path)
    evidence.forget()
    yield path
    evidence.forget()


@pytest.mark.parametrize(
    "command",
    ["list", "list --json", "errata", "errata --json", "verify edelman2022/A.8", "verify edelman2022/A.8 --replay",
     "verify edelman2022/A.8 --commit", "tables trauger2024/evidence"],
)  # fmt: skip
def test_what_needs_a_ledger_refuses_a_damaged_one(command, damaged, maurey, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = damaged.read_bytes()
    code, out, err = maurey(*command.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "the ledger ledger.json is damaged" in err
    assert damaged.read_bytes() == before


def test_what_does_not_goes_on_and_says_so(damaged, maurey):
    code, out, _ = maurey("show", "edelman2022/A.10")
    assert code == 0
    assert "as printed: the ledger ledger.json is damaged" in out
    code, out, _ = maurey("eval", "edelman2022/A.10", *POINT)
    assert code == 0
    assert "the claim as printed: the ledger ledger.json is damaged" in out
    for command in (("show", "edelman2022/A.10", "--json"), ("eval", "edelman2022/A.10", *POINT, "--json")):
        code, out, _ = maurey(*command)
        found = json.loads(out)
        assert (code, found["verdict"], found["evidence"]) == (0, None, None)
        assert "is damaged" in found["problem"]


def test_what_is_to_be_verified_again(maurey, tmp_path, monkeypatch):
    """In list, show, eval, errata and verify; a verdict that is found again is not one that was known."""
    gone = {"edelman2022/A.8", "edelman2022/A.4"}
    path = tmp_path / "ledger.json"
    path.write_text(text_of({mark: entry for mark, entry in entries_of().items() if entry["key"] not in gone}))
    monkeypatch.setattr(evidence, "PATH", path)
    evidence.forget()
    try:
        _, out, _ = maurey("list", "--paper", "edelman2022")
        assert {line.split()[0] for line in out.splitlines() if "to be verified again" in line} == gone
        _, out, _ = maurey("show", "edelman2022/A.8")
        assert "as printed: to be verified again" in out
        _, out, _ = maurey("errata")
        assert "To be verified again\n  edelman2022/A.4\n  edelman2022/A.8" in out
        assert not any(line.startswith("edelman2022/A.4 ") and "refuted" in line for line in out.splitlines())
        code, _, err = maurey("verify", "edelman2022/A.8")
        assert code == 0
        assert "edelman2022/A.8 was to be verified again" in err
        code, _, err = maurey("verify", "edelman2022/A.8", "--replay")
        assert (code, "edelman2022/A.8: to be verified again" in err) == (1, True)
    finally:
        evidence.forget()


def test_a_replay_finds_a_false_entry(maurey, tmp_path, monkeypatch):
    entries = {mark: json.loads(json.dumps(entry)) for mark, entry in entries_of().items()}
    entry = next(entry for entry in entries.values() if entry["key"] == "edelman2022/A.4")
    entry["refuted"][0]["true_value"] = "0.5"
    entry["comparison"]["remarks"].append("all is well")
    path = tmp_path / "ledger.json"
    path.write_text(text_of(entries))
    monkeypatch.setattr(evidence, "PATH", path)
    evidence.forget()
    try:
        code, _, err = maurey("verify", "edelman2022/A.4", "--replay")
        assert code == 1
        assert "edelman2022/A.4: refuted[1].true_value is '0.5', replayed '1'" in err
        assert "edelman2022/A.4: comparison.remarks is" in err
        path.write_text(text_of(entries_of()))
        evidence.forget()
        assert maurey("verify", "edelman2022/A.4", "--replay")[0] == 0
    finally:
        evidence.forget()


@pytest.mark.slow
def test_a_changed_source_takes_the_evidence_away(tmp_path):
    """A copy of the tree: the 4 of A.14 is a 5, and a check of A.4 says less."""
    package = tmp_path / "maurey"
    top = digests.HERE.parent
    shutil.copytree(top / "front", package)
    for room in ("symbolic", "numeric", "verify"):
        shutil.copytree(top / room, package / room, ignore=shutil.ignore_patterns("__pycache__"))

    def told(**files):
        call = [sys.executable, "-m", "maurey", "list", "--paper", "edelman2022", "--json"]
        out = subprocess.run(call, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True,
                             text=True, check=True).stdout  # fmt: skip
        return {row["key"]: row for row in json.loads(out)}

    whole = told()
    assert all(row["verdict"] and row["replayed"] for row in whole.values())
    source = next(file for file in (package / "symbolic/papers/edelman2022").glob("*.py") if "A.14" in file.read_text())
    edit(source, 'key="edelman2022/A.14"', r"\b4 \*", "5 *")
    changed = {key for key, row in told().items() if not row["verdict"]}
    assert "edelman2022/A.14" in changed
    assert len(changed) < len(whole) / 2  # whoever takes the lemma over changes with it
    check = package / "verify/papers/edelman2022/chain.py"
    check.write_text(check.read_text() + "\nQUIET = True\n")
    after = {key: row for key, row in told().items() if not row["verdict"]}
    assert "edelman2022/A.4" in set(after) - changed
    assert {row["problem"] for row in after.values()} == {"to be verified again"}


def edit(file: Path, start, pattern, new):
    """The first such place after the start."""
    import re

    text = file.read_text()
    at = text.index(start)
    changed = text[:at] + re.sub(pattern, new, text[at:], count=1)
    assert changed != text
    file.write_text(changed)
