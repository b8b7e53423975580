"""`maurey tables` as a user calls it, for what is trained: files, forecasts, resuming, and one line on bad input."""

import contextlib
import io
import json
import shutil
import sqlite3
import subprocess
import sys
import time

import pytest
import torch

from maurey import cli
from maurey.commands import tables
from maurey.paper_tables import exhibits, trained
from maurey.verify import files
from maurey.verify.training.engine import exports, sweep
from maurey.verify.training.engine.checksums import DamagedResult
from maurey.verify.training.engine.store import Store
from maurey.verify.training.trials.keys import key

NAME = "edelman2022/parity"
SMOKE = (NAME, "--scale", "smoke")
STORE = "build/tables/results.sqlite"
DRAWN = {"table.csv", "figure.csv", "table.tex", "table.md", "figure.svg", "figure-dark.svg"}
COPIED = {"provenance.json", "results.jsonl", "config.toml", "expected.toml"}


pytestmark = pytest.mark.usefixtures("one_thread")


def call(folder, *arguments):
    """Exit code, output and errors of `maurey tables` in a folder."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["maurey", "tables", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
    return end.value.code, out.getvalue(), err.getvalue()


def refused(folder, *arguments):
    """The one line on bad input."""
    code, out, err = call(folder, *arguments)
    assert (code, out) == (2, "")
    (line,) = [line for line in err.splitlines() if line.strip()]
    assert line.startswith("maurey: ")
    return line


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder in which the exhibit was made."""
    folder, threads = tmp_path_factory.mktemp("made"), torch.get_num_threads()
    torch.set_num_threads(1)  # it is made before `one_thread` is
    code, out, _ = call(folder, *SMOKE, "--json")
    torch.set_num_threads(threads)
    assert code == 0
    return folder, json.loads(out)


@pytest.fixture
def copy(made, tmp_path):
    """A folder of one's own in which the exhibit was made."""
    shutil.copytree(made[0], tmp_path / "copy")
    return tmp_path / "copy"


def forbidden(*_, **__):
    raise AssertionError("nothing is to be trained")


def test_an_exhibit_is_trained_and_drawn(made):
    folder, written = made
    place = folder / "build/tables/smoke" / NAME
    assert {file.name for file in place.iterdir()} == DRAWN | COPIED
    assert list(written) == [NAME]
    assert {(folder / file).name for file in written[NAME]} >= DRAWN | {"results.jsonl", "provenance.json"}
    jobs = trained.plan(NAME, "smoke")
    rows = [json.loads(line) for line in (place / "results.jsonl").read_text().splitlines()]
    assert [row["key"] for row in rows] == [job.key for job in jobs]
    for row in rows:
        assert key(trained.config(row["config"]), row["trial"]) == row["key"]
        assert row["result"]["errors"] >= 0
    provenance = json.loads((place / "provenance.json").read_text())
    wanted = {"exhibit": NAME, "scale": "smoke", "device": "cpu", "trials": len(jobs)}
    assert wanted.items() <= provenance.items()
    assert {"version", "seconds", "pace", "findings"} <= set(provenance)


def test_a_second_call_trains_nothing(copy, monkeypatch):
    monkeypatch.setattr(sweep, "run_batch", forbidden)
    place = copy / "build/tables/smoke" / NAME
    before = {name: (place / name).read_bytes() for name in DRAWN | {"results.jsonl"}}
    for arguments in (SMOKE, (*SMOKE, "--render"), (*SMOKE, "--budget", "0s")):
        shutil.rmtree(place)
        code, out, _ = call(copy, *arguments)
        assert code == 0
        assert str(place.relative_to(copy) / "figure.svg") in out.splitlines()
        assert {name: (place / name).read_bytes() for name in before} == before


def test_what_is_missing_is_trained(copy):
    with sqlite3.connect(copy / STORE) as db:
        whole = dict(db.execute("SELECT key, result FROM trials"))
        db.execute("DELETE FROM trials WHERE trial = 1")
    assert call(copy, *SMOKE)[0] == 0
    with sqlite3.connect(copy / STORE) as db:
        again = dict(db.execute("SELECT key, result FROM trials"))
    assert set(again) == set(whole)
    for name, text in again.items():
        assert json.loads(text)["errors"] == json.loads(whole[name])["errors"]


def test_forecasts(made, tmp_path):
    """Where nothing was trained yet, by the pace of the committed results; dropout is not among them."""
    number = len(trained.plan(NAME, "smoke"))
    code, out, _ = call(tmp_path, *SMOKE, "--dry-run")
    assert code == 0
    assert out.splitlines()[0].startswith(f"{NAME}: 0 trials cached, {number} to train, about ")
    assert f"{number} trials to train" in out.splitlines()[-1]
    assert "not measured" not in out
    assert list(tmp_path.iterdir()) == []
    code, out, _ = call(tmp_path, *SMOKE, "--dry-run", "--json")
    found = json.loads(out)
    assert found[0].pop("seconds") == found[0].pop("own_seconds") > 0
    assert found == [{"name": NAME, "cached": 0, "remaining": number, "shared": 0}]
    code, out, _ = call(made[0], *SMOKE, "--dry-run")
    assert out.splitlines()[0] == f"{NAME}: {number} trials cached, 0 to train, done"
    code, out, _ = call(made[0], *SMOKE, "--dry-run", "--protocol", "paper")
    assert out.splitlines()[0] == f"{NAME}: 0 trials cached, {number} to train, not measured yet"
    assert "without what is not measured" in out
    code, out, _ = call(made[0], *SMOKE, "--dry-run", "--protocol", "paper", "--json")
    assert json.loads(out)[0]["seconds"] is None


def test_a_forecast_by_what_was_measured(copy):
    with sqlite3.connect(copy / STORE) as db:
        db.execute("DELETE FROM trials")
        db.execute("UPDATE batches SET seconds = 60 * trials")
    code, out, _ = call(copy, *SMOKE, "--dry-run")
    assert code == 0
    number = len(trained.plan(NAME, "smoke"))
    assert out.splitlines() == [
        f"{NAME}: 0 trials cached, {number} to train, about {number} min",
        f"scale smoke: {number} trials to train, about {number} min",
    ]
    code, out, _ = call(copy, *SMOKE, "--dry-run", "--json")
    assert json.loads(out)[0]["seconds"] == 60 * number


def test_trials_of_two_exhibits_are_counted_once(tmp_path):
    names = ("lintilhac2026/domination", "lintilhac2026/gap")
    both, alone = (call(tmp_path, *own, "--scale", "smoke", "--dry-run")[1].splitlines() for own in (names, names[1:]))
    assert both[-1] == alone[-1]
    assert both[1] == f"{alone[0]}, {len(trained.plan(names[1], 'smoke'))} of them for exhibits above"


ALONE = """
import sys, time
from maurey import cli
sys.argv = ["maurey", "tables", "--scale", "paper", "--dry-run"]
try:
    cli.main()
finally:
    print(time.process_time(), "torch" in sys.modules, file=sys.stderr)
"""


def test_a_forecast_of_everything_is_quick(tmp_path):
    """Of 10,000 trials, without torch; half of the time is SymPy's, and others may load the machine."""
    found = [subprocess.run([sys.executable, "-c", ALONE], cwd=tmp_path, capture_output=True, text=True, check=True)
             for _ in range(2)]  # fmt: skip
    for one in found:
        assert one.stderr.split()[-1] == "False"
        assert "edelman2022/sparse_and: " in one.stdout
    assert min(float(one.stderr.split()[-2]) for one in found) < 4
    assert list(tmp_path.iterdir()) == []


# --- budgets


@pytest.fixture
def shares(monkeypatch):
    """What each exhibit may train for; a clock that stands still but for what they take; nothing is trained."""
    clock, found, takes = [0.0], {}, {}

    def make(name, scale, folder, store, report, budget, **_):
        found[name] = budget
        clock[0] += takes.get(name, 0)
        done = sweep.Progress(0, 0, 1)
        report(done)
        return [folder / "table.md"], done

    monkeypatch.setattr(trained, "make", make)
    monkeypatch.setattr(trained, "forecast", lambda name, *_: (trained.Forecast(name, 0, name != "b/done", None), ()))
    monkeypatch.setattr(trained, "is_trained", lambda name: name != "b/computed")
    monkeypatch.setattr(exhibits, "check", lambda name: name)
    monkeypatch.setattr(exhibits, "make", lambda *_: [])
    monkeypatch.setattr(tables.time, "perf_counter", lambda: clock[0])
    return found, takes


def test_a_budget_is_shared(tmp_path, shares):
    """Among those that lack something; what one leaves goes to those after it, what one takes too long is theirs."""
    found, takes = shares
    names = ("a/one", "b/done", "b/computed", "c/two", "d/three")
    assert call(tmp_path, *names, "--budget", "30m")[0] == 0
    assert found == {"a/one": 600, "b/done": 1800, "c/two": 900, "d/three": 1800}
    takes |= {"a/one": 600, "c/two": 800}
    assert call(tmp_path, *names, "--budget", "30m")[0] == 0
    assert found == {"a/one": 600, "b/done": 1200, "c/two": 600, "d/three": 400}
    assert call(tmp_path, *names)[0] == 0
    assert set(found.values()) == {None}
    assert call(tmp_path, *names, "--render")[0] == 0
    assert set(found.values()) == {0.0}


def test_a_budget_in_which_nothing_is_done(copy, monkeypatch):
    """It is said, and what is known is drawn."""
    monkeypatch.setattr(sweep, "run_batch", forbidden)
    with sqlite3.connect(copy / STORE) as db:
        db.execute("DELETE FROM trials WHERE trial = 1")
        db.execute("UPDATE batches SET seconds = 60 * trials")
    code, out, err = call(copy, *SMOKE, "--budget", "1s")
    assert code == 0
    assert "figure.svg" in out
    assert "maurey: nothing was trained: no batch of trials is done in 1 s" in err.splitlines()
    monkeypatch.undo()
    assert "nothing was trained" not in call(copy, *SMOKE, "--budget", "10m")[2]
    assert "nothing was trained" not in call(copy, *SMOKE, "--budget", "1s")[2]


def test_a_line_a_minute_where_there_is_no_terminal(tmp_path, monkeypatch):
    assert tables.MINUTE == 60
    monkeypatch.setattr(tables, "MINUTE", 0.2)
    train = sweep.run_batch

    def slow(config, trials, device, report, **more):
        report(0.25)
        time.sleep(0.7)
        return train(config, trials, device, report, **more)

    monkeypatch.setattr(sweep, "run_batch", slow)
    monkeypatch.setattr(sweep, "_size", lambda *_: 1)
    code, _, err = call(tmp_path, *SMOKE)
    assert code == 0
    lines = [line for line in err.splitlines() if " left" in line]
    number = len(trained.plan(NAME, "smoke"))
    assert f"{NAME}: 0 done, 0 failed, {number} left, 0.2 more in hand" in lines
    assert 2 <= len(lines) < 100


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--scale", "huge"), "no scale 'huge'; there are smoke, laptop, paper"),
        (("edelman2022/parities",), "no exhibit 'edelman2022/parities'; the nearest are edelman2022/parity"),
        ((*SMOKE, "--budget", "soon"), "a budget is a time such as 45m, 90s or 1h30m, got 'soon'"),
        ((*SMOKE, "--budget", "-5m"), "a budget is a time"),
        ((*SMOKE, "--budget", "45"), "a budget is a time"),
        ((*SMOKE, "--protocol", "quick"), "no protocol 'quick'; there are fast, paper"),
        ((*SMOKE, "--device", "tpu"), "no device 'tpu'; there are cpu and cuda"),
        ((*SMOKE, "--workers", "2", "--scheduler", "tcp://127.0.0.1:9"), "not both"),
        ((*SMOKE, "--workers", "-1"), "--workers N"),
        ((*SMOKE, "--workers", "two"), "valid integer"),
        ((*SMOKE, "--scheduler", "nonsense"), "no scheduler answers at nonsense"),
        ((*SMOKE, "--commit"), "committed exhibits are those of scale paper"),
        ((*SMOKE, "--render"), "no trial of edelman2022/parity at scale smoke is finished"),
        ((*SMOKE, "--colour"), "--colour"),
    ],
)
def test_bad_input_in_one_line(tmp_path, monkeypatch, arguments, text):
    monkeypatch.setattr(sweep, "run_batch", forbidden)
    assert text in refused(tmp_path, *arguments)


def test_no_cuda(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "torch sees no CUDA device here" in refused(tmp_path, *SMOKE, "--device", "cuda")
    assert list(tmp_path.iterdir()) == []


def test_an_unreachable_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr(sweep, "PATIENCE", 1)
    address = "tcp://127.0.0.1:9"
    assert f"no scheduler answers at {address}" in refused(tmp_path, *SMOKE, "--scheduler", address)


@pytest.mark.parametrize("place", ["build", "build/tables"])
def test_a_file_in_the_way(tmp_path, monkeypatch, place):
    monkeypatch.setattr(sweep, "run_batch", forbidden)
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("mine")
    assert "build/tables" in refused(tmp_path, *SMOKE)
    assert (tmp_path / place).read_text() == "mine"


def test_a_file_in_the_way_of_the_figures(copy):
    """Nothing that is there is lost."""
    shutil.rmtree(copy / "build/tables/smoke")
    (copy / "build/tables/smoke").write_text("mine")
    assert "cannot write under build/tables/smoke" in refused(copy, *SMOKE)
    assert (copy / "build/tables/smoke").read_text() == "mine"


@pytest.mark.parametrize("arguments", [SMOKE, (*SMOKE, "--dry-run"), (*SMOKE, "--render")])
def test_a_foreign_file_of_results(tmp_path, monkeypatch, arguments):
    monkeypatch.setattr(sweep, "run_batch", forbidden)
    (tmp_path / STORE).parent.mkdir(parents=True)
    (tmp_path / STORE).write_text("not a database")
    assert "is not a file of results" in refused(tmp_path, *arguments)
    assert (tmp_path / STORE).read_text() == "not a database"


def test_an_impossible_grid(tmp_path, monkeypatch):
    monkeypatch.setattr(trained, "scale_of", lambda *_: {"stage": [{"T": [2], "trials": 1, "batch": 8}]})
    assert "1 <= s <= T, got s = 3, T = 2" in refused(tmp_path, *SMOKE)


def test_a_full_disk(tmp_path, monkeypatch):
    """Exit 1; the batch that was finished before is kept, and the next call goes on."""
    monkeypatch.setattr(sweep, "_size", lambda *_: 1)
    add, added = Store.add, []

    def full(self, jobs, *rest):
        if added:
            raise sqlite3.OperationalError("database or disk is full")
        added.extend(jobs)
        add(self, jobs, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add", full)
        code, out, err = call(tmp_path, *SMOKE)
    assert (code, out) == (1, "")
    assert "maurey: database or disk is full; what was finished is kept" in err
    assert not any((tmp_path / "build/tables/smoke").iterdir())
    with sqlite3.connect(tmp_path / STORE) as db:
        assert db.execute("SELECT key FROM trials").fetchall() == [(job.key,) for job in added]
    code, out, _ = call(tmp_path, *SMOKE, "--dry-run", "--json")
    assert json.loads(out)[0]["cached"] == 1


def test_a_disk_that_is_full_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("maurey.verify.training.engine.store.SCHEMA", "PRAGMA max_page_count = 1; CREATE TABLE a (b); ")
    code, out, err = call(tmp_path, *SMOKE)
    assert (code, out) == (1, "")
    assert "database or disk is full" in err


def test_a_full_disk_while_drawing(copy, monkeypatch):
    """No file is half-written."""
    place = copy / "build/tables/smoke" / NAME
    before = {file.name: file.read_bytes() for file in place.iterdir()}

    def full(_):
        assert len(list(place.iterdir())) == len(before) + 1  # what is half-written
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    code, _, err = call(copy, *SMOKE)
    assert code == 1
    assert "No space left on device" in err
    assert {file.name: file.read_bytes() for file in place.iterdir()} == before


def test_trials_lost_with_their_workers(tmp_path, monkeypatch):
    """Exit 1, and what was finished is drawn."""

    def lossy(todo, device, told, folder):
        for number, batch in enumerate(todo):
            yield batch, None if number else sweep.run_batch(batch[0].config, [job.trial for job in batch], device)

    monkeypatch.setattr(sweep, "_size", lambda *_: 1)
    monkeypatch.setattr(sweep, "_here", lossy)
    code, out, err = call(tmp_path, *SMOKE)
    assert code == 1
    assert "1 trials were lost with their workers" in err
    assert "figure.svg" in out


def test_altered_results_are_told_and_trained_again(copy, monkeypatch):
    """One line, while they are there; they are drawn no more, and replaced by what is trained."""
    monkeypatch.setattr(exhibits, "_figures", lambda *_: [])  # which other tests draw
    jobs, called = trained.plan(NAME, "smoke"), []
    with sqlite3.connect(copy / STORE) as db:
        whole = dict(db.execute("SELECT key, result FROM trials"))
        db.execute("UPDATE trials SET result = replace(result, '\"errors\": ', '\"errors\": 1') WHERE trial = 1")
    (job,) = (job for job in jobs if job.trial == 1)

    def told(*arguments):
        code, out, err = call(copy, *SMOKE, *arguments)
        assert code == 0
        return out, [line for line in err.splitlines() if line.startswith("maurey: ")]

    out, lines = told("--dry-run")
    assert f"{len(jobs) - 1} trials cached, 1 to train" in out
    assert lines == [
        f"maurey: {STORE}: 1 result is altered or incomplete, and not used: {job.key} ("
        + ", ".join(f"{name} = {value}" for name, value in trained.short(job.config).items())
        + ", trial 1)"
    ]
    assert told("--render")[1] == lines
    place = copy / "build/tables/smoke" / NAME
    assert job.key not in (place / "results.jsonl").read_text()
    train = sweep.run_batch
    monkeypatch.setattr(
        sweep, "run_batch", lambda config, trials, *a, **k: (called.extend(trials), train(config, trials, *a, **k))[1]
    )
    assert told()[1] == lines
    assert called == [1]
    assert told("--dry-run")[1] == []
    with sqlite3.connect(copy / STORE) as db:
        again = dict(db.execute("SELECT key, result FROM trials"))
    assert {key: json.loads(text)["errors"] for key, text in again.items()} == {
        key: json.loads(text)["errors"] for key, text in whole.items()
    }


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The exhibit in a source tree of one's own, and its file of results."""
    shutil.copytree(exhibits.ROOT / NAME, tmp_path / "root" / NAME)
    (tmp_path / "root" / NAME).with_name("__init__.py").touch()
    monkeypatch.setattr(exhibits, "ROOT", tmp_path / "root")
    return tmp_path / "root" / NAME / "results.jsonl"


def test_committed_results_are_gone_on_from(tmp_path, root):
    """Those of the source tree are read into the store at scale paper."""
    jobs = trained.plan(NAME, "paper")[:2]
    records = [{"status": "done", "errors": 0, "best": 50, "iterations": 50, "curve": [[50, 0.1, 0, 0.1]]}] * 2
    root.write_text("\n".join(map(exports.line, jobs, records)) + "\n")
    with Store(tmp_path / "results.sqlite") as store:
        trained.take_committed(NAME, store)
        assert set(store.known(trained.plan(NAME, "paper"))) == {jobs[0].key, jobs[1].key}
        trained.take_committed(NAME, store)
        forecast, _ = trained.forecast(NAME, "paper", "", None)
    assert (forecast.cached, forecast.remaining) == (2, len(trained.plan(NAME, "paper")) - 2)


def test_committed_results_mend_the_store(tmp_path, root):
    """What was altered there is read again from them, and not trained."""
    job = trained.plan(NAME, "paper")[0]
    for _ in range(2):
        with Store(tmp_path / "results.sqlite") as store:
            trained.take_committed(NAME, store)
            record = store.known([job])[job.key]
    with sqlite3.connect(tmp_path / "results.sqlite") as db:
        db.execute("UPDATE trials SET result = '{}' WHERE key = ?", (job.key,))
    with pytest.warns(DamagedResult):
        store = Store(tmp_path / "results.sqlite")
    with store:
        assert store.known([job]) == {}
        trained.take_committed(NAME, store)
        assert store.known([job]) == {job.key: record}


@pytest.mark.parametrize(
    ("spoil", "in_words"),
    [
        (lambda line: line.replace("0.69", "0.68", 1), True),
        (lambda line: line.partition(', "checksum"')[0] + "}", True),
        (lambda line: line.replace('"errors": ', '"errors": 1', 1), True),
        (lambda line: line.replace('"T": ', '"T": 1', 1), True),
        (lambda line: line.replace('"trial": 0', '"trial": 9'), True),
        (lambda line: line[:1000], True),
        (lambda line: line[:60], False),
        (lambda line: line.replace('"config"', '"c\x00nfig"'), False),
        (lambda line: "[]", None),
        (lambda line: "", None),
    ],
)
def test_altered_lines_of_committed_results(tmp_path, root, spoil, in_words):
    """They are told, by what can still be read in them, and the others are used."""
    lines, whole = root.read_text().splitlines(), trained.committed(NAME)
    job = whole[1][0]
    lines[1] = spoil(lines[1])
    root.write_text("\n".join(lines) + "\n")
    code, out, err = call(tmp_path, NAME, "--scale", "paper", "--dry-run", "--json")
    assert (code, json.loads(out)[0]["cached"]) == (0, len(whole) - 1)
    (line,) = err.splitlines()
    assert line.startswith(f"maurey: {root}: 1 result is altered or incomplete, and not used: line 2")
    assert (job.key in line) is (in_words is not None)
    assert ("function = parity, T = " in line and ", trial " in line) is bool(in_words)
    with pytest.warns(DamagedResult):
        assert trained.committed(NAME) == [one for one in whole if one[0] != job]


def test_exported_lines_are_the_committed_ones(root):
    assert [exports.line(*one) for one in trained.committed(NAME)] == root.read_text().splitlines()


@pytest.mark.parametrize(("text", "seconds"), [("45m", 2700), ("90s", 90), ("1h30m", 5400), ("0.5h", 1800), ("0s", 0)])
def test_budgets(text, seconds):
    assert trained.seconds_of(text) == seconds
