"""Exhibits: committed numbers are what the code makes, and the same numbers give the same bytes."""

import csv
import json
import tomllib
from pathlib import Path
from unittest import mock

import pytest

import maurey
from maurey.paper_tables import exhibits, trained

FOLDER = exhibits.ROOT / "edelman2022" / "head"


def same_again(name, made, folder, *more):
    """The committed tables are what the code makes, and provenance is complete. Figures have tests of their own."""
    with mock.patch.object(exhibits, "_figures", return_value=[]):
        exhibits.write(name, made, folder, 1.0)
    for file in ("table.csv", "figure.csv", "table.md", "table.tex"):
        fresh, committed = (where / file for where in (folder, exhibits.ROOT / name))
        assert fresh.exists() == committed.exists()
        assert not fresh.exists() or fresh.read_text() == committed.read_text(), "run `maurey tables --commit`"
    wanted = {"exhibit", "version", "python", "device", "seed", "seconds", "findings", "parameters"}
    wanted |= {"question", "answer", "word"}
    for where in (folder, exhibits.ROOT / name):
        found = json.loads((where / "provenance.json").read_text())
        assert wanted <= set(found)
        assert (found["question"], found["answer"]) == (made.question, made.answer)
        assert found["findings"] == [one.record for one in made.findings]  # of which the index is made
    assert set(more) <= set(found)
    assert not list(folder.glob(".*"))


def smaller_perturbation(config):
    grid = {"T": [20], "D": [1, 4], "omega": [1, 7], "sigma": [1e-3, 1e-2]}
    example = config["paper"] | {"networks": 2, "strings": 8}  # is in the notes alone
    return config | {"grid": [grid], "paper": example, "rescaling": config["rescaling"] | {"D": [1, 2]}}


def smaller_covers(config):
    return config | {"panel": config["panel"][::3], "shares": config["shares"][:6:2]}


def smaller_comparison(config):
    return config | {"draws": 4, "drawn_strings": 32}  # on which the rows of hypotheses depend, and no bound


def smaller_testing(config):
    return config | {"degrees": config["degrees"][:3], "runs": 20, "free": config["free"][:2]}  # rows of their own


def smaller_models(config):
    """Random weights are the same everywhere; of what is trained, rounding is not."""
    vary = {"L": [1, 2], "d": [16], "eps": ["1e-5"], "m": [1000]}
    return config | {"weights": ["random"], "vary": vary}


# rows that take long and are made one by one: so many of them, which must be among the committed ones
IN_PART = {
    "lintilhac2026/perturbation": (smaller_perturbation, 8),
    "lintilhac2026/comparison": (smaller_comparison, 23),
    "edelman2022/covers": (smaller_covers, 9),
    "lintilhac2026/testing": (smaller_testing, 3),
    "models/encoders": (smaller_models, 14),
}
COMPUTED = [name for name in exhibits.names() if not trained.is_trained(name)]


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_PART)
def test_some_rows_of_a_long_exhibit_again(name, monkeypatch):
    """The notes, the figure and the other rows are those of the last whole run; a changed form or draw changes these
    rows too."""
    (change, least), loads = IN_PART[name], tomllib.loads
    monkeypatch.setattr(exhibits.load(name).tomllib, "loads", lambda text: change(loads(text)))
    made = exhibits.load(name).make(lambda done, total: None)
    committed = list(csv.reader((exhibits.ROOT / name / "table.csv").open()))
    assert committed[0] == list(made.columns)
    rows = [[str(cell) for cell in row] for row in made.rows[:least]]
    assert len(rows) == least
    assert [row for row in rows if row not in committed] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in COMPUTED if name not in IN_PART])
def test_computed_exhibits_again(name, tmp_path):
    seen = []
    made = exhibits.load(name).make(lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] - 1
    same_again(name, made, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in exhibits.names() if trained.is_trained(name)])
def test_trained_exhibits_are_drawn_from_their_results(name, tmp_path):
    files = [exhibits.ROOT / source / "results.jsonl" for source in trained.sources(name)]
    rows = [line for file in files for line in file.read_text().splitlines()]
    known = trained.committed(name)
    assert len(known) == len(rows)  # every key is that of its configuration
    assert {job.key for job, _ in known} <= {job.key for job in trained.plan(name, trained.COMMITTED)}
    made = trained.drawn(name, trained.COMMITTED, [trained.Outcome(j.config, j.trial, r) for j, r in known])
    same_again(name, made, tmp_path, "scale", "protocols", "trials", "training_seconds", "pace")
    notes = (exhibits.ROOT / name / "table.md").read_text()
    assert all(words in notes for words in ("Scale paper", "protocol", "Seeds"))
    assert any(words in notes for words in ("agrees", "undecided", "not run"))


def test_swapping_everything_is_the_sharp_form():
    """The steps that the exhibit swaps one by one are all that tells sharp from derived."""
    from maurey.paper_tables.edelman2022.depth import SWAPS
    from maurey.symbolic.route import PAPER, SHARP

    swapped = {field: getattr(route, field) for route in SWAPS.values() for field in vars(route)
               if getattr(route, field) != getattr(PAPER, field)}  # fmt: skip
    assert swapped == {field: value for field, value in vars(SHARP).items() if field != "chaining"}  # of the gap


def test_the_table_says_what_eval_says():
    rows = list(csv.DictReader((FOLDER / "table.csv").open()))
    assert {(row["axis"], row["claim"]) for row in rows} >= {("T", "4.4"), ("H", "A.12"), ("m", "A.11"), ("d", "A.12")}
    row = next(r for r in rows if (r["axis"], r["at"], r["claim"]) == ("d", "512", "A.12"))
    at = dict(eps="1/10", d=512, m=10000, T=256, H=4, L_sigma=1, B_X=1, B_V=1, B_V_inf=1, B_QK_inf=1)
    for form in ("printed", "derived", "sharp"):
        value = maurey.claim("edelman2022/A.12").evaluate(form, **at)
        assert float(row[form]) == pytest.approx(float(value), rel=1e-5)


def test_notes_say_scale_seed_and_agreement():
    text = (FOLDER / "table.md").read_text()
    for words in ("no seed", "certified to 6 digits", "The paper states", "agrees"):
        assert words in text


def test_committed_folders_are_whole():
    for name in exhibits.names():
        files = {file.name for file in Path(exhibits.ROOT / name).iterdir()}
        assert {"table.csv", "table.md", "table.tex", "figure.svg", "figure-dark.svg", "provenance.json"} <= files
        assert not [file for file in files if file.endswith(".png")]


@pytest.mark.parametrize("name", exhibits.names())
def test_what_is_trained_has_a_plan(name):
    assert trained.is_trained(name) == hasattr(exhibits.load(name), "plan")
