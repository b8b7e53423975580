"""The rooms stay in order: small folders that say what lives in them, names that can be told apart, short files."""

import ast
import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

import maurey.verify

ROOT = Path(maurey.verify.__file__).parents[1]
VERIFY = ROOT / "verify"
FOLDERS = [folder for top in (VERIFY, ROOT / "tests" / "verify") for folder in (top, *top.rglob("*/"))]
FOLDERS = sorted(folder for folder in FOLDERS if list(folder.glob("*.py")) and folder.name != "__pycache__")
SOURCES = sorted(
    file for room in ("symbolic", "numeric", "verify", "paper_tables", "front") for file in (ROOT / room).rglob("*.py")
)


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_folders_are_small(folder):
    most = 25 if "papers" in folder.relative_to(ROOT).parts else 15
    assert len(list(folder.glob("*.py"))) <= most


def alike(one, other):
    """They differ only by number, or by a prefix."""
    return one.rstrip("s") == other.rstrip("s") or one.endswith(f"_{other}") or other.endswith(f"_{one}")


@pytest.mark.parametrize("folder", [f for f in FOLDERS if f.is_relative_to(VERIFY)], ids=name)
def test_names_in_a_folder_can_be_told_apart(folder):
    inside = {path.stem for path in folder.iterdir() if path.suffix in ("", ".py")} - {"__init__", "__pycache__"}
    assert [pair for pair in itertools.combinations(sorted(inside), 2) if alike(*pair)] == []


@pytest.mark.parametrize("folder", [f for f in FOLDERS if f.is_relative_to(VERIFY)], ids=name)
def test_every_folder_says_what_lives_there(folder):
    """In two sentences: what does, and what may not."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())).replace("et al.", "")
    assert len(re.findall(r"[.:](?:\s|$)", text)) >= 2


@pytest.mark.parametrize("folder", [f for f in FOLDERS if not f.is_relative_to(VERIFY)], ids=name)
def test_the_tests_mirror_the_rooms(folder):
    assert (VERIFY / folder.relative_to(ROOT / "tests" / "verify")).is_dir()


def test_files_are_short():
    assert [name(file) for file in SOURCES if len(file.read_text().splitlines()) > 400] == []


def called(file):
    """The names of what is called with seven or more arguments by position, and of dataclasses that take none so."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and not any(isinstance(a, ast.Starred) for a in node.args):
            of = ast.unparse(node.func).split(".")[-1]
            if len(node.args) >= {"Result": 4, "Row": 1, "Shallow": 1}.get(of, 7):
                yield of


def test_long_calls_name_their_arguments():
    """But for functions that take any number of things of one kind."""
    found = Counter(of for file in SOURCES for of in called(file))
    assert set(found) <= {"polynomial", "sized"}


def test_functions_have_nouns():
    bad = {"found", "one", "own", "shown", "tools"}
    tops = ((file, node) for file in SOURCES for node in ast.parse(file.read_text()).body)
    assert [name(file) for file, node in tops if isinstance(node, ast.FunctionDef) and node.name in bad] == []


def imported(file):
    """Absolute names of the modules that a file imports from, or imports."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_library_imports_a_command():
    for file in SOURCES:
        if not file.is_relative_to(ROOT / "front"):
            assert not [m for m in imported(file) if m.startswith(("maurey.commands", "maurey.cli"))], name(file)


def test_no_room_imports_a_paper_and_no_paper_another():
    """So that verifying one key loads the checks of its paper only."""
    papers = "maurey.verify.papers."
    for file in (file for file in SOURCES if file.is_relative_to(VERIFY)):
        inside = file.relative_to(VERIFY).parts
        own = inside[1].removesuffix(".py") if inside[0] == "papers" else ""
        others = {m.removeprefix(papers).split(".")[0] for m in imported(file) if m.startswith(papers)} - {own}
        assert not others, name(file)
