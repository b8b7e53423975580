"""From covers to gaps: the chain against complexities that can be computed, and against single functions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from maurey.numeric.balls import enclose
from maurey.numeric.binding import bind
from maurey.numeric.evaluation import value, value_of
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import known_classes, rademacher
from maurey.verify.complexity.deviations import deviations, single_functions


@check("edelman2022/A.2")
def integral_with_a_cut_off(effort: Effort) -> Iterator[Result]:
    for form in ("printed", "derived", "sharp"):
        yield known_classes.chain("edelman2022/A.2", form, "R", effort)


ZERO = "the class of the zero function alone: entropy 0, empirical complexity 0"


@check("edelman2022/A.3")
def quadratic_entropy(effort: Effort) -> Iterator[Result]:
    for form in ("printed", "repaired", "derived", "sharp"):  # C_F is at most A^2 m in all of them
        yield known_classes.chain("edelman2022/A.3", form, "R", effort, quadratic=True)
    yield _negative("edelman2022/A.3", "R", "no complexity is")


def _negative(key: str, part: str, while_: str, **more: Any) -> Result:
    """Dudley's integral is cut off at sqrt(C_F/m), beyond A. The zero function has an entropy of 0: any C_F will do."""
    at: dict[str, Any] = {"A": "1", "C_F": "100", "m": "10", **more}
    said = enclose(registry.find(key), "printed", part, **at)
    assert said.upper < 0
    note = f"it is negative where sqrt(C_F/m) exceeds e A, for every c > 0, and {while_}"
    return refuted(note, {"class": ZERO, **at}, said.value, 0, part=part, instances=1)


COIN = "one function and the loss b y with y = +1 or -1 at random: complexity 0, risk 0"
THREE = f"{COIN}; of three draws all are alike with probability 1/4, and the empirical risk is then b or -b"
ONE_SIDED = (
    "one function and the loss 0 or b at random: complexity 0, risk b/2; the empirical risk of one draw is 0 or b"
)


@check("edelman2022/A.4")
def two_sides(effort: Effort) -> Iterator[Result]:
    """Losses in [-b, b] at m = 3; and, should b-bounded mean losses in [0, b], at m = 1."""
    claim = registry.find("edelman2022/A.4")
    common: dict[str, Any] = {"L_loss": "1", "b": "1", "R_F": "0"}
    for words, true, at, note in (
        (THREE, 1, common | {"delta": "6/25", "m": "3"}, "the gap is b with probability 1/4, which is more than delta"),
        (ONE_SIDED, Fraction(1, 2), common | {"delta": "9/10", "m": "1"}, "losses in [0, b]: the gap is b/2, always"),
    ):
        said = enclose(claim, "printed", "gap", **at)
        assert said.upper < true
        yield refuted(note, {"class": words, **at}, said.value, true, part="gap", instances=1)
    for form in ("repaired", "derived", "sharp"):
        yield single_functions("edelman2022/A.4", effort, form)
    yield from deviations("edelman2022/A.4", ("repaired", "derived", "sharp"), True, effort, L_loss=1)


@check("edelman2022/2.2")
def gap_from_entropy(effort: Effort) -> Iterator[Result]:
    claim = registry.find("edelman2022/2.2")
    at: dict[str, Any] = {"L_loss": "1", "A": "1", "b": "1", "delta": "6/25", "m": "3", "c": "12"}
    falling = [enclose(claim, "printed", "gap", C_F=Fraction(1, t), **at) for t in (10**12, 10**18, 10**24)]
    assert all(said.upper < 1 for said in falling)
    witness = {"class": THREE, "at": at, "ray": {"C_F": -1}, "t": ["1E+12", "1E+18", "1E+24"]}
    witness |= {"ratios": [f"{said.upper:.6g}" for said in falling]}
    note = (
        "the gap is b with probability 1/4, which is more than delta; one function has an entropy of 0, so C_F may be "
    )
    note += "as small as one likes, and then the bound is below b whatever c is"
    yield refuted(note, witness, falling[-1].value, 1, part="gap", instances=1)
    yield _negative("edelman2022/2.2", "gap", "no gap is", L_loss="1", b="1", delta="1/4")
    yield from heads(effort)


def heads(effort: Effort) -> Iterator[Result]:
    """Attention heads: the complexity that ascent reaches, within what 4.4 and the chain allow."""
    rng = np.random.default_rng(effort.seed)
    head = registry.find("edelman2022/4.4")
    norms = {"B_V": 1.0, "B_V_inf": 0.7, "B_QK_inf": 3.0}
    best, count = {"repaired": 0.0, "derived": 0.0, "sharp": 0.0}, 0
    for m, T, d in ((16, 3, 2), (32, 6, 3), (64, 4, 2)):
        X = rng.normal(size=(m, T, d))
        X /= np.linalg.norm(X, axis=2, keepdims=True)
        found = rademacher.head(X, norms, 40 * effort.scale, 16 * effort.scale, rng)
        bound = bind(head, "sharp", "log_N", {"eps": 1, "d": d, "m": m, "T": T, "L_sigma": 1, "B_X": 1, **norms})
        gamma = next(i for i, step in enumerate(bound.steps) if step.name == "gamma")
        C_F = float(value_of(bound.steps[: gamma + 1], bound.values)) ** 3
        count += 1
        for form in best:
            # the smallest b and the largest delta leave the complexity term alone, twice the complexity
            at = {"L_loss": 1, "C_F": C_F, "A": 1, "b": "1e-9", "delta": "999/1000", "m": m}
            said = float(value("edelman2022/2.2", form, "gap", at))
            if 2 * found.lower > said:
                where = {"m": str(m), "T": str(T), "d": str(d)} | {n: str(v) for n, v in norms.items()}
                yield refuted("a head's complexity exceeds it", where, said, 2 * found.lower, part="gap", form=form)
                return
            best[form] = max(best[form], 2 * found.value / said)
    note = "attention heads: what ascent reaches (a lower bound) is within it, through the entropy of 4.4"
    for form, ratio in best.items():
        yield Result("holds", "tested", note, instances=count, tightness=ratio, part="gap", form=form)
