"""The index that the pages search: a script of data, loaded when somebody asks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from maurey.symbolic.claim import Claim
from maurey.symbolic.printing import plain

from .library import Library
from .page import Page

Row = dict[str, str]
LONGEST = 1200  # characters of words that are searched
SHORT = "a an and are as at be by for from if in is it its no not of on one or that the this to which with"
COMMON = frozenset(SHORT.split())


def script(library: Library, pages: Sequence[Page]) -> str:
    rows = [*(_claim(claim, library) for claim in library.claims), *_others(pages)]
    data = {"rows": rows, "common": SHORT.split()}  # words that say nothing are neither kept nor asked for
    return f"window.MAUREY_INDEX={json.dumps(data, ensure_ascii=False, separators=(',', ':'))};\n"


def _claim(claim: Claim, library: Library) -> Row:
    """Found by its key, its title, the names of its symbols and the words of its statement."""
    words = " ".join(
        [plain(claim.statement), *(plain(p.meaning) for p in claim.symbols), *(plain(p.meaning) for p in claim.parts)]
    )
    return {
        "u": f"claims/{claim.key}.html",
        "k": claim.key,
        "t": plain(claim.title),
        "c": claim.kind,
        "v": library.badge(claim.key).tone,
        "s": " ".join(p.name for p in claim.names),
        "w": _words(words),
    }


def _others(pages: Sequence[Page]) -> Iterator[Row]:
    for page in pages:
        if page.section == "claims" or page.template == "home.html":
            continue
        if page.template == "report.html":
            for finding in page.context["report"]["findings"]:
                yield {"u": f"{page.path}#{finding['slug']}", "k": "", "t": _text(finding["title"]), "c": "erratum",
                       "s": "", "w": _words(_text(finding["explanation"]))}  # fmt: skip
            continue
        body = page.context.get("body", "")
        yield {"u": page.path, "k": "", "t": page.title, "c": page.section.rstrip("s"), "s": "",
               "w": _words(f"{page.about} {_text(body)}")}  # fmt: skip
        for heading in page.context.get("headings", []):
            yield {"u": f"{page.path}#{heading['id']}", "k": "", "t": f"{page.title}: {heading['text']}",
                   "c": page.section.rstrip("s"), "s": "", "w": ""}  # fmt: skip


def _text(html: str) -> str:
    """Without tags; formulas lose their marks and keep their letters."""
    return Markup(re.sub(r"<math.*?</math>", " ", str(html), flags=re.S)).striptags()


def _words(text: str) -> str:
    """Each once, as long as there is room."""
    found = dict.fromkeys(word for word in re.findall(r"[^\W_][\w'-]+", text.lower()) if word not in COMMON)
    return " ".join(found)[:LONGEST]
