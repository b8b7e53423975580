"""The second computation: claims of our own, from their proofs."""

import math

from mpmath import log, mpf, sqrt

from independent.edelman2022 import best_sides
from independent.forms import form, near, number, rounded
from independent.trauger2024 import Cover, M, levelled, units


@form(M + "levels", "R", "printed")
def _(A, C_F, p_0, m):
    return levelled(A, Cover(C_F, None, p_0), m)


@form(M + "levels", "external", "printed")
def _(A, C_F, p_0, m):
    return levelled(A, Cover(C_F, None, p_0), m, proper=False)


@form(M + "one-step", "R", "printed")
def _(eps, b, m, size):
    """Massart for values of size b/2."""
    return eps + b / 2 * sqrt(2 * size / m)


for every in (False, True):
    end = "_every" if every else ""

    @form(M + "sides", f"gap{end}", "printed")
    def _(b, delta, m, R_F, every=every):
        return best_sides(1, b / 2, delta, m, R_F, every)

    @form(M + "sides", f"above{end}", "printed")
    def _(b, delta, m, R_F, every=every):
        """The same at twice the probability of failure."""
        return best_sides(1, b / 2, 2 * delta, m, R_F, every)


@form(M + "units", "R", "printed")
def _(k, L_sigma, R_F, weight, total):
    return 2 * L_sigma * weight * total * units(k) * R_F


@form(M + "columns", "columns", "printed")
def _(eps, N, d_1, d_2, B_X, B_W_21, ratio, share):
    """A column, an input, a sign and a level, or nothing; the levels from B_W_21 down to share/d_2 of it."""
    levels = log(d_2 / share, ratio) + 2
    return (ratio + share) * (B_W_21 * B_X / eps) ** 2 * log(1 + 2 * N * d_2 * levels)


@form(M + "l1-ball", "log_N", "printed")
def _(eps, n, rho):
    return (rho / eps) ** 2 * log(1 + 2 * n)


@form(M + "block", "moved", "printed")
def _(R, B_X, Delta):
    return sqrt(R**2 + (R * B_X) ** 2) * Delta


@form(M + "block", "product", "printed")
def _(R, **_):
    """Both of size R/sqrt(2)."""
    return (R / sqrt(mpf(2))) ** 2


# --- points: where one link of a chain is as long as the range, and where corrections cost less than entries ----------

TOKENS = {"4.1": ("B_X", "C_F"), "4.1.1": ("B_X", "B_QK_11"), "D.0.1": ("B_X_1", "B_QK_1inf"),
          "D.0.2": ("B_X_1", "B_QK_21")}  # fmt: skip
LINEAR = {
    "edelman2022/4.5": ("B_X", "B_W_inf"),
    "edelman2022/4.5-stronger": ("B_X", "B_W_21"),
    "edelman2022icml/4.6": ("B_X", "B_W_21"),
    "trauger2024/3.4": ("B_X_1", "B_W_21"),
    "trauger2024/3.5": ("B_X", "B_W_21"),
    "mousavi2025/16": ("r_z", "B_QK_F"),
}


@near("maurey/levels", "edelman2022/A.3", "edelman2022/2.2", "edelman2022/A.5")
def _(claim, at, rng):
    if rng.random() < 0.4:
        at["C_F"] = rounded(number(at["A"]) ** 2 * number(at["m"]) / 2 * math.exp(-4 * rng.random()))


@near(*(f"trauger2024/{key}" for key in TOKENS))
def _(claim, at, rng):
    token, name = TOKENS[claim.number]
    if rng.random() < 0.4:
        root = math.sqrt(number(at["m"]) / 2) * math.exp(-2 * rng.random()) / number(at[token])
        at[name] = rounded(root**2 if name == "C_F" else root / number(at[token]) / 2)


@near(*LINEAR)
def _(claim, at, rng):
    token, name = LINEAR[claim.key]
    if rng.random() < 0.5:
        at["eps"] = rounded(number(at[token]) * number(at[name]) * rng.uniform(0.2, 1))
    if rng.random() < 0.3:
        at["n" if claim.samples == "n" else "N"] = str(10 ** rng.randint(2, 60))  # for all inputs at once
