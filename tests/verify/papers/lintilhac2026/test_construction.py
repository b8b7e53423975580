"""The constructed network: exact on all strings, how much it leaks, and what random projections do to it."""

import math

import numpy as np
import pytest
import torch

from maurey.symbolic.claim import InputError
from maurey.verify.papers.lintilhac2026.network import scripted
from maurey.verify.papers.lintilhac2026.network.construction import (
    build,
    flat,
    masks,
    named,
    output,
    random_projection,
    run,
    width,
)
from maurey.verify.papers.lintilhac2026.network.sharpness import wave
from maurey.verify.training.tasks import walsh
from maurey.verify.training.tasks.walsh import Target

pytestmark = pytest.mark.usefixtures("one_thread")
EXAMPLE = Target(6, ((0, 1), (2, 3)), (0.6, 0.8))


def classes(T):
    """All degrees and sparsities."""
    return [(D, omega) for D in range(1, T + 1) for omega in range(1, min(T, math.comb(T, D)) + 1)]


def leaking(target, z):
    """The output of the leaky network, and how far off it may be, in closed form."""
    T, C, rest = target.T, target.C, target.T + 1 - target.omega
    q = wave(target.D, z.sum(axis=1) / (T + 1))
    return (C * (T**2 * walsh.values(target, z) + rest * q) / (C * T**2 + rest), C * rest / (C * T**2 + rest))


def both_modes(target):
    """How far the ideal network is from the target, the leaky one from the closed form, and from the target beyond what
    is allowed."""
    z = walsh.all_strings(target.T)
    net, bits = build(target), torch.from_numpy(z)
    ideal, leaky = (output(net, bits, mask).numpy() for mask in (masks(target), None))
    closed, most = leaking(target, z)
    off = np.abs(leaky - walsh.values(target, z)).max()
    return np.abs(ideal - walsh.values(target, z)).max(), np.abs(leaky - closed).max(), off - most


@pytest.mark.parametrize("T", [2, 3, 4, 5, 6, 7])
def test_exact_for_every_degree_and_sparsity(T):
    rng = np.random.default_rng(T)
    for D, omega in classes(T):
        assert max(both_modes(walsh.random_target(T, D, omega, rng))) < 1e-13


@pytest.mark.parametrize(("D", "omega"), [(1, 14), (7, 3), (13, 14)])
def test_exact_for_fourteen_bits(D, omega):
    assert max(both_modes(walsh.random_target(14, D, omega, np.random.default_rng(D)))) < 1e-12


def test_the_bound_on_the_leak_is_attained():
    """All components even while the last position sees nothing, with one component of degree 1."""
    assert abs(both_modes(Target(4, ((0,),), (1,)))[2]) < 1e-15


def test_the_example():
    net, z = build(EXAMPLE), torch.tensor([[1, 0, 1, 1, 0, 1]])
    squares = [(block**2).sum().item() for block in net]
    expected = [51.3664319291, 1, 12, 5.46875, 512, 20.7335669487, 1.96]
    assert squares == pytest.approx(expected, rel=1e-11)
    assert len(flat(net)) == 404
    assert output(net, z, masks(EXAMPLE)).item() == pytest.approx(0.8, abs=1e-15)
    assert output(net, z).item() == pytest.approx(0.727797833935, rel=1e-11)


def test_what_is_on_the_way():
    target = walsh.random_target(7, 3, 4, np.random.default_rng(0))
    z = walsh.all_strings(7)[5:9]
    seen = run(build(target), torch.from_numpy(z), masks(target))
    k = walsh.counts(target, z)
    assert np.allclose(seen.b[:, :4, -1], k / 3)
    assert np.allclose(seen.b[:, 4:, -1], z.sum(axis=1)[:, None] / 8)
    assert np.allclose(seen.g[:, :4, -1], 1 - k % 2)
    assert np.allclose(seen.g[:, :, :-1], np.eye(8))
    assert np.allclose(seen.s[:, :4], target.c / target.C)
    assert seen.s[:, 4:].abs().max() == 0
    assert np.allclose(seen.a.sum(dim=1), 1)
    assert np.allclose(seen.y, target.C * seen.g[:, :, -1])


def test_weights_of_the_leaky_network():
    target = walsh.random_target(6, 2, 3, np.random.default_rng(0))
    T, D, C = 6, 2, target.C
    seen = run(build(target), torch.zeros(1, 6))
    member = torch.from_numpy(target.members())
    inside = (member * T**2 + 1 - member) / (D * T**2 + T + 1 - D)
    assert np.allclose(seen.a[0, :T, :3], inside)
    assert np.allclose(seen.a[0, :, 3:], 1 / (T + 1))
    assert np.allclose(seen.s[0, :3], target.c * T**2 / (C * T**2 + T + 1 - 3))


def test_blocks_and_back():
    net = build(EXAMPLE)
    again = named(flat(net), net)
    assert all(torch.equal(a, b) for a, b in zip(net, again, strict=True))
    assert [tuple(block.shape) for block in net] == [(8, 8), (8, 8), (8, 12), (12,), (12, 8), (8, 8), (8,)]


def spread(change):
    """How much mass softmax moves at most when its scores change so; what they have in common moves none."""
    return math.tanh((change.max() - change.min()).item() / 4)


@pytest.mark.parametrize("seed", range(3))
def test_projection(seed):
    """Scores change by the inner products of J, and from that alone the output's error is bounded."""
    target = walsh.random_target(6, 2, 4, np.random.default_rng(3))
    z, J = torch.from_numpy(walsh.all_strings(6)), random_projection(6, width(6, 0.15), seed)
    plain, net = build(target), build(target, J)
    assert net.W_1.shape == (width(6, 0.15) + 1,) * 2
    first, second = (J @ W[:-1, :-1] @ J.T - V[:-1, :-1] for W, V in ((net.W_1, plain.W_1), (net.W_2, plain.W_2)))
    moved = max(spread(first[list(S), t]) for t, S in enumerate(target.components))
    assert moved < 1 / (4 * target.D)  # the plateaus absorb it
    off = (output(net, z, masks(target), J) - output(plain, z, masks(target))).abs().max().item()
    assert 0 < off <= target.C * spread(second[:4, -1])


def test_orthogonal_projection_changes_nothing():
    Q = torch.linalg.qr(torch.randn(7, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0)))[0]
    z = torch.from_numpy(walsh.all_strings(6))
    for mask in (None, masks(EXAMPLE)):
        assert torch.allclose(output(build(EXAMPLE, Q), z, mask, Q), output(build(EXAMPLE), z, mask), atol=1e-13)


def test_width_of_projections():
    assert width(20, 0.5) == math.ceil(32 * math.log(20))
    assert width(20, 0.5, c_J=1) == math.ceil(4 * math.log(20))


def test_one_bit():
    with pytest.raises(InputError, match="T = 1"):
        build(Target(1, ((0,),), (1,)))


def test_a_projection_of_another_size():
    with pytest.raises(InputError, match="7 rows"):
        build(EXAMPLE, random_projection(5, 8, seed=0))


@pytest.mark.parametrize(
    ("block", "at", "by"),
    [("F", (0, -1), 0.05), ("Gamma", (1,), 0.05), ("M", (-1, 0), 0.05), ("v_2", (-1,), 0.05), ("W_2", (0, 6), 0.05),
     ("W_V", (-1, -1), 0.2), ("W_1", (1, 0), 1.5)],
)  # fmt: skip
def test_a_wrong_entry_is_caught(block, at, by):
    """What the first layer does wrong shows only beyond the plateaus."""
    net, z = build(EXAMPLE), torch.from_numpy(walsh.all_strings(6))
    getattr(net, block)[at] += by
    off = np.abs(output(net, z, masks(EXAMPLE)).numpy() - walsh.values(EXAMPLE, z.numpy())).max()
    assert off > 1e-3
    getattr(net, block)[at] -= 0.9 * by
    assert (np.abs(output(net, z, masks(EXAMPLE)).numpy() - walsh.values(EXAMPLE, z.numpy())).max() > 1e-12) == (
        block not in ("W_V", "W_1")
    )


@pytest.mark.parametrize("T", range(2, 9))
def test_the_authors_three_constructions_compute_the_same(T):
    """Up to (-1)^D (2 f - C): they have products of signs for parities."""
    rng, z = np.random.default_rng(T), walsh.all_strings(T).astype(float)
    for D, omega in classes(T):
        target = walsh.random_target(T, D, omega, rng)
        signs = [(2 * z[:, list(each)] - 1).prod(axis=1) for each in target.components]
        wanted = target.c @ np.array(signs)
        assert np.abs(wanted - (-1) ** D * (2 * walsh.values(target, z) - target.C)).max() < 1e-13
        for kind in (scripted.original, scripted.softened, scripted.balanced):
            assert np.abs(scripted.output(kind(target), torch.from_numpy(z)).numpy() - wanted).max() < 1e-12


def test_what_softens_and_balances_keeps_scores_and_moves_norms():
    nets = [kind(EXAMPLE) for kind in (scripted.original, scripted.softened, scripted.balanced)]
    assert all(torch.allclose(net.Q_1.T @ net.K_1, nets[0].Q_1.T @ nets[0].K_1) for net in nets)
    assert nets[2].Q_2.norm() == pytest.approx(nets[2].K_2.norm().item())
    norms = [scripted.norm_squared(net) for net in nets]
    assert norms[2] < norms[0] < norms[1]
    assert norms[0] > 1600 * (10**2 - 6)  # scores of -40 but for those of two components and of two readings
