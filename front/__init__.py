"""Maurey: generalization bounds for Transformers as objects that run.

>>> import maurey
>>> maurey.claim("edelman2022/A.10").enclose(eps="1/10", N=100, B_w=1, B_X=1, digits=20).value
Decimal('130360.86684103226586')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maurey.symbolic.errors import InputError

    from .view import ClaimView, check, claim, claims, compare, errata

__all__ = ["ClaimView", "InputError", "check", "claim", "claims", "compare", "errata"]


def __getattr__(name: str) -> Any:
    """The names above, once they are asked for: `maurey --help` has no use for SymPy."""
    if name == "__version__":
        from importlib.metadata import version

        return version("maurey")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import view

    return getattr(view, name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
