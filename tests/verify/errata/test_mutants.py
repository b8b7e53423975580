"""Mutants of what holds, with every constant in it: a factor, an exponent, a norm. All are reported. Those with a
hidden constant are in test_comparison.py (a parameter dropped) and test_directions.py (three directions)."""

from dataclasses import replace

import pytest
from planted import planted, symbol
from sympy import Rational, Symbol, sqrt

from maurey.symbolic import registry
from maurey.verify.errata.comparison import compare
from maurey.verify.errata.witnesses import replay

FACTORS = """edelman2022/2.2:gap edelman2022/4.2:eps_in edelman2022/A.7:moved edelman2022/A.10:log_N
edelman2022/A.15:moved
lintilhac2026/B:leak lintilhac2026/10:W_1 lintilhac2026/20:norm lintilhac2026/22:g mousavi2025/11:error
mousavi2025/39:norm mousavi2025/40:variance trauger2024/S2.3:gap trauger2024/3.3:log_N trauger2024/S3.4:ratio
trauger2024/4.1:E"""
EXPONENTS = """edelman2022/2.2:gap:L_loss edelman2022/4.2:eps_score:B_X edelman2022/A.2:R:m edelman2022/A.7:moved:Delta
edelman2022/A.8:minimum:C edelman2022/A.14:moved:B_QK edelman2022/A.16:moved:Delta_w edelman2022/B.7:moved:scale
lintilhac2026/12:remainder:sigma lintilhac2026/E.2:fixed:norm_squared lintilhac2026/27:s:T mousavi2025/12:P_usual:N
mousavi2025/15:moved:Delta_QK mousavi2025/41:volume:eps trauger2024/3.6:log_N:k trauger2024/A:eps_map:q
trauger2024/4.2.1:log_N:B_X"""
NORMS = [  # a norm, and how many times smaller the other one may be
    ("trauger2024/3.3", "log_N", "B_X_1", "d"),  # the largest coordinate for the sum of all
    ("trauger2024/3.6", "log_N", "B_X", "d"),
    ("trauger2024/S3.4", "sum", "B_W_1inf", "d"),
    ("trauger2024/3.6", "log_N", "B_W_11", "k"),
]


def reported(claim, key: str) -> bool:
    found = compare(claim).errata
    return bool(found) and all(entry.key == key and replay(claim, entry) for entry in found)


@pytest.mark.parametrize("place", FACTORS.split())
def test_a_factor(place):
    key, part = place.split(":")
    assert compare(planted(key, part, lambda e: e, hidden=False)).errata == []
    assert reported(planted(key, part, lambda e: e * Rational(999, 1000), hidden=False), key)


@pytest.mark.parametrize("place", EXPONENTS.split())
def test_an_exponent(place):
    key, part, name = place.split(":")
    root = symbol(name) ** Rational(1, 8)
    found = [compare(planted(key, part, lambda e, x=x: e * x, hidden=False)).errata for x in (root, 1 / root)]
    assert any(found)
    assert reported(planted(key, part, lambda e: e * (1 / root if found[1] else root), hidden=False), key)


@pytest.mark.parametrize(("key", "part", "name", "size"), NORMS)
def test_a_smaller_norm(key, part, name, size):
    norm, times = Symbol(name), Symbol(size)
    assert reported(planted(key, part, lambda e: e.subs(norm, norm / times), hidden=False), key)
    assert reported(planted(key, part, lambda e: e.subs(norm, norm / sqrt(times)), hidden=False), key)


@pytest.mark.parametrize(("part", "other"), [("QK_21", "F"), ("F", "op")])
def test_one_norm_of_a_matrix_for_another(part, other):
    claim = registry.find("mousavi2025/eqA.2")
    swapped = replace(claim.part(part), printed=claim.part(other).printed, sharp=None, repaired=None)
    assert compare(replace(claim, parts=(replace(swapped, printed=claim.part(part).printed),))).errata == []
    assert reported(replace(claim, parts=(swapped,)), claim.key)


def test_there_are_thirty():
    assert len(FACTORS.split()) + len(EXPONENTS.split()) + 2 * len(NORMS) + 2 >= 30
