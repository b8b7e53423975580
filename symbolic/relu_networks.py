"""ReLU networks of a given depth with biases, x -> W_L s(W_{L-1} ... s(W_1 x + b_1) ... + b_{L-1}), covered by counting
their parameters.

Goal: |f(x) - f'(x)| <= Lambda |vec - vec'|_2 for |x| <= r_0. Radii go forward: s shortens, so what layer l computes has
norm at most r_l = B r_{l-1} + B. Movement goes backward: what moves in layer l reaches the output through the L - l
matrices behind it, so W_l counts B^(L-l) r_{l-1} and b_l counts B^(L-l); Cauchy-Schwarz over the 2L - 1 blocks gives
Lambda. A maximal packing of the parameters at eps/Lambda is then a proper cover, and its size is counted by volume.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Add, Expr, Integer, Max, S, sqrt, sympify

from .derivation import Derivation
from .entropy import Entropy, parametric
from .modules import times


@dataclass(frozen=True)
class ReLUNetwork:
    """A class of such networks with at most so many parameters, every |W_l|_F and |b_l|_2 bounded, on |x|_2 <= r_0."""

    depth: int
    inputs: Expr  # r_0
    bound: Expr  # B, on every block
    parameters: Expr  # their number
    vector: Expr | None = None  # a bound on the vector of all parameters, where a better one is known than the blocks'
    label: str = ""  # of its steps, where a derivation has several networks
    mark: str = ""

    def _let(self, D: Derivation, name: str, latex: str, expr: Expr, reason: str, layer: int = 0) -> Expr:
        mark, below = f"^{{{self.mark}}}" if self.mark else "", f"_{{{layer}}}" if layer else ""
        return D.name(f"{name}{self.label}{f'_{layer}' if layer else ''}", f"{latex}{mark}{below}", expr, reason)

    def radii(self, D: Derivation) -> list[Expr]:
        """r_0, ..., r_{L-1}: the norms of what the matrices act on."""
        found = [self.inputs]
        for layer in range(1, self.depth):
            radius = times(self.bound, found[-1]) + self.bound
            found.append(self._let(D, "radius", "r", radius, "what a layer computes from what came in", layer))
        return found

    def largest(self, D: Derivation) -> Expr:
        """The largest |f|; the last layer has no bias."""
        reason = "the last matrix on what the layers before it compute"
        return self._let(D, "range", "A", times(self.bound, self.radii(D)[-1]), reason)

    def movement(self, D: Derivation) -> Expr:
        """Lambda."""
        squares: list[Expr] = []
        for layer, radius in enumerate(self.radii(D), 1):
            behind = self.bound ** (self.depth - layer) if layer < self.depth - 1 else self.bound
            if layer == self.depth:
                squares.append(radius**2)
            else:
                squares += [times(behind, radius) ** 2, behind**2]
        reason = r"Cauchy-Schwarz: $W_l$ counts $B^{L-l}r_{l-1}$ and $b_l$ counts $B^{L-l}$"
        return self._let(D, "Lambda", r"\Lambda", sqrt(Add(*squares)), reason)

    def norm(self, D: Derivation) -> Expr:
        """Of the vector of all parameters."""
        if self.vector is not None:
            return self.vector
        blocks = sqrt(sympify(2 * self.depth - 1))
        reason = r"$L$ matrices and $L-1$ biases"
        return self._let(D, "rho", r"\rho", times(blocks, self.bound), reason)

    def reach(self, D: Derivation) -> Expr:
        reason = "the most that the output moves over the ball"
        return self._let(D, "reach", "M", times(self.norm(D), self.movement(D)), reason)

    def entropy(self, D: Derivation, key: str = "") -> Entropy:
        """p log(1 + 2 rho Lambda/eps): balls of half the packing's distance are disjoint in the ball of radius rho and
        half that distance more. The centres are networks of the class."""
        reason = "a maximal packing of the parameters, counted by volume"
        return replace(parametric(self.parameters, times(S(2), self.reach(D))), reason=reason, key=key)

    def best_entropy(self, D: Derivation, key: str = "") -> Entropy:
        """From the largest |f| on one centre, the network that is zero, is enough."""
        return replace(
            self.entropy(D, key).trivial(self.largest(D)), reason="one centre from the range of the class on"
        )


def two_layer_movement(bound: Expr, inputs: Expr) -> Expr:
    """Of a . s(W h + b) per unit of all its parameters together, these in a ball and |h| bounded (maurey/block)."""
    return bound * sqrt(1 + inputs**2)


def largest_product(bound: Expr) -> Expr:
    """Of the norms of its two layers, which is its Lipschitz constant (maurey/block)."""
    return bound**2 / 2


def block_entropy(inputs: Expr, bound: Expr, parameters: Expr) -> Entropy:
    """Of such a network: a maximal packing of the ball of its parameters."""
    count = parametric(parameters, 2 * bound * two_layer_movement(bound, inputs))
    return replace(count, reason="a maximal packing of all parameters together, by volume", key="maurey/block")


def least_product(D: Derivation, length: Expr, depth: Expr, risk: Expr) -> Expr:
    """Of the Frobenius norms of a read-out of the given depth, the map of the states included, if its risk on 1STR is
    small at one position (maurey/readout)."""
    reason = (
        r"$\sum_k\mathbb E\,g_kF_k$ over the other tokens, whose values $g_k$ the outputs $F_k$ are near on average"
    )
    met = D.let("met", "M", length - 1 - sqrt(length * (length - 1) * risk), reason)
    reason = r"a layer takes $a$ to $4a+1$: Sudakov and Fernique for the mean of a supremum, Poincare for its variance"
    grown = D.let("grown", "G", (Integer(4) ** depth - 1) / 3, reason)
    value = Max(0, met) / sqrt(2 * Max(1, length - 1) * grown)
    reason = r"$M$ is at most $\sqrt{2(N-1)G}$ times the product; states have norm at most $\sqrt2$"
    return D.let("product", r"\Pi", value, reason, "maurey/readout")
