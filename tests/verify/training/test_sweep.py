"""Sweeps: what is kept, in which order, and what a kill, a dead worker or a strange file does to it."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from maurey.symbolic.claim import InputError
from maurey.verify.training.engine import sweep as sweeps
from maurey.verify.training.engine.store import LAYOUT, MARK, Pace, Store
from maurey.verify.training.engine.sweep import Progress, batches, check_device, cluster, estimate, run_batch, sweep
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import Job

TINY = Config(T=8, m=20, width=16, heads=4, held_out=200, iterations=40, every=10, stop=False)
RECORD = {"status": "done", "errors": 3, "iterations": 40}


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results.sqlite") as found:
        yield found


def grid(trials, **more):
    return [Job(replace(TINY, m=m, **more), trial) for trial in range(trials) for m in (20, 30)]


def silent(_):
    pass


def rows(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT key, result FROM trials").fetchall()


def trained_here(jobs):
    """Every trial in a batch of its own size, by key."""
    found = {}
    for config in dict.fromkeys(job.config for job in jobs):
        own = [job for job in jobs if job.config == config]
        records, _ = run_batch(config, [job.trial for job in own], "cpu")
        found |= {job.key: record for job, record in zip(own, records, strict=True)}
    return found


def check_all_once(path, jobs):
    """Every result is there once, and is what training in this process gives."""
    found = rows(path)
    assert sorted(key for key, _ in found) == sorted(job.key for job in jobs)
    with Store(path) as store:
        known = store.known(jobs)
    for key, record in trained_here(jobs).items():
        kept = known[key]
        assert [kept[n] for n in ("status", "errors", "best", "iterations")] == [
            record[n] for n in ("status", "errors", "best", "iterations")
        ]
        assert kept["loss"] == pytest.approx(record["loss"], rel=1e-3)


# --- the store


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


def test_a_damaged_result_is_refused(tmp_path):
    path = tmp_path / "results.sqlite"
    many_results(path)
    path.write_bytes(path.read_bytes().replace(b'"done"', b'"do\x00e"'))
    with Store(path) as store, pytest.raises(InputError, match="damaged"):
        store.known([Job(TINY, i) for i in range(300)])


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
    db.execute("INSERT INTO trials VALUES (?, '{}', 1, ?)", (f"half {i}", "x" * 500))
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


# --- order and pace


def test_pace_is_that_of_the_nearest_of_its_kind():
    pace = Pace([(replace(TINY, T=10), 1.0), (replace(TINY, T=100), 4.0), (replace(TINY, protocol="paper"), 50.0)])
    assert pace(replace(TINY, T=12)) == 1.0
    assert pace(replace(TINY, T=80)) == 4.0
    assert pace(replace(TINY, T=80, protocol="paper")) == 50.0
    assert pace(replace(TINY, function="parity")) is None
    assert estimate([Job(TINY, 0), Job(replace(TINY, T=100), 0)], pace) == 5.0
    assert estimate([Job(TINY, 0), Job(replace(TINY, function="parity"), 0)], pace) is None
    assert estimate([], pace) == 0


def test_the_store_measures_pace(store):
    assert store.pace().measured == []
    store.add([Job(TINY, i) for i in range(4)], [RECORD] * 4, 6.0, "cpu")
    store.add([Job(TINY, 4)], [RECORD], 4.0, "cpu")
    store.add([Job(replace(TINY, T=9), 0)], [RECORD])  # not trained here
    assert store.pace().measured == [(TINY, 2.0)]


def test_batches_in_order():
    jobs = grid(30)
    unknown = batches(jobs, Pace([]))
    assert [len(batch) for batch in unknown] == [8] * 6 + [6, 6]
    assert all(len({job.config for job in batch}) == 1 for batch in unknown)
    assert [(batch[0].config.m, batch[0].trial) for batch in unknown[:4]] == [(20, 0), (30, 0), (20, 8), (30, 8)]
    assert sorted(job.key for batch in unknown for job in batch) == sorted(job.key for job in jobs)
    for seconds, size in ((0.01, sweeps.MOST), (5.0, 3), (100.0, 1)):
        assert max(map(len, batches(jobs, Pace([(TINY, seconds)])))) == size
    assert batches([], Pace([])) == []


def test_a_sweep_trains_what_is_missing(store, tmp_path, monkeypatch):
    jobs, seen, called = grid(4), [], []
    assert sweep(jobs, store, silent, budget=0) == Progress(0, 0, 8)
    assert store.known(jobs) == {}

    def counted(config, trials, *rest, **more):
        called.extend((config.m, trial) for trial in trials)
        return run_batch(config, trials, *rest, **more)

    monkeypatch.setattr(sweeps, "run_batch", counted)
    assert sweep(jobs[:3], store, silent) == Progress(3, 0, 0)
    assert sorted(called) == [(20, 0), (20, 1), (30, 0)]
    called.clear()
    assert sweep(jobs, store, seen.append) == Progress(8, 0, 0)
    assert sorted(called) == [(20, 2), (20, 3), (30, 1), (30, 2), (30, 3)]
    assert seen[0] == Progress(3, 0, 5)
    assert max(p.now for p in seen if p.done == 3) == len([job for job in jobs[3:] if job.config.m == 30])
    called.clear()
    assert sweep(jobs, store, silent) == Progress(8, 0, 0)
    assert called == []
    check_all_once(tmp_path / "results.sqlite", jobs)


def test_a_budget_ends_between_batches(store, monkeypatch):
    monkeypatch.setattr(sweeps, "UNKNOWN", 1)
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(sweeps.time, "perf_counter", lambda: float(next(clock)))
    monkeypatch.setattr(sweeps, "run_batch", lambda config, trials, *_, **__: ([RECORD] * len(trials), 1.0))
    assert sweep(grid(4), store, silent, budget=35) == Progress(3, 0, 5)
    assert sorted(store.known(grid(4))) == sorted(job.key for job in grid(4)[:3])


def test_devices(monkeypatch):
    import torch

    check_device("cpu")
    for name in ("nonsense", "meta", ""):
        with pytest.raises(InputError, match="there are cpu and cuda"):
            check_device(name)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="no CUDA device"):
        check_device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    check_device("cuda")


# --- kills


SWEEP = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import torch
torch.set_num_threads(1)
from maurey.verify.training.engine import sweep as sweeps
from maurey.verify.training.engine.store import Store
from test_sweep import grid, silent
sweeps.UNKNOWN = 2
with Store(Path(sys.argv[1])) as store:
    sweeps.sweep(grid(8, iterations=80), store, silent)
"""


def test_a_killed_sweep_goes_on(tmp_path):
    path = tmp_path / "results.sqlite"
    arguments = [sys.executable, "-c", SWEEP, path, Path(__file__).parent]
    child, jobs = subprocess.Popen(arguments), grid(8, iterations=80)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and child.poll() is None:
        if path.exists() and path.stat().st_size and len(_peek(path)) >= 4:
            break
        time.sleep(0.005)
    child.kill()
    assert child.wait() == -signal.SIGKILL
    with Store(path) as store:
        before = store.known(jobs)
        assert 4 <= len(before) < 16
        assert sweep(jobs, store, silent) == Progress(16, 0, 0)
        assert {key: store.known(jobs)[key] for key in before} == before
    check_all_once(path, jobs)


def _peek(path):
    try:
        return rows(path)
    except sqlite3.Error:
        return []


# --- Dask


def test_a_worker_dies(tmp_path, monkeypatch):
    """Two workers, one is killed in mid-sweep: every result is there once, and as trained in this process."""
    monkeypatch.setattr(sweeps, "UNKNOWN", 2)
    jobs, killed = grid(6, iterations=60), []
    with Store(tmp_path / "results.sqlite") as store, cluster(workers=2) as client:
        pids = list(client.run(os.getpid).values())

        def report(progress):
            if progress.done and not killed:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(progress.left)

        assert sweep(jobs, store, report, client=client) == Progress(12, 0, 0)
        assert killed
        assert killed[0] >= 4
        assert sweep(jobs, store, silent, client=client) == Progress(12, 0, 0)
    check_all_once(tmp_path / "results.sqlite", jobs)


def deadly(config, trials, device, threads):
    """Kills the worker, if trial 0 is there; meets a defect at trial 1; or is as fast as can be."""
    if 0 in trials:
        os.kill(os.getpid(), 9)
    if 1 in trials:
        raise ZeroDivisionError("a defect")
    return [RECORD for _ in trials], 0.1


def test_a_batch_that_kills_its_workers_is_given_up(tmp_path, monkeypatch):
    """After its retries, and the rest is kept. A defect is not taken for a dead worker."""
    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    for name, value in {"run_batch": deadly, "UNKNOWN": 1, "RETRIES": 0}.items():
        monkeypatch.setattr(sweeps, name, value)
    jobs = [Job(TINY, trial) for trial in (2, 3, 4, 0)]
    try:
        with Store(tmp_path / "results.sqlite") as store, cluster(workers=1) as client:
            found = sweep(jobs, store, silent, client=client)
            assert found.left == 0
            assert 1 <= found.failed <= 2  # the one that waited for the same worker may be given up with it
            assert len(store.known(jobs)) == found.done
            assert jobs[-1].key not in store.known(jobs)
            with pytest.raises(ZeroDivisionError):
                sweep([Job(TINY, 5), Job(TINY, 1)], store, silent, client=client)
            assert sweep([*jobs[:3], Job(TINY, 5)], store, silent, client=client) == Progress(4, 0, 0)
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "http://127.0.0.1:80", "tls://127.0.0.1:9"])
def test_no_scheduler(address, monkeypatch):
    assert sweeps.PATIENCE <= 10
    monkeypatch.setattr(sweeps, "PATIENCE", 1)
    started = time.monotonic()
    with pytest.raises(InputError, match="no scheduler answers at"), cluster(scheduler=address):
        pass
    assert time.monotonic() - started < 5


def test_no_cluster_is_asked_for():
    with cluster() as client:
        assert client is None


def test_a_cluster_without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"install maurey\[cluster\]"), cluster(workers=2):
        pass
