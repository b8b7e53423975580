"""Recurrent networks with projected states: h_i = P(h_{i-1} + f(h_{i-1}, z_{i-1})) in both directions, read out by a
network f_y(h_i, h'_i, z_i), all of them ReLU networks with parameters in one ball.

Goal: a cover of the outputs at eps from covers of the three networks. A transition is alpha-Lipschitz in the state with
alpha <= 1/N and the projection is 1-Lipschitz, so states move by at most G = sum of (1 + alpha)^l over N - 1 steps
times what the transition moves at one state, G <= (e - 1) N; the read-out passes that on with its own Lipschitz
constant. The transition must be covered at every state, hence on a ball: states are bounded by the projection, or,
since |f(h, z)| <= alpha |h| + |f(0, z)|, by G times the largest |f(0, z)|.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import E, Expr, Integer, Min, Piecewise, log, sqrt

from .derivation import Derivation
from .relu_networks import ReLUNetwork


@dataclass(frozen=True)
class Keys:
    """The claims that prove its steps."""

    network: str = ""
    composition: str = ""


@dataclass(frozen=True)
class Recurrent:
    steps: Expr  # N, the length
    transition_depth: int
    readout_depth: int
    inputs: Expr  # on |z|
    bound: Expr  # on the vector of all parameters
    parameters: Expr
    state: Expr  # the radius of the projection
    keys: Keys = Keys()
    sharp: bool = False
    projected: bool = False  # states are as large as the projection lets them be

    def growth(self, D: Derivation) -> Expr:
        reason = r"$((1+\alpha_N)^N-1)/\alpha_N$, largest at $\alpha_N=1/N$"
        return D.let("growth", "G", (E - 1) * self.steps, reason, self.keys.composition)

    def reached(self, D: Derivation) -> Expr:
        """The largest norm of a state."""
        if self.projected:
            return self.state
        fresh = ReLUNetwork(self.transition_depth, self.inputs, self.bound, self.parameters, label="_0", mark="0")
        reason = "the projection, or all steps from zero, each Lipschitz in the state"
        return D.let("reached", r"\eta", Min(self.state, self.growth(D) * fresh.largest(D)), reason)

    def transition(self, D: Derivation) -> ReLUNetwork:
        inputs = D.let("inputs_h", "r^h", sqrt(self.inputs**2 + self.reached(D) ** 2), "a state and a token")
        return ReLUNetwork(
            depth=self.transition_depth,
            inputs=inputs,
            bound=self.bound,
            parameters=self.parameters,
            vector=self.bound,
            label="_h",
            mark="h",
        )

    def readout(self, D: Derivation) -> ReLUNetwork:
        inputs = D.let("inputs_y", "r^y", sqrt(self.inputs**2 + 2 * self.reached(D) ** 2), "two states and a token")
        return ReLUNetwork(
            depth=self.readout_depth,
            inputs=inputs,
            bound=self.bound,
            parameters=self.parameters,
            vector=self.bound,
            label="_y",
            mark="y",
        )

    def passed_on(self, D: Derivation) -> Expr:
        """How much outputs move per movement of the transitions."""
        depth = self.readout_depth
        if self.sharp:
            product = (self.bound / sqrt(Integer(depth))) ** depth
            readout = D.let("readout", "C_W^y", product, "the product of norms whose squares add to at most $R^2$")
            return D.let("passed", r"\Lambda_h", sqrt(Integer(2)) * readout * self.growth(D), "both directions at once")
        readout = D.let("readout", "C_W^y", self.bound**depth, "the product of norms of at most $R$")
        return D.let("passed", r"\Lambda_h", 2 * readout * self.growth(D), "both directions, one after the other")

    def log_size(self, D: Derivation, eps: Expr, name: str = "log_N", latex: str = r"\log\mathcal C") -> Expr:
        """Every parameter counted, all of them as if all that moves the output did so at once."""
        half = D.let("eps_half", r"\epsilon_y", eps / 2, "half of the error for the read-out", self.keys.composition)
        share = D.let("eps_step", r"\epsilon_h", half / self.passed_on(D), "the other half", self.keys.composition)
        reaches = self.readout(D).reach(D), self.transition(D).reach(D)
        ratios = 2 * reaches[0] / half + 2 * reaches[1] / share
        ratio = D.let(
            "ratios", "X", ratios, "twice the movement over the resolution; no network asks for more than both"
        )
        reason = "parameters of all three networks together, by volume"
        return D.let(name, latex, self.parameters * log(1 + ratio), reason, self.keys.network)

    def best_log_size(self, D: Derivation, eps: Expr) -> Expr:
        """From the largest output on one centre, the network whose parameters are zero, is enough."""
        largest, counted = self.readout(D).largest(D), self.log_size(D, eps, "E_count", r"E_{\mathrm{vol}}")
        value = Piecewise((Integer(0), eps >= largest), (counted, True))
        return D.let("log_N", r"\log\mathcal C", value, "one centre from the range of the class on")
