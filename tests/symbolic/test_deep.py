"""Depth and chain: one layer, equal layers, and the best cut-off of Dudley's integral."""

import numpy as np
import pytest
from mpmath import ceil, log, mp, mpf, sqrt

import maurey
from maurey.numeric.binding import bind
from maurey.numeric.evaluation import value_of
from maurey.symbolic import registry
from maurey.symbolic.chain import EXTERNAL, PROPER, TEXTBOOK, complexity
from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.names import parameters, symbols

DEEP = maurey.claim("edelman2022/A.17")
AT = dict(eps="0.3", d=6, k=5, m=70, T=9, L_sigma="1.3", B_w="0.8")
ONE = dict(B_C="1.1", B_C_inf="0.9", B_V="1.4", B_V_inf="0.7", B_QK="0.6", B_QK_inf="0.5")


def test_one_layer_is_the_single_layer():
    """Lemmas A.15 and A.16 once, Zhang's cover for each matrix at half its share, Hoelder for the shares."""
    with mp.workdps(40):
        v = {name: mpf(value) for name, value in (AT | ONE).items()}
        N, up = v["m"] * v["T"], v["B_w"] * v["L_sigma"] * v["B_C"]
        terms = [  # outputs, bound on rows, radius of the inputs, how far the output moves, inputs
            (v["d"], v["B_QK_inf"], 1, up * 2 * v["B_V"], N),
            (v["k"], v["B_V_inf"], 1, up, N),
            (v["d"], v["B_C_inf"], v["L_sigma"], v["B_w"], N),
            (1, v["B_w"], 1, 1, v["m"]),
        ]
        costs = [144 * (n * B * R) ** 2 for n, B, R, *_ in terms]
        gamma = sum(a ** (mpf(1) / 3) * t[3] ** (mpf(2) / 3) for a, t in zip(costs, terms, strict=True))
        total = mpf(0)
        for a, (n, B, R, beta, inputs) in zip(costs, terms, strict=True):
            share = v["eps"] / gamma * (a / beta) ** (mpf(1) / 3) / 2 / sqrt(n)
            total += n * 36 * (B * R / share) ** 2 * log(2 * ceil(4 * B * R / share + 2) * inputs + 1)
        found = DEEP.evaluate("derived", "log_N", digits=30, L=1, **AT, **ONE)
        assert abs(found / total - 1) < mpf(10) ** -28


@pytest.mark.parametrize("L", [2, 5, 12])
def test_equal_layers_are_a_geometric_sum(L):
    """gamma = B_w^(2/3) g (r^L - 1)/(r - 1) + alpha_w^(1/3) with r the layer's gain to the power 2/3."""
    bound = bind(DEEP.record, "derived", "log_N", AT | ONE | {"L": L})
    gamma = next(i for i, step in enumerate(bound.steps) if step.name == "gamma")
    ball = value_of(bound.steps[: gamma + 1], bound.values)
    with mp.workdps(30):
        v = {name: mpf(value) for name, value in (AT | ONE).items()}
        third = mpf(1) / 3
        gain = v["L_sigma"] * v["B_C"] * v["B_V"] * (1 + 4 * v["B_QK"])
        layer = (v["L_sigma"] * v["B_C"]) ** (2 * third) * (
            (12 * v["d"] * v["B_QK_inf"] * 2 * v["B_V"]) ** (2 * third) + (12 * v["k"] * v["B_V_inf"]) ** (2 * third)
        ) + (12 * v["d"] * v["B_C_inf"] * v["L_sigma"]) ** (2 * third)
        r = gain ** (2 * third)
        expected = (12 * v["B_w"]) ** (2 * third) + v["B_w"] ** (2 * third) * layer * (r**L - 1) / (r - 1)
        assert abs(float(ball) / expected - 1) < 1e-12


@pytest.mark.parametrize("form", ["derived", "sharp"])
@pytest.mark.parametrize("L", [1, 3])
def test_the_simplified_theorem_is_the_deep_one_with_equal_layers(form, L):
    at = dict(eps="0.3", d=6, m=70, T=9, L_sigma="1.3", B_w="0.8", B_X="1.7", L=L)
    simple = maurey.claim("edelman2022/4.6").enclose(form, "log_N", digits=30, C_2="1.2", C_inf="0.9", **at)
    equal = dict(B_C="1.2", B_V="1.2", B_QK="1.2", B_C_inf="0.9", B_V_inf="0.9", B_QK_inf="0.9", k=6)
    assert DEEP.enclose(form, "log_N", digits=30, **at, **equal) == simple


def at_best(dudley) -> Claim:
    A, C_F, m = symbols("A C_F m")

    def form(_):
        D = Derivation()
        return D.steps_to(complexity(D, dudley, C_F, A, m))

    part = Part("R", "R", "complexity", derived=form)
    return Claim("x/1", "x", "rademacher", "x", parameters("A C_F m"), parts=(part,))


@pytest.mark.parametrize("dudley", [TEXTBOOK, PROPER, EXTERNAL], ids=["textbook", "proper", "external"])
@pytest.mark.parametrize(("A", "C", "m"), [(1, 1, 10**4), (3, 50, 10**5), (1, 1, 2), (0.01, 40, 10), (2, 7, 10**9)])
def test_the_best_cut_off_is_the_infimum(dudley, A, C, m):
    """Against a scan over cut-offs, and never above the trivial bound."""
    found = float(maurey.ClaimView(at_best(dudley)).evaluate("derived", A=A, C_F=C, m=m))
    tau = A * np.logspace(-12, 0, 200_001)
    scan = float(dudley.cut) * tau + float(dudley.integral) * np.sqrt(C / m) * np.log(A / tau)
    assert found <= A
    assert found == pytest.approx(min(A, scan.min()), rel=1e-7)


def test_the_chain_is_taken_from_dudley_and_from_levels():
    keys = {step.key for form in ("derived", "sharp") for step in registry.find("edelman2022/2.2").parts[0].steps(form)}
    assert {"dudley1967/integral", "maurey/deviation", "maurey/levels", "maurey/sides"} <= keys
