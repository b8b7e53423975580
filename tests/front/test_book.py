"""The book without a browser: its parts, what it refuses, and that a book that fails leaves the old one as it was."""

import re
from pathlib import Path

import pytest

pytest.importorskip("quickjs")

from maurey.book import build, library, maths, notation, numbers, page, prose
from maurey.book.claims import pages as claim_pages
from maurey.symbolic import registry

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "front" / "book"
HEAD = "edelman2022/4.4"


# --- formulas in prose ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "set_"),
    [
        ("scores go with B_QK_inf B_X^2, but", r"scores go with $B_{QK}^\infty B_X^{2}$, but"),
        ("one entry of W_QK for each of d^2/9 sequences", "one entry of $W_{QK}$ for each of $d^{2}/9$ sequences"),
        ("more than 2 eps apart: log N is of order t log t", r"more than $2 \varepsilon$ apart: $\log N$ is of order $t \log t$"),
        ("delta <= 1/4 and m >= 53 log(1/delta)", r"$\delta\le 1/4$ and $m\ge 53 \log (1/\delta)$"),
        ("at most 2^-(k+1) of it", "at most $2^{-(k+1)}$ of it"),
        ("volume of 1 x 4 matrices", r"volume of $1\times 4$ matrices"),
        ("sizes from 1 to 10^40; 1.11E+15 entries", r"sizes from 1 to $10^{40}$; $1.11\cdot10^{15}$ entries"),
        ("P. Alquier, Foundations 17 (2024) 174-303, Theorem 2.1", "P. Alquier, Foundations 17 (2024) 174-303, Theorem 2.1"),
        ("a log covering number of A. A centre for each", "a log covering number of A. A centre for each"),
        ("wherever it lies beyond A, at A", "wherever it lies beyond $A$, at $A$"),
        ("Zhang's cover at half the error (z3)", "Zhang's cover at half the error (z3)"),
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
    from maurey.verify import evidence

    texts = {note for entry in evidence.ledger().entries.values() for note in
             (*entry["verdict"]["notes"], entry["verdict"]["where"], *(e["note"] for e in entry["refuted"]))}  # fmt: skip
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
        ("331373/5668704", r"331373/2.5\cdot" if False else "331373/5668704"),
        ("-8.01204746255459E-71", r"-8.012\cdot10^{-71}"),
        ("0.000567096", r"5.671\cdot10^{-4}"),
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
    assert str(maths.flowing(r"\|W_V^\top\|_{2,\infty}\le B_V^\infty = x + y")).count("<math") == 3


# --- claims -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    return library.library()


def rendered(library, key):
    wanted = f"claims/{key}.html"
    only = library.__class__(tuple(c for c in library.claims if c.key == key), library.standings, library.entries)
    made = next(one for one in claim_pages(_with_all(only, library)) if one.path == wanted)
    return page.html(made, {"sections": build.SECTIONS, "version": "0"})


def _with_all(only, library):
    """Its page is made, in the company of all claims."""
    return type("Few", (), {"__getattr__": lambda self, name: getattr(library, name), "claims": library.claims})()
