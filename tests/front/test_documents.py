"""The README and the guides say what the thing does: commands and snippets are run, and links lead somewhere."""

import re
import subprocess
from itertools import pairwise
from pathlib import Path

import documents
import pytest
from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark").enable("table")
LINKED = [*documents.PAGES, documents.ROOT / "CHANGELOG.md", documents.ROOT / "CONTRIBUTING.md"]
NAMES = [str(page.relative_to(documents.ROOT)) for page in LINKED]


def tokens(page: Path):
    """Of all blocks, and of what stands in them."""
    for block in MARKDOWN.parse(page.read_text()):
        yield block
        yield from block.children or []


def links(page: Path) -> list[str]:
    found = (token.attrGet("href") or token.attrGet("src") for token in tokens(page))
    return [str(link) for link in found if link and "://" not in str(link)]


def anchors(page: Path) -> list[str]:
    """A heading's words in lower case, with hyphens between them."""
    parsed = MARKDOWN.parse(page.read_text())
    titles = [
        "".join(token.content for token in inline.children or [])
        for opening, inline in pairwise(parsed)
        if opening.type == "heading_open"
    ]
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


def dead(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", documents.PAGES, ids=NAMES[: len(documents.PAGES)])
def test_what_is_shown_is_what_is_printed(page, tmp_path):
    assert documents.fresh(page, tmp_path) == page.read_text(), "run `make docs`"


@pytest.mark.parametrize("page", LINKED, ids=NAMES)
def test_links_lead_somewhere(page):
    assert not dead(page)


@pytest.mark.parametrize("page", documents.PAGES, ids=NAMES[: len(documents.PAGES)])
def test_pages_are_plain_markdown(page):
    """Markers are comments; all else is what any reader of CommonMark and tables knows."""
    html = [token.content for token in tokens(page) if token.type.startswith("html")]
    assert all(line.startswith("<!--") for line in html)


def test_every_guide_is_in_both_lists():
    guides = {page.name for page in documents.DOCS.glob("*.md")} - {"index.md"}
    assert guides | {"examples/1-forms.md"} == set(links(documents.DOCS / "index.md"))
    assert guides == {Path(link.partition("#")[0]).name for link in links(documents.README) if link.startswith("docs/")}


def test_the_readme_is_short():
    assert len(documents.README.read_text().splitlines()) <= 150


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("```sh\nmaurey show maurey/softmox\n```\n", RuntimeError),  # it fails
        ("```sh\nmaurey show maurey/softmax  # exit 2\n```\n", RuntimeError),  # it does not fail
        ("```sh\nmake everything\n```\n", subprocess.CalledProcessError),  # there is no such target
        ("```python\nassert False\n```\n", AssertionError),
        ("```console\nmaurey list\n```\n", KeyError),  # neither run nor printed
        ("```text\n12\n```\n", KeyError),  # printed by nothing
    ],
)
def test_a_wrong_block_is_noticed(block, problem, tmp_path):
    with pytest.raises(problem):
        documents.with_outputs(block, tmp_path)


def test_an_old_output_is_replaced(tmp_path):
    page = "```python\nprint(1 + 1)\n```\n\n```text\n{}\n```\n\nand so on\n"
    assert documents.with_outputs(page.format(3), tmp_path) == page.format(2)


def test_a_dead_link_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One `two`, three\n[a](page.md#one-two-three) [b](#one) [c](other.md) ![d](none.svg)\n")
    assert dead(page) == ["#one", "other.md", "none.svg"]
