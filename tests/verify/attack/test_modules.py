"""No module of the calculus goes untested: each has a forward, an attack on its sensitivity, and mutations of it that
the attack must notice."""

import importlib
import pkgutil
import sys
from dataclasses import dataclass, replace

import pytest
import torch
from module_cases import ATTACKED, FORMULAS, MUTATED
from sympy import Integer

from maurey import symbolic
from maurey.symbolic import modules
from maurey.symbolic.modules import Module, Sensitivity
from maurey.verify.attack import forwards


def module_classes():
    """Every class that states a sensitivity, wherever in symbolic/ it is defined."""
    for info in pkgutil.walk_packages(symbolic.__path__, f"{symbolic.__name__}."):
        importlib.import_module(info.name)
    files = [own for name, own in sys.modules.items() if f"{name}.".startswith(f"{symbolic.__name__}.")]
    everything = {one for own in files for one in vars(own).values() if isinstance(one, type)}
    return {one for one in everything if callable(getattr(one, "sensitivity", None)) and one is not Module}


def untested(cls):
    """What is missing for a class."""
    run = [name for name, (module, *_) in FORMULAS.items() if type(module) is cls]
    attacked = [name for name, (module, *_) in ATTACKED.items() if type(module) is cls]
    mutated = {which for name, which in MUTATED if name in attacked}
    wanted = {"radius"} if cls is modules.Embedding else {"lipschitz", "radius"}  # words do not move
    found = {"forward": run, "attack": attacked, "mutation": wanted <= mutated}
    return [what for what, there in found.items() if not there]


@pytest.mark.parametrize("cls", sorted(module_classes(), key=lambda cls: cls.__name__))
def test_every_module_has_a_forward_an_attack_and_a_mutation(cls):
    assert untested(cls) == []


def test_all_modules_are_seen():
    assert {type(module) for module, *_ in (*FORMULAS.values(), *ATTACKED.values())} == module_classes()


@pytest.mark.parametrize("home", ["modules", "papers.edelman2022.section_4"])
def test_a_new_module_without_them_is_noticed(home, monkeypatch):
    """Defined anywhere in symbolic/, it is seen, and all three are missing."""

    @dataclass(frozen=True)
    class Twice:
        def sensitivity(self, D, x):
            return Sensitivity(x.to(2 * x.radius), lambda: Integer(2))

    monkeypatch.setattr(importlib.import_module(f"{symbolic.__name__}.{home}"), "Twice", Twice, raising=False)
    assert Twice in module_classes()
    assert untested(Twice) == ["forward", "attack", "mutation"]
    with pytest.raises(TypeError, match="no forward for Twice"):
        forwards.forward(Twice(), {}, torch.zeros(2, 2))


def test_an_attack_without_its_mutations_is_not_enough(monkeypatch):
    left = [(name, which) for name, which in MUTATED if (name, which) != ("with one", "radius")]
    monkeypatch.setattr(sys.modules[__name__], "MUTATED", left)
    assert untested(modules.WithOne) == ["mutation"]
    assert untested(modules.ReadToken) == []


def test_a_kind_of_module_is_a_module_of_its_own(monkeypatch):
    """A subclass states what it states: the tests of the class above it do not count."""

    class Softer(modules.Projection):
        def sensitivity(self, D, x):
            return replace(super().sensitivity(D, x), lipschitz=lambda: Integer(1) / 2)

    monkeypatch.setattr(modules, "Softer", Softer, raising=False)
    assert untested(Softer) == ["forward", "attack", "mutation"]
    assert Softer in module_classes()
