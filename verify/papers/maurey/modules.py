"""Modules of real Transformers: slopes of activations by ball arithmetic, norms, gates and heads under attack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from flint import arb, ctx
from sympy import Integer, Symbol

from maurey.numeric.evaluation import value
from maurey.symbolic.modules import LayerNorm, Module, MultiHead, matrices_of
from maurey.symbolic.norms import Matrix
from maurey.symbolic.papers.maurey.modules import GATED
from maurey.verify.attack.forwards import forward, tokens
from maurey.verify.attack.inequality import Inequality, Sides, Values, Variable
from maurey.verify.attack.sensitivity import far_enough
from maurey.verify.attack.statements import Statement, examine, sized, stated
from maurey.verify.checks import Effort, Result, check

ACTIVATIONS = "maurey/activations"

# --- slopes -----------------------------------------------------------------------------------------------------------

END = 16  # from here on slopes are below the first bound of the tail, which falls
CELLS = 10_000
Slopes = Callable[[arb], tuple[arb, arb]]  # the first and the second derivative, u >= 0


def gelu(u: arb) -> tuple[arb, arb]:
    density = (-u * u / 2).exp() / (2 * arb.pi()).sqrt()
    return (1 + (u / arb(2).sqrt()).erf()) / 2 + u * density, (2 - u * u) * density


def gelu_tanh(u: arb) -> tuple[arb, arb]:
    c, k = (2 / arb.pi()).sqrt(), arb(44715) / 1_000_000
    t, z1, z2 = (c * (u + k * u**3)).tanh(), c * (1 + 3 * k * u * u), 6 * c * k * u
    rest = 1 - t * t
    return (1 + t) / 2 + u / 2 * rest * z1, rest * z1 + u / 2 * rest * (z2 - 2 * t * z1 * z1)


def silu(u: arb) -> tuple[arb, arb]:
    s = 1 / (1 + (-u).exp())
    return s * (1 + u * (1 - s)), s * (1 - s) * (2 + u * (1 - 2 * s))


FUNCTIONS: dict[str, Slopes] = {"gelu": gelu, "gelu_tanh": gelu_tanh, "silu": silu}


def largest_slope(slopes: Slopes, bound: arb) -> tuple[bool, arb]:
    """Whether no slope on [0, END] is above the bound, certainly, and the largest that was met. On a cell around its
    middle a slope is at most that at the middle and the radius times the second derivative."""
    cells, best, seen = [(arb(0), arb(END))], arb(0), 0
    while cells and seen < CELLS:
        (low, high), seen = cells.pop(), seen + 1
        middle, radius = (low + high) / 2, (high - low) / 2
        whole = arb(middle.mid(), radius.upper())
        at = slopes(middle)[0]
        best = best.max(at)
        if not (at + radius * abs(slopes(whole)[1]) <= bound or slopes(whole)[0] <= bound):
            cells += [(low, middle), (middle, high)]
    return not cells, best


@check(ACTIVATIONS)
def slopes(effort: Effort) -> Iterator[Result]:
    """f'(u) + f'(-u) = 1, so that the slopes for u < 0 are those for u > 0, turned around. Beyond the end all three are
    at most 1 + 4 u^4 exp(-u), which falls there."""
    for name, function in FUNCTIONS.items():
        with ctx.workprec(256):
            bound = value(ACTIVATIONS, "printed", name, {"Delta": 1})
            held, best = largest_slope(function, bound)
            held = held and 1 + 4 * arb(END) ** 4 * (-arb(END)).exp() <= bound
            tightness = float(best / bound)
        if not held:
            yield Result("undecided", "tested", f"no slope was found above {tightness:.6g} of it", part=name)
            continue
        note = "certified cell by cell on [0, 16] and by a bound that falls beyond; slopes at u and -u sum to 1"
        yield Result("holds", "proved", note, tightness=min(1.0, tightness), part=name)


# --- norms, gates, heads ----------------------------------------------------------------------------------------------


def layer_norm(d: int, centred: bool, key: str) -> Inequality:
    """Two tokens; what the second constant assumes is met or not, and it says nothing where not."""
    variables = {"X": Variable((1, d), {"rows": "B_X"}), "X~": Variable((1, d), {"rows": "B_X"}, near="X")}
    norm = LayerNorm(Integer(d), Symbol("eps_LN"), centred=centred)
    least = replace(norm, least=Symbol("r"))

    def sides(v: Values) -> Sides:
        X, Y = v["X"], v["X~"]
        a, b = (forward(norm, {}, x, v) for x in (X, Y))
        met = far_enough(least, X, v) * far_enough(least, Y, v)
        spread, step = (tokens(x - x.sum(-1)[..., None] / d if centred else x) for x in (X, X - Y))
        moved, size = tokens(a - b), tokens(a)
        at = {"d": moved * 0 + d, "Delta": tokens(X - Y), "r": v["r"], "eps_LN": v["eps_LN"], "B_X": v["B_X"]}
        near = step < 0.999 * (spread * spread + d * v["eps_LN"]) ** (0.5 if hasattr(spread, "dim") else arb(0.5))
        short = step * near if hasattr(step, "dim") else step if near else step * 0
        found = stated(key, moved, size, at | {"spread": spread, "step": short})
        lhs, rhs, scale = found["far printed"]
        found["far printed"] = lhs * met, rhs * met, scale
        lhs, rhs, scale = found["chord printed"]
        found["chord printed"] = (
            (lhs * near, rhs, scale) if hasattr(near, "dim") else (lhs if near else lhs * 0, rhs, scale)
        )
        found["radius printed"] = size, found["radius printed"][1], size
        return found

    return Inequality(variables, {"B_X": (-1, 1), "eps_LN": (-3, 0), "r": (-1.5, 0)}, sides)


def two_inputs(module: Module, sizes: dict[str, int], bounds: dict[str, Any], key: str, moved: str) -> Inequality:
    """Of a module with its weights: lengths, and movements with the input."""
    numbers = {Symbol(n): size for n, size in sizes.items()}
    shape = (sizes["T"], sizes["d"])
    variables = {"X": Variable(shape, {"rows": "B_X"}), "X~": Variable(shape, {"rows": "B_X"}, near="X")}
    labels = matrices_of(module)
    for name, M in labels.items():
        norms = {kind: b for kind in ("spectral", "rows") if (b := getattr(M, kind)) is not None}
        sides_of = tuple(int((Integer(1) * n).subs(numbers)) for n in (M.outputs, M.inputs))
        variables[name] = Variable(sides_of, norms)

    def sides(v: Values) -> Sides:
        a, b = (forward(module, v, v[x], v | {n: v["B_X"] * 0 + s for n, s in sizes.items()}) for x in ("X", "X~"))
        at = {name: v[name] for name in ("B_X", *bounds)} | {"Delta": tokens(v["X"] - v["X~"])}
        at |= {n: tokens(a) * 0 + s for n, s in sizes.items() if n in ("H", "k")}
        found = stated(key, tokens(a - b), tokens(a), at)
        size = tokens(a)
        kept = {f"{moved} printed": found[f"{moved} printed"]}
        return kept | {"radius printed": (size, found["radius printed"][1], size)}

    return Inequality(variables, {"B_X": (-1, 1), **bounds}, sides)


def gated(T: int, d: int, k: int) -> Inequality:
    bounds = {f"B_{n}": (-1, 1) for n in ("G", "U", "D", "G_rows", "U_rows")}
    return two_inputs(GATED, {"T": T, "d": d, "k": k}, bounds, "maurey/gated", "moved")


def heads(T: int, d: int, H: int, k: int, turned: bool) -> Inequality:
    def M(name: str, outputs: int, inputs: int) -> Matrix:
        return Matrix(name, name, outputs, inputs, spectral=Symbol(f"B_{name}"))

    module = MultiHead(
        query=M("Q", H * k, d), key=M("K", H * k, d), value=M("V", H * k, d), output=M("O", d, H * k),
        heads=Integer(H), width=Integer(k), query_bias=M("Q_bias", H * k, 1), key_bias=M("K_bias", H * k, 1),
        rotary=Integer(10000) if turned else None,
    )  # fmt: skip
    bounds = {f"B_{n}": (-1.5, 1) for n in ("Q", "K", "V", "O", "Q_bias", "K_bias")}
    sizes = {"T": T, "d": d, "H": H, "k": k}
    return two_inputs(module, sizes, bounds, "maurey/heads", "turned" if turned else "moved")


RADIUS = {"radius printed": (("radius", "printed"),)}
STATEMENTS = {
    "maurey/layernorm": Statement(
        partial(layer_norm, key="maurey/layernorm"), sized("d centred", (2, True), (1, False), (5, True), (3, False)),
        "tokens of a norm", RADIUS,
    ),
    "maurey/gated": Statement(gated, sized("T d k", (1, 1, 1), (1, 2, 3), (2, 4, 4)), "tokens of a gated MLP", RADIUS),
    "maurey/heads": Statement(
        heads,
        sized("T d H k turned", (2, 2, 1, 2, False), (4, 3, 2, 2, False), (2, 2, 1, 2, True), (4, 3, 2, 2, True)),
        "tokens of several heads", RADIUS,
    ),
}  # fmt: skip

for _key, _statement in STATEMENTS.items():
    check(_key)(partial(examine, _key, statement=_statement))
