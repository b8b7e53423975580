"""The neighbourhood of a claim, drawn: what it rests on below it, and what rests on it above."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from maurey.symbolic.claim import Claim

from . import cite
from .library import Badge, Library
from .prose import address

WIDE, NARROW = 720.0, 336.0
HEIGHT, ROW, GAP = 30.0, 62.0, 12.0
LETTER, MARGIN = 7.6, 30.0
DEEP, MOST = 3, 34  # steps down, and claims in all


@dataclass(frozen=True)
class Node:
    key: str
    label: str
    title: str
    address: str
    badge: Badge
    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Drawing:
    width: float
    height: float
    nodes: tuple[Node, ...]
    edges: tuple[str, ...]  # paths from what uses to what is used
    kind: str  # wide or narrow
    more: int  # users that are left out


def neighbourhood(claim: Claim, library: Library) -> list[Drawing]:
    """For a wide and for a narrow screen; none of a claim that stands alone."""
    claims = {one.key: one for one in library.claims}
    layers = _layers(claim, claims)
    users = library.users[claim.key]
    shown = users[: max(4, MOST - sum(map(len, layers)))]
    if len(layers) == 1 and not users:
        return []
    rows = [shown, *layers] if shown else layers
    keys = {key for row in rows for key in row}
    edges = _reduced({key: [k for k in claims[key].uses if k in keys] for key in keys})
    edges = {key: found for key, found in edges.items() if key not in shown} | {key: [claim.key] for key in shown}
    return [
        _drawn(_ordered(rows, edges), edges, claim, library, width, kind, more=len(users) - len(shown))
        for width, kind in ((WIDE, "wide"), (NARROW, "narrow"))
    ]


def _layers(claim: Claim, claims: Mapping[str, Claim]) -> list[list[str]]:
    """By the longest way down from the claim, so that every edge points downward."""
    depth = {claim.key: 0}
    level = [claim.key]
    for step in range(1, DEEP + 1):
        level = list(dict.fromkeys(key for one in level for key in claims[one].uses))
        if len(depth.keys() | set(level)) > MOST:
            break
        depth |= dict.fromkeys(level, step)
    known = set(depth)
    for _ in range(len(known)):  # deeper, if something on the same level uses it
        for key in known:
            for used in claims[key].uses:
                if used in known and depth[used] <= depth[key]:
                    depth[used] = depth[key] + 1
    levels = sorted(set(depth.values()))
    return [[key for key in depth if depth[key] == level] for level in levels]


def _reduced(edges: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Without those that a longer way says already."""

    def reach(key: str, seen: frozenset[str] = frozenset()) -> set[str]:
        return {x for one in edges[key] if one not in seen for x in ({one} | reach(one, seen | {key}))}

    below = {key: reach(key) for key in edges}
    return {
        key: [k for k in found if not any(k in below[other] for other in found if other != k)]
        for key, found in edges.items()
    }


def _ordered(rows: list[list[str]], edges: Mapping[str, list[str]]) -> list[list[str]]:
    """Each row by the mean place of what it hangs on."""
    place: dict[str, float] = {}
    out = []
    for row in rows:
        above = {key: [place[k] for k in place if key in edges.get(k, ())] for key in row}
        order = sorted(row, key=lambda key: sum(above[key]) / len(above[key]) if above[key] else 0.5)
        place |= {key: (n + 0.5) / len(order) for n, key in enumerate(order)}
        out.append(order)
    return out


def _drawn(
    rows: list[list[str]],
    edges: Mapping[str, list[str]],
    claim: Claim,
    library: Library,
    width: float,
    kind: str,
    more: int,
) -> Drawing:
    nodes: dict[str, Node] = {}
    y = HEIGHT / 2 + 2
    for row in rows:
        for line in _lines(row, claim, width):
            x = (width - sum(_width(key, claim) + GAP for key in line) + GAP) / 2
            for key in line:
                nodes[key] = _node(key, claim, library, x, y)
                x += nodes[key].width + GAP
            y += HEIGHT + GAP
        y += ROW - HEIGHT - GAP
    paths = [_path(nodes[a], nodes[b]) for a, found in edges.items() for b in found if a in nodes and b in nodes]
    return Drawing(width, y - ROW + HEIGHT + 2, tuple(nodes.values()), tuple(paths), kind, more)


def _lines(row: list[str], claim: Claim, width: float) -> list[list[str]]:
    """A row that is too long goes on below."""
    lines: list[list[str]] = [[]]
    for key in row:
        if lines[-1] and sum(_width(k, claim) + GAP for k in [*lines[-1], key]) - GAP > width - 4:
            lines.append([])
        lines[-1].append(key)
    return lines


def _label(key: str, claim: Claim) -> str:
    """By its number alone within the paper."""
    return key.removeprefix(f"{claim.paper}/")


def _width(key: str, claim: Claim) -> float:
    return LETTER * len(_label(key, claim)) + MARGIN


def _node(key: str, claim: Claim, library: Library, x: float, y: float) -> Node:
    from maurey.symbolic.printing import plain

    found = next(one for one in library.claims if one.key == key)
    title = f"{cite.short(found.paper)}, {found.number}: {plain(found.title)}"
    label, width = _label(key, claim), _width(key, claim)
    return Node(key, label, title, address=address(key), badge=library.badge(key), x=x, y=y, width=width)


def _path(a: Node, b: Node) -> str:
    x1, y1, x2, y2 = a.x + a.width / 2, a.y + HEIGHT / 2, b.x + b.width / 2, b.y - HEIGHT / 2
    bend = (y2 - y1) / 2
    return f"M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}"
