"""The page's evaluator gives what `sweep` gives, at all forms; every type of node counts."""

import math
import random

import pytest
from exports import NODES, TRIED, exported, lengths, spoiled, swept
from independent import KEYS, forms_of
from pagescripts import engine, function
from points import point

import maurey

EVALUATE = """(steps, values) => {
  try {
    const x = E.evaluate(steps, numbers(values));
    return [told(E.signAt(x, 0)), told(E.logAt(x, 0))];
  } catch (error) {
    if (error instanceof E.NoValue) return null;
    throw error;
  }
}"""
FAST = 40  # claims of which one form is taken in the quicker tests


@pytest.fixture(scope="module")
def evaluate():
    call = function(engine(), EVALUATE)

    def evaluated(data, at):
        found = call(data["steps"], {**data["constants"], **at})
        return found and (float(found[0]), float(found[1]))

    return evaluated


def agrees(found, expected):
    """To nine digits of the logarithm, and in the sign."""
    if found is None or -math.inf in (found[1], expected[1]):
        return found is not None and found[1] == expected[1]
    return found[0] == expected[0] and abs(found[1] - expected[1]) <= max(1e-9 * abs(expected[1]), 1e-12)


def drawn(key, part, form, rng):
    """A point at which the form has a value, its export there, and the value."""
    claim = maurey.claim(key)
    for _ in range(TRIED):
        at = point(claim.record, rng)
        if (expected := swept(claim, part, form, at)) is not None:
            return at, exported(key, part, form, tuple(lengths(claim, at).items())), expected
    raise AssertionError(f"no point for {key}:{part} {form}")


def check(key, forms, evaluate):
    rng = random.Random(f"explorer {key}")
    for part, form in forms:
        at, data, expected = drawn(key, part, form, rng)
        found = evaluate(data, at)
        assert agrees(found, expected), (part, form, at, expected, found)


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_every_form_has_the_value_of_sweep(key, evaluate):
    check(key, forms_of(key), evaluate)


@pytest.mark.parametrize("key", random.Random(0).sample(KEYS, FAST))
def test_some_forms_have_the_value_of_sweep(key, evaluate):
    check(key, forms_of(key)[-1:], evaluate)


@pytest.mark.parametrize("kind", sorted({*NODES} - {"case"}))
def test_every_type_of_node_counts(kind, evaluate):
    place, form = NODES[kind].split()
    key, part = place.split(":")
    rng, noticed = random.Random(f"spoiled {kind}"), 0
    for _ in range(3 * TRIED):
        at, data, expected = drawn(key, part, form, rng)
        assert agrees(evaluate(data, at), expected)
        steps = [step | {"value": spoiled(step["value"], kind)} for step in data["steps"]]
        noticed += not agrees(evaluate(data | {"steps": steps}, at), expected)
    assert noticed


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        *(("1/10", ["1", "10"]), ("1e6", ["1000000", "1"]), ("-.5", ["-5", "10"]), ("2.50", ["250", "100"])),
        *((" 7 ", ["7", "1"]), *((text, None) for text in ("3/0", "1+1", "nan", "", "1e1000", "0x10", "1/"))),
    ],
)
def test_numbers_are_read_exactly_and_nothing_else_is(text, exact):
    read = function(engine(), "(text) => { const x = E.exact(text); return x && x.map(String); }")
    assert read(text) == exact


def test_points_all_at_once_are_points_one_by_one(evaluate):
    """Constants, lists and signs that vary along the points."""
    data = exported("edelman2022/A.17", "gap", "sharp", (("L", 3),))
    given = {p["name"]: "1/2" for p in data["takes"]} | {
        "L": "3",
        "T": "7",
        "d": "4",
        "k": "3",
        "m": "100",
        "delta": "1/20",
    }
    at = {p["name"]: [given[p["name"]]] * 3 if p["index"] else given[p["name"]] for p in data["takes"]}
    together = function(
        engine(),
        """(steps, values, xs) => {
      const env = numbers(values);
      env.m = E.positive(Float64Array.from(xs, Math.log));
      const x = E.evaluate(steps, env);
      return xs.map((_, i) => E.logAt(x, i));
    }""",
    )
    xs = [10, 1000, 10**6, 10**12]
    found = together(data["steps"], {**data["constants"], **at}, xs)
    assert found == pytest.approx([evaluate(data, at | {"m": str(x)})[1] for x in xs], rel=1e-14)
