"""Exhibits computed after Lintilhac and Shaikh 2026: perturbations of the construction, and that findings follow."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from figures import data_of, figure_of

from maurey.paper_tables import style
from maurey.paper_tables.lintilhac2026 import perturbation
from maurey.verify.papers.lintilhac2026.network.construction import build, flat, masks, named, run
from maurey.verify.training.tasks import walsh

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = {
    "seed": 1, "strings": 4, "functions": 2, "delta": "1/20", "show": {"omega": 2, "T": 5, "sigma": 1e-3},
    "grid": [{"T": [5, 6], "D": [1, 3], "omega": [2, 5], "sigma": [1e-4, 1e-3]}],
    "paper": {"T": 6, "classes": [[1, 2], [3, 2]], "sigma": 1e-3, "networks": 2, "strings": 8, "cells": 1600,
              "seconds": 20},
    "rescaling": {"omega": 3, "T": 6, "D": [1, 2], "strings": 8},
}  # fmt: skip


@pytest.fixture(scope="module")
def exhibit():
    patch = pytest.MonkeyPatch()
    patch.setattr(perturbation, "settings", lambda: SMALL)
    seen = []
    made = perturbation.make(lambda done, all_of_them: seen.append((done, all_of_them)))
    patch.undo()
    assert seen == [(i, 18) for i in range(18)]
    return made


def test_rows(exhibit):
    assert len(exhibit.rows) == 16
    assert all(len(row) == len(exhibit.columns) for row in exhibit.rows)
    assert exhibit.rows[0][:4] == ["5", "1", "2", "1E-04"]


def test_figure(exhibit, monkeypatch):
    data = replace(data_of("lintilhac2026/perturbation", exhibit), facts=SMALL)
    (panel,) = figure_of("lintilhac2026/perturbation", data).axes
    assert sum(kind == "data" for kind, _ in style.drawn(panel)) == 2  # degrees


def test_changes_are_those_of_the_whole_hessian():
    target, sigma = walsh.random_target(3, 1, 2, np.random.default_rng(0)), 0.02
    z = walsh.all_strings(3)
    net, mask, bits = build(target), masks(target), torch.from_numpy(z)
    label = torch.from_numpy(walsh.values(target, z))
    by = sigma * perturbation.perturbations(net, 1, 5)[0]

    def trace(vector, mask):
        loss = torch.func.hessian(lambda v: (run(named(v, net), bits, mask).f - label).square().mean())
        return loss(vector).trace().item()

    for ideal in (True, False):
        before, changes, _ = perturbation.networks(target, z, sigma, 1, 5, ideal)
        own = mask if ideal else None
        assert before == pytest.approx(trace(flat(net), own), rel=1e-10)
        after = [trace(flat(net) + side * by, own) for side in (1, -1)]
        assert [before + change for change in changes] == pytest.approx(after, rel=1e-10)


def test_a_whole_training_set_is_taken_in_parts(monkeypatch):
    monkeypatch.setattr(perturbation, "PART", 3)
    parts = perturbation.whole(SMALL, 3, 2)
    monkeypatch.setattr(perturbation, "PART", 100)
    assert parts == pytest.approx(perturbation.whole(SMALL, 3, 2), rel=1e-12)


def test_how_much_is_of_the_papers_size(exhibit):
    assert [(found.figure, found.much) for found in exhibit.findings] == [("Figures 3 and 4", "2 of 1600 cells")] * 2
    assert all(found.word.startswith("partly, ") for found in exhibit.findings)


def cells(rise, P=1e9):
    """A cell for each place of a small grid, with rises by rule."""
    made = []
    for D in (1, 5):
        for omega in (1, 7):
            for sigma in (1e-4, 1e-3):
                changes = np.array([rise(D, omega, sigma), -1.0])
                made.append(perturbation.Cell(20, D, omega, sigma, np.full(2, 1e4), changes, (0.0, 0.0),
                                              {"printed": P, "derived": P}))  # fmt: skip
    return made


def test_findings_follow_the_numbers():
    usual, show = cells(lambda D, omega, sigma: 100 * D * omega * sigma), {"T": 20, "sigma": 1e-3}
    config, size = SMALL | {"paper": SMALL["paper"] | {"T": 20}}, {"run": 1, "planned": 1}
    below = lambda own, full=(1e4, 1.0): perturbation._below(own, {(1, 2): full}, config, size).word  # noqa: E731
    assert below(usual) == "agrees"
    assert below(cells(lambda *_: 5.0, P=4.0)) == "disagrees"
    assert below(usual, (1e4, 1e12)) == "disagrees"  # over a whole training set
    one = cells(lambda *_: 5.0)
    one[0].P["printed"] = 4.0  # of one form, at one place
    assert below(one) == "disagrees"
    small = lambda own, full=(1e4, 1.0): perturbation._small(own, {(1, 2): full}, size)  # noqa: E731
    assert small(usual).agrees
    assert small(usual, (1e4, 2e4)).agrees is small(cells(lambda D, *_: 2e4 * (D > 1))).agrees is False
    assert small(usual).word == "undecided"  # what is small was settled after looking
    assert "1.00 to 1.00" in perturbation._with_sigma(usual)
    assert "2 of 2 sparsities" in perturbation._with_class(usual, show)
    assert "0 of 2 sparsities" in perturbation._with_class(cells(lambda D, omega, sigma: sigma * omega / D), show)
    assert "0 of 2 degrees" in perturbation._with_class(cells(lambda D, omega, sigma: sigma * D / omega), show)


def test_rescaling_lowers_both():
    gain = perturbation.gain(perturbation.settings()["rescaling"], 0, 3)
    assert gain.norm < 1
    assert gain.gradient < 1
    assert min(gain.best_norm, gain.best_gradient) <= gain.alpha <= max(gain.best_norm, gain.best_gradient)
