"""Finds the claims by walking the package of papers, one paper at a time; and keeps those of the running program."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from sympy import Expr, Float, Symbol, evaluate

from . import papers
from .claim import Claim, InputError, Setting
from .derivation import Step
from .errors import cut
from .expressions import MOST_DEEP, depth

KEY = re.compile(r"[A-Za-z]\w*/[\w.*'+-]+")
TAKEN = ("claim", "digits", "form", "forms", "gap", "layers", "limit", "over", "part", "points", "report", "seconds")
_registered: dict[str, Claim] = {}


@cache
def paper_names() -> tuple[str, ...]:
    walked = {module.name for module in pkgutil.iter_modules(papers.__path__)}
    return tuple(sorted(walked | {claim.paper for claim in _registered.values()}))


def claims_of(paper: str) -> dict[str, Claim]:
    """A paper's claims by key, in the order of its files and of the blocks in each; then what was registered."""
    if paper not in paper_names():
        raise InputError(f"no paper {paper!r}; there are {', '.join(paper_names())}")
    found = _walked(paper)
    own = {key: claim for key, claim in _registered.items() if claim.paper == paper}
    return {**found, **own} if own else found


@cache
def _walked(paper: str) -> dict[str, Claim]:
    if importlib.util.find_spec(f"{papers.__name__}.{paper}") is None:
        return {}
    package = importlib.import_module(f"{papers.__name__}.{paper}")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = [package, *(importlib.import_module(f"{package.__name__}.{name}") for name in names)]
    found: dict[str, Claim] = {}
    for module in modules:
        for value in vars(module).values():
            if not isinstance(value, Claim) or value.paper != paper:
                continue
            if found.setdefault(value.key, value) is not value:
                raise ValueError(f"two claims have the key {value.key}")
    return found


def all_claims() -> list[Claim]:
    return [claim for paper in paper_names() for claim in claims_of(paper).values()]


def find(key: str) -> Claim:
    if not isinstance(key, str):
        raise InputError(f"a key is a text such as 'edelman2022/4.4', got {cut(repr(key))}")
    paper = key.partition("/")[0]
    if paper in paper_names() and key in claims_of(paper):
        return claims_of(paper)[key]
    raise InputError(f"no claim {cut(repr(key))}; {_nearest(key)}")


def keys_of(words: Iterable[str]) -> list[str]:
    """Of claims and of papers, each once, in the order in which they are named."""
    found: dict[str, None] = {}
    for word in words:
        found |= dict.fromkeys(claims_of(word) if word in paper_names() else [find(word).key])
    return list(found)


def _nearest(key: str) -> str:
    """Those that have the number, else those that look alike."""
    claims = all_claims()
    if near := [claim.key for claim in claims if claim.number == key]:
        return f"{key} is the number of {', '.join(near)}"
    names = [*([] if "/" in key else paper_names()), *(claim.key for claim in claims)]
    if near := difflib.get_close_matches(key[:60], names, n=4, cutoff=0.5):
        return f"the nearest are {', '.join(near)}"
    return f"there are the papers {', '.join(paper_names())}" if "/" not in key else "see `maurey list`"


# --- one's own --------------------------------------------------------------------------------------------------------


def register(claim: Claim, replace: bool = False) -> Claim:
    """Make a claim known to this process, under its key. Only what was registered can be replaced."""
    if not isinstance(claim, Claim):
        raise InputError(f"register takes a Claim (from maurey.symbolic.claim), got {type(claim).__name__}")
    key = claim.key
    if not isinstance(key, str) or not KEY.fullmatch(key):
        raise InputError(f"a key is a paper, a slash and a number, e.g. 'mine2030/1.2', got {cut(repr(key))}")
    if _walked(claim.paper).get(key) not in (None, claim):
        raise InputError(f"the key {key} is taken: it is {_walked(claim.paper)[key].title}")
    if _registered.get(key, claim) is not claim and not replace:
        raise InputError(f"the key {key} is taken: you registered it before; replace=True puts this one in its place")
    _check_names(claim)
    _check_forms(claim)
    for used in claim.uses:
        find(used)
    if _walked(claim.paper).get(key) is not claim:
        _registered[key] = claim
        paper_names.cache_clear()
    return claim


def is_registered(claim: Claim) -> bool:
    return _registered.get(claim.key) is claim


def forget(key: str = "") -> None:
    """A claim that was registered is so no more; all of them, if none is named."""
    if key and key not in _registered:
        raise InputError(f"{cut(key)} was not registered")
    for one in [key] if key else list(_registered):
        del _registered[one]
    paper_names.cache_clear()


def _check_names(claim: Claim) -> None:
    names = [p.name for p in claim.names]
    for name in names:
        if name in TAKEN:
            raise InputError(f"a symbol cannot be called {name}: methods of claims have an option of that name")
        if not name.isidentifier():
            raise InputError(f"a symbol is called like a variable, e.g. B_V, got {cut(repr(name))}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{claim.key} has two symbols called {twice[0]}")
    parts: list[Any] = [part.name for part in claim.parts]
    if twice := [name for name in parts if parts.count(name) > 1]:
        raise InputError(f"{claim.key} has two parts called {twice[0]}")


def _check_forms(claim: Claim) -> None:
    """They can be written out, and speak of what the claim has symbols for."""
    names = {p.name for p in claim.names}
    for part, form in [(one, form) for one in claim.parts for form in one.forms]:
        what, write = f"the {form} form of {claim.key}:{part.name}", getattr(part, form)
        if not callable(write):
            raise InputError(f"{what} is a function, e.g. lambda _: 1 / m, got {cut(repr(write))}")
        with evaluate(False):
            built = write(Setting(given=frozenset(names)))
        steps = built if isinstance(built, list) else [Step(part.name, part.lhs, built, "")]
        if not steps or not all(isinstance(step, Step) and isinstance(step.expr, Expr) for step in steps):
            raise InputError(f"{what} gives a SymPy expression, or a list of steps, got {cut(repr(built))}")
        known = {*names, *(step.name for step in steps), *(str(step.over[0]) for step in steps if step.over)}
        for expr in (step.expr for step in steps):
            if depth(expr, MOST_DEEP + 1) > MOST_DEEP:
                raise InputError(f"{what} is nested too deeply: {MOST_DEEP} levels are the most; name steps of it")
            if floats := expr.atoms(Float):
                raise InputError(f"{what} has a float: write Rational('{min(floats):g}')")
            if unknown := {s.name for s in expr.free_symbols if isinstance(s, Symbol)} - known:
                raise InputError(f"{what} speaks of {min(unknown)}; the claim has {', '.join(sorted(names)) or 'none'}")
