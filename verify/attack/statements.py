"""Statements of claims under attack: an inequality at many sizes whose targets are forms of the claim.

A statement builds, for given sizes, an inequality; its rhs is the claim's own form, its lhs is computed once for
tensors and for balls. All its cases are attacked, instances that were kept are evaluated again, and what was found is
told form by form. Torch is imported only when a check runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from maurey.numeric.balls import to_arb
from maurey.symbolic import registry
from maurey.symbolic.derivation import Step
from maurey.verify.checks import Effort, Result
from maurey.verify.files import replace
from maurey.verify.tensors import torch

from .ascent import attack
from .confirmation import confirm, enclosed, examined, in_balls
from .inequality import Found, Inequality, run_steps

INSTANCES = Path(__file__).parent / "instances"
SMALL = 6  # kept instances have no dimension beyond this
STARTS, STEPS = 128, 50
LONG, LONGEST, MOST_SCORES = 16, 256, 1 << 21  # longer sequences get fewer starts; and scores in one tensor

Case = Mapping[str, Any]
Build = Callable[..., Inequality]  # of a case


@dataclass(frozen=True)
class Statement:
    build: Build
    cases: tuple[Case, ...]
    about: str  # what is perturbed
    speaks: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)  # target: its (part, form)s

    def forms_of(self, target: str) -> tuple[tuple[str, str], ...]:
        part, _, form = target.partition(" ")
        return self.speaks.get(target, (("log_N" if part in ("radius", "reach") else part, form),))


def sized(names: str, *rows: tuple[Any, ...]) -> tuple[Case, ...]:
    """Cases as a table."""
    return tuple(dict(zip(names.split(), row, strict=True)) for row in rows)


def one_thread() -> None:
    """The starts are small enough for one thread."""
    torch.set_num_threads(1)


# --- the claim's own forms as right-hand sides -------------------------------------------------------------------


@cache
def forms(key: str) -> dict[str, list[Step]]:
    claim = registry.find(key)
    return {f"{part.name} {form}": part.steps(form) for part in claim.parts for form in part.forms}


def constants(key: str, like: Any) -> dict[str, Any]:
    """The claim's constants have the values it gives them."""
    return {c.name: (like * 0 + c.value.numerator) / c.value.denominator for c in registry.find(key).constants}


def stated(key: str, lhs: Any, scale: Any, values: Mapping[str, Any]) -> dict[str, tuple[Any, Any, Any]]:
    """Every form of every part at these values."""
    at = constants(key, lhs) | dict(values)
    return {name: (lhs, run_steps(steps, at), scale) for name, steps in forms(key).items()}


# --- the attack on all cases -------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What all cases together say of one target."""

    effective: int = 0
    best: Found | None = None  # the instance with the largest ratio, and
    case: Case = field(default_factory=dict)  # the case it belongs to
    groups: dict[str, float] = field(default_factory=dict)
    unit: dict[int, float] = field(default_factory=dict)  # by sequence length, where all bounds are 1

    def add(self, effective: int, found: Found, case: Case) -> None:
        self.effective += effective
        if self.best is None or found.rank() > self.best.rank():
            self.best, self.case = found, case


def tally(effort: Effort, statement: Statement, cases: tuple[Case, ...] = ()) -> dict[str, Tally]:
    """Attack every case; a target is found under its name."""
    one_thread()
    found: dict[str, Tally] = {}
    steps = STEPS * (1 + effort.scale.bit_length() // 2)
    for n, case in enumerate(cases or (*statement.cases, *_larger(statement.cases[-1], effort))):
        T = case.get("T", 1)
        starts = min(STARTS * effort.scale * LONG // max(LONG, T), MOST_SCORES // T**2)
        outcome = attack(statement.build(**case), starts, steps, 1000 * effort.seed + n)
        for target, effective in outcome.effective.items():
            t = found.setdefault(target, Tally())
            if target in outcome.best:
                t.add(effective, outcome.best[target], case)
                if case.get("unit"):
                    t.unit[case["T"]] = outcome.best[target].ratio
        for (target, group), ratio in outcome.tightness.items():
            found[target].groups[group] = max(ratio, found[target].groups.get(group, 0.0))
    return found


def _larger(case: Case, effort: Effort) -> Iterator[Case]:
    """Beyond `quick`, the last case again with its first size multiplied."""
    if effort.scale > 1:
        name = next(iter(case))
        yield {**case, name: min(case[name] * effort.scale, LONGEST)}


# --- what a check says -------------------------------------------------------------------------------------------


def examine(key: str, effort: Effort, statement: Statement) -> list[Result]:
    try:
        found = tally(effort, statement)
    except ModuleNotFoundError as missing:
        return [Result("undecided", "tested", f"{missing.name} is not installed: pip install maurey[train]")]
    for target, case, found_before in kept(key, statement):
        if target in found:
            found[target].add(1, found_before, case)
    merged: dict[tuple[str, str], list[tuple[str, Tally]]] = {}
    for target, t in found.items():
        for spoken in statement.forms_of(target):
            merged.setdefault(spoken, []).append((target, t))
    return [result(part, form, of, statement) for (part, form), of in merged.items()]


def result(part: str, form: str, of: list[tuple[str, Tally]], statement: Statement) -> Result:
    """The first target is the movement itself; others (radii) must hold too."""
    instances, main = of[0][1].effective, of[0][1]
    found = [(t.best, t.case, target) for target, t in of if t.best]
    if main.best is None or len(found) < len(of):
        return Result("undecided", "tested", "No instance met the hypotheses.", part=part, form=form)
    worst, case, target = max(found, key=lambda entry: entry[0].rank())
    witness = {"target": target, "case": dict(case), **worst.instance}
    about: dict[str, Any] = {"instances": instances, "part": part, "form": form}
    if worst.refuted:
        inequality = statement.build(**case)
        lhs, rhs = map(_digits, enclosed(inequality, worst.instance, target))
        at = inequality.point(in_balls(inequality, worst.instance))
        witness |= {"at": {name: _digits(to_arb(x)) for name, x in at.items()}} if at else {}
        note = f"An instance that meets the hypotheses exactly has {lhs} where at most {rhs} is allowed."
        about |= {"tightness": worst.ratio, "counterexample": witness, "printed_value": rhs, "true_value": lhs}
        return Result("fails", "refuted", note, **about)
    if worst.refuted is None:
        note = "Floats find a violation that ball arithmetic neither confirms nor excludes."
        return Result("undecided", "tested", note, tightness=worst.ratio, counterexample=witness, **about)
    alone = ", ".join(f"{group.rstrip('~')} {ratio:.1f}" for group, ratio in main.groups.items() if group != "all")
    terms = f" (moved alone: {alone})" if len(main.groups) > 1 else ""
    if main.unit:
        terms = f" (with all bounds 1: {', '.join(f'{ratio:.3f} at T = {T}' for T, ratio in main.unit.items())})"
    note = f"{instances} attacks on {statement.about}, none beyond the bound{terms}."
    tightness = min(1.0, main.best.ratio)  # a tie may come out a rounding error above 1
    return Result("holds", "tested", note, tightness=tightness, **about)


def _digits(x: Any) -> str:
    text: str = x.str(15, radius=False)
    return text


# --- kept instances ----------------------------------------------------------------------------------------------


def path_of(key: str) -> Path:
    return INSTANCES / f"{key.replace('/', '__')}.json"


def kept(key: str, statement: Statement) -> Iterator[tuple[str, Case, Found]]:
    """The stored instances, evaluated again: target, case, what was found."""
    if path_of(key).exists():
        for entry in json.loads(path_of(key).read_text()):
            inequality = statement.build(**entry["case"])
            yield entry["target"], entry["case"], examined(inequality, entry["target"], entry["instance"])


def keep(key: str, effort: Effort, statement: Statement) -> None:
    """Search, and store the best small instance of every target."""
    entries = []
    small = [c for c in statement.cases if max(n for n in c.values() if isinstance(n, int)) <= SMALL]
    for target, t in tally(effort, statement, tuple(small)).items():
        assert t.best is not None
        _, ratio = confirm(statement.build(**t.case), t.best.instance, target)
        entries.append({"target": target, "case": dict(t.case), "ratio": ratio, "instance": t.best.instance})
    replace(path_of(key), json.dumps(entries) + "\n")
