"""The store of results: what is kept, what was altered, and files that are strange, older or half-written."""

import json
import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from maurey.symbolic.errors import InputError
from maurey.verify.training.engine.checksums import NAMED, DamagedResult, checksum
from maurey.verify.training.engine.exports import results
from maurey.verify.training.engine.store import LAYOUT, MARK, Store
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import Job

TINY = Config(T=8, m=20, width=16, heads=4, held_out=200, iterations=40, every=10, stop=False)
RECORD = {"status": "done", "errors": 3, "iterations": 40}


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results.sqlite") as found:
        yield found


def rows(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT key, result FROM trials").fetchall()


def test_a_trial_is_kept_once(store):
    job = Job(TINY, 0)
    store.add([job], [RECORD], 2.0, "cpu")
    store.add([job, Job(TINY, 1)], [RECORD | {"errors": 9}, RECORD], 2.0, "cpu")
    assert store.known([job, Job(TINY, 1), Job(TINY, 2)]) == {job.key: RECORD, Job(TINY, 1).key: RECORD}
    assert store.db.execute("SELECT COUNT(*) FROM trials").fetchone() == (2,)


def test_a_batch_is_kept_whole_or_not_at_all(store):
    store.add([Job(TINY, 0)], [RECORD])
    (pages,) = store.db.execute("PRAGMA page_count").fetchone()
    store.db.execute(f"PRAGMA max_page_count = {pages + 3}")
    many = [Job(TINY, i) for i in range(1, 60)]
    with pytest.raises(sqlite3.OperationalError, match="full"):
        store.add(many, [RECORD | {"curve": [[0.1] * 60]}] * len(many))
    assert set(store.known([Job(TINY, 0), *many])) == {Job(TINY, 0).key}


def foreign_text(path):
    path.write_text("my own notes, not yours\n" * 100)


def foreign_database(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE trials (key TEXT)")
        db.execute("INSERT INTO trials VALUES ('mine')")


def other_layout(path):
    Store(path).db.close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {LAYOUT + 1}")


def many_results(path):
    with Store(path) as store:
        jobs = [Job(TINY, i) for i in range(300)]
        store.add(jobs, [RECORD] * len(jobs))


def cut_off(path):
    many_results(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


def scribbled(path):
    many_results(path)
    whole = bytearray(path.read_bytes())
    for page in range(1, len(whole) // 4096):
        whole[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(whole)


def only_a_header(path):
    many_results(path)
    path.write_bytes(path.read_bytes()[:100])


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (foreign_text, "is not a file of results"),
        (foreign_database, "is not a file of results"),
        (other_layout, f"another version (layout {LAYOUT + 1}, here {LAYOUT})"),
        (cut_off, "damaged"),
        (scribbled, "damaged"),
        (only_a_header, "damaged"),
    ],
)
def test_other_files_are_refused_and_left_alone(tmp_path, spoil, text):
    path = tmp_path / "results.sqlite"
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(InputError) as error:
        Store(path)
    assert text in str(error.value)
    assert "move it away" in str(error.value)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["results.sqlite"]


@pytest.mark.parametrize("change", [{"T": 21}, {"model": "unheard"}, {"gates": 3}])
def test_results_of_another_protocol_are_refused_by_name(tmp_path, change):
    """A row that is whole, whose key is not that of what its words mean."""
    path = tmp_path / "results.sqlite"
    many_results(path)
    with sqlite3.connect(path) as db:
        key, text, trial, result, _ = db.execute("SELECT * FROM trials WHERE trial = 1").fetchone()
        other = json.dumps(json.loads(text) | change)
        row = (other, checksum(key, other, trial, result), trial)
        db.execute("UPDATE trials SET config = ?, checksum = ? WHERE trial = ?", row)
    with pytest.raises(InputError, match=f"results of another protocol: {key}.*move it away"):
        Store(path)
    line = {"key": key, "config": json.loads(other), "trial": trial, "result": json.loads(result)}
    sum_of = checksum(key, json.dumps(line["config"]), trial, json.dumps(line["result"]))
    (tmp_path / "results.jsonl").write_text(json.dumps(line | {"checksum": sum_of}) + "\n")
    with pytest.raises(InputError, match=f"results of another protocol: {key}"):
        results(tmp_path / "results.jsonl")


def altered(path, change, *values):
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE trials SET {change} WHERE trial = 1", values)


@pytest.mark.parametrize(
    "change",
    [
        "result = replace(result, '3', '2')",
        "result = substr(result, 1, 20)",
        "result = ''",
        "result = CAST(x'7bff' AS TEXT)",
        "result = CAST(result AS BLOB)",
        "config = replace(config, '20', '21')",
        "trial = 7",
        "checksum = NULL",
        "checksum = (SELECT checksum FROM trials WHERE trial = 2)",
        "key = 'c' || substr(key, 2)",
    ],
)
def test_an_altered_result_is_told_and_counts_as_missing(tmp_path, change):
    """By its key and in words; it stays until something is added."""
    path, jobs = tmp_path / "results.sqlite", [Job(TINY, i) for i in range(3)]
    with Store(path) as store:
        store.add(jobs, [RECORD] * 3)
    altered(path, change)
    with sqlite3.connect(path) as db:
        (key,) = db.execute("SELECT key FROM trials WHERE trial IN (1, 7)").fetchone()
    for _ in range(2):
        with pytest.warns(DamagedResult) as told, Store(path) as store:
            assert store.known(jobs) == store.known(jobs) == {jobs[0].key: RECORD, jobs[2].key: RECORD}
        (line,) = (str(one.message) for one in told)
        assert line.startswith(f"{path}: 1 result is altered or incomplete, and not used: {key} (T = 8, m = 2")
        assert line.endswith(f", trial {7 if change.startswith('trial') else 1})")
    with pytest.warns(DamagedResult), Store(path) as store:
        store.add([jobs[1]], [RECORD | {"errors": 4}])
    with Store(path) as store:  # nothing is told any more
        assert store.known(jobs) == {job.key: RECORD | {"errors": 4 if job.trial == 1 else 3} for job in jobs}
        assert len(rows(path)) == 3


def test_a_result_that_was_mended_elsewhere_stays(tmp_path):
    path, job = tmp_path / "results.sqlite", Job(TINY, 1)
    with Store(path) as store:
        store.add([job], [RECORD])
    altered(path, "result = '{}'")
    with pytest.warns(DamagedResult):
        first, second = Store(path), Store(path)
    with first, second:
        second.add([job], [RECORD | {"errors": 4}])
        first.add([Job(TINY, 2)], [RECORD])
        assert first.known([job]) == {job.key: RECORD | {"errors": 4}}


def test_many_altered_results_are_one_line(tmp_path):
    path = tmp_path / "results.sqlite"
    many_results(path)
    path.write_bytes(path.read_bytes().replace(b'"done"', b'"do\x00e"'))
    with pytest.warns(DamagedResult) as told, Store(path) as store:
        assert store.known([Job(TINY, i) for i in range(300)]) == {}
    (line,) = (str(one.message) for one in told)
    assert "300 results are" in line
    assert line.count("trial ") == NAMED
    assert line.endswith(f"; {300 - NAMED} more")
    assert "\n" not in line


def test_results_from_before_there_were_checksums(tmp_path):
    """What can be read is taken, and has its checksum from then on."""
    path, jobs = tmp_path / "results.sqlite", [Job(TINY, i) for i in range(3)]
    with Store(path) as store:
        store.add(jobs, [RECORD, RECORD, RECORD | {"loss": float("inf")}], 3.0, "cpu")
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE trials DROP COLUMN checksum")
        db.execute("UPDATE trials SET result = substr(result, 1, 20) WHERE trial = 1")
        db.execute("PRAGMA user_version = 1")
    for _ in range(2):
        with pytest.warns(DamagedResult, match=f"1 result is .*: {jobs[1].key} "):
            store = Store(path)
        with store:
            assert store.known(jobs) == {jobs[0].key: RECORD, jobs[2].key: RECORD | {"loss": float("inf")}}
            assert store.pace().measured == [(TINY, 1.0)]
            assert store.db.execute("PRAGMA user_version").fetchone() == (LAYOUT,)
    altered(path, "trial = 2")
    with pytest.warns(DamagedResult), Store(path) as store:
        assert set(store.known(jobs)) == {jobs[0].key, jobs[2].key}


def test_a_pace_that_cannot_be_read_is_none(store):
    store.add([Job(TINY, 0)], [RECORD], 2.0, "cpu")
    for config, trials, seconds in (("{", 1, 1.0), ("{}", 0, 1.0), ('{"T": 9}', 1, 0.0), ('{"T": "nine"}', 1, 1.0)):
        store.db.execute("INSERT INTO batches VALUES (?, ?, ?, 'cpu')", (config, trials, seconds))
    assert store.pace().measured == [(TINY, 2.0)]


def test_only_what_has_no_result_is_claimed(store):
    jobs = [Job(TINY, i) for i in range(4)]
    store.add(jobs[:1], [RECORD])
    assert store.claim(jobs) == jobs[1:]
    store.leave(jobs)
    assert store.claim(jobs[:1]) == []


def test_places_where_nothing_can_be_kept(tmp_path):
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "results.sqlite", Path("/proc/maurey/results.sqlite"), tmp_path / "folder"):
        with pytest.raises(InputError) as error:
            Store(path)
        assert str(path) in str(error.value)
    assert (tmp_path / "file").read_text() == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path):
    path = tmp_path / "results.sqlite"
    many_results(path)
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot keep results"):
        Store(path)
    tmp_path.chmod(0o700)


def test_a_kill_while_the_file_is_made(tmp_path):
    """It is empty then, or has a journal."""
    path = tmp_path / "results.sqlite"
    path.touch()
    many_results(path)
    assert len(rows(path)) == 300
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (MARK,)


KILLED_IN_A_TRANSACTION = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size = 1")  # so that pages are written before the end
db.execute("BEGIN IMMEDIATE")
for i in range(2000):
    db.execute("INSERT INTO trials VALUES (?, '{}', 1, ?, '')", (f"half {i}", "x" * 500))
os.kill(os.getpid(), 9)
"""


def test_a_kill_in_a_transaction(tmp_path):
    """Half of a batch is in the file, and a journal beside it: it is undone, and the rest is there."""
    path = tmp_path / "results.sqlite"
    many_results(path)
    size = path.stat().st_size
    subprocess.run([sys.executable, "-c", KILLED_IN_A_TRANSACTION, path], check=False)
    assert path.stat().st_size > 2 * size
    assert len(os.listdir(tmp_path)) == 2
    with Store(path) as store:
        assert len(store.known([Job(TINY, i) for i in range(300)])) == 300
    assert len(rows(path)) == 300


def test_the_store_measures_pace(store):
    assert store.pace().measured == []
    store.add([Job(TINY, i) for i in range(4)], [RECORD] * 4, 6.0, "cpu")
    store.add([Job(TINY, 4)], [RECORD], 4.0, "cpu")
    store.add([Job(replace(TINY, T=9), 0)], [RECORD])  # not trained here
    assert store.pace().measured == [(TINY, 2.0)]
