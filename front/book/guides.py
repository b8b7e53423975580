"""The guides and the examples: Markdown pages of docs/, with their links turned to pages of the book."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

import maurey
from maurey.paper_tables import exhibits

from .exhibits import figure
from .page import Page
from .prose import ROOT, address, keys, prose

HOME = Path(str(maurey.__file__)).parent
FIRST = ("start", "verdicts", "errata", "commands", "experiments", "adding")  # of the guides; others follow
MADE = {"claims.md": "claims/index.html", "index.md": "guides/index.html"}  # pages that the book has in another form
FORMATTER = HtmlFormatter(nowrap=True)


def docs() -> Path | None:
    """In a checkout beside the rooms, in an installed copy within the package."""
    return next((folder for folder in (HOME / "docs", HOME.parent / "docs") if (folder / "start.md").exists()), None)


def guides() -> dict[str, Path]:
    """By name, in the order in which they are read."""
    folder = docs()
    found = {file.stem: file for file in sorted(folder.glob("*.md")) if file.name not in MADE} if folder else {}
    around = {
        file.stem.lower(): file
        for file in (HOME.parent / "CONTRIBUTING.md", HOME.parent / "CHANGELOG.md")
        if folder and file.exists()
    }
    order = [*(name for name in FIRST if name in found), *(name for name in found if name not in FIRST)]
    return {name: found[name] for name in order} | (around if folder == HOME.parent / "docs" else {})


def examples() -> dict[str, Path]:
    """In the order of their numbers."""
    folder = docs()
    return (
        {file.stem.lstrip("0123456789-"): file for file in sorted((folder / "examples").glob("*.md"))} if folder else {}
    )


def pages() -> Iterator[Page]:
    for section, found in (("guides", guides()), ("examples", examples())):
        made = [_page(section, name, file) for name, file in found.items()]
        if not made:
            continue
        shown = [(page, page.context["lead"]) for page in made]
        yield Page(f"{section}/index.html", "listing.html", section.capitalize(), section, {"shown": shown})
        for before, page, after in zip([None, *made[:-1]], made, [*made[1:], None], strict=True):
            yield Page(
                page.path,
                page.template,
                page.title,
                section,
                {**page.context, "before": before, "after": after},
                page.about,
            )


def _page(section: str, name: str, file: Path) -> Page:
    title, body, headings = rendered(file.read_text(), file)
    first = re.search(r"<p>(.*?)</p>", body, re.S)
    lead = Markup(first[1]) if first else Markup("")
    context = {"body": Markup(body), "headings": headings, "lead": lead}
    return Page(f"{section}/{name}.html", "guide.html", title, section, context, Markup(lead).striptags())


def rendered(text: str, file: Path) -> tuple[str, str, list[dict[str, str]]]:
    """The title, the body as HTML, and its headings."""
    parser = MarkdownIt("commonmark", {"html": True, "highlight": _colored}).enable("table")
    tokens = parser.parse(text)
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
            _turn(token.children or [], file)
    return title, parser.renderer.render(tokens, parser.options, {}), headings


def _slug(words: str, used: dict[str, int]) -> str:
    """As GitHub makes it."""
    slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
    number = used[slug] = used.get(slug, -1) + 1
    return f"{slug}-{number}" if number else slug


def _turn(children: list[Token], file: Path) -> None:
    """Links and pictures to where they are in the book; what is not in it loses its link."""
    dropped = 0
    for child in children:
        if child.type == "link_open":
            target = where(str(child.attrGet("href")), file)
            dropped += not target
            child.attrSet("href", target or "")
            if not target:
                child.type, child.tag, child.attrs = "text", "", {}
        elif child.type == "link_close" and dropped:
            dropped -= 1
            child.type, child.tag = "text", ""
        elif child.type == "image":
            child.type, child.content = "html_inline", _picture(str(child.attrGet("src")), child.content, file)
        elif child.type == "code_inline" and child.content in keys():
            child.type, child.content = (
                "html_inline",
                f'<a href="{address(child.content)}"><code>{escape(child.content)}</code></a>',
            )
        elif child.type == "text" and "$" in child.content:
            child.type, child.content = "html_inline", prose(child.content)


def where(href: str, file: Path) -> str:
    """A link of a Markdown page, from the root of the book; nothing, if it leads out of the book."""
    path, _, fragment = href.partition("#")
    anchor = f"#{fragment}" if fragment else ""
    if re.match(r"[a-z]+:", href):
        return href
    if not path:
        return anchor
    base = posixpath.normpath(posixpath.join(_folder(file), path))
    if found := re.fullmatch(r"paper_tables/(\w+/\w+)/(?:table\.md|figure\.svg)", base):
        return f"{ROOT}exhibits/{found[1]}.html{anchor}" if found[1] in exhibits.names() else ""
    name = posixpath.basename(base)
    if base == "paper_tables/README.md":
        return f"{ROOT}exhibits/index.html"
    if base == "README.md":
        return f"{ROOT}index.html"
    if name in MADE and base.startswith("docs/"):
        return f"{ROOT}{MADE[name]}{anchor}"
    for section, pages_of in (("guides", guides()), ("examples", examples())):
        for stem, one in pages_of.items():
            if posixpath.join(_folder(one), one.name) == base:
                return f"{ROOT}{section}/{stem}.html{anchor}"
    return ""


def _folder(file: Path) -> str:
    """From the root of a checkout."""
    folder = docs()
    assert folder is not None
    if folder in file.parents:
        return posixpath.join("docs", file.parent.relative_to(folder).as_posix())
    return ""


def _picture(src: str, text: str, file: Path) -> str:
    base = posixpath.normpath(posixpath.join(_folder(file), src))
    found = re.fullmatch(r"paper_tables/(\w+/\w+)/figure\.svg", base)
    shown = figure(found[1], text) if found and found[1] in exhibits.names() else None
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
    return f'<pre class="source"><code>{highlight(code, lexer, FORMATTER)}</code></pre>'
