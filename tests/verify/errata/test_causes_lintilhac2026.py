"""Findings on Lintilhac and Shaikh 2026: what they say of numbers is true, and entries go to the right one."""

import pytest

import maurey
from maurey.symbolic import registry
from maurey.symbolic.claim import UNREAD
from maurey.verify.errata.causes import cause_of, severity_of
from maurey.verify.errata.causes.lintilhac2026 import CAUSES
from maurey.verify.errata.entries import Erratum

P = "lintilhac2026/"
BY_SLUG = {cause.slug: cause for cause in CAUSES}


def value(number, form, part, **at):
    return float(maurey.claim(P + number).enclose(form, part, **at).value)


def entry(place, status="refuted"):
    key, _, part = (P + place).partition(":")
    return Erratum(key=key, part=part, status=status, edge=False, witness={"T": "4"}, printed_value="1", true_value="2",
                   note="")  # fmt: skip


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.slug)
def test_patterns_name_parts_that_exist(cause):
    for pattern in cause.entries:
        key, _, part = pattern.split()[0].partition(":")
        claim = registry.find(key)
        assert not part or claim.part(part).printed is not None


def test_what_was_not_read_is_never_called_false():
    for cause in CAUSES:
        key, _, part = cause.entries[0].split()[0].partition(":")
        assert (registry.find(key).origin_of(part) in UNREAD) == (cause.severity == "")
    for place in ("6:loss", "D:alpha_gradient", "7:step", "10:projected", "H:components", "H:slices"):
        assert severity_of(registry.find(entry(place).key), entry(place)) is None


@pytest.mark.parametrize(
    ("place", "status", "slug", "severity"),
    [
        ("14:total", "refuted", "position-columns", "false"),
        ("5:order", "gap", "position-columns", "proof"),
        ("13:bound", "refuted", "position-columns", "false"),
        ("2:risk", "refuted", "position-columns", "false"),
        ("2:risk", "gap", "traces-for-losses", "proof"),
        ("E.3:truncated", "gap", "prior-constant", "proof"),
        ("17:trace", "refuted", "position-columns", "false"),
        ("17:trace", "gap", "first-order-forms", "proof"),
        ("24:T_p", "gap", "first-order-forms", "proof"),
        ("31:operator", "refuted", "dropped-pairs", "false"),
        ("10:F", "refuted", "outer-weights", "false"),
        ("8:error", "gap", "solved-for-delta", "proof"),
    ],
)
def test_entries_and_their_findings(place, status, slug, severity):
    one = entry(place, status)
    assert cause_of(one).slug == slug
    assert severity_of(registry.find(one.key), one) == severity


def test_an_identity_has_no_finding():
    assert cause_of(entry("13:trace")) is None


def test_numbers_of_the_explanations():
    assert value("14", "printed", "total", omega=40, D=1, T=40) == 10724
    assert round(value("18", "printed", "operator", omega=600, D=1, T=600)) == 300598
    assert value("10", "printed", "F", D=2) == 192
    assert value("10", "derived", "F", D=2) == 512
    assert round(value("10", "printed", "total", omega=7, D=3, T=20)) == 1621 < round(45.8**2) == 2098
    tuned = value("E.3", "printed", "truncated", omega=10, D=2, T=20, m=10**6, Sigma="1/100", delta="1/20")
    assert round(tuned * (1492.69 / 1303.93) ** (1 / 3), 3) == 0.25
    texts = {slug: cause.explanation + cause.survives for slug, cause in BY_SLUG.items()}
    for slug, words in {
        "position-columns": ("10724", "11905", "11460", "0.203"),
        "dropped-pairs": ("406837", "405788", "300598"),
        "outer-weights": ("512 instead of 192", "1492.69", "1621", "0.250"),
        "solved-for-delta": ("10^{-4414421}", "10^{-20852375}"),
        "first-order-forms": ("15142", "1232"),
    }.items():
        assert all(word in texts[slug] for word in words), slug


def test_the_corrected_gradient_is_the_derived_one():
    """4 + omega/8 + omega rho + omega (omega + 1)/4 rho log^2 T + 64 omega D^2 (D + 1)."""
    import math

    for omega, D, T in ((37, 1, 37), (10, 2, 20), (3, 5, 9)):
        rho = value("11", "derived", "hidden", omega=omega, D=D, T=T)
        by_hand = 4 + omega / 8 + omega * rho + omega * (omega + 1) / 4 * rho * math.log(T) ** 2
        assert value("14", "derived", "total", omega=omega, D=D, T=T) == pytest.approx(
            by_hand + 64 * omega * D**2 * (D + 1)
        )
