"""The ledger cannot go stale unseen: evidence is that of the claim as it is, by the check as it is, and every field is
what the check finds again."""

import copy
import json
import random
import shutil
from dataclasses import replace

import pytest
from ledgers import entries_of, tampered, text_of

from maurey.symbolic import registry
from maurey.symbolic.errors import InputError
from maurey.symbolic.fingerprint import fingerprint, notation
from maurey.verify import checks, digests, evidence, ledger, matrix
from maurey.verify.checks import EFFORTS

CLAIMS = registry.all_claims()
HEAD = registry.find("edelman2022/4.4")
LONG = 0.3  # seconds of a replay


def takes_long(claim):
    return next((e["verdict"]["seconds"] for e in entries_of().values() if e["key"] == claim.key), 0) > LONG


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Another text in place of the ledger's."""
    path = tmp_path / "ledger.json"
    monkeypatch.setattr(evidence, "PATH", path)

    def place(text):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        evidence.forget()

    yield place
    evidence.forget()


@pytest.fixture
def other_sources(monkeypatch):
    """As after any change in symbolic, numeric or the checks."""
    monkeypatch.setattr(digests, "sources", lambda: "changed")
    monkeypatch.setattr(digests, "changed", lambda: False)


# --- what is said again when it is asked again ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim",
    [pytest.param(claim, marks=pytest.mark.replay if takes_long(claim) else (), id=claim.key) for claim in CLAIMS],
)
def test_the_ledger_replays(claim):
    """As `maurey verify --replay`: comparison and checks afresh, every field of the entry the same."""
    effort = EFFORTS[ledger.effort_of(claim.key, "quick")]
    (found,) = matrix.verify([claim.key], effort, afresh=True)
    assert list(ledger.differences({claim.key: matrix.entry(found, effort)})) == []


def test_the_ledger_was_made_with_these_sources():
    assert evidence.ledger().agrees, "run `make ledger`"
    assert all(map(evidence.replayed, evidence.ledger().entries.values())), "run `make ledger`"
    assert {entry["key"] for entry in entries_of().values()} == {claim.key for claim in CLAIMS}
    assert all(evidence.verdict_of(claim) for claim in CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_entries_stand_by_hash_and_check_alone(claim, other_sources):
    """The stored hashes are those of the claims, and the stored digests those of the checks."""
    entry = evidence.entry_of(claim)
    assert entry["key"] == claim.key
    assert evidence.stands(entry)
    assert not evidence.standing_of(claim).replayed


# --- what has changed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.parts], ids=lambda claim: claim.key)
def test_a_changed_constant_takes_the_evidence_away(claim):
    *rest, part = claim.parts
    form = part.forms[-1]

    def build(setting):
        *steps, last = part.steps(form, setting)
        return [*steps, replace(last, expr=last.expr * 5 / 4)]

    changed = replace(claim, parts=(*rest, replace(part, **{form: build})))
    assert evidence.verdict_of(claim)
    assert evidence.verdict_of(changed) is None
    assert evidence.standing_of(changed).words == "to be verified again"


@pytest.mark.parametrize(
    "change",
    [
        {"statement": "Otherwise."},
        {"uses": ()},
        {"assumes": registry.find("edelman2022/A.2").assumes},
        {"symbols": (replace(HEAD.symbols[0], domain="in (0, 1)"), *HEAD.symbols[1:])},
        {"constants": tuple(replace(c, value=c.value + 1) for c in HEAD.constants)},
        {"parts": (replace(HEAD.parts[0], relation=">="), *HEAD.parts[1:])},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_a_claim_says_is_in_its_fingerprint(change):
    assert fingerprint(replace(HEAD, **change)) != fingerprint(HEAD)
    assert fingerprint(replace(HEAD, title="Another")) == fingerprint(HEAD)


def test_the_notation_is_not_sympys():
    from sympy import E, FiniteSet, Integer, Mul, Piecewise, Rational, Symbol, exp, log, sqrt

    x, y = Symbol("x"), Symbol("y", positive=True)
    assert notation(Mul(x, Mul(y, Integer(2), evaluate=False), evaluate=False)) == "(* 2/1 x y)"
    assert notation(y + x) == notation(x + y) == "(+ x y)"
    assert notation(sqrt(x)) == "(^ x 1/2)"
    assert notation(exp(x)) == notation(E**x) == "(^ E x)"
    assert notation(log(x) - Rational(3, 2)) == "(+ (log x) -3/2)"
    assert notation(Piecewise((x, x < y), (y, True))) == "(cases (x (< x y)) (y True))"
    with pytest.raises(TypeError, match="no notation for"):
        notation(FiniteSet(x))


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The checks in a folder of their own."""
    monkeypatch.setattr(digests, "HERE", tmp_path / "verify")
    ignored = shutil.ignore_patterns("__pycache__", "*.json", "*.jsonl")
    shutil.copytree(evidence.PATH.parent, tmp_path / "verify", ignore=ignored)
    yield tmp_path / "verify"
    digests.of_check.cache_clear()
    digests._imported.cache_clear()


@pytest.mark.parametrize("file", ["papers/edelman2022/chain.py", "checks.py", "matrix.py", "errata/rays.py"])
def test_a_weakened_check_takes_the_evidence_away(file, copied, other_sources):
    """In the module of the check, in what it imports, in what judges, or in what compares."""
    claim, other = registry.find("edelman2022/2.2"), registry.find("davidson2001/2.13")
    digests.of_check.cache_clear()
    assert evidence.verdict_of(claim)
    with (copied / file).open("a") as text:
        text.write("# weaker\n")
    digests.of_check.cache_clear()
    assert evidence.verdict_of(claim) is None
    judges = file in ("checks.py", "matrix.py", "errata/rays.py")  # which compares again under a condition
    assert (evidence.verdict_of(other) is None) == judges


# --- what was altered -------------------------------------------------------------------------------------------------


def test_every_raw_edit_is_noticed(put):
    text, rng = (digests.HERE / "ledger.json").read_bytes(), random.Random(0)
    put(text)
    assert evidence.ledger().entries
    for _ in range(100):
        at, kind = rng.randrange(len(text)), rng.choice(("replace", "drop", "add", "cut"))
        other = bytes([rng.choice([b for b in range(32, 127) if b != text[at]])])
        put({"replace": text[:at] + other + text[at + 1 :], "drop": text[:at] + text[at + 1 :],
             "add": text[:at] + other + text[at:], "cut": text[:at]}[kind])  # fmt: skip
        with pytest.raises(evidence.Damaged, match="is damaged"):
            evidence.ledger()


@pytest.mark.parametrize(
    "claims",
    [[], "none", {"x": 1}, {"x": {"key": "edelman2022/4.4"}}],
    ids=["a list", "a text", "a number for an entry", "an entry without fields"],
)
def test_wrong_types_are_noticed(claims, put):
    put(text_of(claims))
    with pytest.raises(evidence.Damaged, match="is damaged"):
        evidence.ledger()


@pytest.mark.parametrize("field", sorted(evidence.VERDICT))
def test_a_wrong_type_in_a_verdict_is_noticed(field, put):
    entries = entries_of()
    next(iter(entries.values()))["verdict"][field] = {"notes": 1}.get(field, [1])
    put(text_of(entries))
    with pytest.raises(evidence.Damaged, match=f"{field} of the verdict on"):
        evidence.ledger()


def test_every_edit_with_digests_made_again_is_seen_by_a_replay(put):
    """In witness, value, verdict or note: what the checks find is what the ledger had before."""
    true, rng = entries_of(), random.Random(0)
    found = {entry["key"]: entry for entry in true.values()}
    for _ in range(100):
        entries, where = tampered(true, rng)
        put(text_of(entries))
        try:
            assert list(ledger.differences(found)), where
        except evidence.Damaged:  # of the wrong type: seen without a replay
            continue
    put(text_of({**true, "0" * 16: next(iter(true.values()))}))
    assert list(ledger.differences(found)) == [
        f"{next(iter(true.values()))['key']}: the entry {'0' * 16} is of no claim"
    ]
    gone = next(iter(true))
    put(text_of({mark: entry for mark, entry in true.items() if mark != gone}))
    assert list(ledger.differences(found)) == [f"{true[gone]['key']}: to be verified again"]


@pytest.mark.parametrize(
    ("old", "new", "alike"),
    [
        ("0.617", "0.618", True),
        ("0.617", "0.619", False),
        ("9.898e-20", "9.899e-20", True),
        ("9.898e-20", "9.998e-20", False),
        ("off by 1.1e-14 at 48 strings", "off by 6.6e-15 at 48 strings", True),
        ("off by 1.1e-14 at 48 strings", "off by 6.6e-15 at 47 strings", False),
        ("off by 1.1e-14", "off by 1.1e-11", False),
        ("12", "13", False),
        ("none beyond", "one beyond", False),
    ],
)
def test_machines_differ_in_the_last_digit(old, new, alike):
    assert (list(ledger._unlike(old, new, "note")) == []) is alike


def test_what_is_not_replayed_is_listed(put):
    entries = entries_of()
    found = {entry["key"]: copy.deepcopy(entry) for entry in entries.values()}
    for entry in entries.values():
        entry["verdict"] |= {"seconds": 99, "effort": "hard"}
    put(text_of(entries))
    assert list(ledger.differences(found)) == []


# --- what is kept -----------------------------------------------------------------------------------------------------


def test_an_entry_is_kept_and_the_others_stay(put):
    entries = entries_of()
    put(text_of(entries))
    mark, entry = next((mark, entry) for mark, entry in entries.items() if entry["key"] == HEAD.key)
    ledger.keep({HEAD.key: {**entry, "verdict": entry["verdict"] | {"notes": ["another"]}}})
    kept = evidence.ledger().entries
    assert set(kept) == set(entries)
    assert kept[mark]["verdict"]["notes"] == ["another"]
    assert {m: e for m, e in kept.items() if m != mark} == {m: e for m, e in entries.items() if m != mark}


def test_keeping_with_other_sources_drops_what_its_witness_does_not_show(put, other_sources):
    entries = entries_of()
    entry = next(entry for entry in entries.values() if entry["key"] == "edelman2022/A.4")
    entry["comparison"]["errata"][0]["printed_value"] = "1"
    refuted = next(entry for entry in entries.values() if entry["key"] == "mousavi2025/12")
    refuted["refuted"][0]["printed_value"] = "0.5"
    put(text_of(entries))
    ledger.keep({})
    kept = {entry["key"] for entry in evidence.ledger().entries.values()}
    assert {entry["key"] for entry in entries.values()} - kept == {"edelman2022/A.4", "mousavi2025/12"}
    assert evidence.ledger().agrees
    assert not any(evidence.standing_of(claim).replayed for claim in CLAIMS)  # nobody ran their checks again


def test_keeping_drops_what_another_check_speaks_of(put, other_sources, monkeypatch):
    put(text_of(entries_of()))
    spoken = checks.modules_of(HEAD.key)
    monkeypatch.setitem(checks.BOOK.modules, HEAD.key, {*spoken, f"{checks.__package__}.papers.edelman2022.new"})
    ledger.keep({})
    kept = {entry["key"] for entry in evidence.ledger().entries.values()}
    assert {entry["key"] for entry in entries_of().values()} - kept == {HEAD.key, "edelman2022icml/4.5"}  # it restates


def test_nothing_is_kept_where_the_sources_change_meanwhile(put, monkeypatch):
    put(text_of(entries_of()))
    monkeypatch.setattr(digests, "changed", lambda: True)
    with pytest.raises(InputError, match="nothing is kept"):
        ledger.keep({})


STRANGE = {  # field by field: what no writer wrote, with digests made again
    "check.modules": ([1], [["matrix"]], "matrix"),
    "verdict.verdict": ("odd", "\ud800"),
    "verdict.evidence": ("certain", 1),
    "verdict.effort": ("lazy",),
    "verdict.tightness": (float("nan"), "1"),
    "refuted.0.printed_value": ("abc", "nan", 1),
    "refuted.0.true_value": ("",),
    "refuted.0.key": ("edelman2022/9.9", "edelman2022/A.8"),
    "refuted.0.status": ("remark",),
    "refuted.0.witness.ray": ([], {"m": "x"}, {"m": float("inf")}),
    "refuted.0.witness.t": ([], ["x"], [1]),
    "comparison.errata": ([{}], None),
    "comparison.remarks": ([1],),
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in STRANGE.items() for value in values])
def test_what_no_writer_wrote_is_noticed(field, value, put):
    entries = entries_of()
    *path, last = field.split(".")
    holder = next(entry for entry in entries.values() if entry["key"] == "edelman2022/sec2-linear-cover")
    for name in path:
        holder = holder[int(name) if name.isdigit() else name]
    assert last in holder
    holder[last] = value
    put(text_of(entries))
    with pytest.raises(evidence.Damaged, match="is damaged"):
        evidence.ledger()


def test_a_witness_that_leads_nowhere_is_not_believed(put, other_sources):
    """Whatever is in it: the comparison is made again."""
    for value in ("x", "1/0", None, "-1"):
        entries = entries_of()
        entry = next(entry for entry in entries.values() if entry["key"] == "edelman2022/A.4")
        entry["comparison"]["errata"][0]["witness"]["m"] = value
        put(text_of(entries))
        (found,) = ledger.comparisons(keys={"edelman2022/A.4"})
        assert found.errata[0].witness["m"] != value


def test_silence_counts_only_while_what_compared_stands(put, other_sources, monkeypatch):
    put(text_of(entries_of()))
    asked = []
    monkeypatch.setattr(ledger, "_compared", lambda claim: asked.append(claim.key))
    monkeypatch.setattr(ledger, "stands", lambda entry: False)
    ledger.comparisons(keys={"edelman2022/A.2"})
    assert asked == []
    ledger.comparisons(keys={"edelman2022/A.2"}, standing=True)
    assert asked == ["edelman2022/A.2"]


def test_without_a_ledger_everything_is_to_be_verified_again(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "PATH", tmp_path / "none.json")
    evidence.forget()
    try:
        assert ledger.verdicts() == {}
        assert evidence.standing_of(HEAD).words == evidence.AGAIN
    finally:
        evidence.forget()


def test_the_text_is_its_own_digest():
    assert json.loads(text_of(entries_of()))["claims"] == entries_of()
