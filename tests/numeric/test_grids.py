"""Sweeps equal the certified value point by point, in any range."""

import math
import random
from itertools import product

import numpy as np
import pytest
from independent import KEYS, forms_of
from points import point
from sympy import Symbol

import maurey
from maurey import InputError
from maurey.numeric import grids
from maurey.numeric.binding import Bound
from maurey.numeric.grids import LogValue, from_plain
from maurey.numeric.walk import Undefined
from maurey.symbolic.derivation import Step

HEAD = dict(eps="1/10", d=8, m=100, T=20, L_sigma=1, B_X=1, B_V=2, B_V_inf=0.7, B_QK_inf=0.4)


def agrees(log, sign, exact):
    if exact == 0:
        return log == -math.inf
    expected = float(exact.copy_abs().ln())
    return abs(float(log) - expected) < 1e-10 * max(1, abs(expected)) and np.sign(sign) == (1 if exact > 0 else -1)


@pytest.mark.parametrize("key", KEYS)
def test_a_scalar_sweep_is_the_value(key):
    claim, rng = maurey.claim(key), random.Random(f"sweep {key}")
    for _, (part, form) in product(range(2), forms_of(key)):
        at = point(claim.record, rng)
        try:
            exact = claim.enclose(form=form, part=part, digits=15, **at).value
        except Undefined:
            continue
        found = claim.sweep(form=form, part=part, **at)
        assert agrees(found.log, found.sign, exact), (part, form, at, exact, found)


@pytest.mark.parametrize("form", ["printed", "derived", "sharp"])
def test_arrays_broadcast(form):
    claim = maurey.claim("edelman2022/4.4")
    eps, d = np.geomspace(0.01, 5, 7)[:, None], np.array([1, 2, 8, 1000])
    found = claim.sweep(form=form, **(HEAD | {"eps": eps, "d": d}))
    assert found.log.shape == (7, 4)
    for i, j in [(0, 0), (3, 2), (6, 3)]:
        exact = claim.enclose(form=form, **(HEAD | {"eps": float(eps[i, 0]), "d": int(d[j])})).value
        assert agrees(found.log[i, j], 1, exact)


@pytest.mark.parametrize(
    ("key", "form", "at"),
    [
        ("edelman2022/4.4", "derived", HEAD | {"eps": np.geomspace(0.01, 5, 50), "d": np.arange(1, 51)}),
        ("edelman2022/4.4", "sharp", HEAD | {"eps": np.geomspace(0.01, 50, 50)[:, None], "d": np.arange(1, 8)}),
        ("edelman2022/A.12", "derived", HEAD | {"B_V": [np.geomspace(0.1, 9, 50), 2], "H": 2}),
    ],
)
def test_blocks_are_the_whole(monkeypatch, key, form, at):
    """Cut into blocks, the last of them shorter, a grid has the same values in the same places."""
    claim = maurey.claim(key)
    whole = claim.sweep(form=form, **at)
    monkeypatch.setattr(grids, "BLOCK", 16)
    found = claim.sweep(form=form, **at)
    assert found.log.shape == whole.log.shape
    assert len(np.unique(whole.log)) > 40
    assert np.allclose(found.log, whole.log, rtol=1e-14, atol=1e-14)  # sums are rounded by what is zero in a block


def test_blocks_keep_signs(monkeypatch):
    """x - 2 over numbers below, at and above 2."""
    xs = np.arange(1.0, 41.0)
    bound = Bound(None, "printed", [Step("y", "y", Symbol("x") - 2, "")], {"x": from_plain(xs)})
    monkeypatch.setattr(grids, "BLOCK", 7)
    assert np.allclose(grids.run_over(bound).value, xs - 2, atol=1e-12)


def test_binomials_of_any_size():
    """From the table, from the series, across both, at the ends and beyond."""
    n, k = np.array([4.0, 4090, 4096, 5000, 10**6, 5, 5, 3]), np.array([2.0, 17, 4000, 3, 10**5, 0, 5, 4])
    found = grids.Logs().apply("binomial", [from_plain(n), from_plain(k)]).log
    with np.errstate(divide="ignore"):
        expected = [math.log(c) if (c := math.comb(int(a), int(b))) else -math.inf for a, b in zip(n, k, strict=True)]
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_heads_take_lists_of_arrays():
    claim = maurey.claim("edelman2022/A.12")
    B_V = [np.array([1.0, 2.0]), np.array([3.0, 0.5])]
    found = claim.sweep(**(HEAD | {"B_V": B_V}), H=2)
    for i in range(2):
        exact = claim.enclose(**(HEAD | {"B_V": [float(b[i]) for b in B_V]}), H=2).value
        assert agrees(found.log[i], 1, exact)


def test_natural_ties_do_not_flip():
    """At eps = 1/10 and norms 1 the count is a tie; the double nearest to 1/10 must not add one."""
    claim = maurey.claim("edelman2022/A.10")
    eps = np.array([0.1, 0.2, 0.05, 0.01])
    found = claim.sweep(form="sharp", eps=eps, N=100, B_w=1, B_X=1)
    assert np.allclose(found.value, [(round(1 / e**2) - 1) * math.log(201) for e in eps], rtol=1e-12)


def test_no_overflow():
    found = maurey.claim("edelman2022/4.4").sweep(**(HEAD | {"eps": np.array([1e-200, 1e-300]), "d": "1e100"}))
    assert np.isfinite(found.log).all()
    assert (found.log10 > 600).all()
    assert np.isinf(found.value).all()  # plain doubles cannot hold it


@pytest.mark.parametrize(
    "change", [{"eps": np.array([0.1, 0.0])}, {"eps": np.array([np.nan])}, {"d": np.array([1.5])}, {"d": np.array([0])}]
)
def test_arrays_outside_the_domain_are_refused(change):
    with pytest.raises(InputError, match="must be a"):
        maurey.claim("edelman2022/4.4").sweep(**(HEAD | change))


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="do not broadcast"):
        maurey.claim("edelman2022/4.4").sweep(**(HEAD | {"eps": np.ones(3), "d": np.ones(2)}))


def test_signs():
    assert np.allclose(from_plain(np.array([-2.0, 0.0, 3.0])).value, [-2, 0, 3])
    assert LogValue(0.0).value == 1


def test_assumptions_hold_on_all_of_the_grid():
    with pytest.raises(InputError, match="assumes that the index i is at most n"):
        maurey.claim("edelman2022/A.8").sweep(
            part="minimizer", form="derived", alpha=[1, 2], beta=[1, 1], C=1, i=np.array([1, 5])
        )


@pytest.mark.parametrize(
    ("key", "part", "form", "at"),
    [
        ("mousavi2025/29", "eps_h", "sharp", dict(eps="139/100", N=7, alpha_N=0, C_y_W="519/100")),
        ("mousavi2025/20", "level", "printed",
         dict(n=1, N=1, d=1, q=1, H=1, B_a="1/10", B_W_F=1, C_x=1, C_y=1, s=3)),
    ],
    ids=["a case where a parameter is 0", "an odd power of a negative logarithm"],
)  # fmt: skip
def test_where_logarithms_have_no_sign_of_their_own(key, part, form, at):
    claim = maurey.claim(key)
    exact = claim.enclose(form, part, **at).value
    assert float(claim.sweep(form, part, **at).value) == pytest.approx(float(exact), rel=1e-12)
