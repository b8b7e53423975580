"""Section 4: recurrent networks."""

from dataclasses import replace
from fractions import Fraction

from sympy import Expr, Integer, Max, Min, Rational, exp, log, sqrt

from maurey.symbolic.claim import Assumption, Claim, Constant, Form, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.names import C0, OPEN, parameters, symbols
from maurey.symbolic.papers.bach2017 import DIMENSION
from maurey.symbolic.recurrent import Recurrent
from maurey.symbolic.relu_networks import least_product
from maurey.symbolic.truncation import cost, truncated_gap

from .letters import EXPONENT, EXPONENT_OF_FAILURE, HIDDEN, RELEVANT, let_radii, letters
from .section_3 import FAILURE
from .section_b_covers import KEYS, complexity_of, truncation_level
from .section_b_lower import (
    ABSOLUTE,
    DEPARTURES,
    ONE_TOKEN,
    REPRESENTATION_PARTS,
    REPRESENTATION_SYMBOLS,
    RISK_LEVEL,
    dimensions,
    interpolated,
    least_reach,
)
from .section_b_network import DEGREE, POLYNOMIAL
from .section_b_rnn import NETWORK, READOUT_DEPTH, TRANSITION_DEPTH, needed_radius, network_size, network_square

n, N, d, q, m, r_a, r_w, eps_2NN, d_h, L_y = symbols("n N d q m r_a r_w eps_2NN d_h L_y")
c, c0, c_1, c_2, c_3, c_P, C_P = symbols("c C0 c_1 c_2 c_3 c_P C_P")

ONE_POSITION, READOUT = "mousavi2025/35", "maurey/readout"

# --- 5 ---------------------------------------------------------------------------------------------------------------


def _risk(sharp: bool) -> Form:
    def build(D: Derivation) -> Expr:
        tokens, _ = let_radii(D)
        token = D.let("token", r"\|z\|", sqrt(tokens**2 + q + 1), "a token and $q+1$ unit vectors")
        state = needed_radius(D, "state", tokens)
        ball = D.let("ball", "R", sqrt(network_square(D, tokens)), "a ball that holds the network of 28", NETWORK)
        size = network_size(D, "size", tokens)
        net = Recurrent(
            steps=N,
            transition_depth=TRANSITION_DEPTH,
            readout_depth=READOUT_DEPTH,
            inputs=token,
            bound=ball,
            parameters=size,
            state=state,
            keys=KEYS,
            sharp=sharp,
            projected=True,
        )
        fit = D.let("fit", r"\hat R_n", 4 * eps_2NN, "the minimiser fits as well as that network", NETWORK)
        tau, moment, tail = truncation_level(D, ball, state, READOUT_DEPTH, sharp)
        failing = D.let("failing", r"\delta", n ** (-c), "the probability that the deviation is larger")
        gap = truncated_gap(D, complexity_of(D, net, tau), tau, failing, n, sharp)
        taken = cost(D, moment, tail, "taken_off")
        reason = "fit, gap of the truncated risk, and what truncation takes off"
        return D.let("risk", "", fit + gap + taken, reason, "mousavi2025/34")

    return steps(build)


def _printed_risk() -> Expr:
    power = (C_P * (1 + d + q + m + r_a + r_w + 1 / eps_2NN + log(n * N))) ** c_P
    return c0 * (eps_2NN + sqrt(power / n))


theorem_5 = Claim(
    key="mousavi2025/5",
    title="Recurrent networks learn simple-qSTR",
    kind="generalization",
    statement=r"""Simple-qSTR under Assumptions 1, 2 and 3; $\hat\Theta$ minimises the empirical risk over recurrent
networks with $\|\mathrm{vec}(\Theta)\|_2\le R$, $R$ as large as the network of mousavi2025/28 asks for, and
transitions that are $\alpha_N$-Lipschitz in the state with $\alpha_N\le1/N$. Depths are $L_h=4$ and $L_y=5$, of
constant order in the paper, and $r_h$ is of the order of $\sqrt{qd}$ up to logarithms. The risk is at most the stated
amount, with a polynomial of $d$, $q$, $m_g$, $r_a$, $r_w$, $1/\varepsilon_{2NN}$ and $\log(nN)$, but for the stated
probability of failure.""",
    symbols=letters("n N d q d_e m r_a r_w eps_2NN C_x C_y s", m="m_g"),
    assumes=(RELEVANT, EXPONENT),
    samples="n",
    uses=("mousavi2025/12", NETWORK, "mousavi2025/33", "mousavi2025/34"),
    constants=(
        HIDDEN,
        DEGREE,
        Constant("C_P", Fraction(1), "C_P", "the size of the polynomial's coefficients", OPEN, left_open=True),
        DIMENSION,
        EXPONENT_OF_FAILURE,
    ),
    parts=(
        Part("risk", r"R^{RNN}(\hat\Theta)", "risk of the minimiser", "<~", POLYNOMIAL,
             printed=lambda _: _printed_risk(), derived=_risk(False), sharp=_risk(True)),
        FAILURE,
    ),
)  # fmt: skip

# --- 6 ---------------------------------------------------------------------------------------------------------------

proposition_6 = Claim(
    key="mousavi2025/6",
    title="Width and norm that 1STR costs a recurrent network",
    kind="lower-bound",
    statement=rf"""{ONE_TOKEN} There is an absolute $c>0$ such that a population risk of at most $c$ implies both
bounds: then the risk is at most $c$ at some position.""",
    symbols=REPRESENTATION_SYMBOLS,
    uses=(ONE_POSITION,),
    constants=(C0, RISK_LEVEL),
    differs=DEPARTURES,
    parts=REPRESENTATION_PARTS,
)

# --- 7: what is left of it -------------------------------------------------------------------------------------------
#
# Either n >= d_h, and d_h is at least what 6 asks for at the largest norm allowed; or n < d_h, the interpolating
# network bounds the norm of the least one, and 6 asks for more unless n is large. The latter comes to nothing once d_h
# is of the order of N: the bound of 6 on the norm does not stand there. But read-outs are ReLU networks here, and for
# these the product of the Frobenius norms is needed at any width (maurey/readout).


def _samples(D: Derivation, sharp: bool = False) -> Expr:
    reason = r"AM-GM: $(\mathfrak L^2\|U\|_F^2)^{1/L_y}\le\|\mathrm{vec}(\Theta)\|^2/L_y$, so "
    reason += r"$\mathfrak L\|U\|\le\Omega$ at the largest norm allowed"
    allowed = D.let("allowed", r"\Omega", exp(N**c) / L_y ** (L_y / 2), reason)
    reason = r"if $n\ge d_h$: the width that the risk needs; the read-out sees the sum $Uh$ where 6 has the pair, and "
    reason += "the same count of a packing holds with half the dimension"
    narrow = D.let("narrow", "n_1", Max(d_h, dimensions(D, c_3, allowed, sharp)), reason, "mousavi2025/6")
    key, product = (READOUT, least_product(D, N, L_y, c_3)) if sharp else ("mousavi2025/6", least_reach(D, c_3))
    reason = r"if $n<d_h$: the $\|\mathrm{vec}(\Theta)\|^2$ that the risk needs, by the same inequality; "
    reason += "the sum $Uh$ here too"
    needed = D.let("needed", "Y", L_y * product ** (2 / L_y), reason, key)
    reason = r"over $n^3$, to which it is proportional, of a two-layer network through the samples; read off at $n=2$"
    cubic = D.let("cubic", "T", interpolated(D, Integer(2)) / 8, reason, "mousavi2025/36")
    reason = r"embedded, it has $\|\mathrm{vec}(\Theta)\|^2\le2Tn^3+2(L_y-2)$; the least network has no more"
    wide = D.let("wide", r"n_2", (Max(0, needed - 2 * (L_y - 2)) / (2 * cubic)) ** Rational(1, 3), reason)
    return D.let("samples", "", Min(narrow, wide), "one of the two")


def _probability(D: Derivation) -> Expr:
    return D.let("probability", "", Rational(1, 6), "a network through the samples exists", "mousavi2025/36")


theorem_7 = Claim(
    key="mousavi2025/7",
    title="Recurrent networks need many samples for 1STR",
    kind="lower-bound",
    statement=r"""1STR as in mousavi2025/6; states of norm at most 1, outputs by a ReLU network of a depth $L_y$ that
is bounded by an absolute constant, $d_h\le e^{N^c}$ and $\|\mathrm{vec}(\Theta)\|_2\le e^{N^c/L_y}$ with $c<1$. There
are $c_1,c_2,c_3>0$, absolute but that $c_1$ and $C_0$ may depend on $L_y$, such that, with $n\lesssim N^{c_1}$
samples, every min-norm $\varepsilon$-ERM has, with probability at least $c_2$, a population risk of at least $c_3$:
fewer samples than stated do not do. The paper states this for every width. Its proof rests, for $d_h>n$, on the bound
of mousavi2025/6 on the norm, which does not stand; what is left of it comes to nothing once $d_h$ is of the order of
$N$. The exponent of $n$ in its bound on the interpolating network is damaged in the source and is read as in
mousavi2025/36. The sharp form holds at every width, by another route.""",
    symbols=parameters("N d_h L_y c", N={"meaning": "sequence length"}),
    assumes=(Assumption(L_y >= 2, "the output network has at least two layers"),),
    uses=("mousavi2025/6", "mousavi2025/36", READOUT),
    constants=(
        replace(C0, of=("L_y",)),
        Constant("c_1", Fraction(1, 8), "c_1", "the power of the length", OPEN, left_open=True, of=("L_y", "c")),
        Constant("c_2", Fraction(1, 6), "c_2", "the probability", OPEN, left_open=True),
        Constant("c_3", Fraction(1, 400), "c_3", "the risk that is small", f"{OPEN}; 1/400 will do", left_open=True),
    ),
    samples="n",
    differs=DEPARTURES | {"wide": r"it takes $\|U\|^2\gtrsim N/(\mathfrak L^2\log(1+d_h))$ for granted"},
    parts=(
        Part("samples", "n", "samples without which the risk is large", ">~", ABSOLUTE,
             printed=lambda _: c0 * N**c_1, derived=steps(_samples), sharp=steps(lambda D: _samples(D, True))),
        Part("probability", "p", "probability", ">=", printed=lambda _: c_2, derived=steps(_probability)),
    ),
)  # fmt: skip
