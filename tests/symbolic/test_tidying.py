"""Displays are tidied, and keep their values."""

import re
from dataclasses import replace

import natural
import pytest
from sympy import Integer, Pow, Rational, Symbol, ceiling, evaluate, log, sqrt

import maurey
from maurey.numeric.balls import enclose_steps
from maurey.numeric.binding import bind
from maurey.numeric.walk import Undefined
from maurey.symbolic.claim import Setting
from maurey.symbolic.displays import display
from maurey.symbolic.expressions import text_of
from maurey.symbolic.printing import typeset_expr
from maurey.symbolic.tidying import tidied

a, b, c = (Symbol(x) for x in "abc")
FORMS = [
    pytest.param(claim, part.name, form, id=f"{claim.key}:{part.name}-{form}")
    for claim in maurey.claims()
    for part in claim.record.parts
    for form in part.forms
]
UNTIDY = {
    "two numbers": r"(?<![\d.^_{])\b\d+ \\cdot \d+(?!\^)",
    "a root of a square": r"\\sqrt\{(1|4|9|16|25)\}",
    "a letter twice": r"(?<![A-Za-z_^{\\])([a-zA-Z]) \1(?![a-zA-Z_^])",
    "a factor of one": r"(?<![\d^_{,.])1 \\cdot|\\cdot 1(?!\d)",
    "one over a fraction": r"\\frac\{1\}\{\\frac",
}


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: 4 * (Integer(36) * a), "144*a"),
        (lambda: 12 * a / 4, "3*a"),
        (lambda: 6 * a / (4 * b), "3*a/(2*b)"),
        (lambda: a * a * b * a + 1, "a**3*b + 1"),
        (lambda: (a * a) ** 2, "a**4"),
        (lambda: sqrt(Integer(1)) * a + sqrt(Integer(4)), "a + 2"),
        (lambda: Pow(2, Rational(7, 2)) * a, "8*sqrt(2)*a"),
        (lambda: log(1 / (a / (b + 1))), "log((b + 1)/a)"),
        (lambda: 1 + 1 / Integer(16) + a, "17/16 + a"),
        (lambda: ceiling(Integer(2 + 1) / 2), "2"),
        (lambda: a / b * c, "a/b*c"),  # fractions stay where they are
        (lambda: a * (b / c), "a*(b/c)"),
        (lambda: 2 * (Rational(853, 10000) * a), "2*853/10000*a"),  # so do rounded numbers
        (lambda: a + b * (1 + c), "a + b*(1 + c)"),
    ],
)
def test_samples(build, text):
    with evaluate(False):
        expr = build()
    assert text_of(tidied(expr)) == text
    assert tidied(tidied(expr)) == tidied(expr)


@pytest.mark.parametrize(("claim", "part", "form"), FORMS)
def test_the_value_stays(claim, part, form):
    at = {name: value for name, value in natural.point(claim).items() if name not in {c.name for c in claim.constants}}
    bound = bind(claim.record, form, part, at)
    neat = [replace(step, expr=tidied(step.expr)) for step in bound.steps]
    try:
        as_it_is, made = (enclose_steps(steps, bound.values, 20)[0].value for steps in (bound.steps, neat))
    except Undefined:
        return
    assert as_it_is == made


@pytest.mark.parametrize(("claim", "part", "form"), FORMS)
def test_displays_are_tidy(claim, part, form):
    record, one = claim.record, claim.record.part(part)
    step = one.steps(form, Setting())[-1]
    if typeset_expr(record, one, form, step.expr) is step.expr:
        return  # as the paper prints it
    text = display(record, one, form, Setting())
    assert [name for name, pattern in UNTIDY.items() if re.search(pattern, text)] == []
