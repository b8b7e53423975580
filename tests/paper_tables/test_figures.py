"""Figures: what is drawn is what is tabled, nothing is drawn that does not say what it is, and names can be read."""

import csv
import math
import re
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from figures import drawn, figure_of
from matplotlib.path import Path

from maurey.paper_tables import exhibits, style

NAMES = exhibits.names()
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
ROOM = 1.5  # pixels by which boxes of names may meet


@cache
def committed(name):
    return exhibits.data(name, exhibits.ROOT / name)


@cache
def figure(name):
    """Drawn once, with its layout settled."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    made = figure_of(name, committed(name))
    FigureCanvasAgg(made)
    with style.theme("light"):
        made.draw_without_rendering()
    return made


def numbers_of(rows):
    """All numbers in the cells of a table."""
    return {float(x) for row in rows for cell in row.values() for x in NUMBER.findall(cell or "")}


def typed(facts):
    """All numbers among an exhibit's facts, and their places in lists, counted from 1."""
    if isinstance(facts, dict):
        return set().union(*map(typed, facts.values()), {float(x) for key in facts for x in NUMBER.findall(key)})
    if isinstance(facts, list):
        return set().union(*map(typed, facts), map(float, range(1, len(facts) + 1)))
    if isinstance(facts, str):
        return {float(x) for x in NUMBER.findall(facts)}
    return {float(facts)} if isinstance(facts, int | float) and not isinstance(facts, bool) else set()


def untabled(made, data):
    """Coordinates and shades of what is said to be data, or the paper's, that are no numbers of the tables or facts."""
    tabled = numbers_of([*data.table, *data.series])
    known = {"data": tabled, "paper": tabled | typed(data.facts)}
    found = []
    for axes in made.axes:
        places = getattr(axes, "places", "")
        for kind, points in style.drawn(axes):
            for way, values in zip("xy", points.T, strict=True):
                if kind in known and way not in places and places != "both":
                    found += [(kind, way, x) for x in values if math.isfinite(x) and not of(x, known[kind])]
        for image in [*axes.images, *axes.collections]:
            shades = image.get_array()
            if getattr(image, "kind", "") == "data" and shades is not None:
                found += [("data", "shade", x) for x in np.ravel(shades) if not of(x, tabled)]
    return found


def of(x, known):
    """One of them, or where a figure cuts an axis off."""
    return x in known or float(f"{x:.12g}") in known


def unpaired(made, data):
    """Points of which no row of the tables has both coordinates."""
    rows, found = [numbers_of([row]) for row in (*data.table, *data.series)], []
    having = {}
    for place, own in enumerate(rows):
        for x in own:
            having.setdefault(x, set()).add(place)
    for axes in made.axes:
        drawn = [] if getattr(axes, "places", "") else style.drawn(axes)
        points = [point for kind, own in drawn if kind == "data" for point in own if np.isfinite(point).all()]
        found += [(x, y) for x, y in points if not having.get(rounded(x), set()) & having.get(rounded(y), set())]
    return found


def rounded(x):
    return float(f"{x:.12g}")


CUT = {  # ends of axes, and what is drawn there in place of what is beyond
    "certificates/encoder": {1e-4},
    "lintilhac2026/certificate": {1e-3},
    "mousavi2025/exponents": {-1.0, 5.0},
}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_drawn_is_what_is_tabled(name):
    found = [one for one in untabled(figure(name), committed(name)) if one[2] not in CUT.get(name, ())]
    # a line right across has 0 and 1 for its ends
    assert [one for one in found if one[2] not in (0.0, 1.0) or one[0] == "data"] == []
    assert unpaired(figure(name), committed(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_everything_says_what_it_is(name):
    kinds = [kind for axes in figure(name).axes if axes.get_label() != "<colorbar>" for kind, _ in style.drawn(axes)]
    assert set(kinds) <= set(style.KINDS)
    assert "data" in kinds


def test_another_number_is_noticed():
    """In a table, and in a figure."""
    name = "edelman2022/depth"
    data = committed(name)
    other = [row | {"log10 sharp": "7.7777"} if row["axis"] == "L" and row["at"] == "8" else row for row in data.table]
    assert untabled(figure(name), exhibits.Data(data.question, other, data.series, data.facts))
    again = figure_of(name, exhibits.Data(data.question, other, data.series, data.facts))
    assert any(7.7777 in points[:, 1] for axes in again.axes for _, points in style.drawn(axes))
    axes = again.axes[0]
    style.points(axes, [8], [12.3456], style.MEASURED)
    assert ("data", "y", 12.3456) in untabled(again, data)
    assert unpaired(figure(name), data) == []
    sharp = {row["at"]: float(row["log10 sharp"]) for row in data.table if row["axis"] == "L"}
    style.points(axes, [16], [sharp["8"]], style.MEASURED)  # both are tabled, in two rows
    assert (16, sharp["8"]) in unpaired(again, data)
    axes.plot([1, 2], [3, 4])
    assert "" in [kind for kind, _ in style.drawn(axes)]


COUNTS = {  # kind, panel and what is counted there: as many as the tables have
    "edelman2022/parity": lambda data: [sum(r["T"] == T for r in data.table) for T in ("10", "15", "20")],
    "edelman2022/curves": lambda data: [sum(r["T"] == T for r in data.table) for T in ("300", "400")],
}


@pytest.mark.parametrize("name", COUNTS)
def test_no_run_is_hidden(name):
    """A curve for every seed, those that never learn too."""
    curves = [sum(len(points) > 3 and kind == "data" for kind, points in style.drawn(axes))
              for axes in figure(name).axes]  # fmt: skip
    assert curves == COUNTS[name](committed(name))


@pytest.mark.parametrize("name", ["mousavi2025/length", "mousavi2025/simple", "mousavi2025/sparsity"])
def test_what_was_given_up_is_joined_to_nothing(name):
    """Lines have gaps there, and a hollow mark with an arrow stands alone."""
    rows = [r for r in committed(name).table if r["kind"] == "mean of runs" and not r["value"].isdigit()]
    lines = [line for axes in figure(name).axes for line in axes.lines if getattr(line, "kind", "") == "data"]
    hollow = [line for line in lines if line.get_markerfacecolor() == style.PAPER]
    arrows = [line for line in lines if isinstance(line.get_marker(), Path)]
    assert len(hollow) == len(arrows) == len(rows) > 0
    assert {line.get_linestyle() for line in hollow + arrows} == {"None"}
    given_up = {float(r["interval"].split(" ")[0]) for r in rows}
    assert {float(y) for line in hollow for y in line.get_ydata()} == given_up
    joined = [line.get_ydata() for line in lines if line.get_linestyle() != "None"]
    assert not given_up & {float(y) for ys in joined for y in ys}


def texts(made):
    """Those that are seen, with their boxes in pixels."""
    renderer = made.canvas.get_renderer()
    found = [*made.texts, *([made._suptitle] if made._suptitle else [])]
    for axes in made.axes:
        found += [axes.title, axes._left_title, axes._right_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick, at in zip(axis.get_major_ticks(), axis.get_majorticklocs(), strict=False):
                found += [tick.label1, tick.label2] if low <= at <= high else []
    found += [text for one in made.legends for text in one.get_texts()]
    seen = [t for t in dict.fromkeys(found) if t.get_visible() and t.get_text().strip() and t.get_rotation() % 90 == 0]
    return [(t.get_text(), t.get_window_extent(renderer)) for t in seen]


@pytest.mark.parametrize("name", NAMES)
def test_names_can_be_read(name):
    """None is printed over another, and none is cut off."""
    made = figure(name)
    found, page = texts(made), made.bbox
    cut = [text for text, box in found if box.x0 < page.x0 - 1 or box.x1 > page.x1 + 1 or box.y0 < page.y0 - 1
           or box.y1 > page.y1 + 1]  # fmt: skip
    over = [
        (a, b)
        for (a, one), (b, other) in combinations(found, 2)
        if min(one.x1, other.x1) - max(one.x0, other.x0) > ROOM and min(one.y1, other.y1) - max(one.y0, other.y0) > ROOM
    ]
    assert (cut, over) == ([], [])
    assert made.get_size_inches()[0] == style.WIDTH


def test_names_that_overlap_are_noticed():
    made = figure_of("edelman2022/depth", committed("edelman2022/depth"))
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(made)
    for text in ("here", "there"):
        made.text(0.5, 0.5, text)
    made.draw_without_rendering()
    boxes = dict(texts(made))
    assert boxes["here"].overlaps(boxes["there"])


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_of_the_tables_beside_it(name):
    """The committed pictures say from which tables they were drawn, and are titled by their question."""
    folder = exhibits.ROOT / name
    for file in exhibits.FIGURES.values():
        head = (folder / file).read_text()[:4000]
        assert exhibits.digest(folder) in head, "run `maurey tables --render --commit`"
        assert f"<title>{committed(name).question}</title>" in head.replace("&apos;", "'")


@pytest.mark.parametrize("name", ["edelman2022/head", "edelman2022/parity", "edelman2022/attention"])
def test_the_same_tables_give_the_same_bytes(name):
    """Of both themes, which have the same marks in other colours."""
    light, dark = (drawn(name, committed(name), theme) for theme in style.THEMES)
    assert drawn(name, committed(name)) == light
    assert len(light) > 10_000
    white, black = (f"#{style.THEMES[theme].split()[-1]}".encode() for theme in style.THEMES)
    assert white in light
    assert black in dark
    assert white not in dark
    assert light.count(b"<use ") == dark.count(b"<use ")


def test_a_figure_knows_nothing_but_its_tables(tmp_path):
    """From a copy of the tables alone, without results."""
    name = "edelman2022/curves"
    for file in ("table.csv", "figure.csv", "provenance.json"):
        (tmp_path / file).write_bytes((exhibits.ROOT / name / file).read_bytes())
    data = exhibits.data(name, tmp_path)
    assert data == committed(name)
    rows = list(csv.DictReader((exhibits.ROOT / name / "figure.csv").open()))
    assert data.series == rows


# --- the style -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "sizes", "found"),
    [
        ([0.1, 0.9], [0.2, 0.2], [0.1, 0.9]),  # there is room
        ([0.5, 0.5], [0.2, 0.2], [0.4, 0.6]),  # touching, in the middle
        ([0.0, 0.05, 0.9], [0.2, 0.2, 0.2], [-0.075, 0.125, 0.9]),
        ([0.3, 0.3, 0.45], [0.2, 0.2, 0.2], [0.15, 0.35, 0.55]),  # the third is pushed
    ],
)
def test_names_move_apart(wanted, sizes, found):
    assert style._apart(wanted, sizes) == pytest.approx(found)


def contrast(a, b):
    """Of two colours, as web pages count it."""

    def light(color):
        parts = [int(color[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722])) + 0.05

    first, second = sorted((light(a), light(b)))
    return second / first


@pytest.mark.parametrize("theme", list(style.THEMES))
def test_colours_are_seen(theme):
    """Marks against the page at least 3 to 1, but for the sky; ink and muted names at least 4.5."""
    *colors, ink, muted, _, paper = style.THEMES[theme].split()
    assert all(contrast(color, paper) >= (2 if n == 5 else 2.8) for n, color in enumerate(colors))
    assert min(contrast(ink, paper), contrast(muted, paper)) >= 4.5


def test_looks_differ_in_grey():
    """No two have the same mark or the same line."""
    for looks in (style.LOOKS, [*style.FORMS.values(), style.OF_THE_PAPER]):
        assert len({look.marker + str(look.filled) for look in looks}) == len(looks)
        assert len({str(look.line) for look in looks}) == len(looks)
