"""The errata: planted defects are found on the right ray, true claims are left in peace, witnesses hold."""

import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from independent import FORMS
from mpmath import mp, mpf
from planted import planted, symbol
from sympy import Indexed, Rational, Symbol, log

from maurey.symbolic import registry
from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Step
from maurey.symbolic.names import C0, parameters, symbols
from maurey.verify import ledger
from maurey.verify.errata import rays
from maurey.verify.errata.boxes import holds_on_box
from maurey.verify.errata.comparison import compare
from maurey.verify.errata.entries import comparable, restates
from maurey.verify.errata.witnesses import replay

PARTS = [
    pytest.param(claim.key, part.name, id=f"{claim.key}:{part.name}")
    for claim in registry.all_claims()
    if not restates(claim)
    for part in comparable(claim)
    if part.relation in ("<=", "<~") and claim.kind not in ("construction", "approximation")
]
HEAD, DEEP = "edelman2022/4.4", "edelman2022/A.17"
FOUND = {one.key: one for one in ledger.comparisons()}


def moved_names(entry) -> dict[str, float]:
    return entry.witness["ray"]


def movable(claim: Claim) -> list[str]:
    at = rays.start(claim, claim.parts[0])
    return sorted({name for ray in rays.rays(claim, at) for name, power in ray.items() if power > 0})


def vanishes(claim: Claim, at, name: str) -> bool:
    """Beyond some value of it nothing is left that could be too small."""
    growth = rays.growth(claim, claim.parts[0], "derived", at, [{name: Fraction(1)}])
    return not (growth.sign > 0).all() or not (growth.log > -np.inf).all()


@pytest.mark.parametrize(("key", "part"), PARTS)
def test_silence_on_true_claims(key, part):
    """The print is a thousandth of what is derived, or lacks a logarithm that it hides: a constant makes up for it."""
    claim = planted(key, part, lambda e: e / 1000)
    assert [entry for entry in compare(claim).errata if not entry.edge] == []
    hidden = [name for name in movable(claim) if name.partition("[")[0] not in ("m", "T", "N")]
    if hidden:
        x = symbol(random.Random(key).choice(hidden))
        assert compare(planted(key, part, lambda e: e / log(2 + x + 1 / x))).errata == []


@pytest.mark.parametrize(("key", "part"), PARTS)
def test_a_dropped_factor_is_found_where_it_matters(key, part):
    true = planted(key, part, lambda e: e)
    at = rays.start(true, true.parts[0])
    alone = {name for ray in rays.rays(true, at) for name in ray if len(ray) == 1 and ray[name] > 0}
    names = [name for name in movable(true) if not vanishes(true, at, name)]
    for name in random.Random(key + part).sample(names, min(1, len(names))):
        x = symbol(name)
        found = compare(planted(key, part, lambda e, x=x: e / x))
        assert found.errata, name
        assert all(moved_names(entry).get(name, 0) > 0 for entry in found.errata), name
        if name in alone and key not in ("edelman2022/sec2-linear-cover", "mousavi2025/12"):  # exponentials
            assert [moved_names(entry) for entry in found.errata] == [{name: 1}]


def test_there_are_thirty():
    assert len(PARTS) >= 30


@pytest.mark.parametrize("name", ["eps", "d", "B_X", "L_sigma"])
def test_a_changed_exponent(name):
    up = compare(planted(HEAD, "log_N", lambda e: e / Symbol(name) ** Rational(1, 2)))
    assert [moved_names(entry) for entry in up.errata] == [{name: 1}]
    down = compare(planted(HEAD, "log_N", lambda e: e * Symbol(name) ** Rational(1, 2)))
    assert [moved_names(entry) for entry in down.errata] == ([] if name == "d" else [{name: -1}])


def test_a_swapped_norm():
    """(2, inf) for spectral is too small by up to sqrt(d); spectral for (2, inf) is too large and nobody's business."""
    spectral, rows = Symbol("B_V"), Symbol("B_V_inf")
    small = compare(planted(HEAD, "log_N", lambda e: e.subs(spectral, rows), step="beta"))
    assert [moved_names(entry) for entry in small.errata] == [{"B_V": 0.5, "d": 1}, {"B_V_inf": -0.5, "d": 1}]
    assert compare(planted(HEAD, "log_N", lambda e: e.subs(rows, spectral), step="bound")).errata == []


def test_a_reversed_product():
    """Layer 1 amplified by itself, not by layer 2: found where layer 2 amplifies and the width makes layer 1 count."""

    def reverse(expr):
        one, two, other = (Indexed("B_QK", i) for i in (1, 2, 3))
        return expr.subs(two, other).subs(one, two).subs(other, one)

    found = compare(planted(DEEP, "log_N", reverse, step="Lambda_3"))
    rays_found = [moved_names(entry) for entry in found.errata]
    assert {"B_QK[2]": 0.5, "d": 1} in rays_found
    assert all(ray.get("B_QK[2]", 0) > 0 or ray.get("B_QK[1]", 0) < 0 for ray in rays_found)
    assert compare(planted(DEEP, "log_N", lambda e: e, step="Lambda_3")).errata == []


def test_the_number_of_heads_moves():
    found = compare(planted("edelman2022/A.12-equal-heads", "log_N", lambda e: e / Symbol("H")))
    assert [moved_names(entry) for entry in found.errata] == [{"H": 1}]


def test_a_kept_logarithm():
    for name in ("m", "T"):
        x = Symbol(name)
        found = compare(planted(HEAD, "log_N", lambda e, x=x: e / log(16 * x)))
        assert [moved_names(entry) for entry in found.errata] == [{name: 1}]
        assert "log t" in found.errata[0].note


@pytest.mark.parametrize("key", ["edelman2022/4.3", "edelman2022/A.7", "edelman2022/A.14", "edelman2022/A.16"])
def test_without_a_hidden_constant_a_constant_counts(key):
    part = registry.find(key).parts[0].name
    assert compare(planted(key, part, lambda e: e, hidden=False)).errata == []
    assert compare(planted(key, part, lambda e: e * Rational(1001, 1000), hidden=False)).errata == []
    (entry,) = compare(planted(key, part, lambda e: e * Rational(999, 1000), hidden=False)).errata
    assert Decimal(entry.printed_value) < Decimal(entry.true_value)
    assert "ray" not in entry.witness


def test_an_equality_fails_on_both_sides():
    claim = registry.find("edelman2022/4.2")
    part = replace(claim.part("eps_in"), printed=lambda _: Symbol("eps") / Symbol("L_out"))
    (entry,) = compare(replace(claim, parts=(part,))).errata
    assert Decimal(entry.printed_value) > Decimal(entry.true_value)


# --- what is found in the paper ---------------------------------------------------------------------------------


def supports(key: str, part: str = "") -> list[dict[str, float]]:
    return [moved_names(entry) for entry in FOUND[key].errata if "ray" in entry.witness and part in ("", entry.part)]


def test_known_findings():
    for part in ("log_N", "log_N_appendix"):  # of long tokens, with something that keeps other bounds away
        assert supports(HEAD, part)
        assert all(ray["B_X"] > 0 for ray in supports(HEAD, part))
    assert supports(DEEP)
    assert all(ray["B_w"] > 0 for ray in supports(DEEP))  # of which the layers' terms know nothing
    assert supports("edelman2022/A.3") == [{"A": -1}, {"C_F": 1}]
    assert {"b": 1} in supports("edelman2022/2.2")
    assert {"m": 1} in supports("edelman2022/sec2-linear-cover")
    assert [entry.witness["R_F"] for entry in FOUND["edelman2022/A.4"].errata] == ["0"]
    assert supports("edelman2022/4.5") == []
    assert "but it is true" in FOUND["edelman2022/A.10"].remarks[0]
    assert not FOUND["edelman2022/A.10"].errata
    for key in ("4.2", "4.3", "A.2", "A.7", "A.9", "A.13", "A.14", "A.15", "A.16"):
        assert FOUND[f"edelman2022/{key}"] == type(FOUND[HEAD])(f"edelman2022/{key}"), key


def test_edges_are_one_per_claim():
    edges = [entry for one in FOUND.values() for entry in one.errata if entry.edge]
    assert len(edges) == len({entry.key for entry in edges}) >= 8
    for entry in edges:
        assert "1" in (entry.witness.get("m"), entry.witness.get("N"))
        assert Decimal(entry.printed_value) == 0 < Decimal(entry.true_value)


def test_every_ray_stays_in_the_cone():
    for one in FOUND.values():
        for entry in one.errata:
            ray = entry.witness.get("ray", {})
            for name in (f"{x}{mark}" for x in ("B_V", "B_QK", "B_C") for mark in ("", "[1]", "[2]")):
                label, bracket, rest = name.partition("[")
                small = ray.get(f"{label}_inf{bracket}{rest}", 0)
                if {label, f"{label}_inf"} <= {p.name for p in registry.find(one.key).symbols}:
                    width = "k" if label == "B_V" and one.key == DEEP else "d"
                    assert small <= ray.get(name, 0) <= small + ray.get(width, 0) / 2


@pytest.mark.parametrize("key", sorted(FOUND))
def test_witnesses_against_the_second_computation(key):
    """Every entry again, from the formulas of tests/independent.py, in plain high precision."""
    with mp.workdps(60):
        for entry in FOUND[key].errata:
            witness, part = entry.witness, registry.find(key).part(entry.part)
            for index, t in enumerate(witness.get("t", ["1"])):
                ray = {name: mpf(t) ** mpf(power) for name, power in witness.get("ray", {}).items()}
                at = {name: value for name, value in ray.items() if "[" not in name}
                for name, value in witness.get("at", witness).items():
                    plain = [mpf(Fraction(v).numerator) / Fraction(v).denominator for v in list_of(value)]
                    entries = [ray.get(f"{name}[{i}]", v) for i, v in enumerate(plain, 1)]
                    at[name] = entries if isinstance(value, list) else plain[0] * ray.get(name, 1)
                printed, derived = (FORMS[key, entry.part, form](**at) for form in ("printed", "derived"))
                small, large = (derived, printed) if part.below else (printed, derived)
                if "ratios" in witness:
                    assert abs(small / large / mpf(witness["ratios"][index]) - 1) < 1e-5
            if part.relation != "=":
                assert small < large
            assert abs(derived - mpf(entry.true_value)) <= 1e-12 * abs(derived)


def list_of(value):
    return value if isinstance(value, list) else [value]


# --- ledger, boxes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [HEAD, "edelman2022/A.4"])
def test_a_false_witness_is_not_replayed(key):
    claim, entry = registry.find(key), FOUND[key].errata[0]
    assert replay(claim, entry)
    if "ray" in entry.witness:
        false = entry.witness | {"ratios": ["1E-3", "1E-4", "1E-5"]}
    else:
        false = entry.witness | {"R_F": "1"}
    assert not replay(claim, replace(entry, witness=false))


def test_a_box_is_certified_or_not():
    claim = registry.find("edelman2022/A.10")
    assert "N" in holds_on_box(claim, claim.parts[0])
    smaller = replace(claim.parts[0], printed=lambda s: claim.parts[0].printed(s) / 100)
    assert holds_on_box(replace(claim, parts=(smaller,)), smaller) == ""


def bounded_below(relation: str, print_: str) -> Claim:
    """A claim that a width is at least what is derived for it, N / (1 + log(1 + B)), with another print."""
    N, B, C = symbols("N B_w C0")
    forms = {
        "right": N / (1 + log(1 + B)),
        "thousandfold": 1000 * N / (1 + log(1 + B)),
        "less": N / (1 + log(1 + B)) / (1 + B),
        "too much": N,
        "far too much": N**2 / (1 + log(1 + B)),
    }
    hidden = relation == ">~"
    part = Part("width", "d_h", "width", relation, "a constant" if hidden else "", None,
                printed=lambda _: (C if hidden else 1) * forms[print_],
                derived=lambda _: [Step("least", "", forms["right"], "for the test")])  # fmt: skip
    return Claim("test/below", "Width", "lower-bound", "A width.", parameters("N B_w"), constants=(C0,) * hidden,
                 parts=(part,))  # fmt: skip


@pytest.mark.parametrize(
    ("relation", "print_", "wrong"),
    [
        (">~", "right", False),
        (">~", "thousandfold", False),
        (">~", "less", False),
        (">~", "too much", True),  # a logarithm too many, and logarithms are kept
        (">~", "far too much", True),
        (">=", "right", False),
        (">=", "thousandfold", True),
        (">=", "less", False),
    ],
)
def test_a_lower_bound_is_wrong_where_it_is_too_large(relation, print_, wrong):
    found = compare(bounded_below(relation, print_))
    assert bool(found.errata) == wrong
    for entry in found.errata:
        assert Decimal(entry.printed_value) > Decimal(entry.true_value)
        assert replay(bounded_below(relation, print_), entry)


@pytest.mark.parametrize(("keeps", "wrong"), [((), False), (("N",), True), (None, True)])
def test_hidden_logarithms_hide_any_power_of_a_logarithm(keeps, wrong):
    """Also one that exceeds every open constant at the points where growth is read off."""
    N, B, C = symbols("N B_w C0")
    part = Part("log_N", "h", "size", "<~", "a constant", keeps, printed=lambda _: C * B,
                derived=lambda _: [Step("size", "", B * (1 + log(N)) ** 16, "for the test")])  # fmt: skip
    claim = Claim("test/hidden", "Size", "covering", "A size.", parameters("N B_w"), constants=(C0,), parts=(part,))
    assert bool(compare(claim).errata) == wrong
