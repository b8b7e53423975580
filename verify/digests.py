"""Digests of sources: of all that the ledger's entries depend on, and of the check behind one of them.

The sources are read as text; nothing is imported to find out what a module imports.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
ROOMS = ("symbolic", "numeric", "verify")
VERSIONS = ("sympy", "python-flint")
BOOKKEEPING = {"digests", "evidence", "files", "ledger"}  # they keep verdicts, and make none


def _digest(parts: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()[:16]


@cache
def sources() -> str:
    """Of the rooms, of instances that are kept beside checks, and of the libraries that evaluate."""
    return _digest(_sources())


def changed() -> bool:
    """Since they were first read."""
    return sources() != _digest(_sources())


def _sources() -> Iterator[bytes]:
    for name in VERSIONS:
        yield f"{name} {version(name)}".encode()
    for room in ROOMS:
        folder = HERE.parent / room  # they stand side by side, in a checkout and in an installed copy
        files = [file for kind in ("py", "json") for file in folder.rglob(f"*.{kind}") if file.parent != HERE]
        files += [file for file in HERE.glob("*.py") if room == "verify" and file.stem not in BOOKKEEPING]
        for file in sorted(files):
            yield f"{room}/{file.relative_to(folder).as_posix()}".encode()
            yield file.read_bytes()


@cache
def of_check(modules: tuple[str, ...]) -> str:
    """Of these modules of verify, and of all of verify that they import."""
    found: set[Path] = set()
    waiting = [file for module in modules if exists(module) for file in _files(module.split("."))]
    while waiting:
        file = waiting.pop()
        if file not in found and not (file.parent == HERE and file.stem in BOOKKEEPING):
            found.add(file)
            waiting += _imported(file)
    return _digest(part for file in sorted(found) for part in (str(file.relative_to(HERE)).encode(), file.read_bytes()))


def exists(module: str) -> bool:
    """Within verify."""
    return all(map(str.isidentifier, module.split("."))) and bool(_files(module.split(".")))


def _files(path: list[str]) -> list[Path]:
    """The file of a module, and those of the packages around it; nothing, if it is no module."""
    inner = HERE.joinpath(*path)
    own = [file for file in (inner.with_suffix(".py"), inner / "__init__.py") if file.is_file()]
    around = [HERE.joinpath(*path[:depth], "__init__.py") for depth in range(1, len(path))]
    return own + around if own else []


@cache
def _imported(file: Path) -> list[Path]:
    """What a file imports of verify, wherever in it."""
    here = list(file.relative_to(HERE).parts[:-1])
    found: list[Path] = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            paths = [name[2:] for name in names if name[:2] == ["maurey", "verify"]]
        elif isinstance(node, ast.ImportFrom):
            base = node.module.split(".") if node.module else []
            if node.level:
                base = here[: len(here) - node.level + 1] + base
            elif base[:2] == ["maurey", "verify"]:
                base = base[2:]
            else:
                continue
            paths = [base, *([*base, alias.name] for alias in node.names)]
        else:
            continue
        found += [file for path in paths if path for file in _files(path)]
    return found
