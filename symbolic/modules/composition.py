"""Modules put together: one after the other, side by side, around a residual."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Add, Expr, Integer, sqrt

from ..derivation import Derivation
from .signals import Module, Sensitivity, Signal, Weight, merged, times


@dataclass(frozen=True)
class Sequence:
    """One module after the other: radii forward, products of Lipschitz constants backward."""

    modules: tuple[Module, ...]

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        stages: list[Sensitivity] = []
        for module in self.modules:
            stage = module.sensitivity(D, x)
            stages.append(stage)
            radius = D.fresh("R", "R", stage.output.radius, "the radius of what comes out")
            x = replace(stage.output, radius=radius)
        downstream: Expr = Integer(1)
        weights: tuple[Weight, ...] = ()
        for i in reversed(range(len(stages))):
            own = (replace(w, coefficient=times(downstream, w.coefficient)) for w in stages[i].weights)
            weights = (*own, *weights)
            if any(stage.weights for stage in stages[:i]):
                product = times(downstream, stages[i].lipschitz())
                downstream = D.fresh("Lambda", r"\Lambda", product, "Lipschitz constants from here to the output")
        return Sensitivity(x, lambda: times(*(stage.lipschitz() for stage in reversed(stages))), merged(weights))


def compose(*modules: Module) -> Sequence:
    return Sequence(modules)


@dataclass(frozen=True)
class Residual:
    """x + f(x)."""

    inner: Module

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        f = self.inner.sensitivity(D, x)
        return Sensitivity(f.output.to(x.radius + f.output.radius), lambda: 1 + f.lipschitz(), f.weights)


@dataclass(frozen=True)
class Heads:
    """Heads side by side on the same tokens, summed or concatenated. A head moves only its own summand or
    block, so its weights keep their coefficients."""

    heads: tuple[Module, ...]
    concatenated: bool = False

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        stages = [head.sensitivity(D, x) for head in self.heads]

        def join(values: list[Expr]) -> Expr:
            return sqrt(Add(*(v**2 for v in values))) if self.concatenated else Add(*values)

        output = replace(stages[0].output, largest=any(s.output.largest for s in stages))
        return Sensitivity(
            output.to(join([s.output.radius for s in stages])),
            lambda: join([s.lipschitz() for s in stages]),
            tuple(weight for s in stages for weight in s.weights),
        )


@dataclass(frozen=True)
class EqualHeads:
    """The sum of H independent heads that share their bounds, not their weights."""

    number: Expr
    head: Module

    def sensitivity(self, D: Derivation, x: Signal) -> Sensitivity:
        s = self.head.sensitivity(D, x)
        return Sensitivity(
            s.output.to(self.number * s.output.radius),
            lambda: self.number * s.lipschitz(),
            tuple(replace(w, copies=times(self.number, w.copies)) for w in s.weights),
        )
