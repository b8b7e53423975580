"""The command, as a user calls it: shapes of the JSON, exit codes, one clear line on bad input."""

import json
import subprocess
import sys
import textwrap
from decimal import Decimal

import pytest

from maurey.pages.columns import columns, fitted

HEAD = ["d=8", "m=100", "T=20", "L_sigma=1", "B_X=1", "B_V=2", "B_V_inf=0.7", "B_QK_inf=0.4"]


def test_list(maurey):
    code, out, _ = maurey("list", "--json")
    rows = json.loads(out)
    assert code == 0
    standing = {"verdict", "where", "evidence", "replayed", "problem"}
    assert all(set(r) == {"key", "paper", "number", "title", "kind", "uses", "forms"} | standing for r in rows)
    evidence = {r["key"]: r["evidence"] for r in rows}
    assert evidence["trauger2024/4.2"] == "refuted"
    assert evidence["edelman2022/A.9"] == "proved"
    assert evidence["edelman2022/2.1"] is None
    code, out, _ = maurey("list", "--paper", "edelman2022", "--kind", "lipschitz")
    assert code == 0
    assert "edelman2022/A.7" in out
    assert "edelman2022/4.4" not in out


def test_columns_give_way():
    rows = [("a", "b", "one two three four five six"), ("aa", "b", "")]
    assert columns(rows, 2, 100, textwrap.wrap) == ["a   b  one two three four five six", "aa  b"]
    assert columns(rows, 2, 27, textwrap.wrap) == ["a   b  one two three four", "       five six", "aa  b"]
    assert fitted("  one two three", 9, "  ") == ["  one two", "    three"]


def test_show(maurey):
    code, out, _ = maurey("show", "edelman2022/4.4", "--json")
    record = json.loads(out)
    assert code == 0
    assert {"statement", "symbols", "assumes", "constants", "parts", "latex"} <= set(record)
    assert all({"name", "latex", "meaning", "domain"} <= set(s) for s in record["symbols"])
    assert all(set(c) == {"name", "value", "meaning", "source"} for c in record["constants"])
    assert set(record["latex"]) == set(record["forms"]) == {"printed", "repaired", "derived", "sharp"}
    code, out, _ = maurey("show", "edelman2022/A.12", "--form", "derived", "--latex", "--layers", "3")
    assert code == 0
    assert r"\varepsilon_{V^{[3]}}" in out
    code, out, _ = maurey("show", "edelman2022/4.5")
    assert out.splitlines()[1] == "as printed: holds where N > 1 (derived)"
    assert "log_N <~ C0*((d_2*B_W_inf*B_X)**2/eps**2)*log(N)" in out
    _, fails, _ = maurey("show", "edelman2022/A.17")
    assert fails.splitlines()[1].startswith("as printed: fails (refuted)")
    assert fails.splitlines()[2].startswith("erratum: ")
    assert "use --form sharp instead" in fails.splitlines()
    _, again, _ = maurey("show", "mousavi2025/6")  # states 35 again
    assert again.splitlines()[2].startswith("erratum: Along N = t, d_h = t")
    assert "where delta_W" not in out
    assert out.splitlines()[-1] == "more: --form derived, --form sharp; maurey trace edelman2022/4.5"
    _, out, _ = maurey("show", "trauger2024/3.4")  # what is printed and, right after it, how it should read
    shown = [line.split()[0] for line in out.splitlines() if line.startswith(("printed (", "repaired ("))]
    assert shown == ["printed", "repaired"] * 2
    _, out, _ = maurey("show", "edelman2022/4.4")
    assert out.count("log(2*d*m*T + 1)") == 1  # of both displays
    assert "repaired (the same, last display of the appendix):\n  as of log_N\n" in out
    code, out, _ = maurey("show", "edelman2022/4.5", "--form", "derived")
    assert code == 0
    assert "where delta_W = eps/2/sqrt(d_2)" in out


def test_errata(maurey):
    code, out, _ = maurey("errata", "--json")
    rows = json.loads(out)
    assert code == 0
    wanted = {"key", "part", "status", "severity", "cause", "where", "edge", "source", "printed", "derived", "repaired",
              "witness", "printed_value", "true_value", "note"}  # fmt: skip
    assert all(wanted <= set(row) for row in rows)
    found = [row for row in rows if row["status"] in ("gap", "refuted")]
    assert all(row["witness"] and row["severity"] and row["cause"] for row in found)
    assert {row["status"] for row in rows} == {"gap", "refuted", "remark", "undecided"}
    assert all(len(row["witness"]["ratios"]) == 3 for row in rows if "ray" in row["witness"])
    code, out, _ = maurey("errata")
    assert code == 0
    assert out.index("False: ") < out.index("A hypothesis is missing") < out.index("Remarks") < out.index("Undecided")
    assert out.count("maurey") == out.count("maurey/")
    assert {row["source"] for row in rows} >= {"printed", "damaged", "recovered", "reconstructed"}
    code, out, _ = maurey("errata", "edelman2022/4.5", "--json")
    assert {row["key"] for row in json.loads(out)} == {"edelman2022/4.5"}
    code, out, _ = maurey("errata", "trauger2024", "--json")
    assert json.loads(out) == [row for row in rows if row["key"].startswith("trauger2024/")]
    assert {"edelman2022/A.4", "edelman2022/4.4"} <= {row["key"] for row in rows if row["status"] == "refuted"}


def test_findings(maurey):
    code, out, _ = maurey("errata", "--causes", "--json")
    findings = json.loads(out)
    assert code == 0
    wanted = {"cause", "severity", "title", "explanation", "keys", "witness", "repaired", "survives"}
    assert all(wanted <= set(one) for one in findings)
    code, out, _ = maurey("errata", "edelman2022/A.4")
    assert "delta" in out
    assert ", refuted: " in out
    assert "\n  edelman2022/A.4:gap, repaired (generalization gap):\n    gap <= 2*L_loss*R_F + " in out
    code, out, _ = maurey("errata", "edelman2022/4.5")
    assert "\n  true where N > 1: edelman2022/4.5\n" in out  # and nothing of other claims with this cause


def test_what_is_undecided_says_why(maurey):
    _, out, _ = maurey("show", "mousavi2025/1")
    assert out.splitlines()[1] == "as printed: undecided"
    assert out.splitlines()[2].startswith("why: Four of its sentences hold: ")


def test_nothing_is_counted_as_holding_for_lack_of_a_check():
    from maurey.commands.verify import summary
    from maurey.verify.matrix import Row

    blank = dict.fromkeys(("tightness", "counterexample", "derived")) | {"instances": 0, "seconds": 0.0, "notes": [""]}
    rows = [
        Row(key="x/1", verdict="holds", evidence="proved", **blank),
        Row(key="x/2", verdict="holds", evidence=None, **blank),
    ]
    assert summary(rows) == "2 claims: 1 hold, 0 fail, 0 undecided; 1 have nothing to check"


def test_verify(maurey, monkeypatch):
    from maurey.verify import ledger

    code, out, _ = maurey("verify", "edelman2022/A.4", "--json")
    (row,) = json.loads(out)
    assert code == 0
    assert {"key", "verdict", "evidence", "instances", "tightness", "counterexample", "seconds"} <= set(row)
    assert (row["verdict"], row["evidence"]) == ("holds", "proved")
    assert row["where"].startswith("0 <= loss <= b")
    code, out, _ = maurey("verify", "edelman2022/A.4")
    assert code == 0
    assert "1 claim: 1 hold, 0 fail" in out
    monkeypatch.setattr(ledger, "verdicts", lambda *_: {"edelman2022/A.4": {"verdict": "fails"}})
    code, _, err = maurey("verify", "edelman2022/A.4")
    assert code == 1
    assert "edelman2022/A.4 is holds; the ledger has fails" in err
    for arguments in (("edelman2022/A.71",), ("edelman2022/A.4", "--effort", "lazy")):
        code, _, err = maurey("verify", *arguments)
        assert (code, err.count("\n")) == (2, 1)


def test_trace(maurey):
    code, out, _ = maurey("trace", "edelman2022/4.4")
    assert code == 0
    assert "(1) bound_V_F = sqrt(d)*B_V_inf" in out
    assert "[zhang2002/4]" in out
    code, out, _ = maurey("trace", "edelman2022/4.4", "--json", "--form", "sharp")
    steps = json.loads(out)["steps"]
    assert code == 0
    assert [s["step"] for s in steps] == list(range(1, len(steps) + 1))
    assert all(set(s) == {"step", "name", "expression", "latex", "reason", "key", "differs"} for s in steps)
    code, out, _ = maurey("trace", "edelman2022/4.4", "--latex")
    assert code == 0
    assert out.startswith(r"\begin{aligned} (1)\quad B_{V,F} &= \sqrt{d} B_V^\infty && \text{")


@pytest.mark.parametrize("form", ["printed", "derived", "sharp"])
@pytest.mark.parametrize("eps", ["1/10", "0.25", "1", "17.3"])
def test_eval(maurey, form, eps):
    code, out, _ = maurey("eval", "edelman2022/4.4", *HEAD, f"eps={eps}", "--form", form, "--digits", "50", "--json")
    found = json.loads(out)
    assert code == 0
    assert {"key", "form", "value", "lower", "upper", "digits", "parameters"} <= set(found)
    lower, value, upper = (Decimal(found[name]) for name in ("lower", "value", "upper"))
    assert lower <= value <= upper
    assert upper - lower <= abs(value) * Decimal(10) ** -49
    assert found["parameters"]["B_V_inf"] == "0.7"


def test_eval_parts_and_unused(maurey):
    code, out, _ = maurey("eval", "edelman2022/A.8:minimum", "alpha=1,8", "beta=1,1", "C=2", "i=1")
    assert code == 0
    assert "minimum, derived: 6.75" in out
    assert "not used by this form: i" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "edelman2022/A.71"], "edelman2022/A.7"),
        (["errata", "NOPE"], "no claim 'NOPE'; there are the papers "),
        (["errata", "edelman"], "no claim 'edelman'; the nearest are edelman2022, "),
        (["show", "edelman2022/4.4", "--form", "best"], "no form 'best'; there are printed, repaired, derived, sharp"),
        (["show", "edelman2022/4.3", "--form", "sharp"], "edelman2022/4.3 has no sharp form; it has printed, derived"),
        (["trace", "edelman2022/2.1"], "edelman2022/2.1 is a definition without a formula"),
        (["trace", "edelman2022/4.4", "--layers", "0"], "layers must be an integer from 1 to 1000"),
        (["list", "--paper", "nobody1900"], "no paper 'nobody1900'"),
        (["list", "--kind", "poem"], "no kind 'poem'"),
        (["eval", "edelman2022/4.4", *HEAD], "missing parameter eps: a positive real, resolution of the cover"),
        (["eval", "edelman2022/4.4", *HEAD, "eps"], "parameters are given as NAME=VALUE, got 'eps'"),
        (["eval", "edelman2022/4.4", *HEAD, "eps=1", "eps=2"], "eps is given twice"),
        (["eval", "edelman2022/4.4:first", *HEAD, "eps=1"], "no part 'first'"),
        (["eval", "edelman2022/4.4", *HEAD, "eps=__import__('os')"], "eps must be a positive real"),
        (["eval", "edelman2022/4.4", *HEAD, "eps=1", "--digits", "0"], "digits must be an integer from 1"),
        (["eval", "edelman2022/A.8:minimizer", "alpha=1,1", "beta=0,1", "C=1", "i=1"], "a division by zero"),
        (["eval", "edelman2022/sec2-linear-cover", "eps=1e-40", "m=1", "B_X=1", "B_w=1"], "too large to be written"),
        (["tables", "nothing/here"], "no exhibit 'nothing/here'"),
        (["eval"], "KEY"),
        (["dance"], "dance"),
        (["eval", "edelman2022/4.4", "--digits", "many"], "--digits"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(maurey, arguments, says):
    code, out, err = maurey(*arguments)
    assert code == 2
    assert says in err
    assert len(err.strip().splitlines()) == 1
    assert not out


def test_undecided_exits_1(maurey, monkeypatch):
    from maurey.numeric import balls

    def shrug(*_):
        raise balls.Undecided("undecided at 64 bits: ceiling(x)")

    monkeypatch.setattr(balls, "enclose_steps", shrug)
    code, _, err = maurey("eval", "edelman2022/4.4", *HEAD, "eps=1")
    assert code == 1
    assert "undecided" in err


def test_as_a_process():
    done = subprocess.run([sys.executable, "-m", "maurey", "eval", "edelman2022/4.4", *HEAD, "eps=abc"],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "maurey: eps must be a positive real, got 'abc'\n"
    assert "Usage" in subprocess.run([sys.executable, "-m", "maurey", "--help"], capture_output=True, text=True).stdout


def test_no_arguments_is_help(maurey):
    code, out, _ = maurey()
    assert code == 0
    assert "Usage" in out


def test_views_can_be_copied():
    import copy

    import maurey as package

    claim = package.claim("edelman2022/A.7")
    assert copy.deepcopy(claim).key == copy.copy(claim).key == claim.key


def test_only_derived_steps_depart(maurey):
    for form, departs in (("printed", False), ("derived", True), ("sharp", False)):
        _, out, _ = maurey("trace", "edelman2022/4.5", "--form", form, "--json")
        assert any(step["differs"] for step in json.loads(out)["steps"]) is departs


def test_samples_and_blame(maurey):
    gap = ["--gap", "0.1", "L_loss=1", "C_F=1", "A=1", "b=1", "delta=1/20"]
    code, out, _ = maurey("samples", "edelman2022/2.2", *gap, "--form", "printed", "--json")
    found = json.loads(out)
    assert code == 0
    assert Decimal(found["bound_at_m"]) <= Decimal("0.1") < Decimal(found["bound_before"])
    code, out, _ = maurey("samples", "edelman2022/2.2", *gap)
    assert code == 0
    assert "m = " in out
    code, _, err = maurey("samples", "edelman2022/2.2", *gap[2:])
    assert code == 2
    assert "--gap" in err
    code, out, _ = maurey("samples", "edelman2022/A.4", "--gap", "1", "L_loss=1", "b=1", "delta=1/2", "R_F=3")
    assert code == 0
    assert "no m up to 2^1024" in out
    code, out, _ = maurey("blame", "edelman2022/4.4", *HEAD, "eps=1/10", "--json")
    assert code == 0
    assert json.loads(out)["shares"][0]["name"] == "constants"
    code, out, _ = maurey("blame", "maurer2004/5:risk", "m=1000", "delta=0.05", "KL=1", "loss_hat=1")
    assert code == 0
    assert "log of the bound 0" in out
    code, out, _ = maurey("blame", "lintilhac2026/7", "T=8", "m=1e9", "Sigma=0.01", "sigma=0.001", "--form", "printed")
    assert code == 0
    assert not {"inf", "nan"} & set(out.split())


def test_two_derivations_side_by_side(maurey):
    code, out, _ = maurey("trace", "edelman2022/A.17", "--part", "log_N", "--against", "sharp")
    assert code == 0
    assert "derived against sharp" in out
    code, out, _ = maurey("trace", "edelman2022/A.17", "--part", "log_N", "--against", "sharp", "--json")
    rows = {row["name"]: row for row in json.loads(out)["steps"]}
    assert rows["Lambda_1"]["same"]
    assert not rows["Lambda_3"]["same"]
    assert rows["C_V_1"]["derived"] is None
    code, _, err = maurey("trace", "edelman2022/A.16", "--against", "sharp")
    assert code == 2
    assert "no sharp form" in err
