"""A call of the command from a number and the command table: nearly all of it good, now and then something else."""

import inspect
import random
import types
import typing
from dataclasses import dataclass
from functools import cache
from typing import Any

import fuzz_files
import sympy
import typer
from fuzz_words import BAD, EDGE, FILES, GOOD, INTEGERS, KEYS, NAMES, QUICK, RANGES, REALS, WORDS

from maurey import cli
from maurey.symbolic import registry
from maurey.symbolic.claim import KINDS, Claim, Parameter

TRIES = 8  # at values that fit what is assumed
WEIGHTS = {"eval": 30, "samples": 18, "blame": 14, "show": 14, "trace": 14, "compare": 2, "list": 1, "verify": 0.3,
           "tables": 0.3, "errata": 0.05, "bound": 3, "certify": 8, "check-certificate": 4, "book": 0.3}  # fmt: skip
NEVER = {"--commit", "--serve", "--scheduler", "--workers", "--device"}  # they write into the source tree, or wait
OFTEN = {
    "samples": {"gap": 0.97}, "compare": {"over": 0.97}, "certify": {"losses": 0.97}, "book": {"out": 1},
}  # fmt: skip
OUT = {
    "book": ("..", "/", "/dev/null", "\0", "a\0b"),  # a new folder would be a whole book
    "certify": ("c.json", "certificate.json", "losses.csv", "no/such/folder/c.json", ".", "", *WORDS),
}
RARELY = {"certify": 0.03, "bound": 0.12}
NEEDED = {"pac-bayes": ("kl",), "occam": ("message", "decoded")}
METHODS = ("holdout", "prequential", "occam", "pac-bayes")
RARE = {"--list"}  # it takes seconds, and is asked for below


@dataclass(frozen=True)
class Taken:
    """An argument (no flags) or an option of a command."""

    name: str
    flags: tuple[str, ...]
    kind: type
    many: bool


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
    name = rng.choices(names, [WEIGHTS[one] for one in names])[0]
    words = _arguments(rng, name)
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
    method = rng.choice((*METHODS * 40, *WORDS))
    often = OFTEN.get(command, {}) | dict.fromkeys(NEEDED.get(method, ()), 0.9)
    for row in rows:
        if (
            row.flags
            and rng.random() < often.get(row.name, RARELY.get(command, 0.25))
            and row.flags[0] not in NEVER | RARE
        ):
            words += _option(rng, command, row, chosen)
    for row in (row for row in rows if not row.flags):
        if row.name == "key":
            words += [_key(rng, chosen[0], 0.2 if command in ("show", "trace") else 0.5)] if rng.random() < 0.99 else []
        elif row.name == "keys":
            words += [rng.choice(QUICK) for _ in range(rng.choice((1, 1, 2)))]
        elif row.name == "file":
            words += [rng.choice((*fuzz_files.NAMES[command] * 40, *FILES, *WORDS))] if rng.random() < 0.99 else []
        elif row.name == "method":
            words += [method] if rng.random() < 0.99 else []
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


def _option(rng: random.Random, command: str, row: Taken, chosen: list[Claim]) -> list[str]:
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
        "delta": ("0.1", "1/20", "0.01", "1e-9", *BAD),
        "loss": ("0-1", "ramp:1", "cross-entropy:8", "ramp:1/3", "ramp", "ramp:0", "0-1:1", "hinge:1", *WORDS),
        "samples": ("1", "100", "1000000", "10", *INTEGERS),
        "frozen": ("E", "*", "layers.*", "nothing", *WORDS),
        "html": ("a.html", "b.htm", "c.html", "d.html", "no/such/folder/e.html", "f.txt", *WORDS),
        "base": ("net", ".", "nothing", "model.toml", *WORDS),
        "data": ("losses.csv", "nothing", "net", ".", *WORDS),
        "losses": (*("losses.csv", "losses.jsonl", "losses.npy", "rows.csv") * 20, "nothing.csv", *WORDS),
        "window": ("1..10", "1..40", "2..3", "1..1", *RANGES),
        "kl": ("3", "0.1", "0", "100", *BAD),
        "message": ("message.json", "losses.csv", "rules.csv", "nothing", *WORDS),
        "decoded": ("message.json", "message.json", "losses.csv", "nothing", *WORDS),
        **dict.fromkeys(("prior", "posterior"), ("rules.csv", "rules.csv", "losses.npy", "losses.csv", *WORDS)),
        "hypotheses": ("message.json", "losses.csv", "nothing", ".", *WORDS),
        "out": OUT.get(command, WORDS),
    }  # fmt: skip
    by_kind = {int: INTEGERS, float: REALS}.get(row.kind, WORDS + BAD)
    pool = pools.get(row.name, by_kind)
    return [flag, rng.choice(pool[:4] if rng.random() < 0.6 else pool)]


def _moving(chosen: list[Claim]) -> list[str]:
    return [row.name for claim in chosen for row in claim.names] or ["T"]
