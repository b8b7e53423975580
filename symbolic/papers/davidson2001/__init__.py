"""K. R. Davidson and S. J. Szarek, Local operator theory, random matrices and Banach spaces, Handbook I, 2001."""

from sympy import log, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols

d_1, d_2, sigma, delta = symbols("d_1 d_2 sigma delta")

operator = Claim(
    key="davidson2001/2.13",
    title="The largest singular value of a Gaussian matrix",
    kind="concentration",
    statement=r"""A matrix of $d_1$ rows and $d_2$ columns with independent entries $N(0,\sigma^2)$ has, with
probability at least $1-\delta$, at most the stated operator norm.""",
    symbols=parameters("d_1 d_2 sigma delta", sigma={"meaning": "standard deviation of an entry"}),
    parts=(
        Part("operator", r"\|E\|_{op}", "operator norm",
             printed=lambda _: sigma * (sqrt(d_1) + sqrt(d_2) + sqrt(2 * log(1 / delta)))),
    ),
    reference="K. R. Davidson, S. J. Szarek, Handbook of the Geometry of Banach Spaces I (2001) 317-366, Theorem II.13",
)  # fmt: skip
