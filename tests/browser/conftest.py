"""The book, built once, and a browser to read it with. Where one is said to be needed, its absence is a failure."""

import os
import re
import shutil

import pytest

OUTSIDE = re.compile(r"(?!file:|data:|blob:)")
NEEDED = "MAUREY_NEEDS_CHROMIUM"
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


def absent(why):
    if NEEDED in os.environ:
        pytest.fail(f"{NEEDED} is set, but {why}")
    pytest.skip(f"{why}: the book is not read in a browser")


@pytest.fixture(scope="session")
def book(tmp_path_factory):
    for module in ("jinja2", "quickjs"):
        pytest.importorskip(module)
    from maurey.book.build import build

    return build(tmp_path_factory.mktemp("book") / "book").folder


@pytest.fixture(scope="session")
def chromium():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("playwright is not installed (pip install 'maurey[browser]')")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        absent("no Chromium is installed (apt-get install chromium)")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()


def failed(request, wrong):
    """What was still being loaded when the reader went on is no failure."""
    if request.failure != "net::ERR_ABORTED":
        wrong.append(f"failed: {request.url}")


@pytest.fixture
def tab(chromium):
    """A page, and beside it what went wrong: messages of the console, errors, and requests that leave the disk."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: failed(request, wrong))
    page.on("request", lambda request: wrong.append(f"asked {request.url}") if OUTSIDE.match(request.url) else None)
    page.wrong = wrong
    yield page
    context.close()
