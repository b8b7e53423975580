"""What the page works out from step lists is what the commands say: curves, crossovers, shares, samples."""

import json
import random
import tomllib
from fractions import Fraction

import pytest
from pagescripts import engine, function
from points import point

import maurey
from maurey import nn
from maurey.book.explorer import data, forms
from maurey.numeric.slack import slack
from maurey.symbolic import registry
from maurey.symbolic.claim import DOMAINS, InputError
from maurey.verify.evidence import form_stands

KEYS = [
    *(
        "edelman2022/A.17",
        "edelman2022/A.12",
        "edelman2022/4.4",
        "edelman2022/4.5",
        "edelman2022/A.10",
        "edelman2022/2.2",
        "trauger2024/3.6",
    ),
    *(
        "trauger2024/4.1.1",
        "trauger2024/4.2.1",
        "trauger2024/S2.5",
        "mousavi2025/5",
        "mousavi2025/10",
        "lintilhac2026/2",
    ),
]


def at(words):
    return dict(word.split("=") for word in words.split())


HEAD = at("eps=1/10 d=8 m=100 T=16 L_sigma=1 B_X=1 B_V=2 B_V_inf=0.7 B_QK_inf=0.4")
LISTS = at("eps=0.1 T=256 d=64 k=64 m=1000000 L=3 L_sigma=1 B_X=1 B_w=1 B_V=1.5 B_QK=1 B_C=1,2,1 B_V_inf=0.25") | at(
    "B_QK_inf=0.25 B_C_inf=0.25 B_W_11=64 L_loss=1 b=1 delta=0.05"
)
NETWORK = LISTS | {"B_C": "1"}
LINEAR = at("eps=1/10 d=16 k=16 d_1=16 d_2=16 N=1000 B_X=2 B_w=1 B_W_inf=1 B_W_11=3")
GAP = at("L_loss=1 C_F=7 A=1 b=1 delta=1/20 m=1000")
TOKENS = at("n=100 N=10 m=2 d=3 q=1 d_e=4 r_a=2 r_w=1 C_x=1 C_y=1 s=1 eps_2NN=0.001")
SCRIPTS = ("compare", "blame", "samples", "model")
GIVEN = """
var M = maureyModel(E, C, DATA);
var chosen = (ids) => ids.map(M.curve);
var lists = (x) => [...x].map(told);
"""


@pytest.fixture(scope="module")
def found():
    """What the page knows of some claims, with short lists."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "OTHERS", 4)
        patch.setattr(forms, "MOST", {})
        return data.data(registry.find(key) for key in KEYS)


@pytest.fixture(scope="module")
def page(found):
    context = engine(*SCRIPTS)
    context.eval(f"var DATA = {json.dumps(found)};")
    context.eval(GIVEN)
    return lambda source: function(context, source)


def known(curve, values):
    """Of the values, those of the claim's symbols, in its order, as the commands take them."""
    key, part, form = curve.split(":")
    names = [p.name for p in maurey.claim(key).names if p.name in values]
    return maurey.claim(key), part, form, {name: listed(values[name]) for name in names}


def listed(text):
    return text.split(",") if "," in text else text


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("curve", "values"),
    [
        ("edelman2022/A.17:gap:sharp", LISTS),
        ("edelman2022/A.17:log_N:printed", LISTS),
        ("edelman2022/A.17:log_N:repaired", LISTS),
        ("edelman2022/A.17:log_N:sharp", NETWORK | at("L=4 B_V_F=2 B_QK_F=2 B_C_F=2")),
        ("edelman2022/A.12:log_N:sharp", HEAD | at("H=3 B_V=1,2,3 B_V_F=3 B_QK_F=1")),
        ("edelman2022/4.4:log_N:sharp", HEAD | {"kappa": "1"}),
        ("trauger2024/S2.5:gap_network:sharp", NETWORK),
    ],
)
def test_values_are_those_of_sweep(page, curve, values):
    found = page("""(id, values) => {
      const { problem, value } = M.at(M.curve(id), values);
      return [problem, value && value.sign, value && value.log];
    }""")
    claim, part, form, given = known(curve, values)
    expected = claim.sweep(form, part, **given)
    assert found(curve, values) == ["", 1, pytest.approx(float(expected.log), rel=1e-12)]


def test_optional_norms_count_once_all_of_their_kind_are_given(page):
    value = page("(id, values) => M.at(M.curve(id), values).value.log")
    plain = value("edelman2022/A.17:log_N:sharp", NETWORK)
    assert value("edelman2022/A.17:log_N:sharp", NETWORK | {"B_V_F": "1/10"}) == plain
    assert value("edelman2022/A.17:log_N:sharp", NETWORK | dict.fromkeys(("B_V_F", "B_QK_F", "B_C_F"), "1/10")) < plain


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"eps": "0"}, "eps is a positive number"),
        ({"eps": "abc"}, "eps is a positive number"),
        ({"d": "1.5"}, "d is a positive integer"),
        ({"delta": "1"}, "delta is a number between 0 and 1"),
        ({"d": "3,4"}, "not a list"),
        ({"B_C": "1,2"}, "B_C has 2 values, L is 3"),
        ({"B_V": "1,x,2"}, "one for each layer"),
        ({"L": "40"}, "not written out for L = 40"),
    ],
)
def test_what_is_wrong_is_said(page, changes, words):
    problem = page("(id, values) => M.at(M.curve(id), values).problem")
    assert words in problem("edelman2022/A.17:gap:sharp", NETWORK | changes)


def test_assumptions_of_the_claim_hold_or_it_says_so(page):
    given = at("N=5 d=9 k=3 eps=1/10 B_X=1 B_W_11=1")
    problem = page("(id, values) => M.at(M.curve(id), values).problem")
    assert problem("trauger2024/3.6:log_N:sharp", given) == "trauger2024/3.6 assumes that there are at least d points"
    with pytest.raises(InputError, match="there are at least d points"):
        maurey.claim("trauger2024/3.6").sweep("sharp", **given)
    swept = page("(id, values) => lists(M.graph(M.curve(id), values, 'N').sweep([5, 9, 20]).log)")
    below, *rest = swept("trauger2024/3.6:log_N:sharp", given)
    assert below == "NaN"
    expected = maurey.claim("trauger2024/3.6").sweep("sharp", **given | {"N": [9, 20]})
    assert rest == pytest.approx(list(expected.log), rel=1e-13)


def test_which_forms_may_be_called_the_smallest(found):
    for part in found["parts"]:
        for form, record in part["forms"].items():
            assert (record["state"] == "proved") == form_stands(registry.find(part["key"]), part["name"], form)


def test_norms_that_others_make_slack_are_named_as_the_command_names_them(page):
    notes = page("(values, names) => M.slack(values, new Set(names)).map(({ text }) => text)")
    rng = random.Random("slack")
    norms = ["B_V", "B_V_inf", "B_V_F", "B_QK", "B_QK_inf", "B_C", "B_w", "B_W_21", "B_W_11", "B_X", "B_X_1"]
    for _ in range(40):
        given = {name: str(rng.randint(1, 9)) for name in rng.sample(norms, 6)}
        assert notes(given, list(given)) == slack({name: Fraction(x) for name, x in given.items()})


# --- curves ----------------------------------------------------------------------------------------------------------

COMPARE = """(ids, values, over, low, high, points) => {
  const ones = chosen(ids), integer = M.integer(ones, over), grid = C.spread(low, high, points, integer);
  const graphs = ones.map((one) => M.graph(one, values, over));
  const found = C.settle(graphs, ones.map(() => true), grid, integer);
  return { grid, logs: graphs.map((graph) => lists(graph.sweep(grid).log)), ...found };
}"""
COVERS = "edelman2022/4.5:log_N:sharp", "trauger2024/3.6:log_N:sharp"
DEEP = "edelman2022/A.17:log_N:sharp", "trauger2024/4.2.1:log_N:sharp", "trauger2024/S2.5:log_N_network:sharp"
CASES = [
    (("edelman2022/4.5:log_N:sharp", "edelman2022/4.5:log_N:derived"), LINEAR, "N", 10, 10**5),
    ((*COVERS, "edelman2022/4.5:log_N:printed"), LINEAR, "eps", 0.01, 10),
    (COVERS, LINEAR, "B_W_11", 0.1, 100),
    (DEEP, NETWORK, "L", 1, 4),
    (("edelman2022/A.17:gap:sharp", "trauger2024/S2.5:gap_network:sharp"), NETWORK | at("m=1e9"), "d", 16, 10**5),
    (
        [f"edelman2022/4.4:log_N:{form}" for form in ("printed", "derived", "sharp")],
        HEAD | at("C0=1000"),
        "T",
        16,
        10**6,
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("curves", "values", "over", "low", "high"), CASES)
def test_curves_crossovers_and_winners_are_those_of_compare(page, curves, values, over, low, high):
    found = page(COMPARE)(curves, {**values, over: str(low)}, over, low, high, 41)
    keys = [curve.rpartition(":")[0] for curve in curves]
    forms = list(dict.fromkeys(curve.rpartition(":")[2] for curve in curves))
    given = {name: listed(x) for name, x in values.items() if name != over}
    used = {p.name for key in keys for p in maurey.claim(key.partition(":")[0]).names}
    expected = maurey.compare(*dict.fromkeys(keys), over={over: (str(low), str(high))}, forms=forms, points=41,
                              **{name: x for name, x in given.items() if name in used})  # fmt: skip
    own = [[c.key, c.part, c.form] for c in expected.curves]
    places = [own.index(curve.split(":")) for curve in curves]
    assert found["grid"] == pytest.approx([float(x) for x in expected.at], rel=1e-6)
    if len(own) == len(curves):
        assert len(found["winners"]) == len(expected.winners)
    for n, place in enumerate(places):
        assert [float(x) for x in found["logs"][n]] == pytest.approx(
            list(expected.curves[place].values.log), rel=1e-5
        )  # grids differ by rounding
    labels = [expected.curves[place].label for place in places]
    crossed = [c for c in expected.crossovers if set(c.curves) <= set(labels)]
    assert len(found["crossovers"]) == len(crossed)
    for mine, theirs in zip(found["crossovers"], crossed, strict=True):
        assert [labels[n] for n in mine["below"]] == [theirs.below_before, theirs.below_after]
        if "eps" in over or "B_" in over:
            assert mine["at"] == pytest.approx([float(x) for x in theirs.at], rel=3e-6)
        else:
            assert mine["at"][0] <= theirs.at[0] < theirs.at[1] <= mine["at"][1]


# --- shares and samples ----------------------------------------------------------------------------------------------

BLAME = """(id, values) => {
  const { steps, env, uses, sizes } = M.at(M.curve(id), values), B = maureyBlame(E);
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => uses.has(name) || name in sizes));
  return B.shares(steps, given, Object.keys(sizes));
}"""


@pytest.mark.parametrize(
    ("curve", "values"),
    [
        ("edelman2022/4.5:log_N:sharp", LINEAR),
        ("edelman2022/4.4:log_N:printed", HEAD),
        ("edelman2022/A.12:log_N:derived", HEAD | {"H": "2", "B_V": "2,3"}),
        pytest.param("edelman2022/A.17:log_N:printed", LISTS, marks=pytest.mark.slow),
        pytest.param("trauger2024/4.2.1:gap:derived", NETWORK | {"m": "1e20", "L": "2"}, marks=pytest.mark.slow),
    ],
)
def test_shares_are_those_of_blame(page, curve, values):
    claim, part, form, given = known(curve, values)
    shares_agree(page(BLAME)(curve, values), claim.blame(form, part, **given))


def test_shares_of_a_network_of_ones_own(page):
    """The number of its layers stays: its form has sums over them."""
    words = nn.Embedding("K", "d", positions="T")
    layers = nn.Layers(nn.Residual(nn.MLP("d", "d_ff", "gelu")), "L")
    network = nn.Sequence(words, layers, nn.Read("last"), nn.Head("head", 2, "d"))
    bound = maurey.derive(network, nn.Words("T"), loss=nn.Ramp("margin"), route="net", key="mine/net")
    at = dict(m=10**9, L=3, d=16, d_ff=32, K=100, T=8, margin="1/2", delta="1/20")
    at |= dict(B_W1=2, B_W2=3, B_E_rows=1, B_P_rows=1, B_head=2)
    source = (
        "(steps, values) => { const B = maureyBlame(E); return B.shares(steps, numbers(values), B.lengths(steps)); }"
    )
    exported = bound.export(part="gap")
    given = {**exported["constants"], **{name: str(x) for name, x in at.items()}}
    shares_agree(page(source)(exported["steps"], given), bound.blame(part="gap", **at))


def shares_agree(found, expected):
    assert found["log"] == pytest.approx(expected.log, rel=1e-12)
    mine = {row["name"] if row["i"] is None else f"{row['name']}[{row['i'] + 1}]": row for row in found["rows"]}
    assert set(mine) == {row.name for row in expected.shares}
    for row in expected.shares:
        assert mine[row.name]["share"] == pytest.approx(row.share, abs=1e-6)
        if row.halved is not None:
            assert mine[row.name]["halved"] == pytest.approx(row.halved, rel=1e-6)


@pytest.mark.parametrize(
    ("curve", "values", "gap"),
    [
        ("edelman2022/2.2:gap:derived", GAP, "0.1"),
        ("edelman2022/2.2:gap:printed", GAP, "1/7"),
        ("edelman2022/2.2:gap:sharp", GAP, "3"),
        ("trauger2024/S2.5:gap_network:sharp", NETWORK, "0.1"),
        ("mousavi2025/10:risk:printed", TOKENS, "1"),
    ],
)
def test_the_smallest_sample_size_is_that_of_samples(page, curve, values, gap):
    claim, part, form, given = known(curve, values)
    smallest = page("""(id, values, gap) => {
      const one = M.curve(id);
      return maureySamples(E).smallest((ms) => M.many(one, values, one.claim.samples, ms), gap);
    }""")
    expected = claim.samples_for(gap, form, part, **{name: x for name, x in given.items() if name != claim.samples})
    assert smallest(curve, values, gap) == pytest.approx(expected.m, rel=1e-12, abs=1)


def test_every_domain_is_known(page):
    """To the page and to its sliders, and as Maurey has it."""
    ranges = tomllib.loads(data.RANGES.read_text())["domains"]
    wrong = page("(domain, text) => M.wrong({ name: 'x', domain }, text)")
    for domain, inside in DOMAINS.items():
        assert domain in ranges
        for text in ("-2", "-1", "-1/2", "0", "1/2", "1", "2", "5/2"):
            assert (wrong(domain, text) == "") == inside(Fraction(text)), (domain, text)


def test_points_outside_the_domains_have_words(page):
    """At random values, in and out of the domains, the page and the command agree on what is accepted."""
    wrong = page("(id, name, text) => M.wrong(M.curve(id).claim.symbols.find((p) => p.name === name), text)")
    from maurey.numeric.binding import read_exact

    rng = random.Random("domains")
    for key in KEYS:
        claim, given = registry.find(key), point(registry.find(key), rng)
        curve = f"{key}:{claim.parts[0].name}:{claim.parts[0].forms[0]}"
        for p in claim.symbols:
            for text in ("0", "-1", "1/2", "1", "2.0", "1.5", "1e3", "1,2", "x", "", str(given.get(p.name, "3"))[:5]):
                try:
                    read_exact(p, text)
                    expected = True
                except InputError:
                    expected = False
                assert (wrong(curve, p.name, text) == "") == expected, (key, p, text)
