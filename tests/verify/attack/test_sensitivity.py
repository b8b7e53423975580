"""The sensitivity of every module of the calculus, against an attack.

The attack must stay below every stated coefficient, come close to it, and notice when one is made smaller.
"""

import numpy as np
import pytest
import torch
from module_cases import ATTACKED, MUTATED, ONE, attackable, mutated
from sympy import Integer, Symbol

from maurey.symbolic.claim import Setting
from maurey.symbolic.modules import Sequence
from maurey.symbolic.papers.edelman2022 import section_4
from maurey.symbolic.route import PAPER, SHARP
from maurey.verify.attack.ascent import attack
from maurey.verify.attack.confirmation import meets
from maurey.verify.attack.sensitivity import inequality
from maurey.verify.attack.starts import Starts
from maurey.verify.papers.edelman2022 import lipschitz

torch.set_num_threads(1)

# What the attack reaches where it is not nearly 1: the paper's softmax constant is twice the best one; and the parts of
# the input-Lipschitz constant are not attained together by two tokens, each a key of its own query.
REACHED = {
    ("attention, paper", "S~"): 0.49,
    ("attention, queries", "X~"): 0.85,
    ("attention, keys", "X~"): 0.85,
    ("attention, on queries", "X~"): 0.85,
    ("attention, scores", "X~"): 0.85,
    ("attention, one query", "X~"): 0.85,
    ("attention, pair", "X~"): 0.85,
    ("attention, best gain", "X~"): 0.85,
    ("attention, paper", "X~"): 0.8,
    ("block", "X~"): 0.8,
    ("shallow", "X~"): 0.85,
    # two heads, of which one may do all that is to be done; what they attain together is in test_attained.py
    ("multi-head", "X~"): 0.55,
    ("multi-head", "Q~"): 0.85,
    ("multi-head", "K~"): 0.75,
    ("multi-head", "V~"): 0.65,
    ("multi-head", "b_Q~"): 0.5,
    ("multi-head, groups", "Q~"): 0.85,
    ("multi-head, groups", "K~"): 0.85,
    ("multi-head, rotations", "X~"): 0.85,
    ("multi-head, rotations", "Q~"): 0.7,
    ("multi-head, rotations", "b_K~"): 0.4,
    ("multi-head, normed", "X~"): 0.8,
    # the gate and what it lets through move together only where both are long
    ("gated", "X~"): 0.7,
    ("gated", "G~"): 0.9,
    ("cross-entropy, one output", "X~"): 0.9,
    ("layers", "X~"): 0.8,
}
# numbers that are made much smaller before a short attack notices
FAR = {
    ("attention, paper", "coefficient S"), ("multi-head", "lipschitz"), ("multi-head", "coefficient b_Q"),
    ("multi-head, rotations", "coefficient b_K"), ("multi-head, rotations", "coefficient Q"), ("layers", "lipschitz"),
}  # fmt: skip
NEARLY = 0.95


@pytest.mark.parametrize("name", ATTACKED)
def test_no_module_moves_more_than_it_says_and_most_move_as_much(name):
    outcome = attack(attackable(name), 96, 40, seed=0)
    assert all(found.refuted is False and found.ratio <= 1 + 1e-9 for found in outcome.best.values())
    assert all(count >= 48 for count in outcome.effective.values())
    for (target, group), ratio in outcome.tightness.items():
        if target == "moved" and group != "all":
            assert ratio >= REACHED.get((name, group), NEARLY), (group, ratio)
    assert max(ratio for (target, _), ratio in outcome.tightness.items() if target == "radius") >= NEARLY


@pytest.mark.parametrize(("name", "which"), MUTATED)
def test_a_smaller_coefficient_of_any_module_is_caught(name, which, monkeypatch):
    """The calculus itself is changed, the attack runs, and balls confirm what it finds."""
    factor = Integer(3) / 10 if (name, which) in FAR else Integer(3) / 5
    module, _, _ = ATTACKED[name]
    original = type(module).sensitivity

    def sensitivity(self, D, x):
        s = original(self, D, x)
        return mutated(s, which, factor) if self is module else s

    monkeypatch.setattr(type(module), "sensitivity", sensitivity)
    changed = attackable(name)
    found = attack(changed, 128, 20, seed=0).best
    target = {"radius": "radius", "reach": "reach"}.get(which.split()[0], "moved")
    assert found[target].refuted is True
    assert found[target].ratio > 1.05
    assert meets(changed, found[target].instance) is True


DEEP = {"T": 4, "d": 2, "k": 2, "L": 2}


@pytest.mark.parametrize("label", ["QK_1", "V_1", "C_1", "QK_2", "V_2", "C_2", "w"])
def test_a_smaller_coefficient_deep_in_a_network_is_caught(label, monkeypatch):
    """A weight of a lower layer reaches the output through the Lipschitz constants above it."""
    original = Sequence.sensitivity

    def sensitivity(self, D, x):
        s = original(self, D, x)
        whole = any(w.matrix.label == "w" for w in s.weights)
        return mutated(s, f"coefficient {label}", Integer(1) / 2) if whole else s

    monkeypatch.setattr(Sequence, "sensitivity", sensitivity)
    module = lipschitz.deep_network(SHARP, **DEEP)
    bounds = {name: [(-0.5, 0.3)] * 2 for name in lipschitz.DEEP_NORMS} | {"B_w": (-1, 1), "L_sigma": (-0.3, 0.3)}
    # the layer above is tight at small scores; those of the second matter where the first has kept tokens apart
    bounds |= {"B_QK": [(0, 1.5) if label == "QK_2" else (-2, 0)] * 2}
    bounds |= {name: [(0.3, 0.4)] * 2 for name in bounds if name.endswith("_inf")}  # void: spectral norms decide
    assert attack(inequality(module, ONE, DEEP, bounds), 320, 30, seed=0).best["moved"].refuted is True


@pytest.mark.parametrize("key", lipschitz.ARCHITECTURES)
def test_the_architectures_have_the_sensitivity_of_their_forward(key):
    """Every class of a covering claim, by the paper's route and by the sharp one, at another seed than the checks'."""
    for case in lipschitz.STATEMENTS[key].cases[-2:]:
        outcome = attack(lipschitz.STATEMENTS[key].build(**case), 48, 15, seed=77)
        assert all(found.refuted is False for found in outcome.best.values())
        assert all(outcome.effective.values())
        assert set(outcome.best) == set(outcome.effective)


def test_drawn_weights_lie_in_the_classes_that_the_records_state():
    module = section_4.head(Setting(), PAPER)
    bounds = dict.fromkeys(("B_X", "B_V", "B_V_inf", "B_QK_inf", "L_sigma"), (-2, 2)) | {"kappa": 2}
    points = Starts(inequality(module, Symbol("B_X"), {"T": 5, "d": 3}, bounds), 200, seed=4)
    values = points.values()
    V, QK = values["V"].detach().numpy(), values["QK"].detach().numpy()
    bound = {name: b.numpy() for name, b in points.bounds.items()}
    assert (np.linalg.norm(V, 2, axis=(1, 2)) <= bound["B_V"] * (1 + 1e-12)).all()
    assert (np.linalg.norm(V, axis=1).max(1) <= bound["B_V_inf"] * (1 + 1e-12)).all()
    assert (np.linalg.norm(QK, axis=1).max(1) <= bound["B_QK_inf"] * (1 + 1e-12)).all()
    assert (np.linalg.norm(values["X~"].detach().numpy(), axis=2).max(1) <= bound["B_X"] * (1 + 1e-12)).all()
    assert (np.linalg.norm(QK, axis=1).max(1) >= bound["B_QK_inf"] * 0.999).sum() > 100  # and many on its boundary
