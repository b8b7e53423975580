"""Checks of Edelman et al. 2022, by kind of argument, and what only they need.
Keys of other papers are not registered here, and nothing else imports these checks but the exhibits and tests."""

from maurey.verify.checks import exempt

exempt(
    "a definition: it says what words mean, and there is nothing to check",
    "edelman2022/2.1",
    "edelman2022/3.1",
    "edelman2022/3.2",
    "edelman2022/4.1",
    "edelman2022/A.1",
)
