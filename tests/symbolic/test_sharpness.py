"""The construction's norm, gradient, movement and curvature, where plain numbers can tell."""

from decimal import Decimal
from math import log

import numpy as np
import pytest
from sympy import Rational, Symbol, evaluate

import maurey
from maurey.numeric.walk import run
from maurey.symbolic.curvature import Curvature
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.gaussian import at_random, loss_cost
from maurey.symbolic.perturbation import Perturbed
from maurey.symbolic.sharpness import Target

PAPER = {"omega": 10, "D": 2, "T": 20}


class Floats:
    """The smallest field that `walk` asks for, in doubles."""

    def __init__(self):
        self.indices = []

    def rational(self, value):
        return float(value)

    def add(self, terms):
        return sum(terms)

    def multiply(self, factors):
        return float(np.prod(factors))

    def power(self, base, exponent):
        return base ** float(exponent)

    def apply(self, name, arguments):
        return {"log": np.log, "min": min, "max": max}[name](*arguments)

    def ceiling(self, x, node, env):
        return float(np.ceil(x))

    def select(self, branches, env):
        (first, flat), (_, otherwise) = branches
        left = env[first.lhs.name]
        return flat() if left < float(first.rhs.subs({k: v for k, v in env.items() if k == "D"})) else otherwise()


def value(of, **at):
    with evaluate(False):
        proof = Derivation()
        steps = proof.steps_to(of(proof))
    return run(steps, {name: float(x) for name, x in at.items()}, Floats())


sigma, delta = Symbol("sigma"), Symbol("delta")


@pytest.mark.parametrize("D", [1, 2, 5])
def test_norms_are_those_of_the_matrices(D):
    kinks = np.array([[-i / D + o / (4 * D) for o in (-2, -1, 1, 2)] for i in range(D + 1)])
    weights = np.array([4 * D * (i % 2 == 0) for i in range(D + 1)])
    at = {"omega": 3, "D": D, "T": 9}
    assert value(Target().offsets, **at) == pytest.approx((kinks**2).sum())
    assert value(Target().outer, **at) == pytest.approx(4 * (weights**2).sum())
    units = np.maximum(1 + kinks, 0)
    assert value(Target().hidden, **at) == pytest.approx((units**2).sum())
    on = np.maximum(weights[:, None] * (1 + kinks > 0), 0)
    assert value(Target().active, **at) == pytest.approx((on**2).sum())


def test_norms_of_given_coefficients():
    claim, at = maurey.claim("lintilhac2026/10"), {"omega": 2, "D": 2, "T": 6}
    c = {"coefficient": ["3", "4"]}
    assert claim.evaluate("sharp", "W_2", **at, **c) == pytest.approx(20.7335669487)
    assert claim.evaluate("sharp", "v_2", **at, **c) == pytest.approx(1.96)
    exact = 51.3664319291 + 1 + 12 + 5.46875 + 512 + 20.7335669487 + 1.96
    assert claim.evaluate("sharp", "total", **at, **c) == pytest.approx(exact)
    assert claim.evaluate("sharp", "total", **at, **c) < claim.evaluate("derived", "total", **at)
    assert claim.evaluate("sharp", "v_2", omega=3, D=2, T=6, coefficient=7) == pytest.approx(3)


def test_lists_that_are_not_given_fix_no_length():
    claim = maurey.claim("lintilhac2026/10")
    assert claim.sweep("sharp", "v_2", omega=np.array([1, 2000]), D=1, T=3000).value == pytest.approx([1, 2000])


def test_the_printed_norm_is_below_the_construction_of_the_papers_own_example():
    claim = maurey.claim("lintilhac2026/10")
    printed = claim.enclose("printed", "total", **PAPER)
    assert float(printed.value) == pytest.approx(1303.9294225)
    exact = claim.enclose("sharp", "total", **PAPER, coefficient=1)
    assert printed.upper < exact.lower
    assert exact.value > Decimal(1490)


def test_counts_and_gradients():
    assert value(Target().count, omega=2, D=2, T=6) == 404
    blocks = {name: value(lambda proof, name=name: Target().gradient_blocks(proof)[name], **PAPER)
              for name in ("v_2", "W_2", "F", "F_pos", "M")}  # fmt: skip
    assert blocks["v_2"] == 2
    assert blocks["W_2"] == 3.25
    assert blocks["F_pos"] / blocks["F"] == pytest.approx(11 / 4 * log(20) ** 2)
    assert blocks["M"] == 32 * 10 * 4 * 3


@pytest.mark.parametrize("exact", [False, True])
def test_movements_vanish_with_the_perturbation(exact):
    def moved(s, quantity):
        return value(
            lambda proof: quantity(at_random(proof, Target(), sigma, delta, exact)), **PAPER, sigma=s, delta=0.1
        )

    for quantity in (Perturbed.f, Perturbed.gradient):
        small, smaller = moved(1e-9, quantity), moved(1e-10, quantity)
        assert small / smaller == pytest.approx(10, rel=1e-3)
        assert moved(1.0, quantity) > moved(0.1, quantity) > moved(1e-3, quantity) > small

    def hessian(s):
        return value(lambda proof: Curvature(at_random(proof, Target(), sigma, delta, exact), False).bound(), **PAPER,
                     sigma=s, delta=0.1)  # fmt: skip

    rest = value(lambda proof: Curvature(Perturbed(proof, exact=exact), True).bound(), **PAPER)
    assert rest < hessian(1e-12) < 1.1 * rest  # the output's slope is bounded more coarsely after the move
    assert hessian(1e-3) > hessian(1e-6) > hessian(1e-12)


@pytest.mark.parametrize("s", [1e-8, 1e-5, 1e-2])
@pytest.mark.parametrize("of", [Perturbed.b, Perturbed.f, Perturbed.delta, Perturbed.gradient])
def test_best_constants_are_no_larger(of, s):
    plain, best = (
        value(lambda proof, e=e: of(at_random(proof, Target(), sigma, delta, e)), **PAPER, sigma=s, delta=0.1)
        for e in (False, True)
    )
    assert best < plain


def test_the_loss_is_bounded_through_the_gradient_for_small_perturbations_only():
    at = PAPER | {"delta": 0.1}
    through = [
        value(lambda proof: Perturbed.f(at_random(proof, Target(), sigma, delta, True)), **at, sigma=s)
        for s in (1e-9, 1e-3)
    ]
    costs = [value(lambda proof: loss_cost(proof, Target(), sigma, delta, True), **at, sigma=s) for s in (1e-9, 1e-3)]
    direct = [2 * (f / s) ** 2 for f, s in zip(through, (1e-9, 1e-3), strict=True)]
    assert costs[0] < direct[0] / 2
    assert costs[1] == pytest.approx(direct[1])


def test_two_functions_in_one_derivation():
    with evaluate(False):
        proof = Derivation()
        both = proof.let(
            "both", "b", Target(tag="a").norm_squared(proof) + Target(D=Rational(1), tag="b").norm_squared(proof), ""
        )
        steps = proof.steps_to(both)
    assert len({step.latex for step in steps}) == len(steps)
