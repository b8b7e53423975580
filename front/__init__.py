"""Maurey: generalization bounds for Transformers as objects that run.

>>> import maurey
>>> maurey.claim("edelman2022/A.10").enclose(eps="1/10", N=100, B_w=1, B_X=1, digits=20).value
Decimal('130360.86684103226586')
"""

from maurey.symbolic.claim import InputError

from .view import ClaimView, check, claim, claims, compare, errata

__all__ = ["ClaimView", "InputError", "check", "claim", "claims", "compare", "errata"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("maurey")
    raise AttributeError(name)
