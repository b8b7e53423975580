"""Linear covers: how many points cover x -> Mx for M in a norm class, on N inputs of norm at most R, in l2.

A cover is a plug-in: a function of a weight that returns an entropy and writes the steps it needs. The scalar
formulas stand once, here; the claims that state them print them from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import E, Expr, Function, Integer, Min, Rational, binomial, ceiling, log, sqrt, sympify

from .derivation import Derivation
from .entropy import Entropy, lattice, lattice_whole, maurey, minimum, parametric, quadratic
from .modules import Weight, times
from .norms import norm

Cover = Callable[[Derivation, Weight], Entropy]
Ball = Callable[[Expr, Expr], Entropy]  # of an l1 ball, by dimension and radius, in l2


class ceil_log2(Function):
    """The least integer p with 2^p >= n, for an integer n >= 1."""

    nargs = 1


# --- Zhang's theorem, row by row ---------------------------------------------------------------------------


def zhang_scalar(B: Expr, R: Expr, N: Expr) -> Entropy:
    """x -> v.x, |v| <= B (zhang2002/4). Zhang's centres are vectors of values, not functions of the class."""
    BR = times(B, R)
    return Entropy(
        lambda eps: 36 * (BR / eps) ** 2 * log(2 * ceiling(4 * BR / eps + 2) * N + 1),
        36 * BR**2,
        proper=False,
        reason="Zhang's theorem",
        key="zhang2002/4",
    )


def zhang_rows(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """d rows of norm at most B, each coordinate covered at eps / sqrt(d)."""
    return replace(zhang_scalar(B, R, N).coordinates(d), reason="Zhang's theorem for each coordinate")


def zhang_grid(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """d rows whose norms sum to at most B.

    Round the norms up to multiples of B/d: with k_i = floor(d |v_i| / B) there are at most binom(2d, d) profiles,
    since the k_i sum to at most d. Cover row i, of norm at most b_i = B (k_i + 1)/d, at
    e_i = eps sqrt((k_i + 1)/(2d)). The e_i^2 sum to at most eps^2 and the (b_i/e_i)^2 to at most (2B/eps)^2, so the
    rows together cost no more than one row of norm 2B at eps.
    """
    scalar, profiles = zhang_scalar(2 * B, R, N), log(binomial(2 * d, d))
    return replace(
        scalar,
        log_size=lambda eps: profiles + scalar.log_size(eps),
        flat=profiles,
        reason="Zhang's theorem for each coordinate, over a grid of row norms",
    )


def zhang(D: Derivation, w: Weight) -> Entropy:
    """Zhang's theorem for every row: equal radii where the largest row is bounded, else a grid of radii."""
    M = w.matrix
    if w.scalar or M.outputs == 1:
        return zhang_scalar(norm(D, M, "frobenius"), w.radius, w.number)
    if M.rows is not None:
        return zhang_rows(M.rows, w.radius, w.number, M.outputs)
    return zhang_grid(norm(D, M, "row_sum"), w.radius, w.number, M.outputs)


# --- covers that count corrections (maurey/online): proper, for any closed convex class that holds zero ----------


def online_scalar(B: Expr, R: Expr, N: Expr) -> Entropy:
    """x -> v.x, |v| <= B: fewer than (BR/eps)^2 corrections, each one of 2N or none."""
    BR = times(B, R)
    return Entropy(
        lambda eps: (ceiling((BR / eps) ** 2) - 1) * log(2 * N + 1),
        BR**2 * log(2 * N + 1),
        proper=True,
        reason="at most so many corrections, each one of 2N or none",
        key="maurey/online",
        offset=Integer(0),
    )


def online_coordinates(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """d outputs, |M|_F <= B, corrections along coordinates."""
    return quadratic(d * times(B, R) ** 2 * log(2 * d * N + 1))


def online_net(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """The same with corrections along a 1/2-net of the sphere of outputs."""
    return quadratic(Rational(64, 49) * times(B, R) ** 2 * log(5**d * N + 1))


def online_everywhere(B: Expr, R: Expr, d_in: Expr, d_out: Expr) -> Entropy:
    """For all inputs of norm at most R at once: no N."""
    return quadratic(Rational(64, 49) ** 2 * times(B, R) ** 2 * log(5 ** (d_in + d_out) + 1))


def online_row_sum(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """Row norms that sum to at most B, in a class closed under zeroing rows."""
    return quadratic(3 * times(B, R) ** 2 * log(2 * d * N * (ceil_log2(d) + 1) + 1))


def online_fine_sum(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """The same with norms rounded up to powers of 4/5: 8d levels are enough."""
    return quadratic(Rational(3, 2) * times(B, R) ** 2 * log(16 * d**2 * N + 1))


def online_ratio_sum(B: Expr, R: Expr, N: Expr, d: Expr, ratio: Expr, share: Expr) -> Entropy:
    """The same with norms rounded up to powers of any ratio, and what this adds to the smallest (maurey/columns)."""
    return _by_levels(B, R, N, d, ratio + share, 2 + log(d / share) / log(ratio))


def online_narrow_sum(B: Expr, R: Expr, N: Expr, d: Expr) -> Entropy:
    """With powers of 16/17 down to 1/16 of a mean column: the weights sum to at most 9/8 B."""
    return _by_levels(B, R, N, d, Rational(9, 8), 2 + log(16 * d) / log(Rational(17, 16)))


def _by_levels(B: Expr, R: Expr, N: Expr, d: Expr, total: Expr, levels: Expr) -> Entropy:
    return quadratic(total * times(B, R) ** 2 * log(2 * d * N * levels + 1))


def closed(width: Expr, number: Expr) -> Cover:
    """Corrections along coordinates, with one logarithm for all weights: none has more outputs than the width, none
    acts on more inputs than the number."""

    def cover(D: Derivation, w: Weight) -> Entropy:
        outputs = Integer(1) if w.scalar else sympify(w.matrix.outputs)
        F = times(norm(D, w.matrix, "frobenius"), w.radius)
        cost = times(outputs, F**2, log(2 * width * number + 1))
        return replace(
            quadratic(cost), reason="corrections along coordinates, each one of 2dN or none", key="maurey/online"
        )

    return cover


def online(D: Derivation, w: Weight) -> Entropy:
    """The best of the covers that count corrections; one centre from the radius of the class on."""
    M, R, N = w.matrix, w.radius, w.number
    F = norm(D, M, "frobenius", best=True)
    if w.scalar or M.outputs == 1:
        return or_counted(D, w, online_scalar(F, R, N))
    radius = times(M.spectral if M.spectral is not None else F, R)
    cover = best_corrections(D, w, [online_coordinates(F, R, N, M.outputs), *vector_corrections(w, F)], radius)
    return or_counted(D, w, cover)


def or_counted(D: Derivation, w: Weight, cover: Entropy, *others: Entropy) -> Entropy:
    """Where counting entries by volume costs less (or another cover does), that; the error is shared, and chained, by
    the corrections. The dimension of a single functional need not be given."""
    key = cover.key or "maurey/online"
    if not w.scalar and w.matrix.outputs == 1 and w.matrix.inputs == 1:
        return replace(cover, key=key)
    largest = w.matrix.spectral if not w.scalar else None
    B = norm(D, w.matrix, "frobenius", best=True) if largest is None else largest
    entries = times(sympify(w.matrix.outputs), sympify(w.matrix.inputs))
    others = (*others, parametric(entries, 2 * times(B, w.radius)))
    reason = "by corrections, or by counting entries, whichever is less"
    return replace(
        cover,
        log_size=lambda eps: Min(cover.at(eps), *(other.at(eps) for other in others)),
        resolution=lambda eps: eps,
        reason=reason,
        key=key,
    )


def vector_corrections(w: Weight, F: Expr) -> list[Entropy]:
    """The covers that count corrections along vectors; F bounds the Frobenius norm."""
    M, R, N = w.matrix, w.radius, w.number
    found = [online_net(F, R, N, M.outputs), online_everywhere(F, R, M.inputs, M.outputs)]
    return found if M.row_sum is None else [*found, online_narrow_sum(M.row_sum, R, N, M.outputs)]


def best_corrections(D: Derivation, w: Weight, candidates: list[Entropy], radius: Expr) -> Entropy:
    """The best of these, and one centre from the radius of the class on."""
    M = w.matrix
    C = D.let(
        f"C_{M.label}", f"C_{{{M.mark}}}", Min(*(c.coefficient for c in candidates)),
        "the best of the covers that count corrections", "maurey/online",
    )  # fmt: skip
    return quadratic(C).trivial(radius)


# --- covers that do not count the inputs: atoms of an l1 ball, and inputs that are mixtures of a few -----------------


def l1_radius(w: Weight) -> Expr:
    """The l1 norm of the vectors that a weight acts on: as stated, or what their l2 norm allows in their dimension."""
    return w.radius_1 if w.radius_1 is not None else times(sqrt(sympify(w.matrix.inputs)), w.radius)


def on_basis(cover: Cover) -> Cover:
    """Any cover, asked for on the basis vectors of the inputs' l1 ball: every input is a mixture of these."""
    return lambda D, w: cover(D, replace(w, radius=l1_radius(w), number=sympify(w.matrix.inputs)))


def rows_on_basis(D: Derivation, w: Weight) -> Entropy:
    """Row norms that sum to at most B, on the basis vectors: the best of the covers that count corrections there."""
    M, R, N = w.matrix, l1_radius(w), sympify(w.matrix.inputs)
    B = norm(D, M, "row_sum")
    kinds = (online_coordinates, online_net, online_narrow_sum)
    return or_counted(D, w, best_corrections(D, w, [kind(B, R, N, M.outputs) for kind in kinds], times(B, R)))


def few_columns(B: Expr, R: Expr, d: Expr, k: Expr) -> Entropy:
    """Norms of d columns in k dimensions that sum to at most B, on the basis of an l1 ball of radius R: no more than
    BR/eps columns matter, and these are counted by volume (maurey/few-columns)."""
    K = times(B, R) * log(E * d * (k + 1) * 3**k)
    return Entropy(lambda eps: K / eps, K, proper=True)


ENTRIES = r"the entries, as a vector of an $\ell_1$ ball; centres that leave the class are projected onto it"


def by_entries(ball: Ball, D: Derivation, w: Weight) -> Entropy:
    """The entries as one vector of an l1 ball: the spectral norm of the error is at most its Frobenius norm."""
    M = w.matrix
    B = norm(D, M, "entries")
    entries = times(sympify(M.outputs), sympify(M.inputs))
    return replace(ball(entries, times(B, w.radius)), reason=ENTRIES)


def by_columns(ball: Ball, D: Derivation, w: Weight) -> Entropy:
    """Column by column, each in an l1 ball; inputs are mixtures of scaled basis vectors, which pick out columns. Where
    the class is bounded in another norm too, the centres may leave it."""
    M = w.matrix
    if M.column_l1 is None:
        raise ValueError(f"nothing bounds the column_l1 norm of {M.label}")
    column = ball(sympify(M.outputs), times(M.column_l1, l1_radius(w)))
    apart = column.side_by_side(sympify(M.inputs))
    return replace(
        apart,
        proper=M.spectral is None and M.frobenius is None,
        reason="every column, as a vector of an $\\ell_1$ ball",
    )


def atoms(n: Expr, R: Expr) -> Entropy:
    """The l1 ball of radius R in n dimensions at every resolution."""
    return replace(quadratic(lattice_whole(n, R)), key="maurey/l1-ball")


def closed_entries(D: Derivation, w: Weight) -> Entropy:
    return by_entries(atoms, D, w)


def closed_columns(D: Derivation, w: Weight) -> Entropy:
    """Behind a projection every column gets its share of the squared error, so that centres can be projected."""
    M = w.matrix
    if w.radius_1 is not None:
        return by_columns(atoms, D, w)
    return atoms(sympify(M.outputs), times(M.column_l1, w.radius)).coordinates(sympify(M.inputs))


def closed_sums(width: Expr) -> Cover:
    """The columns' norms summed bound the Frobenius norm; no map has more inputs or outputs than the width."""

    def cover(D: Derivation, w: Weight) -> Entropy:
        M = w.matrix
        if w.radius_1 is not None:
            return online_net(M.column_sum, w.radius_1, sympify(M.inputs), width)
        return online_everywhere(M.column_sum, w.radius, width, width)

    return cover


def closed_rows(D: Derivation, w: Weight) -> Entropy:
    """The rows' norms summed."""
    return online_fine_sum(w.matrix.row_sum, w.radius, w.number, sympify(w.matrix.outputs))


def closed_net(D: Derivation, w: Weight) -> Entropy:
    """The columns' norms summed bound the Frobenius norm."""
    return online_net(w.matrix.column_sum, w.radius, w.number, sympify(w.matrix.outputs))


def maurey_entries(D: Derivation, w: Weight) -> Entropy:
    return replace(by_entries(maurey, D, w), key="trauger2024/3.6")


def maurey_columns(D: Derivation, w: Weight) -> Entropy:
    return replace(by_columns(maurey, D, w), key="trauger2024/3.3")


def zhang_basis(D: Derivation, w: Weight) -> Entropy:
    return replace(on_basis(zhang)(D, w), key="trauger2024/3.4")


def length_free(D: Derivation, w: Weight) -> Entropy:
    """The best of the covers without a number of inputs that the norms given allow."""
    M = w.matrix
    found, linear = [], []
    if M.column_l1 is not None and w.radius_1 is not None:
        cover = by_columns(lattice, D, w)
        entries = parametric(times(sympify(M.outputs), sympify(M.inputs)), 2 * times(M.column_l1, w.radius_1))
        reason = "every column, on the lattices of an $\\ell_1$ ball or by counting its entries, whichever is less"
        return replace(
            cover, log_size=lambda eps: Min(cover.at(eps), entries.at(eps)), reason=reason, key="maurey/lattice"
        )
    if M.column_sum is not None:
        F = norm(D, M, "frobenius", best=True)
        if w.radius_1 is not None:
            found.append(online_net(F, w.radius_1, sympify(M.inputs), M.outputs))
            linear.append(few_columns(M.column_sum, w.radius_1, sympify(M.inputs), sympify(M.outputs)))
        else:
            found.append(online_everywhere(F, w.radius, M.inputs, M.outputs))
    found.append(replace(by_entries(lattice, D, w), key="maurey/lattice"))
    best = found[0] if len(found) == 1 else replace(minimum(*found), key="maurey/lattice")
    reason = "the best of the covers that do not count the inputs"
    return replace(or_counted(D, w, best, *linear), reason=reason)


# --- for tokens bounded in l1 only the entries of the query-key matrix need covering (maurey/entrywise) ---------------


def entrywise_l2(b: Expr, n: Expr) -> Entropy:
    """The l2 ball of radius b in n dimensions, in l_inf: x/(2 delta) rounded, halves towards 0."""
    return Entropy(
        lambda delta: (ceiling((b / delta) ** 2) - 1) * log(2 * n + 1),
        b**2 * log(2 * n + 1),
        proper=False,
        reason="rounding: every entry that is not rounded to zero is above the error",
        key="maurey/entrywise",
        offset=Integer(0),
    )


def on_corners(D: Derivation, w: Weight) -> Entropy:
    """Scores of tokens bounded in l1 are linear in the matrix, on mixtures of the corners +-R e_i e_j^T: corrections
    along these, whose centres stay in the class."""
    M = w.matrix
    entries = times(sympify(M.outputs), sympify(M.inputs))
    cover = online_scalar(norm(D, M, "frobenius"), l1_radius(w), entries)
    return replace(cover, reason="corrections along single entries, of which scores are mixtures")


def entrywise_l1(b: Expr, n: Expr) -> Expr:
    """K of the entropy K/delta of the l1 ball of radius b in n dimensions, in l_inf."""
    return b * log(2 * n + 1)


# --- counting parameters --------------------------------------------------------------------------------------


def volumetric(D: Derivation, w: Weight) -> Entropy:
    """A maximal packing in the norm that decides what the matrix does to its vectors, by volume: at most (1 +
    2BR/eps)^(entries of M) points."""
    M = w.matrix
    B = norm(D, M, "frobenius" if w.scalar else w.by)
    count = parametric(times(sympify(M.outputs), sympify(M.inputs)), 2 * B * w.radius)
    return replace(count, reason="a maximal packing of the class, counted by volume")
