"""The paper's letters, once: what each shared name means here."""

from sympy import Expr, Sum, sqrt

from maurey.symbolic.claim import Assumption, Parameter
from maurey.symbolic.names import indexed, parameters, symbols

MEANINGS: dict[str, dict[str, str]] = {
    "T": {"meaning": "number of input bits; there are $T+1$ positions"},
    "d": {"meaning": "width of the positions; $T+1$ without random projections"},
    "m": {"meaning": "number of training strings"},
    "i": {"meaning": "number of the component"},
}

omega, D, T, d, i = symbols("omega D T d i")
(coefficient,) = indexed("coefficient")

SPARSE = Assumption(omega <= T, "omega is at most T: component t is read at position t")
LOW = Assumption(D <= T, "D is at most T")


def letters(names: str, **changes: str | dict[str, str]) -> tuple[Parameter, ...]:
    """`parameters` with the paper's meanings; a change of a claim's own comes on top."""
    own = {name: {"latex": change} if isinstance(change, str) else change for name, change in changes.items()}
    words = {word.rstrip("?").partition("[")[0] for word in names.split()}
    return parameters(names, **{name: MEANINGS.get(name, {}) | own.get(name, {}) for name in words})


def normalised(of: Expr = i) -> Expr:
    """c_t: the coefficient divided by the norm of all."""
    return coefficient[of] / sqrt(Sum(coefficient[i] ** 2, (i, 1, omega)))
