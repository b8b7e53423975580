"""How every figure looks: colours, marks, lines, and names of curves, in a light and a dark theme.

A figure is 7 inches wide: 700 pixels of a page, with text of 7.5 to 11 points. On a slide of 13.3 inches, which one of
height SLIDE fills, that text has 14 to 21 points.
Colours are those of Okabe and Ito, told apart by all eyes (on white purple and orange are a little darker, so that
names in them can be read; on black all are lighter). A curve differs from the others by its mark and its line too, so
that it is known in grey. Colours are names of the theme's cycle and become real when something is drawn.

Whatever is drawn says what it is: `data`, numbers of the table; `paper`, numbers of the paper; `law`, a curve that
follows from numbers of the table; `guide`, everything else. A test reads them off the figure.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as Values  # along an axis

BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, INK, MUTED, FAINT, PAPER = (f"C{n}" for n in range(10))
THEMES = {  # blue, vermillion, green, purple, orange, sky; ink, muted, faint, paper
    "light": "0072b2 d55e00 009e73 b3628f c98a00 56b4e9 1f2328 5d6670 dfe3e8 ffffff",
    "dark": "5aaee6 ff8a4c 2fc79b e39bc6 f0b840 9ad7ff e8eaed a3abb4 353b43 15181d",
}
WIDTH = 7.0  # inches
SLIDE = WIDTH * 9 / 16  # the height of a figure that fills a slide
SMALL, TEXT, TITLE = 7.5, 8.5, 11.0  # points: ticks and names, labels, the question
LINE = 88  # characters of a question in a line
DASHED = (0, (4, 2))
KINDS = ("data", "paper", "law", "guide")


@dataclass(frozen=True)
class Look:
    """Of a curve."""

    color: str
    marker: str = "o"
    line: Any = "-"
    filled: bool = True

    def but(self, **changes: Any) -> Look:
        return replace(self, **changes)


LOOKS = (  # of curves that are told apart by nothing but what they are
    Look(BLUE, "o", "-"), Look(VERMILLION, "s", "--"), Look(GREEN, "^", "-."), Look(PURPLE, "D", ":"),
    Look(ORANGE, "v", (0, (5, 1, 1, 1, 1, 1))), Look(SKY, "P", (0, (2, 1))),
)  # fmt: skip
FORMS: Mapping[str, Look] = {  # of a claim
    "printed": Look(VERMILLION, "X", ":"), "repaired": Look(PURPLE, "D", "-."), "derived": Look(BLUE, "o", "-"),
    "sharp": Look(GREEN, "^", "--"),
}  # fmt: skip
OF_THE_PAPER = Look(INK, "D", (0, (1, 1.5)), filled=False)
MEASURED = Look(INK, "o", "-")


@contextmanager
def theme(name: str) -> Iterator[None]:
    """What is drawn within has these colours."""
    import matplotlib
    from cycler import cycler

    *colors, ink, muted, faint, paper = (f"#{color}" for color in THEMES[name].split())
    settings = {
        "svg.hashsalt": "maurey", "svg.fonttype": "path", "path.simplify": True,
        "font.family": "DejaVu Sans", "font.size": TEXT, "mathtext.fontset": "dejavusans",
        "axes.prop_cycle": cycler(color=[*colors, ink, muted, faint, paper]),
        "figure.facecolor": paper, "savefig.facecolor": paper, "axes.facecolor": paper,
        "text.color": ink, "axes.labelcolor": ink, "axes.titlecolor": ink, "axes.edgecolor": muted,
        "xtick.color": muted, "ytick.color": muted, "xtick.labelcolor": ink, "ytick.labelcolor": ink,
        "grid.color": faint, "grid.linewidth": 0.7, "axes.grid": True, "axes.axisbelow": True,
        "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8,
        "axes.titlesize": TEXT, "axes.titlelocation": "left", "axes.titleweight": "bold", "axes.titlepad": 7,
        "axes.labelsize": TEXT, "xtick.labelsize": SMALL, "ytick.labelsize": SMALL, "legend.fontsize": SMALL,
        "legend.frameon": False, "legend.handlelength": 2.6, "lines.linewidth": 1.6, "lines.markersize": 5,
        "patch.linewidth": 0, "hatch.linewidth": 0.6, "axes.formatter.useoffset": False,
        "axes.xmargin": 0.04, "axes.ymargin": 0.06,
    }  # fmt: skip
    with matplotlib.rc_context(settings):
        yield


def panels(figure: Any, question: str, height: float = SLIDE, rows: int = 1, columns: int = 1, **more: Any) -> Any:
    """The axes of a figure, an array of rows and columns, below the question in bold."""
    figure.set_size_inches(WIDTH, height)
    title = textwrap.fill(question, LINE)
    figure.suptitle(title, x=0.008, ha="left", fontsize=TITLE, fontweight="bold")
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06)
    return figure.subplots(rows, columns, squeeze=False, **more)


def mark(artist: Any, kind: str) -> Any:
    """Say what something is that is drawn."""
    assert kind in KINDS
    artist.kind = kind
    return artist


def beside(axes: Any, points: float) -> Any:
    """Where to draw something so many points to the right of its place, which stays what it is."""
    from matplotlib.transforms import ScaledTranslation

    return axes.transData + ScaledTranslation(points / 72, 0, axes.get_figure().dpi_scale_trans)


def curve(axes: Any, x: Values, y: Values, look: Look, kind: str = "data", **more: Any) -> Any:
    """Points joined by a line."""
    more = {"markerfacecolor": look.color if look.filled else PAPER} | more
    (line,) = axes.plot(x, y, color=look.color, marker=look.marker, linestyle=look.line, **more)
    return mark(line, kind)


def points(axes: Any, x: Values, y: Values, look: Look, kind: str = "data", **more: Any) -> Any:
    return curve(axes, x, y, look.but(line="none"), kind, **more)


def law(axes: Any, x: Values, y: Values, look: Look, kind: str = "law", **more: Any) -> Any:
    """A line without marks."""
    return curve(axes, x, y, look.but(marker=""), kind, **more)


def paper(axes: Any, x: Values, y: Values, look: Look = OF_THE_PAPER, **more: Any) -> Any:
    """What the paper has, in hollow diamonds, on a thin line of the look's own."""
    hollow = look.but(marker=OF_THE_PAPER.marker, filled=False)
    return curve(axes, x, y, hollow, "paper", **({"linewidth": 0.9, "markersize": 4.5} | more))


def upright(axes: Any, x: Values, low: Values, high: Values, look: Look, width: float = 1.2, **more: Any) -> Any:
    """Intervals of y."""
    return mark(axes.vlines(x, low, high, color=look.color, linewidth=width, **more), "data")


def level(axes: Any, y: Values, low: Values, high: Values, look: Look, width: float = 1.2, **more: Any) -> Any:
    """Intervals of x."""
    return mark(axes.hlines(y, low, high, color=look.color, linewidth=width, **more), "data")


ARROW = ((0, 0), (0, 1), (-0.28, 0.62), (0, 1), (0.28, 0.62))  # up, from the middle of a mark


def more_than(axes: Any, x: Values, y: Values, look: Look, up: bool = True, **more: Any) -> Any:
    """What is known to be above a value, or below it: a hollow mark with an arrow, joined to nothing."""
    arrow, more = arrow_of(up), {"zorder": 5} | more
    mark(axes.plot(x, y, color=look.color, marker=arrow, linestyle="none", markersize=22, markerfacecolor="none",
                   clip_on=False, **more)[0], "data")  # fmt: skip
    return curve(axes, x, y, look.but(line="none", filled=False), "data", **({"markersize": 5.5} | more))


def arrow_of(up: bool) -> Any:
    """As a mark, of which it is half as long."""
    from matplotlib.path import Path

    move, line = Path.MOVETO, Path.LINETO
    return Path([(a, b if up else -b) for a, b in ARROW], [move, line, move, line, line])


def across(axes: Any, y: float, text: str = "", kind: str = "guide", place: float = 1.0, below: bool = False,
           off: float = 2, line: Any = DASHED) -> None:  # fmt: skip
    """A line across at y, with a name so many points above or below it, which begins (in the first half) or ends at
    this place along it, from 0 to 1."""
    color = MUTED if kind == "guide" else INK
    mark(axes.axhline(y, color=color, linewidth=1, linestyle=line, zorder=1.5), kind)
    axes.annotate(text, (place, y), xycoords=("axes fraction", "data"), xytext=(0, -off if below else off),
                  textcoords="offset points", ha="right" if place > 0.5 else "left", va="top" if below else "bottom",
                  fontsize=SMALL, color=color, annotation_clip=True)  # fmt: skip


def down(axes: Any, x: float, text: str = "", kind: str = "guide", top: float = 1.0, line: Any = DASHED) -> None:
    """A line down at x, with a name at its right that begins at this height, from 0 to 1."""
    color = MUTED if kind == "guide" else INK
    mark(axes.axvline(x, color=color, linewidth=1, linestyle=line, zorder=1.5), kind)
    axes.annotate(text, (x, top), xycoords=("data", "axes fraction"), xytext=(3, -2), textcoords="offset points",
                  va="top", fontsize=SMALL, color=color, annotation_clip=True)  # fmt: skip


def drawn(axes: Any) -> Iterator[tuple[str, Any]]:
    """What was drawn in a panel: of which kind, and the points (n, 2), in the order of drawing."""
    import numpy as np

    for artist in (*axes.lines, *axes.collections, *axes.images, *axes.patches):
        kind = getattr(artist, "kind", "")
        if hasattr(artist, "get_segments"):
            found = artist.get_segments()
            yield kind, np.concatenate(found) if found else np.empty((0, 2))
        elif hasattr(artist, "get_xdata"):
            yield kind, np.column_stack([artist.get_xdata(), artist.get_ydata()]).astype(float)
        elif hasattr(artist, "get_offsets"):
            yield kind, np.asarray(artist.get_offsets(), dtype=float)
        else:
            yield kind, np.empty((0, 2))


def limits(*panels: Any, margin: float = 0.06) -> None:
    """The same for these panels, around all that was drawn in them but guides; what is drawn beside its place moves no
    limit by itself."""
    import numpy as np

    found = [points for axes in panels for kind, points in drawn(axes) if kind in KINDS[:3]]
    if not found:
        return
    for values, way in zip(np.concatenate(found).T, "xy", strict=True):
        log = getattr(panels[0], f"get_{way}scale")() == "log"
        known = np.log10(values[values > 0]) if log else values[np.isfinite(values)]
        if not len(known):
            continue
        low, high = known.min(), known.max()
        room = margin * ((high - low) or 1)
        for axes in panels:
            getattr(axes, f"set_{way}lim")(*(10.0**end if log else end for end in (low - room, high + room)))


def ends(axes: Any, named: Sequence[tuple[float, str, str]], gap: float = 11.0) -> None:
    """Names of curves at the right of a panel, each at the height y where its curve ends, or as near as the next one
    lets it: (y, name, colour). A name has as many lines as it is given."""
    figure = axes.get_figure()
    box = axes.get_subplotspec().get_gridspec()
    points = 72 * figure.get_size_inches()[1] * 0.72 / box.nrows
    scale = axes.transData + axes.transAxes.inverted()
    wanted = sorted((float(scale.transform((axes.get_xlim()[1], y))[1]), name, color) for y, name, color in named)
    sizes = [gap * (name.count("\n") + 1) / points for _, name, _ in wanted]
    places = _apart([y for y, *_ in wanted], sizes)
    for (_, name, color), y in zip(wanted, places, strict=True):
        axes.annotate(name, (1, y), xycoords="axes fraction", xytext=(5, 0), textcoords="offset points", va="center",
                      color=color, fontsize=SMALL, fontweight="bold", linespacing=1.1)  # fmt: skip


def _apart(wanted: list[float], sizes: list[float]) -> list[float]:
    """Heights in increasing order, as near to the wanted ones as boxes of these sizes can be that do not overlap: boxes
    that touch move as one, to the mean of what they want."""
    groups: list[tuple[list[float], list[float]]] = []  # of boxes that touch: what they want, and their sizes
    for y, size in zip(wanted, sizes, strict=True):
        groups.append(([y], [size]))
        while len(groups) > 1 and _start(groups[-2]) + sum(groups[-2][1]) > _start(groups[-1]):
            last = groups.pop()
            groups[-1] = groups[-1][0] + last[0], groups[-1][1] + last[1]
    places = []
    for group in groups:
        start = _start(group)
        for size in group[1]:
            places.append(start + size / 2)
            start += size
    return places


def _start(group: tuple[list[float], list[float]]) -> float:
    """Of a stack of boxes whose middles are, in the mean, where they want to be."""
    wanted, sizes = group
    middles = [sum(sizes[:i]) + size / 2 for i, size in enumerate(sizes)]
    return sum(y - middle for y, middle in zip(wanted, middles, strict=True)) / len(wanted)


def legend(figure: Any, handles: Sequence[Any], columns: int = 4, **more: Any) -> None:
    """The one legend, below the panels."""
    if handles:
        figure.legend(handles=list(handles), loc="outside lower center", ncols=columns, **more)


def sample(look: Look, label: str, **more: Any) -> Any:
    """A handle for the legend."""
    from matplotlib.lines import Line2D

    face = look.color if look.filled else PAPER
    return Line2D([], [], color=look.color, marker=look.marker, linestyle=look.line, markerfacecolor=face, label=label,
                  **more)  # fmt: skip


def patch(color: str, label: str, **more: Any) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=color, label=label, **more)


def ticks(axis: Any, values: Sequence[float], labels: Sequence[str] = (), **more: Any) -> None:
    """These and no others."""
    from matplotlib.ticker import NullLocator

    axis.set_ticks(list(values), list(labels) or [plain(x) for x in values], **more)
    axis.set_minor_locator(NullLocator())


def decades(axis: Any, step: int = 1) -> None:
    """Ticks at powers of ten, every so many of them."""
    from math import ceil, floor, log10

    low, high = (log10(x) for x in sorted(axis.get_view_interval()))
    powers = [n for n in range(ceil(low - 1e-9), floor(high + 1e-9) + 1) if n % step == 0]
    ticks(axis, [10.0**n for n in powers], [power(n) for n in powers])


def power(n: int) -> str:
    """A power of ten as it is set on an axis."""
    return {0: "1", 1: "10", 2: "100", -1: "0.1", -2: "0.01"}.get(n, f"$10^{{{n}}}$")


def plain(x: float) -> str:
    """1,000,000; 0.25."""
    return f"{x:,.0f}" if x == int(x) else f"{x:g}"


def names(axes: Any, rows: Sequence[str], **more: Any) -> None:
    """Rows with these names, from above; y is then a place and no number."""
    axes.places = "y"
    ticks(axes.yaxis, range(len(rows)), rows, **more)
    axes.set_ylim(max(1, len(rows)) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")


def shades(color: str) -> Any:
    """From the paper's colour to this one."""
    import matplotlib
    from matplotlib.colors import LinearSegmentedColormap

    cycle = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    own = [cycle[int(name[1:])] for name in (PAPER, color)]
    return LinearSegmentedColormap.from_list("shades", own)
