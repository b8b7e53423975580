"""Whole models, compiled from their records and attacked: a loss moves no further than the calculus says."""

import pytest
import torch
from models import FAMILIES, architecture

from maurey.symbolic import compiled
from maurey.symbolic.modules import compose
from maurey.symbolic.modules.activations import CONSTANTS
from maurey.verify.attack.ascent import attack
from maurey.verify.attack.sensitivity import inequality

torch.set_num_threads(1)


def problem(family):
    a = architecture(family)
    values = {name: float(c.value) for name, c in CONSTANTS.items()}
    values |= {n: [float(y) for y in x] if isinstance(x, list) else float(x) for n, x in compiled.values(a).items()}
    sizes = {n: int(values[n]) for n in ("T", "d", "L", "H", "G", "K", "k", "d_ff", "n_out", "n_types", "d_p")
             if n in values}  # fmt: skip
    sizes["inputs"] = sizes.get("K") or sizes["d_p"]
    sizes["tokens"] = sizes["T"] - bool(a.patch)  # [CLS] is no patch
    x = compiled.inputs(a)
    module = compose(compiled.network(a), compiled.loss(a))
    return inequality(module, x.radius, sizes, {n: v for n, v in values.items() if n not in sizes}), module


@pytest.mark.parametrize("family", FAMILIES)
def test_no_model_moves_more_than_it_says(family):
    whole, _ = problem(family)
    outcome = attack(whole, 96, 12, seed=0)
    assert set(outcome.best) == {"moved", "radius", "reach"}
    assert all(found.refuted is False for found in outcome.best.values())
    assert outcome.effective["moved"] >= 20
    assert outcome.best["moved"].ratio >= 0.5  # by what stands near the loss
