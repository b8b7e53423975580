"""The calculus against random objects: entropies, norms, modules, covers, allocation."""

import math
import random
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from independent import worst_profile
from sympy import Integer, Rational, Symbol, log, simplify, sqrt, symbols

from maurey.symbolic import covers, entropy
from maurey.symbolic.allocation import Term, allocate, total
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.modules import (
    Attention,
    EqualHeads,
    Fixed,
    Heads,
    Linear,
    Offset,
    Projection,
    ReadToken,
    Residual,
    Sequence,
    Signal,
    Weight,
    compose,
)
from maurey.symbolic.norms import Matrix, norm

eps = Symbol("eps", positive=True)


def number(expr, steps=()):
    """A float from an expression whose symbols are steps."""
    values = {}
    for step in steps:
        values[Symbol(step.name)] = step.expr.subs(values).evalf(30)
    return float(expr.subs(values).evalf(30))


# --- entropies -------------------------------------------------------------------------------------------


def test_sums_minima_and_rescaling():
    a, b = entropy.quadratic(Integer(3)), entropy.parametric(Integer(2), Integer(5))
    assert (a + b).at(eps) == 3 / eps**2 + 2 * log(1 + 5 / eps)
    assert entropy.minimum(a, b).at(Integer(1)) == 3
    assert a.rescale(Integer(2)).at(eps) == 12 / eps**2
    assert a.rescale(Integer(2)).coefficient == 12
    assert entropy.quadratic(Integer(3), Integer(7)).at(Integer(1)) == 10
    assert a.coordinates(Integer(4)).at(Integer(2)) == 4 * 3
    assert a.coordinates(Integer(4)).coefficient == 16 * 3


def test_trivial_cover_at_and_above_the_radius():
    e = entropy.quadratic(Integer(3)).trivial(Integer(2))
    assert [e.at(x) for x in (Integer(1), Integer(2), Integer(3))] == [3, 0, 0]


@pytest.mark.parametrize("before", ["rescale", "coordinates", "proper", "until"])
def test_the_trivial_cover_speaks_of_eps_whatever_came_before(before):
    base = entropy.quadratic(Integer(3), proper=False)
    changed = {
        "rescale": base.rescale(Rational(1, 10)),
        "coordinates": base.coordinates(Integer(4)),
        "proper": base.made_proper(),
        "until": base.until(Integer(1)),
    }[before]
    e = changed.trivial(Integer(2))
    assert e.at(Integer(2)) == 0
    assert e.at(Rational(19, 10)) == changed.at(Rational(19, 10)) > 0


def test_a_formula_with_a_range_is_extended_by_monotonicity():
    e = entropy.quadratic(Integer(4)).until(Integer(2))
    assert [e.at(x) for x in (Integer(1), Integer(2), Integer(5))] == [4, 1, 1]
    scaled = entropy.quadratic(Integer(3)).rescale(Integer(5)).until(Integer(2))
    assert scaled.at(Integer(9)) == scaled.at(Integer(2)) == Rational(75, 4)


def test_external_covers_pay_half_the_error_to_become_proper():
    external = entropy.quadratic(Integer(1), proper=False)
    assert external.made_proper().at(eps) == 4 / eps**2
    assert external.made_proper().coefficient == 4
    assert external.made_proper().proper
    assert entropy.quadratic(Integer(1)).made_proper().at(eps) == 1 / eps**2
    assert not (external + entropy.quadratic(Integer(1))).proper


def test_coefficients_are_the_leading_ones():
    """Rescaling and coordinates keep `coefficient` the C of C/eps^2 for pure quadratics."""
    for e in (entropy.quadratic(Integer(3)), entropy.quadratic(Integer(3)).rescale(Integer(5)).coordinates(Integer(7))):
        assert simplify(e.at(eps) * eps**2 - e.coefficient) == 0


@pytest.mark.parametrize(("n", "R2"), [(1, 3), (2, 5), (3, 9), (4, 7), (3, 2)])
def test_lattice_counts_are_exact_and_cover(n, R2):
    """Enumerate both lattices for tiny n: sizes as counted, and random points of the ball within eps."""
    R, e = math.sqrt(R2), 1.0
    M = 1 if R2 <= 4 else math.ceil(R2 / 2) - 1
    S = math.ceil(R2 / 4)
    cube = list(product(range(-2 * S - M, 2 * S + M + 1), repeat=n))
    dense = [z for z in cube if sum(map(abs, z)) <= M]
    sparse = [z for z in cube if sum(map(abs, z)) <= 2 * S and sum(v != 0 for v in z) <= S]
    size = math.exp(number(entropy.lattice(Integer(n), sqrt(Integer(R2))).at(Integer(1)).doit()))
    assert round(size) == min(len(dense), len(sparse))
    rng = np.random.default_rng(0)
    x = rng.dirichlet(np.full(n, 0.7), 4000) * rng.choice([-1, 1], (4000, n)) * R
    for points in (np.array(dense) * R / (M + 1), np.array(sparse) * R / (2 * S)):
        assert np.sqrt(((x[:, None] - points) ** 2).sum(-1)).min(1).max() <= e + 1e-9


def test_maurey_counts_are_integers():
    assert entropy.maurey(Integer(3), Integer(1)).at(Rational(1, 10)) == 100 * log(7)
    assert entropy.maurey(Integer(3), Integer(1)).at(Rational(3, 10)) == 12 * log(7)


# --- norms -----------------------------------------------------------------------------------------------

NORMS = {
    "spectral": lambda M: np.linalg.norm(M, 2),
    "frobenius": lambda M: np.linalg.norm(M),
    "rows": lambda M: np.linalg.norm(M, axis=1).max(),
    "columns": lambda M: np.linalg.norm(M, axis=0).max(),
    "row_sum": lambda M: np.linalg.norm(M, axis=1).sum(),
}
SHAPES = [(1, 1), (1, 6), (6, 1), (3, 5), (5, 3), (4, 4)]


def matrices(shape, rng):
    """Random, rank one, one-hot, flat and orthogonal ones: the extremes at which norm inequalities are tight."""
    flat, row, spike = np.ones(shape), np.zeros(shape), np.zeros(shape)
    row[0] = spike[0, 0] = 1
    q, _ = np.linalg.qr(rng.normal(size=(max(shape), max(shape))))
    return [
        rng.normal(size=shape),
        flat,
        row,
        spike,
        np.outer(*(rng.normal(size=n) for n in shape)),
        q[: shape[0], : shape[1]],
    ]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("given_norm", NORMS)
@pytest.mark.parametrize("wanted", ["spectral", "frobenius", "rows", "row_sum"])
def test_norm_conversions_hold(shape, given_norm, wanted):
    rng, tight = np.random.default_rng(1), 0.0
    for M in matrices(shape, rng):
        D = Derivation()
        known = Matrix("M", "M", *map(Integer, shape), **{given_norm: Rational(str(NORMS[given_norm](M)))})
        bound = number(norm(D, known, wanted), D._steps.values())
        assert NORMS[wanted](M) <= bound * (1 + 1e-9)
        tight = max(tight, NORMS[wanted](M) / bound)
    assert tight > (0.9 if (given_norm, wanted) == ("spectral", "row_sum") else 0.999)  # the best factor for its shape


def test_a_given_norm_is_used_as_it_is():
    M = Matrix("M", "M", 3, 4, rows=Integer(2), frobenius=Integer(7), columns=Integer(1))
    assert norm(Derivation(), M, "frobenius") == 7
    assert M.transposed().rows == 1
    assert M.transposed().outputs == 4
    with pytest.raises(ValueError, match="nothing bounds"):
        norm(Derivation(), Matrix("M", "M", 3, 4), "spectral")


# --- modules: a forward in NumPy against the sensitivity -------------------------------------------------


def softmax(z):
    z = np.exp(z - z.max(-1, keepdims=True))
    return z / z.sum(-1, keepdims=True)


def attention(X, V, S, one):
    queries = X[:1] if one else X
    return softmax(queries @ S @ X.T) @ X @ V.T


def distance(A, B):
    return np.linalg.norm(A - B, axis=-1).max()


def ball(rng, shape, radius):
    """Rows on the sphere, where bounds are tight."""
    x = rng.normal(size=shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True) * radius


def spectral(rng, shape, bound):
    M = rng.normal(size=shape) if rng.random() < 0.5 else np.outer(*(rng.normal(size=n) for n in shape))
    return M / np.linalg.norm(M, 2) * bound


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("one", [True, False])
@pytest.mark.parametrize("scalar", [True, False])
def test_attention_moves_no_more_than_its_coefficients_say(seed, one, scalar):
    rng = np.random.default_rng(seed)
    d, T, R, B_V, B_S = rng.integers(1, 6), rng.integers(1, 8), *rng.uniform(0.3, 3, 3)
    M = Matrix("V", "V", d, d, spectral=Symbol("B_V")), Matrix("S", "S", d, d, spectral=Symbol("B_S"))
    module = Attention(*M, Symbol("kappa"), one_query=one, scalar_scores=scalar)
    D = Derivation()
    s = module.sensitivity(D, Signal(Symbol("R"), Symbol("m"), Symbol("T")))
    at = {"B_V": B_V, "B_S": B_S, "kappa": 2.0, "R": R, "m": 1, "T": int(T)}
    score, value = s.weights
    X, Y = ball(rng, (T, d), R), ball(rng, (T, d), R)
    V, W = spectral(rng, (d, d), B_V), spectral(rng, (d, d), B_V)
    S, Q = spectral(rng, (d, d), B_S), spectral(rng, (d, d), B_S)
    queries = X[:1] if one else X
    moved_score = np.abs(queries @ (S - Q) @ X.T).max() if scalar else np.linalg.norm(queries @ (S - Q), axis=1).max()
    moved_value = np.linalg.norm(X @ (V - W).T, axis=1).max()
    weights = float(score.coefficient.subs(at)) * moved_score + float(value.coefficient.subs(at)) * moved_value
    assert distance(attention(X, V, S, one), attention(X, W, Q, one)) <= weights * (1 + 1e-9)
    Z = X + (Y - X) * rng.uniform(0, 1)
    lipschitz = float(s.lipschitz().subs(at))
    assert distance(attention(X, V, S, one), attention(Z, V, S, one)) <= lipschitz * distance(X, Z) * (1 + 1e-9)
    assert np.linalg.norm(attention(X, V, S, one), axis=1).max() <= float(s.output.radius.subs(at)) * (1 + 1e-9)
    per_output = 1 if one else T
    assert value.number.subs(at) == T
    assert score.number.subs(at) == (per_output * T if scalar else per_output)
    assert float(score.radius.subs(at)) == pytest.approx(R**2 if scalar else R)


@pytest.mark.parametrize("seed", range(30))
def test_split_scores(seed):
    """Query and key matrices covered one by one: (Qx).(Kz)."""
    rng = np.random.default_rng(seed)
    d, k, T, R, B_V, B_Q, B_K = rng.integers(1, 5), rng.integers(1, 5), rng.integers(1, 7), *rng.uniform(0.3, 2, 4)
    maps = [Matrix(n, n, o, i, spectral=Symbol(f"B_{n}")) for n, o, i in (("V", d, d), ("Q", k, d), ("K", k, d))]
    module = Attention(maps[0], (maps[1], maps[2]), Integer(2))
    s = module.sensitivity(Derivation(), Signal(Symbol("R"), Integer(1), Integer(int(T))))
    at = {"B_V": B_V, "B_Q": B_Q, "B_K": B_K, "R": R}
    X = ball(rng, (T, d), R)
    V, Q, K, Q2, K2 = (spectral(rng, shape, b) for shape, b in
                       (((d, d), B_V), ((k, d), B_Q), ((k, d), B_K), ((k, d), B_Q), ((k, d), B_K)))  # fmt: skip
    moves = [np.linalg.norm(X @ (Q - Q2).T, axis=1).max(), np.linalg.norm(X @ (K - K2).T, axis=1).max(), 0.0]
    allowed = sum(float(w.coefficient.subs(at)) * move for w, move in zip(s.weights, moves, strict=True))
    assert distance(attention(X, V, Q.T @ K, False), attention(X, V, Q2.T @ K2, False)) <= allowed * (1 + 1e-9)
    assert simplify(s.lipschitz() - Symbol("B_V") * (1 + 4 * Symbol("R") ** 2 * Symbol("B_Q") * Symbol("B_K"))) == 0


@pytest.mark.parametrize("seed", range(30))
def test_composition_of_everything(seed):
    """Offset, linear map, activation, residual, two heads, projection, read-out: one perturbed forward."""
    rng = np.random.default_rng(seed)
    d, T, R = 3, int(rng.integers(1, 5)), 1.3
    bounds = dict(zip("ABCDE", rng.uniform(0.4, 1.5, 5), strict=True))
    M = {n: Matrix(n, n, d, d, spectral=Rational(str(b))) for n, b in bounds.items()}
    M["w"] = Matrix("w", "w", 1, d, spectral=Rational(2))
    heads = Heads(tuple(compose(Attention(M[v], M[s], Integer(2)), Fixed(Integer(1))) for v, s in ("BC", "DE")))
    concatenated = seed % 2 == 1
    if concatenated:
        heads = Heads(heads.heads, concatenated=True)
        M["w"] = Matrix("w", "w", 1, 2 * d, spectral=Rational(2))
    layers = (Offset(Rational(1, 2)), Residual(compose(Linear(M["A"]), Fixed(Rational(1, 2)))), heads)
    module = compose(*layers, *([Projection()] if seed % 3 else []), ReadToken(), Linear(M["w"]))
    D = Derivation()
    s = module.sensitivity(D, Signal(Rational(str(R)), Integer(1), Integer(T)))
    P = ball(rng, (T, d), 0.5)

    def forward(X, W):
        X = X + P
        X = X + np.tanh(X @ W["A"].T) / 2
        outputs = [np.tanh(attention(X, W[v], W[s], False)) for v, s in ("BC", "DE")]
        Y = np.concatenate(outputs, 1) if concatenated else sum(outputs)
        if seed % 3:
            Y = Y / np.maximum(1, np.linalg.norm(Y, axis=1, keepdims=True))
        return Y[:1] @ W["w"].T, X, Y

    X = ball(rng, (T, d), R)
    W, U = ({n: spectral(rng, (int(m.outputs), int(m.inputs)), float(m.spectral)) for n, m in M.items()} for _ in "ab")
    (y, _, _), (z, inner, last) = forward(X, W), forward(X, U)
    acts_on = {"A": X + P, "B": inner, "C": inner, "D": inner, "E": inner, "w": last[:1]}
    moved = {
        n: np.linalg.norm(acts_on[n] @ ((W[n] - U[n]).T if n not in "CE" else W[n] - U[n]), axis=1).max() for n in M
    }
    steps = list(D._steps.values())
    allowed = sum(number(w.coefficient, steps) * moved[w.matrix.label] for w in s.weights)
    assert distance(y, z) <= allowed * (1 + 1e-9)
    for w in s.weights:
        assert np.linalg.norm(acts_on[w.matrix.label], axis=1).max() <= number(w.radius, steps) * (1 + 1e-9)
    assert np.linalg.norm(y, axis=1).max() <= number(s.output.radius, steps) * (1 + 1e-9)
    near = X + 1e-3 * rng.normal(size=X.shape)
    near *= R / np.linalg.norm(near, axis=1, keepdims=True)
    assert distance(forward(X, W)[0], forward(near, W)[0]) <= number(s.lipschitz(), steps) * distance(X, near) * (
        1 + 1e-9
    )


def test_equal_heads_are_that_many_heads():
    head = compose(
        Attention(Matrix("V", "V", 2, 2, spectral=Integer(3)), Matrix("S", "S", 2, 2), Integer(2)), Fixed(Integer(5))
    )
    one = head.sensitivity(Derivation(), Signal(Integer(1), Integer(1), Integer(4)))
    many = EqualHeads(Integer(7), head).sensitivity(Derivation(), Signal(Integer(1), Integer(1), Integer(4)))
    assert [w.copies for w in many.weights] == [7, 7]
    assert [w.coefficient for w in many.weights] == [w.coefficient for w in one.weights]
    assert many.output.radius == 7 * one.output.radius


def test_input_radius_is_never_silently_one():
    """The radius given is the radius used, through every module."""
    R = Symbol("R")
    V, S = Matrix("V", "V", 2, 2, spectral=Integer(1)), Matrix("S", "S", 2, 2, spectral=Integer(1))
    for module in (Linear(V), Attention(V, S, Integer(2)), Fixed(Integer(1)), Offset(Integer(1)), Residual(Linear(V))):
        assert R in module.sensitivity(Derivation(), Signal(R, Integer(1), Integer(1))).output.radius.free_symbols


def test_cost_is_linear_in_depth():
    """Steps of L layers without projections: radii and Lipschitz constants are named, not unfolded."""

    def steps(L):
        maps = [Matrix(f"W_{i}", "W", 4, 4, spectral=Symbol(f"B_{i}")) for i in range(L)]
        D = Derivation()
        weights = (
            Sequence(tuple(Linear(M) for M in maps)).sensitivity(D, Signal(Symbol("R"), Integer(1), Integer(1))).weights
        )
        return len(D._steps) + sum(w.coefficient.count_ops() + w.radius.count_ops() for w in weights)

    assert steps(64) < 4.5 * steps(16)


# --- covers ----------------------------------------------------------------------------------------------


def weight(**norms):
    M = Matrix("M", "M", Integer(3), Integer(4), **norms)
    return Weight(M, Integer(1), Symbol("R"), Symbol("N"), "")


def test_covers_need_the_norm_of_the_map():
    """Rows bounded: equal radii. Columns bounded: the sum of the row norms, through the Frobenius norm."""
    R, N, B = symbols("R N B")
    rows = covers.zhang(Derivation(), weight(rows=B))
    assert simplify(rows.at(eps) - 3 * covers.zhang_scalar(B, R, N).at(eps / sqrt(3))) == 0
    D = Derivation()
    grid = covers.zhang(D, weight(columns=B))
    assert simplify(grid.at(eps) - log(20) - covers.zhang_scalar(2 * Symbol("bound_M_21"), R, N).at(eps)) == 0
    parameters = covers.volumetric(Derivation(), weight(spectral=B)).at(eps)
    assert simplify(parameters - 12 * log(1 + 2 * B * R / eps)) == 0
    assert not rows.proper
    assert not grid.proper


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize(("B", "R", "N", "e"), [(1, 1, 10, 0.3), (2.5, 0.7, 1, 1.1), (0.4, 3, 1000, 0.05)])
def test_the_grid_covers_every_profile(d, B, R, N, e):
    """No profile of row norms costs more than the closed form, and there are no more profiles than it counts."""
    profiles, worst = worst_profile(mpmath.mpf(B), mpmath.mpf(R), N, d, mpmath.mpf(e))
    assert profiles <= math.comb(2 * d, d)
    ours = covers.zhang_grid(Rational(str(B)), Rational(str(R)), Integer(N), Integer(d)).at(Rational(str(e)))
    assert float(worst) <= float(ours.doit().evalf(30)) * (1 + 1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.01, 10))
@settings(max_examples=200, deadline=None)
def test_the_grid_holds_every_matrix(shares, e):
    """Row norms that sum to B round up to a profile whose radii hold them and whose errors add up to eps."""
    d, B = len(shares), 1.0
    norms = [s / max(sum(shares), 1) for s in shares]
    k = [math.floor(d * v / B) for v in norms]
    assert sum(k) <= d
    assert all(v <= B * (i + 1) / d + 1e-12 for v, i in zip(norms, k, strict=True))
    assert sum(e**2 * (i + 1) / (2 * d) for i in k) <= e**2 * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(15))
def test_corrections_are_as_few_as_the_scalar_cover_says(seed):
    """Run the algorithm of maurey/online: fewer than (BR/eps)^2 corrections reach every input."""
    rng = np.random.default_rng(seed)
    N, d, B, R, e = int(rng.integers(1, 60)), int(rng.integers(1, 40)), 1.5, 2.0, float(rng.uniform(0.1, 3.5))
    X = np.eye(N, max(N, d)) * R if seed % 2 else ball(rng, (N, d), R)
    target = ball(rng, (1, X.shape[1]), B)[0] if seed % 3 else np.full(X.shape[1], B / math.sqrt(X.shape[1]))
    v, corrections = np.zeros(X.shape[1]), 0
    while True:
        gaps = X @ (target - v)
        n = np.abs(gaps).argmax()
        if abs(gaps[n]) <= e * (1 + 1e-12):
            break
        v = v + e / R**2 * np.sign(gaps[n]) * X[n]
        v *= min(1, B / np.linalg.norm(v))
        corrections += 1
    bound = covers.online_scalar(Rational(str(B)), Rational(str(R)), Integer(N)).at(Rational(e))
    assert corrections * math.log(2 * N + 1) <= float(bound.evalf()) + 1e-9


def test_online_is_never_above_zhang():
    """The sharper cover is proper and smaller at every point tried, so it may replace the other."""
    rng = random.Random(0)
    for _ in range(300):
        B, R, N, e = 10 ** rng.uniform(-2, 2), 1, rng.randint(1, 10**6), 10 ** rng.uniform(-2, 2)
        at = Rational(str(B)), Integer(R), Integer(N)
        sharp, plain = (
            cover(*at).at(Rational(str(e))).evalf(20) for cover in (covers.online_scalar, covers.zhang_scalar)
        )
        assert sharp <= plain


@pytest.mark.parametrize("seed", range(10))
def test_corrections_by_coordinates(seed):
    """The vector cover (a) run as an algorithm: steps along inputs and signed output coordinates."""
    rng = np.random.default_rng(seed)
    N, d_in, d_out, F, R = int(rng.integers(1, 12)), 4, int(rng.integers(1, 5)), 1.3, 1.0
    e = float(rng.uniform(0.3, 1.2))
    X, target = ball(rng, (N, d_in), R), rng.normal(size=(d_out, d_in))
    target *= F / np.linalg.norm(target)
    M, corrections = np.zeros((d_out, d_in)), 0
    while True:
        gaps = X @ (target - M).T
        n = np.linalg.norm(gaps, axis=1).argmax()
        if np.linalg.norm(gaps[n]) <= e:
            break
        j = np.abs(gaps[n]).argmax()
        M[j] += e / math.sqrt(d_out) / R**2 * np.sign(gaps[n][j]) * X[n]
        M *= min(1, F / np.linalg.norm(M))
        corrections += 1
    bound = covers.online_coordinates(Rational(str(F)), Integer(1), Integer(N), Integer(d_out)).at(Rational(e))
    assert corrections * math.log(2 * d_out * N + 1) <= float(bound.evalf()) + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_best_norms_are_valid_and_never_worse(seed):
    """Everything known of one matrix at once: the best Frobenius bound is true, and at most each single one."""
    rng = np.random.default_rng(seed)
    shape = tuple(int(x) for x in rng.integers(1, 6, 2))
    M = matrices(shape, rng)[seed % 6]
    known = {name: Rational(str(NORMS[name](M))) for name in ("rows", "columns", "row_sum", "spectral")}
    D = Derivation()
    best = number(norm(D, Matrix("M", "M", *map(Integer, shape), **known), "frobenius", best=True), D._steps.values())
    assert np.linalg.norm(M) <= best * (1 + 1e-9)
    for name, value in known.items():
        single = Derivation()
        alone = number(
            norm(single, Matrix("M", "M", *map(Integer, shape), **{name: value}), "frobenius"), single._steps.values()
        )
        assert best <= alone * (1 + 1e-9)


# --- allocation ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_allocation_is_feasible_and_has_the_stated_value(n):
    """As an identity: sum beta_j x_j = C and sum alpha_j / x_j^2 = gamma^3 / C^2, for all n at once by symmetry."""
    C = Symbol("C", positive=True)
    alpha, beta = symbols(f"alpha:{n}", positive=True), symbols(f"beta:{n}", positive=True)
    D = Derivation()
    terms = [Term(str(j), str(j), beta[j], entropy.quadratic(alpha[j])) for j in range(n)]
    x = allocate(D, terms, C)
    gamma = D._steps["gamma"].expr
    shares = [D._steps[str(v)].expr.subs(Symbol("gamma"), gamma) for v in x]
    assert simplify(sum(b * v for b, v in zip(beta, shares, strict=True)) - C) == 0
    assert simplify(sum(a / v**2 for a, v in zip(alpha, shares, strict=True)) - gamma**3 / C**2) == 0


@given(st.lists(st.tuples(*[st.floats(0.01, 100)] * 3), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_hoelder(triples):
    """No feasible split costs less than the allocation's."""
    alpha, beta, x = (np.array(v) for v in zip(*triples, strict=True))
    D = Derivation()
    terms = [Term(str(j), "", Rational(b), entropy.quadratic(Rational(a))) for j, (a, b, _) in enumerate(triples)]
    best = number(total(D, terms, Rational((beta * x).sum()), "y", "y"), D._steps.values())
    assert (alpha / x**2).sum() >= best * (1 - 1e-9)


def test_copies_share_the_error():
    D = Derivation()
    terms = [Term("a", "a", Integer(1), entropy.quadratic(Integer(8)), Integer(5)),
             Term("b", "b", Integer(8), entropy.quadratic(Integer(1)))]  # fmt: skip
    value = total(D, terms, Integer(1), "y", "y")
    assert number(value, D._steps.values()) == pytest.approx((5 * 2 + 4) ** 3)
    single = Derivation()
    value = total(single, terms[:1], Integer(1), "y", "y")
    assert number(value, single._steps.values()) == pytest.approx(5 * 8 * 25)
