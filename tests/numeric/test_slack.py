"""Slack notes: the inequalities hold for real matrices, in either orientation, and every violation is told."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maurey.numeric.slack import LARGER, slack


def pq(W, p, q):
    """The p-norm of each column, then the q-norm of those."""
    return np.linalg.norm(np.linalg.norm(W, p, axis=0), q)


NORMS = {
    "": lambda W: np.linalg.norm(W, 2),
    "_F": lambda W: np.linalg.norm(W),
    "_inf": lambda W: pq(W, 2, np.inf),
    "_21": lambda W: pq(W, 2, 1),
    "_11": lambda W: pq(W, 1, 1),
    "_1inf": lambda W: pq(W, 1, np.inf),
}
SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10**6), st.integers(1, 5))


@given(shape=SHAPES, turned=st.dictionaries(st.sampled_from(sorted(NORMS)), st.booleans()))
def test_norms_of_one_matrix_are_never_slack(shape, turned):
    """Each norm of the matrix or of its transpose, as claims differ."""
    rows, columns, seed, rank = shape
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((rows, rank)) @ rng.standard_normal((rank, columns))
    for name in ("V", "QK", "C", "W"):
        # a hair apart, for equal norms are rounded
        values = {f"B_{name}{s}": Fraction(norm(W.T if turned.get(s) else W)) for s, norm in NORMS.items()}
        order = {name: rank for rank, name in enumerate(("_inf", "", "_F", "_21", "_1inf", "_11"))}
        hair = {k: v * (1 + Fraction(order[k.removeprefix(f"B_{name}")], 10**9)) for k, v in values.items()}
        assert slack(hair) == []
    x = rng.standard_normal(rows)
    assert slack({"B_X": Fraction(np.linalg.norm(x)), "B_X_1": Fraction(np.linalg.norm(x, 1) * (1 + 1e-9))}) == []


@pytest.mark.parametrize(("name", "larger"), [(name, other) for name, above in LARGER.items() for other in above])
def test_every_pair(name, larger):
    values = {name: Fraction(3), larger: Fraction(2)}
    assert slack(values) == [f"{name} = 3 is slack: that norm is never above {larger} = 2"]
    assert slack({name: Fraction(2), larger: Fraction(2)}) == []


def test_chains():
    assert len(LARGER) == 22
    assert slack({"B_V_inf": Fraction(3), "B_V_1inf": Fraction(1)}) == []  # the column of one, the row of the other
    assert slack({"B_V_inf": Fraction(3), "B_QK": Fraction(1)}) == []
    both = slack({"B_V_inf": Fraction(3), "B_V": Fraction(5, 2), "B_V_F": Fraction(1, 3)})
    assert both == [
        "B_V_inf = 3 is slack: that norm is never above B_V_F = 1/3",
        "B_V = 2.5 is slack: that norm is never above B_V_F = 1/3",
    ]


def test_lists_entry_by_entry():
    one, two, three = (Fraction(i) for i in (1, 2, 3))
    assert slack({"B_V": [one, three], "B_V_F": [two, two]}) == [
        "B_V[2] = 3 is slack: that norm is never above B_V_F[2] = 2"
    ]
    assert slack({"B_V": [one, three], "B_V_F": two}) == ["B_V[2] = 3 is slack: that norm is never above B_V_F[2] = 2"]
    assert slack({"B_V": [three, three], "B_V_F": two}) == ["B_V = 3 is slack: that norm is never above B_V_F = 2"]
    assert slack({"B_V": [one, two], "B_V_F": [two, two]}) == []
