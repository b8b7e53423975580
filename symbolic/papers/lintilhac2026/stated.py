"""Supplement, as stated: the chain of perturbation bounds, and the closed forms in sigma."""

from dataclasses import dataclass

from sympy import Expr, Rational, ceiling, log, sqrt

from maurey.symbolic.derivation import Derivation
from maurey.symbolic.names import symbols

from .appendix_c import printed_hidden
from .letters import D, T, omega

sigma, e_M, e_F, e_2, e_Gamma, e_v, eta_1, eta_V = symbols("sigma e_M e_F e_2 e_Gamma e_v eta_1 eta_V")
(delta_s,) = symbols("Delta")  # distance of two softmax weights
PRINTED = "as printed"


@dataclass
class Stated:
    """Every quantity by the letter under its beta."""

    proof: Derivation

    def let(self, name: str, latex: str, value: Expr) -> Expr:
        return self.proof.let(name, latex, value, PRINTED)

    def __post_init__(self) -> None:
        self.C = self.let("C_sum", "C", sqrt(omega))
        self.w = self.let("w_norm", r"\|w\|", 2 * sqrt(omega) * log(T))
        self.w_max = self.let("w_max", r"w_{\max}", 2 * log(T))
        self.spread = self.let("spread", r"\mathrm{rg}(w)", 2 * log(T))
        self.H = self.let("units", "H", 4 * (D + 1))
        self.on = self.let("Phi", r"\Phi_D", 4 * D * sqrt(2 * (D + 1)))
        self.F = self.let("F_norm", r"\|F\|", 8 * D * sqrt(ceiling((D + 1) / 2)))
        self.rho = sqrt(self.let("hidden", r"\rho_D", printed_hidden()))

    def b(self) -> Expr:
        return self.let("beta_b", r"\beta_b", 2 * eta_1 * (1 + eta_V) + eta_V)

    def r(self) -> Expr:
        return self.let("beta_r", r"\beta_r", sqrt(self.H) * self.b() + e_M * (1 + self.b()) + e_Gamma)

    def g(self) -> Expr:
        value = self.on * (e_M * (1 + self.b()) + e_Gamma) + e_F * (self.rho + self.r())
        return self.let("beta_g", r"\beta_g", value)

    def q(self) -> Expr:
        value = 4 * D * self.b() + self.F * (e_M * (1 + self.b()) + e_Gamma) + e_F * (self.rho + self.r())
        return self.let("beta_q", r"\beta_q", value)

    def s(self) -> Expr:
        g, q = self.g(), self.q()
        return self.let(
            "beta_s", r"\beta_s", 2 * (self.w * g + (sqrt(2) + g) * (sqrt(2) + q) * e_2 + (self.w_max + self.w * g) * q)
        )

    def y(self) -> Expr:
        return self.let("beta_y", r"\beta_y", self.C * self.g() + (sqrt(2) + self.g()) * e_v)

    def f(self) -> Expr:
        return self.let("beta_f", r"\beta_f", self.s() * (self.C + self.y()) + self.y())

    def tokens(self) -> Expr:
        return self.let("S_tokens", r"S_\partial", self.C + self.C / 2 * self.w + self.C / 4 * self.spread)

    def delta(self) -> Expr:
        return self.let("beta_delta", r"\beta_\delta", self.C * self.s() + self.y() + self.f())

    def key(self) -> Expr:
        return self.let("beta_w", r"\beta_w", e_2 * (sqrt(2) + self.q()) + self.w * self.q())

    def back_output(self) -> Expr:
        seen = (sqrt(2) + self.g()) * self.delta() + self.C / 2 * self.g()
        return self.let("beta_out", r"\beta_{q2}", (self.w + e_2) * seen + sqrt(2) / 2 * self.C * e_2)

    def back(self) -> Expr:
        value = (
            self.C * self.s()
            + e_v
            + self.delta() * (self.w + self.key())
            + self.C / 2 * self.key()
            + self.back_output()
        )
        return self.let("beta_back", r"\beta_\partial", value)

    def units(self) -> Expr:
        value = e_F * (self.tokens() + self.back()) + self.F * self.back()
        return self.let("beta_units", r"\beta_\Gamma", value)

    def map(self) -> Expr:
        steep = (sqrt(self.H) + e_M) * (self.F + e_F) * self.back_output()
        value = (e_M * self.on + (sqrt(self.H) + e_M) * e_F) * (self.tokens() + self.back()) + steep
        return self.let("beta_J", r"\beta_J", value)

    def blocks(self) -> dict[str, Expr]:
        g, q, b = self.g(), self.q(), self.b()
        seen = (sqrt(2) + g) * self.delta() + self.C / 2 * g
        values = {
            "v_2": ("v_2", sqrt(2) * self.s() + g),
            "W_2": ("W_2", seen * (sqrt(2) + q) + sqrt(1 + omega / 16) * q),
            "F": ("F", self.r() * self.tokens() + (self.rho + self.r()) * self.back()),
            "Gamma": (r"\Gamma", self.units()),
            "M": ("M", (1 + b) * self.units() + b * self.C * self.on),
            "W_V": ("W_V", sqrt(2) * self.map()),
            "W_1": ("W_1", 2 * sqrt(2) * (1 + eta_V) * self.map()),
        }
        return {
            name: self.let(f"moved_{name}", rf"\beta_{{\nabla_{{{letter}}}}}", value)
            for name, (letter, value) in values.items()
        }

    def gradient(self) -> Expr:
        v_2, W_2, F, Gamma, M, W_V, W_1 = self.blocks().values()
        return self.let("gradient", "G_p", v_2 + W_2 + F + Gamma + M + W_V + W_1)


# --- closed forms of an earlier revision, for positions that are not projected ---------------------------------------


def output_moves() -> Expr:
    """T_p."""
    l, d = log(T), T + 1  # noqa: E741
    return sigma * (128 * D**2 * omega * l + sqrt(2 * d) + 32 * sqrt(omega) * D**2)


def gradient_moves() -> Expr:
    """G_p."""
    l, d = log(T), T + 1  # noqa: E741
    return sigma * (
        128 * sqrt(2) * D**2 * sqrt(omega) * l
        + 192 * sqrt(omega) * D**2
        + 128 * sqrt(2) * D**2 * omega**2 * l
        + 64 * sqrt(2) * d * D**2 * omega**2 * l
        + 128 * d * omega**2 * D ** Rational(3, 2) * l
        + 1024 * D ** Rational(7, 2) * omega ** Rational(3, 2) * l
        + 8 * sqrt(D * omega) * l * d
        + 256 * D ** Rational(5, 2) * omega**2 * d
        + 32 * sqrt(D) * omega**2 * d**2
    )


def hessian() -> Expr:
    """H_u."""
    d = T + 1
    return (
        8 * (D + 1)
        + 6 * (D + 1) * sqrt(omega)
        + 2 * sqrt(3 * T * (D + 1))
        + sqrt(48 * T * D * (D + 1))
        + 3 * D * sqrt(12 * T * (D + 1))
        + (8 * sqrt(2) + 2) * D * sqrt(d * T)
        + 8 * sqrt(2) * d * D * sqrt(omega)
        + 6 * sqrt(2) * d ** Rational(3, 2) * D
    )


def hessian_moves() -> Expr:
    """H_p."""
    l, d = log(T), T + 1  # noqa: E741
    return sigma * (
        768 * sqrt(2) * D**2 * omega ** Rational(3, 2) * d * l
        + 256 * omega ** Rational(3, 2) * d**2 * D ** Rational(3, 2) * l
        + 1024 * D ** Rational(7, 2) * omega ** Rational(3, 2) * l
        + 512 * D ** Rational(5, 2) * omega ** Rational(3, 2) * d**2 * l
        + 1536 * D ** Rational(7, 2) * omega ** Rational(5, 2) * sqrt(d) * l**2
        + 768 * D**2 * omega ** Rational(5, 2) * d * l**2
        + 16 * omega**2 * d ** Rational(5, 2) * l
    )
