"""A sparse Boolean function written into the weights of a Transformer: norm, gradient and number of parameters.

f(z) = sum_t c_t [k_t even] over omega components of degree D, sum c_t^2 = 1, on strings of T bits. Attention counts the
bits of component t at position t, a ReLU network of 4 (D+1) units turns k_t/D into its parity, and a second attention
adds the parities up with weights c_t/C, C = sum c_t <= sqrt(omega). Everything is for exact attention (weights outside
a component, and on positions that hold none, are zero); where w_t = log c_t + 2 log T matters, T^-2 <= c_t <= 1, so
that 0 <= w_t <= 2 log T.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, IndexedBase, Sum, Symbol, ceiling, log, sqrt

from .derivation import Derivation
from .names import symbols

CONSTRUCTION, GRID, NORMS, SIZES, GRADIENT = (f"lintilhac2026/{x}" for x in ("B", "9", "10", "11", "14"))
i, coefficient = Symbol("i"), IndexedBase("coefficient")


@dataclass(frozen=True)
class Target:
    """The sizes of the function that is built. A tag tells two of them apart in one derivation; coefficients that are
    given are divided by their norm, and those that are not are as bad as can be."""

    omega: Expr = symbols("omega")[0]
    D: Expr = symbols("D")[0]
    T: Expr = symbols("T")[0]
    tag: str = ""
    given: bool = False

    def let(self, proof: Derivation, name: str, latex: str, expr: Expr | int, reason: str, key: str = "") -> Symbol:
        if self.tag:
            name, latex = f"{name}_{self.tag}", rf"{{{latex}}}_{{\mathrm{{{self.tag}}}}}"
        return proof.let(name, latex, expr, reason, key)

    # --- norms -------------------------------------------------------------------------------------------------------

    def scale(self, proof: Derivation) -> Expr:
        return self.let(proof, "scale", r"\zeta", 2 * log(self.T), "the scale of the scores", CONSTRUCTION)

    def units(self, proof: Derivation) -> Expr:
        return self.let(proof, "units", "H", 4 * (self.D + 1), "four units for each value of the count", CONSTRUCTION)

    def first_scores(self, proof: Derivation) -> Expr:
        value = self.omega * self.D * self.scale(proof) ** 2
        return self.let(proof, "W_1_squared", r"\|W_1\|_F^2", value, r"$D$ entries in each of $\omega$ columns")

    def values(self, proof: Derivation) -> Expr:
        return self.let(proof, "W_V_squared", r"\|W_V\|_F^2", 1, "one entry, for the bit", CONSTRUCTION)

    def inner(self, proof: Derivation) -> Expr:
        return self.let(proof, "M_squared", r"\|M\|_F^2", self.units(proof), "a one for each unit", CONSTRUCTION)

    def grid(self, proof: Derivation) -> Expr:
        value = (self.D + 1) * (2 * self.D + 1) / (6 * self.D)
        return self.let(proof, "grid_squares", r"\sum_ih_i^2", value, r"$\sum_{i\le D}i^2/D^2$")

    def offsets(self, proof: Derivation) -> Expr:
        """Sum over i = 0..D and o in {-2, -1, 1, 2} of (i/D - o/(4D))^2."""
        value = 4 * self.grid(proof) + (self.D + 1) * (10 / (4 * self.D) ** 2)
        reason = r"$-h_i+o/(4D)$, where the four $o$ add up to 0 and their squares to 10"
        return self.let(proof, "Gamma_squared", r"\|\Gamma\|^2", value, reason, CONSTRUCTION)

    def even(self, proof: Derivation) -> Expr:
        return self.let(proof, "even", r"n_{\mathrm{even}}", ceiling((self.D + 1) / 2), r"even $i$ among $0,\dots,D$")

    def outer(self, proof: Derivation) -> Expr:
        value = 4 * self.even(proof) * (4 * self.D) ** 2
        return self.let(proof, "F_squared", r"\|F\|_F^2", value, r"$\pm4D$ in the four units of every even $i$", GRID)

    def coefficient(self, proof: Derivation) -> Expr:
        """c_i."""
        size = sqrt(Sum(coefficient[i] ** 2, (i, 1, self.omega)))
        return coefficient[i] / self.let(proof, "norm_c", r"\|c\|", size, "the coefficients' norm is divided out")

    def second_scores(self, proof: Derivation) -> Expr:
        if self.given:
            value = Sum((log(self.coefficient(proof)) + self.scale(proof)) ** 2, (i, 1, self.omega))
            return self.let(proof, "W_2_squared", r"\|W_2\|_F^2", value, r"$\log c_t+2\log T$", CONSTRUCTION)
        value = self.omega * self.scale(proof) ** 2
        reason = r"$|\log c_t+2\log T|\le2\log T$ if $T^{-4}\le c_t\le1$"
        return self.let(proof, "W_2_squared", r"\|W_2\|_F^2", value, reason, CONSTRUCTION)

    def read_out(self, proof: Derivation) -> Expr:
        if self.given:
            value = Sum(self.coefficient(proof), (i, 1, self.omega)) ** 2
            return self.let(proof, "v_2_squared", r"\|v_2\|^2", value, "$C^2$", CONSTRUCTION)
        reason = r"$C^2$, and $C\le\sqrt\omega$ by Cauchy and Schwarz"
        return self.let(proof, "v_2_squared", r"\|v_2\|^2", self.omega, reason, CONSTRUCTION)

    def norm_squared(self, proof: Derivation) -> Expr:
        """The squared norm of all parameters, at most, whatever the coefficients are."""
        blocks = [
            self.first_scores(proof),
            self.values(proof),
            self.inner(proof),
            self.offsets(proof),
            self.outer(proof),
            self.second_scores(proof),
            self.read_out(proof),
        ]
        return self.let(proof, "Theta_squared", r"\|\Theta\|^2", summed(blocks), "the blocks together", NORMS)

    def count(self, proof: Derivation) -> Expr:
        """How many parameters there are, zeros included."""
        width = self.let(proof, "width", "n", self.T + 2, "positions, the output's included, and the bit")
        value = 3 * width**2 + width + self.units(proof) * (2 * width + 1)
        reason = r"$W_1$, $W_V$, $W_2$; $v_2$; $M$, $F$ and $\Gamma$"
        return self.let(proof, "count", r"|\Theta|", value, reason, CONSTRUCTION)

    def leak(self, proof: Derivation) -> Expr:
        """How far attention to the positions that hold no component moves the output; it grows with C."""
        spread = self.let(proof, "C_sum", "C", sqrt(self.read_out(proof)), r"$\sum c_t$", CONSTRUCTION)
        idle = self.let(proof, "idle", r"n_0", self.T + 1 - self.omega, "positions of score 0")
        share = idle / (spread * self.T**2 + idle)
        weight = self.let(proof, "leaked", r"s_0", share, r"scores $\log(c_tT^2)$ elsewhere")
        reason = "parities are 0 to 1, on these positions as on the others"
        return self.let(proof, "leak", r"|f_\Theta-f|", spread * weight, reason, CONSTRUCTION)

    # --- the gradient, at any string ---------------------------------------------------------------------------------

    def hidden(self, proof: Derivation) -> Expr:
        """The largest squared norm of the hidden units, which grow with what they are given: at k = D, where all units
        of i < D are on, and half of those at i = D."""
        value = 4 * self.grid(proof) + (10 * self.D + 5) / (4 * self.D) ** 2
        reason = r"at $k=D$: $(D-i)/D+o/(4D)$ for all $o$ if $i<D$, for $o=1,2$ if $i=D$"
        return self.let(proof, "hidden", r"\rho_D", value, reason, SIZES)

    def active(self, proof: Derivation) -> Expr:
        """2 (k+1) units with a weight are on at k/D: those of even i < k, and half of those at i = k if k is even."""
        value = 2 * (self.D + 1) * (4 * self.D) ** 2
        return self.let(proof, "active", r"\Phi_D^2", value, r"$2(k+1)$ of the units that are on have a weight", GRID)

    def gradient_blocks(self, proof: Derivation) -> dict[str, Expr]:
        """Bounds on the squared gradient of every block, by the block's name."""
        omega, rho, on = self.omega, self.hidden(proof), self.active(proof)
        half = r"$\delta_t=c_t(p_t-\bar p)$ adds up to 0, its positive part to $C\bar p(1-\bar p)\le C/4$"

        def let(name: str, block: str, value: Expr | int, reason: str) -> Expr:
            return self.let(proof, f"grad_{name}", rf"\|\nabla_{{{block}}}f\|^2", value, reason, GRADIENT)

        along = self.let(
            proof,
            "seen",
            r"\|G^\top\delta\|^2",
            1 + omega / 16,
            r"$\sum\delta_t^2\le\sum c_t^2=1$ and $(\sum\delta_tp_t)^2\le(C/4)^2$",
            SIZES,
        )
        keys = self.let(
            proof, "keys", r"\|w\|^2", self.second_scores(proof), r"$w$ is the column of $W_2$", CONSTRUCTION
        )
        return {
            "v_2": let("v_2", "v_2", 2, r"$G^\top s$: a mean of unit vectors, and of parities"),
            "W_2": let("W_2", "W_2", 2 * along, r"$G^\top\delta g_{T+1}^\top$ and $\|g_{T+1}\|^2=1+q^2\le2$"),
            "F": let("F", r"F,\mathrm{data}", omega * rho, r"$\|\sum_tc_tr_t\|\le C\max\|r_t\|$"),
            "F_pos": let(
                "F_pos",
                r"F,\mathrm{pos}",
                (omega / 16) * keys * rho + (omega / 16) * self.scale(proof) ** 2 * rho,
                rf"$\sum_t\delta_tr_tw^\top$, and $(\sum_t\delta_tw_t)r_{{T+1}}$ in the output's column; {half}, "
                r"$0\le r\le r(D)$ entrywise and $0\le w_t\le2\log T$",
            ),
            "M": let("M", "M", omega * on, r"$\sum_tc_tb_t(F\text{ where on})^\top$, $|b_t|\le1$"),
            "Gamma": let("Gamma", r"\Gamma", omega * on, r"$\|\sum_tc_tF\text{ where on}\|\le C\Phi_D$"),
            "W_V": let("W_V", "W_V", 0, "the network is flat where counts are whole"),
            "W_1": let("W_1", "W_1", 0, "the same"),
        }

    def gradient_squared(self, proof: Derivation) -> Expr:
        blocks = [block for name, block in self.gradient_blocks(proof).items() if name not in ("W_V", "W_1")]
        return self.let(proof, "G_u", r"\|\nabla f\|^2", summed(blocks), "all that do not vanish", GRADIENT)


def summed(terms: list[Expr]) -> Expr:
    """One sum: sums of sums, one for each term, would be as deep as they are long."""
    return terms[0] if len(terms) == 1 else Add(*terms)
