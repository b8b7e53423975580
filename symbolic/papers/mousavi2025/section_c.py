"""Appendix C: auxiliary lemmas."""

from dataclasses import dataclass

from sympy import Expr, Integer, Min, Piecewise, Sum, log, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.entropy import parametric
from maurey.symbolic.forms import steps
from maurey.symbolic.names import indexed, parameters, symbols
from maurey.symbolic.papers.bach2017 import DIMENSION, quotient, units

from . import repaired

eps, d, n, i, m, R, LR, C_d = symbols("eps d n i m R LR C_d")
A_norm, exponent = symbols("A_norm s")
eigenvalue, mean, column_norm = indexed("eigenvalue mean column_norm")

LIPSCHITZ_UNITS, LIPSCHITZ = "bach2017/1", "bach2017/6"

# --- 39 ---------------------------------------------------------------------------------------------------------------


def _columns(D: Derivation) -> Expr:
    reason = r"$\|Ab\|_r\le\sum_j|b_j|\|A_{:j}\|_r\le\|A\|_{r,p}\|b\|_q$ for every column $b$ of $B$, by Hölder"
    powers = D.let("powers", r"\sum_i\|AB_{:i}\|_r^s", Sum((A_norm * column_norm[i]) ** exponent, (i, 1, n)), reason)
    return D.let("norm", "", powers ** (1 / exponent), r"in $\ell_s$ over the columns")


lemma_39 = Claim(
    key="mousavi2025/39",
    title="Mixed norms of a product",
    kind="lipschitz",
    statement=r"""For $r,s\ge1$ and $\frac1p+\frac1q=1$: $\|AB\|_{r,s}\le\|A\|_{r,p}\|B\|_{q,s}$, where
$\|\cdot\|_{p,q}$ is the $\ell_q$ norm of the columns' $\ell_p$ norms. Stated here with $b_i$ for the $\ell_q$ norm of
column $i$ of $B$, and for finite $s$.""",
    symbols=parameters("n A_norm column_norm[n] s", n={"meaning": "number of columns of $B$"},
                       s={"meaning": "exponent of the norm over the columns", "domain": "positive real"}),
    parts=(
        Part("norm", r"\|AB\|_{r,s}", "norm of the product",
             printed=lambda _: A_norm * Sum(column_norm[i] ** exponent, (i, 1, n)) ** (1 / exponent),
             derived=steps(_columns)),
    ),
)  # fmt: skip

# --- 40 ---------------------------------------------------------------------------------------------------------------


def _variance(D: Derivation) -> Expr:
    reason = r"$\mathrm{Var}(g^2)=\mathbb E[g^4]-\mathbb E[g^2]^2$ for $g\sim N(0,1)$"
    square = D.let("excess", "v", Integer(3) - 1, reason)
    terms = square * eigenvalue[i] ** 2 + 4 * eigenvalue[i] * mean[i] ** 2
    reason = r"coordinates $\mu_i+\sqrt{\lambda_i}g_i$ are independent, and $g$ and $g^2$ are not correlated"
    return D.let("variance", "", Sum(terms, (i, 1, n)), reason)


def _traces() -> Expr:
    return 2 * Sum(eigenvalue[i] ** 2, (i, 1, n)) + 4 * Sum(eigenvalue[i] * mean[i] ** 2, (i, 1, n))


lemma_40 = Claim(
    key="mousavi2025/40",
    title="Variance of a Gaussian vector's squared norm",
    kind="concentration",
    statement=r"""For $x\sim N(\mu,\Sigma)$ the variance of $\|x\|_2^2$ is
$2\,\mathrm{tr}(\Sigma^\top\Sigma)+4\mu^\top \Sigma\mu$. Stated here in the basis of the eigenvectors of $\Sigma$:
$\lambda_i$ are its eigenvalues and $\mu_i$ the coordinates of the mean.""",
    symbols=parameters("n eigenvalue[n] mean[n]", n={"meaning": "dimension"}),
    parts=(
        Part("variance", r"\mathrm{Var}(\|x\|_2^2)", "variance of the squared norm", "=",
             printed=lambda _: _traces(), derived=steps(_variance)),
    ),
)  # fmt: skip

# --- 41 ---------------------------------------------------------------------------------------------------------------


def unit_ball(D: Derivation, dimension: Expr, resolution: Expr, latex: str = "") -> Expr:
    """Balls of half the distance around the points are disjoint, in a ball of radius 1 and that half."""
    count = parametric(dimension, Integer(2)).at(resolution)
    return D.let("volume", latex, count, "balls of half the distance are disjoint: volumes", "mousavi2025/41")


def _packing(D: Derivation) -> Expr:
    count = Piecewise((Integer(0), eps > 2), (unit_ball(D, d, eps, r"\ell_{\mathrm{vol}}"), True))
    return D.let("log_P", "", count, "one point beyond the diameter")


lemma_41 = Claim(
    key="mousavi2025/41",
    title="Packing the unit ball",
    kind="packing",
    statement=r"""$\mathcal P$ is the largest number of points of the Euclidean unit ball of $\mathbb R^d$ at
distances of at least $\epsilon$. Two bounds are stated: one by volumes, one ascribed to Maurey's sparsification. The
latter counts points of an $\ell_1$ ball; for the Euclidean ball nothing of the kind is derived here. Its formula is
damaged in the source and is read from its fragments.""",
    symbols=parameters("eps d", eps={"latex": r"\epsilon", "meaning": "least distance"}, d={"meaning": "dimension"}),
    uses=("trauger2024/3.1",),
    differs={"log_P": r"it takes the smaller of this and of a count for the $\ell_1$ ball"},
    parts=(
        Part("volume", r"\log\mathcal P", "log of the packing number, by volumes",
             printed=lambda _: d * log(1 + 2 / eps), derived=steps(lambda D: unit_ball(D, d, eps))),
        Part("log_P", r"\log\mathcal P", "log of the packing number, the smaller of the two",
             printed=lambda _: Min(d * log(1 + 2 / eps), 1 / eps**2 * (1 + log(1 + 2 * d * eps**2))),
             repaired=lambda _: Piecewise((Integer(0), eps > 2), (d * log(1 + 2 / eps), True)),
             derived=steps(_packing), source="damaged"),
    ),
)  # fmt: skip

# --- 42 ---------------------------------------------------------------------------------------------------------------
#
# Bach's distance at a variation norm delta is C LR (delta/LR)^(-2/(d+1)) log(delta/LR). With delta/LR =
# (A (1 + log A))^((d+1)/2) the logarithm is (d+1)/2 (log A + log(1 + log A)) <= (d+1) log A, so the distance is at most
# C LR (d+1)/A: half the error for A = 2 C (d+1) LR/eps. The other half is for choosing units.


@dataclass(frozen=True)
class LipschitzNetwork:
    """A function with values and Lipschitz constant times radius at most LR, by two layers, within an error. Where 42
    is used as a whole, its key stands for Bach's two."""

    LR: Expr
    error: Expr
    dimension: Expr = d
    key: str = ""
    label: str = ""  # of its steps, where a derivation has several
    mark: str = ""

    def _let(self, D: Derivation, name: str, latex: str, expr: Expr, reason: str, key: str = "") -> Expr:
        mark = f"^{{{self.mark}}}" if self.mark else ""
        return D.let(f"{name}{self.label}", f"{latex}{mark}", expr, reason, self.key if key and self.key else key)

    def variation(self, D: Derivation) -> Expr:
        value = 1 + 2 * C_d * (self.dimension + 1) * self.LR / self.error
        ratio = self._let(D, "ratio", "Q", value, r"so that $C_dLR(d+1)/Q$ is less than half the error", LIPSCHITZ)
        reason = r"$\log(V/LR)\le(d+1)\log Q$: a function of this variation norm is within $C_dLR(d+1)/Q$"
        value = self.LR * (ratio * (1 + log(ratio))) ** quotient(self.dimension + 1, Integer(2))
        return self._let(D, "variation_norm", "V", value, reason, LIPSCHITZ)

    def width(self, D: Derivation) -> Expr:
        reason = "the other half of the error, as a part of the variation norm"
        relative = self._let(D, "relative", r"\eta", self.error / (2 * self.variation(D)), reason)
        found = self._let(D, "units", "r", units(relative, self.dimension), "units that come so close", LIPSCHITZ_UNITS)
        return self._let(
            D, "split", r"m_\phi", 2 * found, r"each is split into $\lceil r|a_j|/\|a\|_1\rceil$ equal ones"
        )

    def output(self, D: Derivation, width: Expr) -> Expr:
        """Every |a_j| is at most |a|_1/r, so |a|^2 <= |a|_1^2/r, and the width is 2r."""
        reason = r"$|a_j|\le\|a\|_1/r$ once units are split, so $\|a\|_2^2\le\|a\|_1^2/r$ with $r=m/2$"
        return self._let(D, "output", r"\nu_a", sqrt(Integer(2)) * self.variation(D) / sqrt(width), reason)


NETWORK = LipschitzNetwork(LR, eps)


def _width(D: Derivation) -> Expr:
    return D.let("width", "", NETWORK.width(D), "all units")


def _output(D: Derivation) -> Expr:
    return D.let("a", "", NETWORK.output(D, m), "all output weights")


def _ratio() -> Expr:
    return LR * (1 + log(LR / eps)) / eps


HIDDEN = "a constant that depends on the dimension"

lemma_42 = Claim(
    key="mousavi2025/42",
    title="Lipschitz functions by two-layer ReLU networks",
    kind="approximation",
    statement=r"""If $|f|\le LR$ and $f$ is $L$-Lipschitz on $\|x\|_2\le R$, $x\in\mathbb R^d$, then for every
$\epsilon>0$ some $a^\top\sigma(Wx+b)$ of width $m$ is within $\epsilon$ of $f$ on that ball, with the stated width
and norms.""",
    symbols=parameters("eps d m R LR", eps={"latex": r"\epsilon", "meaning": "error"}, d={"meaning": "dimension"},
                       m={"meaning": "width of the network"}, R={"meaning": "radius of the domain"}),
    uses=(LIPSCHITZ_UNITS, LIPSCHITZ),
    constants=(DIMENSION,),
    samples="n",
    parts=(
        Part("width", "m", "width", printed=lambda _: C_d * _ratio() ** d, repaired=repaired.lipschitz_width,
             derived=steps(_width)),
        Part("a", r"\|a\|_2", "norm of the output weights",
             printed=lambda _: C_d * LR / sqrt(m) * _ratio() ** ((d + 1) / 2),
             repaired=repaired.lipschitz_output, derived=steps(_output)),
        Part("W", r"\|W^\top\|_{2,\infty}", "largest row of the inner weights",
             printed=lambda _: 1 / R),
        Part("b", r"\|b\|_\infty", "largest bias", printed=lambda _: Integer(1)),
    ),
)  # fmt: skip
