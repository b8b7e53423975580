"""Norms without which a ReLU read-out of recurrent states has a large risk: derived, and its comparison attacked."""

from __future__ import annotations

from sympy import Expr, Max, Symbol

from maurey.verify.checks import Effort, Result, check
from maurey.verify.complexity.read_outs import attacked, least_product, steps_of_the_proof
from maurey.verify.prove.identities import same
from maurey.verify.prove.proofs import conclude, formula


@check("maurey/readout")
def norms_of_read_outs(effort: Effort) -> Result:
    ratios = [ratio for _, ratio in attacked(effort)]
    note = (
        "contraction of the squares of suprema, taken from the literature, layer by layer; the suprema over states of "
        f"drawn read-outs come to {max(ratios):.3f} of what it allows"
    )
    if max(ratios) > 1:
        return Result("undecided", "tested", f"the comparison is exceeded: {max(ratios):.4g}", instances=len(ratios))
    others, risk = (Symbol(name, positive=True) for name in ("others", "risk"))
    stated = [
        same(formula("maurey/readout", L_y=layers, N=1 + others).replace(Max, _not_trivial),
             least_product(1 + others, layers, risk))
        for layers in (2, 3, 5)
    ]  # fmt: skip
    return conclude(note, [*steps_of_the_proof(), *stated], rung="derived", instances=len(ratios))


def _not_trivial(*either: Expr) -> Expr:
    """What stands beside a number in a maximum: there are other tokens, and the risk is small."""
    return next(x for x in either if not x.is_number)
