"""LaTeX: the paper's order, where clauses, and nothing that a renderer would trip over."""

import re

import pytest
from latex2mathml.converter import convert
from sympy import Rational, Symbol, evaluate, log, sqrt

import maurey
from maurey.symbolic import printing
from maurey.symbolic.claim import Setting
from maurey.symbolic.expressions import Latex, text_of, with_index

CLAIMS = maurey.claims()
KEYS = [claim.key for claim in CLAIMS if claim.forms]
DEEP = [claim.key for claim in CLAIMS if claim.record.unrolled or any(p.index for p in claim.symbols)]
a, b, c, d = (Symbol(x) for x in "abcd")


def renders(latex):
    """Converts, and no command is left over as text."""
    mathml = convert(latex)
    assert "\\" not in mathml, re.findall(r"\\\w+", mathml)
    assert latex.count("{") == latex.count("}")
    return mathml


def forms_of(key):
    record = maurey.claim(key).record
    return record, [(part, form) for part in record.parts for form in part.forms]


@pytest.mark.parametrize("key", KEYS)
def test_every_form_renders(key):
    for form in maurey.claim(key).forms:
        renders(maurey.claim(key).latex(form))


@pytest.mark.slow
@pytest.mark.parametrize("key", DEEP)
def test_every_form_renders_at_other_depths(key):
    for form in maurey.claim(key).forms:
        for layers in (1, 3):
            renders(maurey.claim(key).latex(form, layers=layers))


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_every_derivation_renders(key):
    record, forms = forms_of(key)
    for part, form in forms:
        renders(printing.trace_latex(record, part, form, Setting()))


@pytest.mark.parametrize("key", KEYS)
def test_a_letter_stands_for_one_thing(key):
    """No two steps of a form have the same LaTeX, and none that of a symbol which stands in the form."""
    record, forms = forms_of(key)
    for part, form in forms:
        steps = part.steps(form, Setting())
        letters = [printing.step_latex(step) for step in steps]
        assert len(set(letters)) == len(letters), sorted(x for x in letters if letters.count(x) > 1)
        used = {str(symbol) for step in steps for symbol in step.expr.free_symbols}
        assert not {name.latex for name in record.names if name.name in used} & set(letters[:-1])


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_names_have_letters_of_their_own(claim):
    letters = [name.latex for name in claim.names]
    assert len(set(letters)) == len(letters)


def test_parts_of_one_left_side_are_told_apart():
    both, one = (maurey.claim("edelman2022/4.4").latex("printed", part=part) for part in ("", "log_N"))
    assert both.count(r"\text{(") == 2
    assert r"\text{(" not in one


def test_bounds_are_not_equalities():
    for claim in CLAIMS:
        for part in claim.record.parts:
            assert part.relation == "=" or "=" not in {part.relation_of(form) for form in part.forms}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_words_and_symbols_render(claim):
    words = [claim.statement, claim.title, *(p.meaning for p in claim.symbols), *(p.meaning for p in claim.parts)]
    for word in words:
        assert word.count("$") % 2 == 0
        for formula in re.findall(r"\$([^$]*)\$", word):
            renders(formula)
        assert "\\" not in re.sub(r"\$[^$]*\$", "", word)
        assert "\\" not in printing.plain(word)
    for name in claim.names:
        renders(name.latex)


def test_printed_forms_keep_the_papers_order():
    assert (
        maurey.claim("edelman2022/4.4")
        .latex("printed", part="log_N")
        .endswith(
            r"\lesssim \left(d L_\sigma B_X\right)^{2} \cdot \frac{\left(\left(B_V^\infty\right)^{2/3} + "
            r"\left(B_{QK}^\infty B_V\right)^{2/3}\right)^{3}}{\varepsilon^{2}} \cdot \log\left(m T\right)"
        )
    )
    assert (
        maurey.claim("edelman2022/A.10")
        .latex("printed")
        .endswith(
            r"\le 36 \cdot \frac{B_1^{2} B_2^{2}}{\varepsilon^{2}} \cdot "
            r"\log\left(2 \left\lceil \frac{4 B_1 B_2}{\varepsilon} + 2 \right\rceil N + 1\right)"
        )
    )
    assert r"\sum_{h=1}^{H} \left(\left(B_V^{\infty[h]}\right)^{2/3}" in maurey.claim("edelman2022/A.12").latex(
        "printed"
    )


def test_long_forms_become_where_clauses():
    latex = maurey.claim("edelman2022/4.4").latex("derived")
    assert latex.count(r"\text{where}") == 1
    assert r"\gamma &= " in latex
    assert "C_0" not in latex


@pytest.mark.parametrize(
    ("build", "latex", "text"),
    [
        (lambda: b * a, "b a", "b*a"),
        (lambda: a * b / c * d, r"\frac{a b}{c} \cdot d", "a*b/c*d"),
        (lambda: a * (b / c) * d, r"a \frac{b}{c} d", "a*(b/c)*d"),
        (lambda: a / 2 / sqrt(b), r"\frac{a}{2 \sqrt{b}}", "a/2/sqrt(b)"),
        (lambda: (a + b) * c - d, r"\left(a + b\right) c - d", "(a + b)*c - d"),
        (lambda: a - (b + c), r"a - \left(b + c\right)", "a - (b + c)"),
        (lambda: a - 2 * (b + c), r"a - 2 \left(b + c\right)", "a - 2*(b + c)"),
        (lambda: (a + b) / c * d, r"\frac{a + b}{c} \cdot d", "(a + b)/c*d"),
        (lambda: -(a + b) / c, r"\frac{-\left(a + b\right)}{c}", "-1*(a + b)/c"),
        (lambda: a / (b + c) / d, r"\frac{a}{\left(b + c\right) d}", "a/(b + c)/d"),
        (lambda: -a + b, "-a + b", "-a + b"),
        (lambda: 4 * (2 * a) * b, r"4 \cdot 2 a b", "4*(2*a)*b"),
        (lambda: 1 / (a * b), r"\frac{1}{a b}", "1/(a*b)"),
        (lambda: a / Rational(1, 4), r"\frac{a}{\frac{1}{4}}", "a/(1/4)"),
        (lambda: (a * b) ** 2, r"\left(a b\right)^{2}", "(a*b)**2"),
        (lambda: log(a) * (b + 1), r"\log\left(a\right) \cdot \left(b + 1\right)", "log(a)*(b + 1)"),
    ],
)
def test_what_is_written_is_what_is_printed(build, latex, text):
    with evaluate(False):
        expr = build()
    assert Latex({}, {}).doprint(expr) == latex
    assert text_of(expr) == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (r"$2^{k+1}$ points, $y_{t-1}$", "2^(k+1) points, y_(t-1)"),
        (r"$e^{-m/(8\Sigma^2)}$", "e^(-m/(8 Sigma^2))"),
        (r"$T^{-2}\le c_t$, $\|A\|_{2,\infty}$", "T^-2 <= c_t, |A|_2,inf"),
        (r"$\sigma\sqrt n\le\varepsilon$, $c\log T$", "sigma sqrt(n) <= eps, c log T"),
        (r"$4\cdot2^r$", "4 . 2^r"),
        (r"$\omega^2\log^2T$, $\log\frac1\delta$", "omega^2 log^2 T, log 1/delta"),
        (
            r"$r_ar_wN\le C_xe\,d$, $B_{W_c}L_\sigma$, $x^\top W_{QK}^{(1)}x$",
            "r_a r_w N <= C_x e d, B_W_c L_sigma, x^T W_QK^(1) x",
        ),
        (r"$\sum_{i\le D}i^2$, $\beta\mathrm{Tr}\nabla^2\hat L$", "sum_(i <= D) i^2, beta Tr nabla^2 hat L"),
    ],
)
def test_words_read_in_a_terminal_as_they_do_in_print(words, text):
    assert printing.plain(words) == text


def test_what_a_hidden_constant_multiplies_needs_no_parentheses():
    with evaluate(False):
        alone, times, inside = c * (a + b), c * (a + b) * d, a + b * (c * (a + d))
    shown = Latex({}, {}, hidden="c")
    assert shown.doprint(alone) == "a + b"
    assert shown.doprint(times) == r"\left(a + b\right) d"
    assert shown.doprint(inside) == r"a + b \left(a + d\right)"
    assert shown.doprint(c) == "c"


def test_notebooks_show_the_formula():
    assert (
        maurey.claim("edelman2022/A.7")
        ._repr_mimebundle_()["text/latex"]
        .startswith(r"$\displaystyle \|\mathrm{softmax}")
    )
    assert "least cardinality" in maurey.claim("edelman2022/2.1")._repr_mimebundle_()["text/latex"]


@pytest.mark.parametrize(("base", "shown"), [
    ("x", "x_{i}"), ("B_V", "B_V^{(i)}"), (r"B_V^\infty", r"B_V^{\infty(i)}"), ("B_V^F", "B_V^{F(i)}"),
    ("B^*_{Q,F}", "B^{*(i)}_{Q,F}"), (r"B^{\mathrm{rows}}_{Q}", r"B^{\mathrm{rows}(i)}_{Q}"),
])  # fmt: skip
def test_an_index_stands_above_beside_what_is_there(base, shown):
    assert with_index(base, "i") == shown
