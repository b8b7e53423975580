"""maurey bound of checkpoints, and maurey.bound: the page, the record, the HTML, the object, and what is refused."""

import json
import re
import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import maurey as package

sys.path.insert(0, str(Path(__file__).parents[1] / "verify" / "models"))
import checkpoint_files as files
import references


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Without a head, and with a normalisation at the end."""
    config, weights, _ = references.model("bert, classes")
    own = {n: x for n, x in weights.items() if not n.startswith("classifier")}
    place = tmp_path_factory.mktemp("models") / "bert"
    place.mkdir()
    (place / "config.json").write_text(json.dumps(config | {"architectures": ["BertModel"]}))
    files.save(place / "model.safetensors", own)
    kind = "sentence_transformers.models"
    rows = [{"type": f"{kind}.Transformer", "path": ""}, {"type": f"{kind}.Normalize", "path": "1_Normalize"}]
    (place / "modules.json").write_text(json.dumps(rows))
    (place.parent / "words.txt").write_text("2 3 4\n[5, 6, 7]\n")
    return place


def test_the_command(maurey, folder):
    page = folder.parent / "report.html"
    words = ["--head", "3", "--samples", "1000000", "--data", str(folder.parent / "words.txt"), "--html", str(page)]
    code, out, _ = maurey("bound", str(folder), *words, "--json")
    assert code == 0
    found = json.loads(out)
    assert set(found) >= {"model", "parameters", "hypotheses", "bounds", "blame", "lipschitz", "provenance", "layers"}
    assert found["model"]["family"] == "bert"
    assert {row["speaks_of"] for row in found["bounds"]} == {"the float program", "the real-number network"}
    refused = [h["text"] for h in found["hypotheses"] if h["status"] == "refused"]
    assert len(refused) == 1
    assert "u/|u|" in refused[0]
    assert any(h["text"].startswith("the head is not in the checkpoint") for h in found["hypotheses"])
    layer = next(row for row in found["layers"] if row["matrix"] == "Q")
    for low, high in layer["norms"].values():
        assert Decimal(low) <= Decimal(high) <= Decimal(low) * (1 + Decimal("1e-8"))
    rows = [row for row in found["lipschitz"] if row["measured_log10"] is not None]
    assert [row["layer"] for row in rows if row["layer"]] == [1, 2]
    _is_a_page(page.read_text(), found)


def _is_a_page(text, found):
    """Offline, with rendered formulas, the picture, all routes and hypotheses."""
    assert not re.search(r"""<(script|link|img|iframe)|(src|href)=|https?://(?!www\.w3\.org)|url\(""", text)
    assert "\\frac" not in text
    assert "$" not in text
    assert text.count("<math") > 100
    assert text.count("<rect") >= len(found["lipschitz"])
    for row in found["bounds"]:
        assert f"<td>{row['route']}</td>" in text
    assert text.count("</tr>") > len(found["hypotheses"]) + len(found["layers"])


def test_the_page(maurey, folder):
    code, out, err = maurey("bound", str(folder), "--head", "3", "--samples", "10")
    assert (code, err) == (1, "")  # nothing is said of ten samples
    assert max(map(len, out.splitlines())) <= 100
    wanted = (
        "(vacuous)",
        "speaks of the",
        "hypotheses",
        "  refused  ",
        "where it comes from",
        "###",
        "what would help",
    )
    assert [words for words in wanted if words not in out] == []


REFUSALS = {
    "has no head of classes: --head K adds one of K classes": [],
    "--head takes a positive integer, got -1": ["--head", "-1"],
    "--bits takes an integer from 1 to 32": ["--head", "2", "--bits", "40"],
    "belong together": ["--head", "2", "--sigma", "1"],
    "no tensor is called 'zzz'": ["--head", "2", "--frozen", "zzz"],
    "no file /nowhere": ["--head", "2", "--base", "/nowhere"],
    "--html takes a file that ends in .html": ["--head", "2", "--html", "page.txt"],
    "margin must be a positive number": ["--head", "2", "--loss", "ramp:0"],
    "--samples takes a positive integer": ["--head", "2", "--samples", "-1"],
}


@pytest.mark.parametrize("words", REFUSALS)
def test_one_line_says_what_is_wrong(words, maurey, folder):
    code, out, err = maurey("bound", str(folder), *REFUSALS[words])
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_of_architectures_nothing_is_measured(maurey, tmp_path):
    (tmp_path / "a.toml").write_text("[model]\n")
    code, _, err = maurey("bound", str(tmp_path / "a.toml"), "--bits", "4")
    assert code == 2
    assert "--bits is for checkpoints" in err


# --- in Python --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report():
    torch.manual_seed(0)
    mlp = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).eval()
    return package.bound(mlp, example=torch.zeros(1, 3, 4), samples=10**6, data=[np.eye(3, 4)]), mlp


def test_layers_are_the_matrices(report):
    found, mlp = report
    assert [row["name"] for row in found.layers] == list(mlp.state_dict())
    for row in found.layers:
        M = mlp.state_dict()[row["name"]].double().numpy()
        M = M.reshape(len(M), -1)
        wanted = {"spectral": np.linalg.norm(M, 2), "frobenius": np.linalg.norm(M)}
        wanted |= {"rows": np.linalg.norm(M, axis=1).max()}
        assert {name: float(row[name][1]) for name in wanted} == pytest.approx(wanted, rel=1e-7)
        assert row["stable_rank"] == pytest.approx((wanted["frobenius"] / wanted["spectral"]) ** 2, rel=1e-6)
    assert sum(float(row["share"]) for row in found.layers) == pytest.approx(1, abs=1e-6)


def test_routes_and_texts(report):
    found, _ = report
    least = [int(row["m_least"]) for row in found.routes]
    assert least == sorted(least)
    told = r"<Sequential: 58 numbers; the gap is at most 0\.\d+ at m = 1,000,000 \([\w ,]+\)>"
    assert re.fullmatch(told, repr(found))
    assert str(found).startswith("Sequential in memory")
    shown = found._repr_mimebundle_()
    assert shown["text/html"].count("<tr>") == len(found.routes) + 1
    assert found.lipschitz[0]["measured_log10"] is not None


def test_a_data_frame_and_a_figure(report, monkeypatch):
    found, _ = report
    made = SimpleNamespace(DataFrame=lambda rows, columns: (rows, columns))
    monkeypatch.setitem(sys.modules, "pandas", made)
    rows, columns = found.to_pandas()
    assert [list(row) for row in rows] == [[*row] for row in rows]
    assert set(columns) == set(rows[0])
    assert rows[0]["shape"] == (8, 4)
    assert all(isinstance(row["spectral"], float) for row in rows)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(package.InputError, match="pip install pandas"):
        found.to_pandas()
    figure = found.plot()
    drawn = [bar.get_width() for axes in figure.axes for bar in axes.patches]
    assert len(drawn) >= len(found.lipschitz)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "needs an example"), ({"example": torch.zeros(2, 3, 4)}, "has 2 sequences"),
        ({"head": 2}, "are for folders"),
        ({"example": torch.zeros(1, 3, 4), "loss": "ramp:x"}, "takes a positive number"),
        ({"example": torch.zeros(1, 3, 4), "frozen": ["9.*"]}, "no tensor is called"),
    ],
)  # fmt: skip
def test_calls_that_are_refused(report, options, words):
    with pytest.raises(package.InputError, match=words):
        package.bound(report[1], **options)


def test_training_mode_is_refused(report):
    with pytest.raises(package.InputError, match=r"call \.eval\(\) first"):
        package.bound(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout()), example=torch.zeros(1, 3, 2))
    with pytest.raises(package.InputError, match="want a path or a module"):
        package.bound(3)
