"""Inequalities with sharp constants: true as stated, and refuted with a constant that is a little too small."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest
from sympy import Integer, Rational, Symbol
from sympy.parsing.sympy_parser import parse_expr, rationalize, standard_transformations

import maurey

LIST = tomllib.loads((Path(__file__).parents[1] / "inequalities.toml").read_text())["inequality"]
LONG = ("Lazarevic", "concave sine", "Holder, exponents 3 and 3/2")  # a third of the time of all: in `make replay`
SHORT = [one for one in LIST if one["name"] not in LONG]
QUICK = [one for one in LIST[::11] if one in SHORT]
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


@pytest.mark.parametrize("one", QUICK, ids=lambda one: one["name"])
def test_a_few(one):
    assert verdict(one, Integer(1)) == "holds"
    assert verdict(one, Rational(99, 100)) == "fails"


@pytest.mark.slow
def test_all_as_stated():
    """Those that are left to `test_the_longest` count as open here."""
    found = Counter(verdict(one, Integer(1)) for one in SHORT)
    assert found["fails"] == 0
    assert found["holds"] >= 95


@pytest.mark.replay
@pytest.mark.parametrize("name", LONG)
def test_the_longest(name):
    """Proofs of several seconds each: by many reductions, or by very many cells."""
    assert [verdict(one, Integer(1)) for one in LIST if one["name"] == name] == ["holds"]


@pytest.mark.slow
def test_all_with_a_constant_that_is_too_small():
    assert {verdict(one, Rational(99, 100)) for one in LIST} == {"fails"}
    found = Counter(verdict(one, 1 - Rational(1, 10**6)) for one in LIST)
    assert found["holds"] == 0
    assert found["fails"] >= 80
