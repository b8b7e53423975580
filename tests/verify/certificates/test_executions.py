"""Running errors hold what executions really compute, in any order of sums and with coarse units too."""

import re
from io import BytesIO

import numpy as np
import pytest

from maurey.symbolic.errors import InputError
from maurey.verify.certificates import executions
from maurey.verify.certificates.checker import floats
from maurey.verify.certificates.checker.reading import Unsound
from maurey.verify.certificates.executions import logits, of_network, right
from maurey.verify.certificates.losses import File

T, WIDTH, HEADS = 6, 8, 2
STRINGS = np.array([[i >> t & 1 for t in range(T)] for i in range(2**T)], dtype=np.uint8)
LABELS = STRINGS[:, 0] & STRINGS[:, 1]


def network(seed=0, size=0.7):
    rng = np.random.default_rng(seed)
    maps = {f"W_{n}": (WIDTH, WIDTH) for n in "QKVO"} | {f"b_{n}": (WIDTH,) for n in "QKVO"}
    maps |= {"W_1": (WIDTH, 4 * WIDTH), "b_1": (4 * WIDTH,), "W_2": (4 * WIDTH, WIDTH), "b_2": (WIDTH,)}
    maps |= {"token": (3, WIDTH), "position": (T + 1, WIDTH), "head": (WIDTH, 2)}
    p = {name: rng.standard_normal(shape) * size for name, shape in maps.items()}
    p |= {name: (name.endswith("gain") + 0.1 * rng.standard_normal(WIDTH)) for name in executions.NORMS}
    return {name: x.astype(np.float32) for name, x in p.items()}


def archive(p, **more):
    written = BytesIO()
    np.savez(written, **(p | {"heads": HEADS, "strings": STRINGS, "labels": LABELS} | more))
    return File("network.npz", written.getvalue())


def executed(p, strings, kind, rng):
    """One execution in floats of a kind; every sum in an order of its own."""
    p = {name: x.astype(kind) for name, x in p.items()}
    order = lambda n: rng.permutation(n)  # noqa: E731

    def through(x, W, b=None):
        found = np.zeros((*x.shape[:-1], W.shape[1]), dtype=kind)
        for i in order(len(W)):
            found = (found + (x[..., i, None] * W[i]).astype(kind)).astype(kind)
        return found if b is None else (found + b).astype(kind)

    def total(x):
        found = np.zeros(x.shape[:-1], dtype=kind)
        for i in order(x.shape[-1]):
            found = (found + x[..., i]).astype(kind)
        return found[..., None]

    def normal(name, x):
        away = x - total(x) / kind(WIDTH)
        spread = total(away * away) / kind(WIDTH)
        return away / np.sqrt(spread + kind(1e-5)) * p[f"{name}_gain"] + p[f"{name}_bias"]

    def gelu(x):
        inner = np.vectorize(executions.erf)((x / kind(2**0.5)).astype(float)).astype(kind)
        return kind(0.5) * x * (kind(1) + inner)

    own = (p["token"][2] + p["position"][0])[None]
    bits = p["token"][strings.astype(int)] + p["position"][1:]
    x = np.concatenate([bits, np.broadcast_to(own, (len(strings), 1, WIDTH))], 1)
    u = normal("ln1", x)
    q, k, v = (through(y, p[f"W_{n}"], p[f"b_{n}"]).reshape(len(strings), -1, HEADS, WIDTH // HEADS)
               for n, y in (("Q", u[:, -1:]), ("K", u), ("V", u)))  # fmt: skip
    s = (total(q * k)[..., 0] / kind((WIDTH // HEADS) ** 0.5)).swapaxes(1, 2)  # (n, H, T + 1)
    powers = np.exp((s - s.max(-1, keepdims=True)).astype(float)).astype(kind)
    shares = powers / total(powers)
    mixed = total((shares[..., None] * v.swapaxes(1, 2)).swapaxes(2, 3))[..., 0].reshape(len(strings), WIDTH)
    y = own + through(mixed, p["W_O"], p["b_O"])
    z = y + through(gelu(through(normal("ln2", y), p["W_1"], p["b_1"])), p["W_2"], p["b_2"])
    return through(normal("lnf", z), p["head"]).astype(float)


def test_the_values_are_those_of_the_network():
    import torch

    from maurey.verify.training.networks import encoder
    from maurey.verify.training.networks.binary_attention import both
    from maurey.verify.training.trials.boolean import Config

    p = network()
    known = {name: torch.from_numpy(x.astype(float))[None] for name, x in p.items()}
    config = Config(T=T, s=2, m=2, width=WIDTH, heads=HEADS, dtype="float64")
    plain = encoder.logits(config, known, both(torch.from_numpy(STRINGS.astype(float))[None]))[0].numpy()
    assert np.allclose(logits(p, HEADS, STRINGS).value, plain, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_executions_are_within_the_errors(seed):
    p, rng = network(seed), np.random.default_rng(seed)
    near = logits(p, HEADS, STRINGS)
    low, high = floats._answers(p, HEADS, STRINGS)
    for _ in range(3):
        found = executed(p, STRINGS, np.float32, rng)
        assert (np.abs(found - near.value) <= near.error).all()
        assert ((low <= found) & (found <= high)).all()
    assert np.isfinite(near.error).all()


HALF = np.float16
OPERATIONS = {  # in balls, and in floats of half precision
    "sum": (lambda a, b: (a + b), lambda a, b: a + b),
    "difference": (lambda a, b: a - b, lambda a, b: a - b),
    "product": (lambda a, b: a * b, lambda a, b: a * b),
    "quotient": (lambda a, b: a / b, lambda a, b: a / b),
    "root": (lambda a, b: a.sqrt(), lambda a, b: np.sqrt(a)),
    "exponential": (lambda a, b: (a - b).exp(), lambda a, b: np.exp((a - b).astype(float)).astype(HALF)),
    "total": (lambda a, b: a.sum(-1), lambda a, b: np.cumsum(a, -1, dtype=HALF)[..., -1:]),
    "affine": (lambda a, b: executions.affine(a, b.value.T[:, :5]), lambda a, b: np.stack(
        [np.cumsum(a * b.T[:, i], -1, dtype=HALF)[..., -1] for i in range(5)], -1)),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_in_half_precision(name, monkeypatch):
    """Units of 2^-11: results are within the errors, and not within those of units that are 200 times smaller."""
    rng = np.random.default_rng(0)
    a, b = (rng.uniform(0.5, 2, (40, 40)).astype(HALF) for _ in range(2))
    of, by = OPERATIONS[name]
    monkeypatch.setattr(executions, "TINY", 0.0)
    for unit, within in ((2.0**-11, True), (2.0**-11 / 200, False)):
        monkeypatch.setattr(executions, "U", unit)
        near = of(executions.exact(a), executions.exact(b))
        assert bool((np.abs(by(a, b).astype(float) - near.value) <= near.error).all()) == within


IN_INTERVALS = {
    "sum": floats._plus,
    "difference": floats._minus,
    "product": floats._times,
    "quotient": floats._over,
    "root": lambda a, b: floats._root(a),
    "total": lambda a, b: floats._total(a, -1),
    "affine": lambda a, b: floats._through(a, b[0].T[:, :5]),
}


@pytest.mark.parametrize("name", IN_INTERVALS)
def test_each_operation_of_the_checker_in_half_precision(name, monkeypatch):
    rng = np.random.default_rng(0)
    a, b = (rng.uniform(0.5, 2, (40, 40)).astype(HALF) for _ in range(2))
    monkeypatch.setattr(floats, "LOST", 0.0)
    found = OPERATIONS[name][1](a, b).astype(float)
    for unit, within in ((2.0**-11, True), (2.0**-11 / 200, False)):
        monkeypatch.setattr(floats, "UNIT", unit)
        low, high = IN_INTERVALS[name](floats._point(a), floats._point(b))
        assert bool(((low <= found) & (found <= high)).all()) == within


def test_errors_of_arguments_go_on():
    """The result at the ends of what the arguments may be."""
    rng = np.random.default_rng(1)
    for name in ("sum", "difference", "product", "quotient", "root", "exponential", "total"):
        value, error = rng.uniform(1, 2, (2, 30, 4)), rng.uniform(0, 0.5, (2, 30, 4))
        near = OPERATIONS[name][0](*(executions.Near(v, e) for v, e in zip(value, error, strict=True)))
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            a, b = (executions.exact(v + s * e) for v, e, s in zip(value, error, signs, strict=True))
            moved = OPERATIONS[name][0](a, b).value
            assert (np.abs(moved - near.value) <= near.error).all(), name


@pytest.mark.parametrize("seed", range(4))
def test_the_checker_proves_what_the_maker_does(seed):
    p = network(seed)
    proved = right(p, HEADS, STRINGS, LABELS)
    wrong = np.array(floats.errors("network.npz", archive(p).content))
    assert not wrong[proved].any()
    value = logits(p, HEADS, STRINGS).value
    assert not proved[value[np.arange(64), LABELS] <= value[np.arange(64), 1 - LABELS]].any()


@pytest.mark.parametrize(("name", "by"), [("token", 1e25), ("W_K", 1e25), ("W_V", 1e37), ("W_1", 1e25), ("b_2", 1e25)])
def test_what_overflows_is_not_proved(name, by):
    """Squares of 10^25 are infinite in float32, and so is what is infinite times nothing."""
    p = network()
    p[name] = (p[name] * by).astype(np.float32)
    with np.errstate(all="ignore"):
        z = executed(p, STRINGS, np.float32, np.random.default_rng(0))
    for y in (LABELS, 1 - LABELS):
        wrong = ~(z[np.arange(64), y] > z[np.arange(64), 1 - y])
        assert not right(p, HEADS, STRINGS, y)[wrong].any()
        assert np.array(floats.errors("network.npz", archive(p, labels=y).content))[wrong].all()
    if name == "token":
        assert of_network(archive(p)).errors == 64


def test_what_overflows_is_not_lost_in_a_weight_of_nothing():
    p = network()
    p["W_V"], p["W_O"] = (p["W_V"] * 1e38).astype(np.float32), np.zeros((WIDTH, WIDTH), np.float32)
    assert of_network(archive(p)).errors == 64
    assert floats.errors("network.npz", archive(p).content) == [1] * 64


def test_what_is_not_proved_counts_as_an_error():
    """Two labels with one and the same score."""
    p = network()
    p["head"] = np.repeat(p["head"][:, :1], 2, 1)
    losses = of_network(archive(p))
    assert losses.zero_one
    assert losses.errors == losses.n == 64
    assert floats.errors("network.npz", archive(p).content) == [1] * 64
    p["W_1"][0, 0] = np.nan
    with np.errstate(invalid="ignore"):
        assert of_network(archive(p)).errors == 64


LATER = re.sub(rb"(?s)(PK\x01\x02..).", b"\\1\xff", archive(network()).content)  # of a format of years to come


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (File("x.npy", b""), "store their outputs"),
        (File("x.npz", b"PK nothing"), "no archive"),
        (archive({"token": network()["token"]}), "has no position; .* rounding errors multiply from layer to layer"),
        (archive(network(), strings=STRINGS + 1), "strings of bits"),
        (archive(network(), labels=LABELS[:5]), "a label 0 or 1 for each"),
        (archive(network(), heads=3), "heads that divide the width"),
        (archive(network(), heads=0), "heads that divide the width"),
        (archive(network(), heads=np.array([2])), "heads that divide the width"),
        (archive(network() | {"position": network()["position"].repeat(2, 0)}), r"T \+ 1 positions"),
        (archive(network() | {"W_O": network()["W_O"][:3]}), r"W_O has the shape \(3, 8\), and not \(8, 8\)"),
        (archive(network() | {"b_2": np.zeros(WIDTH)}), "float32, got b_2 in float64"),
        (archive(network() | {"b_2": np.full(WIDTH, 1e-39, np.float32)}), "b_2 has a parameter below 2"),
        (File("x.npz", LATER), "no archive that NumPy reads"),
    ],
)
def test_what_is_refused(file, words):
    with pytest.raises(InputError, match=words):
        of_network(file)


@pytest.mark.parametrize(
    "file",
    [
        archive(network(), labels=LABELS + 0.5),
        archive(network(), heads=np.array([2])),
        archive(network() | {"position": network()["position"].repeat(2, 0)}),  # of other positions than are read
        archive(network() | {"token": network()["token"].repeat(2, 0)}),
        archive(network() | {"lnf_gain": network()["lnf_gain"][:1]}),
        archive(network() | {"b_2": np.full(WIDTH, 1e-39, np.float32)}),  # which some executions read as 0
        File("network.npz", LATER),
    ],
)
def test_what_a_checker_does_not_follow(file):
    with pytest.raises((Unsound, TypeError, NotImplementedError)):
        floats.errors(file.name, file.content)
