"""One row of parameters and AdamW, for trials of several networks: nothing here knows what is learned."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


class Learner:
    """(P,) or (1, P), moved by the gradient of a loss; `decay` is what each parameter loses in a step."""

    def __init__(self, start: Tensor, decay: Tensor | float = 0.0, second: float = 0.999, clip: float = 0.0) -> None:
        self.flat, self.decay, self.betas, self.clip = start.clone(), decay, (0.9, second), clip
        self.moments, self.steps = (torch.zeros_like(start), torch.zeros_like(start)), 0

    def step(self, loss: Callable[[Tensor], Tensor], rate: float, at: Tensor | None = None) -> float:
        """With the gradient at the parameters, or elsewhere."""
        flat = (self.flat if at is None else at).detach().requires_grad_()
        found = loss(flat)
        (slope,) = torch.autograd.grad(found, flat)
        if self.clip:
            slope = slope * min(1.0, self.clip / (float(slope.norm()) + 1e-6))
        self.steps += 1
        first, second = self.moments
        first.lerp_(slope, 1 - self.betas[0])
        second.mul_(self.betas[1]).addcmul_(slope, slope, value=1 - self.betas[1])
        ones = [1 - beta**self.steps for beta in self.betas]
        self.flat = self.flat - self.decay
        self.flat = self.flat.addcdiv(first / ones[0], (second / ones[1]).sqrt() + 1e-8, value=-rate)
        return float(found.detach())


def whole_steps(
    start: Tensor, unit: Tensor | float, loss: Callable[[Tensor], Tensor], steps: int, pace: float
) -> Tensor:
    """Coordinates that are learned, in units: in the second half of the steps the gradient is taken at the nearest
    multiples of the unit, and these are what comes back, as whole numbers."""
    learner = Learner(start, second=0.99)
    for i in range(steps):
        at = (learner.flat / unit).round() * unit if i >= steps // 2 else None
        learner.step(loss, pace * (1 - i / steps), at)
    return (learner.flat / unit).round()
