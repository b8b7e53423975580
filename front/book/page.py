"""A page, and how it is written: templates filled in, addresses made relative, so that the book opens from disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .prose import ROOT, address, prose, tied

TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Page:
    path: str  # from the book's root
    template: str
    title: str  # plain
    section: str = ""  # of the navigation
    context: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""  # a sentence, for those who list pages

    @property
    def address(self) -> str:
        return ROOT + self.path


@cache
def environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.filters["prose"] = prose
    found.filters["listed"] = lambda each: tied(Markup(", ").join(each))
    found.globals["address"] = address
    return found


def html(page: Page, shared: Mapping[str, Any]) -> str:
    """With addresses relative to where the page stands."""
    text = environment().get_template(page.template).render(page=page, **shared, **page.context)
    up = "../" * page.path.count("/")
    return text.replace(f'"{ROOT}', f'"{up}')
