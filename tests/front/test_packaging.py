"""The wheel: every sub-package in it, works without the checkout, types check on the installed copy."""

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, so that nothing stale from the checkout gets in."""
    copy = tmp_path_factory.mktemp("copy") / "maurey"
    skip = shutil.ignore_patterns(".git", ".venv", "build", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, copy, ignore=skip)
    out = tmp_path_factory.mktemp("wheel")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(out),
        str(copy),
    ]
    subprocess.run(pip, check=True)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(pip, check=True)
    return target


def test_the_wheel_holds_every_file(wheel):
    held = set(ZipFile(wheel).namelist())
    rooms = {"front": "maurey", **{r: f"maurey/{r}" for r in ("symbolic", "numeric", "verify", "paper_tables", "docs")}}
    for room, package in rooms.items():
        for file in (ROOT / room).rglob("*"):
            if file.suffix in (".py", ".typed", ".toml", ".csv", ".jsonl", ".html", ".css", ".js", ".woff2", ".md"):
                assert f"{package}/{file.relative_to(ROOT / room).as_posix()}" in held
    assert not any(name.split("/")[0] in ("tests", "symbolic", "numeric", "verify", "paper_tables") for name in held)


def test_the_wheel_works_without_the_checkout(installed, tmp_path):
    code = """
import maurey, maurey.symbolic
assert maurey.__file__.startswith(SITE) and maurey.symbolic.__file__.startswith(SITE), maurey.__file__
print(maurey.claim("edelman2022/A.7").enclose(Delta=1, p=4).value)
from maurey.paper_tables import exhibits
print(exhibits.names())
print(maurey.claim("edelman2022/A.9").standing.words)  # by the ledger that came with it
""".replace("SITE", repr(str(installed)))
    env = {"PYTHONPATH": str(installed), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    folders = (file.parent for file in (ROOT / "paper_tables").glob("*/*/__init__.py"))
    kept = sorted(folder.relative_to(ROOT / "paper_tables").as_posix() for folder in folders)
    assert "edelman2022/sparse_and" in kept
    assert done.stdout == f"1.5\n{kept}\nholds (proved)\n"
    maurey = [sys.executable, "-m", "maurey", "tables", "--commit"]
    done = subprocess.run(maurey, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 2
    assert "installed copy" in done.stderr
