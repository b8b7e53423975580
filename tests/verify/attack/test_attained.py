"""Instances, written down, at which modules of real Transformers do what they say that they do at most, to a hundredth;
so any smaller number would be wrong."""

import numpy as np
import pytest
from sympy import Symbol
from transformer_cases import ATTACKED, HEADS

from maurey.numeric.evaluation import value
from maurey.symbolic.modules import LayerNorm, MultiHead
from maurey.verify.attack.confirmation import ratio_at
from maurey.verify.attack.sensitivity import inequality

R, e = Symbol("R"), np.eye(4)
TINY, HUGE = 1e-4, 1e3


def at(module, sizes, bounds, moved=(), **variables):
    """An instance: zero is what is not named, and what is not moved stays."""
    problem = inequality(module, R, sizes, dict.fromkeys(bounds, 1))
    arrays = {name: np.zeros(v.shape) for name, v in problem.variables.items()}
    arrays |= {name: np.array(x, dtype=float) for name, x in variables.items()}
    for name in arrays:
        if name.endswith("~"):
            arrays[name] = arrays[name[:-1]] + dict(moved).get(name[:-1], 0)
    return problem, {"bounds": bounds, "variables": {name: x.tolist() for name, x in arrays.items()}}


def outer(out, into, size=1.0, outputs=4, inputs=3):
    """The map that takes one basis vector to another."""
    return size * np.outer(e[out][:outputs], e[into][:inputs])


TWO_HEADS = MultiHead(**HEADS)  # rows 0 and 1 of Q, K and V are the first head's, 2 and 3 the second's
ONES = dict.fromkeys(("R", "B_Q", "B_K", "B_V", "B_O"), 1.0)
PAIR = {"X": [e[0][:3], -e[0][:3]], "K": outer(0, 0), "V": outer(0, 0), "O": outer(0, 0, outputs=3, inputs=4)}
# each head sees the token that the query's own direction in it picks: the first sees e_0, the second e_1
APART = {
    "X": [e[0][:3], e[1][:3]],
    "Q": (outer(0, 0) + outer(2, 0)) * HUGE / 2**0.5,
    "K": outer(0, 0, HUGE) + outer(2, 1, HUGE),
    "O": np.outer(e[0][:3], (e[0] + e[2]) / 2**0.5),
}
FAR = ONES | {"B_Q": HUGE, "B_K": HUGE}
CASES = {
    "queries": (TWO_HEADS, ONES, {"Q": outer(0, 0, TINY)}, PAIR, "moved"),
    "keys": (TWO_HEADS, ONES, {"K": outer(0, 0, TINY)}, PAIR | {"K": 0 * outer(0, 0), "Q": outer(0, 0)}, "moved"),
    "values": (TWO_HEADS, FAR, {"V": TINY * (outer(0, 0) + outer(2, 1))}, APART, "moved"),
    "output": (TWO_HEADS, FAR, {"O": TINY * np.outer(e[1][:3], e[0] + e[2])},
               APART | {"V": outer(0, 0) + outer(2, 1)}, "moved"),
    "radius of heads": (TWO_HEADS, FAR, {}, APART | {"V": outer(0, 0) + outer(2, 1)}, "radius"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_two_heads_attain_what_they_state(name):
    module, bounds, moved, variables, target = CASES[name]
    problem, instance = at(module, {"T": 2, "d": 3}, bounds, moved.items(), **variables)
    assert 0.99 <= ratio_at(problem, instance, target) <= 1 + 1e-9


def test_a_gated_mlp_attains_its_radius():
    module, sizes, names = ATTACKED["gated"]
    bounds = dict.fromkeys((*names, "R"), 1.0) | {"B_G": 100.0, "L_silu": 1.1}
    one = {"X": [e[0][:2]] * 2, "G": 100 * outer(0, 0, 1, 2, 2), "U": outer(0, 0, 1, 2, 2), "D": outer(0, 0, 1, 2, 2)}
    problem, instance = at(module, sizes, bounds, **one)
    assert 0.99 <= ratio_at(problem, instance, "radius") <= 1 + 1e-9


@pytest.mark.parametrize("least", [False, True])
def test_a_norm_attains_its_lipschitz_constant(least):
    """At tokens that do not vary, or as little as is assumed: along a circle around the mean token."""
    bounds = {"R": 10.0, "eps": 1e-12 if least else 0.01, "r": 1.0}
    module = LayerNorm(Symbol("d"), Symbol("eps"), least=Symbol("r") if least else None)
    token = np.array([1.0, -1, 0]) / 2**0.5 * (1 + 1e-9 if least else 0)
    move = TINY * np.array([1.0, 1, -2]) / 6**0.5
    problem, instance = at(module, {"T": 2, "d": 3}, bounds, [("X", move)], X=[token, token])
    assert 0.99 <= ratio_at(problem, instance, "moved") <= 1 + 1e-9


def test_the_chord_of_a_norm_is_attained_where_eps_vanishes():
    """One token varies by 1; from there to where the tangent through the mean token touches a ball of radius 1/2."""
    t, eps = 0.5, 1e-12
    u, v = np.array([1.0, -1, 0]) / 2**0.5, np.array([1.0, 1, -2]) / 6**0.5
    touched = (1 - t**2) * u + t * (1 - t**2) ** 0.5 * v
    assert np.linalg.norm(touched - u) == pytest.approx(t)
    one, other = (x / np.sqrt((x**2).mean() + eps) for x in (u, touched))
    at = {"d": 3, "eps_LN": "1e-12", "spread": 1, "step": "1/2"}
    said = float(value("maurey/layernorm", "printed", "chord", at))
    assert 0.99 <= np.linalg.norm(one - other) / said <= 1 + 1e-9
