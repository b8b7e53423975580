"""Exported step lists, evaluated from their JSON by another program, are what `sweep` gives; all types count."""

import json
import random
import re
from fractions import Fraction

import pytest
import steplists
from exports import NODES, TRIED, close, exported, lengths, nodes, spoiled, swept
from independent import KEYS, forms_of
from models import NORMS, architecture
from points import point

import maurey
import maurey.symbolic.export as module
from maurey.symbolic import compiled, registry
from maurey.symbolic.derive import Question, derive


@pytest.mark.parametrize("key", KEYS)
def test_an_export_is_the_form(key):
    claim, rng = maurey.claim(key), random.Random(f"export {key}")
    for part, form in forms_of(key):
        for _ in range(TRIED):
            at = point(claim.record, rng)
            expected = swept(claim, part, form, at)
            if expected is not None:
                break
        else:
            pytest.fail(f"no point for {part}, {form}")
        data = exported(key, part, form, tuple(lengths(claim, at).items()))
        found = steplists.evaluate(data, at)
        assert close(found, expected), (part, form, at, expected, found)
        assert {node[0] for step in data["steps"] for node in nodes(step["value"])} <= set(NODES)


@pytest.mark.parametrize("kind", sorted({*NODES} - {"case"}))
def test_every_type_of_node_counts(kind):
    place, form = NODES[kind].split()
    key, part = place.split(":")
    claim, rng = maurey.claim(key), random.Random(f"spoiled {kind}")
    noticed = 0
    for _ in range(TRIED):
        at = point(claim.record, rng)
        expected = swept(claim, part, form, at)
        if expected is None:
            continue
        data = exported(key, part, form, tuple(lengths(claim, at).items()))
        steps = [step | {"value": spoiled(step["value"], kind)} for step in data["steps"]]
        try:
            noticed += not close(steplists.evaluate(data | {"steps": steps}, at), expected)
        except steplists.NoValue:
            noticed += 1
    assert noticed


def test_the_types_are_documented():
    """Each of them stands in the list that users read."""
    listed = set(re.findall(r'\["([^"A-Z]+)"', module.__doc__)) | set(re.findall(r'"([<>=]+)"', module.__doc__))
    assert listed == {*NODES, "floor"} - {"erfc"}


def test_lists_optional_symbols_and_steps_that_are_lists():
    claim = maurey.claim("edelman2022/A.17")
    norms = dict(B_V=[2, 1, "1/2"], B_QK=["1/3", 1, 2], B_C=[1, 2, 1])
    at = dict(eps="1/10", m=100, T=20, d=8, k=8, L=3, L_sigma=1, B_w=1, B_X=1) | norms
    at |= {f"{name}_inf": 1 for name in norms} | {f"{name}_F": 2 for name in norms}
    listed = {name: [x] * 3 if name.startswith(("B_V", "B_QK", "B_C")) and not isinstance(x, list) else x
              for name, x in at.items()}  # fmt: skip
    given = [p.name for p in claim.symbols if p.optional]
    for form in claim.forms:
        used = {p.name: listed[p.name] for p in claim.symbols if p.name in listed}
        data = json.loads(json.dumps(claim.export(form, given=given, L=3)))
        assert close(steplists.evaluate(data, used), swept(claim, "", form, used))
    assert claim.export("derived", given=given) != claim.export("derived")
    assert any(step["over"] for step in claim.export("printed")["steps"])


@pytest.mark.parametrize("route", ["net", "norms"])
@pytest.mark.parametrize("family", ["bert", "llama"])
def test_bounds_of_ones_own_are_exported(family, route):
    """With layers, each with bounds of its own: steps that are lists, of which entries speak of those before."""
    norms = NORMS[family] | {"Q": [1, 2], "O": [2, 1]}
    a = architecture(family, norms=norms)
    question = Question(compiled.network(a), compiled.inputs(a), compiled.loss(a), route)
    claim = maurey.register(derive(question, "mine/exported"), replace=True)
    values = compiled.values(a) | {"m": 10**6, "delta": Fraction(1, 20), "eps": Fraction(1, 9)}
    try:
        for part in ("gap", "log_N"):
            at = {p.name: values[p.name] for p in claim.symbols if p.name in values}
            data = json.loads(json.dumps(claim.export("derived", part, L=2)))
            assert any(step["over"] for step in data["steps"])
            assert close(steplists.evaluate(data, at), swept(claim, part, "derived", at))
    finally:
        registry.forget()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (dict(form="best"), "there are printed, repaired, derived, sharp"),
        (dict(H=2), "no lists of length 'H'"),
        (dict(L=0), "must be an integer from 1 to 1000"),
        (dict(layers=10**6), "must be an integer from 1 to 1000"),
        (dict(given=["B_V"]), "no optional symbol 'B_V'"),
    ],
)
def test_what_cannot_be_exported_is_said(wrong, words):
    with pytest.raises(maurey.InputError, match=words):
        maurey.claim("edelman2022/A.17").export(**wrong)
