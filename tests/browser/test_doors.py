"""What readers do: the three doors, search, filters, themes and the keyboard."""

import re
from pathlib import Path

import pytest


@pytest.fixture
def home(book, tab):
    tab.goto((book / "index.html").as_uri())
    yield tab
    assert not tab.wrong


def click(tab, name, within=None):
    (within or tab).get_by_role("link", name=name).first.click()


def heading(tab):
    return tab.get_by_role("heading", level=1).inner_text()


def printed(example, pattern):
    """What a command of an example gives, as it stands in docs/."""
    text = Path(__file__).parents[2].joinpath("docs", "examples", f"{example}.md").read_text()
    return re.search(pattern, text)[1]


def door(tab, name):
    return tab.locator(f"section[aria-labelledby={name}]")


# --- doors ------------------------------------------------------------------------------------------------------------


def test_a_theorist_gets_to_a_finding_its_witness_and_the_step_at_fault(home):
    click(home, "Errata as referees’ reports", door(home, "theorist"))
    click(home, "Tokens are taken to lie in the unit ball")
    assert home.url.endswith("errata/edelman2022.html#lost-radius")
    finding = home.locator("#lost-radius")
    assert "maurey eval edelman2022/4.4:log_N --form printed" in finding.inner_text()
    click(home, "edelman2022/4.4", finding)
    assert heading(home) == "Capacity of a Transformer self-attention head"
    step = home.locator("#log_N-derived-beta_QK")
    assert "Not the printed proof" in step.inner_text()


def test_a_student_gets_from_a_claim_to_its_digits(home):
    click(home, "Fifty certified digits", door(home, "student"))
    assert printed("2-digits", r"sharp: (\d+\.\d{40,})") in home.locator("main").inner_text()
    home.go_back()
    click(home, "How many samples", door(home, "student"))
    assert printed("4-samples", r"2\.2: (m = \d+)") in home.locator("main").inner_text()


def test_a_practitioner_gets_to_the_bound_that_wins(home):
    click(home, "Your network in the explorer", door(home, "practitioner"))
    home.wait_for_selector("#enough li")
    assert not home.locator("#problems").inner_text()
    assert home.locator("#enough li", has_text="from m = ").count() == home.locator("#values tbody tr").count() == 3
    home.go_back()
    click(home, "Which bound wins", door(home, "practitioner"))
    assert printed("3-winner", r"(is the smallest from T = \d+)") in home.locator("main").inner_text()
    home.go_back()
    click(home, "What makes it large", door(home, "practitioner"))
    assert "B_C[3]" in home.locator("main").inner_text()
    home.go_back()
    click(home, "Bounds beside networks", door(home, "practitioner"))
    assert home.locator(".card").count() > 25


# --- search -----------------------------------------------------------------------------------------------------------


def search(tab, text):
    tab.keyboard.press("/")
    tab.keyboard.type(text)
    tab.wait_for_selector("#found:not([hidden])")
    return tab.locator("#found [role=option]").first.inner_text()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("edelman2022/A.17", "edelman2022/A.17"),  # a key
        ("A.17", "edelman2022/A.17"),  # a number
        ("self-attention head", "edelman2022/4.4"),  # words of a title
        ("L_loss B_w_1", "trauger2024"),  # symbols
        ("coherence", "edelman2022"),  # a word of a statement, or the name of a symbol
        ("Gaussian contraction unit by unit", "maurey/readout"),
        ("outlier thing nobody wrote", "Nothing found"),
    ],
)
def test_search_finds(home, text, found):
    assert found in search(home, text)


def test_search_by_keyboard(home):
    search(home, "softmax constant")
    home.keyboard.press("ArrowDown")
    home.keyboard.press("ArrowUp")
    home.keyboard.press("Enter")
    home.wait_for_url("**/claims/maurey/softmax.html")
    search(home, "4.4")
    home.keyboard.press("Escape")
    assert not home.locator("#found").is_visible()
    assert home.evaluate("document.activeElement.tagName") == "BODY"


def test_search_gets_to_guides_and_findings(home):
    assert "erratum" in search(home, "unit ball tokens lie")
    home.keyboard.press("Escape")
    assert "guide" in search(home, "when a stored verdict is shown")


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_the_list_is_filtered(book, tab):
    tab.goto((book / "claims/index.html").as_uri())
    everything = tab.locator("tbody tr:visible").count()
    tab.select_option("select[name=verdict]", "bad")
    failing = tab.locator("tbody tr:visible").count()
    assert 0 < failing < everything
    assert tab.locator("output").inner_text() == f"{failing} claims"
    tab.select_option("select[name=kind]", "covering")
    assert tab.locator("tbody tr:visible").count() < failing
    tab.reload()
    assert tab.locator("tbody tr:visible").count() < failing  # the choice stands in the address
    assert not tab.wrong


def test_the_theme_is_chosen_and_kept(home):
    colour = "getComputedStyle(document.body).backgroundColor"
    before = home.evaluate(colour)
    home.get_by_role("button", name="Dark or light").click()
    assert home.evaluate(colour) != before
    click(home, "All claims")
    home.wait_for_url("**/claims/index.html")
    assert home.evaluate(colour) != before


def test_an_address_opens_what_it_names(book, tab):
    for fragment in ("log_N-derived-E_QK", "log_N_appendix-derived-E_QK", "log_N-repaired"):
        tab.goto((book / "claims/edelman2022/4.4.html").as_uri() + f"#{fragment}")
        tab.wait_for_timeout(100)
        top = tab.evaluate(f"document.getElementById('{fragment}').getBoundingClientRect().top")
        assert 0 <= top < 300, fragment


def test_what_scrolls_can_be_reached_by_keyboard(book, tab):
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto((book / "claims/edelman2022/A.17.html").as_uri())
    unreachable = """[...document.querySelectorAll('main *')].filter(one => one.scrollWidth > one.clientWidth + 1
      && getComputedStyle(one).overflowX === 'auto' && one.tabIndex < 0).map(one => one.outerHTML.slice(0, 80))"""
    assert tab.evaluate(unreachable) == []
    assert tab.evaluate("document.querySelectorAll('main [tabindex=\"0\"]').length") > 0


def test_the_graph_leads_on(book, tab):
    tab.goto((book / "claims/edelman2022/4.4.html").as_uri())
    tab.locator("svg.graph.wide a.node", has_text="A.10").click()
    assert tab.url.endswith("claims/edelman2022/A.10.html")
