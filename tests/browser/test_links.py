"""What can be seen without a browser: links, fragments, ids, sizes, and addresses that must never change."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from html import unescape
from urllib.parse import unquote

import pytest

import maurey

MOST_OF_A_PAGE, MOST_OF_ALL = 400_000, 40_000_000
OUTSIDE = re.compile(r"(https?:)?//")
LINKS = {"a": "href", "link": "href", "script": "src", "img": "src", "image": "href"}


TAG = re.compile(r"<([a-z]\w*)((?:\s+[\w:-]+(?:=\"[^\"]*\")?)*)\s*/?>")
GIVEN = re.compile(r'([\w:-]+)="([^"]*)"')


@dataclass
class Read:
    ids: list
    links: list


@cache
def read(file):
    """The ids of a page, and where its links lead."""
    found = Read([], [])
    for tag, attributes in TAG.findall(file.read_text()):
        given = {name: unescape(value) for name, value in GIVEN.findall(attributes)}
        found.ids += [given["id"]] if "id" in given else []
        if given.get(LINKS.get(tag)):
            found.links.append((tag, given[LINKS[tag]]))
    return found


def pages(book):
    return sorted(book.rglob("*.html"))


def test_ids_are_unique(book):
    twice = {file.name: [i for i, n in Counter(read(file).ids).items() if n > 1] for file in pages(book)}
    assert not {name: found for name, found in twice.items() if found}


def test_every_link_leads_somewhere(book):
    dead, count = [], 0
    for file in pages(book):
        for tag, link in read(file).links:
            if OUTSIDE.match(link) or link.startswith("mailto:"):
                assert tag == "a", f"{file}: {link}"
                continue
            count += 1
            path, _, fragment = unquote(link).partition("#")
            target = (file.parent / path).resolve() if path else file
            state = target.parent.name == "explorer" and "=" in fragment  # of its sliders, and no place in it
            if not target.is_file() or (fragment and not state and fragment not in read(target).ids):
                dead.append(f"{file.relative_to(book)}: {link}")
    assert not dead
    assert count > 5000


def test_what_is_searched_is_there(book):
    for address in re.findall(r'"u":"([^"]+)"', (book / "assets" / "index.js").read_text()):
        path, _, fragment = address.partition("#")
        assert (book / path).is_file(), address
        assert not fragment or fragment in read(book / path).ids, address


def test_pages_are_small(book):
    large = {file.name: file.stat().st_size for file in pages(book) if file.stat().st_size > MOST_OF_A_PAGE}
    assert not large
    assert sum(file.stat().st_size for file in book.rglob("*") if file.is_file()) < MOST_OF_ALL


def test_addresses_of_parts_forms_and_steps(book):
    """They are cited: claims/PAPER/NUMBER.html#PART-FORM-STEP."""
    for claim in maurey.claims():
        ids = set(read(book / "claims" / f"{claim.key}.html").ids)
        for part in claim.parts:
            forms = {f"{part.name}-{form}" for form in part.forms}
            steps = {f"{part.name}-{form}-{step.name}"
                     for form in ("derived", "sharp") if form in part.forms for step in part.steps(form)}  # fmt: skip
            assert {part.name} | forms | steps <= ids, claim.key


def test_every_claim_and_exhibit_has_a_page(book):
    from maurey.paper_tables import exhibits

    assert {f"claims/{claim.key}.html" for claim in maurey.claims()} <= {str(f.relative_to(book)) for f in pages(book)}
    assert all((book / "exhibits" / f"{name}.html").is_file() for name in exhibits.made())


ASCII = re.compile(r"\b[A-Za-z]+_[A-Za-z0-9]+\b|\w\^[\w(]|<=|>=|(?<![\w/])(?:eps|sigma|delta)\b")


def test_notes_have_no_formulas_as_they_are_typed(book):
    """Names, powers and comparisons in what checks and errata say are set; code and keys are not looked at."""
    bad = []
    for file in sorted((book / "claims").rglob("*.html")) + sorted((book / "errata").glob("*.html")):
        text = re.sub(r"<(code|pre|math|script|head|svg)\b.*?</\1>", " ", file.read_text(), flags=re.S)
        found = ASCII.findall(re.sub(r"<[^>]*>", " ", text).replace("&lt;", "<").replace("&gt;", ">"))
        bad += [f"{file.relative_to(book)}: {one}" for one in found]
    assert not bad


def test_no_tex_is_left(book):
    left = []
    for file in pages(book):
        text = re.sub(r"<(code|pre|script)\b.*?</\1>|data-copy=\"[^\"]*\"", "", file.read_text(), flags=re.S)
        left += [f"{file.relative_to(book)}: {one}" for one in re.findall(r"\\[a-zA-Z]+.{20}|\$.{20}", text)]
    assert not left


def test_the_test_sees_a_dead_link(tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "one.html").write_text('<a id="x" href="two.html">a</a>')
    with pytest.raises(AssertionError, match=r"two\.html"):
        test_every_link_leads_somewhere(tmp_path)
