"""Claims with a defect of known kind."""

from dataclasses import replace

from sympy import Indexed, Symbol

from maurey.symbolic import registry
from maurey.symbolic.claim import Claim
from maurey.symbolic.names import C0


def planted(key: str, part: str, change, step: str = "", hidden: bool = True) -> Claim:
    """The claim with its own derivation for print, C0 in front, changed in the last step or in those of a name. What
    else proves it is left out: it might prove the defect as well."""
    claim = registry.find(key)
    old = claim.part(part)

    def printed(setting):
        steps = old.steps("derived", setting)
        last = len(steps) - 1
        changed = [
            replace(s, expr=change(s.expr)) if (s.name.startswith(step) if step else i == last) else s
            for i, s in enumerate(steps)
        ]
        factor = Symbol("C0") if hidden else 1
        return [*changed[:-1], replace(changed[-1], expr=factor * changed[-1].expr)]

    new = replace(
        old, relation="<~" if hidden else "<=", keeps=("m", "T", "N"), printed=printed, repaired=None, sharp=None
    )
    constants = tuple(replace(c, left_open=False) for c in claim.constants if c.name != "C0")
    own = next((c for c in claim.constants if c.name == "C0"), C0)
    constants += (own,) if hidden else ()
    return replace(claim, parts=(new,), constants=constants)


def symbol(name: str):
    label, _, index = name.rstrip("]").partition("[")
    return Indexed(label, int(index)) if index else Symbol(label)
