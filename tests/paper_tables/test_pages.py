"""Pages of exhibits: verdict first, few rows, one footer; tables for articles; the gallery."""

import re
import shutil
import subprocess

import pytest

from maurey.paper_tables import exhibits, gallery, page
from maurey.paper_tables.page import Shown
from maurey.paper_tables.verdicts import Finding, here, line, of_variants, words

NAMES = exhibits.names()


def made(shown, **more):
    texts = {"title": "t", "question": "q?", "answer": "1.5E+7.", "verdict": ["**agrees**: it does"], "caption": "c"}
    return exhibits.Exhibit(**texts | {"shown": shown, "notes": ["n"], "columns": ["a"], "rows": [["1"]]} | more)


def blocks(name):
    """The paragraphs of a committed page."""
    return (exhibits.ROOT / name / "table.md").read_text().strip().split("\n\n")


@pytest.mark.parametrize("name", NAMES)
def test_the_verdict_comes_first(name):
    """Title; question and answer, and what is found, in five lines; picture; caption; table; footer."""
    title, first, *rest = blocks(name)
    about = exhibits.provenance_of(name)
    assert title.startswith("# ")
    assert first == f"**{about['question']}** {page.raised(about['answer'])}"
    found = rest.pop(0).splitlines() if rest[0].startswith("- ") else []
    assert 1 + len(found) <= page.MOST_LINES
    assert all(row.startswith("- ") and len(row) < 330 for row in found)
    assert rest[0] == f"![{about['question']}](figure.svg)"
    assert rest[1]
    assert rest[2].startswith("| ")
    table, *end = rest[2:]
    rows = table.splitlines()[2:]
    assert 0 < len(rows) <= page.MOST_ROWS
    assert len({re.sub(r"\\\|", "", row).count("|") for row in table.splitlines()}) == 1
    explained = end[:-1]
    assert len(explained) <= 1
    assert all(text.startswith("*") for text in explained)
    assert "\n" not in end[-1]
    assert "[table.csv](table.csv) has all rows" in end[-1]
    assert ("figure.csv" in end[-1]) == (exhibits.ROOT / name / "figure.csv").exists()


@pytest.mark.parametrize("name", NAMES)
def test_huge_numbers_are_powers_of_ten(name):
    text = (exhibits.ROOT / name / "table.md").read_text()
    assert not re.findall(r"\d[eE][+-]?\d+\b|\b\d{9,}\b", text)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_found_is_told(name):
    """Each word that a finding has stands on the page."""
    text = "\n".join(blocks(name)[:4])
    assert all(found["word"] in text for found in exhibits.provenance_of(name)["findings"] if found["figure"])


@pytest.mark.parametrize(
    ("text", "shown", "latex"),
    [
        ("1.5E+21", "1.5·10²¹", r"$1.5\cdot10^{21}$"),
        ("1.0E-5 to 2e+03.", "10⁻⁵ to 2·10³.", r"$10^{-5}$ to $2\cdot10^{3}$."),
        ("-1E3", "-10³", "$-10^{3}$"),
        ("m = 10^6, a_b", "m = 10⁶, a_b", r"m = $10^{6}$, a\_b"),
        (
            "147200 (5), 0.15185, m = 9999, 1e05f 2026-11-19",
            "147,200 (5), 0.15185, m = 9999, 1e05f 2026-11-19",
            "147,200 (5), 0.15185, m = 9999, 1e05f 2026-11-19",
        ),
        ("sha256 873893af12345 0012345", "sha256 873893af12345 0012345", "sha256 873893af12345 0012345"),
        ("x1E5 and 1E5y", "x1E5 and 1E5y", "x1E5 and 1E5y"),
        ("50 % ± 1 < 2 ≤ 3", "50 % ± 1 < 2 ≤ 3", r"50 \% $\pm$ 1 $<$ 2 $\le$ 3"),
    ],
)
def test_numbers_in_cells(text, shown, latex):
    assert page.raised(text) == shown
    assert page.latex(text) == latex


def test_a_table_is_cut_after_twenty_rows():
    one = made(Shown({"a_b": "means", "c": ""}, [[str(n), "x|y"] for n in range(30)]))
    text = page.as_markdown(one)
    assert "| 19 | x\\|y |" in text
    assert "| 20 |" not in text
    assert "The table has the first 20 of 30 rows." in text
    assert "*a_b*: means." in text
    assert "**q?** 1.5·10⁷.\n\n- **agrees**: it does\n\n![q?](figure.svg)\n\nc\n" in text
    assert text.count("| ---: | --- |") == 1  # numbers to the right
    tex = page.as_latex(one)
    assert r"\begin{tabular}{@{}rl@{}}" in tex
    assert r"a\_b & c \\" in tex
    assert r"19 & x$|$y \\" in tex
    assert r"20 &" not in tex


def test_words_of_several_findings():
    two = [Finding("a", True), Finding("b", None)]
    assert words(two) == "1 agrees; 1 undecided"
    assert words(two[:1] * 2) == "agrees"
    assert words([]) == ""
    assert line("it does", Finding("a", True, run=1, planned=3)) == "**partly, agrees** (1 of 3 cells): it does"
    variants = {"text": Finding("a", True, run=1, planned=3), "script": Finding("b", None)}
    assert of_variants("so", variants) == "**partly, agrees** (text, 1 of 3 cells), **undecided** (script): so"
    assert here(Finding("Figure 1: it does; here, of 3, 2 (1 to 3); more", True)) == "; here, of 3, 2 (1 to 3)"
    assert here(Finding("Figure 1: it does", True)) == ""


@pytest.mark.parametrize("name", NAMES)
def test_tables_for_articles(name):
    """Cells are plain or mathematics, and every row has as many."""
    text = (exhibits.ROOT / name / "table.tex").read_text()
    rows = [row for row in text.splitlines() if not row.startswith("%")]
    body = "\n".join(rows)
    assert body.isascii()
    assert [mark in body for mark in (r"\toprule", r"\midrule", r"\bottomrule", r"\hline")] == [True, True, True, False]
    cells = [re.sub(r"\\[&$]", "", row) for row in rows if row.endswith(r"\\")]
    sides = re.search(r"\{@\{\}([lr]+)@\{\}\}", body)[1]
    assert {row.count("&") + 1 for row in cells} == {len(sides)}
    assert all(row.count("$") % 2 == 0 for row in cells)
    assert text.startswith("% ")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="LaTeX is not there")
def test_tables_compile(tmp_path):
    """All of them, in one article."""
    one = r"\noindent\resizebox{\textwidth}{!}{\input{%s/table.tex}}\par\medskip"
    inputs = "\n".join(one % (exhibits.ROOT / name) for name in NAMES)
    head = r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
    (tmp_path / "all.tex").write_text(head + "\n" + inputs + "\n" + r"\end{document}")
    call = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]


# --- drawing again, and the gallery ----------------------------------------------------------------------------------


def test_what_is_computed_is_drawn_again_without_computing(tmp_path, monkeypatch):
    name = "edelman2022/depth"
    monkeypatch.setattr(exhibits.load(name), "make", lambda progress: pytest.fail("it is there"))
    files = exhibits.redraw(name, tmp_path)
    assert {file.name for file in files} >= {"table.csv", "table.md", "table.tex", "figure.svg", "figure-dark.svg"}
    for file in ("table.csv", "table.md", "provenance.json"):
        assert (tmp_path / file).read_bytes() == (exhibits.ROOT / name / file).read_bytes()
    assert exhibits.digest(tmp_path) in (tmp_path / "figure-dark.svg").read_text()


def test_the_gallery_is_what_the_exhibits_say():
    assert gallery.FILE.read_text() == gallery.text(), "run `maurey tables --list --commit`"


def test_every_exhibit_is_in_the_gallery():
    found = {entry.name: entry for entry in gallery.entries()}
    assert sorted(found) == sorted(NAMES)
    assert all(file.exists() for entry in found.values() for file in entry.figures.values())
    assert len({entry.question for entry in found.values()}) >= len(found) - 1  # `trained` asks the same of two papers
    assert all(entry.question.endswith("?") and entry.answer.endswith(".") for entry in found.values())
