"""Appendix B.3, continued: the transition, what the hidden states store, and the network from end to end."""

from dataclasses import dataclass

from sympy import Expr, Integer, Min, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.names import C0, symbols
from maurey.symbolic.papers.bach2017 import DIMENSION

from .letters import let_embedding, letters
from .section_b_network import (
    DEGREE,
    ERROR,
    POLYNOMIAL,
    TWO,
    first_sum,
    first_width,
    gate_row,
    gate_sum,
    norm_of,
    second_width,
    stated_error,
)

eps, d, q, m, d_e, r_x = symbols("eps d q m d_e r_x")
r_a, r_w, eps_2NN, c0, c_P = symbols("r_a r_w eps_2NN C0 c_P")

NETWORK, TRANSITION_DEPTH, READOUT_DEPTH = "mousavi2025/28", 4, 5
FIRST, SECOND, TRANSITION, STATES, LINK = (f"mousavi2025/{number}" for number in ("23", "25", "26", "27", "as2"))

# --- 26 --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Transition:
    """The two layers, and the rectifier u -> s(u - b) - s(-u - b), which is zero for |u| <= b and moves u by b at most.

    The second layer is compared with its target where the first one is exact, and is Lipschitz from there, so that it
    does not matter that inner products come out up to their error above 1."""

    error: Expr
    tokens: Expr = r_x

    def radius(self, D: Derivation) -> Expr:
        return D.let("radius", "R_x", sqrt(1 + self.tokens**2), "a coordinate of the token and an inner product")

    def second_error(self, D: Derivation) -> Expr:
        return D.let("error_2", r"\varepsilon_2", self.error / 4, "of the second layer")

    def second_sum(self, D: Derivation) -> Expr:
        return gate_sum(D, self.radius(D), self.second_error(D), TWO)

    def lipschitz(self, D: Derivation) -> Expr:
        value = self.second_sum(D) * gate_row(D, self.radius(D), TWO)
        return D.let(
            "lipschitz_2", r"L_2", value, r"$\|A_2^\top\|_{1,\infty}\|W_2^\top\|_{1,\infty}$, in $\ell_\infty$", SECOND
        )

    def through(self, D: Derivation) -> Expr:
        return D.let(
            "through", r"\zeta", self.error / 4, r"what the first layer's error may come to, $\varepsilon_1L_2$"
        )

    def first_error(self, D: Derivation) -> Expr:
        return D.let("error_1", r"\varepsilon_1", self.through(D) / self.lipschitz(D), "of the first layer")

    def before(self, D: Derivation) -> Expr:
        """The error before the rectifier."""
        value = self.second_error(D) + self.through(D)
        return D.let(
            "layers", r"\|\chi_2-\Psi\|_\infty", value, "the second layer's own error, and the first one's through it"
        )

    def bias(self, D: Derivation) -> Expr:
        return D.let("bias", "b", self.before(D), "of the rectifier: all of the error before it")

    def widths(self, D: Derivation) -> tuple[Expr, Expr]:
        return first_width(D, self.first_error(D)), second_width(D, self.radius(D), self.second_error(D))

    def middle_row(self, D: Derivation) -> Expr:
        value = gate_row(D, self.radius(D), TWO) * first_sum(D, self.first_error(D))
        return D.let("middle", r"\|(W_2A_1)^\top\|_{1,\infty}", value, "a row of the product of two layers")


def _on(D: Derivation) -> Expr:
    net = Transition(eps)
    return D.let("error", "", net.before(D) + net.bias(D), "the rectifier moves by its bias at most")


def _off(D: Derivation) -> Expr:
    net = Transition(eps)
    reason = r"$\Psi$ is zero there, inner products being at most $\frac12$: nothing is left above the bias"
    return D.let("off", "", net.before(D) - net.bias(D), reason, "mousavi2025/as3")


def layers_square(D: Derivation, net: Transition) -> Expr:
    """Of the first two layers. A row's l2 norm is at most its l1 norm, and biases are at most 1."""
    first, second = net.widths(D)
    value = 2 * first + second * (net.middle_row(D) ** 2 + 1)
    return D.let("layers_squared", r"\nu^2", value, "the first two layers: rows and biases")


def transition_square(D: Derivation, net: Transition) -> Expr:
    value = layers_square(D, net) + 2 * q * d * (net.second_sum(D) ** 2 + net.bias(D) ** 2 + 1)
    return D.let(
        "transition_squared", r"\nu_h^2", value, "and the rectifier: two rows and two biases for each coordinate"
    )


def _norm(D: Derivation) -> Expr:
    return D.let("norm", "", sqrt(transition_square(D, Transition(eps))), "no layer has more than all together")


def _width(D: Derivation) -> Expr:
    first, second = Transition(eps).widths(D)
    return D.let("width", "", first + second + 2 * q * d, "no layer has more than all together")


def polynomial(*of: Expr) -> Expr:
    """Of quantities that may be large: a power of their sum."""
    total: Expr = Integer(1)
    for term in of:
        total = total + term
    return c0 * total**c_P


def _embedding() -> Expr:
    return d + (q + 1) * d_e


proposition_26 = Claim(
    key=TRANSITION,
    title="A transition of four layers with exact zeros",
    kind="construction",
    statement=r"""For $z=(x,w_i,w_{t_1},\dots,w_{t_q})$ and every $\varepsilon$ some ReLU network of depth 4 gives,
for all $h$, all $l\le q$ and $\|x\|_2\le r_x$: $x$ within $\varepsilon$ in every coordinate if $t_l=i$, and exactly
zero otherwise. Its norms and widths are at most a polynomial of $r_x$, $D_e=d+(q+1)d_e$ and $1/\varepsilon$.""",
    symbols=letters("eps d q d_e r_x", eps=ERROR),
    uses=(FIRST, SECOND, "mousavi2025/as3"),
    constants=(C0, DEGREE, DIMENSION),
    parts=(
        stated_error(r"\|f^\to(h,z)_l-x\|_\infty", _on),
        norm_of("off", r"\|f^\to(h,z)_l\|_\infty", r"output where $t_l\ne i$", 0, _off),
        Part("norm", r"\max_k(\|W_k\|_F,\|b_k\|_2)", "largest norm of a layer", "<~", POLYNOMIAL,
             printed=lambda _: polynomial(r_x, _embedding(), 1 / eps), derived=steps(_norm)),
        Part("width", r"\max_km_k", "largest width of a layer", "<~", POLYNOMIAL,
             printed=lambda _: polynomial(r_x, _embedding(), 1 / eps), derived=steps(_width)),
    ),
)  # fmt: skip

# --- 27 --------------------------------------------------------------------------------------------------------------


def state_norm(D: Derivation, error: Expr, name: str = "state", tokens: Expr = r_x) -> Expr:
    block = D.let("block", r"\|h(l)\|", tokens + sqrt(d) * error, "a token, and the error in $d$ coordinates")
    return D.let(name, r"\|h\|", sqrt(q) * block, "$q$ blocks")


corollary_27 = Claim(
    key=STATES,
    title="Hidden states store the tokens",
    kind="approximation",
    statement=r"""With the transition of mousavi2025/26 and $r_h$ at least the stated norm: block $l$ of $h_i^\to$ is
zero for $t_l\ge i$, and within $\varepsilon$ of $x_{t_l}$ in every coordinate for $t_l<i$; the projection is never
active. The same for $h^\leftarrow$ from the other end.""",
    symbols=letters("eps d q r_x", eps=ERROR),
    uses=(TRANSITION,),
    parts=(
        stated_error(r"\|h_i^\to(l)-x_{t_l}\|_\infty"),
        norm_of("ahead", r"\|h_i^\to(l)\|", r"states for $t_l\ge i$", 0),
        Part("state", r"\|h_i\|_2", "norm that states may have", printed=lambda _: sqrt(q) * (r_x + sqrt(d) * eps),
             derived=steps(lambda D: state_norm(D, eps))),
    ),
)  # fmt: skip

# --- 28 --------------------------------------------------------------------------------------------------------------


def state_error(D: Derivation) -> Expr:
    reason = r"of the transitions, so that $r_ar_w\sqrt{qd}\cdot2\varepsilon_0$ is half of $\sqrt{\varepsilon_{2NN}}$"
    return D.let("error_h", r"\varepsilon_0", Min(1, sqrt(eps_2NN) / (4 * sqrt(q * d) * r_a * r_w)), reason)


def _squared_error(D: Derivation) -> Expr:
    last = D.let(
        "error_last", r"\tilde\varepsilon", sqrt(eps_2NN) / (2 * sqrt(q * d) * r_a * r_w), "of the token itself"
    )
    stored = D.let(
        "stored", r"\|\hat x-x\|", sqrt(q * d) * (2 * state_error(D) + last), "of the tokens, both directions", STATES
    )
    total = D.let("error", r"|g-\hat y|", sqrt(eps_2NN) + r_a * r_w * stored, "the link's network is Lipschitz", LINK)
    return D.let("squared_error", "", total**2, "squared")


def network_square(D: Derivation, tokens: Expr = r_x) -> Expr:
    """The squared norm of all parameters; the read-out computes the token at hand with the layers of the transition."""
    net = Transition(state_error(D), tokens)
    reason = r"$\sigma(u)-\sigma(-u)=u$ carries the states, adds the three, and feeds the link"
    value = layers_square(D, net) + 2 * q * d * (net.second_sum(D) ** 2 + 10)
    carried = D.let("carried", r"\nu_y^2", value, reason)
    reason = r"the link, with the scale of its two layers at its best: $\sqrt{m_g}$ cancels"
    link = D.let("link", r"\nu_g^2", 2 * sqrt(TWO) * r_a * r_w, reason, LINK)
    total = 2 * transition_square(D, net) + carried + link
    return D.let("squared", r"\|\mathrm{vec}(\Theta)\|^2", total, "two transitions and the read-out")


def network_size(D: Derivation, name: str = "parameters", tokens: Expr = r_x) -> Expr:
    first, second = Transition(state_error(D), tokens).widths(D)
    token, state = let_embedding(D), D.let("state_size", "d_h", q * d, "$q$ tokens")
    sizes = ((first, state + token + 1), (second, first + 1), (2 * state, second + 1), (state, 2 * state))
    transition = D.let("transition_size", "p_h", _sum(sizes), "weights and biases of four layers")
    wide, narrow = 4 * state + first, 4 * state + second
    sizes = ((wide, 2 * state + token + 1), (narrow, wide + 1), (2 * state, narrow + 1), (m, 2 * state + 2))
    readout = D.let("readout_size", r"p_{\hat y}", _sum(sizes), "states carried along, their sum, and the link")
    return D.let(name, "p", 2 * transition + readout, "two transitions and the read-out")


def _sum(sizes: tuple[tuple[Expr, Expr], ...]) -> Expr:
    total: Expr = Integer(0)
    for rows, columns in sizes:
        total = rows * columns if total == 0 else total + rows * columns
    return total


def needed_radius(D: Derivation, name: str = "state", tokens: Expr = r_x) -> Expr:
    return state_norm(D, state_error(D), name, tokens)


def _printed_size(*more: Expr) -> Expr:
    return polynomial(r_x, _embedding(), r_w, r_a, 1 / eps_2NN, *more)


proposition_28 = Claim(
    key=NETWORK,
    title="A recurrent network for simple-qSTR",
    kind="approximation",
    statement=r"""Under Assumption 2 some recurrent network with $p$ parameters, whose transitions do not read the
state, has the stated squared error at all positions, for all $t\in[N]^q$ and $\|x_j\|_2\le r_x$, as soon as $r_h$ is
at least the stated radius. Its norm is at most a polynomial of $r_x$, $D_e$, $r_w$, $r_a$ and $1/\varepsilon_{2NN}$,
and $p$ one of these and $m_g$.""",
    symbols=letters("d q d_e m r_x r_a r_w eps_2NN", m="m_g"),
    uses=(LINK, TRANSITION, STATES),
    constants=(C0, DEGREE, DIMENSION),
    samples="n",
    differs={"link": r"its network for the link has inner weights of norm up to $\sqrt{m_g}r_w$, which the polynomial "
             r"does not know; homogeneity mends that"},
    parts=(
        Part("squared_error", r"\sup_i|g(x_{t_1},\dots,x_{t_q})-\hat y(p)_i|^2", "largest squared error",
             printed=lambda _: 4 * eps_2NN, derived=steps(_squared_error)),
        Part("radius", r"r_h", "radius that states need", printed=lambda _: sqrt(q) * r_x + sqrt(eps_2NN) / (r_a * r_w),
             derived=steps(lambda D: needed_radius(D, "radius"))),
        Part("norm", r"\|\mathrm{vec}(\Theta_{RNN})\|_2", "norm of all parameters", "<~", POLYNOMIAL,
             printed=lambda _: _printed_size(),
             derived=steps(lambda D: D.let("norm", "", sqrt(network_square(D)), "the root"))),
        Part("parameters", "p", "number of parameters", "<~", POLYNOMIAL, printed=lambda _: _printed_size(m),
             derived=steps(network_size)),
    ),
)  # fmt: skip
