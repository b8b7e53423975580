"""What the letters of a network of one's own stand for: what they are used for, whatever a paper calls so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sympy import Expr

from .claim import Parameter
from .modules import Module, Signal, parts_of
from .modules.tree import own_matrices
from .modules.words import in_latex
from .names import INTEGER, VOCABULARY

OWN = {
    p.name: p
    for p in (
        Parameter("d", "d", "embedding dimension", INTEGER),
        Parameter("k", "k", "inner dimension of a head", INTEGER),
        Parameter("d_ff", r"d_{\mathrm{ff}}", "width of the MLP", INTEGER),
        Parameter("n_out", r"n_{\mathrm{out}}", "number of outputs", INTEGER),
        Parameter("n_types", r"n_{\mathrm{types}}", "number of types of tokens", INTEGER),
        Parameter("n_experts", r"n_{\mathrm{experts}}", "number of experts", INTEGER),
        Parameter("d_p", "d_p", "numbers of a patch", INTEGER),
        Parameter("eps_LN", r"\varepsilon_{\mathrm{LN}}", "what a norm adds to the variance"),
        Parameter("margin", r"\gamma", "margin of the loss"),
        Parameter("cap", "c", "what the loss is cut at"),
        Parameter("bits", "b", "bits of a stored number", INTEGER),
    )
}
OF_BOUNDS = ("eps", "delta", "m", "bits")  # letters that a bound has itself
REAL, WIDTH = "positive real", "a width"
USES = {  # by module and field
    ("Layers", "number"): ("number of layers", INTEGER),
    ("MultiHead", "heads"): ("number of heads", INTEGER),
    ("MultiHead", "groups"): ("number of groups of heads that share keys and values", INTEGER),
    ("MultiHead", "width"): ("inner dimension of a head", INTEGER),
    ("JointHeads", "number"): ("number of heads", INTEGER),
    ("LayerNorm", "eps"): ("what a norm adds to the variance", REAL),
    ("LayerNorm", "least"): ("how much tokens vary at least", REAL),
    ("Fixed", "lipschitz"): ("Lipschitz constant of a fixed map", REAL),
    ("Softcap", "cap"): ("what scores are capped at", REAL),
    ("Ramp", "margin"): ("margin of the loss", REAL),
    ("CrossEntropy", "cap"): ("what the loss is cut at", REAL),
}
OF_INPUTS = {
    "sequences": ("number of samples", INTEGER),
    "tokens": ("context length, all tokens counted", INTEGER),
    "radius": ("bound on the norms of the tokens", REAL),
    "radius_1": (r"bound on the norms of the tokens in $\ell_1$", REAL),
}
OF_TABLES = {
    "words": ("size of the vocabulary", INTEGER),
    "positions": ("number of positions", INTEGER),
    "types": ("number of types of tokens", INTEGER),
}
Role = tuple[str, str]  # a meaning and a domain


def roles(network: Module, inputs: Signal, loss: Any) -> dict[str, Role]:
    """By letter: the first use that names it."""
    found: dict[str, Role] = {}
    for expr, role in _uses(network, inputs, loss):
        if isinstance(expr, Expr) and len(expr.free_symbols) == 1 and (expr.is_Symbol or role in OF_INPUTS.values()):
            found.setdefault(str(next(iter(expr.free_symbols))), role)
    return found


def _uses(network: Module, inputs: Signal, loss: Any) -> Iterator[tuple[Any, Role]]:
    for field, role in OF_INPUTS.items():
        yield getattr(inputs, field), role
    parts = [*parts_of(network), *(() if loss is None else parts_of(loss))]
    for part in parts:
        for (name, field), role in USES.items():
            if type(part).__name__ == name:
                yield getattr(part, field), role
        for field, role in OF_TABLES.items():
            yield getattr(getattr(part, field, None), "inputs", None), role
        if getattr(part, "largest", False):
            yield part.matrix.outputs, ("number of outputs", INTEGER)
    for M in (M for part in parts for M in own_matrices(part)):
        yield from ((size, (WIDTH, INTEGER)) for size in (M.outputs, M.inputs))


def parameter(name: str, role: Role | None) -> Parameter:
    """As it is used; a letter of a bound, and a norm that stands in another expression, as in the vocabulary."""
    usual = OWN.get(name)
    if usual is not None and (role is None or role[0] == WIDTH):
        return usual
    if role is None and name in VOCABULARY and (name in OF_BOUNDS or name[:2] in ("B_", "L_")):
        return VOCABULARY[name]
    meaning, domain = role or ("a number of the network", REAL)
    return Parameter(name, usual.latex if usual else in_latex(name), meaning, domain)
