"""The second computation of the repaired forms of Lintilhac et al. 2026: the sum over the blocks, as in their proof."""

from mpmath import log

from independent.forms import form, several
from independent.lintilhac2026 import excess, gaussians
from independent.lintilhac2026_sharpness import closed_blocks, gradient

P = "lintilhac2026/"


@form(P + "14", "total", "repaired")
def _(omega, D, T, **_):
    return sum(gradient(omega, D, T).values())


@several(P + "5", "trace", ["repaired"])
@several(P + "5", "order", ["repaired"])
@several(P + "13", "bound", ["repaired"])
def _(omega, D, T, **_):
    return 2 * sum(gradient(omega, D, T).values())


def outer(D):
    """Four weights of 4D for each even number up to D, as many as there are for the next even D at most."""
    return 4 * (4 * D) ** 2 * (D / 2 + 1)


@form(P + "10", "F", "repaired")
def _(D, **_):
    return outer(D)


def norms(omega, D, T):
    """The blocks, but for the offsets: at most 4 (D + 1)."""
    blocks = closed_blocks(omega, D, T)
    return sum(value for name, value in blocks.items() if name not in ("F", "Gamma")) + outer(D) + 4 * (D + 1)


@form(P + "10", "total", "repaired")
def _(omega, D, T, **_):
    return norms(omega, D, T)


@form(P + "2", "computed", "repaired")
def _(omega, D, T, m, delta, Sigma, sigma, loss_hat, **_):
    """The bound at the best temperature for this norm."""
    return loss_hat + excess(gaussians(norms(omega, D, T), sigma) - log(delta), Sigma, m)
