"""Parity written bit by bit: exact on all strings, and what noise on the weights does."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from mutations import change, only
from sympy import Rational, log, sqrt

from maurey.symbolic.claim import InputError
from maurey.verify.checks import EFFORTS
from maurey.verify.papers.lintilhac2026 import chain_of_thought, separation
from maurey.verify.papers.lintilhac2026.network import chain_of_thought as cot
from maurey.verify.training.tasks.walsh import all_strings

torch = pytest.importorskip("torch")


def strings(T):
    return torch.from_numpy(all_strings(T)).double()


@pytest.mark.parametrize("T", [4, 6, 8, 10])
def test_every_bit_that_is_written_is_right(T):
    x = strings(T)
    bits = all_strings(T).astype(int)
    right = np.array([[row[:t].sum() % 2 for t in range(1, T + 1)] for row in bits[:64]])
    net = cot.network(T)
    assert (cot.chain(net, x).numpy()[:64] == right).all()
    assert (cot.chain(net, x)[:, -1].numpy() == bits.sum(axis=1) % 2).all()
    assert float((cot.forced(net, x) - 0.5).abs().min()) >= 0.447  # 0.5 but for the leak at T = 4


def test_a_step_by_hand():
    """T = 4, third step: x_3 and y_2 have weight 16; three of the five others, x_1, x_2, x_4, y_0, y_1, are ones."""
    bits = torch.tensor([[1.0, 0, 1, 1, 0, 1, 1]], dtype=torch.float64)
    mean = (16 * 2 + 3) / (2 * 16 + 5)
    trapezoid = min(1, max(0, 2 - 8 * abs(mean))) + min(1, max(0, 2 - 8 * abs(mean - 1)))
    assert float(cot.step(cot.network(4), bits)[0]) == pytest.approx(trapezoid)


def test_a_weaker_attention_errs():
    x = strings(6)
    assert (cot.chain(cot.network(6, scale=0.5), x)[:, -1] != cot.prefixes(x)[:, -1]).any()


@pytest.mark.parametrize("T", [3, 5, 8])
def test_the_squared_norm(T):
    blocks = cot.network(T)
    assert float((blocks.W_1**2).sum()) == pytest.approx(4 * T * math.log(T) ** 2)
    assert float((blocks.F**2).sum()) == 512


def test_errors_of_perturbed_networks():
    none = cot.errors(5, 0.0, 1)
    assert none.steps.sum() == none.end.sum() == none.single.sum() == 0
    some = cot.errors(5, 0.03, 12)
    assert 0 < some.end.mean() < some.union.mean()
    assert (some.end <= some.union + 1e-12).all()
    assert some.steps.shape == (12, 5)
    few = cot.errors(8, 0.01, 3, strings=100)
    assert few.single.mean() > few.end.mean()  # T + 1 steps of height 1/T against 3


def test_a_chain_that_errs_twice_is_right_again():
    """The union bound is not an equality."""
    some = cot.errors(6, 0.05, 20)
    assert (some.end < some.union - 1e-9).any()


def test_bad_input():
    with pytest.raises(InputError, match="T = 1"):
        cot.errors(1, 0.1, 1)


# --- the checks of 7, 8 and 16 ---------------------------------------------------------------------------------------


def run(check):
    return list(check(EFFORTS["quick"]))


def test_degree_t_against_t_times_degree_two():
    found = run(separation.superlinear)
    assert {(one.part, one.verdict, one.rung) for one in found} == {
        (part, "holds", "proved") for part in ("gradient", "norm", "cost", "log_core")
    }
    G = lambda D: 4 + 4 * (2 + D + 32 * D**2 + 32 * D**3)  # noqa: E731
    assert [T for T in range(2, 20) if G(T) < T * G(2)] == separation.first_failures("gradient", {}) == [2, 3]
    assert separation.first_failures("norm", {}) == [2, 3]
    assert all("fails at T = 2" in one.note for one in found)


def test_inequalities_are_proved_from_four_on_only_where_they_hold():
    T, sigma = separation.T, separation.sigma
    for power, truth in ((2, True), (3, None)):
        assert separation.beyond(T**power * log(T), T ** Rational(5, 2) * sqrt(T + 1)).verdict is truth
    assert separation.beyond(5 * T, T**2).verdict is None  # false at T = 4
    assert separation.beyond(4 * T, T**2).verdict is True
    assert separation.beyond(T * log(T), T * sqrt(T)).verdict is True
    assert separation.beyond(sigma * T, sigma * T * log(T)).verdict is True
    assert separation.beyond(sigma * T, T**2).verdict is None  # for a large sigma it is false


def test_a_changed_gradient_is_not_proved(monkeypatch):
    change(monkeypatch, separation.KEY, "gradient", "printed", lambda expr: 2 * expr)
    separation.from_four_on.cache_clear()
    try:
        assert {one.verdict for one in only(run(separation.superlinear), part="gradient")} == {"undecided"}
    finally:
        separation.from_four_on.cache_clear()


def test_where_the_chain_has_the_smaller_bound():
    first, proof = separation.crossing()
    G = lambda D: 4 + 4 * (2 + D + 32 * D**2 + 32 * D**3)  # noqa: E731
    L = lambda D, T: 2 + 8 * (D + 1) + 16 * D**2 * (D + 1) + 4 * (D + 1) * math.log(T) ** 2  # noqa: E731
    smaller = [T for T in range(2, 60) if T**3 * G(2) * L(2, T) < G(T) * L(T, T)]
    assert smaller == list(range(first, 60))
    assert proof.verdict is True


@pytest.mark.parametrize(
    ("check", "key", "parts"),
    [
        (chain_of_thought.drawn_steps, chain_of_thought.CHAIN, ["error", "step"]),
        (chain_of_thought.drawn_single, chain_of_thought.SINGLE, ["error"]),
    ],
)
def test_drawn_networks_err_more_often_than_is_printed(check, key, parts, monkeypatch):
    found = run(check)
    assert [one.part for one in found] == parts
    for one in found:
        assert one.verdict == "fails"
        assert 1e-3 < float(one.true_value) < 0.1
        assert one.counterexample["sigma"] in ("1/100", "1/250")  # of the paper's mesh
        assert Decimal(one.printed_value) < Decimal("1e-1000000")
    change(monkeypatch, key, "error", "printed", lambda expr: expr + Rational(1, 1000))
    assert only(run(check), part="error")[0].verdict == "undecided"


def test_a_construction_that_does_not_fit_decides_nothing(monkeypatch):
    at = chain_of_thought.DRAWN[chain_of_thought.CHAIN] | {"T": 4}  # the leak moves one step beyond its plateau
    monkeypatch.setitem(chain_of_thought.DRAWN, chain_of_thought.CHAIN, at)
    assert {one.verdict for one in run(chain_of_thought.drawn_steps)} == {"undecided"}


def test_networks_above_the_printed_bounds():
    for check, parts in (
        (chain_of_thought.weaker_attention, ["error", "step"]),
        (chain_of_thought.removed_piece, ["error"]),
    ):
        found = run(check)
        assert [one.part for one in found] == parts
        for one in found:
            assert (one.form, one.verdict, one.rung) == ("printed", "fails", "tested")
            assert one.counterexample["m"] > 0


def test_a_network_that_is_no_witness_is_noticed(monkeypatch):
    monkeypatch.setattr(chain_of_thought, "fitted_scale", lambda bits: 2 * math.log(bits))  # the construction itself
    verdicts = [proof.verdict for proof in chain_of_thought.dominated_chain(8)]
    assert verdicts == [True, False, False, False, True]
    (one,) = run(chain_of_thought.weaker_attention)
    assert one.verdict == "undecided"


@pytest.mark.parametrize("check", [chain_of_thought.weaker_attention, chain_of_thought.removed_piece])
def test_a_perturbation_that_costs_more_than_is_allowed_decides_nothing(check, monkeypatch):
    change(monkeypatch, chain_of_thought.PERTURBED, "trace", "printed", lambda expr: expr / 1000)
    (one,) = run(check)
    assert one.verdict == "undecided"


def test_a_root_of_more_is_not_less():
    """sqrt(T + 1) is at most sqrt(T) + 1/2, not sqrt(T)."""
    T = separation.T
    assert separation.beyond(T * sympy.sqrt(T + 1), T ** sympy.Rational(3, 2)).verdict is None
    assert separation.beyond(T ** sympy.Rational(3, 2), T * sympy.sqrt(T + 1)).verdict is True


def test_how_often_a_string_is_not_balanced():
    """Hoeffding for two sums of at most T - 1 bits each, two-sided, at T steps."""
    a, T = 59 / 10 - 1 / 4, 60
    assert float(chain_of_thought.unfitted(T)) == pytest.approx(T * 2 * 2 * math.exp(-2 * a**2 / (T - 1)))


@pytest.mark.parametrize("check", [chain_of_thought.weaker_attention, chain_of_thought.removed_piece])
def test_a_sample_that_may_show_the_error_decides_nothing(check, monkeypatch):
    monkeypatch.setattr(chain_of_thought, "UNSEEN", Fraction(1, 10**30))
    (one,) = run(check)
    assert one.verdict == "undecided"


def test_a_printed_bound_that_is_large_enough_is_not_refuted(monkeypatch):
    change(monkeypatch, chain_of_thought.SINGLE, "error", "printed", lambda expr: 1 + expr)
    assert run(chain_of_thought.removed_piece) == []


@pytest.mark.parametrize(
    ("check", "key", "part"),
    [
        (chain_of_thought.drawn_chains, chain_of_thought.CHAIN, "error"),
        (chain_of_thought.drawn_chains, chain_of_thought.CHAIN, "step"),
        (chain_of_thought.drawn_passes, chain_of_thought.SINGLE, "error"),
    ],
)
def test_drawn_networks_are_within_the_derived_bounds(monkeypatch, check, key, part):
    seen = {(one.form, one.verdict) for one in run(check) if one.part == part}
    assert seen == {("derived", "holds"), ("sharp", "holds")}
    change(monkeypatch, key, part, "derived", lambda expr: expr / 1000)
    assert [one.part for one in run(check) if one.verdict == "fails"] == [part]


def test_losses_and_ends_of_drawn_networks():
    """By hand: the aim is 1 where the written bit is 0, losses are clipped at 1, and a chain goes on with its bits."""
    T, sigma = 4, 0.05
    found = cot.errors(T, sigma, 3, seed=2)
    x = strings(T)
    right = x.cumsum(dim=1) % 2
    for draw in range(3):
        net, once = (
            cot.perturbed(each, sigma, (2, T, draw, i)) for i, each in enumerate((cot.network(T), cot.single(T)))
        )
        each, out = cot.forced(net, x), cot.output(once, x)
        assert found.step_loss[draw] == pytest.approx(float(((each - (1 - right)) ** 2).clamp(max=1).mean()))
        assert found.single_loss[draw] == pytest.approx(float(((out - (1 - right[:, -1])) ** 2).clamp(max=1).mean()))
        assert found.end[draw] == float((cot.chain(net, x)[:, -1] != right[:, -1]).double().mean())
    forced = [float((cot.written(cot.forced(cot.perturbed(cot.network(T), sigma, (2, T, draw, 0)), x))[:, -1]
                     != right[:, -1]).double().mean()) for draw in range(3)]  # fmt: skip
    assert forced != found.end.tolist()
    wild = cot.perturbed(cot.network(T), 1.0, (0,))
    assert float(((cot.forced(wild, x) - (1 - right)) ** 2).max()) > 1 >= cot._loss(cot.forced(wild, x), 1 - right)


def test_the_mean_trace_is_over_all_steps():
    net, x = cot.network(3), strings(3)[:5]
    y = cot.prefixes(x)
    each = [cot.traces(cot.step, net, torch.cat([x, y[:, :t]], dim=1)) for t in range(1, 4)]
    assert cot.mean_trace(net, x) == pytest.approx(float(torch.cat(each).sum() / 15))


def test_traces_are_twice_squared_gradients():
    net, x = cot.network(4), strings(4)[:5]
    own = cot.traces(lambda some, z: cot.step(some, torch.cat([z, z[:, :1] * 0], dim=1)), net, x)
    theta = cot.flat(net).requires_grad_()
    for i, value in enumerate(own.tolist()):
        out = cot.step(cot.named(theta, net), torch.cat([x[i : i + 1], x[:1, :1] * 0], dim=1))[0]
        (gradient,) = torch.autograd.grad(out, theta)
        assert float(2 * (gradient**2).sum()) == pytest.approx(value)
