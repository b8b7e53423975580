"""Repaired forms: a display, held against what the calculus gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from sympy import Expr, Pow, Symbol, factorint, log, prod

from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Step
from maurey.verify.checks import Check, Effort, Result

from .identities import same
from .proofs import Proof, conclude, nested

Calculus = Callable[[Setting], list[Step]]
SIZES = (1, 2, 3)  # layers, heads: what changes from one to the next has been seen then


COVERS = "with covers in closed form"


def same_display(
    key: str,
    calculus: Calculus | Mapping[str, Calculus],
    lemmas: Callable[[], Iterable[Proof]] = tuple,
    how: str = COVERS,
) -> Check:
    """The display of every part that has one (or of those named, each with its own calculus), and the calculus' output,
    its steps put into one another. The lemmas say why covers in closed form are no smaller than those that are proved.
    """

    def compare(effort: Effort) -> Iterator[Result]:
        claim = registry.find(key)
        lists = {p.index for p in claim.symbols if p.index} | set(claim.unrolled)
        optional = frozenset(p.name for p in claim.symbols if p.optional and not p.name.endswith("_F"))
        shown = [part.name for part in claim.parts if part.repaired is not None]
        by_part = calculus if isinstance(calculus, Mapping) else dict.fromkeys(shown, calculus)
        for part, given_by in by_part.items():
            proofs = [
                _same(key, part, given_by, dict.fromkeys(lists, size), given)
                for size in (SIZES if lists else SIZES[:1])
                for given in {frozenset[str](), optional}
            ]
            note = f"The display is what the calculus gives {how}, term by term."
            if lists:
                note += f" Seen for {', '.join(sorted(lists))} = {', '.join(map(str, SIZES))}."
            yield conclude(note, [*lemmas(), *proofs], rung="identity", part=part, form="repaired")

    return compare


def _same(key: str, part: str, calculus: Calculus, sizes: dict[str, int], given: frozenset[str]) -> Proof:
    setting = Setting(sizes, given)
    display = nested(registry.find(key).part(part).steps("repaired", setting), **sizes)
    return same(in_letters(display), in_letters(nested(calculus(setting), **sizes)))


def in_letters(expr: Expr) -> Expr:
    """Logarithms as letters, and the primes under roots: what is the same for all letters is the same for these."""
    expr = expr.replace(log, lambda x: Symbol(f"log({x.expand()})", positive=True))
    return expr.replace(_is_root, lambda root: prod(_letter(p) ** (n * root.exp) for p, n in _primes(root)))


def _is_root(expr: Expr) -> bool:
    return isinstance(expr, Pow) and expr.base.is_Integer and expr.base > 1 and not expr.exp.is_Integer


def _primes(root: Pow) -> Iterable[tuple[int, int]]:
    return factorint(int(root.base)).items()


def _letter(prime: int) -> Symbol:
    return Symbol(f"prime {prime}", positive=True)
