"""The exhibits comparison and certificate: curves are what they are called, and findings follow the numbers."""

import tomllib
from decimal import Decimal
from fractions import Fraction as F

import pytest

from maurey.numeric.balls import enclose
from maurey.paper_tables import exhibits, trained
from maurey.paper_tables.lintilhac2026 import certificate, comparison
from maurey.paper_tables.lintilhac2026.comparison import Curve, covering
from maurey.symbolic import registry
from maurey.verify.papers.lintilhac2026 import hypotheses
from maurey.verify.papers.lintilhac2026.network import construction
from maurey.verify.training.tasks import walsh
from maurey.verify.training.trials.parities import Spectrum

CONFIG = tomllib.loads((exhibits.ROOT / "lintilhac2026/comparison/config.toml").read_text())
TARGET = walsh.tiling(20, 2)


def by_name(curves):
    return {(curve.name, curve.form, curve.Sigma): curve for curve in curves}


def test_pac_bayes_curves(monkeypatch):
    curves = by_name(comparison.pac_bayes(CONFIG, F(200)))
    assert len(curves) == 18
    text = curves["PAC-Bayes, truncated", "printed", "1/100"]
    assert float(text(10**6)) == pytest.approx(0.23907, abs=1e-5)
    assert text.paper == CONFIG["paper"]["truncated"]
    assert float(text.samples(0.25)) == pytest.approx(10**6 * (0.239067 / 0.25) ** 3, rel=1e-3)
    semi = curves["PAC-Bayes, semi-analytic", "printed", "1/100"]
    assert float(semi(10**6) - text(10**6)) == pytest.approx(100 * 2.265676e-3**2, rel=1e-2)
    full = curves["PAC-Bayes, fully analytic", "printed", "1/100"]
    assert full(2 * 10**9) < full(10**9) < full(10**6)
    paid = curves["PAC-Bayes, truncated", "derived", "1/2"]
    at = CONFIG["case"] | {"delta": CONFIG["delta"], "Sigma": "1/2", "P": 200}
    own = enclose(registry.find("lintilhac2026/E.3"), "derived", "truncated", 6, grid=20, **(at | {"m": 10**30}))
    assert own.upper == paid(10**30)
    given = []
    monkeypatch.setattr(comparison, "enclose", lambda *_, **at: given.append(at["grid"]) or own)
    paid(10**7)
    assert given == [CONFIG["mesh"]]
    clipped = curves["PAC-Bayes, truncated", "sharp", "1/100"]
    assert clipped.largest == pytest.approx(0.02)
    assert clipped.samples(0.25) is None


def test_covering_curves():
    norms = covering.norms(TARGET)
    net = construction.build(TARGET)
    assert float(norms["B_QK_inf"][0]) == pytest.approx(float(net.W_1.norm(dim=0).max()))
    assert float(norms["B_C"][0]) == pytest.approx(float(net.F.norm()))  # one column
    V = net.W_V @ net.M
    assert float(norms["B_V"][0]) > float(V.norm())  # and the bias
    for of in (covering.nearest, covering.composed):
        values = [[of(TARGET, form, m, F(1, 20)) for m in (10**24, 10**30, 10**36)] for form in ("derived", "sharp")]
        assert values[0][2] < values[0][1] <= values[0][0]
        assert values[1][2] < values[0][2]
    assert covering.nearest(TARGET, "printed", 10**6, F(1, 20)) < 0  # no such logarithm is meant


def powers(level, slope):
    """level at m = 10^6, falling with this power."""
    return lambda m: Decimal(level) * (Decimal(m) / 10**6) ** Decimal(slope)


def made(semi="0.2396", covers="1.01", truncated="0.239", full="5", changes=(203.0,) * 20, paper=None):
    text, clipped = CONFIG["constants"]["text"], CONFIG["constants"]["clipped"]
    curves = [
        Curve("PAC-Bayes, truncated", "printed", text, "", float("inf"), powers(truncated, "-0.33")),
        Curve("PAC-Bayes, semi-analytic", "printed", text, "", float("inf"), powers(semi, "-0.33")),
        Curve("PAC-Bayes, fully analytic", "printed", text, "", float("inf"), powers(full, "-0.4")),
        Curve("PAC-Bayes, fully analytic", "derived", clipped, "", 1.0, powers("9", "-0.4")),
        Curve("PAC-Bayes, fully analytic", "sharp", clipped, "", 1.0, powers("9", "-0.4")),
        Curve("covering, edelman2022/A.17", "sharp", "", "", float("inf"), powers(covers, "-0.5")),
    ]  # fmt: skip
    return comparison._findings(curves, CONFIG | {"paper": CONFIG["paper"] | (paper or {})}, changes, 190.0)


def test_findings_follow_the_numbers():
    assert {found.figure for found in made()} == {"Section 1 and appendix E.3"}
    assert made(truncated="0.2")[0].word == made(truncated="0.3")[0].word == "disagrees"
    assert made()[0].word == "agrees"
    assert made()[2].word == "not run"  # the display is not at hand
    assert made(covers="1e9")[5].word == "agrees"
    assert made(covers="1e-3")[5].word == "disagrees"


def test_the_measured_cost_is_held_against_the_largest_of_as_many_networks():
    assert made()[1].word == "disagrees"
    assert made(semi="0.327")[1].word == "agrees"
    spread = [*[10.0] * 17, 100.0, 203.0, 203.0]  # the largest of ten may well be 10, or 203
    assert made(semi="0.35", changes=spread)[1].word == "agrees"
    assert made(semi="0.35", changes=(203.0,) * 20)[1].word == "disagrees"
    assert made(semi="0.327", changes=(203.0,) * 4)[1].word == "partly, agrees"
    low, high = comparison.largest(spread, 10)
    assert (low, high) == (10, 203)


def test_what_is_vacuous_is_not_said():
    found = [made(semi=str(few / 4.884))[4] for few in (0.2, 1.2, 3.0)]  # at m = 8192
    assert [one.agrees for one in found] == [True, None, False]
    assert {one.word for one in found} == {"undecided"}  # the levels were settled after looking
    # for 1 and for 1/4 a power of -0.4 asks for samples 32 times apart
    assert made(full="5")[3].agrees is None  # 1.8e9 for 1/4
    assert made(full="20.9")[3].agrees is None  # 2e9 for 1
    assert made(full="1")[3].agrees is made(full="90")[3].agrees is False
    assert made(full="1")[3].word == "undecided"


# --- certificates ----------------------------------------------------------------------------------------------------


def outcome(bound=0.2, omega=1, prior="half", risk=0.05, **more):
    config = Spectrum(model="channel", D=1, omega=omega, certify=prior)
    loss = "wrong" if omega == 1 else "squared"
    found = {"loss": loss, "bound": bound, "KL": 50.0, "sigma": 0.0625, "strings": 4096, "gibbs": 0.04, "mean": 0.0,
             "gibbs_above": 0.06, "test_gibbs": risk, "test_gibbs_error": 0.001, "test_mean": 0.0,
             "prior": {"bound": 0.1}}  # fmt: skip
    record = {"status": "done", "converged": True, "train_loss": 0.01, "test_loss": 0.01, "certificate": found}
    return trained.Outcome(config, 0, record | more)


MEASURED = {"norms": {"Q": 20.0, "K": 30.0}, "gradient": 40.0, "residual": 1.0, "subgaussian": 0.03}


def rendered(*outcomes):
    expected = tomllib.loads((exhibits.ROOT / "lintilhac2026/certificate/expected.toml").read_text())
    return certificate.render({"scale": "smoke", "stage": []}, expected, outcomes)


def test_what_a_bound_says():
    assert certificate.Certified(outcome(0.2)).says == "less than a constant"
    assert certificate.Certified(outcome(0.6)).says == "below 1"
    assert certificate.Certified(outcome(0.3, omega=2)).says == "below 1"
    assert certificate.Certified(outcome(1.0)).says == "nothing"
    exhibit = rendered(outcome(0.2), outcome(0.6, prior="start"), outcome(status="failed", certificate=None))
    assert len(exhibit.rows) == 2
    lost = "1 of (one channel, degree 1, sparsity 1), prior around half of the strings"
    assert any(lost in note for note in exhibit.notes)
    said = "of 2 networks 1 have a bound below 1, 1 one below what a constant has"  # one has none
    assert any(f"half of the strings: {said}" in note for note in exhibit.verdict)
    said = "of 1 networks 1 have a bound below 1, 0 one below what a constant has"
    assert any(f"initial weights: {said}" in note for note in exhibit.verdict)


def test_the_held_out_test_stands_beside_the_bound():
    """Certificates of an earlier kind have none, and say so."""
    for bound, word in ((0.2, "agrees"), (0.05, "disagrees")):
        made = rendered(outcome(bound))
        assert made.findings[1].word == word
        assert made.rows[0][certificate.COLUMNS.index("held-out test")] == "0.1000"
        assert "earlier kind" not in "".join(made.notes)
    old = outcome(0.2)
    del old.record["certificate"]["prior"]
    made = rendered(old, outcome(0.3))
    assert made.findings[1].word == "partly, agrees"
    assert rendered(old).findings[1].word == "not run"
    assert "Of the 2 certificates 1 are of an earlier kind" in "".join(made.notes)


def test_a_bound_that_is_exceeded_is_a_disagreement():
    assert not rendered(outcome(0.2)).disagreements
    assert rendered(outcome(0.2), outcome(0.2, risk=0.3)).disagreements
    assert not rendered(outcome(0.2, risk=0.203)).disagreements  # within its standard errors


def test_theorem_2_on_a_trained_network():
    one = certificate.Certified(outcome(**MEASURED))
    assert one.network.norm_squared == 50
    assert one.network.trace == 41
    assert one.case(0.01).G_u == 4 + 4 * (2 + 1 + 64)
    audit = {h.name: h for h in hypotheses.audit(one.case(0.01), one.network)}
    assert (audit["interpolation"].status, audit["norm"].status) == ("fails", "holds")
    assert audit["a constant for each network"].status == "fails"
    (note,) = (note for note in rendered(outcome(**MEASURED)).notes if note.startswith("Theorem 2"))
    assert "norm: holds 1" in note
    for other in (outcome(), outcome(**MEASURED, converged=False)):
        assert not [note for note in rendered(other).notes if note.startswith("Theorem 2")]


def test_the_plans_are_runs_with_certificates():
    for scale in ("smoke", "laptop", "paper"):
        jobs = trained.plan("lintilhac2026/certificate", scale)
        assert {job.config.certify for job in jobs} == {"start", "half"}
    laptop, paper = (set(trained.plan("lintilhac2026/certificate", scale)) for scale in ("laptop", "paper"))
    assert laptop <= paper
