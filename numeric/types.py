"""What the letters of the annotations stand for, in one place."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import torch
    from flint import arb, fmpq
    from numpy.typing import NDArray

# A real number that is known: an exact rational, or a ball that certainly holds it. Comparisons of balls are true only
# where they are certain, so that `not x < y` does not mean `x >= y`.
Ball: TypeAlias = "arb | fmpq"

# A NumPy array, of doubles unless its function says otherwise; its docstring says the shape.
Array: TypeAlias = "NDArray[Any]"

# A torch tensor: (E, ...) where E trials or starts are computed at once, of doubles wherever something is measured.
Tensor: TypeAlias = "torch.Tensor"

# A tensor, or an array of balls (dtype object): what is written once is attacked in floats and confirmed in balls.
Either: TypeAlias = Any

# Exact values by the names of a claim's symbols; lists of them per head, layer or term.
Point: TypeAlias = dict[str, Any]

# Where a point moves: the power of t by name, of a list by entry (B_V[2]).
Ray: TypeAlias = dict[str, Fraction]
