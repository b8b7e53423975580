"""Layers in a form that does not grow with them, against the same layers written out one by one."""

from dataclasses import replace
from fractions import Fraction

import pytest
from models import FAMILIES, NORMS, architecture
from sympy import Integer, Symbol

from maurey.numeric.balls import enclose
from maurey.symbolic import compiled
from maurey.symbolic.derive import Question, derive
from maurey.symbolic.modules import Activation, LayerNorm, Layers, Linear, Residual, Sequence, Signal, compose
from maurey.symbolic.modules.layers import written_out
from maurey.symbolic.norms import Matrix

ROUTES = ("net", "norms", "norm net")
MORE = {"m": 10**6, "delta": Fraction(1, 20), "bits": 32}


def written(network, L):
    """Its layers one after the other."""
    return Sequence(tuple(written_out(p, L) if isinstance(p, Layers) else p for p in network.modules))


def gap(question, values):
    claim = derive(question, "test/layers")
    names = {p.name for p in claim.names}
    return enclose(claim, "derived", "gap", 20, **{n: x for n, x in values.items() if n in names}).value


def lists(family, L):
    """Norms that differ from layer to layer."""
    a = architecture(family)
    known = compiled.slots(a)
    per_layer = {n for n in NORMS[family] if compiled.split(n, known)[0].per_layer}
    return {n: [Fraction(3 + k, 3) for k in range(L)] if n in per_layer else Fraction(2) for n in NORMS[family]}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("family", FAMILIES)
def test_layers_are_the_layers_written_out(family, route):
    a = architecture(family, norms=lists(family, 3), layers=3, context=5)
    question = Question(compiled.network(a), compiled.inputs(a), compiled.loss(a), route)
    values = compiled.values(a) | MORE
    one_by_one = gap(replace(question, network=written(question.network, 3)), values)
    assert gap(question, values) == one_by_one


W = Matrix("W", "W", Symbol("d"), Symbol("d"), spectral=Symbol("B_W"))
PLAIN = compose(Residual(compose(Linear(W), Activation("gelu"))))  # the radius grows by a factor in every layer
POST = compose(Residual(Linear(W)), LayerNorm(Symbol("d"), Integer(1)))  # the first layer sees longer tokens


@pytest.mark.parametrize("block", [PLAIN, POST], ids=["no norm", "norm"])
@pytest.mark.parametrize("route", ROUTES)
def test_layers_that_are_alike(block, route):
    a = architecture("bert")
    head = Linear(Matrix("head", "h", Integer(3), Symbol("d"), spectral=Symbol("B_head")), largest=True)
    network = compose(Linear(replace(W, label="first")), Layers(block, Symbol("L")), head)
    question = Question(network, Signal(Symbol("B_X"), Symbol("m"), Integer(1)), compiled.loss(a), route)
    values = MORE | dict(d=4, L=4, B_W=Fraction(3, 2), B_head=2, B_X=5, margin=1)
    one_by_one = gap(replace(question, network=written(network, 4)), values)
    assert gap(question, values) == one_by_one


def test_the_form_does_not_grow_with_the_layers():
    steps = {L: derive(Question(compiled.network(a), compiled.inputs(a), compiled.loss(a), "net"), "test/layers")
             .part("gap").steps("derived") for L in (2, 96) for a in [architecture("gpt", layers=L)]}  # fmt: skip
    assert len(steps[2]) == len(steps[96]) < 90


def test_layers_that_are_alike_have_a_closed_form():
    """Powers, not products, where no norm has an index."""
    a = architecture("gpt", norms={})
    claim = derive(Question(compiled.network(a), compiled.inputs(a), compiled.loss(a), "net"), "test/layers")
    steps = claim.part("gap").steps("derived")
    above = next(step for step in steps if step.reason == "Lipschitz constants of the layers above")
    assert str(above.expr).endswith("**(L - i)")
    assert not any(p.index for p in claim.symbols)
