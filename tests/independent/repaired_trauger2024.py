"""The second computation of the repaired forms of Trauger and Tewari 2024: from their proofs, error by error, not from
the displays."""

from mpmath import exp, log, mpf, sqrt

from independent.edelman2022 import chained_complexity, layer_moves
from independent.forms import form, several
from independent.trauger2024 import P, deep_covers, leading, log_size, pure

NET = ("L", "L_sigma", "B_w", "B_C", "B_V", "B_QK")


def network(key, token, cover, l1=False, part="log_N"):
    """Every matrix at the error that is its share; `cover` makes the cost of a matrix from the point."""

    @form(P + key, part, "repaired")
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


def rows(values):
    """Row by row, in every layer: so many rows, whose squared errors add."""
    B = values["B_W_1inf"]
    return lambda outputs, inputs, R, R_1, spectral: pure(outputs * (B * R) ** 2 * outputs * log(2 * inputs + 1))


def summed_rows(values):
    """Norms of rows rounded up to 8 D powers of 4/5, which sum to 3/2 at most, at the d basis vectors; else `sums`."""
    B, d, D = values["B_W_21"], values["d"], max(values["d"], values["k"])

    def cover(outputs, inputs, R, R_1, spectral):
        if R_1 is not None:
            return pure((mpf(5) / 4 + mpf(1) / 4) * (B * R_1) ** 2 * log(2 * D * d * 8 * D + 1))
        return sums(values)(outputs, inputs, R, R_1, spectral)

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
network("F.0.1", "B_X_1", rows, l1=True, part="log_N_rows")
network("F.0.2", "B_X_1", summed_rows, l1=True, part="log_N_rows")


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


@several(P + "3.2", "log_N", ["repaired"])
@several(P + "B", "log_N", ["repaired"])
def _(q, E_in, **_):
    return E_in if q >= 1 else mpf(1) / 0


# --- complexities -----------------------------------------------------------------------------------------------------


def layers(part, rows):
    """One coordinate of an average of tokens has the entropy (B_x^2)^2 C; then the largest of 2d of them, and what is
    peeled off: once twice, and kd times where columns are bounded."""

    def of(C, B_x, l1_norm, d, k, m, B):
        one = levels(B_x, sqrt(2 * B_x**4 * C / m))
        inner = one + B_x * sqrt(2 * log(2 * d) / m)
        return min(B * (B_x if rows else l1_norm), 2 * B * (1 if rows else k * d) * inner)

    def product(L_sigma, B_w_1, B_C_1inf, B_V_1inf):
        return L_sigma * B_w_1 * B_C_1inf * B_V_1inf

    @form(P + "4.1", part, "repaired")
    def _(*, d, m, k=1, B_X, C_F, C0=1, kappa=2, **outer):
        return of(C_F, B_X, sqrt(d) * B_X, d, k, m, product(**outer))

    @form(P + "4.1.1", part, "repaired")
    def _(*, d, m, k=1, B_X, B_QK_11, C0=1, kappa=2, **outer):
        C = (B_QK_11 * B_X) ** 2 * log(2 * d * d + 1)
        return of(C, B_X, sqrt(d) * B_X, d, k, m, product(**outer))

    @form(P + "D.0.1", part, "repaired")
    def _(*, d, m, k=1, B_X_1, B_QK_1inf, C0=1, kappa=2, **outer):
        C = sum((B_QK_1inf * B_X_1) ** 2 * log(2 * d + 1) for _ in range(int(d)))
        return of(C, B_X_1, B_X_1, d, k, m, product(**outer))

    @form(P + "D.0.2", part, "repaired")
    def _(*, d, m, k=1, B_X_1, B_QK_21, C0=1, kappa=2, **outer):
        C = (B_QK_21 * B_X_1) ** 2 * log(2 * d * d + 1)
        return of(C, B_X_1, B_X_1, d, k, m, product(**outer))


def levels(A, s):
    """maurey/levels before the range cuts it off."""
    s = min(s, A / exp(mpf(1)))
    return exp(mpf(1)) * s * (mpf("0.0853") + log(A / s))


for part_, rows_ in (("R", False), ("R_rows", True)):
    layers(part_, rows_)


@form(P + "4.1", "delta_star", "repaired")
def _(d, m, B_X, C_F, **_):
    s, left = 2 * B_X**2 * sqrt(C_F / m), 1 - sqrt(log(2 * d) / m)
    return B_X if s > left * B_X else s / left


@form(P + "4.1", "E", "repaired")
def _(d, m, B_X, C_F, **_):
    """delta + int (s/x + r) dx from delta to B_x, at the best delta."""
    s, r = 2 * B_X**2 * sqrt(C_F / m), sqrt(log(2 * d) / m)
    at = min(B_X, s / (1 - r))
    return at + r * (B_X - at) + s * log(B_X / at)


@form(P + "S2.5", "counting", "repaired")
def _(d, k, m, B_X, B_W_11, **_):
    """One cover at the range over sqrt(n): 1 + 2 sqrt(n) to the power dk points."""
    A = B_X * B_W_11
    return min(A, A / sqrt(m) + A * sqrt(2 * d * k * log(1 + 2 * sqrt(m)) / m))


@form(P + "S2.5", "norms", "repaired")
def _(d, k, m, B_X, B_W_11, **_):
    A = B_X * B_W_11
    return chained_complexity(A, A**2 * log(2 * d * k + 1), m)


@several(P + "5.1", "R", ["repaired"])
@several(P + "5.1", "R_vocabulary", ["repaired"])
def _(K, m, B_X, B_W_11, R_F=None, C0=None, kappa=2, **net):
    """Twice the complexity of the scores: K rows are one more matrix."""
    terms = deep_covers(entries({"B_W_11": B_W_11}), False, X=B_X, words=K, **net)
    return 2 * chained_complexity(net["B_w"], leading(terms), m)
