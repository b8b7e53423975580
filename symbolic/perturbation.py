"""How far the construction of `sharpness` moves when its parameters do: what it computes, and its gradient.

Exact attention, one string, no term dropped. Quantities are followed through the network in its order; a product x y
moves by at most |dx| (|y| + |dy|) + |x| |dy|. Where counts are whole every unit is 1/(4D) away from its kink; as long
as no unit crosses it the network stays flat in what it is given, and only its own weights move its output.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sympy import Expr, Integer, Piecewise, Rational, sqrt

from .derivation import Derivation
from .names import symbols
from .sharpness import CONSTRUCTION, GRID, SIZES, Target

SOFTMAX, BEST_SOFTMAX, JACOBIAN = "edelman2022/A.7", "maurey/softmax", "lintilhac2026/15"
(CHI, UNION, FIRST, NETWORK, INACTIVE, OUTPUT, FLAT, GRADIENT, SCORES, BACK, CROSSED, WHOLE) = (
    f"lintilhac2026/{x}" for x in ("19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30")
)
OPERATOR = "davidson2001/2.13"
ON_STAYS = r"a unit that is on stays on at $t\le\omega$; at the output's position $F\partial f=0$ before the move"
FLAT_MAP = (
    r"flat at $t\le\omega$; at the output's position $\partial f$ meets $E_F$ alone, which $\beta_{MAF}$ contains, and "
    r"what it moves by meets $\tilde M\tilde A\tilde F$"
)


@dataclass(frozen=True)
class Moved:
    """Sizes of the perturbations: operator norms of those of M, F and W_2, norms of those of Gamma and v_2, the largest
    change of a score of the first layer and of a row of its values."""

    M: Expr
    F: Expr
    W_2: Expr
    Gamma: Expr
    v_2: Expr
    score: Expr
    value: Expr


GIVEN = Moved(*symbols("e_M e_F e_2 e_Gamma e_v eta_1 eta_V"))


@dataclass
class Perturbed:
    """`exact` takes the best constants; `crossing` allows for units that cross their kinks."""

    proof: Derivation
    moved: Moved = GIVEN
    exact: bool = False
    crossing: bool = False
    target: Target = field(default_factory=Target)

    def __post_init__(self) -> None:
        proof, target = self.proof, self.target
        self.softmax, self.softmax_key = (Integer(1), BEST_SOFTMAX) if self.exact else (Integer(2), SOFTMAX)
        self.units = target.units(proof)
        self.rho = proof.let("rho", r"\sqrt{\rho_D}", sqrt(target.hidden(proof)), "the hidden units' norm", SIZES)
        self.on = proof.let("Phi", r"\Phi_D", sqrt(target.active(proof)), "the weights of the units that are on", GRID)
        self.F = proof.let("F_norm", r"\|F\|", sqrt(target.outer(proof)), "one column", CONSTRUCTION)
        self.M = proof.let("M_norm", r"\|M\|", sqrt(target.inner(proof)), "one row", CONSTRUCTION)
        self.C = proof.let("C_sum", "C", sqrt(target.read_out(proof)), r"$\sum c_t$", CONSTRUCTION)
        self.w = proof.let("w_norm", r"\|w\|", sqrt(target.second_scores(proof)), "the column of $W_2$", CONSTRUCTION)
        self.spread = target.scale(proof)  # of the w_t, and the largest of them
        self.token = sqrt(Integer(2))  # a position and a bit

    def let(self, name: str, latex: str, expr: Expr | int, reason: str, key: str = "") -> Expr:
        return self.proof.let(name, latex, expr, reason, key)

    # --- values ------------------------------------------------------------------------------------------------------

    def b(self) -> Expr:
        weights = self.let("beta_a", r"\beta_a", self.softmax * self.moved.score, "the softmax", self.softmax_key)
        value, reason = weights * (1 + self.moved.value) + self.moved.value, "weights times values of size 1"
        if self.exact:
            value = weights * (Rational(1, 2) + self.moved.value) + self.moved.value
            reason = "changes of weights add up to 0: half of the diameter of the values, which are 0 to 1, will do"
        return self.let("beta_b", r"\beta_b", value, reason, FIRST)

    def own(self) -> Expr:
        """What M and Gamma themselves add to the units, in l2."""
        value = self.moved.M * (1 + self.b()) + self.moved.Gamma
        return self.let("own", r"\beta_{M\Gamma}", value, r"$E_M^\top\tilde b+E_\Gamma$")

    def shift(self) -> Expr:
        """How far a unit's input moves."""
        return self.let("shift", r"\beta_u", self.b() + self.own(), "any unit moves so far at most", NETWORK)

    def whole(self, name: str, latex: str, flat: Expr, otherwise: Expr) -> Expr:
        """The first if no unit crosses its kink, the second in any case. Where a segment is followed the second is the
        larger one, so that its end bounds all of it."""
        if not self.crossing:
            return self.let(name, latex, flat, "no unit crosses its kink", NETWORK)
        cases = Piecewise((flat, self.shift() < 1 / (4 * self.target.D)), (otherwise, True))
        return self.let(name, latex, cases, r"is every unit still on its side, $1/(4D)$ away?", NETWORK)

    def r(self) -> Expr:
        return self.let("beta_r", r"\beta_r", self.M * self.b() + self.own(), "units are 1-Lipschitz", NETWORK)

    def outer(self) -> Expr:
        value = self.moved.F * (self.rho + self.r())
        return self.let("beta_F", r"\beta_F", value, r"$E_F^\top\tilde r$", NETWORK)

    def q(self) -> Expr:
        value = 4 * self.target.D * self.b() + self.F * self.own() + self.outer()
        return self.let("beta_q", r"\beta_q", value, "the network is $4D$-Lipschitz anywhere", INACTIVE)

    def g(self) -> Expr:
        flat = self.let(
            "beta_flat", r"\beta_0", self.on * self.own() + self.outer(), "flat in what it is given", NETWORK
        )
        return self.whole("beta_g", r"\beta_g", flat, self.q()) if self.crossing else flat

    def s(self) -> Expr:
        g, q = self.g(), self.q()
        value = self.w * g + (self.token + g) * (self.token + q) * self.moved.W_2 + (self.spread + self.w * g) * q
        reason = r"$\tilde g_t^\top\tilde W_2\tilde g_{T+1}$, one factor after the other"
        scores = self.let("beta_score", r"\beta_{gWg}", value, reason, SCORES)
        return self.let("beta_s", r"\beta_s", self.softmax * scores, "the softmax", self.softmax_key)

    def y(self) -> Expr:
        value = self.C * self.g() + (self.token + self.g()) * self.moved.v_2
        return self.let("beta_y", r"\beta_y", value, r"$\tilde g_t\cdot\tilde v_2$", OUTPUT)

    def f(self) -> Expr:
        value, reason = self.s() * (self.C + self.y()) + self.y(), "weights times values of size $C$"
        if self.exact:
            value, reason = self.s() * (self.C / 2 + self.y()) + self.y(), "the same, by half of their diameter $C$"
        return self.let("beta_f", r"\beta_f", value, reason, OUTPUT)

    # --- gradients with respect to the tokens of the second layer ----------------------------------------------------

    def tokens(self) -> Expr:
        value = self.C + self.C / 2 * self.w + self.C / 4 * self.spread
        reason = r"$\sum c_t$, $\sum|\delta_t|\,\|w\|$ and $|\sum\delta_tw_t|$"
        return self.let("S_tokens", r"S_\partial", value, reason, GRADIENT)

    def delta(self) -> Expr:
        value, reason = self.C * self.s() + self.y() + self.f(), r"$\delta_t=s_t(y_t-f)$"
        if self.exact:
            value = Rational(3, 2) * self.C * self.s() + self.y()
            reason = (
                r"$\tilde J(\tilde y-y)$; and with $y$ between 0 and $C$ held, $(\tilde s_t-s_t)(y_t-\tilde f)$ and "
                r"$s_t(\tilde f-f)$ where $|\tilde f-f|\le\frac C2\|\tilde s-s\|_1$"
            )
        return self.let("beta_delta", r"\beta_\delta", value, reason, BACK)

    def key(self) -> Expr:
        value = self.moved.W_2 * (self.token + self.q()) + self.w * self.q()
        return self.let("beta_w", r"\beta_w", value, r"$\tilde W_2\tilde g_{T+1}$", BACK)

    def seen(self) -> Expr:
        value = (self.token + self.g()) * self.delta() + self.C / 2 * self.g()
        return self.let("beta_seen", r"\beta_{G\delta}", value, r"$\tilde G^\top\tilde\delta$", BACK)

    def back_output(self) -> Expr:
        value = (self.w + self.moved.W_2) * self.seen() + self.token * self.C / 2 * self.moved.W_2
        return self.let("beta_out", r"\beta_{q2}", value, r"$\tilde W_2^\top\tilde G^\top\tilde\delta$", BACK)

    def back(self) -> Expr:
        value = (
            self.C * self.s()
            + self.moved.v_2
            + self.delta() * (self.w + self.key())
            + self.C / 2 * self.key()
            + self.back_output()
        )
        reason = r"$\tilde s_t\tilde v_2$, $\tilde\delta_t\tilde W_2\tilde g_{T+1}$, and the output's own"
        return self.let("beta_back", r"\beta_\partial", value, reason, BACK)

    def jacobian(self) -> Expr:
        """Of the network where counts are whole; it is zero before anything moves."""
        value = (self.M + self.moved.M) * self.moved.F + self.moved.M * self.on
        return self.let("beta_map", r"\beta_{MAF}", value, r"$\tilde MA\tilde F$, where $MAF=0$", FLAT)

    # --- gradients with respect to the parameters --------------------------------------------------------------------

    def blocks(self) -> dict[str, Expr]:
        g, q, s, b, back = self.g(), self.q(), self.s(), self.b(), self.back()
        all_tokens = self.let("moved_tokens", r"\tilde S_\partial", self.tokens() + back, "after the move", BACK)
        units = self.moved.F * all_tokens + self.F * back
        units = self.let("beta_units", r"\beta_{AF\partial}", units, ON_STAYS, WHOLE)
        flat = self.jacobian() * all_tokens + (self.M + self.moved.M) * (self.F + self.moved.F) * self.back_output()
        flat = self.let("beta_flat_map", r"\beta_{J,0}", flat, FLAT_MAP, FLAT)
        if self.crossing:
            steep = (self.M + self.moved.M) * (self.F + self.moved.F) * all_tokens
            flat = self.whole("beta_J", r"\beta_J", flat, flat + steep)
            units = self.whole("beta_on", r"\beta_\Gamma", units, units + self.C * self.F)
        first = self.token * (1 + self.moved.value) * self.token * flat
        seen_before = self.let(
            "seen_before", r"\|G^\top\delta\|", sqrt(1 + self.target.omega / 16), "before the move", "lintilhac2026/14"
        )
        values = {
            "v_2": ("v_2", self.token * s + g, r"$G^\top s$"),
            "W_2": ("W_2", self.seen() * (self.token + q) + seen_before * q, r"$G^\top\delta g_{T+1}^\top$"),
            "F": ("F", self.r() * self.tokens() + (self.rho + self.r()) * back, r"$\sum r_t\partial_{g_t}f^\top$"),
            "Gamma": (r"\Gamma", units, "the units' gradients"),
            "M": ("M", (1 + b) * units + b * self.C * self.on, "tokens times the units' gradients"),
            "W_V": ("W_V", self.token * flat, r"$\sum_tX^\top a_t\partial_{b_t}f^\top$"),
            "W_1": ("W_1", first, r"$\sum_tX^\top J_{a_t}X\tilde W_V\partial_{b_t}\tilde f\,x_t^\top$, constant 1"),
        }
        keys = {"W_1": JACOBIAN}
        return {
            name: self.let(f"moved_{name}", rf"\beta_{{\nabla_{{{letter}}}}}", value, reason, keys.get(name, WHOLE))
            for name, (letter, value, reason) in values.items()
        }

    def gradient(self) -> Expr:
        """How far the gradient moves."""
        blocks = list(self.blocks().values())
        total, reason = blocks[0] ** 2 if self.exact else blocks[0], "the sum of the blocks' moves"
        for block in blocks[1:]:
            total = total + (block**2 if self.exact else block)
        if self.exact:
            total, reason = sqrt(total), "blocks are orthogonal"
        return self.let("G_p", "G_p", total, reason, WHOLE)
