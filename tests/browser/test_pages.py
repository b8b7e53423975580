"""Every page from disk: nothing goes wrong, nothing is asked of a network, nothing is wider than a phone."""

import threading

import pytest

NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
SERIOUS = ("serious", "critical")
TWELFTH = 12  # of the claims, every so many is held against axe, which takes seconds for each
ALWAYS = ("edelman2022/4.4", "edelman2022/A.17", "lintilhac2026/30", "maurey/softmax")


def pages(book):
    return sorted(book.rglob("*.html"))


def fonts_are_there(tab):
    return tab.evaluate("document.fonts.ready.then(f => [...f].filter(one => one.status === 'error').length)") == 0


def test_every_page_opens_from_disk(book, tab):
    tab.set_viewport_size(NARROW)
    wide = []
    for file in pages(book):
        tab.goto(file.as_uri())
        if tab.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(str(file.relative_to(book)))
        assert not tab.wrong, file
    assert not wide
    assert fonts_are_there(tab)


def test_a_wrong_page_is_noticed(tab, tmp_path):
    """What the test above looks for can be seen."""
    page = tmp_path / "wrong.html"
    page.write_text(
        "<p style='width: 900px'>x</p><img src='http://127.0.0.1:9/x.png'><script>throw Error('no')</script>"
    )
    tab.set_viewport_size(NARROW)
    tab.goto(page.as_uri())
    tab.wait_for_timeout(200)
    assert any("127.0.0.1" in one for one in tab.wrong)
    assert any("no" in one for one in tab.wrong)
    assert tab.evaluate("document.documentElement.scrollWidth > innerWidth")


def held(book):
    """Every page that is no claim's, and of the claims some."""
    claims = [file for file in pages(book) if file.parent.parent.name == "claims"]
    some = [book / "claims" / f"{key}.html" for key in ALWAYS] + claims[::TWELFTH]
    return [*(file for file in pages(book) if file not in claims), *some]


@pytest.mark.parametrize(("size", "theme"), [(WIDE, "light"), (NARROW, "dark")], ids=["wide and light", "narrow, dark"])
def test_axe_finds_nothing_serious(book, chromium, size, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = chromium.new_context(viewport=size, color_scheme=theme)
    tab, found = context.new_page(), []
    for file in held(book)[:: 1 if theme == "light" else 5]:
        tab.goto(file.as_uri())
        outcome = axe.run(tab, context={"exclude": [["math"]]}, options={"resultTypes": ["violations"]}).response
        found += [f"{file.relative_to(book)}: {one['id']}: {one['nodes'][0]['html'][:90]}"
                  for one in outcome["violations"] if one["impact"] in SERIOUS]  # fmt: skip
    context.close()
    assert not found


def test_pages_can_be_read_without_scripts(book, chromium):
    context = chromium.new_context(java_script_enabled=False, viewport=WIDE)
    tab = context.new_page()
    tab.goto((book / "claims/edelman2022/4.4.html").as_uri())
    assert tab.get_by_role("heading", level=1).inner_text() == "Capacity of a Transformer self-attention head"
    assert tab.locator("math").first.is_visible()
    assert not tab.locator(".search").is_visible()
    assert tab.get_by_role("link", name="Errata", exact=True).first.is_visible()
    context.close()


def test_formulas_are_set_in_the_font_that_comes_with_them(book, tab):
    """A fraction is higher than a letter, brackets grow, and the calligraphic N is one."""
    tab.goto((book / "claims/edelman2022/4.4.html").as_uri())
    tab.evaluate("document.fonts.ready")
    assert tab.evaluate(
        "[...document.fonts].filter(f => f.family.includes('Maurey Math') && f.status === 'loaded').length"
    )
    heights = tab.evaluate("""(() => {
      const form = document.getElementById('log_N-printed');
      const high = one => one.getBoundingClientRect().height;
      return [high(form.querySelector('mfrac')), high(form.querySelector('mi')),
        Math.max(...[...form.querySelectorAll('mo')].filter(o => o.textContent === '(').map(high))];
    })()""")
    fraction, letter, bracket = heights
    assert fraction > 2.5 * letter
    assert bracket > 1.8 * letter
    assert "𝒩" in tab.locator(".lhs-alone").first.inner_text()


def test_roots_end_with_what_is_under_them(book, tab):
    """Chromium gives each the room of its largest sign; what follows stands near by."""
    gaps = """() => [...document.querySelectorAll('main msqrt')].map(root => {
      const right = Math.max(...[...root.children].map(one => one.getBoundingClientRect().right));
      return root.getBoundingClientRect().right + parseFloat(getComputedStyle(root).marginRight) - right;
    })"""
    tab.goto((book / "claims/trauger2024/4.1.1.html").as_uri())
    tab.evaluate("document.fonts.ready")
    tab.wait_for_timeout(100)
    found = tab.evaluate(gaps)
    assert len(found) > 10
    assert 0 <= min(found) <= max(found) < 3  # pixels, of a letter of eighteen; it would be seven


def test_paper_shows_what_is_folded(book, tab):
    tab.goto((book / "claims/edelman2022/4.4.html").as_uri())
    tab.emulate_media(media="print")
    assert not tab.locator(".top").is_visible()
    assert tab.locator("details .entries").first.evaluate("one => one.getBoundingClientRect().height") > 20


def test_the_book_is_served(book, tab):
    from maurey.book.serve import server

    with server(book, 8123) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        tab.goto(f"http://127.0.0.1:{found.server_port}/index.html")
        tab.get_by_role("link", name="All claims").click()
        assert tab.get_by_role("heading", level=1).inner_text() == "Claims"
        elsewhere = [one for one in tab.wrong if f"asked http://127.0.0.1:{found.server_port}/" not in one]
        assert not elsewhere
        found.shutdown()
