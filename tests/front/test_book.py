"""The book without a browser: its parts, what it refuses, and that a book that fails leaves the old one as it was."""

import ast
import hashlib
import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sympy

pytest.importorskip("quickjs")

import maurey
from maurey.book import (
    build,
    cite,
    claims,
    figures,
    graph,
    guides,
    home,
    library,
    markdown,
    maths,
    notation,
    numbers,
    page,
    prose,
    values,
)
from maurey.book.explorer import runtime
from maurey.pages.errata import records, shortened
from maurey.paper_tables import exhibits, folders, index
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols
from maurey.verify import evidence, ledger

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "front" / "book"
HEAD = "edelman2022/4.4"


# --- formulas in prose ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "set_"),
    [
        ("scores go with B_QK_inf B_X^2, but", r"scores go with $B_{QK}^\infty B_X^{2}$, but"),
        ("one entry of W_QK for each of d^2/9 sequences", "one entry of $W_{QK}$ for each of $d^{2}/9$ sequences"),
        ("2 eps apart: log N is of order t log t", r"$2 \varepsilon$ apart: $\log N$ is of order $t \log t$"),
        ("delta <= 1/4 and m >= 53 log(1/delta)", r"$\delta\le 1/4$ and $m\ge 53 \log (1/\delta)$"),
        ("at most 2^-(k+1) of it", "at most $2^{-(k+1)}$ of it"),
        ("volume of 1 x 4 matrices", r"volume of $1\times 4$ matrices"),
        ("sizes from 1 to 10^40; 1.11E+15 entries", r"sizes from 1 to $10^{40}$; $1.11\cdot10^{15}$ entries"),
        *((same, same) for same in ("P. Alquier, Foundations 17 (2024) 174-303, Theorem 2.1", "Zhang's cover (z3)")),
        ("a log covering number of A. A centre for each", "a log covering number of A. A centre for each"),
        ("wherever it lies beyond A, at A", "wherever it lies beyond $A$, at $A$"),
        ("losses in [0, b], for |u| <= 1", r"losses in $[0,\,b]$, for $|u|\le 1$"),
        ("as $x^2$ stands, with T = 12", "as $x^2$ stands, with $T=12$"),
        ("the share of it that eps_head has", r"the share of it that $\varepsilon_{\mathrm{head}}$ has"),
        ("C_F <= m*A**2", r"$C_{\mathcal F}\le m A^{2}$"),
    ],
)  # fmt: skip
def test_formulas_are_found_in_prose(typed, set_):
    names = {"A": "A", "B_QK_inf": r"B_{QK}^\infty"}
    assert notation.typeset(typed, names) == set_


def test_every_formula_that_is_found_can_be_set():
    """In all notes, conditions and errata of the ledger."""
    entries = evidence.ledger().entries.values()
    notes = [
        (*one["verdict"]["notes"], one["verdict"]["where"], *(e["note"] for e in one["refuted"])) for one in entries
    ]
    texts = {text for own in notes for text in own}
    found = {formula for text in texts for formula in notation.typeset(text).split("$")[1::2]}
    assert len(found) > 300
    assert all("<math" in maths.mathml(formula) for formula in found)


def test_keys_and_numbers_are_links():
    claim = registry.find(HEAD)
    html = str(prose.prose("as maurey/softmax and Lemma A.8 say, with A.99 and 4.5 of them", claim))
    assert re.findall(r'href="([^"]+)"', html) == ["@/claims/maurey/softmax.html", "@/claims/edelman2022/A.8.html"]
    assert "<a" not in str(prose.prose("as maurey/softmax says", claim, links=False))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("1152921504606846976", "2^{60}"),
        ("1000000", "10^{6}"),
        ("10000", "10^{4}"),
        ("1.0E+4", "10^{4}"),
        ("14000", "14000"),
        ("331373/5668704", "331373/5668704"),
        ("-8.01204746255459E-71", r"-8.012\cdot10^{-71}"),
        ("0.0000567096", r"5.671\cdot10^{-5}"),
        ("12.2666", "12.27"),
        ("1.00000000000000", "1"),
        ("Infinity", r"\infty"),
        ("2.04579E-14545347378", r"2.046\cdot10^{-14545347378}"),
    ],
)
def test_numbers(text, latex):
    assert numbers.latex_of(text) == latex


def test_long_formulas_can_be_broken():
    broken = str(maths.breakable(r"a^2 + \frac{b}{c} \cdot \log\left(mT\right)"))
    assert broken.count("<mrow>") >= 3
    assert re.findall(r'<mo form="infix">(.)</mo>', broken) == ["+", "⋅"]
    pieces = str(maths.flowing(r"\|W_V^\top\|_{2,\infty}\le B_V^\infty = x + y"))
    assert re.findall(r'<mo form="infix">(.)</mo>', pieces) == ["≤", "=", "+"]


@pytest.mark.parametrize(
    ("latex", "spaces"),
    [
        (r"H D_{e} \log{\left(x \right)}", 2),  # before the name, and behind it
        (r"m \log t", 2),
        (r"D_e \operatorname{softmax}(x)", 1),
        (r"B_{\max}^2 x", 0),
        (r"\frac{1}{\log(n)}", 0),
        (r"\log \log x", 2),
    ],
)
def test_a_function_stands_apart_from_the_factor_before_it(latex, spaces):
    assert maths.mathml(latex).count('<mspace width="0.1667em">') == spaces


def test_punctuation_stays_with_its_formula():
    html = str(prose.prose("It holds ($x=1$) for $y$, so $z$."))
    ties = re.findall(r'<span class="tie">(.*?)</span>', html)
    assert [re.sub(r"<[^>]*>", "", tie) for tie in ties] == ["(x=1)", "y,", "z."]
    assert re.sub(r"<[^>]*>", "", html) == "It holds (x=1) for y, so z."


def test_lines_of_a_case_have_no_mark_of_their_place():
    latex = r"\begin{cases} \begin{aligned}[t] & a \\ & + b \end{aligned} & x \\ c & y \end{cases}"
    assert re.sub(r"<[^>]*>|\s", "", str(maths.mathml(latex))).startswith("{a+bxcy")


def test_notes_are_sentences():
    typed = ["no bound exceeds it", "log N is larger", "2 a b <= a^2 + b^2 (z3).", "an axiom"]
    told = ["No bound exceeds it.", "log N is larger.", "2 a b <= a^2 + b^2 (z3).", "An axiom."]
    assert [claims._sentence(note) for note in typed] == told


def test_letters_that_stand_above_are_named_and_not_explained_again(found):
    """In 30 each block of the gradient has the letters of the whole."""
    _, blocks, *_ = claims._parts(registry.find("lintilhac2026/30"), found, None)
    (printed,) = [form for form in blocks["forms"] if form["form"] == "printed"]
    assert len(printed["again"]) > claims.FEW
    assert {one["id"] for one in printed["again"]} == {"moved-printed"}
    assert not {one["left"] for one in printed["again"]} & {one.left for one in printed["where"]}


def test_of_many_rays_a_few_are_named():
    rays = "; ".join(f"k = t^{n}" for n in range(9))
    told = shortened(f"its proof does not give it along d = t; {rays}; the sharp form does.")
    assert told.endswith("along d = t; k = t^0; k = t^1; along 7 more such rays; the sharp form does.")
    assert shortened("it fails along d = t; k = t; so") == "it fails along d = t; k = t; so"


def test_formulas_of_guides_are_set_before_markdown_is_read(tmp_path):
    file = tmp_path / "page.md"
    words = r"**Why?** As $y=g*x$ is *at most* $\max_i|g_i|$ here, `edelman2022/4.4 log_N`:"
    file.write_text("# Page\n\n" + words + "\n\n$$\n\\{x_i\\}_i\n$$\n")
    for place in ("docs/page.md", "paper_tables/a/b/table.md"):
        html = markdown.rendered(file, place, {})[1]
        assert "$" not in html
        assert "<strong>Why?</strong> As <math>" in html
        assert "is <em>at most</em> <math>" in html
        assert "{" in re.sub(r"<[^>]*>", "", html.partition('class="scroll"')[2])
        assert 'href="@/claims/edelman2022/4.4.html#log_N"' in html


def test_slim_figures_show_the_same():
    for file in sorted(exhibits.ROOT.glob("*/*/figure.svg"))[:3]:
        before, after = (ElementTree.fromstring(text) for text in (file.read_text(), figures.slim(file.read_text())))
        assert [one.tag for one in before.iter()] == [one.tag for one in after.iter()]
        assert before.attrib == after.attrib
        ids = {one.get("id") for one in after.iter()}
        assert {one.get("href")[1:] for one in after.iter() if one.get("href")} <= ids
        for old, new in zip(before.iter(), after.iter(), strict=True):
            places = [re.findall(r"-?[\d.]+", one.get("d", "")) for one in (old, new)]
            assert all(abs(float(a) - float(b)) < 0.01 for a, b in zip(*places, strict=True))


def test_what_certifies_carries_no_words_for_readers():
    def emptied(source):
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, runtime.DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
                node.body[0].value.value = ""
        return ast.dump(tree)

    for module in (sympy.core.power, sympy.printing.str, runtime):
        source = Path(module.__file__).read_text()
        assert emptied(source) == ast.dump(ast.parse(runtime.bare(source))) != ast.dump(ast.parse(source))


def test_the_first_page_counts_every_claim(found):
    bars = home._bars(found)
    assert sum(share["count"] for bar in bars for share in bar["shares"]) == len(found.claims)
    assert bars[-1]["short"] == "The literature"


def test_exhibits_that_are_begun_have_no_page(monkeypatch):
    monkeypatch.setattr(folders, "names", lambda: ["trauger2024/regimes", "trauger2024/tomorrow"])
    assert folders.made() == ["trauger2024/regimes"]
    monkeypatch.setattr(exhibits, "names", folders.names)
    assert index.lines()[-1] == "  trauger2024/tomorrow: not made yet; maurey tables trauger2024/tomorrow"


# --- pages ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    """All claims; of the errata, those of the two whose pages are made."""
    keys = {HEAD, "trauger2024/3.5"}
    everything = tuple(registry.all_claims())
    standings = {claim.key: evidence.standing_of(claim) for claim in everything}
    return library.Library(everything, standings, tuple(records(ledger.comparisons(keys=keys), keys)))


def rendered(claim, found):
    return page.html(claims.page(claim, found), {"sections": build.SECTIONS, "version": "0"})


def test_a_claim_has_its_verdict_first_and_its_departures_marked(found):
    html = rendered(registry.find(HEAD), found)
    marks = (
        'class="verdict',
        'class="statement"',
        *(f'id="log_N-{one}"' for one in ("printed", "repaired", "derived-steps")),
    )
    order = [html.index(mark) for mark in (*marks, 'id="get"')]
    assert order == sorted(order)
    step = html[html.index('id="log_N-derived-beta_QK"') :]
    assert "Not the printed proof:" in step[: step.index("</li>")]
    assert '"../../assets/book.css"' in html
    assert "@/" not in html


def test_a_paragraph_of_the_errata_is_not_said_twice(found):
    html = rendered(registry.find(HEAD), found)
    texts = (re.sub(r"<[^>]*>", "", found) for found in re.findall(r"<p\b[^>]*>(.*?)</p>", html, re.S))
    paragraphs = [text for text in texts if len(text) > 120]
    assert len(paragraphs) == len(set(paragraphs)) > 3


def test_what_is_said_to_be_copied_can_be_run(found):
    """The commands of a page are those of the program."""
    html = rendered(registry.find("trauger2024/3.5"), found)
    commands = re.findall(r"<code>(maurey [^<]*)</code>", html)
    assert commands[0].startswith("maurey eval trauger2024/3.5:log_N --form printed ")
    _, _, key, _, form, *given = commands[0].split()
    name, _, part = key.partition(":")
    assert maurey.claim(name).enclose(form, part, **dict(one.split("=") for one in given)).value > 0


def test_a_formula_that_cannot_be_set_fails_by_name(found):
    (m,) = symbols("m")
    parts = (Part("gap", r"\undefined{x}", "a gap", printed=lambda _: 1 / m),)
    bad = Claim("mine2030/7", "Bad", "generalization", "No such letter.", parameters("m"), parts=parts)
    try:
        maurey.register(bad)
        standings = {**found.standings, bad.key: found.standings[HEAD]}
        own = library.Library((*found.claims, bad), standings, found.entries)
        with pytest.raises(maurey.InputError, match=r"mine2030/7: the formula .*undefined.* cannot be set"):
            claims.page(bad, own)
    finally:
        registry.forget()


def test_every_claim_with_a_formula_has_a_point():
    """At which all its forms have values, and which its page shows."""
    without = [claim.key for claim in registry.all_claims() if claim.parts and values.point(claim) is None]
    assert not without


def test_the_neighbourhood_of_a_claim(found):
    drawing, _ = graph.neighbourhood(registry.find(HEAD), found)
    labels = {node.label: node for node in drawing.nodes}
    assert {"4.4", "A.8", "A.11", "maurey/softmax"} <= set(labels)
    assert labels["A.11"].y < labels["4.4"].y < labels["A.8"].y
    assert all(node.x >= 0 and node.x + node.width <= drawing.width for node in drawing.nodes)
    for key in ("edelman2022/A.17", "maurey/softmax", "lintilhac2026/B"):
        for one in graph.neighbourhood(registry.find(key), found):
            boxes = [(node.x, node.y, node.width) for node in one.nodes]
            assert not any(
                a != b and a[1] == b[1] and a[0] < b[0] + b[2] and b[0] < a[0] + a[2] for a in boxes for b in boxes
            )
            assert all(x >= 0 and x + width <= one.width for x, _, width in boxes)


@pytest.mark.parametrize(
    ("href", "place", "leads"),
    [
        ("start.md#set-up", "docs/errata.md", "@/guides/start.html#set-up"),
        ("../errata.md", "docs/examples/3-winner.md", "@/guides/errata.html"),
        ("claims.md#trauger2024", "docs/commands.md", "@/claims/index.html#trauger2024"),
        ("../paper_tables/edelman2022/covers/table.md", "docs/verdicts.md", "@/exhibits/edelman2022/covers.html"),
        ("table.csv", "paper_tables/edelman2022/covers/table.md", "@/exhibits/edelman2022/covers.csv"),
        ("../paper_tables/README.md", "docs/experiments.md", "@/exhibits/index.html"),
        ("#here", "docs/start.md", "#here"),
        ("https://semver.org", "CHANGELOG.md", "https://semver.org"),
        ("../LICENSE", "docs/start.md", ""),
    ],
)
def test_links_of_guides(href, place, leads):
    assert markdown.where(href, place, guides.known()) == leads


def test_references_are_those_of_the_citation_file():
    """Titles and years of the papers, as CITATION.cff has them."""
    text = (ROOT / "CITATION.cff").read_text().partition("references:")[2]
    cited = re.findall(r'title: "([^"]+)".*?year: (\d+)', text, re.S)
    have = {
        (entry["title"].replace("{", "").replace("}", "").lower(), entry["year"]) for entry in cite.papers().values()
    }
    assert cited
    assert {(title.lower(), year) for title, year in cited} <= have
    assert {claim.paper for claim in registry.all_claims()} <= set(cite.papers())


# --- the folder -------------------------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch):
    """A book of one page."""

    def write(folder, tell):
        folder.mkdir(parents=True)
        (folder / "index.html").write_text("new")
        (folder / build.MARK).write_text("{}")
        return 1

    monkeypatch.setattr(build, "_write", write)


def test_a_book_is_replaced_and_nothing_else_is(small, tmp_path):
    out = tmp_path / "book"
    build.build(out)
    (out / "old.html").write_text("old")
    build.build(out)
    assert sorted(one.name for one in out.iterdir()) == [build.MARK, "index.html"]
    assert [one.name for one in tmp_path.iterdir()] == ["book"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("dear")
    (tmp_path / "file").write_text("x")
    for wrong in (other, tmp_path / "file", tmp_path):
        with pytest.raises(maurey.InputError, match="that is not a book, and is left alone"):
            build.build(wrong)
    assert (other / "thesis.tex").read_text() == "dear"


def test_a_book_that_fails_leaves_the_old_one(small, tmp_path, monkeypatch):
    out = tmp_path / "book"
    build.build(out)
    monkeypatch.setattr(build, "_write", lambda folder, tell: (folder.mkdir(), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        build.build(out)
    assert (out / "index.html").read_text() == "new"
    assert [one.name for one in tmp_path.iterdir()] == ["book"]


def test_what_is_not_ours_is_as_it_was_published():
    listed = tomllib.loads((BOOK / "third_party.toml").read_text())["file"]
    for one in listed:
        assert hashlib.sha256((BOOK / one["path"]).read_bytes()).hexdigest() == one["sha256"], one["path"]
        assert (BOOK / re.search(r"\((.*)\)", one["license"])[1]).is_file()
    kept = {str(file.relative_to(BOOK)) for file in BOOK.rglob("*") if file.suffix == ".woff2" or "temml" in file.name}
    assert {one["path"] for one in listed} >= kept - {"temml"}
