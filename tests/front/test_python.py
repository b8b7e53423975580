"""The same questions in Python: names, values, refusals, displays, and claims of one's own."""

import doctest
import importlib
import inspect
import json
import pickle
import pydoc
import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sympy import Integer, Rational, Symbol, log, sqrt, symbols

import maurey
from maurey import InputError
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim, Parameter, Part

MODULES = ["", "certificates", "questions", "nn", "matrices", "view", "lists", "verdicts", "symbolic.errors"]
MODULES += [f"numeric.{name}" for name in ("balls", "blame", "compare", "logs", "samples")]
A10 = dict(eps="1/10", N=100, B_w=1, B_X=1)
GAP = dict(L_loss=1, C_F=1, A=1, b=1, delta="1/20")
LEMMA = maurey.claim("edelman2022/A.10")


# --- what there is, and what is said of it ----------------------------------------------------------------------------


def documented():
    """Every example, and every public thing."""
    for name in MODULES:
        module = importlib.import_module(f"maurey.{name}".rstrip("."))
        yield from (test for test in doctest.DocTestFinder().find(module) if test.examples)


@pytest.mark.parametrize("example", list(documented()), ids=lambda example: example.name)
def test_examples_give_what_they_say(example):
    try:
        assert doctest.DocTestRunner().run(example).failed == 0
    finally:
        registry.forget()


def public():
    for name in maurey.__all__:
        yield name, getattr(maurey, name)
    for name, value in vars(maurey.ClaimView).items():
        if not name.startswith("_"):
            yield f"ClaimView.{name}", value


@pytest.mark.parametrize(("name", "value"), list(public()))
def test_everything_public_has_an_example(name, value):
    assert ">>> " in (value.__doc__ or "")


def test_tab_shows_what_works():
    assert {"claim", "claims", "compare", "errata", "check", "register", "InputError", "symbolic"} <= set(dir(maurey))
    assert all(hasattr(maurey, name) for name in dir(maurey))
    asked = {"samples_for", "blame", "compare", "errata", "enclose", "evaluate", "sweep", "latex", "steps", "verify"}
    assert asked | {"key", "title", "statement", "symbols", "parts", "forms", "standing"} <= set(dir(LEMMA))
    assert all(hasattr(LEMMA, name) for name in dir(LEMMA))


def test_help_is_a_map():
    text = pydoc.plain(pydoc.render_doc(maurey))
    for question in ("How many samples", "What makes it large", "maurey.check(", "maurey.register(", "c.errata()"):
        assert question in text


def test_help_needs_nothing_slow():
    code = (
        "import sys, pydoc, maurey; pydoc.render_doc(maurey); print({'torch', 'z3', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_wrong_names_get_the_nearest():
    with pytest.raises(AttributeError, match="no attribute 'clam', perhaps claim"):
        maurey.clam  # noqa: B018
    with pytest.raises(AttributeError, match="a claim has no 'sample_for', perhaps samples_for"):
        LEMMA.sample_for  # noqa: B018


def test_a_view_can_be_pickled_and_copied():
    record = maurey.claim("edelman2022/2.1")  # a definition: forms are functions, which a pickle does not take
    assert pickle.loads(pickle.dumps(record)).key == record.key


# --- values -----------------------------------------------------------------------------------------------------------

EXACT = [0.1, Fraction(1, 10), Decimal("0.1"), "0.1", "1/10", np.float64(0.1), np.float32(0.1), np.array(0.1)]
EXACT += [np.array(0.1, dtype=np.float32), Rational(1, 10)]


@pytest.mark.parametrize("eps", EXACT, ids=lambda value: f"{type(value).__name__} {value}")
@pytest.mark.parametrize("N", [100, np.int32(100), np.array(100), Integer(100), 100.0])
def test_numbers_of_all_kinds(eps, N):
    assert LEMMA.enclose(**(A10 | {"eps": eps, "N": N})) == LEMMA.enclose(**A10)


LISTS = [(1, 8), [1, 8], "1,8", np.array([1, 8]), np.array([1.0, 8.0], dtype=np.float32), range(1, 9, 7), ["1", "8/1"]]


@pytest.mark.parametrize("alpha", LISTS, ids=str)
def test_lists_of_all_kinds(alpha):
    claim = maurey.claim("edelman2022/A.8")
    assert claim.enclose(part="minimum", alpha=alpha, beta=(1, 1), C=2).value == Decimal("6.75")


def test_tensors():
    torch = pytest.importorskip("torch")
    weight = torch.nn.Parameter(torch.tensor([1.0, 8.0]))
    claim = maurey.claim("edelman2022/A.8")
    assert claim.enclose(part="minimum", alpha=weight, beta=torch.ones(2, dtype=torch.int64), C=2).value == Decimal(
        "6.75"
    )
    for eps in (torch.tensor(0.1), torch.tensor(0.1, dtype=torch.float64, requires_grad=True)):
        assert LEMMA.enclose(**(A10 | {"eps": eps, "N": torch.tensor(100)})) == LEMMA.enclose(**A10)
    half = torch.tensor(0.5, dtype=torch.bfloat16)
    assert LEMMA.enclose(**(A10 | {"eps": half})) == LEMMA.enclose(**(A10 | {"eps": "1/2"}))
    assert LEMMA.sweep(**(A10 | {"N": torch.tensor([10, 100])})).log10.shape == (2,)


WRONG = [
    {},
    {1},
    object(),
    None,
    True,
    1j,
    float("nan"),
    float("inf"),
    np.array([[1, 2], [3, 4]]),
    np.array(["a"]),
    int,
]
WRONG += [np.bool_(True), np.array([]), [[1, 2]], lambda: 1, Decimal("NaN"), symbols("x"), b"1", "1" * 5000]


@pytest.mark.parametrize("value", WRONG, ids=lambda value: str(value)[:20])
def test_anything_else_is_refused_in_one_short_line(value):
    table = isinstance(value, np.ndarray) and value.ndim == 2  # over which a sweep goes
    for ask in (LEMMA.enclose, LEMMA.evaluate, LEMMA.blame, *([] if table else [LEMMA.sweep])):
        with pytest.raises(InputError, match="eps must be a positive real, got ") as refusal:
            ask(**(A10 | {"eps": value}))
        assert len(str(refusal.value)) < 200
        assert "\n" not in str(refusal.value)


def test_sweeps_take_lists_of_any_size():
    found = LEMMA.sweep(**(A10 | {"N": [10, 10**400]}))
    assert found.log10 == pytest.approx([float(LEMMA.enclose(**(A10 | {"N": n})).value.log10()) for n in (10, 10**400)])


def test_a_small_divisor_is_not_lost():
    at = dict(N=2, d_h=3, B_U="1/2", L_f=0.1, C0="1/3", c=10**30)
    assert maurey.claim("mousavi2025/6").evaluate(**at) == maurey.claim("mousavi2025/6").enclose(**at).value == 1


# --- refusals ---------------------------------------------------------------------------------------------------------


def call(name, *words, **values):
    return lambda: getattr(LEMMA, name)(*words, **values)


REFUSALS = {
    "a key is a text such as 'edelman2022/4.4', got 4.4": lambda: maurey.claim(4.4),
    "4.4 is the number of edelman2022/4.4": lambda: maurey.claim("4.4"),
    "a key is a text": lambda: maurey.claim(None),
    "then .enclose(part='gap', ...)": lambda: maurey.claim("edelman2022/2.2:gap"),
    "no paper 'edelmann'": lambda: maurey.claims("edelmann"),
    "no kind 'coverings', perhaps covering;": lambda: maurey.claims(kind="coverings"),
    "no form 'sharpe'": call("enclose", "sharpe", **A10),
    "no form 0.1; there are printed, repaired, derived, sharp; values go by name": call("enclose", 0.1, 100),
    "no form 3": call("latex", form=3),
    "a part is a text": call("enclose", part=5, **A10),
    "has no part 'log'": call("enclose", part="log", **A10),
    "digits must be an integer": call("enclose", digits="many", **A10),
    "digits must be": call("evaluate", digits=-3, **A10),
    "unknown parameter 'EPS', perhaps eps; edelman2022/A.10 takes eps, N": call("enclose", EPS=1),
    "unknown parameter 'claim'": call("enclose", claim=3, **A10),
    "unknown parameter 'self'": call("blame", self=3, **A10),
    "unknown parameter 'limit'": lambda: maurey.claim("edelman2022/2.2").samples_for(0.1, limit=3, **GAP),
    "unknown parameter 'report'": lambda: maurey.claim("edelman2022/2.2").samples_for(0.1, report=3, **GAP),
    "samples_for takes first the gap": lambda: maurey.claim("edelman2022/2.2").samples_for(**GAP),
    "gap must be a positive real, got 'little'": lambda: maurey.claim("edelman2022/2.2").samples_for("little", **GAP),
    "m is what is asked for": lambda: maurey.claim("edelman2022/2.2").samples_for(0.1, m=3, **GAP),
    "does not speak of a sample size": call("samples_for", 0.1, **A10),
    "over takes one parameter and its two ends": call("compare", **A10),
    "over takes one parameter": call("compare", over="N", **A10),
    "e.g. over={'T': (16, 10**6)}, got {'N': 3}": call("compare", over={"N": 3}),
    "a comparison takes forms": call("compare", over={"N": (1, 9)}, form="sharp", eps=1, B_w=1, B_X=1),
    "no form 'sharpest'": call("compare", over={"N": (1, 9)}, forms="sharpest", eps=1, B_w=1, B_X=1),
    "compare takes claims or keys such as": call("compare", 4.4, over={"N": (1, 9)}),
    "unknown parameter 'B_W', perhaps B_w": call("compare", over={"N": (1, 9)}, B_W=1),
    "errata takes a paper or a key": lambda: maurey.errata(4.4),
    "no claim 'edelman2022/9.9'": lambda: maurey.errata("edelman2022/9.9"),
    "no paper 'nobody1900'": lambda: maurey.errata("nobody1900"),
    "no effort 'huge'": call("verify", "huge"),
}


@pytest.mark.parametrize("message", REFUSALS)
def test_refusals_say_what_would_be_right(message):
    with pytest.raises(InputError, match=re.escape(message)) as refusal:
        REFUSALS[message]()
    assert "\n" not in str(refusal.value)


def test_no_claim_has_a_symbol_that_is_called_like_an_option():
    names = {p.name for claim in maurey.claims() for p in claim.names}
    taken = [set(inspect.signature(value).parameters) for _, value in public() if inspect.isfunction(value)]
    options = set().union(*(words for words in taken if words & {"values", "sizes"}))  # of symbols
    assert {"form", "over", "gap"} <= options
    assert not names & (options | set(registry.TAKEN))


# --- errata, comparisons, samples -------------------------------------------------------------------------------------


def test_errata_of_a_claim_and_of_a_paper():
    claim = maurey.claim("edelman2022icml/4.6")
    found = maurey.errata("edelman2022icml")
    assert {entry["key"].partition("/")[0] for entry in found} == {"edelman2022icml"}
    assert list(claim.errata()) == [entry for entry in found if entry["key"] == claim.key] != []
    assert list(maurey.errata(claim)) == list(claim.errata())
    assert json.loads(json.dumps(found))[0]["key"] == found[0]["key"]


def test_a_claim_that_states_another_again_has_its_errata():
    from maurey.verify.errata.entries import restates

    again = next(claim for claim in maurey.claims() if restates(claim.record) and claim.standing.verdict == "fails")
    assert {entry["key"] for entry in again.errata()} == {restates(again.record)}


def test_claims_compare_by_key_by_view_and_by_part():
    other = maurey.claim("edelman2022/4.5")
    at = dict(over={"N": (10, 100)}, points=3, **(A10 | {"d_2": 2, "d_1": 3, "B_W_inf": 1}))
    at.pop("N")
    labels = [curve.label for curve in LEMMA.compare(other, **at).curves]
    assert labels == [curve.label for curve in maurey.compare("edelman2022/A.10", "edelman2022/4.5:log_N", **at).curves]


def test_a_plot_is_a_figure(tmp_path):
    found = LEMMA.compare(over={"N": (10, 1000)}, forms="all", points=5, eps=1, B_w=1, B_X=1)
    figure = found.plot()
    assert len(figure.axes[0].lines) >= 3
    assert figure._repr_png_().startswith(b"\x89PNG")
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000


# --- what is shown ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", maurey.claims(), ids=lambda claim: claim.key)
def test_claims_show_themselves(claim):
    assert len(repr(claim)) < 150
    assert len(repr(claim.record)) < 150
    assert max(len(repr(of)) for of in (claim.symbols, claim.parts, claim.constants)) < 2000
    shown = claim._repr_mimebundle_()
    assert len(shown["text/plain"]) < 1200
    assert shown["text/html"].startswith("<div>")
    assert shown["text/html"].count("$") % 2 == 0
    if claim.parts:
        assert "$$" in shown["text/html"] or "ask for .latex()" in shown["text/html"]
    assert not re.search(r"<(?!/?(div|p|b|i|br|code|table|tr|td|th|pre)\b)", shown["text/html"])


def test_what_is_returned_shows_itself():
    from sympy import tanh

    x = symbols("x")
    things = [
        LEMMA.enclose(**A10), LEMMA.enclose(digits=5000, **A10), LEMMA.blame(**A10), LEMMA.steps(),
        maurey.claim("edelman2022/2.2").samples_for(0.1, **GAP), LEMMA.sweep(**(A10 | {"N": np.arange(1, 1000)})),
        LEMMA.compare(over={"N": (10, 1000)}, eps=1, B_w=1, B_X=1),
        maurey.claim("edelman2022/A.8").verify(), maurey.check(2 * tanh(x / 2), x, over={"x": (0, 10)}),
        maurey.claims(), maurey.errata("edelman2022icml"), maurey.errata("edelman2022icml")[0],
        maurey.claim("edelman2022/A.8").errata(), maurey.certify(np.ones(9), (None, np.ones(9))),
    ]  # fmt: skip
    for thing in things:
        assert len(repr(thing)) < 1000, type(thing)
        shown = thing._repr_mimebundle_()
        assert len(shown["text/plain"]) < 20_000
        assert "<" not in shown.get("text/latex", "")
    compared = str(things[6])
    assert compared == things[6]._repr_mimebundle_()["text/plain"] != repr(things[6])
    assert "smallest" in compared
    formulas = [type(thing).__name__ for thing in things if "$" in thing._repr_mimebundle_().get("text/html", "")]
    assert {"Enclosure", "Comparison", "Verdict", "Errata", "Entry", "Steps", "Samples"} <= set(formulas)


def test_the_interval_that_is_shown_is_rounded_outward():
    found = LEMMA.enclose(digits=60, **A10)
    low, high = re.findall(r"\[(\S+), (\S+)\]", found._repr_mimebundle_()["text/latex"])[0]
    assert Decimal(low) <= found.lower <= found.upper <= Decimal(high)


# --- a claim of one's own ---------------------------------------------------------------------------------------------


def lemma(key="made2031/1", **more):
    m, B, delta = symbols("m B delta")
    names = (
        Parameter("m", "m", "number of samples", "positive integer"),
        Parameter("B", "B", "largest loss"),
        Parameter("delta", r"\delta", "confidence", "in (0, 1)"),
    )
    gap = Part(
        "gap", "R-R_m", "generalization gap", printed=lambda _: B * sqrt(log(1 / delta) / (2 * m)),
        derived=lambda _: B * sqrt(log(2 / delta) / (2 * m)),
    )  # fmt: skip
    whole = dict(
        key=key, title="A made-up bound", kind="generalization", statement="For one hypothesis.", symbols=names
    )
    return Claim(**{**whole, "parts": (gap,), **more})


def written(form):
    return lemma(parts=(Part("gap", "R-R_m", "generalization gap", printed=form),))


@pytest.fixture
def mine():
    view = maurey.register(lemma())
    yield view
    registry.forget(view.key)


def test_a_claim_of_ones_own_answers_everything(mine, maurey_command):
    at = dict(B=1, delta="1/20")
    assert maurey.claim("made2031/1").record is mine.record
    assert mine in maurey.claims()
    assert [claim.key for claim in maurey.claims("made2031")] == ["made2031/1"]
    assert mine.samples_for(0.01, **at).m == 18445
    assert mine.blame(m=100, **at).shares
    assert r"\sqrt" in mine.latex("printed")
    assert mine.standing.words == "to be verified again"
    assert mine.evidence is None
    found = mine.compare("edelman2022/2.2", over={"m": (100, 1000)}, points=3, L_loss=1, C_F=1, A=1, b=1, **at)
    assert found.winners[0].label == "made2031/1 derived"
    assert mine.verify().verdict in ("undecided", "fails")
    assert [entry["status"] for entry in mine.errata()] == ["gap"]
    assert "R-R_m" in mine._repr_mimebundle_()["text/html"]
    for command in (
        "list", "show made2031/1", "trace made2031/1", "eval made2031/1 m=10 B=1 delta=0.1",
        "samples made2031/1 --gap 0.1 B=1 delta=0.1", "blame made2031/1 m=10 B=1 delta=0.1",
    ):  # fmt: skip
        code, out, _ = maurey_command(*command.split())
        assert (code, "made2031/1" in out) == (0, True)


@pytest.fixture
def maurey_command(capsys, monkeypatch):
    """The command in this process, which knows what was registered."""
    from maurey import cli

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["maurey", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


def test_a_claim_with_nothing_but_words_or_one_form():
    views = [maurey.register(lemma("made2031/words", parts=())), maurey.register(lemma("made2031/p", parts=(
        Part("gap", "R", "gap", printed=lambda _: symbols("B") / symbols("m")),)))]  # fmt: skip
    try:
        for view in views:
            assert view.standing.words == "to be verified again"
            assert view.verify().verdict in ("holds", "undecided")
            assert not view.errata()
            assert view._repr_mimebundle_()["text/html"]
    finally:
        for view in views:
            registry.forget(view.key)


def test_a_registered_claim_can_be_registered_again_and_replaced(mine):
    assert maurey.register(mine).record is mine.record
    with pytest.raises(InputError, match="made2031/1 is taken: you registered it before; replace=True"):
        maurey.register(lemma())
    again = lemma(title="Another")
    assert maurey.register(again, replace=True).title == maurey.claim("made2031/1").title == "Another"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (lemma("edelman2022/4.4"), "the key edelman2022/4.4 is taken: it is Capacity of a Transformer"),
        (lemma("mine"), "a key is a paper, a slash and a number, e.g. 'mine2030/1.2', got 'mine'"),
        (lemma("a/b:c"), "a key is a paper"),
        (lemma("a/b c"), "a key is a paper"),
        ("edelman2022/4.4", "register takes a Claim (from maurey.symbolic.claim), got str"),
        (lemma(symbols=(Parameter("form", "f", "a form"),)), "a symbol cannot be called form"),
        (lemma(symbols=(Parameter("x y", "x", "two"),)), "a symbol is called like a variable"),
        (lemma(symbols=(Parameter("x", "x", "one"), Parameter("x", "x", "two"))), "two symbols called x"),
        (lemma(uses=("nobody/1",)), "no claim 'nobody/1'"),
        (written(lambda _: "1/m"), "gives a SymPy expression, or a list of steps, got '1/m'"),
        (written(lambda _: []), "gives a SymPy expression, or a list of steps, got []"),
        (written(1 / Symbol("m")), "the printed form of made2031/1:gap is a function, e.g. lambda _: 1 / m, got 1/m"),
        (written(lambda _: Symbol("z")), "speaks of z; the claim has B, delta, m"),
        (written(lambda _: 0.5 * Symbol("m")), "has a float"),
    ],
)
def test_what_cannot_be_registered(claim, message):
    with pytest.raises(InputError, match=re.escape(message)):
        maurey.register(claim, replace=True)
    assert "made2031" not in registry.paper_names()


def test_tensors_without_numbers():
    import torch

    tensors = torch.ones(1, device="meta"), torch.eye(2).to_sparse()
    for ask, tensor in product((LEMMA.evaluate, LEMMA.sweep), tensors):
        with pytest.raises(InputError, match="eps must be a positive real, got"):
            ask(**{**A10, "eps": tensor})


def test_integers_of_numpy():
    assert LEMMA.enclose(digits=np.int64(5), **A10) == LEMMA.enclose(digits=5, **A10)
    assert LEMMA.latex(layers=np.int64(3)) == LEMMA.latex(layers=3)
    with pytest.raises(InputError, match="forms are one or several of printed"):
        LEMMA.compare(over={"N": (10, 1000)}, forms=3)
