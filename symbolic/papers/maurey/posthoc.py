"""Norms that are read off a trained network are a class that was chosen after the data; here is what that costs."""

from sympy import Integer, Rational, Sum, log, pi

from maurey.symbolic.claim import Claim, Parameter, Part
from maurey.symbolic.names import INTEGER, indexed, parameters, symbols

n, i, B = symbols("n i B_W")
(place,) = indexed("place")
WIDTH = Rational(1, 8)  # of a cell, in powers of two
TOTAL = pi**2 / 3 - 1  # the sum over all cells of 1/place^2

posthoc = Claim(
    key="maurey/posthoc",
    title="Norms as measured: a union over a grid",
    kind="generalization",
    statement=r"""The classes of networks in which each of $n$ norms is at most $2^{k_i/8}$, one class for each
$k\in\mathbb Z^n$, get the weights $\prod_i(1+|k_i|)^{-2}/(\frac{\pi^2}3-1)$. If for every class a bound holds with
probability $1-\delta'$ for all its networks, then with probability $1-\delta$ the bounds of all classes hold at once,
each at $\delta'$ equal to $\delta$ times the weight of its class: the weights sum to 1, as
$\sum_{k\in\mathbb Z}(1+|k|)^{-2}=2\zeta(2)-1$; a union. So norms may be read off the network that was trained, rounded
up to their cells, and $\log(1/\delta)$ grows by the stated price, with places $1+|k_i|$. A norm that is zero lies in
every cell. What shrinks as a number grows, as a margin does, is gridded by its inverse.""",
    symbols=(
        Parameter("place", r"\kappa", "place $1+|k|$ of the cell that a norm is in", INTEGER, "n"),
        *parameters("n B_W_F", n={"meaning": "number of norms"},
                    B_W_F={"name": "B_W", "latex": "B", "meaning": "a norm, not zero"}),
    ),
    parts=(
        Part("price", r"\log(1/w)", "what is added to $\\log(1/\\delta)$", "=",
             printed=lambda _: Sum(2 * log(place[i]) + log(TOTAL), (i, 1, n))),
        Part("cell", r"2^{k/8}", "the norm of the network's cell", printed=lambda _: Integer(2) ** WIDTH * B),
    ),
)  # fmt: skip
