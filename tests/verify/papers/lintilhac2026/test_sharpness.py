"""Norms, gradients and traces by formulas, against what automatic differentiation finds."""

import numpy as np
import pytest
import torch

from maurey.symbolic.claim import InputError
from maurey.verify.papers.lintilhac2026.network import construction, sharpness
from maurey.verify.training.tasks import walsh

pytestmark = pytest.mark.usefixtures("one_thread")
SIZES = [(2, 1, 1), (2, 2, 1), (4, 4, 1), (5, 3, 5), (6, 2, 6), (7, 6, 3), (9, 1, 9)]
EXAMPLE = walsh.Target(6, ((0, 1), (2, 3)), (0.6, 0.8))


def network(target):
    net, mask = construction.build(target), construction.masks(target)
    return net, lambda v, z: construction.run(construction.named(v, net), z[None], mask).f[0]


def by_autodiff(target, z):
    """Squared gradients by block, F in two parts."""
    net, one = network(target)
    vector, bits = construction.flat(net), torch.from_numpy(z).double()
    slopes = torch.func.vmap(torch.func.grad(one), in_dims=(None, 0))(vector, bits)
    parts = [block.flatten(1) for block in slopes.split([block.numel() for block in net], dim=1)]
    F = parts[4].reshape(len(z), *net.F.shape)
    parts[4:5] = [F[:, :, -1], F[:, :, :-1].flatten(1)]
    return [part.square().sum(dim=1).numpy() for part in parts]


@pytest.mark.parametrize("size", SIZES)
def test_gradients(size):
    target = walsh.random_target(*size, np.random.default_rng(sum(size)))
    z = walsh.all_strings(size[0])[::3]
    found = sharpness.gradients(target, z)
    for name, ours, theirs in zip(found._fields, found, by_autodiff(target, z), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-12), name


def test_gradients_of_the_example():
    found = sharpness.gradients(EXAMPLE, np.array([[1, 0, 1, 1, 0, 1]]))
    assert np.concatenate(found) == pytest.approx(
        [0, 0, 391.68, 583.68, 6.219375, 10.576337428 - 6.219375, 0.352653061224, 0.836734693878], rel=1e-9
    )
    assert 2 * found.total[0] == pytest.approx(1974.25145037, rel=1e-11)


@pytest.mark.parametrize("size", SIZES)
def test_norms(size):
    target = walsh.random_target(*size, np.random.default_rng(sum(size)))
    net, found = construction.build(target), sharpness.norms(target)
    built = [block.square().sum().item() for block in net]
    built[4:5] = [net.F[:, -1].square().sum().item(), net.F[:, :-1].square().sum().item()]
    assert list(found) == pytest.approx(built, rel=1e-13)
    assert np.isclose(found.total, construction.flat(net).square().sum().item())


@pytest.mark.parametrize("size", [(3, 2, 3), (4, 1, 4), (5, 3, 2)])
def test_traces_of_second_derivatives(size):
    target = walsh.random_target(*size, np.random.default_rng(sum(size)))
    z = walsh.all_strings(size[0])[1::5]
    net, one = network(target)
    vector, bits = construction.flat(net), torch.from_numpy(z).double()
    label = torch.from_numpy(walsh.values(target, z))
    of_net = [torch.func.hessian(one)(vector, string).trace().item() for string in bits]
    loss = torch.func.hessian(lambda v: torch.stack([one(v, string) for string in bits]).sub(label).square().mean())
    whole = loss(vector)
    assert sharpness.network_trace(target, z) == pytest.approx(of_net, rel=1e-10, abs=1e-10)
    assert sharpness.hessian_trace(target, z).mean() == pytest.approx(whole.trace().item(), rel=1e-12)
    single = torch.func.hessian(lambda v: (one(v, bits[0]) - label[0]) ** 2)(vector)
    top = torch.linalg.eigvalsh(single)
    assert top[-1].item() == pytest.approx(sharpness.hessian_trace(target, z[:1])[0], rel=1e-12)
    assert top[:-1].abs().max() < 1e-10 * top[-1]  # one direction is not flat


def test_means():
    target = walsh.random_target(8, 3, 5, np.random.default_rng(0))
    whole, pairs = sharpness.mean(target), sharpness.mean_of_pairs(target)
    assert {name: getattr(whole, name) for name in pairs} == pytest.approx(pairs, rel=1e-12)


@pytest.mark.parametrize("D", [1, 2, 3, 4, 5])
def test_means_of_one_component(D):
    """By hand: E k + 1 = D/2 + 1 gives Gamma; E k^2 (k + 1) gives M."""
    found = sharpness.mean_of_pairs(walsh.Target(20, (tuple(range(D)),), (1,)))
    assert found["Gamma"] == pytest.approx(16 * D**3 + 32 * D**2)
    assert found["M"] == pytest.approx(4 * D**3 + 20 * D**2 + 8 * D)
    traces = {1: 168.25, 2: 774.96875, 3: 2070 + 5 / 6, 4: 4294.9453125, 5: 7687.15}
    target = walsh.Target(D + 2, (tuple(range(D)),), (1,))
    assert 2 * sharpness.mean(target).total == pytest.approx(traces[D], rel=1e-12)


def test_parts_of_many_strings(monkeypatch):
    target, z = walsh.tiling(8, 2), walsh.all_strings(8)
    whole = sharpness.hessian_trace(target, z)
    monkeypatch.setattr(sharpness, "AT_ONCE", 100)
    assert np.allclose(sharpness.hessian_trace(target, z), whole, rtol=1e-14)
    assert np.allclose(sharpness.network_trace(target, z)[100:], sharpness.network_trace(target, z[100:]))


def test_too_many_bits_to_enumerate():
    with pytest.raises(InputError, match="T = 21: strings are enumerated"):
        sharpness.mean(walsh.tiling(21, 3))
