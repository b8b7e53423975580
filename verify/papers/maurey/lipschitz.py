"""Attacks on our own Lipschitz statements: the softmax, one attention layer, and scores covered in three ways."""

from __future__ import annotations

from functools import partial

from sympy import Min, Symbol

from maurey.symbolic.derivation import Step
from maurey.verify.attack.forwards import largest, tokens, turned
from maurey.verify.attack.inequality import Inequality, Sides, Values, Variable, run_steps
from maurey.verify.attack.layers import CLASSES, LAYERS, UNIT, layer_input, softmax_pair
from maurey.verify.attack.statements import Statement, examine, sized
from maurey.verify.checks import check


def scores(T: int, d: int) -> Inequality:
    """How far a score x . Wz moves: by its outer product with W, as the vector Wz, or as the vector W^T x."""
    variables = {
        "X": Variable((T, d), {"rows": "B_X"}),
        "W": Variable((d, d), {"frobenius": "B_QK_F"}),
        "W~": Variable((d, d), {"frobenius": "B_QK_F"}, near="W"),
    }

    def sides(v: Values) -> Sides:
        X, change, R = v["X"], v["W"] - v["W~"], v["B_X"]
        lhs = largest(abs(X @ v["W"] @ turned(X) - X @ v["W~"] @ turned(X)), 2)
        size = tokens(change.reshape(*change.shape[:-2], 1, -1))
        either = {"a": R * tokens(X @ turned(change)), "b": R * tokens(X @ change)}
        least = run_steps([Step("least", "", Min(Symbol("a"), Symbol("b")), "")], either)
        scale = R * R * v["B_QK_F"]
        return {"score printed": (lhs, size * R * R, scale), "either": (lhs, least, scale)}

    return Inequality(variables, {"B_X": (-2, 2), "B_QK_F": (-2, 2)}, sides)


SCORES = sized("T d", (1, 1), (2, 5), (32, 2))

STATEMENTS: dict[str, Statement] = {
    "maurey/softmax": Statement(partial(softmax_pair, key="maurey/softmax"), CLASSES, "pairs of score vectors"),
    "maurey/attention": Statement(
        partial(layer_input, key="maurey/attention", free=True), LAYERS + UNIT, "tokens of one layer"
    ),
    "maurey/score": Statement(scores, SCORES, "score matrices, as outer products", {"either": ()}),
    "maurey/orientation": Statement(
        scores, SCORES, "score matrices, as either of two vectors", {"score printed": (), "either": (("", "printed"),)}
    ),
}  # fmt: skip

for _key, _statement in STATEMENTS.items():
    check(_key)(partial(examine, _key, statement=_statement))
