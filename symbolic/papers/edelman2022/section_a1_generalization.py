"""Appendix A, first part: from covering numbers to generalization."""

from typing import Any

from sympy import E, Expr, Min, Symbol, log, sqrt

from maurey.symbolic.chain import (
    PROPER,
    TEXTBOOK,
    Dudley,
    best_gap,
    complexity,
    dudley_at,
    gap,
    levelled,
    root_integral,
)
from maurey.symbolic.claim import REPAIRED, Assumption, Claim, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.names import C_DUDLEY, parameters, symbols

A, C_F, p_0, m, tau, c, L_loss, b, delta, R_F = symbols("A C_F p_0 m tau c L_loss b delta R_F")
RADEMACHER = r"\hat{\mathcal R}(\mathcal F;z^{(1)},\dots,z^{(m)})"
GAP = r"|\mathrm{risk}(f;\mathcal D)-\widehat{\mathrm{risk}}(f;(x^{(i)},y^{(i)})_{i=1}^m)|"

definition_a1 = Claim(
    key="edelman2022/A.1",
    title="Empirical Rademacher complexity",
    kind="definition",
    statement=r"""$\hat{\mathcal R}(\mathcal F;z^{(1)},\dots,z^{(m)})=\frac1m\mathbb
E_\epsilon\sup_{f\in\mathcal F}\sum_i\epsilon_i f(z^{(i)})$ with independent uniform signs $\epsilon_i$; no
absolute value.""",
    symbols=parameters("m"),
)


def _cut(dudley: Dudley) -> list[Step]:
    D = Derivation()
    area = D.let("area", "I", root_integral(p_0, C_F, m, tau, A), "the entropy above the cut-off")
    value = dudley_at(dudley, tau, area)
    return D.steps_to(D.let("R", r"\hat{\mathcal R}", value, "chaining down to the cut-off", dudley.key))


theorem_a2 = Claim(
    key="edelman2022/A.2",
    title=r"Dudley's integral, truncated, for $\infty$-covers",
    kind="rademacher",
    statement=r"""For $|f|\le A$ and some constant $c>0$ the empirical Rademacher complexity is at most $c$
times the infimum over $\tau\ge0$ of $\tau+\int_\tau^A\sqrt{\log\mathcal N_\infty(\mathcal
F;\varepsilon)/m}\,d\varepsilon$. The forms are for entropies $p_0+C_{\mathcal F}/\varepsilon^2$ and one cut-off
$\tau$, so any of them bounds the infimum.""",
    symbols=parameters("A C_F p_0 m tau"),
    assumes=(Assumption(tau <= A, "the cut-off tau is at most A"),),
    uses=("edelman2022/A.1", "edelman2022/2.1", "dudley1967/integral", "maurey/dudley"),
    constants=(C_DUDLEY,),
    parts=(
        Part("R", RADEMACHER, "empirical Rademacher complexity",
             printed=lambda _: c * (tau + root_integral(p_0, C_F, m, tau, A)),
             derived=lambda _: _cut(TEXTBOOK), sharp=lambda _: _cut(PROPER)),
    ),
)  # fmt: skip


def _a3_derived(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(complexity(D, TEXTBOOK, C_F, A, m))


def _a3_sharp(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(levelled(D, C_F, A, m))


def repaired_complexity() -> tuple[Step, Expr]:
    """The paper's display with an explicit constant, no negative logarithm, and no more than the range."""
    s = Symbol("s")
    return Step("s", "s", Min(A, sqrt(2 * C_F / m)), REPAIRED), Min(A, E * s * (1 + log(A / s)))


def _a3_repaired(_: Setting) -> list[Step]:
    link, R = repaired_complexity()
    return [link, Step("R", "", R, REPAIRED)]


lemma_a3 = Claim(
    key="edelman2022/A.3",
    title="Rademacher complexity from a quadratic entropy",
    kind="rademacher",
    statement=r"""If $|f|\le A$ and $\log\mathcal N_\infty(\mathcal F;\varepsilon)\le C_{\mathcal
F}/\varepsilon^2$ for all $\varepsilon$, then for some constant $c>0$ the complexity is at most the stated
expression.""",
    symbols=parameters("A C_F m"),
    uses=("edelman2022/A.2", "maurey/levels"),
    constants=(C_DUDLEY,),
    differs={"tau_best": "it cuts the integral off at $s$ whatever $A$ is; beyond $A$ its logarithm is negative"},
    parts=(
        Part("R", RADEMACHER, "empirical Rademacher complexity",
             printed=lambda _: c * sqrt(C_F / m) * (1 + log(A * sqrt(m / C_F))), 
             repaired=_a3_repaired, derived=_a3_derived, sharp=_a3_sharp),
    ),
)  # fmt: skip


def _a4(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(gap(D, L_loss, R_F, b, delta, m))


def _a4_sharp(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(best_gap(D, L_loss, R_F, b, delta, m, every=False))


HARDLY_LEGIBLE = "damaged: the argument of the logarithm is hardly legible, and is read as 1/delta"

theorem_a4 = Claim(
    key="edelman2022/A.4",
    title="Generalization from Rademacher complexity",
    kind="generalization",
    statement=r"""For a loss that is $b$-bounded (read as $|\ell|\le b$) and $L$-Lipschitz in its first
argument, with probability at least $1-\delta$, for all $f$ at once, the gap is at most the stated amount.
Attributed to Bartlett and Mendelson 2002.""",
    symbols=parameters("L_loss b delta m R_F"),
    uses=("edelman2022/A.1", "bartlett2002/8", "maurey/deviation", "maurey/sides"),
    differs={"deviation": r"it has $\log(1/\delta)$ for both sides and the empirical complexity at once"},
    parts=(
        Part("gap", GAP, "generalization gap", source=HARDLY_LEGIBLE,
             printed=lambda _: 4 * L_loss * R_F + 2 * b * sqrt(log(1 / delta) / (2 * m)),
             repaired=lambda _: 2 * L_loss * R_F + 4 * b * sqrt(log(2 / delta) / (2 * m)),
             derived=_a4, sharp=_a4_sharp),
    ),
)  # fmt: skip


def printed_gap(_: Setting) -> Expr:
    complexity_term = 4 * c * L_loss * sqrt(C_F / m) * (1 + log(A * sqrt(m / C_F)))
    return complexity_term + 2 * b * sqrt(log(1 / delta) / (2 * m))


def derived_gap(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(gap(D, L_loss, complexity(D, TEXTBOOK, C_F, A, m), b, delta, m))


def sharp_gap(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(best_gap(D, L_loss, levelled(D, C_F, A, m), b, delta, m))


def repaired_gap(_: Setting) -> list[Step]:
    """The entropy is assumed for all inputs, so that the complexity is bounded for every sample."""
    link, R = repaired_complexity()
    return [link, Step("gap", "", 2 * L_loss * R + 2 * b * sqrt(log(2 / delta) / (2 * m)), REPAIRED)]


GAP_RECORD: dict[str, Any] = {  # Lemma 2.2 and its restatement A.5 share all but their words
    "symbols": parameters("L_loss C_F A b delta m"),
    "uses": ("edelman2022/A.3", "edelman2022/A.4", "maurey/sides"),
    "constants": (C_DUDLEY,),
    "differs": {**lemma_a3.differs, **theorem_a4.differs},
    "parts": (
        Part(
            "gap",
            GAP,
            "generalization gap",
            source=HARDLY_LEGIBLE,
            printed=printed_gap,
            repaired=repaired_gap,
            derived=derived_gap,
            sharp=sharp_gap,
        ),
    ),
}

lemma_a5 = Claim(
    key="edelman2022/A.5",
    title="Generalization from a covering number, restated",
    kind="generalization",
    statement=r"""Lemma 2.2 again, with its proof.""",
    **GAP_RECORD | {"uses": ("edelman2022/2.2",)},
)
