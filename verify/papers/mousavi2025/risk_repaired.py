"""Repaired complexities, gaps and risks of Transformers: every step of a display is what the calculus gives with the
covers that are proved here; and the cover of recurrent networks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sympy import E, Expr, Integer, Max, Min, Piecewise, Symbol, exp, log, sqrt

from maurey.symbolic import registry
from maurey.symbolic.chain import EXCESS, SHARES, one_step
from maurey.symbolic.claim import Setting
from maurey.symbolic.covers import online_fine_sum, volumetric
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.names import symbols
from maurey.symbolic.norms import norm
from maurey.symbolic.papers.mousavi2025 import section_3, section_a_covers
from maurey.symbolic.papers.mousavi2025.letters import let_embedding, let_radii
from maurey.symbolic.shallow import PARTS, Shallow
from maurey.symbolic.softmax import BEST_CONSTANT
from maurey.symbolic.truncation import allowed_tail, cost, resolution, truncated_gap
from maurey.verify.checks import Effort, Result, check
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import Proof, conclude, formula, nested
from maurey.verify.prove.repairs import in_letters

P = "mousavi2025/"
n, m, q, tau, delta, level, moment, c, eps_2NN = symbols("n m q tau delta level moment c eps_2NN")
r_a, r_w, radius_z, embedding, bound_QK, ball, gain = symbols("r_a r_w radius_z embedding bound_QK ball gain")
Steps = Mapping[str, Expr]


def steps_of(key: str, part: str) -> list[Step]:
    return registry.find(key).part(part).steps("repaired", Setting({}))


def as_given(key: str, part: str, given: Steps) -> list[Proof]:
    """Every step of the display, those before it by their names."""
    found = {step.name: nested([step]) for step in steps_of(key, part)}
    assert set(found) == set(given), set(found) ^ set(given)
    return [same(in_letters(found[name]), in_letters(_positive(expr))) for name, expr in given.items()]


def _positive(expr: Expr) -> Expr:
    return nested([Step("it", "", expr, "")])


# --- 18, 19, 10 -------------------------------------------------------------------------------------------------------


def complexity(net: Shallow, tau: Expr, last: str) -> dict[str, Expr]:
    """As in Shallow.sharp_complexity, with columns by powers of 4/5, and the block always counted at the cut-off."""
    A, cut = tau / 2, tau / sqrt(n)
    sizes = {}
    for name, chosen in (("S_block", slice(1, None)), ("S_QK", slice(0, 1))):
        D = Derivation()
        some = list(net.module().sensitivity(D, net.signal()).weights[chosen])
        sizes[name] = nested(D.steps_to(net.shared(D, some, resolution(D, cut, tau), volumetric)))
    own = Derivation()
    w, *_ = net.module().sensitivity(own, net.signal()).weights
    B = norm(own, w.matrix, "row_sum")
    C = online_fine_sum(B, w.radius, w.number, w.matrix.outputs).coefficient
    C = C * (PARTS["QK"] * w.coefficient * (2 * sqrt(tau))) ** 2
    link = Min(A / E, Max(cut, sqrt(2 * C / n)))
    S, QK, s = symbols("S_block S_QK link")
    counted = one_step(S + QK, cut, tau, n)
    chained = E * s * (EXCESS + log(A / s)) + SHARES[True] * A * sqrt(2 * S / n)
    return {**sizes, "link": _unnamed(own, link), last: Min(A, counted, chained)}


def _unnamed(D: Derivation, expr: Expr) -> Expr:
    return nested(D.steps_to(D.let("it", "", expr, "")))


def radii() -> dict[str, Expr]:
    D = Derivation()
    let_radii(D)
    let_embedding(D)
    return {name: D.steps_to(Symbol(name))[-1].expr for name in ("radius_x", "radius_z", "embedding")}


def gap(rad: str, tau: Expr, fails: Expr) -> Expr:
    """Once the complexity is known."""
    D = Derivation()
    return nested(D.steps_to(truncated_gap(D, Symbol(rad), tau, fails, n, best=True)))


CHAIN = (
    "each step is what the calculus gives: entries by volume at one resolution, or columns in powers of 4/5, chained"
)


@check(P + "18")
def of_losses(effort: Effort) -> Result:
    net = section_a_covers.shallow(BEST_CONSTANT)
    return conclude(CHAIN, as_given(P + "18", "Rad", complexity(net, tau, "Rad")), rung="identity", part="Rad",
                    form="repaired")  # fmt: skip


@check(P + "19")
def of_minimisers(effort: Effort) -> Result:
    net = replace(section_a_covers.shallow(BEST_CONSTANT), radius=radius_z, embedding=embedding)
    given = radii() | complexity(net, tau, "Rad") | {"gap": gap("Rad", tau, delta)}
    return conclude(CHAIN, as_given(P + "19", "gap", given), rung="identity", part="gap", form="repaired")


def truncated(heads: Expr, gain: Expr) -> dict[str, Expr]:
    """Lemma 20 as it should read."""
    letters = {"H": heads, "B_a": gain, "B_W_F": Integer(1)}
    steps = registry.find(P + "20").part("level").steps("repaired")
    return {step.name: step.expr.xreplace({Symbol(name): value for name, value in letters.items()}) for step in steps}


def taken_off() -> list[Proof]:
    """What truncation takes off the risk, at the tail that it allows."""
    D = Derivation()
    off = nested(D.steps_to(cost(D, moment, allowed_tail(D, moment, n))))
    return [same(off, 1 / sqrt(positive("n")))]


def learned(rad: str) -> Expr:
    return 4 * eps_2NN + gap(rad, level, n ** (-c)) + 1 / sqrt(n)


@check(P + "10")
def product(effort: Effort) -> Result:
    """The class of 17 with q heads; 11, 20 and 19 put together."""
    net = replace(
        section_a_covers.shallow(BEST_CONSTANT), heads=q, radius=radius_z, embedding=embedding, outer=r_a / sqrt(m),
        inner=sqrt(m) * r_w, frobenius=sqrt(q) * bound_QK, row_sum=q * bound_QK,
    )  # fmt: skip
    norm_11 = registry.find(P + "11").part("QK_21").steps("repaired")[-1].expr
    given = radii() | {"bound_QK": norm_11.xreplace({Symbol("r_x"): Symbol("radius_x")})} | truncated(q, r_a * r_w)
    given |= complexity(net, level, "R_class") | {"risk": learned("R_class")}
    return conclude(f"{CHAIN}; then 11 and 20 as they should read", [*as_given(P + "10", "risk", given), *taken_off()],
                    rung="identity", part="risk", form="repaired")  # fmt: skip


@check(P + "3")
def in_ball(effort: Effort) -> Iterator[Result]:
    """One ball: the block in all its parameters together; sqrt(m) balances a and (W, b)."""
    net = Shallow(
        prompts=n, heads=q, width=m, embedding=embedding, radius=radius_z, outer=ball, inner=ball, frobenius=ball,
        row_sum=None, kappa=BEST_CONSTANT, ball=ball,
    )  # fmt: skip
    sizes = {}
    for name, step in (("S_QK", "E_QK"), ("S_block", "E_block")):
        D = Derivation()
        net.in_ball(D, resolution(D, level / sqrt(n), level), ball)
        sizes[name] = nested(D.steps_to(Symbol(step)))
    square = registry.find(P + "3").part("squared_radius").steps("repaired")[-1].expr
    counted = Min(level / 2, one_step(Symbol("S_block") + Symbol("S_QK"), level / sqrt(n), level, n))
    given = radii() | {"ball": sqrt(square)} | {"gain": ball**2 / 2} | truncated(q, gain) | sizes
    given |= {"R_class": counted, "risk": learned("R_class")}
    note = "each step is what the calculus gives: the block in all its parameters (maurey/block), entries by volume"
    yield conclude(note, [*as_given(P + "3", "risk", given), *taken_off()], rung="identity", part="risk",
                   form="repaired")  # fmt: skip
    yield conclude("the norms of 11 as they should read, squared and summed: that of its network", radius_of_ball(),
                   rung="identity", part="squared_radius", form="repaired")  # fmt: skip


def radius_of_ball() -> list[Proof]:
    D = Derivation()
    found = nested(D.steps_to(section_3.squared_radius(D, let_radii(D)[0], False)))
    return [same(in_letters(formula(P + "3", "repaired", "squared_radius")), in_letters(found))]


# --- 12 ---------------------------------------------------------------------------------------------------------------


@check(P + "12")
def too_long(effort: Effort) -> Result:
    """From order 1 on the derived form is K/max(K, e^(x/2)), x the squared radius in units of C_x e d; no probability
    exceeds 1 below."""
    K, y, x = positive("K y x")
    shown = formula(P + "12", "repaired", "P")
    inside = shown.args[0].expr.replace(Min, lambda one, bound: bound)
    letters = positive("n N C_x d r_x")
    order = letters[4] ** 2 / (letters[2] * E * letters[3])
    assert isinstance(shown, Piecewise)
    return conclude(
        "Markov's inequality at the best order, which is at least 1 there (z3); no probability exceeds 1.",
        [polynomial(K / Max(K, y) <= Min(1, K / y), control=K / Max(K, y) <= less * Min(1, K / y)),
         same((E * x / x) ** (x / 2), exp(x / 2)), same(inside, letters[0] * letters[1] * exp(-order / 2))],
        part="P", form="repaired",
    )  # fmt: skip


# --- 31 ---------------------------------------------------------------------------------------------------------------

DEPTHS = (2, 3, 4, 5)


def layers(depth: int) -> list[Proof]:
    """r_l = R r_(l-1) + R, so that r_l <= R^l (r_0 + 7/2), as 1 + 1/R + 1/R^2 + ... <= 7/2 for R^2 >= 2; every matrix
    then counts R^(L-1) (r_0 + 7/2) at most and every bias R^(L-1), in all sqrt(L) R^(L-1) (r_0 + 4). The induction from
    one layer to the next, and the last sum, in z3."""
    R, r, g = positive("R r g")
    return [
        polynomial(g / R + 1 <= Integer(7) / 2, R**2 >= 2, g <= Integer(7) / 2, control=g / R + 1 <= 3),
        polynomial(depth * (r + Integer(7) / 2) ** 2 + depth - 1 <= depth * (r + 4) ** 2,
                   control=depth * (r + Integer(7) / 2) ** 2 + depth - 1 <= depth * (r + 3) ** 2),
    ]  # fmt: skip


@check(P + "31")
def recurrent(effort: Effort) -> Result:
    """X = 2 reach_y/(eps/2) + 2 reach_h passed/(eps/2), passed = 2 R^L_y (e - 1) N."""
    eps, N, p, R, r_h, reach_y, reach_h = positive("eps N p R r_h reach_y reach_h")
    r = sqrt(R**2 + 2 * r_h**2) + 4
    proofs = [*(proof for depth in DEPTHS for proof in layers(depth)),
              polynomial(2 * (E - 1) <= 4, control=2 * (E - 1) <= 3)]  # fmt: skip
    for L_h in DEPTHS[:2]:
        for L_y in DEPTHS[:2]:
            steps = registry.find(P + "31").part("log_N").steps("repaired", Setting({"L_h": L_h, "L_y": L_y}))
            display = nested(steps, L_h=L_h, L_y=L_y)
            passed = 4 * R**L_y * N
            ratio = 2 * reach_y / (eps / 2) + 2 * reach_h * passed / (eps / 2)
            reaches = {reach_y: sqrt(Integer(L_y)) * R**L_y * r, reach_h: sqrt(Integer(L_h)) * R**L_h * r}
            proofs.append(same(exp(display / p), 1 + ratio.subs(reaches)))
    note = "Radii and reaches of the layers by powers of R (z3, by induction), put into what the calculus counts."
    return conclude(note, proofs, part="log_N", form="repaired")
