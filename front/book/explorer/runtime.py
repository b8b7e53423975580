"""What certifies in the page: gathered once from the registries, then put into the book as one archive.

`python -m maurey.book.explorer.runtime` gathers, which `make book` does. Without it the book is built all the same, and
says that it cannot certify.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from maurey.verify.files import replace

CACHE = Path("build/runtime")
PINS = Path(__file__).with_name("runtime.toml")
WORKER = Path(__file__).parents[1] / "assets" / "explorer" / "certified.mjs"
FOLDER = "assets/runtime"  # of the book
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
DOCUMENTED = (ast.ClassDef, ast.FunctionDef)
PATIENCE = 120  # seconds without an answer
IMPORTED = """
import sys
import maurey.book.explorer.certified
from maurey.symbolic import registry
registry.all_claims()
print(*(name for name in sys.modules if name.partition(".")[0] in ("sympy", "mpmath", "maurey")), sep="\\n")
"""


class Missing(Exception):
    """A part that is not there, or is not what it should be."""


def parts() -> list[dict[str, str]]:
    return tomllib.loads(PINS.read_text())["part"]


def content(part: dict[str, str], cache: Path) -> bytes:
    """Of a part in the cache, if it is what was pinned."""
    try:
        found = (cache / part["file"]).read_bytes()
    except FileNotFoundError:
        raise Missing(f"{part['file']} is not in {cache}") from None
    if hashlib.sha256(found).hexdigest() != part["sha256"]:
        raise Missing(f"{cache / part['file']} is not {part['name']} {part['version']} as published")
    return found


def gather(cache: Path = CACHE, tell: Callable[[str], None] = print) -> None:
    """What is missing or damaged is taken from where it was published."""
    cache.mkdir(parents=True, exist_ok=True)
    for part in parts():
        try:
            content(part, cache)
        except Missing:
            tell(f"{part['name']} {part['version']} from {part['address']}")
            with urllib.request.urlopen(part["address"], timeout=PATIENCE) as answer:
                replace(cache / part["file"], answer.read())
            content(part, cache)


def complete(cache: Path = CACHE) -> bool:
    try:
        return all(content(part, cache) for part in parts())
    except Missing:
        return False


def files(cache: Path = CACHE) -> Iterator[tuple[str, bytes]]:
    """Into the book: nothing, unless all parts are there."""
    if not complete(cache):
        return
    pyodide, flint, *pure = [content(part, cache) for part in parts()]
    with tarfile.open(fileobj=io.BytesIO(pyodide)) as packed:
        for name in PYODIDE:
            member = packed.extractfile(f"package/{name}")
            assert member is not None
            packs = name.endswith(".wasm")
            yield f"{FOLDER}/{name}{'.gz' * packs}", gzip.compress(member.read(), mtime=0) if packs else member.read()
    yield f"{FOLDER}/maurey.zip", archive(flint, pure)
    yield f"{FOLDER}/worker.mjs", WORKER.read_bytes()


def archive(flint: bytes, pure: list[bytes]) -> bytes:
    """Only what `enclose` imports, of Maurey and of what it stands on."""
    out = io.BytesIO()
    named = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True).stdout.split()
    wanted = {f"{name.replace('.', '/')}{end}" for name in named for end in (".py", "/__init__.py")}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for wheel in pure:
            _copy(wheel, packed, lambda name: name in wanted)
        _copy(flint, packed, lambda name: name.endswith((".so", ".py")) and not name.startswith("flint/test/"))
        for name in named:
            found = find_spec(name)
            if name.partition(".")[0] == "maurey" and found and found.origin:
                inside = "/__init__.py" if found.submodule_search_locations else ".py"
                packed.write(found.origin, name.replace(".", "/") + inside)
    return out.getvalue()


def _copy(wheel: bytes, packed: zipfile.ZipFile, wanted: Callable[[str], bool]) -> None:
    with zipfile.ZipFile(io.BytesIO(wheel)) as source:
        for name in filter(wanted, source.namelist()):
            content = source.read(name)
            packed.writestr(name, bare(content.decode()) if name.endswith(".py") else content)


def bare(source: str) -> str:
    """Without what it tells its readers, which is half of it."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            first, last = text.lineno - 1, text.end_lineno or text.lineno
            if lines[first][: text.col_offset].isspace() and lines[last - 1].rstrip().endswith(("'", '"')):
                lines[first:last] = [" " * text.col_offset + '""', *[""] * (last - first - 1)]
    return "\n".join(lines)


def main() -> None:
    try:
        gather()
    except (OSError, Missing) as error:
        print(f"the book will not certify in the page: {error}")


if __name__ == "__main__":
    main()
