"""Sweeps: in which order, what two processes share, and what a kill or a dead worker does."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from maurey.symbolic.errors import InputError
from maurey.verify.training.engine import checkpoints
from maurey.verify.training.engine import sweep as sweeps
from maurey.verify.training.engine.optimiser import train
from maurey.verify.training.engine.store import Pace, Store
from maurey.verify.training.engine.sweep import Progress, batches, check_device, cluster, estimate, run_batch, sweep
from maurey.verify.training.trials.boolean import Config
from maurey.verify.training.trials.keys import Job
from maurey.verify.training.trials.majority import Majority
from maurey.verify.training.trials.parities import Spectrum
from maurey.verify.training.trials.regression import Regression

TINY = Config(T=8, m=20, width=16, heads=4, held_out=200, iterations=40, every=10, stop=False)
RECORD = {"status": "done", "errors": 3, "iterations": 40}

pytestmark = pytest.mark.usefixtures("one_thread")


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


# --- order and pace


def test_pace_is_that_of_the_nearest_of_its_kind():
    near, far = replace(TINY, T=10), replace(TINY, T=100)
    pace = Pace([(near, 1.0), (far, 4.0), (replace(TINY, protocol="paper"), 50.0)])
    assert pace(near) == 1.0
    assert pace(far) == 4.0
    assert Pace([(replace(near, rate=0.1), 9.0), (near, 1.0)])(near) == 1.0  # as long as another, and its own
    assert pace(replace(TINY, T=12)) == pytest.approx(replace(TINY, T=12).work / near.work)
    assert pace(replace(TINY, T=80)) == pytest.approx(4 * replace(TINY, T=80).work / far.work)
    assert pace(replace(TINY, protocol="paper")) == 50.0
    assert pace(replace(TINY, function="parity")) is None
    assert pace(replace(near, iterations=80)) == 2.0
    assert estimate([Job(near, 0), Job(far, 0)], pace) == 5.0
    assert estimate([Job(TINY, 0), Job(replace(TINY, function="parity"), 0)], pace) is None
    assert estimate([], pace) == 0


@pytest.mark.parametrize(
    ("cell", "more"),
    [
        (Config(m=100), dict(T=400, width=256, m=200, protocol="paper")),
        (Majority(T=40), dict(T=160, width=256, heads=8)),
        (Spectrum(model="two_layers", D=2), dict(T=30, width=512, dropout=0.1)),
        (Regression(model="transformer", N=8), dict(N=32, d=40, heads=4, width=1000)),
        (Regression(model="feedforward", N=8), dict(N=32, d=40, q=4)),
        (Regression(model="recurrent", N=8), dict(N=32, hidden=2000, cell="gru", q=4)),
    ],
    ids=lambda cell: getattr(cell, "model", ""),
)
def test_a_larger_cell_is_priced_higher(cell, more):
    """By width, length and recurrence, also where only small ones were measured; and in proportion to the steps."""
    pace = Pace([(cell, 1.0)])
    for name, value in more.items():
        larger = replace(cell, **{name: value})
        assert larger.work > cell.work, name
        assert larger.kind != cell.kind or pace(larger) == pytest.approx(larger.work / cell.work)
    twice = "iterations" if isinstance(cell, Config) else "cap"
    longer = replace(cell, **{twice: 2 * getattr(cell, twice)})
    assert pace(longer) == pytest.approx(2, rel=1e-3)


def test_the_pace_of_a_configuration_is_found_once(monkeypatch):
    pace, asked = Pace([(TINY, 1.0)]), []
    original = Pace._found
    monkeypatch.setattr(Pace, "_found", lambda self, wanted: (asked.append(wanted), original(self, wanted))[1])
    assert estimate(grid(50), pace) > 0
    assert asked == [job.config for job in grid(1)]


def test_batches_in_order():
    jobs = grid(30)
    unknown = batches(jobs, Pace([]))
    assert [len(batch) for batch in unknown] == [8] * 6 + [6, 6]
    assert all(len({job.config for job in batch}) == 1 for batch in unknown)
    assert [(batch[0].config.m, batch[0].trial) for batch in unknown[:4]] == [(20, 0), (30, 0), (20, 8), (30, 8)]
    assert sorted(job.key for batch in unknown for job in batch) == sorted(job.key for job in jobs)
    assert batches([], Pace([])) == []


def test_waiting_is_no_work():
    """What a pace is made of does not depend on what else the machine does."""
    waits = []

    def wait(part):
        waits.append(part)
        time.sleep(0.05)

    started = time.perf_counter()
    seconds = run_batch(TINY, [0], "cpu", wait)[1]
    assert waits
    assert 0 < seconds < time.perf_counter() - started - 0.05 * len(waits) / 2  # another thread may have worked


def test_a_few_long_trials_are_one_batch():
    """Five at once, where that is cheaper for each, if it is done within the hour, or within the budget."""

    def size(seconds, config=TINY, **more):
        return max(map(len, batches([Job(config, i) for i in range(30)], Pace([(config, seconds)]), **more)))

    assert [size(seconds) for seconds in (0.01, 1.0, 2.0, 5.0, 100.0)] == [sweeps.MOST, 15, 7, 5, 5]
    assert [size(seconds) for seconds in (719.0, 1000.0, 3599.0, 3601.0)] == [5, 3, 1, 1]
    assert [size(100.0, longest=longest) for longest in (1.0, 99.0, 200.0, 10_000.0)] == [1, 1, 2, 5]
    heavy = replace(TINY, protocol="paper"), Regression(model="recurrent", N=4), Regression(model="transformer", N=100)
    assert [size(5.0, config) for config in heavy] == [3, 3, 3]
    assert [size(100.0, config) for config in heavy] == [1, 1, 1]


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


def test_what_takes_longer_than_the_budget_is_not_begun(store, monkeypatch):
    """The rest is trained, and nothing is waited for."""
    monkeypatch.setattr(sweeps, "run_batch", lambda config, trials, *_, **__: ([RECORD] * len(trials), 1.0))
    monkeypatch.setattr(sweeps.time, "sleep", None)
    jobs = grid(4)
    pace = Pace([(jobs[0].config, 1000.0), (jobs[1].config, 0.1)])
    assert sweep(jobs, store, silent, budget=100, pace=pace) == Progress(4, 0, 4)
    assert set(store.known(jobs)) == {job.key for job in jobs if job.config.m == 30}
    assert sweep(jobs, store, silent, budget=1, pace=pace) == Progress(4, 0, 4)
    unknown = Job(replace(TINY, iterations=10**9), 0)
    assert sweep([unknown], store, silent, budget=1) == Progress(0, 0, 1)
    assert sweep(jobs, store, silent, pace=pace) == Progress(8, 0, 0)


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


CHILD = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from maurey.verify.training.engine import checkpoints
from maurey.verify.training.engine import sweep as sweeps
from maurey.verify.training.engine.optimiser import train
from maurey.verify.training.engine.store import Store
from test_sweep import RECORD, grid, silent
sweeps.UNKNOWN, sweeps.WAIT = 2, 0.01
def told(config, trials, *rest, **more):
    print(*[config.m, *trials], flush=True)
    return batch(config, trials, *rest, **more)
"""
WITH_ANOTHER = """
def batch(config, trials, *rest, **more):  # the first one takes until both have begun
    global batch
    input()
    batch = lambda config, trials, *rest, **more: ([RECORD for _ in trials], 0.01)
    return batch(config, trials)
sweeps.run_batch = told
with Store(Path(sys.argv[1])) as store:
    print("all", sweeps.sweep(grid(20), store, silent).done)
"""
HANGS = """
import torch
torch.set_num_threads(1)
def report(progress):
    if progress.done == 6 and progress.now > 1:  # half of the fourth batch
        print("hangs", flush=True)
        time.sleep(600)
batch, sweeps.run_batch = sweeps.run_batch, told
with Store(Path(sys.argv[1])) as store:
    sweeps.sweep(grid(8, iterations=80), store, report)
"""


@pytest.fixture
def child():
    """Starts processes; none outlives its test."""
    found = []

    def start(path, script):
        arguments = [sys.executable, "-c", CHILD + script, path, Path(__file__).parent]
        found.append(subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return found[-1]

    yield start
    for one in found:
        one.kill()
        one.communicate()


def began(lines):
    """The trials of those batches, each line as its process has told it: m, then the numbers."""
    return [(int(m), int(trial)) for m, *trials in (line.split() for line in lines) for trial in trials]


def test_two_processes_share_the_trials(tmp_path, child):
    """Each begins a batch before any ends: the batches differ, and all in all no trial is begun twice."""
    path = tmp_path / "results.sqlite"
    both = [child(path, WITH_ANOTHER) for _ in range(2)]
    lines = [one.stdout.readline() for one in both]
    for one in both:
        print(file=one.stdin, flush=True)
    for one in both:
        rest, _ = one.communicate(timeout=60)
        assert rest.endswith("all 40\n")
        lines += rest.splitlines()[:-1]
    assert sorted(began(lines)) == sorted((job.config.m, job.trial) for job in grid(20))
    assert len(rows(path)) == 40
    assert trained_in_batches(path) == 40


def trained_in_batches(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT SUM(trials) FROM batches").fetchone()[0]


def test_a_killed_sweep_goes_on(tmp_path, monkeypatch, child):
    """While it lives, nobody else trains what it is at; then that one batch is trained again, and nothing else."""
    path, jobs, called = tmp_path / "results.sqlite", grid(8, iterations=80), []
    other = child(path, HANGS)
    theirs = [other.stdout.readline() for _ in range(5)]
    assert theirs.pop() == "hangs\n"
    theirs = began(theirs)
    assert len(theirs) == 8

    def counted(config, trials, *rest, **more):
        called.extend((config.m, trial) for trial in trials)
        return run_batch(config, trials, *rest, **more)

    def report(progress):
        if progress.elsewhere and other.poll() is None:
            assert (progress.done, progress.left, progress.elsewhere) == (14, 2, 2)
            assert not set(called) & set(theirs)
            other.kill()
            assert other.wait() == -signal.SIGKILL

    monkeypatch.setattr(sweeps, "run_batch", counted)
    monkeypatch.setattr(sweeps, "WAIT", 0.01)
    with Store(path) as store:
        before = store.known(jobs)
        assert sorted((job.config.m, job.trial) for job in jobs if job.key in before) == sorted(theirs[:6])
        assert sweep(jobs, store, silent, budget=0) == Progress(6, 0, 10)
        assert sweep(jobs, store, report) == Progress(16, 0, 0)
        assert {key: store.known(jobs)[key] for key in before} == before
    assert other.returncode == -signal.SIGKILL
    assert sorted(called) == sorted({(job.config.m, job.trial) for job in jobs} - set(theirs[:6]))
    assert trained_in_batches(path) == 16
    check_all_once(path, jobs)


def test_what_another_process_is_at_is_not_waited_for_beyond_the_budget(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeps, "run_batch", None)
    clock = iter(range(100))
    monkeypatch.setattr(sweeps.time, "perf_counter", lambda: float(next(clock)))
    monkeypatch.setattr(sweeps.time, "sleep", lambda _: None)
    seen = []
    with Store(tmp_path / "results.sqlite") as store:
        monkeypatch.setattr(store.claims, "take", lambda _: False)
        assert sweep(grid(4), store, seen.append, budget=20) == Progress(0, 0, 8)
    assert seen[1] == Progress(0, 0, 8, elsewhere=8)
    assert next(clock) < 30


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


def test_workers_give_memory_back_as_they_do_without_dask():
    """Dask's own threshold costs a worker almost twice the time."""
    with cluster(workers=1) as client:
        (environment,) = client.run(lambda: dict(os.environ)).values()
    assert "MALLOC_TRIM_THRESHOLD_" not in environment
    assert environment["OMP_NUM_THREADS"] == "1"


def test_no_cluster_is_asked_for():
    with cluster() as client:
        assert client is None


def test_a_cluster_without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"install maurey\[cluster\]"), cluster(workers=2):
        pass


SEVERAL = {
    "strings": replace(TINY, stop=True),
    "majority": Majority(T=4, s=3, m=11, batch=4, cap=60, held_out=100, width=8, rate=0.1, dtype="float64"),
    "spectra": Spectrum(model="two_layers", D=2, omega=2, T=6, m=40, batch=8, cap=9, held_out=32, width=8, dropout=0.1),
    "prompts": Regression(N=3, model="transformer", d=4, width=8, batch=16, cap=640, every=5, held_out=50),
}


@pytest.mark.parametrize("config", SEVERAL.values(), ids=SEVERAL)
def test_a_batch_that_is_stopped_goes_on_where_it_was(config, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    whole, seen, again = train(config, range(3)), [], []

    def stop(step, left):
        seen.append(step)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, range(3), report=stop, folder=tmp_path)
    (file,) = tmp_path.iterdir()
    found = train(config, range(3), report=lambda step, left: again.append(step), folder=tmp_path)
    assert again[0] == seen[2]  # the last that was written is the one before
    assert found.records == whole.records
    assert all(torch.equal(a[n], b[n]) for a, b in zip(found.networks, whole.networks, strict=True) for n in a)
    assert found.before > 0
    file.write_bytes(file.read_bytes()[:100])
    assert train(config, range(3), folder=tmp_path).records == whole.records  # from the start


def test_what_is_stored_is_not_kept_in_hand(store, monkeypatch):
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    assert sweep(grid(2), store, silent).done == 4
    assert list((store.path.parent / "unfinished").iterdir()) == []
