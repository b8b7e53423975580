"""Sentences as HTML: formulas set, keys of claims linked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from urllib.parse import quote

from markupsafe import Markup, escape

from maurey.paper_tables import exhibits
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim
from maurey.symbolic.printing import plain

from .maths import flowing
from .notation import typeset

KEY = re.compile(r"(?:[a-z]+\d{4}[a-z]*|maurey)/\w(?:[\w.*'+-]*\w)?")
NUMBER = re.compile(r"\b(?:(?:Theorem|Lemma|Corollary|Proposition)s? \d+(?:\.\d+)*|[A-Z]\.\d+(?:\.\d+)*)(?![\d.]*\d)")
SPACE = re.compile(r"\s+")
ONE = r"<math\b(?:(?!</math>).)*</math>"
TIED = re.compile(rf"[(\[]+{ONE}[,.;:)\]]*|{ONE}[,.;:)\]]+")
EXHIBIT = re.compile(r"paper_tables/(\w+/\w+)")
HIDDEN = {"C0": "C_0"}  # what exhibits say of hidden constants
ROOT = "@/"  # an address from the book's root; made relative when the page is written


def address(key: str, anchor: str = "") -> str:
    """The page of a claim, for ever."""
    return f"{ROOT}claims/{quote(key)}.html{f'#{quote(anchor)}' if anchor else ''}"


@cache
def keys() -> frozenset[str]:
    return frozenset(claim.key for claim in registry.all_claims())


@cache
def made() -> frozenset[str]:
    """The exhibits that have a page."""
    return frozenset(exhibits.made())


@cache
def names_of(key: str) -> Mapping[str, str]:
    """LaTeX by the names of a claim, and by those of entries of its lists."""
    claim = registry.find(key)
    names = {p.name: p.latex for p in claim.names}
    for p in claim.symbols:
        left, right = ("[", "]") if p.index == "H" else ("(", ")")
        head, caret, above = p.latex.partition("^")
        for i in range(1, 4) if p.index else ():
            names[f"{p.name}[{i}]"] = f"{head}^{{{above.strip('{}') if caret else ''}{left}{i}{right}}}"
    return names


def prose(text: str, claim: Claim | None = None, links: bool = True) -> Markup:
    """A sentence about a claim, or about none. Formulas between dollar signs are LaTeX; others are found. A sentence
    that stands in a link has none itself."""
    text = SPACE.sub(" ", text).replace("Hoelder", "Hölder")
    if claim:
        for latex in claim.differs.values():  # what a terminal was told of a proof, as it was written
            text = text.replace(plain(latex), " ".join(latex.split()))
    pieces = typeset(text, names_of(claim.key) if claim else HIDDEN).split("$")
    paper = claim.paper if claim else ""
    words = [one if n % 2 else _linked(one, paper) if links else escape(one) for n, one in enumerate(pieces)]
    return tied(Markup("").join(flowing(one) if n % 2 else one for n, one in enumerate(words)))


def tied(html: str) -> Markup:
    """No line ends between a formula and what is punctuated with it: browsers would, on either side of one."""
    return Markup(TIED.sub(r'<span class="tie">\g<0></span>', str(html)))


def _linked(text: str, paper: str) -> Markup:
    """Keys, numbers of the same paper and exhibits, as links."""
    out, at = Markup(""), 0
    for start, end, target in _found(text, paper):
        if start >= at:
            link = Markup('<a href="{}">{}</a>').format(target, text[start:end].removeprefix("paper_tables/"))
            out, at = out + escape(text[at:start]) + link, end
    return out + escape(text[at:])


def _found(text: str, paper: str) -> list[tuple[int, int, str]]:
    """Where they stand, and where they lead."""
    full = [(m.start(), m.end(), m.group()) for m in KEY.finditer(text)]
    exhibited = [(start, end, f"{ROOT}exhibits/{name}.html") for start, end, name in full if name in made()]
    numbers = [(m.start(), m.end(), f"{paper}/{m.group().rpartition(' ')[2]}") for m in NUMBER.finditer(text)]
    shown = [(m.start(), m.end(), f"{ROOT}exhibits/{m[1]}.html") for m in EXHIBIT.finditer(text)]
    claims = [(start, end, address(key)) for start, end, key in full + numbers if key in keys()]
    return sorted(shown + exhibited + claims)


def inline(latex: str) -> Markup:
    return flowing(" ".join(latex.split()))
