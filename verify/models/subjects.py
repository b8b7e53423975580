"""A model and the class that was measured on it as a network of the calculus, of which routes are asked.

Where only some layers are frozen, the layers are written out, so that each matrix has a name of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sympy import Integer, S

from maurey.numeric.routes import Subject, subject
from maurey.symbolic.architecture import Architecture, Loss, Norm
from maurey.symbolic.bounds import Stored
from maurey.symbolic.compiled import cap, m, margin
from maurey.symbolic.modules import CrossEntropy, Layers, MeanToken, Ramp, Sequence, Signal, ZeroOne
from maurey.symbolic.modules.layers import written_out

from .memory.graphs import Compiled

HEAD = Fraction(1)  # the longest row of a head that the model lacks


def of_record(a: Architecture, norms: Mapping[str, Norm], loss: Loss, apart: bool) -> Subject:
    """`apart`: with the layers written out."""
    new = {} if a.tied or any(name.split("_")[0] == "head" for name in norms) else {head_norm(a): HEAD}
    s = subject(replace(a, norms={**norms, **new}, loss=loss))
    return written(s, a.layers) if apart else s


def head_norm(a: Architecture) -> str:
    """What is said of a new head: its longest row, where scores are measured by the largest one."""
    return "head_rows" if a.classes > 1 else "head"


def written(s: Subject, layers: int) -> Subject:
    modules: list[Any] = []
    for part in s.network.modules:  # type: ignore[attr-defined]
        modules += written_out(part, layers).modules if isinstance(part, Layers) else [part]
    numbers: dict[str, tuple[Any, Any]] = {}
    for label, (count, over) in s.numbers.items():
        copies = [label] if over is None else [f"{label}_{n}" for n in range(1, layers + 1)]
        numbers |= dict.fromkeys(copies, (count, None))
    return replace(s, network=Sequence(tuple(modules)), numbers=numbers)


def of_memory(c: Compiled, norms: Mapping[str, Norm], loss: Loss, radius: Fraction, tokens: int) -> Subject:
    """A module of torch; vectors that come in are at most as long as the radius, words are one-hot."""
    x = Signal(Integer(1) * radius.numerator / radius.denominator, m, Integer(tokens))
    if c.words:
        x = Signal(S.One, m, Integer(tokens), S.One)
    values = {"margin": loss.margin, "cap": loss.cap} | {f"B_{name}": bound for name, bound in norms.items()}
    return Subject(
        title=c.title,
        network=c.network,
        inputs=x,
        loss=loss_of(loss, c.classes > 1, c.every_token),
        range=loss.cap if loss.kind == "cross-entropy" else Fraction(1),
        values=values,
        numbers=numbers_of(c),
    )


def loss_of(loss: Loss, several: bool, every_token: bool) -> Any:
    """With the mean over the tokens, where each has a loss."""
    if loss.kind == "0-1":
        return ZeroOne()
    one = Ramp(margin, several) if loss.kind == "ramp" else CrossEntropy(cap, several)
    return Sequence((one, MeanToken())) if every_token else one


def numbers_of(c: Compiled) -> Stored:
    return {label: (Integer(A.array.size), None) for label, A in c.tensors.items()}
