"""LaTeX to paste: every claim compiles, and no display of a printed or repaired form is wider than the line."""

import os
import re
import shutil
import subprocess

import pytest

import maurey
from maurey.symbolic.claim import Setting
from maurey.symbolic.displays import PREAMBLE, display, document, snippet
from maurey.symbolic.typesetting import width

CLAIMS = [claim.record for claim in maurey.claims() if claim.forms]
SAYS = re.compile(r"@@(.*)@@|^! (.*)|(Overfull .hbox.*)", re.M)


def compiled(tex, tmp_path):
    """What pdflatex has against it, each with the last place that was named."""
    (tmp_path / "all.tex").write_text(tex)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
    )
    place, found = "", []
    for named, *problem in SAYS.findall(done.stdout):
        place = named or place
        found += [(place, text) for text in problem if text]
    assert (tmp_path / "all.pdf").exists()
    return found


def placed(place, tex):
    return f"\\message{{^^J@@{place}@@^^J}}\n{tex}"


needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None and "MAUREY_NEEDS_LATEX" not in os.environ, reason="pdflatex is not installed"
)


@needs_latex
def test_every_claim_compiles_and_displays_fit(tmp_path):
    displays = [
        placed(f"{claim.key}:{part.name} {form}", display(claim, part, form, Setting()))
        for claim in CLAIMS
        for part in claim.parts
        for form in ("printed", "repaired")
        if form in part.forms
    ]
    assert compiled("\n".join([PREAMBLE, *displays, r"\end{document}"]), tmp_path) == []


@needs_latex
@pytest.mark.slow
def test_every_document_compiles(tmp_path):
    """All in one; words may be a little too wide, formulas not by much."""
    bodies = [
        placed(
            claim.key, document(claim, claim.forms, Setting()).removeprefix(PREAMBLE).removesuffix(r"\end{document}")
        )
        for claim in CLAIMS
    ]
    found = compiled("\n".join([PREAMBLE, *bodies, r"\end{document}"]), tmp_path)
    assert [one for one in found if "Overfull" not in one[1]] == []


@needs_latex
def test_what_is_too_wide_is_seen(tmp_path):
    wide = r"\begin{align*}" + "+".join("abcdefghijklmnopqrstuvwxyz" * 3) + r"\end{align*}"
    assert compiled("\n".join([PREAMBLE, placed("wide", wide), r"\end{document}"]), tmp_path)


def test_widths():
    assert width(r"\frac{a b}{c}") == pytest.approx(width("a b") + 0.3)
    assert width("x_{ab}") < width("xab")
    assert width(r"\left(a\right)") > width("a")


def test_a_snippet_tells_parts_apart_and_says_why():
    text = snippet(maurey.claim("edelman2022/4.4").record, ("printed", "repaired", "derived"), Setting())
    assert text.count("As printed") == 2
    assert text.count("As it should read") == text.count("Derived") == 1
    assert "last display of the appendix" in text
    assert r"\item" in text
    assert r"Here $\kappa=2$, softmax constant" in text
    assert text.count("Hoelder's inequality") == 1
    assert r"$\alpha_{QK}$, $\alpha_{V}$: the cost of an error of 1" in text


def test_commas_end_lines_and_narrow_factors_stay_together():
    claim = maurey.claim("mousavi2025/18").record
    text = display(claim, claim.part("Rad"), "repaired", Setting())
    assert r"&\qquad ," not in text
    assert r"r_{m,a} R_{m,w} r_z^{3} H r_{QK}" in text
