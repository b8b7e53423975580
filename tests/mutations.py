"""Claims changed for a test: a check that cannot tell them from the true ones is none."""

import math
from dataclasses import replace

from maurey.numeric.grids import LogValue
from maurey.symbolic import registry
from maurey.symbolic.derivation import Step


def change(monkeypatch, key, part, form, of, forget=()):
    """Let the last step of a form be a function of itself, wherever the registry is asked; `forget` are further
    functions that remember forms."""
    claim = registry.find(key)
    old = claim.part(part)

    def build(setting):
        steps = old.steps(form, setting)
        return [*steps[:-1], replace(steps[-1], expr=of(steps[-1].expr))]

    new = replace(old, **{form: build})
    changed = replace(claim, parts=tuple(new if p.name == part else p for p in claim.parts))
    find = registry.find
    monkeypatch.setattr(registry, "find", lambda which: changed if which == key else find(which))
    for function in forget:
        monkeypatch.setattr(function.__module__ + "." + function.__name__, function.__wrapped__)
    assert isinstance(changed.part(part).steps(form)[-1], Step)


def only(results, **wanted):
    return [one for one in results if all(getattr(one, name) == x for name, x in wanted.items())]


def scale(monkeypatch, module, factor, chosen=lambda form, part: True):
    """Multiply what a module evaluates of the chosen forms, points (`value`) and arrays (`sweep`) alike."""
    for name in {"value", "sweep"} & set(vars(module)):
        monkeypatch.setattr(module, name, _scaled(getattr(module, name), factor, chosen))


def _scaled(exact, factor, chosen):
    def scaled(of, form, part, *at, **more):
        found = exact(of, form, part, *at, **more)
        if not chosen(form, part):
            return found
        return LogValue(found.log + math.log(factor), found.sign) if isinstance(found, LogValue) else found * factor

    return scaled
