"""Both papers' bounds, and counting parameters, for the same network and weights: which is the smallest, and where.

All matrices have spectral norm 1, so that layers amplify errors alike and the weights differ only in the norms that the
covers ask for. Norms are measured and rounded up; the class of a bound then holds the weights.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import groupby, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from maurey.numeric.balls import enclose
from maurey.numeric.compare import Comparison, compare
from maurey.numeric.types import Array
from maurey.paper_tables.exhibits import Exhibit, Progress, Series
from maurey.paper_tables.page import Shown
from maurey.symbolic import registry

from .figure import draw

__all__ = ["draw", "make"]

FORMS = ("printed", "derived", "sharp")
CAPACITIES = (
    "edelman2022/A.17:log_N", "trauger2024/4.2.1:log_N", "trauger2024/F.0.1:log_N", "trauger2024/F.0.2:log_N",
    "trauger2024/S2.5:log_N_network",
)  # fmt: skip
GAPS = (
    "edelman2022/A.17:gap", "trauger2024/4.2.1:gap", "trauger2024/F.0.1:gap", "trauger2024/F.0.2:gap",
    "trauger2024/S2.5:gap_network",
)  # fmt: skip
IN_L2 = (CAPACITIES[0], CAPACITIES[1], CAPACITIES[-1])  # tokens bounded in l2; an l1 bound would grow with d
ONE_LAYER = ("trauger2024/4.1.1", "trauger2024/D.0.1", "trauger2024/D.0.2")
SHAPES = ("trauger2024/S2.5:norms", "trauger2024/S2.5:counting")
LINEAR = ("trauger2024/S2.5:log_N_norms", "trauger2024/S2.5:log_N_counting")
ABOVE = Context(prec=6, rounding=ROUND_CEILING)
Network = dict[str, Array]  # by name: V is d x k, QK d x d, C k x d, w of length d

# --- weights ---------------------------------------------------------------------------------------------------------


def _gaussian(rng: np.random.Generator, shape: tuple[int, int], _: int) -> Array:
    return rng.normal(size=shape)


def _orthogonal(rng: np.random.Generator, shape: tuple[int, int], _: int) -> Array:
    q, _r = np.linalg.qr(rng.normal(size=(max(shape), max(shape))))
    return q[: shape[0], : shape[1]]


def _sparse(rng: np.random.Generator, shape: tuple[int, int], nonzeros: int) -> Array:
    M = np.zeros(shape)
    M.flat[rng.choice(M.size, nonzeros, replace=False)] = rng.normal(size=nonzeros)
    return M


def _rank_one(rng: np.random.Generator, shape: tuple[int, int], _: int) -> Array:
    return np.outer(rng.normal(size=shape[0]), rng.normal(size=shape[1]))


KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int], int], Array]] = {
    "Gaussian": _gaussian, "orthogonal": _orthogonal, "sparse": _sparse, "rank one": _rank_one,
}  # fmt: skip


def layers(kind: str, d: int, k: int, L: int, nonzeros: int, seed: int) -> list[Network]:
    rng = np.random.default_rng([seed, d, k, L])
    shapes = {"V": (d, k), "QK": (d, d), "C": (k, d), "w": (d, 1)}
    drawn = [{name: KINDS[kind](rng, shape, nonzeros) for name, shape in shapes.items()} for _ in range(L)]
    return [{name: M / np.linalg.norm(M, 2) for name, M in layer.items()} for layer in drawn]


@cache
def measured(kind: str, d: int, k: int, L: int, nonzeros: int, seed: int) -> dict[str, str]:
    return norms(layers(kind, d, k, L, nonzeros, seed))


def norms(network: Sequence[Network]) -> dict[str, str]:
    """What the claims call them: the largest over the layers, rounded up. A.17 bounds columns of W_V, W_KW_Q^T and W_C;
    Lemmas 3.3 and 3.4 the columns of the maps W_V^T, W_QK, W_C^T and w^T; Theorem 4.1 those of one layer's maps."""

    def columns(M: Array) -> Array:
        return np.linalg.norm(M, axis=0)

    maps = [{"V": n["V"].T, "QK": n["QK"], "C": n["C"].T, "w": n["w"].T} for n in network]
    every = [M for n in maps for M in n.values()]
    found = {
        "B_V": [1.0], "B_QK": [1.0], "B_C": [1.0], "B_w": [1.0],
        "B_V_inf": [columns(n["V"]).max() for n in network],
        "B_QK_inf": [columns(n["QK"].T).max() for n in network],
        "B_C_inf": [columns(n["C"]).max() for n in network],
        "B_W_11": [np.abs(M).sum() for M in every],
        "B_W_1inf": [np.abs(M).sum(axis=0).max() for M in every],
        "B_W_21": [columns(M).sum() for M in every],
        "B_X_1": [np.sqrt(network[0]["QK"].shape[0])],
        "B_w_1": [np.abs(network[-1]["w"]).sum()],
        "B_V_1inf": [np.abs(maps[0]["V"]).sum(axis=0).max()],
        "B_C_1inf": [np.abs(maps[0]["C"]).sum(axis=0).max()],
        "B_QK_11": [np.abs(maps[0]["QK"]).sum()],
        "B_QK_1inf": [np.abs(maps[0]["QK"]).sum(axis=0).max()],
        "B_QK_21": [columns(maps[0]["QK"]).sum()],
    }  # fmt: skip
    return {name: str(ABOVE.create_decimal(Decimal(float(max(values))))) for name, values in found.items()}


# --- comparisons -----------------------------------------------------------------------------------------------------


def _compared(
    keys: Sequence[str], form: str, over: tuple[str, Any, Any], at: dict[str, Any], points: int
) -> Comparison:
    """Those of the claims that have the form, each with the names it knows."""
    having = [key for key in keys if form in registry.find(key.partition(":")[0]).part(key.partition(":")[2]).forms]
    known = {p.name for key in having for p in registry.find(key.partition(":")[0]).names}
    values = {name: value for name, value in at.items() if name in known and name != over[0]}
    return compare(having, over, values, [form], points)


def _short(label: str) -> str:
    """edelman2022/A.17:log_N sharp -> A.17."""
    number = label.partition("/")[2].partition(" ")[0].partition(":")[0]
    return "counting" if number == "S2.5" and "norms" not in label else "norms" if number == "S2.5" else number


def _range(first: object, last: object) -> str:
    return f"{first}" if first == last else f"{first} to {last}"


def _winners(found: Comparison) -> str:
    return "; ".join(
        f"{_short(w.label)} for {found.over} = {_range(_number(w.start), _number(w.end))}" for w in found.winners
    )


def _crossovers(found: Comparison) -> str:
    told = [
        f"{_short(c.below_after)} below {_short(c.below_before)} from {_number(c.at[1])}"
        + ("" if c.certified else " (undecided)")
        for c in found.crossovers
    ]
    return "; ".join(told) or "none"


def _number(x: Fraction) -> str:
    return f"{float(x):.7g}"


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    rows: list[list[str]] = []
    drawn: dict[str, Comparison] = {}
    work = list(_work(config))
    for done, (name, weights, quantity, form, run) in enumerate(work):
        progress(done, len(work))
        found = run()
        if isinstance(found, Comparison):
            drawn[name] = found
            rows.append([weights, quantity, found.over, form, _winners(found), _crossovers(found)])
        else:
            rows.append([weights, quantity, "d", form, *found])
    own = {kind: _norms(config, kind) for kind in KINDS}
    return Exhibit(
        title="Both papers' bounds and parameter counting on the same network: which is the smallest",
        question="When is a bound by norms below counting parameters?",
        answer=_answer(drawn, own),
        verdict=_verdict(config, own, drawn, rows),
        caption="Log covering numbers of the same network, in the forms that are proved. Left: the norms of sparse "
        "weights are kept and the width grows. Right: all spectral norms 1, and a bound on every (1,1) norm that "
        "shrinks to the left; the dotted lines are those of weights drawn at random.",
        shown=Shown(SHOWN, [[kind, form, *_smallest(rows, kind, form)] for kind, form in product(KINDS, FORMS[1:])]),
        notes=_notes(config, own),
        columns=["weights", "quantity", "over", "form", "smallest", "certified crossovers"],
        rows=rows,
        series=Series(["over", "bound", "form", "at", "log10"], list(_points(drawn, own))),
        parameters=config,
    )


# --- the page --------------------------------------------------------------------------------------------------------

DRAWN = {"d": "fixed", "B": "network"}  # the axis and the comparison it shows
SHOWN = {
    "weights": "two layers of matrices like this, of spectral norm 1",
    "form": "",
    "over T": "the smallest log covering number of A.17, 4.2.1, F.0.1, F.0.2 and counting, and where",
    "over L": "",
    "over d": "norms measured anew at every width",
}


def _smallest(rows: list[list[str]], weights: str, form: str) -> list[str]:
    """Along each axis."""
    found = {row[2]: row[4] for row in rows if (row[0], row[1], row[3]) == (weights, "log N", form)}
    return [found[axis] for axis in ("T", "L", "d")]


def _points(drawn: dict[str, Comparison], own: dict[str, dict[str, str]]) -> Iterator[list[str]]:
    """Curves, crossovers of the two smallest, and the norms of weights that were drawn."""
    for (axis, name), form in product(DRAWN.items(), FORMS[1:]):
        found = drawn[f"{name} {form}"]
        x = np.array([float(at) for at in found.at])
        for curve in found.curves:
            for at, y in zip(x, curve.log10, strict=True):
                if y is not None:
                    yield [axis, _short(curve.label), form, f"{at:.6g}", f"{y:.4f}"]
        for before, after in pairwise(found.winners):
            at = float((before.end + after.start) / 2)
            (y,) = (np.interp(np.log(at), np.log(x), np.array(c.log10, dtype=float)) for c in found.curves
                    if c.label == after.label)  # fmt: skip
            yield [axis, _short(after.label), "crossover", f"{float(after.start):.6g}", f"{y:.4f}"]
    for kind, at in own.items():
        yield ["weights", kind, "", at["B_W_11"], ""]


def _answer(drawn: dict[str, Comparison], own: dict[str, dict[str, str]]) -> str:
    wide = {form: next((w.start for w in drawn[f"fixed {form}"].winners if _short(w.label) != "counting"), None)
            for form in FORMS[1:]}  # fmt: skip
    small = {form: next((w.end for w in drawn[f"network {form}"].winners if _short(w.label) != "counting"), None)
             for form in FORMS[1:]}  # fmt: skip
    from_width = " and ".join(f"{float(d):,.0f} ({form})" for form, d in wide.items() if d is not None) or "none"
    to_norm = " and ".join(f"{float(B):.2g} ({form})" for form, B in small.items() if B is not None) or "none"
    least = min(float(at["B_W_11"]) for at in own.values())
    return (
        f"With sparse weights whose norms are kept, from width {from_width} on; at width 64 up to (1,1) norms of "
        f"{to_norm}, where the smallest of the weights that were drawn have {least:.1f}."
    )


def _verdict(
    config: dict[str, Any], own: dict[str, dict[str, str]], drawn: dict[str, Comparison], rows: list[list[str]]
) -> list[str]:
    return [
        "The paper shows no numbers; it argues that counting becomes vacuous with over-parameterisation while norms do "
        "not (section 2.5)",
        "For the weights drawn here, norms measured anew at every width, a proved bound by norms is the smallest only "
        f"for: {_norm_based(rows)}",
    ]


# --- rows ------------------------------------------------------------------------------------------------------------


def _norms(config: dict[str, Any], kind: str, d: int | None = None) -> dict[str, str]:
    network = config["network"]
    d = d or network["d"]
    return measured(kind, d, d, network["L"], config["nonzeros"], config["seed"])


Work = tuple[str, str, str, str, Callable[[], "Comparison | list[str]"]]


def _work(config: dict[str, Any]) -> Iterator[Work]:
    """What is compared, each under the name by which the figure finds it."""
    base, points = config["network"] | {"eps": config["resolution"]}, config["points"]
    over = {name: (name, *ends) for name, ends in config["over"].items()}
    at = {kind: base | _norms(config, kind) for kind in KINDS}
    for kind, form in product(KINDS, FORMS):
        for axis in ("T", "L"):
            run = partial(_compared, CAPACITIES, form, over[axis], at[kind], points)
            yield f"{kind} {axis} {form}", kind, "log N", form, run
        yield f"{kind} d {form}", kind, "log N", form, partial(_over_width, config, kind, form)
        if form != "printed":
            yield f"{kind} m {form}", kind, "gap", form, partial(_compared, GAPS, form, over["m"], at[kind], points)
        run = partial(_compared, ONE_LAYER, form, over["m"], at[kind], points)
        yield f"{kind} layer {form}", kind, "complexity of one layer", form, run
    for form in FORMS[1:]:
        run = partial(_compared, IN_L2, form, over["d"], at["sparse"], points)
        yield f"fixed {form}", f"sparse, norms and k = {base['k']} kept", "log N", form, run
        run = partial(_compared, IN_L2[1:], form, over["B_W_11"], at["sparse"], points)
        yield f"network {form}", "spectral norms 1", "log N", form, run
    for d in config["linear"]["d"]:
        linear = {"d": d, "k": d, "B_X": 1, "eps": config["resolution"], "m": base["m"]}
        shapes = partial(_compared, SHAPES, "printed", ("B_W_11", 2, over["B_W_11"][2]), linear, points)
        yield f"linear {d} printed", f"linear maps, d = k = {d}", "complexity", "printed", shapes
        covers = partial(_compared, LINEAR, "derived", over["B_W_11"], linear, points)
        yield f"linear {d} derived", f"linear maps, d = k = {d}", "log N", "derived", covers


def _over_width(config: dict[str, Any], kind: str, form: str) -> list[str]:
    """The smallest bound at each width, norms measured anew; and between which widths it changes."""
    best = []
    for d in config["widths"]["d"]:
        at = config["network"] | {"eps": config["resolution"], "d": d, "k": d} | _norms(config, kind, d)
        values = {}
        for key in CAPACITIES:
            name, _, part = key.partition(":")
            claim = registry.find(name)
            if form in claim.part(part).forms:
                known = {p.name for p in claim.names}
                values[_short(key)] = enclose(claim, form, part, 8, **{n: v for n, v in at.items() if n in known})
        first, second = sorted(values, key=lambda label: values[label].value)[:2]
        certain = values[first].upper < values[second].lower
        best.append((d, first if certain else f"{first} or {second}"))
    changes = [f"{b} below {a} between {d} and {e}" for (d, a), (e, b) in pairwise(best) if a != b]
    runs = [[d for d, _ in run] + [label] for label, run in groupby(best, key=lambda entry: entry[1])]
    return ["; ".join(f"{run[-1]} for d = {_range(run[0], run[-2])}" for run in runs), "; ".join(changes) or "none"]


def _norm_based(rows: list[list[str]]) -> str:
    """Where something else than counting wins against it, among the forms that are proved and the weights drawn."""
    found = [
        f"{row[0]} over {row[2]}, {row[3]}"
        for row in rows
        if row[0] in KINDS and row[1] in ("log N", "gap") and row[3] != "printed"
        if any(not winner.startswith("counting") for winner in row[4].split("; "))
    ]
    return "; ".join(found) or "none"


def _notes(config: dict[str, Any], measured: dict[str, dict[str, str]]) -> list[str]:
    network = ", ".join(f"{k} = {v}" for k, v in config["network"].items())
    sums = ", ".join(f"{kind} {at['B_W_11']}" for kind, at in measured.items())
    return [
        f"Network: {network}; all spectral norms 1, tokens of norm 1; resolution {config['resolution']}. log N: log "
        "covering number of the scalar output; gap: generalization gap. Printed forms, in the CSV, with C0 = 1.",
        f"Seed {config['seed']}; one draw of each kind; a sparse matrix has {config['nonzeros']} entries. Norms of "
        "trained networks: the exhibits edelman2022/trained and trauger2024/trained.",
        "Crossovers are certified: ball arithmetic decides the order on both sides. Over d the norms are those of "
        f"weights drawn at each width, unless they are said to be kept. Measured (1,1) norms: {sums}.",
        "The sharp covers of an l1 ball count lattice points, which is itself counting where the resolution is fine: "
        "the sharp Corollary 4.2.1 therefore never leaves counting far behind.",
    ]
