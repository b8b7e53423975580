"""LaTeX as MathML, when the book is built: Temml, run in QuickJS. A page then needs no script to show a formula."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from markupsafe import Markup

from maurey.symbolic.errors import InputError, cut

TEMML = Path(__file__).with_name("temml") / "temml.min.js"
SAYS_NOTHING = re.compile(  # what browsers do not heed, what they take for granted, and what our style sheet has
    r' (?:fence|separator)="true"| class="(?:mathcal|tml-display)"| style="display:block math;"'
    r'|(?<=<mrow><mo) form="prefix"(?: stretchy="true")?'
    r'| form="postfix"(?: stretchy="true")?(?=(?: stretchy="false")?>[^<]*</mo></mrow>)'
)
SET = """(latex, display, wrap) => {
  try { return JSON.stringify({html: temml.renderToString(latex,
    {displayMode: display, wrap: wrap, throwOnError: true, annotate: false, trust: false})}) }
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
def _engine() -> Callable[[str, bool, str], str]:
    import quickjs

    context = quickjs.Context()
    context.eval(TEMML.read_text())
    return context.eval(SET)


@cache
def mathml(latex: str, display: bool = False, wrap: str = "none") -> Markup:
    """Inline, or in display style; `wrap="tex"` lets a narrow screen break it where TeX would."""
    found = json.loads(_engine()(latex, display, wrap))  # through JSON: the engine's own strings may be ropes
    if "error" in found:
        raise Unset(f"the formula {cut(latex)} cannot be set: {cut(found['error'], 100)}")
    return Markup(SAYS_NOTHING.sub("", SAYS_NOTHING.sub("", found["html"])))  # twice: the one may uncover the other
