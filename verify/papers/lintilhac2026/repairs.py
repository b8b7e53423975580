"""Repaired forms: each display is, identically, what the calculus derives block by block."""

from __future__ import annotations

from collections.abc import Callable

from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Step
from maurey.verify.checks import check
from maurey.verify.prove.repairs import same_display


def derived(key: str, part: str) -> Callable[[Setting], list[Step]]:
    return lambda setting: registry.find(key).part(part).steps("derived", setting)


for key, part in (("lintilhac2026/14", "total"), ("lintilhac2026/13", "bound")):
    check(key)(same_display(key, derived(key, part), how="block by block"))
