"""Forms that are written down as a derivation."""

from collections.abc import Callable

from sympy import Expr

from .claim import Form, Setting
from .derivation import Derivation, Step

Steps = Callable[[Derivation], Expr]  # adds its steps and returns the last


def steps(of: Steps) -> Form:
    """A form that does not depend on list lengths."""

    def build(_: Setting) -> list[Step]:
        D = Derivation()
        return D.steps_to(of(D))

    return build
