"""The explorer in a browser: its numbers are Maurey's, from disk and certified over http; and it is fit for people."""

import gzip
import json
import random
import re
import statistics
import sys
import threading
from html import unescape
from urllib.parse import quote

import pytest
from exports import TRIED, swept
from independent import KEYS, forms_of
from points import point

import maurey
from maurey import cli
from maurey.book.explorer import runtime
from maurey.verify.evidence import form_stands

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
DEEP = "edelman2022/A.17:log_N:sharp,trauger2024/4.2.1:log_N:sharp,trauger2024/F.0.2:log_N:sharp"
COVERS = "edelman2022/4.5:log_N:sharp,trauger2024/3.6:log_N:derived,edelman2022/4.5:log_N:printed"
LINEAR = dict(eps="1/10", d="16", k="16", d_1="16", d_2="16", N="1000", B_X="2", B_W_inf="1", B_W_11="20")
GAPS = "edelman2022/A.17:gap:sharp,trauger2024/S2.5:gap_network:sharp"
PICTURE = 0.1  # seconds from a slider to its picture, twelve layers deep
FIRST = 1.0  # to the first view, from disk
DATA = 300_000  # bytes, compressed


def address(bounds="", **words):
    words = {"bounds": bounds} | words if bounds else words
    return "explorer/index.html#" + "&".join(f"{name}={quote(str(x))}" for name, x in words.items())


def opened(book, tab, bounds="", **words):
    tab.goto("about:blank")
    tab.goto(f"{book.as_uri()}/{address(bounds, **words)}")
    settled(tab)


def settled(tab):
    """What comes a little later has come: answers, shares from the worker, and the address, which is kept last."""
    tab.wait_for_timeout(100)
    for box in ("#smallest:not(:empty)", "#blame:not([aria-busy]):not(:empty)", "#explorer[data-kept]"):
        tab.wait_for_selector(box, state="attached")


def rows(tab):
    """What it says: letter, name, state, value."""
    return [re.sub(r"\s+", " ", text).strip() for text in tab.locator("#values tbody tr").all_inner_texts()]


@pytest.fixture
def page(book, tab):
    opened(book, tab)
    yield tab
    assert not tab.wrong


@pytest.fixture
def maurey_command(capsys, monkeypatch):
    """The command in this process: exit code, output, errors."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["maurey", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return call


# --- numbers ----------------------------------------------------------------------------------------------------------


def drawn():
    """All forms, each at a random point at which it has a value."""
    for key in KEYS:
        claim, rng = maurey.claim(key), random.Random(f"browser {key}")
        for part, form in forms_of(key):
            for _ in range(TRIED):
                at = point(claim.record, rng)
                if (expected := swept(claim, part, form, at)) is not None:
                    texts = {name: ",".join(x) if isinstance(x, list) else str(x) for name, x in at.items()}
                    yield f"{key}:{part}:{form}", texts, expected
                    break
            else:
                pytest.fail(f"no point for {key}:{part} {form}")


def test_all_forms_are_what_sweep_gives(page):
    """Through the page's own table of forms, its lists and its constants."""
    asked = list(drawn())
    found = page.evaluate(
        """(asked) => asked.map(([id, values]) => {
          const { problem, value } = maurey.model.at(maurey.model.curve(id), values);
          return problem || [value.sign, Number.isFinite(value.log) ? value.log : String(value.log)];
        })""",
        [[name, at] for name, at, _ in asked],
    )
    for (name, at, expected), got in zip(asked, found, strict=True):
        assert isinstance(got, list), (name, at, got)
        sign, log = float(got[0]), float(got[1])
        assert log == expected[1] or abs(log - expected[1]) <= max(1e-9 * abs(expected[1]), 1e-12), (name, at)
        assert sign == expected[0] or log == -float("inf"), (name, at)


def test_shares_come_from_a_worker_and_are_those_of_blame(book, tab):
    opened(book, tab, "edelman2022/4.5:log_N:sharp", over="N:10..1e5", **LINEAR)
    command = tab.evaluate("maurey.taking.one('blame')").split()
    assert command[:3] == ["maurey", "blame", "edelman2022/4.5:log_N"]
    at = dict(word.split("=") for word in command if "=" in word)
    expected = {row.name: row.share for row in maurey.claim("edelman2022/4.5").blame("sharp", "log_N", **at).shares}
    found = {row["name"]: row["share"] for row in tab.evaluate("maurey.shares().rows")}
    assert found == {name: pytest.approx(share, abs=1e-6) for name, share in expected.items()}
    assert not tab.wrong


def test_only_what_is_proved_is_called_the_smallest(book, tab):
    opened(book, tab, COVERS, over="N:10..1e5", **LINEAR)
    each = [one.split(":") for one in COVERS.split(",")]
    proved = [form_stands(maurey.claim(key).record, part, form) for key, part, form in each]
    dashed = tab.locator("#figure path.curve").evaluate_all("all => all.map(one => one.classList.contains('dashed'))")
    assert dashed == [not one for one in proved]
    logs = tab.evaluate("maurey.found().map(({ at }) => at.value.log)")
    least = min((log for log, one in zip(logs, proved, strict=True) if one), default=None)
    crowned = ["smallest proved" in row for row in rows(tab)]
    assert crowned == [one and log == least for log, one in zip(logs, proved, strict=True)]
    assert not tab.wrong


def test_the_command_and_the_python_that_are_copied_say_the_same(book, tab, maurey_command):
    opened(book, tab, COVERS, over="N:100..1e5", **LINEAR)
    told = tab.evaluate("maurey.taking.command()").split()
    code, out, error = maurey_command(*told[1:], "--json")
    assert (code, error) == (0, "")
    found, mine = json.loads(out), tab.evaluate("maurey.settled().crossovers")
    ours = {f"{key}:{part} {form}" for key, part, form in (one.split(":") for one in COVERS.split(","))}
    names = [f"{c['key']}:{c['part']} {c['form']}" for c in found["curves"]]
    assert ours <= set(names)
    labels = {c["label"]: name for c, name in zip(found["curves"], names, strict=True)}
    theirs = [c for c in found["crossovers"] if {labels[one] for one in c["curves"]} <= ours]
    assert len(mine) == len(theirs) > 0
    for one, other in zip(mine, theirs, strict=True):
        assert one["at"][0] <= float(other["at"][0]) < float(other["at"][1]) <= one["at"][1]
    program = tab.evaluate("maurey.taking.python()").replace('found.plot().savefig("bounds.svg")', "")
    space = {}
    exec(program, space)
    assert [c.label for c in space["found"].curves] == [c["label"] for c in found["curves"]]


def test_nothing_says_anything_above_twice_the_largest_loss(book, tab):
    opened(book, tab, GAPS, over="m:1e3..1e18", preset="four layers", m="1e6", b="1")
    assert tab.locator("#figure rect.nothing").count() == 1
    assert "says nothing: losses are at most b = 1" in " ".join(rows(tab))
    words = tab.locator("#enough li").all_inner_texts()
    told = [int(re.search(r"m = ([\d,]+)", text)[1].replace(",", "")) for text in words]
    command = tab.evaluate("maurey.taking.one('samples', ' --gap 0.1')")
    assert command.startswith("maurey samples ")
    at = dict(word.split("=") for word in command.split() if "=" in word)
    key, part, form = GAPS.split(",")[1].split(":")
    at = {name: x for name, x in at.items() if name in {p.name for p in maurey.claim(key).names}}
    assert told[1] == pytest.approx(maurey.claim(key).samples_for("0.1", form, part, **at).m, abs=1)
    opened(book, tab, GAPS, over="m:1e3..1e18", preset="four layers", m="1e3", b="1")
    assert [row.count("says nothing: losses are at most b = 1") for row in rows(tab)] == [1, 1]
    told = re.search(r"None of these says anything up to m = ([\d,]+)", tab.locator("#smallest").inner_text())[1]
    for factor, silent in ((1, 2), (1.5, 1)):  # a point of the picture is 1.24 times the one before
        tab.fill("#field-m", str(round(factor * int(told.replace(",", "")))))
        settled(tab)
        assert " ".join(rows(tab)).count("says nothing") == silent
    opened(book, tab, "maurey/sides:gap:printed", over="m:1e3..1e18", m="1e6", b="1", R_F="0.49")
    assert "no gap is above b" not in rows(tab)[0]
    tab.fill("#field-R_F", "0.51")
    settled(tab)
    assert "no gap is above b" in rows(tab)[0]
    assert not tab.wrong


# --- certified --------------------------------------------------------------------------------------------------------


def test_from_disk_the_button_says_why_it_does_not_certify(page):
    assert page.locator("#certify button").is_disabled()
    told = "--serve" if runtime.complete() else "without the parts"
    assert told in page.locator("#certify").inner_text()


def test_certified_digits_are_those_of_eval(book, tab, maurey_command):
    from maurey.book.serve import server

    if not runtime.complete():
        pytest.skip("the parts that certify in the page are not there: python -m maurey.book.explorer.runtime")
    with server(book, 8200) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        tab.goto(f"http://127.0.0.1:{found.server_port}/{address(COVERS, over='N:100..1e5', **LINEAR)}")
        settled(tab)
        tab.get_by_role("button", name="Certify these values").click()
        tab.get_by_text("Certified in").wait_for(timeout=240_000)
        shown = rows(tab)
        for one, row in zip(COVERS.split(","), shown, strict=True):
            key, part, form = one.split(":")
            at = [f"{n}={x}" for n, x in LINEAR.items() if n in {p.name for p in maurey.claim(key).names}]
            code, out, _ = maurey_command("eval", f"{key}:{part}", "--form", form, *at, "--json")
            record = json.loads(out)
            assert code == 0
            assert f"{record['value']}, certified: from {record['lower']} to {record['upper']}" in row
        tab.locator(".crossovers button").first.click()
        told = tab.locator(".crossovers .exact", has_text="certified: between").first
        told.wait_for(timeout=120_000)
        ends = [int(x) for x in re.search(r"= (\d+) and (\d+)", told.inner_text()).groups()]
        assert ends[1] - ends[0] == 1
        asked = [one for one in tab.wrong if not one.startswith(f"asked http://127.0.0.1:{found.server_port}/")]
        assert not asked
        found.shutdown()


# --- bad input --------------------------------------------------------------------------------------------------------


NONSENSE = dict(over="T:9..3", eps="abc", d="1.5", nonsense="3", gap="-1", L="5", view="x")
ANSWERS = [
    *(
        "no bound “foo:bar:baz”",
        "is no range",
        "eps is a positive number",
        "d is a positive integer",
        "no symbol “nonsense”",
    ),
    *(
        "is no positive number",
        "view is picture or table",
        "“junk” in the address is no NAME",
        "“%zz=1” in the address cannot be",
    ),
]


def test_nonsense_in_the_address_is_said_and_the_rest_goes_on(book, tab):
    tab.goto(f"{book.as_uri()}/{address(DEEP + ',foo:bar:baz', **NONSENSE)}&junk&%zz=1")
    settled(tab)
    told = tab.locator("#problems").inner_text()
    assert [words for words in ANSWERS if words not in told] == []
    assert tab.input_value("#field-L") == "5"
    assert len(rows(tab)) == 3
    assert not tab.wrong


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("eps", "-1", "eps is a positive number"),
        ("d", "x", "d is a positive integer"),
        ("B_V", "1,2", "B_V has 2 values, L is 4"),
        ("B_QK", "1,<b>,3,4", "with commas between; got “<b>”"),
        ("B_w", "1,3,2", "not a list: one bound for all, as the largest, 3"),
        ("eps", "1e-1234", "exponents go up to 999"),
        ("L", "0", "L is a positive integer"),
    ],
)
def test_nonsense_in_a_field_is_said_and_the_picture_stays(book, tab, name, text, words):
    opened(book, tab, "edelman2022/A.17:log_N:sharp", over="T:16..1e6", L="4")
    before = tab.locator("#figure path.curve").count()
    tab.fill(f"#field-{name}", text)
    settled(tab)
    assert words in tab.locator("#numbers").inner_text() + tab.locator("#values").inner_text()
    tab.fill(f"#field-{name}", "2")
    settled(tab)
    assert tab.locator("#figure path.curve").count() == before
    assert words not in tab.locator("#numbers").inner_text()
    assert not tab.wrong


def test_norms_that_contradict_each_other_and_broken_assumptions_are_named(book, tab):
    opened(book, tab, "edelman2022/4.4:log_N:sharp", over="T:16..1e6", B_V="1", B_V_inf="3")
    assert "B_V_inf = 3 is slack: that norm is never above B_V = 1" in tab.locator("#slack").inner_text()
    opened(book, tab, "trauger2024/3.6:log_N:sharp", over="N:2..1e5", **LINEAR | {"N": "3"})
    assert "assumes that there are at least d points" in rows(tab)[0]
    assert tab.locator("#figure path.curve").count() == 1


def export(value):
    step = {"name": "a", "value": value}
    return json.dumps({"key": "x", "part": "log_N", "form": "sharp", "takes": [], "steps": [step]})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("nope", "it is no JSON"),
        ("[]", "it has one export"),
        ('"x"', "it has one export"),
        ('{"key": 1}', "it has no key"),
        (export(["evil", ["pi"]]), "type “evil”"),
        (export(["number", "1+1"]), "a number “1+1”"),
        (export(["sum", "i", ["pi"]]), "a sum in it is not as it should be"),
    ],
)
def test_files_that_are_no_exports_are_refused(page, tmp_path, content, words):
    (tmp_path / "mine.json").write_text(content)
    page.set_input_files("#drop input", tmp_path / "mine.json")
    page.wait_for_function("document.querySelector('#problems').textContent")
    assert words in page.locator("#problems").inner_text()
    assert "mine.json is left out" in page.locator("#problems").inner_text()


def test_links_into_the_explorer_name_what_there_is(book, tab):
    """From every claim, all forms of a part; and a form that is not there is left out."""
    asked = set()
    for file in [book / "index.html", *(book / "claims").glob("*/*.html")]:
        asked |= set(map(unescape, re.findall(r"explorer/index\.html(#[^\"]+)", file.read_text())))
    assert len(asked) > 300
    opened(book, tab)
    problems = tab.evaluate("(all) => all.map((hash) => maurey.address.read(hash).problems)", sorted(asked))
    assert [one for one in problems if one] == []


# --- for people -------------------------------------------------------------------------------------------------------


def test_a_network_of_ones_own_is_dropped_and_drawn(page, tmp_path):
    claim, forms = maurey.claim("edelman2022/A.17"), ("derived", "sharp")
    exports = [claim.export(form, "log_N", L=3) | {"key": "mine/<b>net"} for form in forms]
    (tmp_path / "mine.json").write_text(json.dumps(exports))
    page.set_input_files("#drop input", tmp_path / "mine.json")
    page.wait_for_function("document.querySelectorAll('#values tbody tr').length == 2")
    settled(page)
    page.fill("#field-B_V", "1,2,1")
    settled(page)
    at = {name: page.input_value(f"#field-{name}") for name in ("eps", "d", "k", "m", "T", "L_sigma", "B_w")}
    at |= {name: page.input_value(f"#field-{name}") for name in ("B_C", "B_C_inf", "B_V_inf", "B_QK", "B_QK_inf")}
    expected = [float(claim.sweep(form, "log_N", **at | {"B_V": [1, 2, 1], "L": 3}).log) for form in forms]
    assert page.evaluate("maurey.found().map(({ at }) => at.value.log)") == pytest.approx(expected, rel=1e-12)
    assert "smallest proved" not in " ".join(rows(page))
    assert page.input_value("#focus") == "own/mine/-b-net:log_N:derived"
    assert "<b>net" not in page.locator("#values").inner_html()


def test_two_files_of_one_name_are_told_apart(page, tmp_path):
    """The later one replaces the earlier, and that is said; the same again is nothing new."""
    claim, told = maurey.claim("edelman2022/A.17"), []
    for layers in (2, 3, 3):
        (tmp_path / "mine.json").write_text(json.dumps(claim.export("sharp", "gap", L=layers) | {"key": "mine/bound"}))
        page.set_input_files("#drop input", tmp_path / "mine.json")
        settled(page)
        told.append(page.locator("#problems").inner_text())
    assert [bool(words) for words in told] == [False, True, False]
    assert "own/mine/bound:gap:sharp is now what mine.json says" in told[1]
    assert page.evaluate("maurey.found()[0].at.sizes.L") == 3


def test_what_no_command_knows_is_not_offered_as_one(page, tmp_path):
    """Of a bound from a file Python is asked; and of an entropy nobody asks for samples."""

    def offered():
        words = ("command", "python", "eval", "blame", "samples")
        return {word for word in words if page.locator(f"[data-take={word}]").is_visible()}

    assert offered() == {"command", "python", "eval", "blame", "samples"}
    own = maurey.claim("edelman2022/A.17").export("sharp", "gap", L=4) | {"key": "mine/bound"}
    (tmp_path / "mine.json").write_text(json.dumps(own))
    page.set_input_files("#drop input", tmp_path / "mine.json")
    settled(page)
    assert offered() == {"command", "python"}
    assert "asked in Python" in page.locator(".takes").last.inner_text()
    page.locator("#quantities input[value=entropy]").check(force=True)
    settled(page)
    assert offered() == {"command", "python", "eval", "blame"}


def test_the_state_lives_in_the_address(book, tab):
    opened(book, tab, DEEP, over="T:16..1e6", L="3", d="128", gap="0.05", view="table")
    tab.fill("#field-eps", "1/7")
    settled(tab)
    kept = tab.url
    before = rows(tab)
    assert "eps=1/7" in kept
    tab.goto("about:blank")
    tab.goto(kept)
    settled(tab)
    assert rows(tab) == before
    assert tab.locator("#table table").is_visible()
    assert tab.url == kept


def test_presets_and_quantities_all_give_a_picture(book, tab):
    opened(book, tab)
    presets = tab.locator("#presets option").evaluate_all("all => all.map(one => one.value)")
    assert {"bert", "gpt-2", "and", "majority", "regression", "fourier"} <= set(presets)
    for name in presets:
        tab.select_option("#presets", name)
        settled(tab)
        values = rows(tab)
        assert tab.locator("#figure path.curve[d^=M]").count() == len(values) > 1, name
        assert not any("no value" in row for row in values), name
    for quantity in tab.locator("#quantities span").all():
        quantity.click()
        settled(tab)
        assert tab.locator("#figure path.curve").count() > 0
    assert not tab.wrong


def test_by_keyboard(page):
    page.focus("#figure")
    before = page.get_attribute("#figure", "aria-valuetext")
    page.keyboard.press("ArrowRight")
    settled(page)
    assert page.get_attribute("#figure", "aria-valuetext") != before
    page.focus("[data-symbol=d] input[type=range]")
    page.keyboard.press("ArrowRight")
    settled(page)
    assert page.input_value("#field-d") != "64"
    page.focus("#tour")
    page.keyboard.press("Enter")
    for _ in range(5):
        page.keyboard.press("Enter")
    assert "6 of 6" in page.locator(".tour").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator(".tour").is_visible()


def test_one_value_for_each_layer(page):
    page.fill("#field-L", "3")
    settled(page)
    page.locator("[data-symbol=B_V] .each").click()
    entries = page.locator("[data-symbol=B_V] .entry input")
    assert entries.count() == 3
    entries.nth(1).evaluate("one => { one.value = one.max; one.dispatchEvent(new Event('input')); }")
    settled(page)
    first, second, third = page.input_value("#field-B_V").split(",")
    assert first == third == "1"
    assert float(second) > 10
    page.fill("#field-L", "5")
    settled(page)
    assert page.input_value("#field-B_V").split(",") == ["1", second, "1", "1", "1"]


def test_on_a_phone_the_picture_stays_in_view(book, chromium):
    context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    tab, wrong = context.new_page(), []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    opened(book, tab, DEEP, over="T:16..1e6", L="12")
    for name in ("d", "B_V", "B_QK", "L"):
        slider = tab.locator(f"[data-symbol={name}] input[type=range]")
        slider.evaluate("one => one.scrollIntoView({ block: 'center' })")
        tab.wait_for_timeout(100)
        place, picture = slider.bounding_box(), tab.locator("#figure").bounding_box()
        assert picture["y"] >= -1
        assert picture["y"] + picture["height"] <= place["y"] <= PHONE["height"]
        curve = tab.locator("#figure path.curve").first.get_attribute("d")
        tab.touchscreen.tap(place["x"] + place["width"] * 0.8, place["y"] + place["height"] / 2)
        tab.wait_for_timeout(150)
        assert tab.locator("#figure path.curve").first.get_attribute("d") != curve
    assert tab.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert not wrong
    context.close()


WHOLE = "(text) => !new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')"
SET = "(text) => temml.renderToString(text, { displayMode: true, throwOnError: true }).length"


def test_what_is_copied_stands_alone(page):
    svg, latex = (
        page.evaluate(what) for what in ("maurey.taking.svg(document.querySelector('#figure svg'))", "maurey.latex()")
    )
    assert "var(" not in svg
    assert svg.count("stroke=") > 10
    assert page.evaluate(WHOLE, svg)
    assert page.evaluate(SET, latex) > 100


# --- speed ------------------------------------------------------------------------------------------------------------

MOVE = """async () => {
  const slider = document.querySelector("[data-symbol=B_V] input[type=range]"), times = [];
  for (let i = 0; i < 50; i++) {
    slider.value = 100 + i;
    const start = performance.now();
    slider.dispatchEvent(new Event("input"));
    document.querySelector("#figure").getBoundingClientRect();
    times.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 10));
  }
  return times;
}"""


def test_from_a_slider_to_the_picture(book, tab):
    opened(book, tab, DEEP, over="T:16..1e6", L="12")
    assert statistics.median(tab.evaluate(MOVE)) / 1000 <= PICTURE


def test_the_first_view(book, tab):
    times = []
    for _ in range(5):
        opened(book, tab)
        times.append(tab.evaluate("performance.getEntriesByName('drawn')[0].startTime"))
    assert min(times) / 1000 <= FIRST
    assert len(gzip.compress((book / "explorer/data.js").read_bytes())) <= DATA
