"""Norms that are read off a trained network are a class that was chosen after the data; here is what that costs."""

from sympy import Integer, Rational, Sum, log, pi

from maurey.symbolic.claim import Claim, Parameter, Part
from maurey.symbolic.names import INTEGER, indexed, parameters, symbols

n, i, B = symbols("n i B_W")
(place,) = indexed("place")
WIDTH = Rational(1, 8)  # of a cell, in powers of two
SHARE = pi**2 / 3  # the sum over all cells of 1/place^2, the cell of zero among them

posthoc = Claim(
    key="maurey/posthoc",
    title="Norms as measured: a union over a grid",
    kind="generalization",
    statement=r"""Cell $k\in\mathbb Z$ of a norm holds what lies above $2^{(k-1)/8}$ and not above $2^{k/8}$; zero is
a cell of its own. Give cell $k$ the weight $\frac3{\pi^2}(1+|k|)^{-2}$, zero the weight $\frac3{\pi^2}$, and the
cells of $n$ norms together the product. If for the networks of every such cell a bound holds with probability
$1-\delta'$, then with probability $1-\delta$ it holds for all networks at once, at $\delta'$ equal to $\delta$ times
the weight of the network's own cell. So $\log(1/\delta)$ grows by the stated price, with places $1+|k_i|$ (1 for
zero). Proof: the weights sum to 1, as $\sum_{k\in\mathbb Z}(1+|k|)^{-2}=\frac{\pi^2}3-1$; a union. What shrinks as a
number grows, as a margin does, is gridded by its inverse.""",
    symbols=(
        Parameter("place", r"\kappa", "place $1+|k|$ of the cell that a norm is in, 1 for zero", INTEGER, "n"),
        *parameters("n B_W_F", n={"meaning": "number of norms"},
                    B_W_F={"name": "B_W", "latex": "B", "meaning": "a norm, not zero"}),
    ),
    parts=(
        Part("price", r"\log(1/w)", "what is added to $\\log(1/\\delta)$", "=",
             printed=lambda _: Sum(2 * log(place[i]) + log(SHARE), (i, 1, n))),
        Part("cell", r"2^{k/8}", "the norm of the network's cell", printed=lambda _: Integer(2) ** WIDTH * B),
    ),
)  # fmt: skip
