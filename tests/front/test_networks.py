"""Networks of one's own: modules that compose, claims that are derived, refusals, and what the commands say of them."""

import re
from dataclasses import dataclass
from fractions import Fraction

import pytest
from sympy import Integer, Symbol

import maurey as package
from maurey import InputError, nn
from maurey.symbolic import registry
from maurey.symbolic.modules import Sensitivity, Weight

BLOCK = nn.Sequence(nn.Residual(nn.MultiHead("d", "H")), nn.LayerNorm("d"))
NETWORK = nn.Sequence(nn.LayerNorm("d"), nn.Layers(BLOCK, "L"), nn.Read("mean"), nn.Head("head", 2, "d"))
TOKENS = nn.Tokens("T", radius=1)
AT = dict(L=3, d=8, H=2, T=5, B_Q=1, B_K=1, B_V=1, B_O=1, B_head=1, eps_LN="1/10", margin=1, delta="1/20")


@pytest.fixture(autouse=True)
def forgotten():
    yield
    registry.forget()


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


def test_tied_tables_count_once():
    def network(last):
        return nn.Sequence(nn.Embedding("K", "d"), nn.Layers(BLOCK, "L"), last)

    table = nn.Embedding("K", "d").words
    tied = package.derive(network(nn.Unembedding(table)), nn.Words("T"), nn.CrossEntropy(2), "bits", key="mine/tied")
    apart = package.derive(
        network(nn.Head("head", "K", "d")), nn.Words("T"), nn.CrossEntropy(2), "bits", key="mine/apart"
    )
    sizes = dict(K=50, d=8, L=2, m=1, delta="1/2", bits=32)
    counts = [float(c.enclose(**sizes).value) ** 2 for c in (apart, tied)]  # 2 m times the log of their number, over 4
    assert (counts[0] - counts[1]) / (32 * 0.6931471805599453 * 4 / 2) == pytest.approx(50 * 8)


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
    "groups = 3 does not divide heads = 4": called(nn.MultiHead, 8, 4, groups=3),
    "the radius of the tokens is not known": called(nn.Tokens, 4),
    "no norm 'spektral', perhaps spectral": called(nn.Matrix, "W", 2, 2, spektral=1),
    "a size or a norm is a number or a name": called(nn.Matrix, "W", "2+2", 2),
    "the norm rows of W is not negative": called(nn.Matrix, "W", 2, 2, rows=-1),
    "a matrix has a name": called(nn.Matrix, "2W", 2, 2),
    "no read-out 'men', perhaps mean": called(nn.Read, "men"),
    "Read('max', width) needs the width": called(nn.Read, "max"),
    "no route 'nett', perhaps net": called(bound, "nett"),
    "no matrix 'Qq', perhaps Q": called(bound, frozen=["Qq"]),
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
    "words do not move": called(
        package.derive, nn.Sequence(nn.Linear("W", 2, 2), nn.Embedding(5, 2)), TOKENS, nn.Ramp(1), "net"
    ),
    "sizes lacks d": called(nn.attack, nn.Linear("W", 2, 2), {"T": 2}),
    "Bare has no forward": called(nn.attack, Bare(), {"T": 2, "d": 2}),
    "the key edelman2022/4.4 is taken": called(bound, key="edelman2022/4.4"),
}


@pytest.mark.parametrize("message", REFUSALS)
def test_refusals_say_what_would_be_right(message):
    with pytest.raises(InputError, match=re.escape(message)) as refusal:
        REFUSALS[message]()
    assert "\n" not in str(refusal.value)
