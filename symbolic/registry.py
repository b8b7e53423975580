"""Finds the claims by walking the package of papers, one paper at a time."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from . import papers
from .claim import Claim, InputError


@cache
def paper_names() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules(papers.__path__)))


@cache
def claims_of(paper: str) -> dict[str, Claim]:
    """A paper's claims by key, in the order of its files and of the blocks in each."""
    if paper not in paper_names():
        raise InputError(f"no paper {paper!r}; there are {', '.join(paper_names())}")
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
    paper = key.partition("/")[0]
    if paper in paper_names() and key in claims_of(paper):
        return claims_of(paper)[key]
    keys = [claim.key for claim in all_claims()]
    near = difflib.get_close_matches(key, keys, n=4, cutoff=0.5)
    hint = f"the nearest are {', '.join(near)}" if near else "see `maurey list`"
    raise InputError(f"no claim {key!r}; {hint}")
