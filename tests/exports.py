"""Exports of all forms for tests: through JSON, at random points, with a type of node spoiled."""

import json
import math
from functools import cache

import maurey
from maurey.numeric.walk import Undefined

TRIED = 12  # points, of which one must have a value
NODES = {  # every type that the registry has, with a form that has it
    "number": "edelman2022/A.8:minimum printed",
    "pi": "mousavi2025/6:width derived",
    "e": "edelman2022/2.2:gap sharp",
    "symbol": "edelman2022/A.6:moved printed",
    "entry": "edelman2022/A.8:minimum printed",
    "add": "edelman2022/4.4:log_N printed",
    "multiply": "edelman2022/A.6:moved printed",
    "power": "edelman2022/4.5:log_N printed",
    "min": "edelman2022/2.2:gap derived",
    "max": "edelman2022/A.17:log_N repaired",
    "ceiling": "edelman2022/A.10:log_N sharp",
    "log": "edelman2022/4.5:log_N printed",
    "exp": "edelman2022/sec2-linear-cover:N_inf derived",
    "tanh": "edelman2022/A.7:moved sharp",
    "binomial": "edelman2022/4.4:log_N derived",
    "ceil_log2": "maurey/online:columns printed",
    "inverse_kl": "lintilhac2026/E.2:risk sharp",
    "binomial_inverse": "clopper1934/upper:risk printed",
    "hypergeometric_inverse": "maurey/finite-pool:share printed",
    "mixture_inverse": "maurey/prequential:mixture printed",
    "erfc": "maurey/linear-head:loss printed",
    "sum": "edelman2022/4.6:log_N repaired",
    "product": "edelman2022/A.17:log_N printed",
    "integral": "dudley1967/integral:R printed",
    "cases": "edelman2022/4.4:log_N sharp",
    "case": "edelman2022/4.4:log_N sharp",
    "true": "edelman2022/4.4:log_N sharp",
    "<=": "maurey/lattice:lattice printed",
    "<": "lintilhac2026/2:risk derived",
    ">=": "edelman2022/4.4:log_N sharp",
    ">": "mousavi2025/41:log_P repaired",
    "=": "edelman2022/A.8:minimizer derived",
}
OTHERWISE = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": "<", "true": "<"}


@cache
def exported(key, part, form, sizes=()):
    """Through JSON, and nothing else."""
    found = maurey.claim(key).export(form, part, **dict(sizes))
    return json.loads(json.dumps(found, allow_nan=False))


def lengths(claim, at):
    lists = {p.index: len(at[p.name]) for p in claim.symbols if isinstance(at.get(p.name), list)}
    return lists | {name: int(at[name]) for name in (*lists, *claim.unrolled) if name in at}


def swept(claim, part, form, at):
    try:
        found = claim.sweep(form, part, **at)
    except (Undefined, maurey.InputError):
        return None
    return float(found.sign), float(found.log)


def close(found, expected):
    """In the logarithm of the value to base 10, and in its sign."""
    if expected[1] == -math.inf:
        return found[1] == -math.inf
    return found[0] == expected[0] and abs(found[1] - expected[1]) < 1e-9 * max(1, abs(expected[1]))


def nodes(tree):
    yield tree
    for branch in tree[1:]:
        if isinstance(branch, list):
            yield from nodes(branch)


def spoiled(tree, kind):
    """Nodes of that type are worth a thousandth more; conditions say something else."""
    if not isinstance(tree, list):
        return tree
    node = [tree[0], *(spoiled(branch, kind) for branch in tree[1:])]
    if node[0] != kind:
        return node
    if kind in OTHERWISE:
        return [OTHERWISE[kind], *node[1:]] if node[1:] else [OTHERWISE[kind], ["number", "1"], ["number", "1"]]
    return ["multiply", node, ["number", "1001/1000"]]
