"""Two thousand calls from the command table: no trace, no other exits, no hang, no files but those asked for."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz.py"
CALLS = 2000
SLOW = ["samples", "maurey/dudley:proper", "--gap", "0.1", "A=1", "C_F=1", "p_0=1", "tau=1e-400"]


@pytest.mark.slow
def test_calls():
    made = subprocess.run([sys.executable, str(FUZZ), "--calls", str(CALLS)], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr


def test_a_bound_that_decimals_do_not_hold(maurey):
    code, out, err = maurey("samples", "mousavi2025/12", "--gap", "0.1", "C_x=1e-100", "d=1", "N=3", "r_x=1/3")
    assert (code, out) == (2, "")
    assert err == "maurey: the value is too small to be written in decimals\n"


def test_a_guess_that_no_integer_holds(maurey):
    words = ("--gap", "3", "total=1e308", "loss_hat=0.3", "delta=0.5", "temperature=1", "--seconds", "1")
    code, out, err = maurey("samples", "maurey/prequential:fixed", *words)
    assert (code, err) == (0, "")
    assert out.startswith("maurey/prequential: m = 1" + 308 * "0" + "\n")


@pytest.mark.parametrize("value", ["9" * 5000, "1/²", "1/" + "7" * 5000, "1/0", "nan"])
@pytest.mark.parametrize("option", ["--delta", "--kl"])
def test_numbers_of_a_certificate(maurey, tmp_path, option, value):
    (tmp_path / "losses.csv").write_text("0\n1\n")
    code, out, err = maurey("certify", "pac-bayes", "--losses", str(tmp_path / "losses.csv"), option, value)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{option} is a number such as 0.05 or 1/20" in err


def test_files_that_are_none(maurey, tmp_path):
    """A name that is too long, and a header of an array that Python cannot read."""
    for command in (["bound"], ["check-certificate"]):
        code, out, err = maurey(*command, "x" * 300)
        assert (code, out, err.count("\n")) == (2, "", 1)
    header = b"{'descr': '<f8', 'shape': (1,".ljust(117) + b"\n"
    (tmp_path / "cut.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    (tmp_path / "far.csv").write_text("loss\n1e400\n")
    for name, told in (("cut.npy", "is no array that NumPy reads"), ("far.csv", "1.00000e+400 is no loss")):
        code, out, err = maurey("certify", "holdout", "--losses", str(tmp_path / name))
        assert (code, out, told in err) == (2, "", True)


def test_another_file_beside_a_certificate(maurey, tmp_path):
    """Brackets too deep to be read, and a record with the fields of a certificate but other things in them."""
    (tmp_path / "losses.csv").write_text("0\n1\n")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    from maurey.verify.certificates.wording import FIELDS

    (tmp_path / "other.json").write_text(json.dumps({name: ["x"] for name in FIELDS}))
    words = ("--losses", str(tmp_path / "losses.csv"), "--out", str(tmp_path / "c.json"))
    assert maurey("certify", "holdout", *words)[0] == 0
    assert maurey("check-certificate", str(tmp_path / "c.json"))[0] == 0


def test_a_long_sum(maurey):
    """Five hundred terms are one sum, not five hundred."""
    code, out, _ = maurey("eval", "lintilhac2026/9", "D=1000", "x=0.25", "--digits", "2")
    assert (code, out.splitlines()[0]) == (0, "lintilhac2026/9 wave, derived: 1")


@pytest.mark.parametrize("name", ["part", "form", "claim", "digits", "gap", "limit", "report", "values"])
@pytest.mark.parametrize("command", [["eval"], ["blame"], ["samples", "--gap", "1"]])
def test_names_of_ours(maurey, command, name):
    code, out, err = maurey(*command, "edelman2022/A.5", f"{name}=1")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"unknown parameter '{name}'" in err


@pytest.mark.parametrize("value", ["", "\0", "1\n2", "1e999999999", "٣", "1,", "nan", "9" * 5000, "\udc80"])
def test_values(maurey, value):
    code, out, err = maurey("eval", "edelman2022/A.10", f"eps={value}", "N=100", "B_w=1", "B_X=1")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert len(err) < 300
    assert "\0" not in err


def test_time_is_up(maurey):
    before = signal.getsignal(signal.SIGPROF)
    code, out, err = maurey(*SLOW, "--seconds", "2")
    assert (code, out) == (1, "")
    assert err.startswith("maurey: no answer in 2 s of processor time; it came to: m near 2^")
    assert err.count("\n") == 1
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    for wrong in ("0", "-1", "nan", "1e300"):
        code, _, err = maurey(*SLOW, "--seconds", wrong)
        assert (code, err.count("\n")) == (2, 1)


def test_a_question_inside_a_command(maurey, monkeypatch):
    """Its limit is not the command's: the one that comes first ends what it is for."""
    from sympy import log, symbols

    from maurey import check
    from maurey.numeric import samples

    asked, (a, b, x, y) = [], symbols("a b x y", positive=True)
    open_sides = (a + b) * log((a + b) / (x + y)), a * log(a / x) + b * log(b / y)

    def endless(*given, report, **more):
        for seconds in (0.1, 60):
            report(f"question {len(asked)}")
            asked.append(check(*open_sides, over=dict.fromkeys("abxy", (1, 3)), seconds=seconds))

    monkeypatch.setattr(samples, "smallest", endless)
    code, out, err = maurey("samples", "edelman2022/A.5", "--gap", "1", "--seconds", "0.8")
    assert (code, out) == (1, "")
    assert err.startswith("maurey: no answer in 0.8 s of processor time; it came to: question 1;")
    assert [page.how for page in asked] == ["open after 0.1 s"]
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


ENDLESS = """
import sys, time
from maurey import cli
from maurey.numeric import samples
from flint import fmpz

def endless(*given, report, **more):
    report("in C")
    {}

samples.smallest = endless
sys.argv = ["maurey", "samples", "edelman2022/A.5", "--gap", "1", "--seconds", "0.5"]
cli.program()
"""


def test_what_no_signal_stops():
    """A single step of a library in C, longer than the time there is."""
    code = ENDLESS.format("fmpz(10**6000).__pow__(10**6)" + "\n    fmpz(3) ** (10**11)")
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (made.returncode, made.stdout) == (1, "")
    assert made.stderr.splitlines()[-1].startswith("maurey: no answer in 0.5 s of processor time; it came to: in C;")


@pytest.mark.slow
@pytest.mark.parametrize("everyone", [True, False])  # a terminal tells both processes
def test_interrupted(everyone):
    command = [sys.executable, "-c", ENDLESS.format("print('here', flush=True)\n    time.sleep(60)")]
    made = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=everyone
    )
    assert made.stdout.readline() == "here\n"
    time.sleep(0.1)
    os.killpg(made.pid, signal.SIGINT) if everyone else made.send_signal(signal.SIGINT)
    _, err = made.communicate(timeout=30)
    assert (made.returncode, err) == (130, "maurey: interrupted; nothing was kept\n")


def test_nobody_reads():
    command = f"{sys.executable} -m maurey show edelman2022/A.17 | head -n 0; exit ${{PIPESTATUS[0]}}"
    made = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert made.returncode in (0, 1)
    assert made.stderr == ""


def test_interrupted_while_it_is_loaded():
    """By an import that a user stops: the same line, the same code."""
    code = (
        "import sys, types; from maurey import __main__ as start; found = types.ModuleType('maurey.cli')\n"
        "def program(): raise KeyboardInterrupt\n"
        "found.program = program; sys.modules['maurey.cli'] = found; start.program()"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (made.returncode, made.stderr) == (130, "maurey: interrupted; nothing was kept\n")
