"""Bach's approximation of Lipschitz functions by ReLU units, taken from the literature."""

from maurey.verify.checks import exempt

exempt(
    "an axiom on Lipschitz functions in any dimension, taken from the literature; what the paper uses it for is built "
    "without it",
    "bach2017/1",
    "bach2017/6",
)
