"""Answers at once: user time of a command in units of `import sympy`, both in processes of their own, in turn."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ratios import report

HEAD = "T=20 d=8 m=100 L_sigma=1 B_X=1 B_V=2 B_V_inf=0.7 B_QK_inf=0.4 eps=0.1"
MAUREY = [sys.executable, "-c", "from maurey.cli import main; main()"]
MOST = {
    "--help": 0.5,
    "--version": 0.5,
    "list": 2.5,
    "show edelman2022/A.17": 2.5,
    f"eval edelman2022/4.4 {HEAD}": 2.5,
    "errata": 4,
    "verify edelman2022/A.8": 3.5,
    "verify mousavi2025/7": 3.5,
}


def user_time(call, **more):
    """Of a child and of its own children."""
    before = os.times().children_user
    done = subprocess.run(call, capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stderr
    return os.times().children_user - before, done.stdout


def units(call, rounds=5, **more):
    """The least of several, each beside an import."""
    pairs = [(user_time(call, **more)[0], user_time([sys.executable, "-c", "import sympy"])[0]) for _ in range(rounds)]
    return min(own for own, _ in pairs) / min(unit for _, unit in pairs)


@pytest.mark.parametrize("command", MOST)
def test_a_command_answers_at_once(benchmark, command):
    found = benchmark.pedantic(units, ([*MAUREY, *command.split()],), rounds=1)
    report(benchmark, f"imports of sympy for `maurey {command}`", found)
    assert found <= MOST[command]


def test_a_key_is_completed_at_once(benchmark):
    environment = os.environ | {
        "_MAUREY_COMPLETE": "complete_bash", "COMP_WORDS": "maurey show edelman2022/A.1", "COMP_CWORD": "2"
    }  # fmt: skip
    call = [
        sys.executable,
        "-c",
        "import sys; sys.argv[0] = 'maurey'; from maurey.cli import app; app(prog_name='maurey')",
    ]
    _, out = user_time(call, env=environment)
    assert "edelman2022/A.17" in out.split()
    found = benchmark.pedantic(units, (call,), {"env": environment}, rounds=1)
    report(benchmark, "imports of sympy for the completion of a key", found)
    assert found <= 0.5


def test_errata_when_the_sources_have_changed(benchmark, tmp_path):
    """A comment in numeric/: hashes are computed again, and every gap is replayed."""
    import maurey.verify

    top = Path(maurey.verify.__file__).parents[1]
    package = tmp_path / "maurey"
    shutil.copytree(top / "front", package)
    for room in ("symbolic", "numeric", "verify"):
        shutil.copytree(top / room, package / room, ignore=shutil.ignore_patterns("__pycache__"))
    with (package / "numeric" / "exact.py").open("a") as text:
        text.write("# a comment\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    _, out = user_time([*MAUREY, "errata"], env=environment, cwd=tmp_path)
    assert ", not replayed): " in out
    found = benchmark.pedantic(units, ([*MAUREY, "errata"], 2), {"env": environment, "cwd": tmp_path}, rounds=1)
    report(benchmark, "imports of sympy for `maurey errata` when the sources have changed", found)
    assert found <= 25
