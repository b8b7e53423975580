"""Bounds of one's own: their cost against the depth, and against a claim that is written in the calculus."""

from fractions import Fraction

import pytest
from models import architecture
from ratios import depth_ratio, least_time, report
from sympy import evaluate

import maurey
from maurey import nn
from maurey.numeric.balls import enclose_steps
from maurey.numeric.binding import bind
from maurey.symbolic import compiled, registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.derive import Question, derive

NORMS = {"Q": 3, "K": 3, "V": 2, "O": 2, "W1": 4, "W2": 4, "E_rows": 1, "P_rows": 1}
SIZES = dict(width=384, heads=6, hidden=1536, vocabulary=50257, context=1024, norm_eps=Fraction("1e-5"))


def model(L):
    """A bound of its own for each matrix of each layer."""
    lists = {name: [x + Fraction(k, 100) for k in range(L)] if name[0] in "QKVOW" else x for name, x in NORMS.items()}
    return architecture("gpt", lists, layers=L, **SIZES)


def derived(L, route="net"):
    """From the record to thirty digits."""
    a = model(L)
    claim = derive(Question(compiled.network(a), compiled.inputs(a), compiled.loss(a), route), "speed/one")
    names = {p.name for p in claim.names}
    values = compiled.values(a) | {"m": 10**9, "delta": Fraction(1, 20)}
    bound = bind(claim, "derived", "gap", {n: x for n, x in values.items() if n in names})
    return enclose_steps(bound.steps, bound.values, 30)[0]


@pytest.mark.benchmark(group="one's own")
@pytest.mark.parametrize("route", ["net", "norms"])
def test_derive_and_enclose_twelve_layers(benchmark, route):
    """Under a second, of the processor."""
    derived(2, route)
    seconds = least_time(lambda: derived(12, route), 3)
    benchmark.pedantic(lambda: derived(12, route), rounds=1)
    report(benchmark, "seconds for 12 layers at 30 digits", seconds)
    assert seconds < 1


@pytest.mark.benchmark(group="one's own")
def test_cost_in_depth(benchmark):
    """96 layers, each with bounds of its own, under 10 times the time of 12."""
    derived(2)
    benchmark.pedantic(lambda: derived(96), rounds=1)
    ratio = depth_ratio(derived, 5)
    report(benchmark, "times the cost of 12 layers for 96", ratio)
    assert ratio < 10


def layer(n, last):
    """Of Theorem A.17, as in the guide."""
    V = nn.Matrix(f"V_{n}", "k", "d", spectral=f"B_V[{n}]", rows=f"B_V_inf[{n}]")
    QK = nn.Matrix(f"QK_{n}", "d", "d", spectral=f"B_QK[{n}]", rows=f"B_QK_inf[{n}]")
    C = nn.Matrix(f"C_{n}", "d", "k", spectral=f"B_C[{n}]", rows=f"B_C_inf[{n}]")
    attention = nn.Attention(V, QK, one_query=last, scalar_scores=True)
    return nn.Sequence(attention, nn.Projection(True), nn.Lipschitz("L_sigma"), nn.Linear(C), nn.Projection(True))


@pytest.mark.benchmark(group="one's own")
def test_a_theorem_in_modules_against_the_claim(benchmark):
    """The sharp A.17 at 12 layers, to the digit, written out and enclosed in at most 1.5 times the claim's own time."""
    L = 12
    at = dict(eps="1/10", d=64, k=32, m=1000, T=128, L_sigma=1, B_w=2, B_C=[Fraction(n + 9, 10) for n in range(L)])
    at |= dict(B_C_inf=1, B_V=1, B_V_inf="1/2", B_QK="1/2", B_QK_inf="1/3")
    network = nn.Sequence(*[layer(n, n == L) for n in range(1, L + 1)], nn.Read("cls"),
                          nn.Linear("w", 1, "d", frobenius="B_w"))  # fmt: skip
    mine = maurey.derive(network, nn.Tokens("T", radius=1), route="corrections", key="speed/A.17")
    claim = maurey.claim("edelman2022/A.17")

    def afresh(view, form):
        """The steps are written again, as for a depth that was not asked before."""
        part = view.record.part("log_N")
        steps = getattr(part, form)
        with evaluate(False):
            written = steps(Setting({"L": L}, frozenset(at), None))
        values = bind(view.record, form, "log_N", at).values
        return enclose_steps(written, values, 30)[0]

    try:
        own, theirs = afresh(mine, "derived"), afresh(claim, "sharp")
        assert own == theirs == claim.enclose("sharp", part="log_N", digits=30, **at)
        pairs = [[least_time(lambda v=v, f=f: afresh(v, f), 1) for v, f in ((mine, "derived"), (claim, "sharp"))]
                 for _ in range(7)]  # fmt: skip
        benchmark.pedantic(lambda: afresh(mine, "derived"), rounds=1)
        ratio = min(a for a, _ in pairs) / min(b for _, b in pairs)
        report(benchmark, "times the claim's own time", ratio)
        assert ratio <= 1.5
    finally:
        registry.forget()
