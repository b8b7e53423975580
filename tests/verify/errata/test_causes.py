"""The findings: each entry of the errata has one, each is about something, and its severity is what the rules allow."""

import pytest
from sympy import Rational
from sympy.core.relational import Relational

from maurey.numeric.exact import fractions
from maurey.pages.errata import by_cause, records
from maurey.symbolic import registry
from maurey.symbolic.claim import UNREAD
from maurey.verify import ledger
from maurey.verify.errata.causes import Cause, cause_of, causes, severity_of, within
from maurey.verify.errata.comparison import compare
from maurey.verify.errata.entries import Erratum, in_order
from maurey.verify.errata.witnesses import _points
from maurey.verify.rungs import SEVERITIES

ENTRIES = in_order(ledger.comparisons(), ledger.refuted())
CAUSES = {f"{paper} {cause.slug}": cause for paper in registry.paper_names() for cause in causes(paper)}
ROWS = records(ledger.comparisons())


def test_every_entry_has_a_cause():
    assert [(entry.key, entry.part, entry.status) for entry in ENTRIES if cause_of(entry) is None] == []


@pytest.mark.parametrize("slug", CAUSES)
def test_every_pattern_names_an_entry(slug):
    for pattern in CAUSES[slug].entries:
        assert any(Cause.names(_only(pattern), entry) for entry in ENTRIES), pattern


def _only(pattern: str) -> Cause:
    return Cause(slug="", severity="proof", title="", explanation="", survives="", entries=(pattern,))


def test_a_slug_means_one_thing():
    """The same cause in several papers has one title and one severity."""
    found = {}
    for cause in (cause for paper in registry.paper_names() for cause in causes(paper)):
        assert found.setdefault(cause.slug, (cause.severity, cause.title)) == (cause.severity, cause.title), cause.slug


@pytest.mark.parametrize("slug", CAUSES)
def test_a_finding_says_what_is_wrong_in_the_papers_words(slug):
    cause = CAUSES[slug]
    assert cause.title
    assert 100 < len(cause.explanation) < 2500, len(cause.explanation)
    assert cause.survives
    assert cause.explanation.count("$") % 2 == cause.survives.count("$") % 2 == 0


def test_severities_follow_the_rules():
    for entry in ENTRIES:
        claim = registry.find(entry.key)
        severity = severity_of(claim, entry)
        if claim.origin_of(entry.part) in UNREAD:
            assert severity is None
        else:
            assert severity in SEVERITIES
        if severity == "false":
            assert entry.status == "refuted"
            assert entry.witness


WHERE = [pytest.param(cause, key, id=f"{slug} {key}") for slug, cause in CAUSES.items() for key in cause.where]


@pytest.mark.parametrize(("cause", "key"), WHERE)
def test_a_condition_is_violated_by_what_refutes(cause, key):
    """And not by the claim's own symbols alone: it speaks of them. Where a gap meets it, the gap is gone under it: an
    open exponent that no reading of the claim could have is then open to choice."""
    where, claim = cause.where[key], registry.find(key)
    own = [entry for entry in ENTRIES if entry.key == key and cause_of(entry) is cause]
    assert own
    if isinstance(where, Relational):
        assert {str(x) for x in where.free_symbols} <= {p.name for p in claim.names}
        met = [entry for entry in own if _holds(where, _numbers(entry))]
        assert len(met) < len(own)
        if met:
            assert {entry.status for entry in met} == {"gap"}
            assert all("which serves it best" in entry.note for entry in met)
            assert cause.slug not in {cause_of(entry).slug for entry in compare(within(claim)).errata}


def _holds(where: Relational, at: dict[str, object]) -> bool:
    found = where.subs({name: Rational(str(x)) for name, x in at.items()})
    assert found in (True, False), found
    return bool(found)


def _numbers(entry: Erratum) -> dict[str, object]:
    """The witness; of a ray, its last point."""
    names = {p.name for p in registry.find(entry.key).names}
    given = entry.witness.get("at", entry.witness)
    at = fractions({name: value for name, value in given.items() if name in names})
    if "ray" in entry.witness:
        at = _points(entry.witness, at)[-1]
    return {name: value for name, value in at.items() if not isinstance(value, list)}


def test_verdicts_follow_the_severities():
    verdicts = ledger.verdicts()
    for entry in ENTRIES:
        grave, row = severity_of(registry.find(entry.key), entry), verdicts[entry.key]
        if grave in ("false", "misprint") and entry.status == "refuted":
            assert row["verdict"] == "fails", entry.key
        if grave is None:
            assert row["verdict"] != "holds" or not row["where"], entry.key


def test_findings_are_sorted_by_severity_and_cover_all_entries():
    findings = by_cause(ROWS)
    order = [[*SEVERITIES, None].index(one["severity"]) for one in findings]
    assert order == sorted(order)
    assert {row["cause"] for row in ROWS if row["cause"]} == {one["cause"] for one in findings}
    assert sum(one["entries"] for one in findings) == sum(bool(row["cause"]) for row in ROWS)


def test_paragraphs_of_several_papers_say_which():
    for finding in by_cause(ROWS):
        papers = list(dict.fromkeys(key.partition("/")[0] for key in finding["keys"]))
        for text in (finding["explanation"], finding["survives"]) if len(papers) > 1 else ():
            assert [one.partition(": ")[0] for one in text.split("\n\n")] == papers


BESIDES = {
    "its proof indexes covers": "edelman2022/4.5",
    "so that Wx is not defined": "edelman2022/4.5",
    "the two bits exchanged": "edelman2022/B.3",
    "with w inside the supremum": "trauger2024/S4.2",
    "cross no kink": "lintilhac2026/12",
}


def test_what_decides_nothing_is_remarked():
    for words, key in BESIDES.items():
        assert [row for row in ROWS if row["key"] == key and row["status"] == "remark" and words in row["note"]], key
