"""Sweeps equal the certified value point by point, in any range."""

import math
import random

import numpy as np
import pytest
from independent import FORMS
from points import point

import maurey
from maurey import InputError
from maurey.numeric.grids import LogValue, from_plain
from maurey.numeric.walk import Undefined

HEAD = dict(eps="1/10", d=8, m=100, T=20, L_sigma=1, B_X=1, B_V=2, B_V_inf=0.7, B_QK_inf=0.4)


def agrees(log, sign, exact):
    if exact == 0:
        return log == -math.inf
    expected = float(exact.copy_abs().ln())
    return abs(float(log) - expected) < 1e-10 * max(1, abs(expected)) and np.sign(sign) == (1 if exact > 0 else -1)


@pytest.mark.parametrize(("key", "part", "form"), sorted(FORMS))
def test_a_scalar_sweep_is_the_value(key, part, form):
    claim, rng = maurey.claim(key), random.Random(f"sweep {key} {part} {form}")
    for _ in range(8):
        at = point(claim.record, rng)
        try:
            exact = claim.enclose(form=form, part=part, digits=15, **at).value
        except Undefined:
            continue
        found = claim.sweep(form=form, part=part, **at)
        assert agrees(found.log, found.sign, exact), (at, exact, found)


@pytest.mark.parametrize("form", ["printed", "derived", "sharp"])
def test_arrays_broadcast(form):
    claim = maurey.claim("edelman2022/4.4")
    eps, d = np.geomspace(0.01, 5, 7)[:, None], np.array([1, 2, 8, 1000])
    found = claim.sweep(form=form, **(HEAD | {"eps": eps, "d": d}))
    assert found.log.shape == (7, 4)
    for i, j in [(0, 0), (3, 2), (6, 3)]:
        exact = claim.enclose(form=form, **(HEAD | {"eps": float(eps[i, 0]), "d": int(d[j])})).value
        assert agrees(found.log[i, j], 1, exact)


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
