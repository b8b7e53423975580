"""Appendix B.4: covering numbers of recurrent networks, and their risk."""

from sympy import E, Eq, Expr, Integer, Max, Piecewise, log, sqrt

from maurey.symbolic.claim import Assumption, Claim, Form, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.forms import steps
from maurey.symbolic.moments import label_moment, label_square, longest_moment, token_square
from maurey.symbolic.names import C0, symbols
from maurey.symbolic.recurrent import Keys, Recurrent
from maurey.symbolic.relu_networks import ReLUNetwork
from maurey.symbolic.truncation import allowed_tail, cost, counted_complexity, error_moment, level, truncated_gap

from . import repaired
from .letters import EXPONENT, HIDDEN, letters
from .section_a_covers import DEGREE_R
from .section_a_risk import FAILURE

eps, n, N, d, q, p, R, L, r_h, alpha_N, C_y_W = symbols("eps n N d q p R L r_h alpha_N C_y_W")
E_y, E_h, E_back, tau, delta, C_x, C_y, s = symbols("E_y E_h E_back tau delta C_x C_y s")
c0, c_R = symbols("C0 c_R")

COMPOSED, NETWORK, CLASS, COMPLEXITY, GAP, TRUNCATION = (f"mousavi2025/{number}" for number in range(29, 35))
KEYS = Keys(NETWORK, COMPOSED)
ABSOLUTE, POLYNOMIAL = "an absolute constant", "an absolute constant and the degree of a polynomial"
PARAMETERS = {"meaning": "number of parameters"}
DEPTHS = ("L_h", "L_y")

# --- 29 --------------------------------------------------------------------------------------------------------------


def _resolution(sharp: bool) -> Form:
    def build(D: Derivation) -> Expr:
        half = D.let("half", r"\epsilon_0", eps / 2, "half of the error")
        if sharp:
            grown = Piecewise((N - 1, Eq(alpha_N, 0)), (((1 + alpha_N) ** (N - 1) - 1) / alpha_N, True))
            growth = D.let("growth", "G", Max(1, grown), r"$\sum_{l\le N-2}(1+\alpha_N)^l$")
            return D.let("eps_h", "", half / (sqrt(2) * C_y_W * growth), "both directions at once")
        growth = D.let("growth", "G", (E - 1) * N, r"$((1+\alpha_N)^N-1)/\alpha_N$ is largest at $\alpha_N=1/N$")
        return D.let("eps_h", "", half / (2 * C_y_W * growth), "a quarter for each direction, through the read-out")

    return steps(build)


lemma_29 = Claim(
    key=COMPOSED,
    title="A cover of recurrent networks from covers of their three networks",
    kind="covering",
    statement=r"""If the products of spectral norms are at most $C_W^y$ for the read-out and $\alpha_N\le1/N$ for what
the transitions do to states, covers of the read-outs and of the transitions of both directions, at the stated
resolutions, give one of the recurrent networks at $\epsilon$ whose log-size is at most the sum of theirs. Transitions
are to be covered at all states and all tokens of the sample.""",
    symbols=letters("eps N alpha_N C_y_W E_y E_h E_back", eps=r"\epsilon"),
    assumes=(Assumption(alpha_N * N <= 1, "alpha_N is at most 1/N"),),
    parts=(
        Part("log_N", r"\log\mathcal C(\mathcal F_{RNN},\epsilon)", "log covering number of the recurrent networks",
             printed=lambda _: E_y + E_h + E_back),
        Part("eps_y", r"\epsilon_y", "resolution at which read-outs need covering", ">=", printed=lambda _: eps / 2),
        Part("eps_h", r"\epsilon_h", "resolution at which transitions need covering", ">=",
             printed=lambda _: eps / (4 * E * C_y_W * N), derived=_resolution(False), sharp=_resolution(True)),
    ),
)  # fmt: skip

# --- 30 --------------------------------------------------------------------------------------------------------------


def _networks(best: bool) -> Form:
    def build(setting: Setting) -> list[Step]:
        D = Derivation()
        net = ReLUNetwork(setting.size("L"), R, R, p)
        entropy = net.best_entropy(D) if best else net.entropy(D)
        return D.steps_to(D.let("log_N", "", entropy.at(eps), entropy.reason, "mousavi2025/41"))

    return build


lemma_30 = Claim(
    key=NETWORK,
    title="Cover of ReLU networks of constant depth",
    kind="covering",
    statement=r"""Networks $x\mapsto W_L\sigma(W_{L-1}\sigma(\cdots\sigma(W_1x+b_1)\cdots)+b_{L-1})$ with $p$
parameters, $\|W_l\|_F,\|b_l\|_2\le R$, in the largest deviation over $\|x\|_2\le R$.""",
    symbols=letters("eps p R L", eps=r"\epsilon", p=PARAMETERS),
    uses=("mousavi2025/41",),
    constants=(C0, DEGREE_R),
    unrolled=("L",),
    parts=(
        Part("log_N", r"\log\mathcal C(\mathcal F_{NN,L},d_\infty,\epsilon)", "log covering number", "<~", POLYNOMIAL,
             printed=lambda _: c0 * p * log(1 + (1 + R) ** c_R / eps), derived=_networks(False), sharp=_networks(True)),
    ),
)  # fmt: skip

# --- 31 --------------------------------------------------------------------------------------------------------------


def recurrent(setting: Setting, sharp: bool = False) -> Recurrent:
    """The class of 31."""
    return Recurrent(
        steps=N,
        transition_depth=setting.size("L_h"),
        readout_depth=setting.size("L_y"),
        inputs=R,
        bound=R,
        parameters=p,
        state=r_h,
        keys=KEYS,
        sharp=sharp,
    )


def _class(sharp: bool) -> Form:
    def build(setting: Setting) -> list[Step]:
        D = Derivation()
        net = recurrent(setting, sharp)
        return D.steps_to(net.best_log_size(D, eps) if sharp else net.log_size(D, eps))

    return build


NETWORKS = r"""Recurrent networks with $p$ parameters, $\|\mathrm{vec}(\Theta)\|_2\le R$, transitions of depth $L_h$
that are $\alpha_N$-Lipschitz in the state with $\alpha_N\le1/N$, a read-out of depth $L_y$,"""
BALL = rf"{NETWORKS} and tokens $\|z_j\|_2\le R$"
UNIT = Assumption(R**2 >= 2, "R is at least sqrt(2), as tokens carry q + 1 unit vectors")
STATES = {
    "reached": r"it covers the networks on inputs of norm at most $R$ and does not say why states are among these"
}
NAMES = "N p R r_h L_h L_y"

corollary_31 = Claim(
    key=CLASS,
    title="Cover of the recurrent networks",
    kind="covering",
    statement=rf"""{BALL}: the log covering number at the $n$ pairs of the sample.""",
    symbols=letters(f"eps {NAMES}", eps=r"\epsilon", p=PARAMETERS),
    assumes=(UNIT,),
    uses=(COMPOSED, NETWORK),
    constants=(C0, DEGREE_R),
    unrolled=DEPTHS,
    differs=STATES,
    parts=(
        Part("log_N", r"\log\mathcal C(\mathcal F_{RNN},d_\infty,\epsilon)", "log covering number", "<~", POLYNOMIAL,
             printed=lambda _: c0 * p * log(1 + (1 + R) ** c_R * N / eps), repaired=repaired.recurrent,
             derived=_class(False), sharp=_class(True)),
    ),
)  # fmt: skip

# --- 32, 33 ----------------------------------------------------------------------------------------------------------


def complexity_of(D: Derivation, net: Recurrent, tau: Expr) -> Expr:
    return counted_complexity(D, lambda x: net.log_size(D, x), tau, n, centred=net.sharp)


def _complexity(sharp: bool) -> Form:
    def build(setting: Setting) -> list[Step]:
        D = Derivation()
        return D.steps_to(complexity_of(D, recurrent(setting, sharp), tau))

    return build


def printed_complexity() -> Expr:
    return tau * sqrt(p * log(R * N * n * tau) / n)


lemma_32 = Claim(
    key=COMPLEXITY,
    title="Rademacher complexity of the truncated loss of recurrent networks",
    kind="rademacher",
    statement=rf"""{BALL}: the empirical complexity of the losses $(f(p)_j-y_j)^2\wedge\tau$, $\tau\ge1$, on the $n$
pairs of the sample, from one cover at $n^{{-1/2}}$. The argument of the logarithm is damaged in the source.""",
    symbols=letters(f"n {NAMES} tau", p=PARAMETERS),
    assumes=(UNIT, Assumption(tau >= 1, "tau is at least 1")),
    uses=(CLASS, "maurey/one-step"),
    constants=(C0,),
    samples="n",
    unrolled=DEPTHS,
    differs=STATES,
    parts=(
        Part("Rad", r"\hat{\mathfrak R}_n(\mathcal L_\tau^{RNN})", "empirical Rademacher complexity", "<~", ABSOLUTE,
             printed=lambda _: c0 * printed_complexity(), derived=_complexity(False), sharp=_complexity(True),
             source="damaged"),
    ),
)  # fmt: skip


def _gap(sharp: bool) -> Form:
    def build(setting: Setting) -> list[Step]:
        D = Derivation()
        rad = complexity_of(D, recurrent(setting, sharp), tau)
        return D.steps_to(truncated_gap(D, rad, tau, delta, n, sharp))

    return build


corollary_33 = Claim(
    key=GAP,
    title="Gap of the truncated risk of recurrent networks",
    kind="generalization",
    statement=rf"""{NETWORKS} and $R$ at least $\sqrt{{3C_xed\log(nN)}}+q+1$, which bounds the tokens of all prompts
but for a small probability: with at most the stated probability of failure the truncated risk of the minimiser exceeds
its empirical risk by no more than the stated amount. The condition on $R$ is damaged in the source; $q+1$ may stand
under a root of its own.""",
    symbols=letters(f"n {NAMES} tau delta", p=PARAMETERS),
    assumes=(UNIT, Assumption(tau >= 1, "tau is at least 1")),
    uses=("mousavi2025/12", COMPLEXITY, "maurey/deviation", "maurey/sides"),
    constants=(C0,),
    samples="n",
    unrolled=DEPTHS,
    differs=STATES,
    parts=(
        Part("gap", r"R_\tau^{RNN}(\hat\Theta)-\hat R_n^{RNN}(\hat\Theta)", "excess of the truncated risk", "<~",
             ABSOLUTE,
             printed=lambda _: c0 * (printed_complexity() + tau * sqrt(log(1 / delta) / n)),
             derived=_gap(False), sharp=_gap(True)),
        FAILURE,
    ),
)  # fmt: skip

# --- 34 --------------------------------------------------------------------------------------------------------------


def prediction_square(D: Derivation, squared: Expr, bound: Expr, state: Expr, depth: int, label: str) -> Expr:
    """The largest squared output, from the squared norm of one token."""
    inputs = D.let(f"inputs_{label}", rf"r_{{{label}}}", sqrt(2 * state**2 + q + 1 + squared), "two states and a token")
    largest = ReLUNetwork(depth, inputs, bound, p, label=f"_{label}", mark=label).largest(D)
    return D.let(f"square_{label}", rf"\hat u_{{{label}}}^2", largest**2, "the read-out is largest there")


# Predictions reach at least 1 for R >= 1, so M >= 2 and the order for tokens is above 1. If that for labels were below
# 1, then s/2 > log(1/p_0) >= 2 log(C_y 4^s), so C_y e^s < 1, which is below the square that predictions reach, and the
# label does not matter.


def truncation_level(
    D: Derivation, bound: Expr, state: Expr, depth: int, exact: bool = False
) -> tuple[Expr, Expr, Expr]:
    """tau, and the fourth moment and the tail that it comes from. Only one token is read at each position."""
    token = longest_moment(D, C_x, d, Integer(1))
    predicted = prediction_square(D, token, bound, state, depth, "mean")
    moment = error_moment(D, label_moment(D, C_y, s), predicted, exact)
    tail = allowed_tail(D, moment, n)
    longest = token_square(D, C_x, d, Integer(1), tail, above=True)
    reached = prediction_square(D, longest, bound, state, depth, "tail")
    return level(D, label_square(D, C_y, s, tail, above=True), reached), moment, tail


def _level(exact: bool) -> Form:
    def build(setting: Setting) -> list[Step]:
        D = Derivation()
        return D.steps_to(truncation_level(D, R, r_h, setting.size("L_y"), exact)[0])

    return build


def _cost(setting: Setting) -> list[Step]:
    D = Derivation()
    _, moment, tail = truncation_level(D, R, r_h, setting.size("L_y"))
    return D.steps_to(cost(D, moment, tail))


lemma_34 = Claim(
    key=TRUNCATION,
    title="What truncation costs recurrent networks",
    kind="concentration",
    statement=r"""In the setting of mousavi2025/33, so that $C_xd$ is at most of the order of $R^2$ and $q+1$ of that
of $R$, and with $r_h\le R$: at some truncation level that is a polynomial of $R$ and $\log n$ the risk exceeds the
truncated risk by no more than the stated amount. The right-hand side is damaged in the source.""",
    symbols=letters("n d q R r_h L_y C_x C_y s"),
    assumes=(UNIT, Assumption(r_h <= R, "r_h is at most R"), Assumption(q + 1 <= R, "q + 1 is at most R"),
             Assumption(C_x * d <= R**2, "C_x d is at most R^2"), EXPONENT),
    uses=("mousavi2025/as1", "mousavi2025/12"),
    constants=(HIDDEN, DEGREE_R),
    samples="n",
    unrolled=("L_y",),
    parts=(
        Part("level", r"\tau", "a truncation level that serves", "<~", POLYNOMIAL,
             printed=lambda _: c0 * ((1 + R) * (1 + log(n))) ** c_R, derived=_level(False), sharp=_level(True)),
        Part("cost", r"R^{RNN}(\hat\Theta)-R_\tau^{RNN}(\hat\Theta)", "what truncation takes off the risk", "<~",
             ABSOLUTE,
             printed=lambda _: c0 / sqrt(n), derived=_cost, source="damaged"),
    ),
)  # fmt: skip
