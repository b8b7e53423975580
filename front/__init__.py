"""Maurey: generalization bounds for Transformers as objects that run.

Which claims are there?             maurey.claims(), maurey.claims("trauger2024"), maurey.claims(kind="covering")
What does one say?                  c = maurey.claim("edelman2022/4.5"), c.statement, c.symbols, c.parts, c.latex()
How is it derived?                  c.steps(), each step with its reason
What does it come to?               c.enclose(eps=0.1, N=1000, ...), certified; c.evaluate(...), c.sweep(...) on arrays
How many samples does it ask for?   c.samples_for(gap, ...)
What makes it large?                c.blame(...)
Which bound is the smallest?        c.compare(*others, over={"T": (16, 10**6)}, ...), maurey.compare(...), and .plot()
Is it true?                         c.standing, from the ledger; c.verify(), checked now
Where does its print fail?          c.errata(), maurey.errata(), maurey.errata("edelman2022")
Is my own inequality true?          maurey.check(lhs, rhs, over={"x": (0, 1)})
And a claim of my own?              maurey.register(claim): known to all of the above while the program runs
Which bound has my architecture?    maurey.derive(network, ...), of modules from maurey.nn: a claim like any other
And a model that is trained?        maurey.bound("folder"), maurey.bound(module, example=ids): every bound that applies
How often is my network wrong?      maurey.certify(predict, (inputs, labels)), a certificate that anyone can check
                                    maurey.Prequential(), with .observe(losses); maurey.occam(message, decode)

Values are numbers: Python's, texts such as "1/10", NumPy and torch scalars and arrays, lists. Nothing is evaluated
as an expression. What does not fit raises maurey.InputError, with one line that says what would. In a notebook, claims
and what they return show themselves with their formulas. `maurey --help` has the same as commands.

>>> import maurey
>>> maurey.claim("edelman2022/A.10").enclose(eps="1/10", N=100, B_w=1, B_X=1, digits=20).value
Decimal('139753.40526090876905')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maurey.symbolic.errors import InputError

    from . import nn
    from .bounds import BoundReport, bound
    from .certificates import Certificate, Prequential, certify, occam
    from .questions import check, claim, claims, compare, derive, errata, register
    from .view import ClaimView

HOME = {
    ".bounds": ("BoundReport", "bound"),
    ".certificates": ("Certificate", "Prequential", "certify", "occam"),
}

__all__ = [
    "BoundReport",
    "Certificate",
    "ClaimView",
    "InputError",
    "Prequential",
    "bound",
    "certify",
    "check",
    "claim",
    "claims",
    "compare",
    "derive",
    "errata",
    "nn",
    "occam",
    "register",
]
ROOMS = ("symbolic", "numeric", "verify", "paper_tables")


def __getattr__(name: str) -> Any:
    """The names above, once they are asked for: `maurey --help` has no use for SymPy."""
    if name == "__version__":
        from importlib.metadata import version

        return version("maurey")
    if name in (*ROOMS, "nn"):
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name not in __all__:
        from maurey.symbolic.errors import perhaps

        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{perhaps(name, __all__)}")
    from importlib import import_module

    home = next((module for module, names in HOME.items() if name in names), ".questions")
    return getattr(import_module(home, __name__), name)


def __dir__() -> list[str]:
    return [*__all__, *ROOMS, "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"]
