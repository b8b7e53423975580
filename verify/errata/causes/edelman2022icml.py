"""The ICML 2022 version of Edelman et al."""

from __future__ import annotations

from sympy import Gt

from maurey.symbolic.names import symbols

from . import Cause, shared

N, d_2 = symbols("N d_2")

CAUSES = (
    Cause(
        slug="vanishing-logarithm",
        severity="hypothesis",
        title=shared.VANISHING_LOGARITHM,
        explanation=r"""Lemma 4.6, as Trauger and Tewari restate it, is a coefficient times $\log(dN)$. For one
input and one output the logarithm is 0 and no constant helps: with all norms 1 and $\varepsilon=1/16$ the functions
$x\mapsto wx$ need 16 centres on $x=1$.""",
        survives="Everything: with two inputs or two outputs the logarithm is positive.",
        entries=("edelman2022icml/4.6 edge",),
        where={"edelman2022icml/4.6": Gt(N * d_2, 1)},
    ),
)
