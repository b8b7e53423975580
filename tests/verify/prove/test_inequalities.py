"""Inequalities with sharp constants: true as stated, and refuted with a constant that is a little too small."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest
from sympy import Integer, Rational, Symbol
from sympy.parsing.sympy_parser import parse_expr, rationalize, standard_transformations

import maurey

LIST = tomllib.loads((Path(__file__).parents[1] / "inequalities.toml").read_text())["inequality"]
READING = (*standard_transformations, rationalize)


def read(text: str, c: Rational):
    letters = {name: Symbol(name) for name in "xyzabpqt"}
    return parse_expr(text, local_dict={**letters, "c": c}, transformations=READING)


def verdict(one: dict, c: Rational) -> str:
    over = {name: tuple(read(end, c) for end in ends.split(",")) for name, ends in one["over"].items()}
    assuming = [read(relation, c) for relation in one.get("assuming", ())]
    return maurey.check(read(one["lhs"], c), read(one["rhs"], c), over=over, assuming=assuming).verdict


def test_the_list_has_what_it_should():
    kinds = Counter(one["kind"] for one in LIST)
    assert len(LIST) >= 100
    assert set(kinds) == {"polynomial", "roots", "exp and log", "trigonometric", "several"}
    assert min(kinds.values()) >= 15
    assert all(one["source"] and "c" in one["rhs"] for one in LIST)
    assert len({one["name"] for one in LIST}) == len(LIST)


def test_all_as_stated():
    assert [one["name"] for one in LIST if verdict(one, Integer(1)) != "holds"] == []


@pytest.mark.parametrize("less", [Rational(1, 100), Rational(1, 10**6)])
def test_all_with_a_constant_that_is_too_small(less):
    assert [one["name"] for one in LIST if verdict(one, 1 - less) != "fails"] == []
