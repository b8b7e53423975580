"""Attacks on the Lipschitz statements, and on the perturbation statements under the covers of heads and networks.

Perturbation statements are what the calculus says of an architecture: coefficients, Lipschitz constant, radii. Torch is
imported only when a check runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sympy import Expr, Indexed, Integer, Max, Symbol

from maurey.symbolic import networks
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Step
from maurey.symbolic.modules import EqualHeads, Heads, Module, Offset, Projection, compose
from maurey.symbolic.papers.edelman2022 import section_4
from maurey.symbolic.route import PAPER, SHARP, Route
from maurey.verify.attack.forwards import ACTIVATIONS, forward, largest, softmax, tokens, turned
from maurey.verify.attack.inequality import Inequality, Sides, Values, Variable, run_steps
from maurey.verify.attack.layers import (
    BLOCKS,
    CLASSES,
    LAYERS,
    UNIT,
    block,
    l1,
    layer,
    layer_input,
    softmax_pair,
    under,
)
from maurey.verify.attack.norm_balls import spread
from maurey.verify.attack.sensitivity import inequality
from maurey.verify.attack.statements import Statement, examine, forms, sized, stated
from maurey.verify.checks import check

# --- softmax and projection: A.6, A.9 ----------------------------------------------------------------------------


def jacobian(p: int) -> Inequality:
    """A.6 for theta -> softmax(M theta). A column m_j of M adds |J m_j|_1 to the Jacobian's (1,1) norm. That is at most
    half its range, since J takes constants to zero and |Jh|_1 <= |h|_inf; at p = 2 it is the supremum."""
    variables = {
        "M": Variable((p, p), {"entries": "B_M"}),
        "theta": Variable((1, p), {"entries": "B"}),
        "theta~": Variable((1, p), near="theta"),
    }

    def sides(v: Values) -> Sides:
        M, a, b = v["M"], v["theta"], v["theta~"]
        lhs = l1(softmax(a @ turned(M)) - softmax(b @ turned(M)))
        c_f = sum(largest(M[..., :, j]) + largest(-M[..., :, j]) for j in range(p)) / 2
        return stated("edelman2022/A.6", lhs, lhs * 0 + 1, {"c_f": c_f, "Delta": largest(abs(a - b), 2)})

    return Inequality(variables, {"B": (-2, 2), "B_M": (-2, 2)}, sides)


def projection(d: int) -> Inequality:
    variables = {"u": Variable((1, d), {"rows": "B"}), "v": Variable((1, d), near="u")}

    def sides(v: Values) -> Sides:
        lhs = tokens(forward(Projection(), {}, v["u"]) - forward(Projection(), {}, v["v"]))
        return stated("edelman2022/A.9", lhs, tokens(v["u"]), {"Delta": tokens(v["u"] - v["v"])})

    return Inequality(variables, {"B": (-1, 2)}, sides)


# --- the general head: 4.2, 4.3 ----------------------------------------------------------------------------------


def general(T: int, k: int, sigma: str, resolutions: bool = False) -> Inequality:
    """Any scores (1, T), any values (T, k) of norm at most B_in B_X, Norm = softmax(beta .), phi_out = sigma(O .)."""
    values = {"rows": Symbol("B_in") * Symbol("B_X")}
    variables = {
        "scores": Variable((1, T), {"entries": "B"}),
        "values": Variable((T, k), values),
        "out": Variable((k, k), {"spectral": "L_out"}),
        "scores~": Variable((1, T), near="scores"),
        "values~": Variable((T, k), values, near="values"),
    }
    bounds: dict[str, Any] = {"B": (-2, 2), "beta": (-1, 1), **dict.fromkeys(("B_in", "B_X", "L_out"), (-2, 2))}
    bounds |= {"share": (-2, -0.01)} if resolutions else {}

    def head(v: Values, mark: str) -> Any:
        weights = softmax(v["scores" + mark] * spread(v["beta"], v["scores"]))
        return ACTIVATIONS[sigma](weights @ v["values" + mark] @ turned(v["out"]))

    def sides(v: Values) -> Sides:
        lhs, scale = tokens(head(v, "") - head(v, "~")), v["L_out"] * v["B_in"] * v["B_X"]
        at = {name: v[name] for name in ("L_out", "B_in", "B_X")}
        at["C_Norm"] = v["beta"] * 2 * (T - 1) / T  # the sum of |J_ij| is 2 sum s_i (1 - s_i)
        at["Delta_score"] = largest(abs(v["scores"] - v["scores~"]), 2)
        at["Delta_in"] = tokens(v["values"] - v["values~"])
        return _covered(v, at, lhs, scale) if resolutions else stated("edelman2022/4.3", lhs, scale, at)

    return Inequality(variables, bounds, sides)


def _covered(v: Values, at: Values, lhs: Any, scale: Any) -> Sides:
    """4.2: the least eps whose two resolutions, linear in it, allow these two movements."""
    names = ("Delta_score", "Delta_in", "eps_score", "eps_in")
    score, value, eps_score, eps_in = (Symbol(name) for name in names)
    least = [Step("eps", "", Max(score / eps_score, value / eps_in), "")]
    one = {**at, "eps": lhs * 0 + 1, "share": v["share"]}
    found = {}
    for form in ("printed", "derived"):
        resolution = {part: run_steps(forms("edelman2022/4.2")[f"{part} {form}"], one) for part in names[2:]}
        found[form] = (lhs, run_steps(least, {**at, **resolution}), scale)
    return found


# --- one layer: A.13, A.16 ---------------------------------------------------------------------------------------


def layer_weights(T: int, d: int, k: int) -> Inequality:
    """A.13: only the tokens and W_V are bounded."""
    variables = {
        "Z": Variable((T, d), {"rows": 1.0}),
        "V": Variable((k, d), {"spectral": "B_V"}),
        "S": Variable((d, d), {"spectral": "B_S"}),
        "V~": Variable((k, d), near="V"),
        "S~": Variable((d, d), near="S"),
    }

    def sides(v: Values) -> Sides:
        Z = v["Z"]
        a, b = (layer(Z, v["V" + mark], v["S" + mark]) for mark in ("", "~"))
        moved = {f"Delta_{n}": tokens(Z @ turned(v[m] - v[m + "~"])) for n, m in (("QK", "S"), ("V", "V"))}
        return stated("edelman2022/A.13", tokens(a - b), v["B_V"], {**moved, "B_V": v["B_V"]})

    return Inequality(variables, {"B_V": (-2, 2), "B_S": (-2, 3)}, sides)


def readout(d: int) -> Inequality:
    variables = {
        "g": Variable((1, d), {"rows": 1.0}),
        "w": Variable((1, d), {"frobenius": "B_w"}),
        "g~": Variable((1, d), {"rows": 1.0}, near="g"),
        "w~": Variable((1, d), {"frobenius": "B_w"}, near="w"),
    }

    def sides(v: Values) -> Sides:
        a, b = (v["g" + mark] @ turned(v["w" + mark]) for mark in ("", "~"))
        at = {"B_w": v["B_w"], "Delta_g": tokens(v["g"] - v["g~"])}
        at["Delta_w"] = largest(abs(v["g~"] @ turned(v["w"] - v["w~"])), 2)
        return stated("edelman2022/A.16", largest(abs(a - b), 2), v["B_w"], at)

    return Inequality(variables, {"B_w": (-3, 3)}, sides)


# --- architectures: what the calculus says of them ---------------------------------------------------------------


def _tf_head(route: Route, **sizes: Any) -> Module:
    return section_4.head(Setting(), route)


def _positions(route: Route, **sizes: Any) -> Module:
    return compose(Offset(Symbol("B_P")), section_4.head(Setting(), route))


def several_heads(route: Route, H: int, **sizes: Any) -> Module:
    return Heads(tuple(section_4.head(Setting(), route, h) for h in range(1, H + 1)))


def _equal_heads(route: Route, **sizes: Any) -> Module:
    return EqualHeads(Symbol("H"), section_4.head(Setting(), route))


def deep_network(route: Route, L: int, **sizes: Any) -> Module:
    names = ("V", "QK", "C", "V_inf", "QK_inf", "C_inf")
    return networks.network(route, [{n: Indexed(f"B_{n}", i) for n in names} for i in range(1, L + 1)])


def _equal_layers(route: Route, L: int, **sizes: Any) -> Module:
    names = ("V", "QK", "C")
    one = {n: Symbol("C_2") for n in names} | {f"{n}_inf": Symbol("C_inf") for n in names}
    return networks.network(route, [one] * L, width=Symbol("d"))


ONE_HEAD = {**dict.fromkeys(("B_X", "B_V", "B_QK_inf", "L_sigma"), (-1.5, 1.5)), "B_V_inf": (-1, 2)}
DEEP_NORMS = tuple(f"B_{n}{suffix}" for n in ("V", "QK", "C") for suffix in ("", "_inf"))
# module of a route, radius of the tokens, decades of the bounds, and the names of which there is one per head or layer
ARCHITECTURES: dict[str, tuple[Callable[..., Module], Expr, Mapping[str, Any], tuple[str, ...]]] = {
    "edelman2022/4.4": (_tf_head, Symbol("B_X"), ONE_HEAD, ()),
    "edelman2022/A.11": (_positions, Symbol("B_X"), {**ONE_HEAD, "B_P": (-1.5, 1.5)}, ()),
    "edelman2022/A.12": (several_heads, Symbol("B_X"), ONE_HEAD, ("B_V", "B_V_inf", "B_QK_inf")),
    "edelman2022/A.12-equal-heads": (_equal_heads, Symbol("B_X"), ONE_HEAD, ()),
    "edelman2022/A.17": (
        deep_network, Integer(1),
        {
            **{n: (-0.3, 1.2) if n.endswith("_inf") else (-0.6, 0.7) for n in (*DEEP_NORMS, "B_w", "L_sigma")},
            "B_QK": (-2, 1.2),
        },
        DEEP_NORMS,
    ),
    "edelman2022/4.6": (
        _equal_layers, Symbol("B_X"),
        {**dict.fromkeys(("B_X", "C_2", "B_w", "L_sigma"), (-0.6, 0.9)), "C_inf": (-0.3, 1.2)}, (),
    ),
}  # fmt: skip


def architecture(key: str, sharp: bool, sigma: str, **sizes: int) -> Inequality:
    make, radius, decades, listed = ARCHITECTURES[key]
    number = sizes.get("H", 0) or sizes.get("L", 0)
    bounds = {name: [d] * number if name in listed else d for name, d in decades.items()}
    if not sharp:
        bounds["kappa"] = 2
    whole = inequality(make(SHARP if sharp else PAPER, **sizes), radius, sizes, bounds, sigma)
    return under("sharp" if sharp else "derived", whole)


# --- which statements, at which sizes ----------------------------------------------------------------------------


def _perturbed(key: str, names: str, *rows: tuple[Any, ...]) -> Statement:
    """The rows with the activation last, by the paper's route and by the sharp one."""
    cases = tuple({**case, "sharp": sharp} for case in sized(f"{names} sigma", *rows) for sharp in (False, True))
    return Statement(partial(architecture, key=key), cases, "weights and tokens together")


GENERAL = sized("T k sigma", (2, 1, "identity"), (2, 3, "relu"), (5, 2, "tanh"), (40, 1, "identity"))
HEADS = ((2, 1, "identity"), (20, 1, "relu"), (4, 3, "identity"))
SEVERAL = ((2, 1, 2, "identity"), (5, 2, 3, "relu"))

STATEMENTS: dict[str, Statement] = {
    "edelman2022/4.2": Statement(
        partial(general, resolutions=True), GENERAL, "scores and values within their resolutions",
        {form: (("eps_score", form), ("eps_in", form)) for form in ("printed", "derived")},
    ),
    "edelman2022/4.3": Statement(general, GENERAL, "scores and values of a general head"),
    "edelman2022/A.6": Statement(jacobian, sized("p", (2,), (3,), (16,)), "softmaxes of linear maps"),
    "edelman2022/A.7": Statement(partial(softmax_pair, key="edelman2022/A.7"), CLASSES, "pairs of score vectors"),
    "edelman2022/A.9": Statement(projection, sized("d", (1,), (2,), (5,), (64,)), "pairs of vectors"),
    "edelman2022/A.13": Statement(layer_weights, LAYERS, "weights of one layer"),
    "edelman2022/A.14": Statement(partial(layer_input, key="edelman2022/A.14"), LAYERS + UNIT, "tokens of one layer"),
    "edelman2022/A.15": Statement(partial(block, key="edelman2022/A.15"), BLOCKS, "weights and tokens of one block"),
    "edelman2022/A.16": Statement(readout, sized("d", (1,), (3,), (64,)), "read-outs and tokens"),
    "edelman2022/4.4": _perturbed("edelman2022/4.4", "T d", *HEADS),
    "edelman2022/A.11": _perturbed("edelman2022/A.11", "T d", *HEADS),
    "edelman2022/A.12": _perturbed("edelman2022/A.12", "T d H", *SEVERAL),
    "edelman2022/A.12-equal-heads": _perturbed("edelman2022/A.12-equal-heads", "T d H", *SEVERAL),
    "edelman2022/A.17": _perturbed(
        "edelman2022/A.17", "T d k L", (2, 1, 1, 1, "identity"), (2, 1, 1, 2, "identity"), (4, 2, 3, 2, "relu")
    ),
    "edelman2022/4.6": _perturbed("edelman2022/4.6", "T d L", (2, 1, 1, "identity"), (4, 2, 2, "relu")),
}  # fmt: skip

for _key, _statement in STATEMENTS.items():
    check(_key)(partial(examine, _key, statement=_statement))
