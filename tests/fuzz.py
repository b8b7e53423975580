"""Calls of the command that nobody would write by hand: `python tests/fuzz.py --calls 20000 --seed 1`.

Each call is made from the command table and its number, in this process; what ends in a trace, with a code other than
0, 1 or 2, without a clear line, too late, or with files nobody asked for, is printed as a line for the shell.
"""

import argparse
import contextlib
import io
import json
import math
import multiprocessing
import os
import resource
import shlex
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path

import flint
import fuzz_files
import sympy
import typer
from fuzz_calls import call, claims, table

from maurey import cli

ROOT = Path(__file__).parents[1]
HANG = 300.0  # seconds by the clock, of a machine that may be busy, without a word from a call
LATE = 1.5  # seconds of processor time beyond those that a call was given
FIRST = 2.0  # and those that the first use of a library may take
WARM = ["compare", "edelman2022/A.10", "--over", "N=2..100", "eps=1", "B_w=1", "B_X=1"]


@dataclass(frozen=True)
class Ended:
    code: object
    out: str
    err: str
    trace: str
    seconds: float


# --- what comes of them -----------------------------------------------------------------------------------------------


def run(words: list[str]) -> Ended:
    """The command in this process."""
    out, err, before, trace = io.StringIO(), io.StringIO(), sys.argv, ""
    code: object = None
    started = time.process_time()
    sys.argv = ["maurey", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        trace = traceback.format_exc()
    finally:
        sys.argv = before
        sympy.core.parameters.global_parameters.evaluate = True  # a call that was cut short may leave these behind
        flint.ctx.prec = 53
    return Ended(code, out.getvalue(), err.getvalue(), trace, time.process_time() - started)


def problems(words: list[str], ended: Ended, written: set[str]) -> list[str]:
    """What is wrong with how the call ended."""
    found = []
    if ended.trace:
        return [ended.trace.strip().splitlines()[-1]]
    if ended.code not in (0, 1, 2):
        found.append(f"exit {ended.code}")
    if "Traceback" in ended.err + ended.out or "Warning" in ended.err:
        found.append(f"on stderr: {ended.err.strip().splitlines()[-1:]}")
    if ended.code == 2 and not (ended.err.startswith("maurey: ") and ended.err.count("\n") == 1 and not ended.out):
        found.append(f"exit 2 without one clear line: {ended.err[:200]!r}, {ended.out[:80]!r}")
    if ended.code == 1 and not ended.err and not ended.out:
        found.append("exit 1 without a word")
    if ended.code == 0 and "--json" in words and "--help" not in words and not _is_json(ended.out):
        found.append(f"no JSON: {ended.out[:80]!r}")
    if ended.seconds > _given(words) + LATE:
        found.append(f"{ended.seconds:.1f} s of processor time")
    if more := written - _asked(words):
        found.append(f"wrote {', '.join(sorted(more))}")
    return found


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _given(words: list[str]) -> float:
    """Those of --seconds; commands without it are quick at what they are asked here."""
    values = [float(b) for a, b in pairwise(words) if a == "--seconds" and _is_json(b)]
    return min(20.0, *values) + FIRST if values and all(map(math.isfinite, values)) else 20.0


def _asked(words: list[str]) -> set[str]:
    if words[:1] == ["compare"]:
        return {"build/compare.png", *(b for a, b in pairwise(words) if a == "--plot")}
    if words[:1] in (["bound"], ["certify"]):
        return {"certificate.json"} | {b for a, b in pairwise(words) if a in ("--out", "--html")}
    return {"build/tables/results.sqlite"} if words[:1] == ["tables"] else set()


def _files(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def _sources() -> set[tuple[Path, int]]:
    rooms = [ROOT / room for room in ("front", "symbolic", "numeric", "verify", "paper_tables", "docs")]
    files = [file for room in rooms for file in room.rglob("*") if "__pycache__" not in file.parts]
    return {(file, file.stat().st_mtime_ns) for file in [*files, *ROOT.glob("*.*")] if file.is_file()}


def quoted(words: list[str]) -> str:
    """As bash reads it; NUL, which no shell passes on, as \\x00."""
    return " ".join(["maurey", *(shlex.quote(w) if w.isprintable() else "$" + ascii(w) for w in words)])


# --- many of them -----------------------------------------------------------------------------------------------------


def _work(pipe: Connection, seed: int, numbers: range, seconds: float) -> None:
    """Calls one after the other, each announced before and judged after."""
    folder = Path(tempfile.mkdtemp(prefix="maurey-fuzz-"))
    os.chdir(folder)
    before = _sources()
    run(WARM)  # a library whose loading is cut short stays broken in this process
    _clear(folder)
    for number in numbers:
        pipe.send((number, None))
        words = call(seed, number, seconds)
        there = fuzz_files.written(_given_files(words, seed, number), folder)
        ended = run(words)
        found = problems(words, ended, _files(folder) - there)
        _clear(folder)
        pipe.send((number, (words[:1], ended.code, ended.seconds, found)))
    changed = sorted({str(file) for file, _ in _sources() ^ before})
    os.chdir("/")
    shutil.rmtree(folder)
    pipe.send((-1, changed))


def _given_files(words: list[str], seed: int, number: int) -> dict[str, bytes]:
    return fuzz_files.files(words[0], seed, number) if words else {}


def _clear(folder: Path) -> None:
    for entry in list(folder.iterdir()):
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def judged(
    seed: int, numbers: range, seconds: float
) -> Iterator[tuple[int, tuple[list[str], object, float, list[str]]]]:
    """Of every call what came of it, in a process that is left behind with a call that hangs or breaks it."""
    while numbers:
        here, there = multiprocessing.Pipe()
        worker = multiprocessing.get_context("fork").Process(target=_work, args=(there, seed, numbers, seconds))
        worker.start()
        there.close()
        number = numbers[0]
        try:
            while True:
                if not here.poll(HANG):
                    raise TimeoutError
                number, made = here.recv()
                if number < 0:
                    worker.join()
                    if made:
                        yield -1, ([], 0, 0.0, [f"changed in the source tree: {', '.join(made)}"])
                    return
                if made is not None:
                    yield number, made
        except (TimeoutError, EOFError) as end:
            worker.kill()
            worker.join()
            what = (
                f"no end in {HANG:.0f} s" if isinstance(end, TimeoutError) else f"the process died ({worker.exitcode})"
            )
            yield number, (call(seed, number, seconds)[:1], None, HANG, [what])
            numbers = range(number + 1, numbers.stop)


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--calls", type=int, default=2000)
    ask.add_argument("--first", type=int, default=0, help="number of the first one")
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--seconds", type=float, default=0.4, help="for a call that does not say")
    ask.add_argument("--times", action="store_true", help="print where the time went")
    asked = ask.parse_args()
    claims(), table(), fuzz_files.certificates()
    cli.app = typer.main.get_command(cli.app)  # put together once
    codes, spent, bad = Counter[object](), Counter[str](), 0
    for number, (head, code, seconds, found) in judged(
        asked.seed, range(asked.first, asked.first + asked.calls), asked.seconds
    ):
        codes[code] += 1
        spent["".join(head)] += seconds  # type: ignore[assignment]
        bad += bool(found)
        for line in found:
            words = call(asked.seed, number, asked.seconds) if number >= 0 else []
            made = fuzz_files.as_shell(_given_files(words, asked.seed, number), words)
            print(f"{asked.seed}/{number}: {line}\n    {made}{quoted(words)}", flush=True)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    total = sum(one.ru_utime + one.ru_stime for one in used)
    if asked.times:
        print(", ".join(f"{name or '-'} {seconds:.1f} s" for name, seconds in spent.most_common()))
    exits = ", ".join(f"{count} x {code}" for code, count in sorted(codes.items(), key=str))
    print(f"{asked.calls} calls, seed {asked.seed}: exits {exits}; {total:.0f} s of processor time; {bad} failures")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
