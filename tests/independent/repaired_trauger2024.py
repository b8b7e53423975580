"""The second computation of the repaired forms of Trauger and Tewari 2024: from their proofs, error by error, not from
the displays."""

from mpmath import log, mpf

from independent.edelman2022 import layer_moves
from independent.forms import form
from independent.trauger2024 import P, deep_covers, log_size, pure

NET = ("L", "L_sigma", "B_w", "B_C", "B_V", "B_QK")


def network(key, token, cover, l1=False):
    """Every matrix at the error that is its share; `cover` makes the cost of a matrix from the point."""

    @form(P + key, "log_N", "repaired")
    def _(eps, **values):
        sizes = {"d": values.get("d", 1), "k": values.get("k", 1)}
        stated = values[token] if l1 else None
        net = {name: values[name] for name in NET}
        return log_size(deep_covers(cover(values), False, X=values[token], X_1=stated, **sizes, **net), eps)


def entries(values):
    """The entries of a matrix as one vector of an l1 ball: at most (radius/e)^2 steps, each one of 2n or none."""
    B = values["B_W_11"]
    return lambda outputs, inputs, R, R_1, spectral: pure((B * R) ** 2 * log(2 * outputs * inputs + 1))


def largest(values):
    """The same, each matrix as large as the largest."""
    d, D = values["d"], max(values["d"], values["k"])
    return lambda outputs, inputs, R, R_1, spectral: pure((values["B_W_11"] * R) ** 2 * log(2 * d * D + 1))


def columns(values):
    """Column by column. The first layer errs by its worst column, half of it kept for moving the centres; the others by
    all columns together, whose squares add."""
    B = values["B_W_1inf"]

    def cover(outputs, inputs, R, R_1, spectral):
        if R_1 is not None:
            return pure(inputs * (B * R_1 * 2) ** 2 * log(2 * outputs + 1))
        return pure(inputs * (B * R) ** 2 * inputs * log(2 * outputs + 1))

    return cover


def sums(values):
    """Corrections along nets of 5^D directions: on both sides, or at the d basis vectors."""
    B, d, D = values["B_W_21"], values["d"], max(values["d"], values["k"])

    def cover(outputs, inputs, R, R_1, spectral):
        if R_1 is not None:
            return pure(mpf(64) / 49 * (B * R_1) ** 2 * log(mpf(5) ** D * d + 1))
        return pure((mpf(64) / 49 * B * R) ** 2 * log(mpf(25) ** D + 1))

    return cover


def given(values):
    return lambda outputs, inputs, R, R_1, spectral: pure(values["C_X"] if R_1 is not None else values["C_1"] * R**2)


network("4.2", "B_X", given, l1=True)  # the first layer is known by its l1 norm
network("4.2.1", "B_X", entries)
network("4.2.1-simplified", "B_X", largest)
network("F.0.1", "B_X_1", columns, l1=True)
network("F.0.2", "B_X_1", sums, l1=True)


@form(P + "E.2", "moved_first", "repaired")
def _(L_sigma, B_C, B_V, B_X, Delta_C, Delta_QK, Delta_V, **_):
    return layer_moves(L_sigma, B_C, B_V, 0, 2 * B_X**2, 0, Delta_C, Delta_QK, Delta_V)


# --- linear maps ------------------------------------------------------------------------------------------------------


@form(P + "3.1", "error", "repaired")
def _(k, b, gamma, f_norm, **_):
    """k independent terms, each with the second moment gamma b^2 and the mean f."""
    return (gamma * b**2 - f_norm**2) / k


@form(P + "3.1", "count", "repaired")
def _(d, k, **_):
    """k places, each with one of d vectors or none."""
    return mpf(1 + d) ** k


def readings(key, token, number):
    @form(P + key, "log_N", "repaired")
    def _(eps, k, B_W_21, **at):
        """Along some point of a 1/2-net the target is off by 7/8 of its error."""
        return (B_W_21 * at[token] / (mpf(7) / 8 * eps)) ** 2 * log(mpf(5) ** k * at[number] + 1)

    @form(P + key, "log_N_rows", "repaired")
    def _(eps, k, B_W_21, **at):
        """Rows are rounded up to 8k powers of 4/5: a sum of 5/4 and 1/4."""
        share = mpf(5) / 4 + mpf(1) / 4
        return share * (B_W_21 * at[token] / eps) ** 2 * log(2 * k * at[number] * 8 * k + 1)


readings("3.4", "B_X_1", "d")
readings("3.5", "B_X", "N")
