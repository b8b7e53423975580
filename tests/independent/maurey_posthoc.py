"""The second computation: the price of measured norms."""

from mpmath import inf, log, mpf, nsum, root

from independent.forms import form

P = "maurey/posthoc"
TOTAL = 1 + 2 * nsum(lambda k: 1 / mpf(1 + k) ** 2, [1, inf])  # 0, and every k with -k


@form(P, "price", "printed")
def _(place, **_):
    weight = mpf(1)
    for one in place:
        weight *= one**-2 / TOTAL
    return -log(weight)


@form(P, "cell", "printed")
def _(B_W, **_):
    return root(2 * B_W**8, 8)
