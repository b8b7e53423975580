"""Gradients and traces of any network of the shape, against automatic differentiation; perturbations and rescaling."""

import numpy as np
import pytest
import torch

from maurey.verify.papers.lintilhac2026.network.construction import build, flat, masks, named, output, run
from maurey.verify.papers.lintilhac2026.network.curvature import curvature
from maurey.verify.papers.lintilhac2026.network.noise import crossed, moved, perturbations
from maurey.verify.papers.lintilhac2026.network.rescaling import (
    Balance,
    best_product,
    improved,
    measured,
    of_gradient,
    of_norm,
    pruned,
    rescaled,
)
from maurey.verify.papers.lintilhac2026.network.sharpness import gradients, network_trace
from maurey.verify.training.tasks import walsh

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize(
    ("size", "sigma", "ideal"),
    [((3, 1, 2), 0.0, True), ((3, 1, 2), 0.5, True), ((3, 2, 3), 0.8, False), ((2, 2, 1), 1.0, False)],
)
def test_against_autodiff(size, sigma, ideal):
    """With large perturbations no block is special any more."""
    target = walsh.random_target(*size, np.random.default_rng(0))
    net, mask = build(target), masks(target) if ideal else None
    other = moved(net, sigma * perturbations(net, 1, 0)[0])
    z = torch.from_numpy(walsh.all_strings(size[0])[1::3]).double()
    found = curvature(other, z, mask)

    def one(vector, string):
        return run(named(vector, net), string[None], mask).f[0]

    slopes = torch.func.vmap(torch.func.grad(one), in_dims=(None, 0))(flat(other), z)
    traces = [torch.func.hessian(one)(flat(other), string).trace().item() for string in z]
    assert np.allclose(found.f, output(other, z, mask))
    assert np.allclose(found.gradient, slopes.square().sum(dim=1), rtol=1e-12)
    assert np.allclose(found.trace, traces, rtol=1e-9, atol=1e-11)


def test_against_the_exact_formulas(monkeypatch):
    target = walsh.random_target(8, 3, 5, np.random.default_rng(1))
    z = walsh.all_strings(8)[::7]
    found = curvature(build(target), torch.from_numpy(z), masks(target))
    assert np.allclose(found.gradient, gradients(target, z).total, rtol=1e-12)
    assert np.allclose(found.trace, network_trace(target, z), rtol=1e-10, atol=1e-10)
    label = torch.from_numpy(walsh.values(target, z))
    assert np.allclose(found.loss(label - 0.5), 2 * found.gradient + found.trace)
    monkeypatch.setattr("maurey.verify.papers.lintilhac2026.network.curvature.CELLS", 2000)
    again = curvature(build(target), torch.from_numpy(z), masks(target))
    assert torch.allclose(again.trace, found.trace)


def test_crossings():
    """The unit that is 1/(4D) below at count 0 is on once its offset rises by more; only where the count is 0."""
    target = walsh.Target(3, ((0, 1),), (1,))
    net, z = build(target), torch.from_numpy(walsh.all_strings(3))
    for by, expected in ((0.124, 0), (0.126, 2)):
        other = net._replace(Gamma=net.Gamma.clone())
        other.Gamma[1] += by
        change = crossed(net, other, z, masks(target), 1)
        assert change.shape == (8, 2)
        assert change[:, 0].sum() == expected
        assert [i for i, one in enumerate(change[:, 0]) if one] == ([0, 4] if expected else [])
    assert not crossed(net, net, z, masks(target), 1).any()


def test_perturbations_are_gaussian_and_repeat():
    net = build(walsh.tiling(8, 2))
    drawn = perturbations(net, 50, 3)
    assert drawn.shape == (50, len(flat(net)))
    assert torch.equal(drawn[:2], perturbations(net, 50, 3)[:2])
    assert abs(drawn.std().item() - 1) < 0.02
    assert torch.allclose(flat(moved(net, drawn[0])) - flat(net), drawn[0])


def test_rescaled_and_pruned_networks():
    target = walsh.random_target(6, 3, 4, np.random.default_rng(2))
    z = walsh.all_strings(6)
    bits, norm, slope = torch.from_numpy(z), of_norm(target), of_gradient(target, z)
    for alpha in (0.5, 1.0, norm.best, slope.best):
        other = rescaled(build(target), alpha)
        assert np.allclose(output(other, bits, masks(target)), walsh.values(target, z), atol=1e-12)
        assert np.allclose(measured(other, bits, target), (norm.at(alpha), slope.at(alpha)), rtol=1e-10)
    small = pruned(build(target))
    assert len(small.Gamma) == 8  # counts 0 and 2
    assert np.allclose(output(small, bits, masks(target)), walsh.values(target, z), atol=1e-12)
    before, after = (measured(net, bits, target) for net in (build(target), small))
    assert after[0] < before[0]
    assert after[1] < before[1]
    assert measured(improved(target, 2.0, True), bits, target) == pytest.approx(
        measured(rescaled(small, 2.0), bits, target)
    )


def test_balance():
    one = Balance(2.0, 32.0, 5.0)
    assert one.best == 2
    assert one.at(2.0) == 5 + 2 * np.sqrt(2 * 32)
    assert one.at(1.9) > one.at(2.0) < one.at(2.1)
    assert best_product(one, Balance(1.0, 16.0, 3.0)) == pytest.approx(2, rel=2e-3)
