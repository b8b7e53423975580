"""Attacks on the Lipschitz statements, and on the perturbation statements under the covers of heads and networks.

A statement builds, for given sizes, an inequality whose targets are forms of the claim; its rhs is the claim's own
form, its lhs is computed here once for tensors and for balls. Perturbation statements are what the calculus says of an
architecture: coefficients, Lipschitz constant, radii. Torch is imported only when a check runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sympy import Expr, Indexed, Integer, Max, Min, Symbol

from maurey.symbolic import networks, registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Step
from maurey.symbolic.modules import EqualHeads, Heads, Module, Offset, compose
from maurey.symbolic.papers.edelman2022 import section_4, section_a3_deep
from maurey.symbolic.route import PAPER, SHARP, Route
from maurey.verify.checks import Effort, Result, check

INSTANCES = Path(__file__).parents[2] / "attack" / "instances"
SMALL = 6  # kept instances have no dimension beyond this
STARTS, STEPS = 128, 50
LONG, LONGEST, MOST_SCORES = 16, 256, 1 << 21  # longer sequences get fewer starts; and scores in one tensor

Case = Mapping[str, Any]
Build = Callable[..., Any]  # (tools, **case) -> Inequality


@dataclass(frozen=True)
class Statement:
    build: Build
    cases: tuple[Case, ...]
    about: str  # what is perturbed
    speaks: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)  # target: its (part, form)s

    def forms_of(self, target: str) -> tuple[tuple[str, str], ...]:
        part, _, form = target.partition(" ")
        return self.speaks.get(target, (("log_N" if part in ("radius", "reach") else part, form),))


@cache
def tools() -> Any:
    """The attack and the forward, and with them torch; the starts are small enough for one thread."""
    from maurey.verify.attack import ascent, forwards
    from maurey.verify.tensors import torch

    torch.set_num_threads(1)
    return SimpleNamespace(**{**vars(ascent), **vars(forwards)})


# --- the claim's own forms as right-hand sides -------------------------------------------------------------------


@cache
def _forms(key: str) -> dict[str, list[Step]]:
    claim = registry.find(key)
    return {f"{part.name} {form}": part.steps(form) for part in claim.parts for form in part.forms}


def stated(f: Any, key: str, lhs: Any, scale: Any, values: Mapping[str, Any]) -> dict[str, tuple[Any, Any, Any]]:
    """Every form of every part at these values; the claim's constants have the values it gives them."""
    constants = {c.name: (lhs * 0 + c.value.numerator) / c.value.denominator for c in registry.find(key).constants}
    return {name: (lhs, f.value_of(steps, constants | dict(values)), scale) for name, steps in _forms(key).items()}


# --- softmax and projection: A.6, A.7, A.9, maurey/softmax -------------------------------------------------------


def l1(f: Any, x: Any) -> Any:
    """Of one row, or the largest of several."""
    return f.largest(abs(x).sum(-1))


def softmax_pair(f: Any, p: int, key: str) -> Any:
    variables = {"theta": f.Variable((1, p), {"entries": "B"}), "theta~": f.Variable((1, p), near="theta")}

    def sides(v: Any) -> Any:
        lhs = l1(f, f.softmax(v["theta"]) - f.softmax(v["theta~"]))
        Delta = f.largest(abs(v["theta"] - v["theta~"]), 2)
        return stated(f, key, lhs, lhs * 0 + 1, {"Delta": Delta, "p": lhs * 0 + p})

    return f.Inequality(variables, {"B": (-2, 3)}, sides)


def jacobian(f: Any, p: int) -> Any:
    """A.6 for theta -> softmax(M theta). A column m_j of M adds |J m_j|_1 to the Jacobian's (1,1) norm. That is at most
    half its range, since J takes constants to zero and |Jh|_1 <= |h|_inf; at p = 2 it is the supremum."""
    variables = {
        "M": f.Variable((p, p), {"entries": "B_M"}),
        "theta": f.Variable((1, p), {"entries": "B"}),
        "theta~": f.Variable((1, p), near="theta"),
    }

    def sides(v: Any) -> Any:
        M, a, b = v["M"], v["theta"], v["theta~"]
        lhs = l1(f, f.softmax(a @ f.turned(M)) - f.softmax(b @ f.turned(M)))
        c_f = sum(f.largest(M[..., :, j]) + f.largest(-M[..., :, j]) for j in range(p)) / 2
        return stated(f, "edelman2022/A.6", lhs, lhs * 0 + 1, {"c_f": c_f, "Delta": f.largest(abs(a - b), 2)})

    return f.Inequality(variables, {"B": (-2, 2), "B_M": (-2, 2)}, sides)


def projection(f: Any, d: int) -> Any:
    variables = {"u": f.Variable((1, d), {"rows": "B"}), "v": f.Variable((1, d), near="u")}

    def sides(v: Any) -> Any:
        lhs = f.tokens(f.forward(f.Projection(), {}, v["u"]) - f.forward(f.Projection(), {}, v["v"]))
        return stated(f, "edelman2022/A.9", lhs, f.tokens(v["u"]), {"Delta": f.tokens(v["u"] - v["v"])})

    return f.Inequality(variables, {"B": (-1, 2)}, sides)


# --- the general head: 4.2, 4.3 ----------------------------------------------------------------------------------


def general(f: Any, T: int, k: int, sigma: str, resolutions: bool = False) -> Any:
    """Any scores (1, T), any values (T, k) of norm at most B_in B_X, Norm = softmax(beta .), phi_out = sigma(O .)."""
    values = {"rows": Symbol("B_in") * Symbol("B_X")}
    variables = {
        "scores": f.Variable((1, T), {"entries": "B"}),
        "values": f.Variable((T, k), values),
        "out": f.Variable((k, k), {"spectral": "L_out"}),
        "scores~": f.Variable((1, T), near="scores"),
        "values~": f.Variable((T, k), values, near="values"),
    }
    bounds: dict[str, Any] = {"B": (-2, 2), "beta": (-1, 1), **dict.fromkeys(("B_in", "B_X", "L_out"), (-2, 2))}
    bounds |= {"share": (-2, -0.01)} if resolutions else {}

    def head(v: Any, mark: str) -> Any:
        weights = f.softmax(v["scores" + mark] * f.spread(v["beta"], v["scores"]))
        return f.ACTIVATIONS[sigma](weights @ v["values" + mark] @ f.turned(v["out"]))

    def sides(v: Any) -> Any:
        lhs, scale = f.tokens(head(v, "") - head(v, "~")), v["L_out"] * v["B_in"] * v["B_X"]
        at = {name: v[name] for name in ("L_out", "B_in", "B_X")}
        at["C_Norm"] = v["beta"] * 2 * (T - 1) / T  # the sum of |J_ij| is 2 sum s_i (1 - s_i)
        at["Delta_score"] = f.largest(abs(v["scores"] - v["scores~"]), 2)
        at["Delta_in"] = f.tokens(v["values"] - v["values~"])
        return _covered(f, v, at, lhs, scale) if resolutions else stated(f, "edelman2022/4.3", lhs, scale, at)

    return f.Inequality(variables, bounds, sides)


def _covered(f: Any, v: Any, at: Any, lhs: Any, scale: Any) -> Any:
    """4.2: the least eps whose two resolutions, linear in it, allow these two movements."""
    names = ("Delta_score", "Delta_in", "eps_score", "eps_in")
    score, value, eps_score, eps_in = (Symbol(name) for name in names)
    least = [Step("eps", "", Max(score / eps_score, value / eps_in), "")]
    one = {**at, "eps": lhs * 0 + 1, "share": v["share"]}
    found = {}
    for form in ("printed", "derived"):
        resolution = {part: f.value_of(_forms("edelman2022/4.2")[f"{part} {form}"], one) for part in names[2:]}
        found[form] = (lhs, f.value_of(least, {**at, **resolution}), scale)
    return found


# --- one layer: A.13 to A.16, maurey/attention, maurey/score, maurey/orientation ---------------------------------


def layer_weights(f: Any, T: int, d: int, k: int) -> Any:
    """A.13: only the tokens and W_V are bounded."""
    variables = {
        "Z": f.Variable((T, d), {"rows": 1.0}),
        "V": f.Variable((k, d), {"spectral": "B_V"}),
        "S": f.Variable((d, d), {"spectral": "B_S"}),
        "V~": f.Variable((k, d), near="V"),
        "S~": f.Variable((d, d), near="S"),
    }

    def sides(v: Any) -> Any:
        Z = v["Z"]
        a, b = (_layer(f, Z, v["V" + mark], v["S" + mark]) for mark in ("", "~"))
        moved = {f"Delta_{n}": f.tokens(Z @ f.turned(v[m] - v[m + "~"])) for n, m in (("QK", "S"), ("V", "V"))}
        return stated(f, "edelman2022/A.13", f.tokens(a - b), v["B_V"], {**moved, "B_V": v["B_V"]})

    return f.Inequality(variables, {"B_V": (-2, 2), "B_S": (-2, 3)}, sides)


def _layer(f: Any, Z: Any, V: Any, S: Any) -> Any:
    return f.attention(Z, V, lambda q, z: q @ S @ f.turned(z), Z)


def layer_input(f: Any, T: int, d: int, k: int, key: str, unit: bool = False) -> Any:
    """A.14 and maurey/attention; with `unit`, all bounds are 1, where neither part of the constant is negligible."""
    free = key == "maurey/attention"
    radius: Any = {"rows": "B_X" if free else 1.0}
    variables = {
        "Z": f.Variable((T, d), radius),
        "V": f.Variable((k, d), {"spectral": "B_V"}),
        "S": f.Variable((d, d), {"spectral": "B_QK"}),
        "Z~": f.Variable((T, d), radius, near="Z"),
    }
    bounds: dict[str, Any] = {"B_V": (-2, 2), "B_QK": (-3, 3), **({"B_X": (-1, 1)} if free else {})}

    def sides(v: Any) -> Any:
        lhs = f.tokens(_layer(f, v["Z"], v["V"], v["S"]) - _layer(f, v["Z~"], v["V"], v["S"]))
        at = {**{name: v[name] for name in bounds}, "Delta": f.tokens(v["Z"] - v["Z~"])}
        return stated(f, key, lhs, v["B_V"] * (v["B_X"] if free else 1), at)

    if not unit:
        return f.Inequality(variables, bounds, sides)
    return f.Inequality(variables, dict.fromkeys(bounds, 1), sides, hint=_extreme(T) if (d, k) == (2, 2) else None)


def _extreme(T: int, step: float = 2**-12) -> Mapping[str, Any]:
    """Where the proof of maurey/attention is tight as T grows: keys at plus and minus y, a query a across them, every
    key moving along y plus or minus a, the query along y; all a step inside the ball."""
    keys = [1.0 if t % 2 else -1.0 for t in range(1, T)]
    Z = [[0.0, 1 - step], *([(1 - step) * x, 0.0] for x in keys)]
    moves = [[1.0, 0.0], *([0.5**0.5, x * 0.5**0.5] for x in keys)]
    moved = [[z + step * m / 2 for z, m in zip(*pair, strict=True)] for pair in zip(Z, moves, strict=True)]
    eye = [[1.0, 0.0], [0.0, 1.0]]
    return {"Z": Z, "Z~": moved, "V": eye, "S": eye}


def block(
    f: Any, T: int, d: int, k: int, sigma: str, key: str = "edelman2022/A.15", first: tuple[float, float] | None = None
) -> Any:
    """A.15: both blocks in the class, movements measured on the vectors of the moved one. With `first`, a first block:
    tokens of norm at most B_X, drawn from these decades, which stay where they are."""
    module = networks.block(PAPER, section_a3_deep.ONE)
    bounds: dict[str, Any] = {**dict.fromkeys(("B_V", "B_QK", "B_C", "L_sigma"), (-2, 2)), "kappa": 2}
    part = "moved" if first is None else "moved_first"
    bounds |= {} if first is None else {"B_X": tuple(first)}
    radius = Integer(1) if first is None else Symbol("B_X")
    both = f.inequality(module, radius, {"T": T, "d": d, "k": k}, bounds, sigma)
    variables = {name: v for name, v in both.variables.items() if first is None or name != "X~"}

    def moves(v: Any) -> Any:
        """Both outputs, and the claim's symbols."""
        seen: Any = []
        moved = v.get("X~", v["X"])
        a = f.forward(module, v, v["X"], v, sigma)
        b = f.forward(module, {name: v[name + "~"] for name in ("V", "QK", "C")}, moved, v, sigma, seen)
        at = {name: v[name] for name in bounds if name != "kappa"}
        at |= {"B_X": f.tokens(a) * 0 + 1} if first is None else {}
        at["Delta_g"] = f.tokens(v["X"] - moved)
        for label, how, x, keys in seen:
            at[f"Delta_{label}"] = f.moved_by(v[label] - v[label + "~"], how, x, keys)
        return a, b, at

    def sides(v: Any) -> Any:
        a, b, at = moves(v)
        found = stated(f, key, f.tokens(a - b), f.tokens(a), at)
        return {target: side for target, side in found.items() if target.split()[0] == part}

    return f.Inequality(variables, bounds, sides, point=lambda v: moves(v)[2])


def readout(f: Any, d: int) -> Any:
    variables = {
        "g": f.Variable((1, d), {"rows": 1.0}),
        "w": f.Variable((1, d), {"frobenius": "B_w"}),
        "g~": f.Variable((1, d), {"rows": 1.0}, near="g"),
        "w~": f.Variable((1, d), {"frobenius": "B_w"}, near="w"),
    }

    def sides(v: Any) -> Any:
        a, b = (v["g" + mark] @ f.turned(v["w" + mark]) for mark in ("", "~"))
        at = {"B_w": v["B_w"], "Delta_g": f.tokens(v["g"] - v["g~"])}
        at["Delta_w"] = f.largest(abs(v["g~"] @ f.turned(v["w"] - v["w~"])), 2)
        return stated(f, "edelman2022/A.16", f.largest(abs(a - b), 2), v["B_w"], at)

    return f.Inequality(variables, {"B_w": (-3, 3)}, sides)


def scores(f: Any, T: int, d: int) -> Any:
    """How far a score x . Wz moves: by its outer product with W, as the vector Wz, or as the vector W^T x."""
    variables = {
        "X": f.Variable((T, d), {"rows": "B_X"}),
        "W": f.Variable((d, d), {"frobenius": "B_QK_F"}),
        "W~": f.Variable((d, d), {"frobenius": "B_QK_F"}, near="W"),
    }

    def sides(v: Any) -> Any:
        X, change, R = v["X"], v["W"] - v["W~"], v["B_X"]
        lhs = f.largest(abs(X @ v["W"] @ f.turned(X) - X @ v["W~"] @ f.turned(X)), 2)
        size = f.tokens(change.reshape(*change.shape[:-2], 1, -1))
        either = {"a": R * f.tokens(X @ f.turned(change)), "b": R * f.tokens(X @ change)}
        least = f.value_of([Step("least", "", Min(Symbol("a"), Symbol("b")), "")], either)
        scale = R * R * v["B_QK_F"]
        return {"score printed": (lhs, size * R * R, scale), "either": (lhs, least, scale)}

    return f.Inequality(variables, {"B_X": (-2, 2), "B_QK_F": (-2, 2)}, sides)


# --- architectures: what the calculus says of them ---------------------------------------------------------------


def _tf_head(route: Route, **sizes: Any) -> Module:
    return section_4.head(Setting(), route)


def _positions(route: Route, **sizes: Any) -> Module:
    return compose(Offset(Symbol("B_P")), section_4.head(Setting(), route))


def _heads(route: Route, H: int, **sizes: Any) -> Module:
    return Heads(tuple(section_4.head(Setting(), route, h) for h in range(1, H + 1)))


def _equal_heads(route: Route, **sizes: Any) -> Module:
    return EqualHeads(Symbol("H"), section_4.head(Setting(), route))


def _network(route: Route, L: int, **sizes: Any) -> Module:
    names = ("V", "QK", "C", "V_inf", "QK_inf", "C_inf")
    return networks.network(route, [{n: Indexed(f"B_{n}", i) for n in names} for i in range(1, L + 1)])


def _equal_layers(route: Route, L: int, **sizes: Any) -> Module:
    names = ("V", "QK", "C")
    layer = {n: Symbol("C_2") for n in names} | {f"{n}_inf": Symbol("C_inf") for n in names}
    return networks.network(route, [layer] * L, width=Symbol("d"))


ONE_HEAD = {**dict.fromkeys(("B_X", "B_V", "B_QK_inf", "L_sigma"), (-1.5, 1.5)), "B_V_inf": (-1, 2)}
DEEP_NORMS = tuple(f"B_{n}{suffix}" for n in ("V", "QK", "C") for suffix in ("", "_inf"))
# module of a route, radius of the tokens, decades of the bounds, and the names of which there is one per head or layer
ARCHITECTURES: dict[str, tuple[Callable[..., Module], Expr, Mapping[str, Any], tuple[str, ...]]] = {
    "edelman2022/4.4": (_tf_head, Symbol("B_X"), ONE_HEAD, ()),
    "edelman2022/A.11": (_positions, Symbol("B_X"), {**ONE_HEAD, "B_P": (-1.5, 1.5)}, ()),
    "edelman2022/A.12": (_heads, Symbol("B_X"), ONE_HEAD, ("B_V", "B_V_inf", "B_QK_inf")),
    "edelman2022/A.12-equal-heads": (_equal_heads, Symbol("B_X"), ONE_HEAD, ()),
    "edelman2022/A.17": (
        _network, Integer(1),
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


TARGETS = {"moved": "log_N {}", "radius": "radius {}", "reach": "reach {}"}


def architecture(f: Any, key: str, sharp: bool, sigma: str, **sizes: int) -> Any:
    make, radius, decades, listed = ARCHITECTURES[key]
    number = sizes.get("H", 0) or sizes.get("L", 0)
    bounds = {name: [d] * number if name in listed else d for name, d in decades.items()}
    if not sharp:
        bounds["kappa"] = 2
    whole = f.inequality(make(SHARP if sharp else PAPER, **sizes), radius, sizes, bounds, sigma)
    form = "sharp" if sharp else "derived"

    def sides(v: Any) -> Any:
        return {TARGETS[target].format(form): side for target, side in whole.sides(v).items()}

    return replace(whole, sides=sides, still=tuple(TARGETS[target].format(form) for target in whole.still))


# --- which statements, at which sizes ----------------------------------------------------------------------------


def _sized(names: str, *rows: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(dict(zip(names.split(), row, strict=True)) for row in rows)


def _perturbed(key: str, names: str, *rows: tuple[Any, ...]) -> Statement:
    """The rows with the activation last, by the paper's route and by the sharp one."""
    cases = tuple({**case, "sharp": sharp} for case in _sized(f"{names} sigma", *rows) for sharp in (False, True))
    return Statement(partial(architecture, key=key), cases, "weights and tokens together")


CLASSES = _sized("p", (1,), (2,), (5,), (64,))
GENERAL = _sized("T k sigma", (2, 1, "identity"), (2, 3, "relu"), (5, 2, "tanh"), (40, 1, "identity"))
# two tokens, one feature and many tokens, one token, more features than tokens, wide values
LAYERS = ((2, 1, 1), (64, 1, 1), (1, 3, 2), (4, 2, 2), (3, 12, 2), (4, 2, 12))
UNIT = _sized("T d k unit", (2, 2, 2, True), (6, 2, 2, True), (128, 2, 2, True))
BLOCKS = _sized("T d k sigma", (2, 1, 1, "identity"), (24, 1, 2, "relu"), (1, 3, 2, "abs"), (4, 2, 3, "tanh"))
HEADS = ((2, 1, "identity"), (20, 1, "relu"), (4, 3, "identity"))
SEVERAL = ((2, 1, 2, "identity"), (5, 2, 3, "relu"))
SCORES = _sized("T d", (1, 1), (2, 5), (32, 2))

STATEMENTS: dict[str, Statement] = {
    "edelman2022/4.2": Statement(
        partial(general, resolutions=True), GENERAL, "scores and values within their resolutions",
        {form: (("eps_score", form), ("eps_in", form)) for form in ("printed", "derived")},
    ),
    "edelman2022/4.3": Statement(general, GENERAL, "scores and values of a general head"),
    "edelman2022/A.6": Statement(jacobian, _sized("p", (2,), (3,), (16,)), "softmaxes of linear maps"),
    "edelman2022/A.7": Statement(partial(softmax_pair, key="edelman2022/A.7"), CLASSES, "pairs of score vectors"),
    "edelman2022/A.9": Statement(projection, _sized("d", (1,), (2,), (5,), (64,)), "pairs of vectors"),
    "edelman2022/A.13": Statement(layer_weights, _sized("T d k", *LAYERS), "weights of one layer"),
    "edelman2022/A.14": Statement(
        partial(layer_input, key="edelman2022/A.14"), _sized("T d k", *LAYERS) + UNIT, "tokens of one layer"
    ),
    "edelman2022/A.15": Statement(block, BLOCKS, "weights and tokens of one block"),
    "edelman2022/A.16": Statement(readout, _sized("d", (1,), (3,), (64,)), "read-outs and tokens"),
    "maurey/softmax": Statement(partial(softmax_pair, key="maurey/softmax"), CLASSES, "pairs of score vectors"),
    "maurey/attention": Statement(
        partial(layer_input, key="maurey/attention"), _sized("T d k", *LAYERS) + UNIT, "tokens of one layer"
    ),
    "maurey/score": Statement(scores, SCORES, "score matrices, as outer products", {"either": ()}),
    "maurey/orientation": Statement(
        scores, SCORES, "score matrices, as either of two vectors", {"score printed": (), "either": (("", "printed"),)}
    ),
    "edelman2022/4.4": _perturbed("edelman2022/4.4", "T d", *HEADS),
    "edelman2022/A.11": _perturbed("edelman2022/A.11", "T d", *HEADS),
    "edelman2022/A.12": _perturbed("edelman2022/A.12", "T d H", *SEVERAL),
    "edelman2022/A.12-equal-heads": _perturbed("edelman2022/A.12-equal-heads", "T d H", *SEVERAL),
    "edelman2022/A.17": _perturbed(
        "edelman2022/A.17", "T d k L", (2, 1, 1, 1, "identity"), (2, 1, 1, 2, "identity"), (4, 2, 3, 2, "relu")
    ),
    "edelman2022/4.6": _perturbed("edelman2022/4.6", "T d L", (2, 1, 1, "identity"), (4, 2, 2, "relu")),
}  # fmt: skip


# --- the checks --------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What all cases together say of one target."""

    effective: int = 0
    best: Any = None  # the instance with the largest ratio, and
    case: Case = field(default_factory=dict)  # the case it belongs to
    groups: dict[str, float] = field(default_factory=dict)
    unit: dict[int, float] = field(default_factory=dict)  # by sequence length, where all bounds are 1

    def add(self, effective: int, found: Any, case: Case) -> None:
        self.effective += effective
        if self.best is None or found.rank() > self.best.rank():
            self.best, self.case = found, case


def tally(
    key: str, effort: Effort, cases: tuple[Case, ...] = (), statement: Statement | None = None
) -> dict[str, Tally]:
    """Attack every case; a target is found under its name."""
    f, statement = tools(), statement or STATEMENTS[key]
    found: dict[str, Tally] = {}
    steps = STEPS * (1 + effort.scale.bit_length() // 2)
    for n, case in enumerate(cases or (*statement.cases, *_larger(statement.cases[-1], effort))):
        T = case.get("T", 1)
        starts = min(STARTS * effort.scale * LONG // max(LONG, T), MOST_SCORES // T**2)
        outcome = f.attack(statement.build(f, **case), starts, steps, 1000 * effort.seed + n)
        for target, effective in outcome.effective.items():
            t = found.setdefault(target, Tally())
            if target in outcome.best:
                t.add(effective, outcome.best[target], case)
                if case.get("unit"):
                    t.unit[case["T"]] = outcome.best[target].ratio
        for (target, group), ratio in outcome.tightness.items():
            found[target].groups[group] = max(ratio, found[target].groups.get(group, 0.0))
    return found


def _larger(case: Case, effort: Effort) -> Iterator[Case]:
    """Beyond `quick`, the last case again with its first size multiplied."""
    if effort.scale > 1:
        name = next(iter(case))
        yield {**case, name: min(case[name] * effort.scale, LONGEST)}


def examine(key: str, effort: Effort, statement: Statement | None = None) -> list[Result]:
    statement = statement or STATEMENTS[key]
    try:
        found = tally(key, effort, statement=statement)
    except ModuleNotFoundError as missing:
        return [Result("undecided", "tested", f"{missing.name} is not installed: pip install maurey[train]")]
    for target, case, found_before in kept(key, statement):
        if target in found:
            found[target].add(1, found_before, case)
    merged: dict[tuple[str, str], list[tuple[str, Tally]]] = {}
    for target, t in found.items():
        for spoken in statement.forms_of(target):
            merged.setdefault(spoken, []).append((target, t))
    return [_result(key, part, form, of, statement) for (part, form), of in merged.items()]


def _result(key: str, part: str, form: str, of: list[tuple[str, Tally]], statement: Statement | None = None) -> Result:
    """The first target is the movement itself; others (radii) must hold too."""
    statement = statement or STATEMENTS[key]
    instances, main = of[0][1].effective, of[0][1]
    if not all(t.best for _, t in of):
        return Result("undecided", "tested", "No instance met the hypotheses.", part=part, form=form)
    target, worst = max(of, key=lambda entry: entry[1].best.rank())
    witness = {"target": target, "case": dict(worst.case), **worst.best.instance}
    if worst.best.refuted:
        f = tools()
        inequality = statement.build(f, **worst.case)
        lhs, rhs = map(_digits, f.enclosed(inequality, worst.best.instance, target))
        at = inequality.point(f.in_balls(inequality, worst.best.instance))
        witness |= {"at": {name: _digits(f.to_arb(x)) for name, x in at.items()}} if at else {}
        note = f"An instance that meets the hypotheses exactly has {lhs} where at most {rhs} is allowed."
        ratio = worst.best.ratio
        return Result("fails", "refuted", note, instances, ratio, witness, part, form, rhs, lhs)
    if worst.best.refuted is None:
        note = "Floats find a violation that ball arithmetic neither confirms nor excludes."
        return Result("undecided", "tested", note, instances, worst.best.ratio, witness, part, form)
    alone = ", ".join(f"{group.rstrip('~')} {ratio:.3f}" for group, ratio in main.groups.items() if group != "all")
    terms = f" (moved alone: {alone})" if len(main.groups) > 1 else ""
    if main.unit:
        terms = f" (with all bounds 1: {', '.join(f'{ratio:.3f} at T = {T}' for T, ratio in main.unit.items())})"
    note = f"{instances} attacks on {statement.about}, none beyond the bound{terms}."
    tightness = min(1.0, main.best.ratio)  # a tie may come out a rounding error above 1
    return Result("holds", "tested", note, instances, tightness, None, part, form)


def _digits(x: Any) -> str:
    text: str = x.str(15, radius=False)
    return text


for _key in STATEMENTS:
    check(_key)(partial(examine, _key))


# --- kept instances ----------------------------------------------------------------------------------------------


def path_of(key: str) -> Path:
    return INSTANCES / f"{key.replace('/', '__')}.json"


def kept(key: str, statement: Statement | None = None) -> Iterator[tuple[str, Case, Any]]:
    """The stored instances, evaluated again: target, case, what was found."""
    if path_of(key).exists():
        f, statement = tools(), statement or STATEMENTS[key]
        for entry in json.loads(path_of(key).read_text()):
            inequality = statement.build(f, **entry["case"])
            yield entry["target"], entry["case"], f.examined(inequality, entry["target"], entry["instance"])


def keep(key: str, effort: Effort) -> None:
    """Search, and store the best small instance of every target."""
    f, entries = tools(), []
    small = [c for c in STATEMENTS[key].cases if max(n for n in c.values() if isinstance(n, int)) <= SMALL]
    for target, t in tally(key, effort, tuple(small)).items():
        _, ratio = f.confirm(STATEMENTS[key].build(f, **t.case), t.best.instance, target)
        entries.append({"target": target, "case": dict(t.case), "ratio": ratio, "instance": t.best.instance})
    path_of(key).write_text(json.dumps(entries) + "\n")
