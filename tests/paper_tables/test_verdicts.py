"""One rule for the word, and an index that is what the exhibits say."""

import pytest

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
