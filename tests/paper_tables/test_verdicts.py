"""One rule for the word, and an index that is what the exhibits say."""

import pytest

from maurey.paper_tables import exhibits, index
from maurey.paper_tables.verdicts import Finding


@pytest.mark.parametrize(
    ("given", "word", "end"),
    [
        ({"agrees": True, "run": 0, "planned": 3}, "not run", "not run."),
        ({"agrees": False, "run": 2, "planned": 3}, "partly, disagrees", "partly, disagrees (2 of 3 cells)."),
        ({"agrees": None, "run": 2, "planned": 3, "what": "seeds"}, "partly, undecided", "undecided (2 of 3 seeds)."),
        ({"agrees": None}, "undecided", "undecided."),
        ({"agrees": True, "late": True}, "undecided", "undecided."),
        ({"agrees": False, "late": True}, "undecided", "undecided."),
        ({"agrees": True}, "agrees", ": agrees."),
        ({"agrees": False}, "disagrees", ": disagrees."),
    ],
)
def test_the_first_that_fits(given, word, end):
    found = Finding("text", **given)
    assert found.word == word == found.record["word"]
    assert found.note.endswith(end)


SHOWN = [(paper, one) for paper, found in index.papers().items() for one in found["shows"]]


@pytest.mark.parametrize(("paper", "one"), SHOWN, ids=lambda given: given if isinstance(given, str) else given["of"])
def test_everything_a_paper_shows_is_accounted_for(paper, one):
    """By an exhibit that speaks of it, or by a reason why there is none."""
    assert ("exhibit" in one) != ("why" in one)
    if "exhibit" in one:
        spoken = {found["figure"] for found in index.findings(one["exhibit"])}
        assert one.get("same as", one["of"]) in spoken


def test_no_finding_is_of_a_figure_that_is_not_listed():
    listed = {one["of"] for _, one in SHOWN}
    for name in exhibits.names():
        assert {found["figure"] for found in index.findings(name)} <= {*listed, ""}, name


def test_the_index_is_what_the_exhibits_say():
    assert index.FILE.read_text() == index.text(), "run `maurey tables --list --commit`"


def test_every_exhibit_is_in_the_index():
    text = "\n".join(index.lines())
    assert [name for name in exhibits.names() if name not in text] == []


def test_what_is_not_whole_is_not_finished_for_nothing():
    """By more training, at a price; or a reason why there is none."""
    rows = [row for paper in index.papers().values() for row in index.rows(paper["shows"]) if row.much]
    assert [row for row in rows if row.word.startswith(("partly", "not run")) and row.cost == "nothing"] == []
    assert {row.cost for row in rows if row.word in ("agrees", "disagrees")} >= {"nothing"}


def test_an_exhibit_that_is_not_made_is_listed(monkeypatch, tmp_path):
    monkeypatch.setattr(exhibits, "ROOT", tmp_path)
    assert index.title_of("edelman2022/head") == "not made yet"
