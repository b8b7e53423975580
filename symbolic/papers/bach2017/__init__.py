"""F. Bach, Breaking the curse of dimensionality with convex neural networks, JMLR 18 (2017) 1-53."""

from fractions import Fraction

from sympy import Expr, Integer, Symbol, evaluate, log

from maurey.symbolic.claim import Assumption, Claim, Constant, Part
from maurey.symbolic.names import OPEN, parameters, symbols

eps, d, C_d = symbols("eps d C_d")
LR, delta = symbols("LR variation")

DIMENSION = Constant(
    "C_d", Fraction(1), "C_d", "a constant that depends on the dimension alone", OPEN, left_open=True, of=("d",)
)


def quotient(above: Expr, below: Expr) -> Expr:
    """As written, or the number that it is."""
    with evaluate(True):
        value = above.doit() / below.doit()
    return value if value.is_number else above / below


def units(error: Expr, dimension: Expr = d, constant: Symbol = C_d) -> Expr:
    """How many units come within so much of a function of variation norm 1."""
    return constant * error ** quotient(-2 * dimension, dimension + 3)


def distance(variation: Expr, dimension: Expr = d, constant: Symbol = C_d) -> Expr:
    """Of a function with |f| and Lipschitz constant times radius at most 1 from those of such a variation norm."""
    return constant * variation ** quotient(Integer(-2), dimension + 1) * log(variation)


proposition_1 = Claim(
    key="bach2017/1",
    title="How many units approximate a function of given variation norm",
    kind="approximation",
    statement=r"""For ReLU units $(w^\top x+b)_+$ with $\|(w,b/R)\|_2=1/R$ on $\|x\|_2\le R$: a function of variation
norm $\gamma_1(f)$ is within $\varepsilon\gamma_1(f)$, uniformly, of a combination of at most the stated number of
units whose coefficients have $\ell_1$ norm at most $\gamma_1(f)$, for $\varepsilon\in(0,1]$.""",
    symbols=parameters("eps d", eps={"meaning": "error, as a part of the variation norm", "domain": "in (0, 1]"}),
    constants=(DIMENSION,),
    parts=(Part("units", "r", "number of units", printed=lambda _: units(eps)),),
    reference="F. Bach, JMLR 18 (2017) 1-53, Proposition 1",
)

proposition_6 = Claim(
    key="bach2017/6",
    title="Lipschitz functions by functions of bounded variation norm",
    kind="approximation",
    statement=r"""If $|f|\le LR$ and $f$ is $L$-Lipschitz on $\|x\|_2\le R$, then for every $\delta$ that is at least
a constant, which depends on the dimension, times $LR$, there is a function of variation norm at most $\delta$ within
the stated distance, uniformly on the ball.""",
    symbols=parameters("LR variation d"),
    constants=(DIMENSION,),
    assumes=(Assumption(delta > LR, "the variation norm is above LR"),),
    parts=(
        Part("error", r"\sup_{\|x\|\le R}|f-h|", "distance", printed=lambda _: LR * distance(delta / LR)),
    ),
    reference="F. Bach, JMLR 18 (2017) 1-53, Proposition 6, for the ReLU",
)  # fmt: skip
