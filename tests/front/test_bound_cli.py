"""maurey bound: an architecture file in, every bound out; one clear line where the file is wrong."""

import json
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from models import BERT, NORMS, SIZES

MODEL = SIZES | BERT


class Raw(str):
    """What stands in the file as it is."""


def shown(x):
    """A value as a user writes it."""
    if isinstance(x, Raw):
        return x
    if isinstance(x, Fraction):
        return str(float(x))
    return json.dumps(x) if isinstance(x, (str, bool, list)) else str(x)


def toml(model=None, norms=None, loss=None):
    tables = {"model": MODEL | (model or {}), "norms": NORMS["bert"] if norms is None else norms}
    tables["loss"] = loss or {"kind": "ramp", "margin": 1}
    lines = []
    for name, rows in tables.items():
        lines += [f"[{name}]", *(f"{key} = {shown(x)}" for key, x in rows.items() if x is not None)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def asked(maurey, tmp_path):
    def ask(*options, text=None, **tables):
        file = tmp_path / "model.toml"
        file.write_text(toml(**tables) if text is None else text)
        return maurey("bound", str(file), *options)

    return ask


def test_json(asked):
    code, out, _ = asked("--samples", "100000", "--json")
    found = json.loads(out)
    assert code == 0
    assert set(found) == {"model", "parameters", "hypotheses", "bounds", "blame", "lipschitz", "help", "provenance"}
    assert [row["route"] for row in found["bounds"]] == ["bits", "net", "counting", "norms", "norm net", "length-free"]
    for row in found["bounds"]:
        assert not row["refused"]
        assert Decimal(row["gap"]["lower"]) <= Decimal(row["gap"]["value"]) <= Decimal(row["gap"]["upper"])
        assert int(row["m_before"]) + 1 == int(row["m_least"])
        assert Decimal(row["gap_at_m_least"]) <= 1 < Decimal(row["gap_at_m_before"])
    for route in ("bits", "net", "norms"):
        assert abs(sum(Decimal(s["share"]) for s in found["blame"] if s["route"] == route) - 1) < Decimal("1e-6")
    assert [s["layer"] for s in found["lipschitz"] if s["layer"]] == [1, 2]
    assert {h["status"] for h in found["hypotheses"]} == {"checked", "stated"}
    assert found["provenance"]["delta_of_each_route"] == "1/120"
    layer = 4 * (16 + 4) + 2 * (16 + 4) + 4 * 4
    assert found["parameters"] == str(2 * layer + 4 * (5 + 3 + 2) + 2 * 4 + (16 + 4) + (12 + 3))


def test_the_page(asked):
    code, out, _ = asked("--samples", "100")
    assert code == 1  # no bound says anything
    assert "(vacuous)" in out
    for words in ("hypotheses", "where it comes from", "Lipschitz constants", "what would help", "[maurey/net]"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 100
    code, out, _ = asked("--loss", "0-1")
    assert code == 0  # nothing was asked of a sample size


def test_without_norms_it_is_a_formula(asked):
    code, out, _ = asked(norms={})
    assert code == 0
    assert "net: gap <= 2*eps_net + sqrt((log_N + log(1/delta))/(2*m))" in out
    assert "B_Q: the spectral norm of Q" in out
    found = json.loads(asked("--json", norms={})[1])
    assert all((row["formula"] is None) == (row["route"] == "bits") for row in found["bounds"])


def test_options(asked):
    """With the 0-1 loss, of which bits alone speak."""

    def bits(*more):
        rows = json.loads(asked("--json", "--loss", "0-1", *more)[1])["bounds"]
        assert [bool(row["refused"]) for row in rows] == [False] + 5 * [True]
        return rows[0]

    plain, frozen, sure = bits(), bits("--frozen", "E", "--frozen", "N*"), bits("--delta", "1/1000")
    assert int(frozen["m_least"]) < int(plain["m_least"]) < int(sure["m_least"])
    assert frozen["trained"].startswith("all but E, N0_bias")
    cut = json.loads(asked("--json", "--loss", "cross-entropy:4", model={"norm_eps": 0})[1])
    assert cut["provenance"]["range_of_the_loss"] == "4"


def test_heads_of_another_width(asked):
    """Without groups every head has keys and values of its own, as many as there are heads."""
    plain, grouped, narrow = (
        json.loads(asked("--json", model=model)[1])
        for model in ({"head_width": 3}, {"head_width": 3, "kv_heads": 2}, {"head_width": 3, "kv_heads": 1})
    )
    assert plain["bounds"] == grouped["bounds"]
    assert int(plain["parameters"]) - int(narrow["parameters"]) == 2 * 2 * 3 * (4 + 1)


def test_routes_that_are_refused_say_why(asked):
    for tables, why in (
        (dict(model={"norm_eps": 0}), "a norm with eps = 0 has no Lipschitz constant"),
        (dict(model={"experts": 4, "top_k": 1}, norms=NORMS["bert"] | {"router": 1}), "top-k routing, 1 of 4 experts"),
    ):
        code, out, _ = asked("--samples", "1000000", **tables)
        assert code == 0
        assert re.search(rf"^net, counting, norms, norm net, length-free: {re.escape(why)}", out, re.M)


BAD = {
    "activation is one of": dict(model={"activation": "gulu"}),
    "perhaps glu or gelu": dict(model={"activation": "gulu"}),
    "layers must be a positive integer, got -2": dict(model={"layers": -2}),
    "layers must be at most 1000, got 2000": dict(model={"layers": 2000}),
    "heads = 3 does not divide width = 4": dict(model={"heads": 3}),
    "kv_heads = 3 does not divide heads = 2": dict(model={"kv_heads": 3}),
    "[model] has no key 'wings'": dict(model={"wings": 3}),
    "[model] has no key 'layer', perhaps layers": dict(model={"layer": 3}),
    "[model] lacks read": dict(model={"read": None}),
    "give vocabulary or patch, one of them": dict(model={"patch": 3}),
    "rope_base is for models with positions = rope": dict(model={"rope_base": 500}),
    "patch_radius is for models with patch": dict(model={"patch_radius": 1}),
    "pooler_norm is for models with pooler": dict(model={"pooler": None, "pooler_norm": True}),
    "outputs = 3 contradicts tied = true": dict(model={"tied": True}),
    "norm_eps must be a positive number": dict(model={"norm_eps": "a"}),
    "[norms] has no 'Qq', perhaps Q": dict(norms={"Qq": 1}),
    "of Q it takes Q, Q_F, Q_rows, Q_21": dict(norms={"Q_inf": 1}),
    "[norms] lacks E, P, S, K": dict(norms={"Q": 1}),
    "Q must be layers = 2 of them, got a list of 3": dict(norms=NORMS["bert"] | {"Q": [1, 2, 3]}),
    "head_rows must be one number, got a list of 2": dict(norms=NORMS["bert"] | {"head_rows": [1, 2]}),
    "Q must be a positive number, got 0": dict(norms=NORMS["bert"] | {"Q": 0}),
    "the kind of a loss is one of 0-1, ramp, cross-entropy, got 'romp', perhaps ramp": dict(loss={"kind": "romp"}),
    "the kind of a loss is one of 0-1, ramp, cross-entropy, got [1, 2]": dict(loss={"kind": [1, 2]}),
    "[loss] has no key 'cap'; ramp takes kind, margin": dict(loss={"kind": "ramp", "cap": 1}),
    "is not TOML": dict(text="[model"),
    "a table [model] is missing": dict(text=""),
    "no table [modl], perhaps model": dict(text="[modl]\n"),
    "norm_eps must be a positive number, got '1e-999999999'": dict(model={"norm_eps": Raw("1e-999999999")}),
    "norm_eps must be a positive number, got '1e999999999'": dict(model={"norm_eps": Raw("1e999999999")}),
    "norm_eps must be a positive number, got 'nan'": dict(model={"norm_eps": Raw("nan")}),
    "is nested too deeply": dict(text=f"x = {'[' * 20_000}"),
}


@pytest.mark.parametrize("message", BAD)
def test_one_line_says_what_is_wrong(asked, message):
    code, out, err = asked(**BAD[message])
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/nowhere/model.toml"], "cannot read /nowhere/model.toml: No such file or directory"),
        (["tests"], "no file tests/config.json"),
        ([""], "'' is no file"),
        (["model.toml", "--samples", "-1"], "--samples takes a positive integer"),
    ],
)
def test_files_and_options(maurey, words, message):
    code, out, err = maurey("bound", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delta", "2"], "delta must be in (0, 1)"),
        (["--loss", "ramp:x"], "--loss ramp:MARGIN takes a positive number, got 'x'"),
        (["--loss", "0-1:2"], "--loss 0-1 takes no number"),
        (["--frozen", "Z"], "nothing is called 'Z'"),
    ],
)
def test_options_that_are_wrong(asked, options, message):
    code, out, err = asked(*options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
