"""Appendix C: norms of the inputs and of all that is computed on the way."""

from sympy import Expr, Integer, Rational, log, sqrt

from maurey.symbolic.claim import Claim, Form, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import Steps, steps
from maurey.symbolic.gaussian import kappa
from maurey.symbolic.names import symbols
from maurey.symbolic.perturbation import CHI, UNION
from maurey.symbolic.sharpness import CONSTRUCTION, GRID, NORMS, SIZES, Target

from .letters import LOW, SPARSE, D, T, d, letters, omega

(delta,) = symbols("delta")


def printed_hidden(D: Expr = D) -> Expr:
    """rho_D."""
    return (Rational(32, 3) * D * (D + 1) * (2 * D + 1) + 10 * D + 5) / (16 * D**2)


def _of(name: str, lhs: str, meaning: str, printed: Form, derived: Steps) -> Part:
    return Part(name, lhs, meaning, printed=printed, derived=steps(derived))


def _token(proof: Derivation) -> Expr:
    squares = proof.let("squares", r"1+z_t^2", 2, "a unit vector and a bit", CONSTRUCTION)
    return proof.let("X_rows", "", sqrt(squares), "the root")


def _keys(proof: Derivation) -> Expr:
    return proof.let("W_2_output", "", sqrt(Target().second_scores(proof)), "the column $w$ of $W_2$", NORMS)


def _projected(proof: Derivation) -> Expr:
    """The rows of J are vectors of d Gaussians of variance 1/d; the output's row has no bit."""
    each = proof.let("each", r"\delta_0", delta / T, "a share for each of $T$ rows", UNION)
    row = proof.let("row", r"\|J_t\|", kappa(d, each), r"$d$ Gaussians of variance $1/d$", CHI)
    return proof.let("Y_rows", "", sqrt(1 + row**2), "and a bit")


appendix_c = Claim(
    key="lintilhac2026/C",
    title="Norms of parameters and of what is computed",
    kind="summary",
    statement=r"""The norms of all weights (10) are those of the matrices as they are written down; those of inputs and
of intermediate quantities (11) follow, without projections exactly, with them up to the error of Johnson and
Lindenstrauss, by the tails of chi-squared variables (19, 20).""",
    uses=(NORMS, SIZES, CHI, UNION),
    source="reconstructed",
)

theorem_11 = Claim(
    key=SIZES,
    title="Norms of inputs and of what is computed from them",
    kind="construction",
    statement=r"""For every string, in the construction with exact attention: $\|A\|_{2,\infty}$ is the largest norm of
a row. $W_2$ needs $T^{-2}\le c_t\le1$. With projected positions, rows of $X$ become those of $Y$, and the stated bound
on those with a bit holds with probability at least $1-\delta$.""",
    symbols=letters("omega D T d delta"),
    assumes=(SPARSE, LOW),
    uses=(NORMS, GRID, CONSTRUCTION, CHI, UNION),
    source="reconstructed",
    parts=(
        _of("X_rows", r"\|X\|_{2,\infty}", "norm of a token", lambda _: sqrt(2), _token),
        Part("X_max", r"\|X\|_{\max}", "largest entry of a token", printed=lambda _: Integer(1)),
        Part("values", r"\|XW_V\|_{2,\infty}", "norm of a value of the first layer", printed=lambda _: Integer(1)),
        Part("b", r"\|b_t\|", "norm of an output of the first layer", printed=lambda _: Integer(1)),
        Part("G_rows", r"\|G\|_{2,\infty}", "norm of a token of the second layer", printed=lambda _: sqrt(2)),
        Part("G_max", r"\|G\|_{\max}", "largest entry of such a token", printed=lambda _: Integer(1)),
        Part("G_column", r"\|G_{\cdot,T+2}\|_2", "norm of the column of parities", printed=lambda _: sqrt(T + 1)),
        _of(
            "G_output",
            r"\|Gv_2\|_\infty",
            "largest value of the second layer",
            lambda _: sqrt(omega),
            lambda proof: proof.let("G_output", "", sqrt(Target().read_out(proof)), "a parity times $C$", NORMS),
        ),
        _of(
            "keys",
            r"\|GW_2\|_{2,\infty}",
            "largest key of the second layer",
            lambda _: 2 * log(T),
            lambda proof: proof.let("keys", "", Target().scale(proof), r"$0\le w_t\le2\log T$", CONSTRUCTION),
        ),
        _of(
            "W_2_output",
            r"\|W_2g_{T+1}\|=\|W_2\|_{op}",
            "the output's query",
            lambda _: 2 * sqrt(omega) * log(T),
            _keys,
        ),
        _of(
            "hidden",
            r"\|r_t\|^2",
            "squared norm of the hidden units",
            lambda _: printed_hidden(),
            lambda proof: Target().hidden(proof),
        ),
        _of(
            "Y_rows",
            r"\max_{t\le T}\|Y_t\|",
            "norm of a projected token",
            lambda _: sqrt(1 + kappa(d, delta / T) ** 2),
            _projected,
        ),
    ),
)
