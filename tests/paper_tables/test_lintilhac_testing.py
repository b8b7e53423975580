"""Figure 8 of Lintilhac and Shaikh 2026: levels are those of the tests, and findings follow the numbers."""

import tomllib
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from maurey.paper_tables import exhibits
from maurey.paper_tables.lintilhac2026 import testing
from maurey.verify.training.tasks import walsh

CONFIG = tomllib.loads((exhibits.ROOT / "lintilhac2026" / "testing" / "config.toml").read_text())
SMALL = CONFIG | {"T": 8, "r": 8, "eps": ["1/50"], "runs": 300, "functions": 2}


@pytest.fixture(scope="module")
def found():
    levels = [level for D in (1, 2) for omega in (1, 4) for level in testing.reports(SMALL, D, omega, 0)]
    booleans = [testing.boolean(CONFIG, name) for name in ("parity", "and", "x1 + x2 x3")]
    products = [testing.products(SMALL, d) for d in (1, 3)]
    free = {3: testing.freed(SMALL | {"free_sparsity": 6}, 3)}
    return testing.Found(levels, booleans, free, 6, products, Fraction(1, 20), 8)


def test_reports_are_at_most_the_true_levels_and_count_queries(found):
    assert {(level.kind, level.D, level.omega) for level in found.levels} == {
        (kind, D, omega) for kind in ("degree", "sparsity") for D in (1, 2) for omega in (1, 4)
    }
    assert all(1 <= level.found <= level.true for level in found.levels)
    assert all(level.queries > 0 for level in found.levels)
    assert testing._one_sided(found).agrees
    beyond = replace(found.levels[0], found=found.levels[0].true + 1)
    assert testing._one_sided(replace(found, levels=[beyond])).agrees is False


def test_too_many_early_levels_would_be_a_disagreement(found):
    right = [replace(level, found=level.D) for level in found.levels if level.kind == "degree"]
    early = [replace(level, found=0) for level in right]
    assert testing._right(replace(found, levels=right)).agrees
    assert testing._right(replace(found, levels=early)).agrees is False


def test_boolean_functions_have_the_degrees_that_are_shown(found):
    parity, conjunction, mixed = found.booleans
    assert (parity.algebraic, parity.degree, parity.found) == (1, 6, (6, 1))
    assert (mixed.algebraic, mixed.degree, mixed.found) == (2, 3, (3, 4))
    assert (conjunction.degree, conjunction.sparsity) == (6, 63)
    assert testing._fourier(replace(found, booleans=[parity, mixed])).agrees
    assert testing._fourier(replace(found, booleans=[replace(parity, found=(1, 1))])).agrees is False
    assert all(set(np.unique(table)) == {0, 1} for table in testing.tables(6).values())


def test_products_pass_as_often_as_is_said(found):
    one, three = found.products
    y = 1 - 2 * walsh.all_strings(6).astype(int)
    values = (y[:, ::2] + y[:, 1::2]).prod(axis=1)
    twice = sum(int((values == v).sum()) ** 2 for v in set(values.tolist()))  # level 0 compares two drawn strings
    assert three.rejection == 1 - Fraction(twice, 64**2)
    for each in (one, three):
        assert abs(each.accepted - each.exact) < 5 * np.sqrt(each.exact / SMALL["runs"]) + 0.01
    assert testing._sure(replace(found, products=[one])).agrees
    assert testing._sure(found).agrees is False
    assert "degree 3" in testing._sure(found).text


def test_rows(found):
    rows = [*testing._rows(found), *map(testing._boolean, found.booleans), *map(testing._product, found.products)]
    assert all(len(row) == len(testing.COLUMNS) for row in rows)
    assert [row[:4] for row in testing._rows(found)] == [
        ["degree", "1", "-", "2"],
        ["degree", "2", "-", "2"],
        ["sparsity", "1", "1/50", "2"],
        ["sparsity", "4", "1/50", "2"],
    ]
