"""A bound on the operator norm of the Hessian of the construction's output, at rest and after its parameters moved.

Along a direction whose blocks have norms x_1, x_V, x_M, ... with sum x^2 = 1 the first derivative of every quantity on
the way is at most a linear form in the x, whose norm bounds it; second derivatives are products of two such forms. With
f = sum_t s_t y_t, y = G v_2 and s the softmax of u = G W_2 g_{T+1},

  f'' = sum_t delta_t u_t'' + sum_t s_t (y_t - f) (u_t' - mean u')^2 + 2 y' J u' + sum_t s_t y_t''.

At rest the network is flat where counts are whole and W_2 does not see what it puts out, so that many terms vanish;
those of W_1 and W_V do not: they meet M and F, and W_2 by way of the output's token.
"""

from __future__ import annotations

from sympy import Expr, Integer, sqrt

from .perturbation import BEST_SOFTMAX, FLAT, JACOBIAN, SOFTMAX, Perturbed
from .sharpness import summed

AT_REST, AFTER = "lintilhac2026/18", "lintilhac2026/31"
ZERO, ONE = Integer(0), Integer(1)
Form = dict[str, Expr]  # the coefficient of every block's norm; those that vanish are left out


def product(*factors: Expr) -> Expr:
    total = factors[0]
    for factor in factors[1:]:
        total = ZERO if 0 in (total, factor) else total * factor
    return total


def nonzero_sum(terms: list[Expr]) -> Expr:
    return summed([term for term in terms if term != 0])


def plus(*forms: Form) -> Form:
    blocks = {block: None for form in forms for block in form}
    return {block: summed([form[block] for form in forms if block in form]) for block in blocks}


def times(factor: Expr, form: Form) -> Form:
    return {block: factor * value for block, value in form.items()} if factor != 0 else {}


class Curvature:
    """Of the network that `state` describes: before the move `at_rest`, else after it."""

    def __init__(self, state: Perturbed, at_rest: bool) -> None:
        self.state, self.key = state, AT_REST if at_rest else AFTER
        self.constant, self.softmax_key = (ONE, BEST_SOFTMAX) if state.exact else (Integer(2), SOFTMAX)
        (self._rest if at_rest else self._moved)()

    def _rest(self) -> None:
        p = self.state
        self.value, self.b, self.r, self.M, self.F = ZERO, ONE, p.rho, p.M, p.F
        self.on, self.flat, self.steep, self.pos, self.W_2 = p.on, ZERO, 4 * p.target.D, ZERO, ZERO
        self.g, self.out, self.query, self.keys = p.token, p.token, p.w, p.spread
        self.through, self.through_out = ZERO, ZERO  # what W_2 sees of the network's weights
        self.range, self.half, self.v = p.C, p.C / 2, p.C

    def _moved(self) -> None:
        p, move, after = self.state, self.state.moved, "after the move"
        self.value, self.b, self.r, self.pos, self.W_2 = move.value, 1 + p.b(), p.rho + p.r(), move.F, move.W_2
        self.M = self.let("M_moved", r"\|\tilde M\|", p.M + move.M, after)
        self.F = self.let("F_moved", r"\|\tilde F\|", p.F + move.F, after)
        self.steep = self.let("steep", r"\|\tilde M\tilde A\tilde F\|", self.M * self.F, "wherever kinks are")
        self.on = p.whole("on_moved", r"\|A\tilde F\|", p.on + move.F, self.F)
        self.flat = p.whole("flat_moved", r"\|\tilde MA\tilde F\|", p.jacobian(), self.steep)
        self.g, self.out = p.token + p.g(), p.token + p.q()
        self.query = self.let("query", r"\|\tilde W_2\tilde g_{T+1}\|", p.w + p.key(), after)
        away = self.let("beta_keys", r"\beta_k", p.w * p.g() + move.W_2 * (p.token + p.g()), r"of $W_2^\top g_t$")
        self.keys = self.let("keys_moved", r"\|\tilde W_2^\top\tilde g_t\|", p.spread + away, after)
        unseen = "before the move $W_2$ does not see what the network puts out"
        through = move.F * p.w + self.on * p.key()
        self.through = self.let("through", r"\|A\tilde F\tilde W_2\tilde g_{T+1}\|", through, unseen)
        through = move.F * p.spread + self.F * away
        self.through_out = self.let("through_out", r"\|\tilde A\tilde F\tilde W_2^\top\tilde g_t\|", through, unseen)
        self.range, self.half, self.v = p.C + 2 * p.y(), p.C / 2 + p.y(), p.C + move.v_2

    def let(self, name: str, latex: str, expr: Expr, reason: str, key: str = "") -> Expr:
        return self.state.let(name, latex, expr, reason, key or self.key)

    def norm(self, name: str, latex: str, form: Form, reason: str, key: str = "") -> Expr:
        squares = [value if value == 1 else value**2 for value in form.values()]
        return self.let(name, latex, sqrt(summed(squares)), reason, key)

    def _first_layer(self) -> tuple[Form, Expr]:
        """The first derivative of b, and a bound on the second; scores change by 2 x_1 at most."""
        two, value = self.state.token, 1 + self.value if self.value != 0 else ONE
        half = 1 + 2 * self.value if self.value != 0 else ONE  # of the diameter of values 0 to 1, twice
        score = half if self.state.exact else 2 * self.constant * value
        return {"1": score, "V": two}, 8 * value + 2 * self.constant * two

    def bound(self) -> Expr:
        p = self.state
        first, again = self._first_layer()
        units: Form = {"M": self.b, "Gamma": ONE}  # what M and Gamma themselves do to the units

        def network(weights: Expr, slope: Expr, last: Expr) -> Form:
            """Through weights, and through what the network is given with a slope; F acts on the units."""
            return plus(times(weights, units), times(slope, first), {"F": last})

        values = network(self.on, self.flat, self.r)
        seen = plus(
            network(self.through, product(self.through, self.M), self.r * self.query),
            network(self.through_out, product(self.through_out, self.M), self.r * self.keys),
            {"2": self.g * self.out},
        )
        b = self.norm("dot_b", r"\dot b", first, r"scores change by $2x_1$, a mean of tokens is $\sqrt2$", JACOBIAN)
        r = self.norm("dot_r", r"\dot r", plus(units, times(self.M, first)), "the units")
        g = self.norm("dot_g", r"\dot g_t", values, "where counts are whole", FLAT)
        g_out = self.norm("dot_g_out", r"\dot g_{T+1}", network(self.F, self.steep, self.r), "at the output's position")
        only_F = network(self.pos, product(self.pos, self.M), self.r)
        pos = self.norm("dot_pos", r"\dot g_{\mathrm{pos}}", only_F, "in the positions' coordinates")
        u = self.norm("dot_u", r"\dot u", seen, r"$g_t^\top W_2g_{T+1}$")
        y = self.norm("dot_y", r"\dot y", plus(times(self.v, values), {"v": self.g}), r"$g_t\cdot v_2$")

        # two different blocks have x_a x_b <= 1/2, which takes the factor 2 of a second derivative away
        bb = ZERO
        if self.through != 0:
            bb = self.let("ddot_b", r"\ddot b", again, "the softmax twice, or once with $W_V$", JACOBIAN)
        gg = nonzero_sum([self.on * b, r, product(self.flat, bb)])
        gg = self.let("ddot_g", r"\ddot g_t", gg, "$M$ or $F$ with what comes before", FLAT)
        pairs = [r * self.query, r * self.keys, self.out * g, self.g * g_out, 2 * p.w * pos**2]
        pairs += [product(through, b) for through in (self.through, self.through_out)]
        pairs += [product(through, self.M, bb) for through in (self.through, self.through_out)]
        pairs += [product(self.W_2, 2 * g * g_out)]
        uu = self.let("ddot_u", r"\ddot u", nonzero_sum(pairs), "the same, and pairs of its three factors")
        cross = self.let("cross", r"2\dot y^\top J\dot u", 2 * self.constant * u * y, "the softmax", self.softmax_key)
        terms = [self.half * uu, self.range * u**2, cross, self.v * gg, g]
        reason = r"$\sum|\delta_t|\,|\ddot u_t|$, the softmax twice, once, and not at all; $v_2$ with $g_t$"
        return self.let("hessian", r"\|\nabla^2f\|", summed(terms), reason)
