"""No command loads what it does not need: the slow modules and the papers whose checks are there after it ran."""

import os
import subprocess
import sys

import pytest

import maurey

HEAD = "d=8 m=100 L_sigma=1 B_X=1 B_V=2 B_V_inf=0.7 B_QK_inf=0.4 eps=0.1"
NEEDED = {
    "--help": "",
    "list": "",
    "show edelman2022/4.4": "",
    f"eval edelman2022/4.4 T=20 {HEAD}": "",
    "eval maurer2004/5:risk m=1000 delta=0.05 KL=1 loss_hat=0.1": "",  # the inverse of the binary KL divergence
    "samples edelman2022/2.2 --gap 0.1 L_loss=1 C_F=1 A=1 b=1 delta=0.05": "",
    f"blame edelman2022/4.4 T=20 {HEAD}": "numpy",  # shares of logarithms, in log space
    f"compare edelman2022/4.4 {HEAD} --over T=16..100 --points 5": "numpy matplotlib",  # draws build/compare.png
    "errata --json": "",  # from the ledger
    "verify edelman2022/A.8": "z3 edelman2022",  # a proof, and no other check of the paper
    "tables --dry-run": "numpy lintilhac2026",  # of the modules that hold the plans
}
REFUSED = [
    "eval edelman2022/4.4 eps",
    "bound nowhere.toml",
    "compare edelman2022/4.4 --over T=16..100 --plot figure.doc",
    "verify edelman2022/9.9",
    "tables nothing/here",
    "certify holdout",
    "check-certificate nothing.json",
]
CODE = """
import sys
from maurey.cli import main
try:
    main()
except SystemExit as end:
    code = end.code
slow = {"torch", "z3", "hypothesis", "numpy", "matplotlib"} & set(sys.modules)
checks = {name.split(".")[3] for name in sys.modules if name.startswith("maurey.verify.papers.")}
print(code, *slow, *checks)
"""


def loaded(command, folder):
    """The exit code of a command, and what is there after it ran."""
    call = [sys.executable, "-c", CODE, *command.split()]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    code, *names = done.stdout.splitlines()[-1].split()
    return code, set(names)


@pytest.mark.parametrize("command", NEEDED)
def test_what_a_command_loads(command, tmp_path):
    assert loaded(command, tmp_path) == ("0", set(NEEDED[command].split()))


MODEL = """
[model]
kind = "encoder"
layers = 1
width = 2
heads = 1
hidden = 2
vocabulary = 3
context = 2
norm = "rms"
norm_at = "pre"
norm_eps = 1
activation = "relu"
positions = "none"
read = "mean"
outputs = 2
[loss]
kind = "0-1"
"""


def test_what_bound_loads(tmp_path):
    (tmp_path / "model.toml").write_text(MODEL)
    assert loaded("bound model.toml", tmp_path) == ("0", set())


@pytest.mark.parametrize("command", REFUSED)
def test_bad_input_loads_nothing(command, tmp_path):
    assert loaded(command, tmp_path) == ("2", set())


WITH_HELP = ["show", "eval", "verify", "errata", "compare", "certify", "bound", "book"]
HELP = ["--help", "--version", *(f"{name} --help" for name in WITH_HELP)]


@pytest.mark.parametrize("command", HELP)
def test_help_is_there_without_sympy(command):
    code = "import sys; from maurey.cli import main\ntry: main()\nfinally: assert 'sympy' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code, *command.split()], capture_output=True, text=True, check=True)
    assert done.stdout.strip()


def test_a_key_is_completed_without_sympy_and_pydantic():
    environment = os.environ | {
        "_MAUREY_COMPLETE": "complete_bash", "COMP_WORDS": "maurey show edelman2022/A.1", "COMP_CWORD": "2"
    }  # fmt: skip
    code = "import sys; from maurey.cli import app\n"
    code += "try: app(prog_name='maurey')\n"
    code += "finally: assert not any(map(sys.modules.get, ('sympy', 'pydantic')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.split() == [
        claim.key for claim in maurey.claims("edelman2022") if claim.number.startswith("A.1")
    ]
    assert done.stderr == ""
