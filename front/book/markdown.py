"""Markdown of docs/ and of the exhibits as HTML, its links and pictures turned to where they are in the book."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from maurey.paper_tables import exhibits

from .figures import figure
from .maths import breakable
from .prose import ROOT, address, inline, keys, prose, tied

MADE = {  # pages that the book has in another form
    "docs/claims.md": "claims/index.html",
    "docs/gallery.md": "exhibits/index.html",
    "docs/index.md": "guides/index.html",
    "paper_tables/README.md": "exhibits/index.html",
    "README.md": "index.html",
}
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.S)
EXHIBIT = re.compile(
    r"paper_tables/(\w+/\w+)/(table\.md|figure\.svg|figure\.csv|table\.csv|table\.tex|provenance\.json)"
)
DISPLAY = '<span class="scroll"><span class="line">{}</span></span>'
FORMATTER = HtmlFormatter(nowrap=True)
Known = Mapping[str, str]  # pages of the book, by their place in a checkout


def rendered(file: Path, place: str, known: Known) -> tuple[str, str, list[dict[str, str]]]:
    """The title, the body as HTML, and its headings. `place` is where it stands in a checkout."""
    parser = MarkdownIt("commonmark", {"html": True, "highlight": _colored}).enable("table")
    parser.inline.ruler.before("escape", "formula", _formula)
    tokens = parser.parse(file.read_text())
    title, headings = "", []
    used: dict[str, int] = {}
    for n, token in enumerate(tokens):
        if token.type == "heading_open":
            words = tokens[n + 1].content
            if token.tag == "h1":
                title, token.hidden, tokens[n + 1].hidden = title or words, True, True
                tokens[n + 1].children, tokens[n + 2].hidden = [], True
                continue
            slug = _slug(words, used)
            token.attrSet("id", slug)
            headings.append({"level": token.tag, "id": slug, "text": words.replace("`", "")})
        if token.type == "inline":
            _turn(token.children or [], place, known)
    return title, tied(parser.renderer.render(tokens, parser.options, {})), headings


def _formula(state: StateInline, silent: bool) -> bool:
    """A rule of the parser: between dollar signs nothing is Markdown."""
    found = FORMULA.match(state.src, state.pos)
    if found is None:
        return False
    state.pos = found.end()
    if not silent:
        state.push("html_inline", "", 0).content = DISPLAY.format(breakable(found[1])) if found[1] else inline(found[2])
    return True


def _slug(words: str, used: dict[str, int]) -> str:
    """As GitHub makes it."""
    slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
    number = used[slug] = used.get(slug, -1) + 1
    return f"{slug}-{number}" if number else slug


def _turn(children: list[Token], place: str, known: Known) -> None:
    """Links and pictures to where they are in the book; what is not in it loses its link."""
    exhibit = place.startswith("paper_tables/")
    dropped = 0
    for child in children:
        if child.type == "link_open":
            target = where(str(child.attrGet("href")), place, known)
            dropped += not target
            child.attrSet("href", target or "")
            if not target:
                child.type, child.tag, child.attrs = "text", "", {}
        elif child.type == "link_close" and dropped:
            dropped -= 1
            child.type, child.tag = "text", ""
        elif child.type == "image":
            child.type, child.content = "html_inline", _picture(str(child.attrGet("src")), child.content, place)
        elif child.type == "code_inline" and child.content.partition(" ")[0] in keys():
            key, _, part = child.content.partition(" ")  # as the command writes them
            link = f'<a href="{address(key, part)}"><code>{escape(child.content)}</code></a>'
            child.type, child.content = "html_inline", link
        elif child.type == "text" and exhibit:
            child.type, child.content = "html_inline", prose(child.content)


def where(href: str, place: str, known: Known) -> str:
    """A link of a Markdown page, from the root of the book; nothing, if it leads out of the book."""
    path, _, fragment = href.partition("#")
    anchor = f"#{fragment}" if fragment else ""
    if re.match(r"[a-z]+:", href) or not path:
        return href
    target = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
    found = EXHIBIT.fullmatch(target)
    if found and found[1] in exhibits.made():
        ending = {"table.md": "html", "figure.svg": "html"}.get(found[2], found[2].removeprefix("table."))
        return f"{ROOT}exhibits/{found[1]}.{ending}{anchor}"
    page = MADE.get(target) or known.get(target)
    return f"{ROOT}{page}{anchor}" if page else ""


def _picture(src: str, text: str, place: str) -> str:
    found = EXHIBIT.fullmatch(posixpath.normpath(posixpath.join(posixpath.dirname(place), src)))
    shown = figure(found[1], text) if found and found[1] in exhibits.made() else None
    return _img(shown) if shown else escape(text)


def _img(shown: dict[str, Any]) -> str:
    def tag(src: str, kind: str) -> str:
        return (f'<img class="figure {kind}" src="{src}" alt="{escape(shown["text"])}" width="{shown["width"]}" '
                f'height="{shown["height"]}" loading="lazy">')  # fmt: skip

    return (
        tag(shown["light"], "by-day") + tag(shown["dark"], "by-night")
        if shown["dark"]
        else tag(shown["light"], "always")
    )


def _colored(code: str, language: str, attrs: str) -> str:
    """A block of code; what it prints is a block in `text`."""
    if language in ("text", ""):
        return f'<pre class="output"><code>{escape(code)}</code></pre>'
    try:
        lexer = get_lexer_by_name("bash" if language == "sh" else language)
    except ClassNotFound:
        return f"<pre><code>{escape(code)}</code></pre>"
    kind = "source command" if lexer.name == "Bash" else "source"  # a long command goes on in the next line
    return f'<pre class="{kind}"><code>{highlight(code, lexer, FORMATTER)}</code></pre>'
