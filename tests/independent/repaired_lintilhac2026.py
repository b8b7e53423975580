"""The second computation of the repaired forms of Lintilhac et al. 2026: the sum over the blocks, as in their proof."""

from independent.forms import form
from independent.lintilhac2026_sharpness import gradient

P = "lintilhac2026/"


@form(P + "14", "total", "repaired")
def _(omega, D, T, **_):
    return sum(gradient(omega, D, T).values())


@form(P + "13", "bound", "repaired")
def _(omega, D, T, **_):
    return 2 * sum(gradient(omega, D, T).values())
