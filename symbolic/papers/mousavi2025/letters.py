"""The paper's letters, once: what each shared name means here."""

from dataclasses import replace
from fractions import Fraction

from sympy import E, Expr, log, sqrt, symbols

from maurey.symbolic.claim import Assumption, Constant, Parameter
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.names import C0, OPEN, parameters

INTEGER = {"domain": "positive integer"}
MEANINGS: dict[str, dict[str, str]] = {
    "N": {"meaning": "sequence length"},
    "n": {"meaning": "number of training prompts"},
    "d": {"meaning": "dimension of a token"},
    "q": {"meaning": "number of relevant tokens per position", **INTEGER},
    "m": {"meaning": "width of the two-layer network"},
    "s": {"meaning": "exponent of the moments of the labels", "domain": "positive real"},
    "tau": {"meaning": "level at which the squared loss is truncated"},
    "B_W_F": {"latex": "R_{m,w}", "meaning": r"bound on $\|(W,b)\|_F$"},
    "B_QK_21": {"latex": "r_{QK}", "meaning": r"bound on $\|W_{QK}^{(h)}\|_{2,1}$ of every head"},
}


def letters(names: str, **changes: str | dict[str, str]) -> tuple[Parameter, ...]:
    """`parameters` with the paper's meanings; a change of a claim's own comes on top."""
    own = {name: {"latex": change} if isinstance(change, str) else change for name, change in changes.items()}
    words = {word.rstrip("?").partition("[")[0] for word in names.split()}
    return parameters(names, **{name: MEANINGS.get(name, {}) | own.get(name, {}) for name in words})


# What the paper calls absolute, or counts among the logarithms (d_e is of the order of log N), its relations hide.
HIDDEN = replace(C0, of=("C_x", "C_y", "s", "d_e"))
EXPONENT_OF_FAILURE = Constant(
    "c", Fraction(1, 2), "c", r"exponent of the probability of failure $n^{-c}$", OPEN, left_open=True
)
LOGARITHMS = "an absolute constant and logarithms"

n, N, d, q, d_e, C_x, s = symbols("n N d q d_e C_x s")
RELEVANT = Assumption(q <= N, "q is at most N")
EXPONENT = Assumption(s >= 1, "s is at least 1")


def token_radius() -> Expr:
    """r_x."""
    return sqrt(3 * E * C_x * d * log(n * N))


def let_radii(D: Derivation, printed: bool = False) -> tuple[Expr, Expr]:
    """r_x and r_z as steps: the encoding has squared norm d (1 + 1/q)."""
    why = ("as printed", "as printed") if printed else (
        "all tokens are within this radius but for a small probability",
        r"the encoding has the squared norm $d(1+1/q)$",
    )  # fmt: skip
    x = D.let("radius_x", "r_x", token_radius(), why[0], "" if printed else "mousavi2025/12")
    return x, D.let("radius_z", "r_z", sqrt(x**2 + d * (1 + 1 / q)), why[1])


def let_embedding(D: Derivation) -> Expr:
    """D_e as a step."""
    return D.let("embedding", "D_e", d + (q + 1) * d_e, "a token, its own position vector and $q$ others")
