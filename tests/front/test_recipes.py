"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the tree; and again with a constant changed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
RECIPES = {part.partition("\n")[0]: part for part in re.split(r"^## ", TEXT, flags=re.M)[1:]}
BLOCK = re.compile(
    r"^In `([^`]+)`, (a new file|at the end|(?:before|after) `[^\n]+`):\n\n```python\n(.*?)^```\n", re.S | re.M
)
COMMANDS = re.compile(r"^```sh\n(.*?)^```\n", re.S | re.M)
LEFT_OUT = shutil.ignore_patterns(".*", "build", "*.egg-info")  # bytecode goes along: times of files are kept
# what makes the claim, or the module, say too little; a new paper is tested as a new lemma is
CHANGED = {
    "A lemma in a paper that is there": ("sqrt(2 * log(N)) / m", "sqrt(log(N)) / m"),
    "A module of the calculus": ("lambda: Integer(1))", "lambda: Integer(1) / 2)"),
}

pytestmark = pytest.mark.slow


@pytest.fixture
def tree(tmp_path):
    """A copy of the tree, and beside it what lets Python find its rooms under their installed names."""
    copy, names = tmp_path / "tree", tmp_path / "names"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    (names / "maurey").mkdir(parents=True)
    for path in (*copy.iterdir(), *(copy / "front").iterdir()):
        (names / "maurey" / path.name).symlink_to(path)
    (names / "pyproject.toml").symlink_to(copy / "pyproject.toml")
    return copy


def followed(tree, recipe, change=("", "")):
    """The blocks where they belong; fails if a place is not there, or there twice."""
    for name, place, block in BLOCK.findall(RECIPES[recipe]):
        path, new = tree / name, block.replace(*change) if change[0] else block
        if place == "a new file":
            path.parent.mkdir(exist_ok=True)
            path.write_text(new)
            continue
        text = path.read_text()
        if place == "at the end":
            path.write_text(f"{text}\n\n{new}")
            continue
        side, _, line = place.partition(" ")
        line = line.strip("`") + "\n"
        assert text.count(f"\n{line}") == 1, (name, line)
        path.write_text(text.replace(f"\n{line}", f"\n{line}{new}" if side == "after" else f"\n{new}{line}"))


def run(tree, recipe, only=""):
    """The commands of the recipe, in the environment of this run; the first that fails, or the last. Of what make would
    do, only the lines with a word in them, if one is given."""
    environment = os.environ | {"PYTHONPATH": str(tree.parent / "names"), "PYTEST_ADDOPTS": "-p no:cacheprovider"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    (commands,) = COMMANDS.findall(RECIPES[recipe])
    for command in commands.splitlines():
        make = ["make", f"VENV={sys.prefix}", "-o", f"{sys.prefix}/test.done"]
        shell = command.replace("make", " ".join(make), 1)
        shell = f"{shell} -n | grep {only} | sh" if only else shell
        done = subprocess.run(shell, shell=True, cwd=tree, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            break
    return done


def keys_in(root):
    """The claims that the ledger holds."""
    return set(re.findall(r'^   "key": "([^"]+)"', (root / "verify" / "ledger.json").read_text(), re.M))


def test_every_block_is_read():
    assert len(BLOCK.findall(TEXT)) == TEXT.count("```python")
    assert set(CHANGED) < set(RECIPES)
    assert len(RECIPES) == 3


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_works(recipe, tree):
    followed(tree, recipe)
    done = run(tree, recipe)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert re.search(r"^[1-9]\d* passed", done.stdout, re.M)
    key = re.search(r"KEY=(\S+)", RECIPES[recipe])
    if key:
        assert keys_in(tree) == {*keys_in(ROOT), key.group(1)}
        assert f"| `{key.group(1)}` |" in (tree / "docs" / "claims.md").read_text()
        assert len({name for name, *_ in BLOCK.findall(RECIPES[recipe])}) == 3


@pytest.mark.parametrize("recipe", CHANGED)
def test_a_changed_constant_is_noticed(recipe, tree):
    old, new = CHANGED[recipe]
    assert RECIPES[recipe].count(old) == 1
    followed(tree, recipe, (old, new))
    done = run(tree, recipe, only="pytest")
    assert done.returncode != 0
    assert re.search(r"^[1-9]\d* failed", done.stdout, re.M), done.stdout[-3000:] + done.stderr[-3000:]
