"""Appendices B.5 and B.6: what recurrent networks need for 1STR, and interpolation of few samples."""

from fractions import Fraction

from sympy import Expr, Integer, Max, Min, Piecewise, Rational, exp, log, pi, sqrt

from maurey.symbolic.claim import Assumption, Claim, Constant, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import Steps, steps
from maurey.symbolic.names import C0, OPEN, parameters, symbols

N, n, d_h, B_U, L_f, eps, y_norm, z_norm = symbols("N n d_h B_U L_f eps y_norm z_norm")
c0, c = symbols("C0 c")

PACKING = "mousavi2025/41"
ABSOLUTE = "an absolute constant"

# --- 35: many prompts that the hidden state must tell apart -----------------------------------------------------------
#
# P prompts share token j. The values g that the network must be able to give there, one for each position, are standard
# normal in N - 1 coordinates, hence far apart for exponentially many prompts at once, and for half of the prompts the
# network comes close to them all. So P/2 hidden states are far apart, in a ball of dimension 2 d_h.

RISK_LEVEL = Constant("c", Fraction(1, 400), "c", "the risk that is small", f"{OPEN}; 1/400 will do", left_open=True)


def log_prompts(D: Derivation, sharp: bool = False) -> Expr:
    """A lower bound on the logarithm of half the number of prompts, floor(x). From x = 7 on the pairs fail with at most
    1/2, Hoeffding with less, and half the prompts are at least x/7; below 7 the bound is negative."""
    others = D.let("others", "k", N - 1, "tokens beside the one at the position")
    if sharp:
        reason = r"$\mathbb P(\chi^2_k\le ak)\le(ae^{1-a})^{k/2}$ at $a=1/(2\pi)$, for $x^2/2$ pairs"
        size = D.let("log_x", r"\log x", (log(2 * pi) + 1 / (2 * pi) - 1) / 4 * others, reason)
    else:
        mean = D.let("c_0", "c_0", sqrt(2 / pi), r"$c_0\sqrt k\le\mathbb E\|g\|$ for $g\sim N(0,I_k)$, worst for $k=1$")
        reason = r"$\mathbb P(\|g\|\le\frac{c_0}2\sqrt k)\le e^{-c_0^2k/8}$, for $x^2$ pairs"
        size = D.let("log_x", r"\log x", mean**2 * others / 16 - log(Integer(2)) / 2, reason)
    reason = (
        r"from $x=7$ on both events fail with at most $1/2$, and half of $\lfloor x\rfloor$ prompts are at least $x/7$"
    )
    return D.let("log_half", r"\log\frac P2", size - log(Integer(7)), reason)


def apart(D: Derivation, level: Expr) -> tuple[Expr, Expr]:
    """Distances over all positions, divided by sqrt(N): of what two prompts ask for, and what both errors may take."""
    reason = r"$\varepsilon_g\sqrt{1-1/N}$ with $\varepsilon_g=c_0/\sqrt2$, between the values that two prompts ask for"
    asked = D.let("asked", "a", sqrt((1 - 1 / N) / pi), reason)
    return asked, D.let("errors", r"\eta", 4 * sqrt(level), r"at both, $\sqrt c/\delta$ each with $\delta=\frac12$")


def log_states(D: Derivation, level: Expr, sharp: bool = False) -> Expr:
    asked, errors = apart(D, level)
    value = Piecewise((Integer(0), asked <= errors), (log_prompts(D, sharp), True))
    reason = r"half of the prompts are well predicted, and their states apart; what is not positive says nothing"
    return D.let("log_states", r"\log|\mathcal I|", value, reason)


def distance(D: Derivation, level: Expr) -> Expr:
    asked, errors = apart(D, level)
    value = Piecewise((errors, asked <= errors), (asked - errors, True))
    return D.let("distance", r"\Delta", value, "between the outputs at two prompts, where some are known to be apart")


def floor_of_reach(D: Derivation, level: Expr) -> Expr:
    """The values have mean square N - 1 about any vector, and outputs lie within sqrt(2N) times the reach of one."""
    reason = r"with less, outputs are too close to one vector: a risk of $(\sqrt{1-1/N}-\sqrt2\mathfrak L\|U\|)^2$"
    return D.let("floor", r"\beta", (sqrt(1 - 1 / N) - sqrt(level)) / sqrt(Integer(2)), reason)


def dimensions(D: Derivation, level: Expr, reach: Expr, sharp: bool = False, small: bool = False) -> Expr:
    """`reach` is L_f times the norm of U; it may be `small`."""
    reason = r"twice the radius $\sqrt2\|U\|_{op}r_h$ of the states over their distance $r_h\Delta/\mathfrak L$"
    X = D.let("spread", "X", 2 * sqrt(Integer(2)) * reach / distance(D, level), reason)
    reason = "per dimension, by volume" + "; for $X<1$ not even two states have room, and any bound holds" * small
    room = Min(log(1 + X), log(1 + X**2)) if small else log(1 + X)
    room = D.let("log_room", r"\ell", room, reason, PACKING)
    return D.let("dimensions", "d_1", log_states(D, level, sharp) / (2 * room), r"the states have dimension $2d_h$")


def _width(sharp: bool) -> Steps:
    def of(D: Derivation) -> Expr:
        least = (floor_of_reach(D, c) / (L_f * B_U)) ** 2
        least = Piecewise((Integer(1), c >= 1 - 1 / N), (least, True))
        few = D.let("few", "d_0", least, "at most 1, or else no network has the risk, and any bound holds")
        return D.let("width", "", Max(1, few, dimensions(D, c, L_f * B_U, sharp, small=True)), "one at least")

    return of


def least_reach(D: Derivation, level: Expr, sharp: bool = False) -> Expr:
    """Of L_f times the norm of U, from the volumes alone."""
    reason = r"volumes: $2d_h\log(1+X)\ge\log|\mathcal I|$ with $X=2\sqrt2\,\mathfrak L\|U\|_{op}/\Delta$"
    room = D.let("room", "X_0", exp(log_states(D, level, sharp) / (2 * d_h)) - 1, reason, PACKING)
    value = Max(floor_of_reach(D, level), distance(D, level) * room / (2 * sqrt(Integer(2))))
    return D.let("reach", r"\Upsilon", value, r"the least $\mathfrak L\|U\|_{op}$: both are needed")


def _norm(sharp: bool) -> Steps:
    return lambda D: D.let("norm", "", (least_reach(D, c, sharp) / L_f) ** 2, "squared")


WIDTH, NORM = "d_h", r"\|U\|_{op}^2"
REPRESENTATION_PARTS = (
    Part("width", WIDTH, "dimension of the hidden state", ">~", ABSOLUTE,
         printed=lambda _: c0 * (N / log(1 + L_f**2 * B_U**2)),
         derived=steps(_width(False)), sharp=steps(_width(True))),
    Part("norm", NORM, "squared norm of the read-out of the hidden states", ">~", ABSOLUTE,
         printed=lambda _: c0 * (N / (L_f**2 * log(1 + d_h))),
         derived=steps(_norm(False)), sharp=steps(_norm(True))),
)  # fmt: skip
REPRESENTATION_SYMBOLS = parameters("N d_h B_U L_f", N={"meaning": "sequence length"})
ONE_TOKEN = r"""1STR with $x\sim N(0,I_{Nd})$, $y_j=\langle u,x_{t_j}\rangle$ and independent uniform $t_j$; recurrent
networks with arbitrary transitions, states projected to norm at most $r_h$, and an output that is
$(\mathfrak L/r_h)$-Lipschitz in $(U^\to h^\to,U^\leftarrow h^\leftarrow)$."""
DEPARTURES = {
    "log_states": r"it takes prompts that share a token to be independent: the token must be fixed first, where the "
    r"risk is not above its mean",
    "room": r"it takes a count of points of the $\ell_1$ ball, which does not hold for the Euclidean one",
}

proposition_35 = Claim(
    key="mousavi2025/35",
    title="Width and norm that one position of 1STR costs a recurrent network",
    kind="lower-bound",
    statement=rf"""{ONE_TOKEN} There is an absolute $c>0$ such that $\mathbb E(\hat y_j-y_j)^2\le c$ at any one
position $j$ implies both bounds.""",
    symbols=REPRESENTATION_SYMBOLS,
    uses=(PACKING,),
    constants=(C0, RISK_LEVEL),
    differs=DEPARTURES,
    parts=REPRESENTATION_PARTS,
)

# --- 37, 38, 36: n Gaussian points on a line, and a network through n points ------------------------------------------


def separation(D: Derivation, number: Expr, sharp: bool = False) -> Expr:
    count, reason = (Max(1, number * (number - 1) / 2), "each once") if sharp else (number**2, "each twice, and more")
    pairs = D.let("pairs", "K", count, f"pairs of points, {reason}")
    density = D.let("density", r"\rho", 1 / sqrt(pi), r"$\mathbb P(|N(0,2)|\le\epsilon)\le\epsilon/\sqrt\pi$")
    reason = "so that some pair is closer with probability at most $1/3$"
    return D.let("gap", r"\epsilon", Rational(1, 3) / (pairs * density), reason)


def squares(D: Derivation, number: Expr) -> Expr:
    return D.let("squares", r"\|z\|^2", 3 * number, r"Markov: of mean $n$, above $3n$ with at most $1/3$")


def _either(D: Derivation) -> Expr:
    third = D.let("fails", "p_1", Rational(1, 3), "either of the two")
    return D.let("probability", "p", 1 - 2 * third, "neither fails")


PROJECTED = r"|v^\top x^{(i)}-v^\top x^{(j)}|"
POINTS = {"meaning": "number of points"}

lemma_37 = Claim(
    key="mousavi2025/37",
    title="A direction that separates Gaussian points",
    kind="concentration",
    statement=r"""For independent $x^{(i)}\sim N(0,I_d)$, $i\le n$, with at least the stated probability some unit
vector $v$ has $|v^\top x^{(i)}-v^\top x^{(j)}|$ at least the stated gap for all $i\ne j$ and $\sum_i(v^\top
x^{(i)})^2$ at most the stated sum.""",
    symbols=parameters("n", n=POINTS),
    constants=(C0,),
    samples="n",
    parts=(
        Part("gap", rf"\min_{{i\ne j}}{PROJECTED}", "least distance of two projected points", ">~", ABSOLUTE,
             printed=lambda _: c0 * (1 / n**2), derived=steps(lambda D: separation(D, n)),
             sharp=steps(lambda D: separation(D, n, sharp=True))),
        Part("squares", r"\sum_i(v^\top x^{(i)})^2", "sum of the squares of the projected points", "<~", ABSOLUTE,
             printed=lambda _: c0 * n, derived=steps(lambda D: squares(D, n))),
        Part("probability", "p", "probability", ">=", printed=lambda _: Rational(1, 3), derived=steps(_either)),
    ),
)  # fmt: skip


# |a'|^2: a_1 = y_1, a_2 = s_2 - y_1 and a_i = s_i - s_{i-1} with slopes s_i, so |a'|^2 <= 3 y_1^2 + 4 sum s_i^2, and
# s_i^2 <= 2 (y_i^2 + y_{i-1}^2)/eps^2 adds to at most (4 |y|^2 - 2 y_1^2)/eps^2; 3 <= 8/eps^2 pays for y_1.
# |b'|^2 = (z_1 - 1)^2 + z_1^2 + ... + z_{n-1}^2 <= 3 |z|^2 + 2.


KNOTS = r"$\|w'\|^2+\|b'\|^2$: $\|w'\|^2=n$, and the knots are $z_1-1,z_1,\dots,z_{n-1}$ with $(z_1-1)^2\le2z_1^2+2$"


def output_squared(D: Derivation, y: Expr, gap: Expr) -> Expr:
    reason = r"differences of slopes: $\|a'\|^2\le3y_1^2+4\sum s_i^2$ and $\sum s_i^2\le(4\|y\|^2-2y_1^2)/\epsilon^2$"
    return D.let("a_squared", r"\|a'\|^2", 16 * y**2 / gap**2, reason)


def inner_squared(D: Derivation, number: Expr, z_squared: Expr) -> Expr:
    return D.let("inner", r"\omega^2", number + 2 + 3 * z_squared, KNOTS)


def interpolation(D: Derivation, number: Expr, y: Expr, z_squared: Expr, gap: Expr) -> Expr:
    """With the paper's scale."""
    a = output_squared(D, y, gap)
    both = D.let("points", "Z", number + z_squared, r"$n+\|z\|^2$")
    rest = D.let("inner", r"\omega^2", 3 * both, rf"{KNOTS}; $n+2\le3n$")
    scale = D.let(
        "scale_squared", r"\alpha^2", sqrt(both) * gap / y, r"homogeneity: $a=\alpha a'$, $(w,b)=(w',b')/\alpha$"
    )
    return D.let("total", r"\|a\|^2+\|w\|^2+\|b\|^2", scale * a + rest / scale, "in all")


def best_interpolation(D: Derivation, number: Expr, y: Expr, z_squared: Expr, gap: Expr) -> Expr:
    """With the best scale."""
    product = output_squared(D, y, gap) * inner_squared(D, number, z_squared)
    return D.let("total", r"\|a\|^2+\|w\|^2+\|b\|^2", 2 * sqrt(product), "at the best scale both parts are equal")


lemma_38 = Claim(
    key="mousavi2025/38",
    title="A univariate ReLU network through given points",
    kind="construction",
    statement=r"""For $z,y\in\mathbb R^n$ with $|z^{(i)}-z^{(j)}|\ge\epsilon$ for $i\ne j$ and $\epsilon\le1$ there is
$g(t)=\sum_{j\le m}a_j\sigma(w_jt+b_j)$ of width $m=n$ with $g(z^{(i)})=y^{(i)}$ and the stated norm.""",
    symbols=parameters("n eps y_norm z_norm", n=POINTS,
                       eps={"latex": r"\epsilon", "meaning": "least distance of two points"},
                       y_norm={"domain": "positive real"}),
    assumes=(Assumption(eps <= 1, "eps is at most 1"),),
    constants=(C0,),
    samples="n",
    parts=(
        Part("total", r"\|a\|_2^2+\|w\|_2^2+\|b\|_2^2", "squared norm of all weights", "<~", ABSOLUTE,
             printed=lambda _: c0 * (y_norm * sqrt(n + z_norm**2) / eps),
             derived=steps(lambda D: interpolation(D, n, y_norm, z_norm**2, eps)),
             sharp=steps(lambda D: best_interpolation(D, n, y_norm, z_norm**2, eps))),
        Part("width", "m", "width", "=", printed=lambda _: n),
    ),
)  # fmt: skip


def interpolated(D: Derivation, number: Expr, sharp: bool = False) -> Expr:
    """36: the squared norm of a network through so many Gaussian points."""
    gap = separation(D, number, sharp)
    y = D.let("labels", r"\|y\|", sqrt(6 * number), r"Markov: $\|y\|^2$ has mean $n$, above $6n$ with at most $1/6$")
    return (best_interpolation if sharp else interpolation)(D, number, y, squares(D, number), gap)


def _success(D: Derivation) -> Expr:
    both = D.let("separated", "p_1", Rational(1, 3), "the points are separated", "mousavi2025/37")
    return D.let("probability", "", both - Rational(1, 6), r"and the labels are not large")


lemma_36 = Claim(
    key="mousavi2025/36",
    title="Two-layer networks through Gaussian points",
    kind="construction",
    statement=r"""For independent $x^{(i)}\sim N(0,I_d)$, labels $y^{(i)}$ that are each standard normal, such as
$\langle u,x_{t_i}\rangle$, and every width $m\ge n$, with at least the stated probability some $a,W,b$ have
$a^\top\sigma(Wx^{(i)}+b)=y^{(i)}$ for all $i\le n$ and the stated norm. The exponent of $n$ is damaged
in the source and is read from mousavi2025/37 and mousavi2025/38.""",
    symbols=parameters("n", n=POINTS),
    uses=("mousavi2025/37", "mousavi2025/38"),
    constants=(C0,),
    samples="n",
    parts=(
        Part("total", r"\|a\|_2^2+\|W\|_F^2+\|b\|_2^2", "squared norm of all weights", "<~", ABSOLUTE,
             printed=lambda _: c0 * n**3, derived=steps(lambda D: interpolated(D, n)),
             sharp=steps(lambda D: interpolated(D, n, sharp=True)), source="damaged"),
        Part("probability", "p", "probability", ">~", ABSOLUTE, printed=lambda _: c0, derived=steps(_success)),
    ),
)  # fmt: skip
