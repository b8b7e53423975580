"""The forward of every module of the calculus, against plain formulas and against balls."""

import numpy as np
import pytest
import torch
from flint import arb
from module_cases import AT, ATTACKED, FORMULAS, ONE, SLOPE, R, X, softmax
from sympy import Integer, Symbol

from maurey.symbolic import networks
from maurey.symbolic.claim import Setting
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.modules import Heads, Offset, Signal, compose, matrices_of
from maurey.symbolic.papers.edelman2022 import section_4
from maurey.symbolic.route import PAPER, SHARP
from maurey.verify.attack import forwards
from maurey.verify.attack.sensitivity import laid_out

torch.set_num_threads(1)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_forward_is_what_the_papers_write(name):
    """Each module against its formula in NumPy, at one generic point."""
    module, value, own, sigma = FORMULAS[name]
    weights = {label: torch.tensor(M) for label, M in (AT | own).items()}
    scaled = {"L_sigma": torch.tensor(SLOPE, dtype=torch.float64)}
    tokens = torch.tensor(own.get("X", X))
    assert np.allclose(forwards.forward(module, weights, tokens, scaled, sigma).numpy(), value, atol=1e-13)


def test_what_is_no_module_has_no_forward():
    with pytest.raises(TypeError, match="no forward"):
        forwards.forward(object(), {}, torch.tensor(X))


def test_the_heads_of_the_paper():
    """tf-head, with positions and several: sigma(W_V^T X^T softmax(X W_QK^T x_tau)), as Section 4.2 has it."""
    rng = np.random.default_rng(1)
    X, P = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    maps = {f"{name}{h}": rng.normal(size=(3, 3)) for name in ("V", "QK") for h in ("", "_1", "_2")}

    def head(X, h=""):
        WV, WQK = maps[f"V{h}"].T, maps[f"QK{h}"]  # the map of the values is W_V^T
        return np.maximum(WV.T @ X.T @ softmax(X @ WQK.T @ X[0]), 0)

    weights = {name: torch.tensor(M) for name, M in maps.items()} | {"P": torch.tensor(P)}
    at = {"L_sigma": torch.tensor(1.0, dtype=torch.float64)}
    one = section_4.head(Setting(), PAPER)
    several = Heads(tuple(section_4.head(Setting(), PAPER, h) for h in (1, 2)))
    for module, value in (
        (one, head(X)),
        (compose(Offset(R), one), head(X + P)),
        (several, head(X, "_1") + head(X, "_2")),
    ):
        assert np.allclose(forwards.forward(module, weights, torch.tensor(X), at).numpy()[0], value, atol=1e-13)


def test_the_deep_network_of_the_paper():
    """Two blocks and the read-out, with the projections where A.6 puts them."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(4, 3))
    maps = {f"{n}_{i}": rng.normal(size=s) for i in (1, 2) for n, s in (("V", (2, 3)), ("QK", (3, 3)), ("C", (3, 2)))}
    maps["w"] = rng.normal(size=(1, 3))

    def normed(x):
        return x / np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True))

    Z = X
    for i in (1, 2):
        attended = softmax(Z @ maps[f"QK_{i}"] @ Z.T) @ Z @ maps[f"V_{i}"].T
        Z = normed(np.maximum(normed(attended), 0) @ maps[f"C_{i}"].T)
    weights, at = {n: torch.tensor(M) for n, M in maps.items()}, {"L_sigma": torch.tensor(1.0, dtype=torch.float64)}
    norms = dict.fromkeys(("V", "QK", "C"), ONE)
    for route in (PAPER, SHARP):
        module = networks.network(route, [norms, norms])
        found = forwards.forward(module, weights, torch.tensor(X), at)
        assert np.allclose(found.numpy(), Z[:1] @ maps["w"].T, atol=1e-13)


def case(name):
    """A module that is attacked, or a network of two blocks, with its sizes; its layers one after the other."""
    if name != "network":
        module, sizes, _ = ATTACKED[name]
        return laid_out(module, sizes), sizes
    return networks.network(SHARP, [dict.fromkeys(("V", "QK", "C"), ONE)] * 2), {"d": 2, "k": 3, "T": 4}


def shapes(module, sizes, copies):
    """Of all its weights."""
    numbers = {Symbol(n): v for n, v in sizes.items()}
    return {
        n: (*copies, *(int(Integer(1) * x.subs(numbers)) if hasattr(x, "subs") else x for x in (M.outputs, M.inputs)))
        for n, M in matrices_of(module).items()
    }


VALUES = dict.fromkeys(("L_sigma", "L_out", "margin", "cap", "r"), 1.5)


@pytest.mark.parametrize("name", [*ATTACKED, "network"])
def test_balls_enclose_what_floats_compute(name):
    rng, (module, sizes) = np.random.default_rng(3), case(name)
    copies = [sizes["H"]] if name == "equal heads" else []
    arrays = {n: rng.normal(size=shape) for n, shape in shapes(module, sizes, copies).items()}
    X, at = rng.normal(size=(sizes["T"], sizes.get("inputs", sizes["d"]))), VALUES | sizes
    arrays.setdefault("P", rng.normal(size=X.shape))
    floats = forwards.forward(
        module, {n: torch.tensor(a) for n, a in arrays.items()}, torch.tensor(X),
        {n: torch.tensor(x, dtype=torch.float64) for n, x in at.items()}, "tanh",
    )  # fmt: skip
    ball, scaled = np.vectorize(arb, otypes=[object]), {n: arb(x) for n, x in at.items()}
    balls = forwards.forward(module, {n: ball(a) for n, a in arrays.items()}, ball(X), scaled, "tanh")
    assert balls.shape == tuple(floats.shape)
    for exact, near in zip(balls.ravel(), floats.numpy().ravel(), strict=True):
        assert exact.is_finite()
        assert abs(exact - arb(near)) < 1e-12


@pytest.mark.parametrize("name", [*ATTACKED, "network"])
def test_weights_come_in_the_order_of_the_sensitivity_and_act_on_as_many_vectors(name):
    module, sizes = case(name)
    s = module.sensitivity(Derivation(), Signal(R, ONE, Integer(sizes["T"])))
    numbers = {Symbol(n): v for n, v in sizes.items()}
    copies = [sizes["H"]] if name == "equal heads" else []
    weights = {n: torch.randn(*shape, dtype=torch.float64) for n, shape in shapes(module, sizes, copies).items()}
    weights.setdefault("P", torch.zeros(sizes["T"], sizes["d"], dtype=torch.float64))
    seen = []
    X = torch.randn(sizes["T"], sizes.get("inputs", sizes["d"]), dtype=torch.float64)
    at = {n: torch.tensor(x, dtype=torch.float64) for n, x in (VALUES | sizes).items()}
    forwards.forward(module, weights, X, at, seen=seen)
    stated = [w for w in s.weights for _ in range(int(w.copies.subs(numbers)))]
    assert [entry[0] for entry in seen] == [w.matrix.label for w in stated]
    for (_, how, x, keys), w in zip(seen, stated, strict=True):
        vectors = {"score": x.shape[-2] * keys.shape[-2], "keys": keys.shape[-2]}.get(how, x.shape[-2])
        assert vectors == w.number.subs(numbers) or (name == "tied" and how == "columns")
        assert w.scalar == (how == "score")
        assert (w.by == "columns") == (how == "columns")
