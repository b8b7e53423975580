"""Calls of the command that nobody would write by hand: `python tests/fuzz.py --calls 20000 --seed 1`.

Each call is made from the command table and its number, in this process; what ends in a trace, with a code other than
0, 1 or 2, without a clear line, too late, or with files nobody asked for, is printed as a line for the shell.
"""

import argparse
import contextlib
import inspect
import io
import json
import math
import multiprocessing
import os
import random
import resource
import shlex
import shutil
import sys
import tempfile
import time
import traceback
import types
import typing
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import flint
import sympy
import typer

from maurey import cli
from maurey.symbolic import registry
from maurey.symbolic.claim import KINDS, Claim, Parameter

ROOT = Path(__file__).parents[1]
TRIES = 8  # at values that fit what is assumed
HANG = 300.0  # seconds by the clock, of a machine that may be busy, without a word from a call
LATE = 1.5  # seconds of processor time beyond those that a call was given
FIRST = 2.0  # and those that the first use of a library may take
WEIGHTS = {"eval": 30, "samples": 18, "blame": 14, "show": 14, "trace": 14, "compare": 2, "list": 1, "verify": 0.3,
           "tables": 0.3, "errata": 0.05}  # fmt: skip
OTHERS = 1.0  # commands of which nothing is known here: their help, and arguments that are not taken
NEVER = {"--commit", "--serve", "--scheduler", "--workers", "--device"}  # they write into the source tree, or wait
RARE = {"--list"}  # it takes seconds, and is asked for below
QUICK = (
    "edelman2022/2.1", "zhang2002/4", "dudley1967/1", "mousavi2025/1", "nowhere/1", "edelman2022/A.71",
)  # fmt: skip

WARM = ["compare", "edelman2022/A.10", "--over", "N=2..100", "eps=1", "B_w=1", "B_X=1"]

GOOD = {
    "positive integer": ("1", "2", "3", "7", "8", "16", "100", "1e3", "50000", "1e6", "4/2"),
    "positive real": ("1", "0.1", "1/3", "2", "2.5", "1e-3", "17.3", "100", "1e4"),
    "nonnegative real": ("0", "1", "0.25", "3", "1e-6", "40"),
    "in (0, 1)": ("0.1", "1/4", "0.01", "0.5", "1e-9"),
    "in (0, 1]": ("1", "1/2", "0.05"),
    "in [0, 1]": ("0", "1", "0.3"),
}
EDGE = (
    "1e100", "1e-100", "1e308", "1e-400", "1e999", "1e-999", "123456789/987654321", "0.99999999999999999999999",
    "1.00000000000000000000001", "9" * 900, "2e2", "1" + "0" * 300, "1/" + "7" * 200,
)  # fmt: skip
BAD = (
    "", " ", "0", "-1", "-0", "nan", "inf", "-inf", "1e999999999", "1e-999999999", "1e1000", "٣", "1٢", "²",
    "½", "1\n", "1\n2", "\n", "\0", "1\x002", "1,2", "1,,2", ",", "1,", "[1,2]", "1/0", "0/0", "1//2", "1.5.2",
    "1e", "e5", "--", "=", "a=b", "x", "None", "True", "0x10", "1_000", "1 000", "1+1", "__import__('os')",
    "9" * 5000, "\udc80", "−1", "1e+", "+1", ".5", "5.", "1" * 1001, "1,2,3,4,5,6,7,8,9",
    ",".join(["1"] * 1001), "%s", "{}", "\\", "$(ls)",
)  # fmt: skip
NAMES = (
    "part", "form", "claim", "digits", "gap", "limit", "report", "values", "self", "key", "seconds", "json", "",
    " ", "x\0y", "a\nb", "--form", "ε", "B_V[1]", "B_V_", "L", "H", "m", "n", "eps", "C0", "kappa", "m ",
    "__class__", "lambda",
)  # fmt: skip
WORDS = (
    "", " ", "all", "nothing", "..", "../..", "/", "a\0b", "a\nb", "ä", "\udc80", "-1", "--", "[bold]x[/bold]",
    "%d", "*",
)  # fmt: skip
KEYS = (
    "", "4.4", "edelman2022", "edelman2022/", "/4.4", "edelman2022/4.4:", ":", "edelman2022/4.4:nothing",
    "maurey", "edelman2022/4.4:log_N:log_N", "a/b", "edelman2022/4.4 ", "Edelman2022/4.4", "../edelman2022/4.4",
    "edelman2022/\0", "edelman2022/\n4.4", "edelman2022.4.4", "__init__/1", "a/b/c", "é/1", "\udc80/1", "=",
    "x" * 3000,
)  # fmt: skip
INTEGERS = (
    "0", "1", "2", "3", "5", "-1", "12", "50", "1000", "10000", "10001", "99999999999999999999", "1e3", "2.5",
    "", "x", "٣", "9" * 5000, "\0", " 3", "0x1", "nan",
)  # fmt: skip
REALS = (
    "0.2", "0.3", "0.5", "1", "0.01", "0", "-1", "nan", "inf", "1e-300", "1e300", "", "x", "1\n", "٣",
    "1e999999999",
)  # fmt: skip
RANGES = (
    "16..1e6", "1..2", "2..1", "1..1", "0..1", "-1..1", "1..", "..1", "..", "1...2", "1e-400..1e400",
    "1..1e308", "a..b", "", "1..nan", "1..2..3", "1\0..2", "1/3..2/3", "0.1..0.9", "1,2..3",
)  # fmt: skip
FILES = (
    "a.png", "b.svg", "c.pdf", "d.PNG", "e.txt", "", ".", "/", "no/such/folder/f.png", "a\0b.png", "f\ng.svg",
    ".png", "..png", "x" * 300 + ".png", "é.png", "\udc80.png",
)  # fmt: skip


@dataclass(frozen=True)
class Taken:
    """An argument (no flags) or an option of a command."""

    name: str
    flags: tuple[str, ...]
    kind: type
    many: bool


@dataclass(frozen=True)
class Ended:
    code: object
    out: str
    err: str
    trace: str
    seconds: float


# --- the command table ------------------------------------------------------------------------------------------------


@cache
def table() -> dict[str, tuple[Taken, ...]]:
    """What every command takes, from what it is declared with."""
    found = {}
    for info in cli.app.registered_commands:
        assert info.callback is not None
        hints = typing.get_type_hints(info.callback, include_extras=True)
        rows = [_taken(name, hints[name]) for name in inspect.signature(info.callback).parameters]
        found[info.name or info.callback.__name__] = tuple(rows)
    return found


def _taken(name: str, hint: Any) -> Taken:
    kind, declared = typing.get_args(hint)[:2]
    if isinstance(kind, types.UnionType):
        kind = next(one for one in typing.get_args(kind) if one is not type(None))
    many = typing.get_origin(kind) is list
    words = (declared.default, *(declared.param_decls or ())) if isinstance(declared, typer.models.OptionInfo) else ()
    flags = tuple(word for word in words if isinstance(word, str) and word.startswith("-"))
    return Taken(name, flags, typing.get_args(kind)[0] if many else kind, many)


# --- calls ------------------------------------------------------------------------------------------------------------


@cache
def claims() -> tuple[Claim, ...]:
    return tuple(registry.all_claims())


@cache
def with_forms() -> tuple[Claim, ...]:
    return tuple(claim for claim in claims() if claim.forms)


@cache
def with_samples() -> tuple[Claim, ...]:
    return tuple(claim for claim in with_forms() if claim.samples in {row.name for row in claim.symbols})


def call(seed: int, number: int, seconds: float) -> list[str]:
    """The words of a call: the same for the same numbers."""
    rng = random.Random(f"{seed}/{number}")
    if rng.random() < 0.005:
        return rng.choice([[], ["--help"], ["--version"], [rng.choice(WORDS)], ["--nothing"], ["evall"], ["\0"]])
    names = list(table())
    name = rng.choices(names, [WEIGHTS.get(one, OTHERS) for one in names])[0]
    words = (
        _arguments(rng, name) if name in WEIGHTS else rng.choice([["--help"], ["--nothing"], [f"--{rng.choice(KEYS)}"]])
    )
    if any(row.name == "seconds" for row in table()[name]) and "--seconds" not in words:
        words += ["--seconds", str(seconds)]
    if rng.random() < 0.02:
        words.insert(rng.randrange(len(words) + 1), rng.choice([*WORDS, "--nothing", "--help", "-x"]))
    return [name, *words]


def _arguments(rng: random.Random, command: str) -> list[str]:
    words: list[str] = []
    size = rng.choice((1, 1, 2, 3)) if command == "compare" else 1
    pool = claims() if rng.random() < 0.08 else with_samples() if command == "samples" else with_forms()
    chosen = [rng.choice(pool) for _ in range(size)]
    rows = table()[command]
    for row in rows:
        if (
            row.flags
            and rng.random() < (0.25 if row.name not in ("gap", "over") else 0.97)
            and row.flags[0] not in NEVER | RARE
        ):
            words += _option(rng, row, chosen)
    for row in (row for row in rows if not row.flags):
        if row.name == "key":
            words += [_key(rng, chosen[0], 0.2 if command in ("show", "trace") else 0.5)] if rng.random() < 0.99 else []
        elif row.name == "keys":
            words += [rng.choice(QUICK) for _ in range(rng.choice((1, 1, 2)))]
        elif row.name == "exhibits":
            words += [rng.choice((*KEYS, *WORDS, "edelman2022/head"))] if rng.random() < 0.9 else []
        else:
            words += [_key(rng, claim, 0.5) for claim in chosen] if row.name == "words" else []
            moving = {word.partition("=")[0] for word in words}
            words += _values(rng, chosen, {chosen[0].samples} if command == "samples" else moving)
    if command == "tables":
        words += [rng.choice(("--dry-run",) * 49 + ("--list",))]
    return words


def _key(rng: random.Random, claim: Claim, part: float) -> str:
    if rng.random() < 0.04:
        return rng.choice(KEYS)
    if claim.parts and rng.random() < part:
        return f"{claim.key}:{rng.choice(claim.parts).name}"
    return claim.key


def _values(rng: random.Random, chosen: list[Claim], without: set[str]) -> list[str]:
    """One for each name, nearly all of them good; now and then something else."""
    rows = {row.name: row for claim in chosen for row in claim.symbols}
    for _ in range(TRIES):
        given = _draw(rng, rows, without)
        if all(_fits(claim, given) for claim in chosen):
            break
    words = [f"{name}={value}" for name, value in given.items()]
    if words and rng.random() < 0.1:
        place = rng.randrange(len(words))
        words[place] = words[place].partition("=")[0] + "=" + rng.choice(BAD)
    if rng.random() < 0.04:
        words.append(rng.choice((*NAMES, *rows)) + "=" + rng.choice(("1", "2", *BAD)))
    if rng.random() < 0.01:
        words.append(rng.choice(WORDS))
    rng.shuffle(words)
    return words


def _draw(rng: random.Random, rows: dict[str, Parameter], without: set[str]) -> dict[str, str]:
    size, edges = str(rng.choice((1, 2, 2, 3))), rng.random() < 0.2
    given = {}
    for name, row in rows.items():
        if (row.optional and rng.random() < 0.6) or (name in without and rng.random() < 0.98) or rng.random() < 0.006:
            continue
        pool = EDGE if edges and rng.random() < 0.2 else GOOD.get(row.domain, EDGE)
        if rng.random() < 0.4:  # the smaller ones go together
            pool = pool[:3]
        given[name] = size if name in ("L", "H", "omega") else rng.choice(pool)
        if row.index and rng.random() < 0.3:
            given[name] = ",".join(rng.choice(pool) for _ in range(int(size)))
    return given


def _fits(claim: Claim, given: dict[str, str]) -> bool:
    """What is assumed of those that are given."""
    values = {name: sympy.Rational(text) for name, text in given.items() if "," not in text}
    for assumption in claim.assumes:
        symbols = assumption.relation.atoms(sympy.Symbol)
        known = {s: values[s.name] for s in symbols if s.name in values}
        if len(known) == len(symbols) and not assumption.relation.xreplace(known):
            return False
    return True


def _option(rng: random.Random, row: Taken, chosen: list[Claim]) -> list[str]:
    flag = row.flags[0]
    if row.kind is bool:
        return [flag]
    pools: dict[str, tuple[str, ...]] = {
        "form": ("printed", "derived", "sharp", "repaired", *WORDS[:4]),
        "forms": ("printed", "derived", "sharp", "repaired", "all", *WORDS[:3]),
        "against": ("printed", "derived", "sharp", *WORDS[:4]),
        "part": (*(part.name for claim in chosen for part in claim.parts), *WORDS[:4]),
        "gap": ("0.1", "0.5", "1", "3", "100", "1e-3") * 4 + EDGE[:6] + BAD,
        "over": tuple(f"{name}={ends}" for name in _moving(chosen) for ends in ("16..1e6", "1..2", "0.1..0.9")) * 3
        + tuple(f"{rng.choice((*_moving(chosen), *NAMES))}={ends}" for ends in RANGES) + WORDS,
        "kind": (*KINDS, *WORDS[:4]),
        "paper": (*registry.paper_names(), *KEYS[:5]),
        "plot": FILES,
        "effort": ("quick", "lazy", ""),
        "scale": ("smoke", "laptop", "paper", *WORDS[:3]),
        "protocol": ("fast", "paper", *WORDS[:3]),
        "digits": ("1", "2", "15", "30", "50", "200", *INTEGERS),
        "layers": ("1", "2", "3", "4", *INTEGERS),
        "points": ("2", "3", "10", "30", *INTEGERS),
    }  # fmt: skip
    by_kind = {int: INTEGERS, float: REALS}.get(row.kind, WORDS + BAD)
    pool = pools.get(row.name, by_kind)
    return [flag, rng.choice(pool[:4] if rng.random() < 0.6 else pool)]


def _moving(chosen: list[Claim]) -> list[str]:
    return [row.name for claim in chosen for row in claim.names] or ["T"]


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
        ended = run(words)
        found = problems(words, ended, _files(folder))
        _clear(folder)
        pipe.send((number, (words[:1], ended.code, ended.seconds, found)))
    changed = sorted({str(file) for file, _ in _sources() ^ before})
    os.chdir("/")
    shutil.rmtree(folder)
    pipe.send((-1, changed))


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
    claims(), table()
    cli.app = typer.main.get_command(cli.app)  # put together once
    codes, spent, bad = Counter[object](), Counter[str](), 0
    for number, (head, code, seconds, found) in judged(
        asked.seed, range(asked.first, asked.first + asked.calls), asked.seconds
    ):
        codes[code] += 1
        spent["".join(head)] += seconds  # type: ignore[assignment]
        bad += bool(found)
        for line in found:
            words = quoted(call(asked.seed, number, asked.seconds)) if number >= 0 else "maurey"
            print(f"{asked.seed}/{number}: {line}\n    {words}", flush=True)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    total = sum(one.ru_utime + one.ru_stime for one in used)
    if asked.times:
        print(", ".join(f"{name or '-'} {seconds:.1f} s" for name, seconds in spent.most_common()))
    exits = ", ".join(f"{count} x {code}" for code, count in sorted(codes.items(), key=str))
    print(f"{asked.calls} calls, seed {asked.seed}: exits {exits}; {total:.0f} s of processor time; {bad} failures")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
