"""All forms, for all list lengths, as one table: a node, a step and a list of steps stand in it once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, combinations, product
from typing import Any

from maurey.symbolic.claim import Claim, Part, Setting
from maurey.symbolic.derivation import Step
from maurey.symbolic.export import Node, node

MOST = {"H": 16, "L_h": 6, "L_y": 6}  # entries of a list
OTHERS = 12


@dataclass
class Table:
    nodes: dict[tuple[Any, ...], int] = field(default_factory=dict)  # a child that is a number is a place in it
    steps: dict[tuple[Any, ...], int] = field(default_factory=dict)  # name, LaTeX, (index, count) or 0, node, trivial
    lists: dict[tuple[int, ...], int] = field(default_factory=dict)
    _known: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def node(self, tree: Node) -> int:
        own = tuple(self.node(branch) if isinstance(branch, list) else branch for branch in tree)
        return self.nodes.setdefault(own, len(self.nodes))

    def step(self, step: Step) -> int:
        known = (step.name, step.latex, step.over, step.expr, "trivial" in step.reason)
        if known not in self._known:
            over = (step.over[0].name, self.node(node(step.over[1]))) if step.over else 0
            own = (step.name, step.latex, over, self.node(node(step.expr)), int("trivial" in step.reason))
            self._known[known] = self.steps.setdefault(own, len(self.steps))
        return self._known[known]

    def listed(self, steps: list[Step]) -> int:
        own = tuple(map(self.step, steps))
        return self.lists.setdefault(own, len(self.lists))

    @property
    def data(self) -> dict[str, list[Any]]:
        return {"nodes": list(self.nodes), "steps": list(self.steps), "lists": list(self.lists)}


def lengths(claim: Claim, given: frozenset[str] = frozenset()) -> list[str]:
    """What decides how many steps there are, as `bind` sees it."""
    listed = {p.index for p in claim.symbols if p.index and (not p.optional or p.name in given)}
    return sorted(listed | set(claim.unrolled))


def groups(claim: Claim) -> list[frozenset[str]]:
    """Optional symbols; norms of one kind, of all matrices, are given together."""
    found: dict[tuple[str, str], set[str]] = {}
    for p in claim.symbols:
        if p.optional:
            found.setdefault((p.name.rpartition("_")[2], p.index), set()).add(p.name)
    return [frozenset(names) for names in found.values()]


def variants(table: Table, claim: Claim, part: Part, form: str) -> dict[str, int]:
    """The list of steps for list lengths and given optional symbols: "3", "3 B_QK_F B_V_F", "4,2". Optional symbols
    that the form does without, given or not, are left out."""

    def listed(given: frozenset[str], sizes: Iterable[int]) -> int:
        setting = Setting(dict(zip(lengths(claim, given), sizes, strict=False)), given, None)
        return table.listed(part.steps(form, setting))

    every, two = frozenset[str]().union(*groups(claim)), (2, 2, 2)
    counts = [group for group in groups(claim) if listed(every - group, two) != listed(every, two)]
    found = {}
    for chosen in chain.from_iterable(combinations(counts, size) for size in range(len(counts) + 1)):
        given = frozenset[str]().union(*chosen)
        for sizes in product(*(range(1, MOST.get(name, OTHERS) + 1) for name in lengths(claim, given))):
            found[" ".join([",".join(map(str, sizes)), *sorted(given)])] = listed(given, sizes)
    return found


def parts(claims: list[Claim]) -> Iterator[tuple[Claim, Part]]:
    return ((claim, part) for claim in claims for part in claim.parts)
