"""Theorem 1 and Table 1, which summarise: held against what is proved of the theorems that they name.

A "yes" is an upper bound on the risk that grows with the length as a power of its logarithm, a "no" a number of samples
that is needed and grows as a power of the length. Both are read off forms that stand, not off the printed ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from maurey.numeric.evaluation import value
from maurey.numeric.grids import sweep
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.proofs import Proof, conclude

from .hard_distribution import Law, risk

LENGTHS = (1e50, 1e100, 1e200)
LINK: dict[str, Any] = {"d": 2, "q": 2, "d_e": 8, "m": 4, "r_a": 1, "r_w": 1, "eps_2NN": 0.1}
UPPER = LINK | {"C_x": 1, "C_y": 1, "s": 1, "n": 10**9}
LOWER = {"d_h": 10, "L_y": 2, "c": 0.5}
SOLVED = 1e-12  # a risk that counts as none


def powers(key: str, part: str, at: dict[str, Any], scale: Callable[[float], float]) -> list[float]:
    """With which the sharp form grows, in the given function of the length."""
    logs = [float(sweep(registry.find(key), "sharp", part, **at, N=N).log) for N in LENGTHS]
    widths = [math.log(scale(b) / scale(a)) for a, b in pairwise(LENGTHS)]
    return [(b - a) / width for (a, b), width in zip(pairwise(logs), widths, strict=True)]


def cells() -> Iterator[Proof]:
    """A power of N, however small, would be one of log N that doubles from one pair of lengths to the next."""
    for key, who in (("mousavi2025/3", "Transformers"), ("mousavi2025/5", "recurrent networks")):
        near, far = powers(key, "risk", UPPER, lambda N: math.log(N * UPPER["n"]))
        yield Proof(abs(far - near) < 1, f"the risk of {who} grows as the powers {near}, {far} of log(nN)")
    grown = powers("mousavi2025/7", "samples", LOWER, float)
    yield Proof(min(grown) > 1 / 7, f"the samples of recurrent networks grow as the powers {grown} of N")
    floor = value("mousavi2025/9", "derived", "risk", {"n": 500, "N": 100, "d": 10})
    yield Proof(bool(floor * 2 >= 1), f"half as many samples as coordinates leave feedforward networks {floor}")


SAYS = (
    "at fixed d_e the proved risks of Theorems 3 and 5 grow with the length as a power of its logarithm, the samples "
    "that Theorem 7 needs as the power 1/(3 L_y) of it, and with half as many samples as there are coordinates the "
    "risk of Theorem 9 is at least 1/2"
)


@check("mousavi2025/tab1")
def table(effort: Effort) -> Result:
    return conclude(f"All six cells: {SAYS}.", cells(), rung="derived", instances=4)


@check("mousavi2025/1")
def hierarchy(effort: Effort) -> Result:
    """Four of its sentences are those of the table. The fifth, that fewer than q heads fail, is proved for less."""
    four = conclude(SAYS, cells(), rung="derived", instances=4)
    if four.verdict != "holds":
        return four
    law = Law(d=1, H=1, q=2, restricted=False)
    found, _ = risk(law, effort)
    solved = f"has a risk of {found:.1g}" if found < SOLVED else f"still has a risk of {found:.3g}"
    return Result(
        "undecided",
        "constructed",
        f"Four of its sentences hold: {SAYS}. That fewer than q heads fail is proved for key-query matrices that do "
        "not mix tokens and encodings (Proposition 21), and without that restriction for H < min(q, d). For the other "
        f"H < q it is open, and not shown by the paper's own task: there a layer with one head, run for d = 1 and "
        f"q = 2, {solved}.",
        instances=5,
    )
