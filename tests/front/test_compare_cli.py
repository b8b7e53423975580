"""`maurey compare` as a user calls it: JSON, text, figures, one clear line on bad input; and slack notes of `eval`."""

import importlib.util
import json
from decimal import Decimal

import pytest

import maurey as package
from maurey import InputError

HEAD = ["m=1000", "d=64", "L_sigma=1", "B_X=1", "B_V=2", "B_V_inf=0.7", "B_QK_inf=0.4", "eps=1/10"]
ONLINE = ["maurey/online:coordinates", "maurey/online:net", "eps=1/10", "N=1000", "B_X=1", "B_W_F=1"]


@pytest.fixture(autouse=True)
def in_a_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def test_json(maurey, tmp_path):
    head = [*HEAD[:-1], "eps=5", "B_P=1"]
    words = ["edelman2022/4.4", "edelman2022/A.11", *head, "--over", "T=16..1e6", "--form", "all"]
    code, out, _ = maurey("compare", *words, "--points", "50", "--json")
    found = json.loads(out)
    assert code == 0
    assert set(found) == {"over", "curves", "at", "winners", "crossovers", "notes", "plot"}
    assert found["over"] == {"name": "T", "from": "16", "to": "1000000", "points": 50}
    assert len(found["curves"]) == 8
    assert all(set(c) == {"label", "key", "part", "form", "log10"} for c in found["curves"])
    assert all(len(c["log10"]) == len(found["at"]) == 50 for c in found["curves"])
    (c,) = found["crossovers"]
    assert c == {
        "curves": ["edelman2022/4.4 printed", "edelman2022/A.11 sharp"], "at": ["20", "21"],
        "below_before": "edelman2022/4.4 printed", "below_after": "edelman2022/A.11 sharp", "certified": True,
    }  # fmt: skip
    assert found["winners"] == [{"from": "16", "to": "1000000", "label": "edelman2022/4.4 sharp", "ties": []}]
    assert {"defaults C0 = 1, kappa = 2", "no B_P in edelman2022/4.4"} <= set(found["notes"])
    assert found["plot"] == "build/compare.png"
    assert (tmp_path / found["plot"]).read_bytes().startswith(b"\x89PNG")


def test_text(maurey):
    code, out, _ = maurey("compare", *ONLINE, "--over", "d_2=1..1000")
    assert code == 0
    assert "maurey/online:coordinates printed at d_2 = 1\n" in out
    assert "maurey/online:net printed from d_2 = 2 to 1000\n" in out
    assert "net printed falls below maurey/online:coordinates printed between d_2 = 1 and 2, certified" in out
    header, *rows = out.split("\n\n")[0].splitlines()
    assert header.split() == ["d_2", "maurey/online:coordinates", "printed", "maurey/online:net", "printed"]
    assert len(rows) == 9
    for row in (rows[0], rows[-1]):
        d_2, coordinates, _ = row.split()
        exact = package.claim("maurey/online").enclose("printed", "coordinates", eps="1/10", N=1000, d_2=d_2, B_X=1,
                                                       B_W_F=1).value  # fmt: skip
        assert f"{exact:.3e}".replace("e+4", "e+04") == coordinates.replace("e+02", "e+2").replace("e+06", "e+6")


def test_many_curves_are_numbered_and_large_values_have_four_digits(maurey):
    code, out, _ = maurey("compare", "edelman2022/4.4", "edelman2022/A.12", *HEAD, "H=2", "--form", "all",
                          "--over", "T=1e300..1e900")  # fmt: skip
    assert code == 0
    assert "  [8] edelman2022/A.12 sharp\n" in out
    code, out, _ = maurey("compare", "edelman2022/sec2-linear-cover", "m=10", "B_X=1", "B_w=1", "--over",
                          "eps=1e-3..2")  # fmt: skip
    assert code == 0
    assert out.splitlines()[1].endswith("e+749409300")
    code, out, _ = maurey("compare", "edelman2022/sec2-linear-cover", "m=1", "B_X=1", "B_w=1", "--over", "eps=0.5..2",
                          "--form", "printed")  # fmt: skip
    assert code == 0
    assert " -1.733e-01\n" in out  # log(1/2)/4: as printed it may be negative


@pytest.mark.parametrize("name", ["a/b.png", "c.svg", "d.PDF"])
def test_figures_are_reproducible(maurey, tmp_path, name):
    written = []
    for _ in range(2):
        code, out, _ = maurey("compare", *ONLINE, "--over", "d_2=1..1000", "--points", "20", "--plot", name)
        assert (code, out.splitlines()[-1]) == (0, name)
        written.append((tmp_path / name).read_bytes())
        (tmp_path / name).unlink()
    assert written[0] == written[1]


def test_drawing_marks_the_changes_of_the_smallest():
    from matplotlib.figure import Figure

    from maurey.paper_tables.plots import draw

    found = package.compare("maurey/online:coordinates", "maurey/online:everywhere", over={"N": (1, "1e900")},
                            eps="1/10", B_X=1, B_W_F=1, d_1=5, d_2=3)  # fmt: skip
    axes = Figure().subplots()
    draw(axes, found)
    *curves, ring = axes.get_lines()
    assert [line.get_label() for line in curves] == [c.label for c in found.curves]
    assert axes.get_xlabel().startswith("log10 of N")  # beyond doubles
    assert axes.get_yscale() == "log"
    (x,), (y,) = ring.get_data()
    assert 10**x == pytest.approx(float(found.crossovers[0].at[0]) + 0.5)
    assert y == pytest.approx(10 ** found.curves[1].log10[0], rel=1e-6)


def test_without_matplotlib(maurey, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    code, out, _ = maurey("compare", *ONLINE, "--over", "d_2=1..10", "--json")
    found = json.loads(out)
    assert (code, found["plot"]) == (0, None)
    assert any("matplotlib" in note for note in found["notes"])
    code, out, err = maurey("compare", *ONLINE, "--over", "d_2=1..10", "--plot", "x.png")
    assert code == 2
    assert "install maurey[tables]" in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([*HEAD, "--over", "T=16"], "--over takes a parameter and its range, e.g. --over T=16..1e6, got 'T=16'"),
        (HEAD, "--over takes a parameter and its range"),
        ([*HEAD, "--over", "T=16..8"], "the range of T must go from a smaller to a larger value, got 16..8"),
        ([*HEAD, "--over", "T=16..16"], "the range of T must go from a smaller to a larger value"),
        ([*HEAD, "--over", "T=1.5..8"], "T must be a positive integer, got '1.5'"),
        ([*HEAD, "--over", "T=0..8"], "T must be a positive integer, got '0'"),
        ([*HEAD, "--over", "T=2..2**9"], "T must be a positive integer, got '2**9'"),
        ([*HEAD, "--over", "T=__import__('os')..8"], "T must be a positive integer"),
        ([*HEAD, "--over", "T=1,2..8"], "T must be a positive integer, got a list of 2"),
        ([*HEAD, "T=3", "--over", "T=1..8"], "T is what moves"),
        ([*HEAD, "--over", "N=1..8"], "unknown parameter 'N'; the chosen claims take eps, d, m, T"),
        ([*HEAD, "N=8", "--over", "T=1..8"], "unknown parameter 'N'; the chosen claims take eps, d, m, T"),
        (["m=3", "--over", "T=1..8"], "edelman2022/4.4: missing parameter eps"),
        ([*HEAD, "m=3", "--over", "T=1..8"], "m is given twice"),
        ([*HEAD, "--over", "T=1..8", "--points", "1"], "points must be an integer from 2 to 10000, got 1"),
        ([*HEAD, "--over", "T=1..8", "--points", "10001"], "points must be an integer from 2 to 10000"),
        (
            [*HEAD, "--over", "T=1..8", "--form", "best"],
            "no form 'best'; there are printed, repaired, derived, sharp, all",
        ),
        ([*HEAD, "--over", "T=1..8", "--plot", "x.gif"], "--plot takes a file that ends in .png, .svg, .pdf"),
        ([*HEAD, "--over", "T=1..8", "--plot", "/proc/none/x.png"], "cannot write /proc/none/x.png"),
        ([*HEAD, "edelman2022/4.3", "--form", "sharp", "--over", "T=1..8"], "edelman2022/4.3 has no sharp form"),
        ([*HEAD, "edelman2022/4.4:first", "--over", "T=1..8"], "no part 'first'"),
        ([*HEAD, "edelman2022/9.9", "--over", "T=1..8"], "no claim 'edelman2022/9.9'"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(maurey, words, says):
    code, out, err = maurey("compare", "edelman2022/4.4", *words)
    assert code == 2
    assert says in err
    assert len(err.strip().splitlines()) == 1
    assert not out


def test_no_claim(maurey):
    code, _, err = maurey("compare", "--over", "T=1..8")
    assert (code, err.count("\n")) == (2, 1)
    assert "name at least one claim" in err


def test_conditions_are_named_with_the_claim(maurey):
    code, _, err = maurey("compare", "maurey/dudley", "A=1", "C_F=1", "p_0=0", "m=9", "--over", "tau=0.1..2")
    assert code == 2
    assert "maurey/dudley assumes that the cut-off tau is at most A" in err


def test_slack_notes_of_eval(maurey):
    point = ["edelman2022/4.4", "d=8", "m=100", "T=20", "L_sigma=1", "B_X=1", "B_V=2", "B_QK_inf=0.4", "eps=1"]
    code, out, _ = maurey("eval", *point, "B_V_inf=3")
    assert code == 0
    assert "  note: B_V_inf = 3 is slack: that norm is never above B_V = 2\n" in out
    code, out, _ = maurey("eval", *point, "B_V_inf=3", "--json")
    assert json.loads(out)["notes"] == ["B_V_inf = 3 is slack: that norm is never above B_V = 2"]
    code, out, _ = maurey("eval", *point, "B_V_inf=2", "--json")
    assert json.loads(out)["notes"] == []


def test_in_python():
    found = package.compare("edelman2022/A.6", "maurey/softmax", over={"c_f": (0.1, 10.0)}, points=20, Delta=3)
    (c,) = found.crossovers
    assert c.at[0] < 1 < c.at[1]
    assert Decimal(str(float(found.at[0]))) == Decimal("0.1")
    for over in ({}, {"c_f": 3}, {"c_f": (1, 2), "Delta": (1, 2)}):
        with pytest.raises(InputError, match="over takes one parameter and its two ends"):
            package.compare("edelman2022/A.6", over=over, Delta=3)


def test_lists_of_claims():
    several = package.compare(["edelman2022/A.6", "maurey/softmax"], over={"c_f": (0.1, 10.0)}, points=5, Delta=3)
    assert len(several.curves) == 2
    with pytest.raises(InputError, match="compare takes claims or keys"):
        package.compare([4.4], over={"c_f": (1, 2)}, Delta=3)


def test_a_covering_bound_that_ends_in_a_gap_is_of_the_kind(maurey):
    norms = ["L_sigma=1", "B_X=1", "B_w=1", "B_C=1", "B_V=1", "B_QK=1", "B_C_inf=0.7", "B_V_inf=0.7", "B_QK_inf=0.7"]
    words = ("--over", "m=1e4..1e6", "--points", "3", "L=2", "d=64", "k=64", "T=32", "L_loss=1", "b=1", "delta=1/20")
    code, out, _ = maurey("compare", "--kind", "generalization", *words, *norms, "--json")
    assert code == 0
    assert [curve["label"] for curve in json.loads(out)["curves"]] == ["edelman2022/A.17:gap derived"]


def test_a_kind_of_which_nothing_can_be_evaluated(maurey):
    """What lacks least is named, with what it lacks; a kind without formulas has none."""
    words = ("--over", "m=1e3..1e6", "delta=1/20", "T=64", "d=64")
    code, out, err = maurey("compare", "--kind", "generalization", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "can be evaluated with delta, T, d, m alone; the nearest is " in err
    assert "missing parameter" in err
    code, out, err = maurey("compare", "--kind", "definition", *words)
    assert (code, out) == (2, "")
    assert err == "maurey: no claim of kind definition can be evaluated with delta, T, d, m alone\n"
