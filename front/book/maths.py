"""LaTeX as MathML, when the book is built: Temml, run in QuickJS. A page then needs no script to show a formula."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

from markupsafe import Markup

from maurey.symbolic.errors import InputError, cut

TEMML = Path(__file__).with_name("temml") / "temml.min.js"
SAYS_NOTHING = re.compile(  # what browsers do not heed, what they take for granted, and what our style sheet has
    r' (?:fence|separator)="true"| class="(?:mathcal|tml-display)"| style="display:block math;"'
    r'|(?<=<mrow><mo) form="prefix"(?: stretchy="true")?'
    r'| form="postfix"(?: stretchy="true")?(?=(?: stretchy="false")?>[^<]*</mo></mrow>)'
)
FUNCTIONS = frozenset(("exp", "inf", "ln", "log", "max", "min", "poly", "softmax", "sup"))
FACTORS = frozenset(("mi", "mn", "msub", "msup", "msubsup", "msqrt", "mfrac", "mover"))
BREAKS = ("+", "-", "−", "⋅", "=", "≤", "≥", "<", ">", "≲", "→", "∈", ",")
LONG = 30  # characters of LaTeX, which is about as wide as half a phone
SET = """(latex, display) => {
  try { return JSON.stringify({html: temml.renderToString(latex,
    {displayMode: display, wrap: "none", throwOnError: true, annotate: false, trust: false})}) }
  catch (error) { return JSON.stringify({error: String(error.message || error)}) }
}"""


class Unset(InputError):
    """A formula that cannot be set."""


@contextmanager
def named(what: str) -> Iterator[None]:
    """A formula of this that cannot be set is told with its name."""
    try:
        yield
    except Unset as error:
        raise InputError(f"{what}: {error}") from None


@cache
def _engine() -> Callable[[str, bool], str]:
    import quickjs

    context = quickjs.Context()
    context.eval(TEMML.read_text())
    return context.eval(SET)


@cache
def mathml(latex: str, display: bool = False) -> Markup:
    """Inline, or in display style."""
    latex = latex.replace(r"\begin{aligned}[t]", r"\begin{aligned}")  # which Temml does not know, and would print
    found = json.loads(_engine()(latex, display))  # through JSON: the engine's own strings may be ropes
    if "error" in found:
        raise Unset(f"the formula {cut(latex)} cannot be set: {cut(found['error'], 100)}")
    text = SAYS_NOTHING.sub("", SAYS_NOTHING.sub("", found["html"]))  # twice: the one may uncover the other
    return Markup(_spaced(text) if any(f">{one}</mi>" in text for one in FUNCTIONS) else text)


def _spaced(text: str) -> str:
    """With a thin space between a factor and the name of a function right behind it, where Temml forgets one."""
    whole = ElementTree.fromstring(text)
    for row in [row for row in whole.iter() if row.tag in ("math", "mrow")]:
        for n, (one, other) in reversed([*enumerate(pairwise(row), 1)]):
            if one.tag in FACTORS and one.text not in FUNCTIONS and _first(other).text in FUNCTIONS:
                row.insert(n, ElementTree.Element("mspace", {"width": "0.1667em"}))
    return ElementTree.tostring(whole, encoding="unicode", short_empty_elements=False)


def _first(node: ElementTree.Element) -> ElementTree.Element:
    """What is written first of it."""
    return _first(node[0]) if len(node) and node.tag in ("mrow", "mpadded", "msub", "msup", "munder") else node


def _pieces(latex: str, display: bool) -> list[ElementTree.Element]:
    """Rows of MathML that begin with an operation or a relation, but for the first."""
    (whole,) = ElementTree.fromstring(mathml(latex, display))
    pieces = [ElementTree.Element("mrow")]
    for node in whole if whole.tag == "mrow" else [whole]:
        if node.tag == "mo" and node.text in BREAKS and len(pieces[-1]):
            node.set("form", "infix")
            pieces.append(ElementTree.Element("mrow"))
        pieces[-1].append(node)
    return pieces


def _math(rows: list[ElementTree.Element], **attributes: str) -> Markup:
    found = ElementTree.Element("math", attributes)
    found.extend(rows)
    return Markup(ElementTree.tostring(found, encoding="unicode", short_empty_elements=False))


@cache
def breakable(latex: str) -> Markup:
    """In display style, in pieces that a narrow screen puts on lines of their own."""
    return _math(_pieces(latex, True), display="block")


@cache
def flowing(latex: str) -> Markup:
    """In a sentence: a long formula is several, between which a line may end; what is still too wide for a phone says
    so, and scrolls."""
    if len(latex) <= LONG:
        return mathml(latex)
    rows = _pieces(latex, False)
    return Markup("").join(
        Markup('<span class="long">{}</span>').format(_math([row])) if _wide(row) else _math([row]) for row in rows
    )


def _wide(row: ElementTree.Element) -> bool:
    """By its letters."""
    return len("".join(row.itertext())) > LONG
