"""Checks of Edelman et al. 2022, by kind of argument."""

from maurey.verify.checks import exempt

exempt(
    "a definition: it says what words mean, and there is nothing to check",
    "edelman2022/2.1",
    "edelman2022/3.1",
    "edelman2022/3.2",
    "edelman2022/4.1",
    "edelman2022/A.1",
)
