"""Networks of one's own: modules that compose, claims that are derived, refusals, and what the commands say of them."""

import re
from dataclasses import dataclass
from fractions import Fraction

import pytest
from sympy import Integer, Symbol

import maurey as package
from maurey import InputError, nn
from maurey.symbolic import registry
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.modules import Sensitivity, Weight

BLOCK = nn.Sequence(nn.Residual(nn.MultiHead("d", "H")), nn.LayerNorm("d"))
NETWORK = nn.Sequence(nn.LayerNorm("d"), nn.Layers(BLOCK, "L"), nn.Read("mean"), nn.Head("head", 2, "d"))
TOKENS = nn.Tokens("T", radius=1)
AT = dict(L=3, d=8, H=2, T=5, B_Q=1, B_K=1, B_V=1, B_O=1, B_head=1, eps_LN="1/10", margin=1, delta="1/20")


@pytest.fixture(autouse=True)
def forgotten():
    yield
    registry.forget()


TWO = nn.Sequence(nn.Linear("V", 4, 4, spectral=1), nn.Linear("W", 2, 4, spectral=1))


def bound(route="net", **more):
    return package.derive(NETWORK, TOKENS, loss=nn.Ramp("margin"), route=route, **more)


def given(claim, **more):
    names = {p.name for p in claim.names}
    return {name: x for name, x in (AT | more).items() if name in names}


def test_a_derived_claim_answers_everything(maurey):
    mine = bound()
    at = given(mine)
    found = mine.samples_for(1, **at)
    assert found.before.lower > 1 >= found.at_m.upper
    assert mine.enclose(m=found.m, **at).upper <= 1
    assert float(mine.sweep(m=[found.m], **at).value[0]) == pytest.approx(1, rel=1e-3)
    assert {share.name for share in mine.blame(m=10**6, **at).shares} >= {"eps_LN", "B_Q", "d"}
    assert r"\Lambda" in mine.latex(part="gap")
    assert "_{i}_" not in mine.latex(part="gap")
    assert all(step.reason for step in mine.steps())
    assert {"maurey/net", "maurey/counting-allocation"} <= set(mine.uses)
    other = bound("norms", key="mine/norms")
    curves = mine.compare(
        other, "edelman2022/2.2", over={"m": (10**3, 10**9)}, points=3, C_F=1, A=1, b=1, L_loss=1, **AT
    )
    assert {curve.key for curve in curves.curves} == {"mine/bound", "mine/norms", "edelman2022/2.2"}
    for command in ("show mine/bound", "trace mine/bound", "list --paper mine"):
        code, out, _ = maurey(*command.split())
        assert (code, "mine/bound" in out) == (0, True)


def test_types_of_tokens_and_a_sigmoid_between_maps():
    """Each of three types has a vector; behind a sigmoid a token of four coordinates is at most 2 long."""
    network = nn.Sequence(nn.Embedding(5, 8, types=3), nn.MLP(8, 4, "sigmoid"), nn.Read("mean"), nn.Head("h", 2, 8))
    mine = package.derive(network, nn.Words("T"), nn.Ramp(1), "net")
    assert "the longest vector of $S$" in mine.statement
    assert network.modules[1].modules[1].sensitivity(Derivation(), TOKENS).output.radius == 2
    counts = package.derive(network, nn.Words("T"), nn.ZeroOne(), "bits").steps()
    assert counts[0].expr.doit() == 5 * 8 + 3 * 8 + 2 * 8 * 4 + 2 * 8


def test_numbers_and_names_say_the_same():
    block = nn.Sequence(nn.Residual(nn.MultiHead(8, 2, Q=1, K="1", V=1.0, O=Fraction(1))), nn.LayerNorm(8, eps=0.1))
    head = nn.Head("head", 2, 8, rows=1)
    network = nn.Sequence(nn.LayerNorm(8, eps="1/10"), nn.Layers(block, 3), nn.Read("mean"), head)
    plain = package.derive(network, nn.Tokens(5, radius=1), loss=nn.Ramp(1), route="net", key="mine/plain")
    assert {p.name for p in plain.symbols} == {"m", "delta", "eps"}
    named = package.derive(
        nn.Sequence(*NETWORK.modules[:-1], nn.Head("head", 2, "d", rows="B_head")), TOKENS, nn.Ramp("margin"), "net"
    )
    assert plain.enclose(m=10**6, delta="1/20") == named.enclose(m=10**6, **given(named))


def test_a_bound_for_each_layer():
    block = nn.Residual(nn.Linear("W", "d", "d", spectral="B_W[i]"))
    network = nn.Sequence(nn.Layers(block, "L"), nn.Linear("w", 1, "d"))
    mine = package.derive(network, TOKENS, nn.Ramp(1, several=False), route="net")
    assert next(p for p in mine.symbols if p.name == "B_W").index == "L"
    at = dict(d=4, B_w=1, m=10**5, delta="1/20")
    assert mine.enclose(B_W=[1, 2, 3], **at).value > mine.enclose(B_W=[1, 2, 2], **at).value
    assert mine.enclose(B_W=2, L=3, **at) == mine.enclose(B_W=[2, 2, 2], **at)


def test_what_is_frozen_costs_nothing_and_stretches_all_the_same():
    all_of_it, held = bound(), bound(frozen=["Q", "K"], key="mine/held")
    at = given(all_of_it, m=10**6)
    assert held.enclose(**at).value < all_of_it.enclose(**at).value
    assert "B_Q" in {p.name for p in held.symbols}
    assert "Not trained" in held.statement


def test_the_names_that_are_there():
    assert {"Linear", "Ramp", "attack"} <= set(dir(nn)) == set(nn.__all__)
    assert all(getattr(nn, name).__doc__ for name in nn.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Liner', perhaps Linear"):
        _ = nn.Liner


def test_tied_tables_count_once():
    def network(last):
        return nn.Sequence(nn.Embedding("K", "d"), nn.Layers(BLOCK, "L"), last)

    tied = package.derive(
        network(nn.Unembedding(nn.Embedding("K", "d"))), nn.Words("T"), nn.CrossEntropy(2), "bits", key="mine/tied"
    )
    apart = package.derive(
        network(nn.Head("head", "K", "d")), nn.Words("T"), nn.CrossEntropy(2), "bits", key="mine/apart"
    )
    sizes = dict(K=50, d=8, L=2, m=1, delta="1/2", bits=32)
    counts = [float(c.enclose(**sizes).value) ** 2 for c in (apart, tied)]  # 2 m times the log of their number, over 4
    assert (counts[0] - counts[1]) / (32 * 0.6931471805599453 * 4 / 2) == pytest.approx(50 * 8)


def test_a_split_of_the_error_is_shared_by_layers():
    """Two layers called by one name, each with half of its part, are what two matrices with a quarter each are."""
    block = nn.Residual(nn.Linear("V", 4, 4, spectral=1))
    alike, head = nn.Sequence(nn.Layers(block, 2), TWO.modules[1]), TWO.modules[1]
    apart = nn.Sequence(block, nn.Residual(nn.Linear("U", 4, 4, spectral=1)), head)
    sizes = [
        package.derive(network, TOKENS, route="corrections", split=split, key="mine/split").enclose(eps="1/2", T=3, m=5)
        for network, split in ((alike, {"V": 2, "W": 2}), (apart, {"V": 4, "U": 4, "W": 2}))
    ]
    assert sizes[0] == sizes[1]


HEAD = nn.Head("h", 9, 4, rows=1)
BEHIND_A_HEAD = {
    "linear": nn.Sequence(HEAD, nn.Linear("W", 2, 9, spectral=1)),
    "norm": nn.Sequence(HEAD, nn.LayerNorm(9), nn.Linear("W", 2, 9, spectral=1)),
    "heads": nn.Sequence(HEAD, nn.MultiHead(9, 3), nn.Read("mean")),
    "gates": nn.Sequence(HEAD, nn.GatedMLP(9, 4)),
    "a fixed map": nn.Sequence(HEAD, nn.Lipschitz(2)),
    "projection": nn.Sequence(HEAD, nn.Projection()),
    "a table": nn.Sequence(HEAD, nn.Unembedding(nn.Matrix("E", 9, 5, columns=1))),
    "layers": nn.Sequence(nn.Layers(nn.Head("h", 4, 4, rows=1), "L")),
}


@pytest.mark.parametrize("name", BEHIND_A_HEAD)
def test_nothing_is_mapped_that_is_measured_by_its_largest_coordinate(name):
    """(1, ..., 1) is 1 long for a head and 3 long for a map behind it."""
    with pytest.raises(InputError, match="take Linear instead"):
        package.derive(BEHIND_A_HEAD[name], TOKENS, nn.Ramp(1), "net")


def test_what_stands_beside_a_head_is_measured_as_it():
    """Their sum has a long vector in it: with sqrt 2 for the loss, the two scores would move too far."""
    W = nn.Linear("W", 9, 4, spectral=1)
    gaps = [
        package.derive(nn.Sequence(nn.Parallel(*pair)), TOKENS, nn.Ramp(1), "net").enclose(m=10**5, delta="1/20", T=1)
        for pair in ((W, HEAD), (HEAD, W))
    ]
    assert gaps[0] == gaps[1]
    last = nn.Sequence(HEAD, nn.Softcap(3), nn.Read("all"))
    assert package.derive(last, TOKENS, nn.Ramp(1), "net").enclose(m=10**5, delta="1/20", T=1).value < 1


CONTRADICTIONS = {
    "in W; what comes in and what it takes: 3 and 4": nn.Sequence(nn.Linear("V", 3, 4), nn.Linear("W", 2, 4)),
    "in x + (V); what comes in and what goes out: 4 and 3": nn.Residual(nn.Linear("V", 3, 4)),
    "what is added: 3 and 2": nn.Parallel(nn.Linear("V", 3, 4), nn.Linear("W", 2, 4)),
    "3 layers [V]; what comes in and what goes out: 4 and 3": nn.Layers(nn.Linear("V", 3, 4), 3),
    "what it takes: 6 and 8": nn.Sequence(nn.Linear("V", 6, 4), nn.Activation("relu"), nn.LayerNorm(8)),
    "what it takes: 8 and 6": nn.Sequence(nn.MultiHead(8, 2), nn.Read("mean"), nn.GatedMLP(6, 4)),
    "heads and their width, queries: 8 and 6": nn.MultiHead(8, 2, Q=nn.Matrix("Q", 6, 8)),
    "keys, values: 4 and 8": nn.MultiHead(8, 2, groups=1, V=nn.Matrix("V", 8, 8)),
    "what is multiplied: 4 and 5": nn.GatedMLP(8, 4, U=nn.Matrix("U", 5, 8)),
    "several=True, and the network gives 1": nn.Head("h", 1, 4),
    "in Embedding(E, P); what is added: 8 and 7": nn.Sequence(
        nn.Embedding(5, 8, 4, P=nn.Matrix("P", 7, 4, columns=1)), nn.Read("mean")
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", CONTRADICTIONS)
def test_widths_that_contradict_each_other_are_named(message):
    inputs = nn.Words(4) if "Embedding" in message else TOKENS
    with pytest.raises(InputError, match=re.escape(message)):
        package.derive(CONTRADICTIONS[message], inputs, nn.Ramp(1), "bits")


@pytest.mark.parametrize("name", ["R_1", "Lambda_1", "eps_net", "m", "delta", "eps", "i", "L_gelu"])
def test_names_that_the_bound_has_itself_are_refused(name):
    """A user's bound that is called as a step is would be taken for it."""
    layers = nn.Layers(nn.Residual(nn.Linear("V", 4, 4, spectral=1)), 2)
    network = nn.Sequence(layers, nn.Linear("W", 4, 4, spectral=name), nn.Head("h", 2, 4))
    with pytest.raises(InputError, match=f"^{name} has a meaning of its own in this bound"):
        package.derive(network, TOKENS, nn.Ramp(1), "net")


def test_lists_have_as_many_entries_as_there_are_layers():
    def network(number, bound="B_W[i]"):
        layers = nn.Layers(nn.Residual(nn.Linear("W", 4, 4, spectral=bound)), number)
        more = nn.Layers(nn.Residual(nn.Linear("U", 4, 4, spectral="B_U[i]")), "M")
        return nn.Sequence(layers, more, nn.Linear("w", 1, 4, spectral=1))

    mine = package.derive(network("L"), TOKENS, nn.Ramp(1, several=False), "net")
    assert {p.name: p.index for p in mine.symbols if p.index} == {"B_U": "M", "B_W": "L"}
    at = dict(m=10**5, delta="1/20", T=1)
    assert mine.enclose(B_W=[1, 2], B_U=[1, 2, 3], **at) == mine.enclose(B_W=[1, 2], B_U=[1, 2, 3], L=2, M=3, **at)
    with pytest.raises(InputError, match="B_W must be one value or L = 3 of them, got 2"):
        mine.enclose(B_W=[1, 2], B_U=1, L=3, M=1, **at)
    with pytest.raises(InputError, match="a letter for their number"):
        package.derive(network(3), TOKENS, nn.Ramp(1, several=False), "net")
    with pytest.raises(InputError, match=re.escape("B_W[k] is a bound of each layer, and stands in none")):
        package.derive(network("L", "B_W[k]"), TOKENS, nn.Ramp(1, several=False), "net")
    apart = nn.Sequence(nn.Linear("V", 4, 4, spectral="B[1]"), nn.Linear("W", 1, 4, spectral="B[3]"))
    third = package.derive(apart, TOKENS, nn.Ramp(1, several=False), "net")
    with pytest.raises(InputError, match="B has 2 values, and number 3 is asked for"):
        third.enclose(B=[1, 2], **at)


@dataclass(frozen=True)
class Scale:
    """x -> g * x, coordinate by coordinate."""

    gain: object
    lipschitz: object

    def sensitivity(self, D, x):
        weight = Weight(self.gain, Integer(1), x.radius, x.number, "a gain moves a coordinate", by="rows")
        return Sensitivity(x.to(self.gain.rows * x.radius), lambda: self.lipschitz, (weight,))

    def forward(self, x, run):
        return run.scaled(x, self.gain)


def test_a_module_of_ones_own_composes_and_is_attacked():
    gain = nn.Matrix("g", "d", 1, rows="B_g")
    right, wrong = Scale(gain, Symbol("B_g")), Scale(gain, Symbol("B_g") / 2)
    assert nn.attack(right, {"T": 2, "d": 2}).refuted is False
    assert nn.attack(wrong, {"T": 2, "d": 2}).refuted is True
    mine = package.derive(nn.Sequence(right, nn.Head("head", 2, "d")), TOKENS, nn.Ramp(1), route="counting")
    assert mine.enclose(d=4, B_g=1, B_head=1, m=10**5, delta="1/20", T=3).value < 1


def test_letters_mean_what_they_are_used_for():
    """Of a paper's letters gamma is at most 1, s an integer and C an error."""
    network = nn.Sequence(nn.MLP("d", "H"), nn.Read("mean"), nn.Head("head", "C", "d"))
    mine = package.derive(network, nn.Tokens("n", radius="s"), loss=nn.Ramp("gamma"), route="net")
    meant = {p.name: (p.meaning, p.domain) for p in mine.symbols}
    assert meant["C"] == ("number of outputs", "positive integer")
    assert meant["H"] == ("a width", "positive integer")
    assert meant["gamma"] == ("margin of the loss", "positive real")
    assert meant["s"] == ("bound on the norms of the tokens", "positive real")
    assert meant["n"] == ("context length, all tokens counted", "positive integer")
    at = dict(d=4, H=5, C=3, s="5/2", B_W1=1, B_W2=1, B_head=1, m=10**5, delta="1/20")
    assert mine.enclose(gamma=2, **at).value < mine.enclose(gamma=1, **at).value
    with pytest.raises(InputError, match="C must be a positive integer"):
        mine.enclose(gamma=2, **(at | {"C": "5/2"}))


def test_all_routes_take_the_same_values():
    """What a route does not speak of is accepted: norms by bits, a key's bias, which has no effect, by all."""
    network = nn.Sequence(nn.MultiHead("d", "H", bias=True), nn.Read("cls"), nn.Head("head", 2, "d"))
    at = given(bound(), m=10**7, B_Q_bias=1) | {f"B_{x}_bias": 1 for x in "QKVO"}
    at = {name: x for name, x in at.items() if name not in ("L", "eps_LN")}
    for route in ("net", "counting", "norms"):
        assert package.derive(network, TOKENS, nn.Ramp("margin"), route).enclose(**at).value > 0
    bits = package.derive(network, TOKENS, nn.Ramp("margin"), "bits")
    assert bits.enclose(bits=32, **at).value > 0
    assert {"B_K_bias", "B_Q", "H", "T"} <= {p.name for p in bits.symbols}
    assert "spectral norm" not in bits.statement
    assert "$b$ bits" in bits.statement


def test_biases_of_some_maps_and_gains_of_queries_and_keys():
    heads = nn.MultiHead("d", "H", bias=["Q", "V"], qk_norm="1/10", qk_gain=True, rope=True)
    assert (heads.key_bias, heads.output_bias) == (None, None)
    assert nn.MLP("d", "k", bias={"W1": 2}).modules[0].bias.spectral == 2
    assert nn.GatedMLP("d", "k", bias=["U"]).gate_bias is None
    found = nn.attack(heads, {"T": 2, "d": 4, "H": 2})
    assert found.refuted is False
    assert {"Q_bias", "V_bias", "Nq_gain", "Nk_gain"} <= set(found.ratios)
    network = nn.Sequence(nn.RMSNorm("d"), heads, nn.GatedMLP("d", "k"), nn.Read("mean"), nn.Head("h", 2, "d"))
    said = package.derive(network, TOKENS, nn.Ramp(1), "net").statement
    assert "RMSNorm, MultiHead(Q, K, V, O, Q_bias, V_bias, Nq_gain, Nk_gain, H heads, RoPE, QK-norm), gated" in said


@dataclass(frozen=True)
class Bare:
    def sensitivity(self, D, x):
        return Sensitivity(x, lambda: Integer(1))


def called(function, *arguments, **named):
    return lambda: function(*arguments, **named)


REFUSALS = {
    "a network is made of modules, e.g. nn.Linear('W', 2, 'd'), got 3": called(nn.Sequence, 3),
    "a sequence has at least one module": nn.Sequence,
    "no activation 'gulu', perhaps glu or gelu": called(nn.GatedMLP, 4, 4, "gulu"),
    "no activation 'geluu', perhaps gelu": called(nn.Activation, "geluu"),
    "a sigmoid is not zero at zero": called(nn.Activation, "sigmoid"),
    "eps = 0: such a norm has no Lipschitz constant": called(nn.LayerNorm, 4, eps=0),
    "heads = 3 does not divide width = 8": called(nn.MultiHead, 8, 3),
    "rope turns pairs of coordinates, and a head has 3": called(nn.MultiHead, 6, 2, rope=True),
    "groups = 3 does not divide heads = 4": called(nn.MultiHead, 8, 4, groups=3),
    "the radius of the tokens is not known": called(nn.Tokens, 4),
    "no norm 'spektral', perhaps spectral": called(nn.Matrix, "W", 2, 2, spektral=1),
    "the number of outputs of W is a number or a name": called(nn.Matrix, "W", "2+2", 2),
    "the number of outputs of W is a positive integer": called(nn.Matrix, "W", 2.5, 2),
    "the number of heads is a positive integer or a name, got 0": called(nn.MultiHead, 8, 0),
    "the number of layers is a positive integer or a name, got 1/2": called(nn.Layers, BLOCK, "1/2"),
    "a margin is positive": called(nn.Ramp, 0),
    "counted from 1, got B_W[0]": called(nn.Matrix, "W", 2, 2, spectral="B_W[0]"),
    "the norm rows of W is not negative": called(nn.Matrix, "W", 2, 2, rows=-1),
    "a matrix has a name": called(nn.Matrix, "2W", 2, 2),
    "no read-out 'men', perhaps mean": called(nn.Read, "men"),
    "Read('max', width) needs the width": called(nn.Read, "max"),
    "no route 'nett', perhaps net": called(bound, "nett"),
    "no matrix 'Qq', perhaps Q": called(bound, frozen=["Qq"]),
    "frozen names matrices, e.g. ['W'], got 3": called(bound, frozen=3),
    "everything is frozen": called(bound, frozen=["Q", "K", "V", "O", "head"]),
    "loss is nn.Ramp(...), nn.CrossEntropy(...) or nn.ZeroOne(), got 'ramp'": called(
        package.derive, NETWORK, TOKENS, "ramp"
    ),
    "a loss is no part of the network": called(package.derive, nn.Sequence(NETWORK, nn.Ramp(1)), TOKENS),
    "an Embedding looks up words": called(
        package.derive, nn.Sequence(nn.Embedding(5, "d"), NETWORK), nn.Tokens(3, radius=1)
    ),
    "over m samples, and these are called n": called(
        package.derive, NETWORK, nn.Tokens("T", radius=1, samples="n"), nn.Ramp(1), "norms"
    ),
    "split gives away 3/2 of the error": called(
        package.derive, TWO, TOKENS, None, "corrections", split={"V": 1, "W": 2}
    ),
    "split gives no part of the error to W": called(package.derive, TWO, TOKENS, None, "norms", split={"V": 1}),
    "split is for covers of the outputs": called(
        package.derive, TWO, TOKENS, nn.Ramp(1), "norms", split={"V": 2, "W": 2}
    ),
    "inputs are nn.Tokens(...) or nn.Words(...)": called(package.derive, NETWORK, 3),
    "the route net is refused: the 0-1 loss is Lipschitz in nothing": called(
        package.derive, NETWORK, TOKENS, nn.ZeroOne(), "net"
    ),
    "says nothing of other tokens": called(
        package.derive, nn.Sequence(nn.LayerNorm("d", least=1), nn.Head("h", 2, "d")), TOKENS, nn.Ramp(1), "net"
    ),
    "nothing bounds the spectral norm of W": called(
        package.derive, nn.Sequence(nn.Linear("W", 2, "d", row_l1=1), nn.Head("h", 2, 2)), TOKENS, nn.Ramp(1), "net"
    ),
    "two weights are called W": called(
        package.derive, nn.Sequence(nn.Linear("W", 2, 2), nn.Linear("W", 2, 2)), TOKENS, nn.Ramp(1), "net"
    ),
    "two weights are called W1": called(
        package.derive, nn.Sequence(nn.MLP(2, 2), nn.MLP(2, 2)), TOKENS, nn.ZeroOne(), "bits"
    ),
    "words do not move": called(
        package.derive, nn.Sequence(nn.Linear("W", 2, 2), nn.Embedding(5, 2)), TOKENS, nn.Ramp(1), "net"
    ),
    "the route columns is refused: its covers are of outputs": called(bound, "columns"),
    "nothing bounds the column_l1 norm of Q": called(bound, "Maurey's columns"),
    "sizes lacks d": called(nn.attack, nn.Linear("W", 2, 2), {"T": 2}),
    "sizes lacks k": called(nn.attack, nn.Linear("W", "k", "d"), {"T": 2, "d": 2}),
    "sizes gives numbers to letters": called(nn.attack, nn.Linear("W", 2, 2), 3),
    "the size d is a positive integer, got 2.5": called(nn.attack, nn.Linear("W", 2, "d"), {"T": 2, "d": 2.5}),
    "kappa is at least 1": called(nn.Attention, nn.Matrix("V", 2, 2), nn.Matrix("S", 2, 2), kappa="1/2"),
    "the attack cannot bound entries of W": called(nn.attack, nn.Linear("W", 2, "d", entries=1), {"T": 2, "d": 2}),
    "Bare has no forward": called(nn.attack, Bare(), {"T": 2, "d": 2}),
    "a matrix has a name, e.g. 'W', got 'W[i]'": called(nn.Matrix, "W[i]", 2, 2),
    "b is 3 x 1, and W_bias 2 x 1": called(nn.Linear, "W", 2, 4, bias=nn.Matrix("b", 3, 1)),
    "there are 2 positions for 3 tokens": called(
        package.derive, nn.Sequence(nn.Embedding(5, 4, 2), nn.Head("h", 2, 4)), nn.Words(3), nn.Ramp(1), "net"
    ),
    "a norm has a name, e.g. 'N1', got 'a b'": called(nn.LayerNorm, 4, name="a b"),
    "no activation ['relu']": called(nn.Activation, ["relu"]),
    "the table of an Unembedding is a matrix, e.g. nn.Matrix('W', 2, 'd'), got 'E'": called(nn.Unembedding, "E"),
    "V is a matrix": called(nn.Attention, "V", nn.Matrix("S", 2, 2)),
    "the matrix of scores, or each of two, is a matrix": called(nn.Attention, nn.Matrix("V", 2, 2), ("Q", "K")),
    "the matrix of joint heads is a matrix": called(nn.JointHeads, "QK", 2),
    "no bias of 'q', perhaps Q; there are Q, K, V, O": called(nn.MultiHead, 4, 2, bias=["q"]),
    "qk_gain is for heads with a norm": called(nn.MultiHead, 4, 2, qk_gain=True),
    "the key edelman2022/4.4 is taken": called(bound, key="edelman2022/4.4"),
}


@pytest.mark.parametrize("message", REFUSALS)
def test_refusals_say_what_would_be_right(message):
    with pytest.raises(InputError, match=re.escape(message)) as refusal:
        REFUSALS[message]()
    assert "\n" not in str(refusal.value)
