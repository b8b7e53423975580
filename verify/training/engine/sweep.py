"""Run what is missing of a list of trials: here, on workers of this machine, or on a cluster.

The unit of work is a batch of trials with one configuration. Batches come in the order of their first trials, so
that a sweep that is stopped has as much of everything as possible.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maurey.symbolic.errors import InputError
from maurey.verify.training.trials.keys import Job, Trial

from .store import Pace, Store, unfinished

if TYPE_CHECKING:
    from distributed import Client, Future

AIM, UNKNOWN, MOST = 15.0, 8, 20  # seconds of a batch; its trials where nothing is measured; and at most
FEW, LONG = 5, 3600.0  # trials that make each of them cheaper, however long; but no batch takes more seconds than this
SPEED = 1e11  # multiplications in a second, at most: what nothing was measured of takes no less
RETRIES, PATIENCE = 2, 10  # of a batch whose worker dies; seconds until a scheduler answers
WAIT = 0.5  # seconds until one looks again at what another process has claimed
Result = tuple[list[dict[str, Any]], float]


@dataclass(frozen=True)
class Progress:
    done: int
    failed: int
    left: int
    now: float = 0.0  # how many of the batch in hand, by its iterations
    elsewhere: int = 0  # how many of those left are claimed by other processes, while nothing else is to do


Report = Callable[[Progress], None]


def batches(jobs: Sequence[Job], pace: Pace, longest: float = LONG) -> list[list[Job]]:
    """Each of about `AIM` seconds, or of a `FEW` trials if they take no longer than `longest`, in the order of their
    first trials."""
    cells: dict[Trial, list[Job]] = {}
    for job in jobs:
        cells.setdefault(job.config, []).append(job)
    found = []
    for config, own in cells.items():
        size = _size(config, pace, longest)
        found += [own[i : i + size] for i in range(0, len(own), size)]
    place = {job: number for number, job in enumerate(jobs)}
    return sorted(found, key=lambda batch: place[batch[0]])


def _seconds(config: Trial, pace: Pace) -> float:
    """That a trial takes, or at least takes."""
    found = pace(config)
    return config.work / SPEED if found is None else found


def _size(config: Trial, pace: Pace, longest: float) -> int:
    seconds, measured = _seconds(config, pace), pace(config) is not None
    few = 1 if config.heavy else min(FEW if measured else UNKNOWN, int(longest / seconds))
    return max(1, few, min(MOST, int(AIM / seconds)) if measured else 1)


def estimate(jobs: Sequence[Job], pace: Pace) -> float | None:
    """Seconds for these trials one after the other, if all their kinds were measured."""
    each = [pace(job.config) for job in jobs]
    return None if None in each else sum(seconds for seconds in each if seconds is not None)


def run_batch(config: Trial, trials: Sequence[int], device: str, report: Callable[[float], None] | None = None,
              threads: int = 0, folder: Path | None = None) -> Result:  # fmt: skip
    """The results of a batch and the seconds of work it took."""
    import torch

    from .checkpoints import spent
    from .optimiser import train

    check_device(device)  # of the worker
    if threads:
        torch.set_num_threads(threads)
    started = spent(device)
    told = report or (lambda part: None)
    found = train(config, trials, device, lambda step, left: told(step / config.iterations), folder)
    return found.records, found.before + spent(device) - started


def check_device(name: str) -> None:
    import torch

    try:
        kind = torch.device(name).type
    except RuntimeError:
        raise InputError(f"no device {name!r}; there are cpu and cuda") from None
    if kind not in ("cpu", "cuda"):
        raise InputError(f"no device {name!r}; there are cpu and cuda")
    if kind == "cuda" and not torch.cuda.is_available():
        raise InputError("torch sees no CUDA device here; leave --device out to train on the CPU")


def sweep(
    jobs: Sequence[Job],
    store: Store,
    report: Report,
    device: str = "cpu",
    budget: float | None = None,
    client: Client | None = None,
    pace: Pace | None = None,
) -> Progress:
    """Train what the store lacks, as far as the budget (seconds) goes: no batch is handed out after it, nor one that
    would take longer than all of it. What other processes are at is waited for, and taken over if they end without
    it."""
    started, done, failed = time.perf_counter(), set(store.known(jobs)), set[str]()
    too_long: set[str] = set()

    def within() -> bool:
        return budget is None or time.perf_counter() - started < budget

    def missing() -> list[Job]:
        return [job for job in jobs if job.key not in done and job.key not in failed and job.key not in too_long]

    def told(now: float = 0.0, elsewhere: int = 0) -> Progress:
        progress = Progress(len(done), len(failed), len(jobs) - len(done) - len(failed), now, elsewhere)
        report(progress)
        return progress

    def claimed() -> Iterator[list[Job]]:
        own_pace = pace or store.pace()
        for batch in batches(missing(), own_pace, LONG if budget is None else min(LONG, budget)):
            if not within():
                return
            if budget is not None and len(batch) * _seconds(batch[0].config, own_pace) > budget:
                too_long.update(job.key for job in batch)
            elif own := store.claim(batch):
                yield own

    told()
    while True:
        ahead = 2 if budget is None else 1
        results = (
            _here(claimed(), device, told, store.path.parent / "unfinished")
            if client is None
            else _there(claimed(), device, client, ahead)
        )
        for batch, result in results:
            if result is not None:
                store.add(batch, result[0], result[1], device)
            (failed if result is None else done).update(job.key for job in batch)
            store.leave(batch)
            told()
        done.update(store.known(missing()))  # by others
        if not missing() or not within():
            return told()
        told(elsewhere=len(missing()))
        time.sleep(WAIT)


def _here(
    todo: Iterable[list[Job]], device: str, told: Callable[[float], object], folder: Path
) -> Iterator[tuple[list[Job], Result | None]]:
    for batch in todo:

        def report(part: float, number: int = len(batch)) -> None:
            told(part * number)

        yield batch, run_batch(batch[0].config, [job.trial for job in batch], device, report, folder=folder)
        unfinished(folder, [job.key for job in batch]).unlink(missing_ok=True)  # its results are in the store by now


def _there(
    todo: Iterable[list[Job]], device: str, client: Client, ahead: int = 2
) -> Iterator[tuple[list[Job], Result | None]]:
    """So many batches for every thread are under way, and there may come more threads; a batch whose worker dies is
    tried again."""
    from distributed import as_completed

    waiting, under_way = iter(todo), as_completed()
    own: dict[Future, list[Job]] = {}

    def fill() -> None:
        wanted = ahead * max(1, sum(client.nthreads().values()))
        while len(own) < wanted and (batch := next(waiting, None)):
            trials = [job.trial for job in batch]
            future = client.submit(run_batch, batch[0].config, trials, device, threads=1, retries=RETRIES, pure=False)
            own[future] = batch
            under_way.add(future)

    fill()
    for future in under_way:
        yield own.pop(future), _result(future)
        fill()


def _result(future: Future) -> Result | None:
    """None if all the workers died that had it; any other error is raised here."""
    from distributed import KilledWorker

    if future.status in ("cancelled", "lost"):
        raise ConnectionError("the scheduler does not answer any more")
    if future.status == "error" and isinstance(future.exception(), KilledWorker):
        return None
    return future.result()


@contextmanager
def cluster(workers: int = 0, scheduler: str = "") -> Iterator[Client | None]:
    """A client of workers on this machine, or of a scheduler somewhere; none, if none is asked for."""
    if not workers and not scheduler:
        yield None
        return
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("workers need Dask: install maurey[cluster]") from None
    trim = "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_"  # it costs a worker almost twice the time
    dask.config.set({"distributed.scheduler.allowed-failures": RETRIES, trim: None})
    if scheduler:
        try:
            client = Client(scheduler, timeout=PATIENCE)
        except (OSError, ValueError, TypeError) as error:  # TypeError: tls:// without a certificate
            raise InputError(f"no scheduler answers at {scheduler}: {error}") from None
        with client:
            yield client
        return
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as local,
        Client(local) as client,
    ):
        yield client
