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
    assert testing._below(found, "degree").text.endswith("here for 4 of 4 (0.51 to 1.00)")


def planted(found, right, early=0, beyond=0, T=20):
    """Reports of degree for so many functions."""
    one = next(level for level in found.levels if level.kind == "degree" and level.D == 2)
    made = [replace(one, found=level) for level, n in ((2, right), (1, early), (3, beyond)) for _ in range(n)]
    return replace(found, levels=made, T=T)


@pytest.mark.parametrize(("n", "word"), [((150, 10), "agrees"), ((10, 150), "disagrees"), ((82, 78), "undecided")])
def test_words_follow_the_share(found, n, word):
    most, few = n
    assert testing._right(planted(found, most, early=few)).word == word
    assert testing._below(planted(found, most, beyond=few), "degree").word == word
    assert testing._below(planted(found, 0, early=160), "degree").word == "agrees"


def test_how_much_is_of_the_papers_size(found):
    assert testing._right(planted(found, 160)).much == "160 of 160 functions"
    assert testing._right(planted(found, 40)).word == "partly, agrees"
    assert testing._right(planted(found, 160, T=8)).word == "not run"
    assert {testing._close(found).figure, testing._wilting(found).figure} == {"Figure 8"}
    assert testing._close(replace(found, T=20)).word == "partly, undecided"  # close is not said in numbers


def test_wilting_is_judged_by_the_same_functions(found):
    own = [level for level in found.levels if level.kind == "sparsity"]
    lower = lambda drops: replace(  # noqa: E731
        found, levels=[*own, *(replace(a, eps="1/5", found=a.found - d) for a, d in zip(own, drops, strict=True))]
    )
    assert testing._wilting(lower([2, 1, 2, 1])).agrees is True
    assert testing._wilting(lower([-2, -1, -2, -1])).agrees is False
    assert testing._wilting(lower([0, 0, 0, 0])).agrees is False
    assert testing._wilting(lower([1, -1, 0, 1])).agrees is None
    assert testing._wilting(found).agrees is None  # one eps


def test_boolean_functions_have_the_degrees_that_are_shown(found):
    parity, conjunction, mixed = found.booleans
    assert (parity.algebraic, parity.degree, parity.found) == (1, 6, (6, 1))
    assert (mixed.algebraic, mixed.degree, mixed.found) == (2, 3, (3, 4))
    assert (conjunction.degree, conjunction.sparsity) == (6, 63)
    assert testing._fourier(replace(found, booleans=[parity, mixed])).endswith("but for none.")
    assert testing._fourier(replace(found, booleans=[replace(parity, found=(1, 1))])).endswith("but for parity.")
    assert all(set(np.unique(table)) == {0, 1} for table in testing.tables(6).values())


def test_products_pass_as_often_as_is_said(found):
    one, three = found.products
    y = 1 - 2 * walsh.all_strings(6).astype(int)
    values = (y[:, ::2] + y[:, 1::2]).prod(axis=1)
    twice = sum(int((values == v).sum()) ** 2 for v in set(values.tolist()))  # level 0 compares two drawn strings
    assert three.rejection == 1 - Fraction(twice, 64**2)
    for each in (one, three):
        assert abs(each.accepted - each.exact) < 5 * np.sqrt(each.exact / SMALL["runs"]) + 0.01
    assert testing._sure(replace(found, products=[one])).endswith("no more.")
    assert "degree 3" in testing._sure(found)


def test_rows(found):
    rows = [*testing._rows(found), *map(testing._boolean, found.booleans), *map(testing._product, found.products)]
    assert all(len(row) == len(testing.COLUMNS) for row in rows)
    assert [row[:4] for row in testing._rows(found)] == [
        ["degree", "1", "-", "2"],
        ["degree", "2", "-", "2"],
        ["sparsity", "1", "1/50", "2"],
        ["sparsity", "4", "1/50", "2"],
    ]
