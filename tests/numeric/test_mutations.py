"""Change any single constant, exponent or factor of any form, and the second computation must notice."""

import random
from dataclasses import replace

import pytest
from independent import ALL, close, second
from points import point
from sympy import Add, Mul, Pow, Rational, evaluate
from sympy.core.relational import Relational

import maurey
from maurey.numeric.balls import enclose_steps
from maurey.numeric.binding import bind
from maurey.numeric.walk import Undefined
from maurey.symbolic.claim import Setting

FIRST, MOST = 3, 800  # points where the form itself is right, and tried before a mutation counts as unnoticed
# put together from the steps of 28, 33 and 34, which are mutated there; here terms differ by hundreds of orders
COMPOSED = [("mousavi2025/5", "risk", form) for form in ("derived", "sharp")]
# put together from the steps of 14, 24, 30 and 31
COMPOSED += [("lintilhac2026/17", part, form) for part in ("trace", "P") for form in ("derived", "sharp")]


ELSEWHERE = tuple(f"lintilhac2026/{number}" for number in (7, 8, 16))  # the steps of 2 and 17 for one component


def variants(expr):
    """The expression with one number raised by 1, one factor left out or one term left out.

    The exponent of a power that is compared with a number stays: x^3 <= 1 says what x^2 <= 1 says. To be taken with
    evaluation switched off."""
    if isinstance(expr, Rational):
        yield Rational(expr.p + expr.q, expr.q)
    if isinstance(expr, (Add, Mul)):
        for i in range(len(expr.args)):
            if expr.args[i] == 1 and isinstance(expr, Mul):
                continue  # SymPy writes a factor 1 in front of summands
            rest = expr.args[:i] + expr.args[i + 1 :]
            yield rest[0] if len(rest) == 1 else expr.func(*rest, evaluate=False)
    for i, argument in enumerate(expr.args):
        compared = isinstance(expr, Relational) and isinstance(argument, Pow)
        for changed in variants(argument.base if compared else argument):
            inner = changed**argument.exp if compared else changed
            yield expr.func(*expr.args[:i], inner, *expr.args[i + 1 :])


class Points:
    """Points with their expected values, spread over the branches of the form; made as they are asked for."""

    def __init__(self, key, part, form):
        self.of, self.rng, self.found = (key, part, form), random.Random(f"mutate {key} {part} {form}"), []

    def __getitem__(self, i):
        if i >= MOST:
            raise IndexError
        key, part, form = self.of
        while len(self.found) <= i:
            at = point(maurey.claim(key).record, self.rng)
            bound = bind(maurey.claim(key).record, form, part, at)
            try:
                enclose_steps(bound.steps, bound.values, 10)
            except Undefined:
                continue
            self.found.append((bound, second(key, part, form, at)))
        return self.found[i]


def notices(bound, steps, expected):
    try:
        value = enclose_steps(steps, bound.values, 45)[0].value
    except (ArithmeticError, IndexError, ValueError):
        return True
    return not close(value, expected, 42)


def restated(key):
    """Its parts are those of a claim that it uses, and are mutated there."""
    parts = maurey.claim(key).parts
    return parts and any(maurey.claim(other).parts is parts for other in maurey.claim(key).uses)


@pytest.mark.parametrize(("key", "part", "form"), [one for one in ALL if not restated(one[0]) and one not in COMPOSED])
def test_every_mutation_is_noticed(key, part, form):
    known = Points(key, part, form)
    assert not any(notices(known[i][0], known[i][0].steps, known[i][1]) for i in range(FIRST))
    unnoticed, count = [], 0
    claim = maurey.claim(key).record
    # steps that an earlier part of the claim shares, or an earlier form of the part, are mutated there
    earlier = [p for p in claim.parts[: [p.name for p in claim.parts].index(part)] if form in p.forms]
    forms = claim.part(part).forms
    unrolled = {name: int(known[0][0].values[name]) for name in claim.unrolled if name in known[0][0].values}
    setting = Setting({p.index: 3 for p in claim.symbols if p.index} | unrolled)
    shared = {(step.name, step.expr) for p in earlier for step in p.steps(form, setting)}
    for other in forms[: forms.index(form)]:
        shared |= {(step.name, step.expr) for step in claim.part(part).steps(other, setting)}
    if claim.paper == "lintilhac2026":  # one network under many results: mutated where its steps come first
        used = [maurey.claim(other).record for other in claim.uses]
        shared |= {(s.name, s.expr) for c in used for p in c.parts for f in p.forms for s in p.steps(f)}
    elsewhere = {name for name, _ in shared} if key in ELSEWHERE else set()
    for i, step in enumerate(known[0][0].steps):
        if (step.name, step.expr) in shared or step.name.removesuffix("_step") in elsewhere:
            continue
        if key.startswith("trauger2024/") and form == "sharp" and step.name.startswith("E_"):
            continue  # the sizes of lattice covers: mutated where they stand alone, in Lemmas 3.3 to 3.6
        with evaluate(False):
            mutations = list(variants(step.expr))
        count += len(mutations)
        for changed in mutations:
            for bound, expected in known:
                steps = bound.steps
                if i >= len(steps) or steps[i].expr != step.expr:
                    continue  # written out for other list lengths
                if notices(bound, [*steps[:i], replace(steps[i], expr=changed), *steps[i + 1 :]], expected):
                    break
            else:
                unnoticed.append((step.name, changed))
    assert not unnoticed, "\n".join(f"{n}: {e}" for n, e in unnoticed[:6])
    assert count or shared or all(not step.expr.args for step in known[0][0].steps)
