"""LaTeX as MathML, when the book is built: Temml, run in QuickJS. A page then needs no script to show a formula."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
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
BREAKS = ("+", "-", "−", "⋅", "=", "≤", "≥")
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
    found = json.loads(_engine()(latex, display))  # through JSON: the engine's own strings may be ropes
    if "error" in found:
        raise Unset(f"the formula {cut(latex)} cannot be set: {cut(found['error'], 100)}")
    return Markup(SAYS_NOTHING.sub("", SAYS_NOTHING.sub("", found["html"])))  # twice: the one may uncover the other


@cache
def breakable(latex: str) -> Markup:
    """In display style, in pieces that begin with an operation: a narrow screen puts them on lines of their own."""
    whole = ElementTree.fromstring(mathml(latex, display=True))
    if len(whole) != 1 or whole[0].tag != "mrow":
        return mathml(latex, display=True)
    pieces = [ElementTree.Element("mrow")]
    for node in whole[0]:
        if node.tag == "mo" and node.text in BREAKS and len(pieces[-1]):
            node.set("form", "infix")
            pieces.append(ElementTree.Element("mrow"))
        pieces[-1].append(node)
    whole[:] = pieces
    return Markup(ElementTree.tostring(whole, encoding="unicode", short_empty_elements=False))
