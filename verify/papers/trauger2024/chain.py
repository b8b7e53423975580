"""One layer by peeling, its losses and its gap: the chain against complexities that are computed.

Suprema over the outer maps are exact (verify/peeled.py); those over query-key matrices are taken over finite sets from
the norm ball. Where every sample is one token the softmax has nothing to choose, and complexities are exact whatever
the query-key matrices are: those are the witnesses against the printed forms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from flint import arb
from sympy import Max, Min, diff, exp, limit, log, oo, sqrt

from maurey.numeric.balls import enclose
from maurey.numeric.grids import sweep
from maurey.symbolic import registry
from maurey.symbolic.claim import Claim, Setting
from maurey.symbolic.modules import Linear
from maurey.symbolic.norms import Matrix
from maurey.symbolic.papers.trauger2024 import section_5
from maurey.symbolic.papers.trauger2024.section_4 import BY_ENTRIES, deep
from maurey.verify import peeled, rademacher
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.packings_attack import falling
from maurey.verify.papers.foster2019 import worst_sample
from maurey.verify.papers.maurey import less, positive
from maurey.verify.papers.shalev2014 import deviations
from maurey.verify.prove import Proof, conclude, formula, least_at, polynomial, same
from maurey.verify.rademacher import Array, Estimate, mean_absolute

ROUNDING = 1e-9  # relative, of doubles
At = Mapping[str, Any]
OUTER = ("B_w_1", "B_C_1inf", "L_sigma", "B_V_1inf")


def value(claim: Claim, form: str, part: str, at: At) -> float:
    return float(sweep(claim, form, part, **at).value)


# --- S2.3 ------------------------------------------------------------------------------------------------------------


@check("trauger2024/S2.3")
def gap_from_complexity(effort: Effort) -> Iterator[Result]:
    yield from deviations("trauger2024/S2.3", ("printed", "derived", "sharp"), True, effort)


# --- 4.1 and its corollaries: where the printed forms fail -----------------------------------------------------------

ONE_TOKEN = "T = 1 and sigma the identity, so that the averages are the tokens and the complexity is exact"
ONES = dict.fromkeys(OUTER, 1)
LAYERS: dict[str, dict[str, Any]] = {  # the bounds on tokens and query-key matrices, how small and large, along d = t
    "trauger2024/4.1": {"x": "B_X", "QK": "C_F", "small": Fraction(1, 10**6), "large": 10**6, "power": 0},
    "trauger2024/4.1.1": {"x": "B_X", "QK": "B_QK_11", "small": Fraction(1, 1000), "large": 1000, "power": 0},
    "trauger2024/D.0.1": {"x": "B_X_1", "QK": "B_QK_1inf", "small": 1, "large": 1000, "power": -1},
    "trauger2024/D.0.2": {"x": "B_X_1", "QK": "B_QK_21", "small": Fraction(1, 1000), "large": 1000, "power": 0},
}


def shown(at: At) -> dict[str, str]:
    return {name: str(x) for name, x in at.items()}


def one_coordinate(m: int) -> Fraction:
    """All tokens e_1/2, outer bounds 1: in both readings E|sum of m signs|/2m."""
    return mean_absolute(m) / (2 * m)


def spread_out(d: int, share: int) -> Fraction:
    """Tokens e_1/2, ..., e_d/2, each `share` times, columns bounded by 1: the mean of sum_j |S_j|/2m, m = d share."""
    return d * mean_absolute(share) / (2 * d * share)


def below_zero(key: str, effort: Effort) -> Iterator[Result]:
    """Where the logarithm is negative and rules, no constant helps."""
    own, true = LAYERS[key], one_coordinate(16)
    at = {"d": 2, "k": 1, "m": 16, own["x"]: 1, own["QK"]: own["large"], **ONES}
    for part in ("R", "R_rows"):
        said = enclose(registry.find(key), "printed", part, **at)
        assert said.upper < 0 < true
        witness = {"class": f"tokens e_1/2; {ONE_TOKEN}", **shown(at)}
        note = "it is negative, whatever constant it hides, and the complexity of a layer is not"
        yield refuted(note, witness, said.value, float(true), part=part, instances=1)


def along_the_width(key: str, effort: Effort) -> Result:
    """With columns bounded the layer sums the coordinates of the averages, and the printed bound has their largest."""
    own, ratios = LAYERS[key], []
    fixed = {"k": 1, own["x"]: 1, **ONES}
    widths = (4**3, 4**5, 4**7)
    for d in widths:
        moving = {"d": d, "m": d**2, own["QK"]: own["small"] * Fraction(d) ** own["power"]}
        said, true = enclose(registry.find(key), "printed", "R", **fixed, **moving), spread_out(d, d)
        ratios.append(float(said.upper) / float(true))
    assert ratios[0] > 2 * ratios[1] > 4 * ratios[2] > 0
    ray = {"d": 0.5, "m": 1} | ({own["QK"]: own["power"] / 2} if own["power"] else {})
    at = shown(fixed if own["power"] else fixed | {own["QK"]: own["small"]})
    what = f"tokens e_j/2, each d times; w = e_1, W_c^T = e_1 and W_v^T a row of signs; {ONE_TOKEN}"
    witness = {
        "class": what,
        "at": at,
        "ray": ray,
        "t": [str(d**2) for d in widths],
        "ratios": [f"{r:.6g}" for r in ratios],
    }
    note = "with columns bounded the complexity grows with d beyond every constant times it"
    return refuted(note, witness, said.value, float(true), part="R", instances=len(widths))


def along_the_values(effort: Effort) -> Iterator[Result]:
    key = "trauger2024/4.1.1"
    fixed: dict[str, Any] = {"d": 2, "k": 1, "m": 16, "B_X": 1, "B_QK_11": Fraction(1, 1000), **ONES}
    for part in ("R", "R_rows"):
        ratios, bounds = [], (10, 10**3, 10**5)
        for B_V in bounds:
            said = enclose(registry.find(key), "printed", part, **(fixed | {"B_V_1inf": B_V}))
            ratios.append(float(said.upper) / float(true := B_V * one_coordinate(16)))
        assert ratios[0] > 50 * ratios[1] > 2500 * ratios[2] > 0
        at = shown({name: x for name, x in fixed.items() if name != "B_V_1inf"})
        witness = {"class": f"tokens e_1/2; {ONE_TOKEN}", "at": at, "ray": {"B_V_1inf": 1}}
        witness |= {"t": [str(B) for B in bounds], "ratios": [f"{r:.6g}" for r in ratios]}
        note = "the complexity is proportional to the bound on W_v, which the printed bound has lost"
        yield refuted(note, witness, said.value, float(true), part=part, instances=len(bounds))


# --- 4.1 and its corollaries: the chain against layers ---------------------------------------------------------------

BOUNDS = {"B_w_1": 1.5, "B_C_1inf": 0.5, "L_sigma": 3.0, "B_V_1inf": 2.0}
PEELED = math.prod(BOUNDS.values())


def tokens(m: int, T: int, d: int, norm: int, radius: float, rng: np.random.Generator) -> Array:
    """On the sphere of the norm, or along the axes; the query is the same in all samples, where others come with it."""
    X = rng.normal(size=(m, T, d))
    X[: m // 2] *= np.arange(d) == rng.integers(d, size=(m // 2, T, 1))
    X *= radius / np.linalg.norm(X, ord=norm, axis=2, keepdims=True)
    if T > 1:
        X[:, 0] = X[0, 0]
    return X


def layers(key: str, effort: Effort) -> Iterator[tuple[Array, bool, str, tuple[int, ...], dict[str, Any]]]:
    """Averages (for each query-key matrix), reading, activation, widths k with one supremum, the claim's symbols."""
    rng, own = np.random.default_rng(effort.seed), LAYERS[key]
    l1 = own["x"] == "B_X_1"
    suffix = "_11" if own["QK"] == "C_F" else own["QK"].removeprefix("B_QK")
    sizes = ((3, 1, 2), (12, 3, 2), (12, 4, 5), (40, 5, 2), (300, 6, 20))
    for (m, T, d), radius, bound in product(sizes, (1.0, 3.0), (0.01, 4.0)):
        X, QK = tokens(m, T, d, 1 if l1 else 2, radius, rng), peeled.query_keys(6, d, suffix, bound, rng)
        at: dict[str, Any] = {"d": d, "m": m, own["x"]: radius, own["QK"]: bound, **BOUNDS}
        if own["QK"] == "C_F":  # on the queries: one centre, 0, from the largest image on, all of them below
            reach = float(np.linalg.norm(np.einsum("nde,me->nmd", QK, X[:, 0]), axis=2).max())
            at["C_F"] = reach**2 * math.log(len(QK))
        z = peeled.averages(X, QK)
        yield from ((z, by_rows, "identity", (1, 4, 64), at) for by_rows in (True, False))
        if d == 2:
            yield z, True, "relu", (1, 4, 64), at
            yield from ((z, False, "relu", widths, at) for widths in ((1,), (4, 64)))


def complexity(supremum: peeled.Supremum, z: Array, by_rows: bool, effort: Effort) -> Estimate:
    range_ = np.abs(z).max() if by_rows else np.abs(z).sum(axis=2).max()
    return rademacher.complexity(
        supremum, z.shape[1], float(range_), 400 * effort.scale, np.random.default_rng(effort.seed)
    )


def against_layers(key: str, effort: Effort) -> Iterator[Result]:
    claim, count = registry.find(key), 0
    best = {(part, form): 0.0 for part in ("R", "R_rows") for form in ("derived", "sharp")}
    for z, by_rows, sigma, widths, at in layers(key, effort):
        part, count = "R_rows" if by_rows else "R", count + len(widths)
        found = complexity(peeled.outer(z, by_rows, sigma, widths[0]), z, by_rows, effort)
        for form in ("derived", "sharp"):  # neither falls with k
            said = value(claim, form, part, at | {"k": widths[0]})
            if PEELED * found.lower > said * (1 + ROUNDING):
                witness = shown(at) | {"k": widths[0], "sigma": sigma, "averages": z.tolist()}
                yield refuted("a layer exceeds it", witness, said, PEELED * found.lower, part=part, form=form)
                return
            best[part, form] = max(best[part, form], PEELED * found.value / said)
    note = "layers with exact suprema over the outer maps, k = 1, 4, 64, identity and ReLU, seven query-key matrices"
    for (part, form), ratio in best.items():
        yield Result("holds", "tested", note, count // 2, ratio, part=part, form=form)


def step_by_step(effort: Effort) -> Iterator[Result]:
    """Rows bounded, ReLU, all signs: with the outer sign; twice without it; without the activation; and Dudley's sum
    for what is left, of which the textbook's constants are at most 12."""
    claim, worst, count = registry.find("trauger2024/4.1"), [0.0, 0.0, 0.0], 0
    for z, by_rows, sigma, _, at in layers("trauger2024/4.1", effort):
        if not by_rows or sigma != "relu" or at["m"] > rademacher.ALL_SIGNS:
            continue
        suprema = (peeled.outer(z, True, "relu", 1), peeled.signed(z), peeled.outer(z, True, "identity", 1))
        whole, unsigned, left = (complexity(one, z, True, effort).value for one in suprema)
        said = 12 * value(claim, "derived", "E", {name: at[name] for name in ("d", "m", "B_X", "C_F")})
        ratios = whole / (2 * unsigned), unsigned / left, left / said
        worst, count = [max(pair) for pair in zip(worst, ratios, strict=True)], count + 1
    steps = dict(zip(("sign", "activation", "Dudley's sum"), worst, strict=True))
    note = f"peeling step by step, the largest ratios: {', '.join(f'{name} {r:.3f}' for name, r in steps.items())}"
    for part, ratio in (("R_rows", max(worst[:2])), ("E", worst[2])):
        if ratio > 1 + ROUNDING:
            yield refuted(note, steps, 1, ratio, part=part, form="derived")
        else:
            yield Result("holds", "tested", note, count, ratio, part=part, form="derived")


# --- 4.1: the cut-off of Dudley's sum --------------------------------------------------------------------------------


def best_cut_off() -> tuple[list[Proof], list[Proof]]:
    """tau + (B - tau) r + s log(B/tau) has the slope 1 - r - s/tau: over (0, B] it is least where that vanishes, if it
    does so below B, and else at B. For m > ln(2d), that is r < 1."""
    B, tau, r, s, d, m, C = positive("B_X tau r s d m C_F")
    dudley = tau + (B - tau) * r + s * log(B / tau)
    slope, inside = diff(dudley, tau), s / (1 - r)
    best = 1 / Max(1 / B, (1 - r) / s)
    roots = {r: sqrt(log(2 * d) / m), s: sqrt(C * (2 * B**2) ** 2 / m)}
    where, least = (formula("trauger2024/4.1", "derived", part) for part in ("delta_star", "E"))
    cases = [
        least_at(dudley, tau, inside, r < 1),
        polynomial(slope <= 0, r < 1, s >= (1 - r) * B, tau <= B, control=slope <= less - 1),
        polynomial(best <= Min(B, inside), r < 1, control=best <= less * Min(B, inside)),
        polynomial(best >= Min(B, inside), r < 1, control=less * best >= Min(B, inside)),
        same(where, best.subs(roots)),
    ]
    # at B the sum is B, so that the least value is no larger
    return cases, [*cases, same(dudley.subs(tau, B), B), same(least, Min(B, dudley.subs(tau, best).subs(roots)))]


@check("trauger2024/4.1")
def cut_off(effort: Effort) -> Iterator[Result]:
    claim, at = registry.find("trauger2024/4.1"), {"d": 4, "m": 16, "B_X": 1, "C_F": 2}
    note = "over (0, B_x] the sum is least where its slope vanishes, if that is below B_x, and else at B_x (z3)"
    for part, proofs in zip(("delta_star", "E"), best_cut_off(), strict=True):
        yield conclude(note, proofs, part=part, form="derived")
    star, printed = (enclose(claim, "printed", part, **at) for part in ("delta_star", "E"))
    assert star.lower > 1 > printed.upper  # the slope is negative up to the star, so the least is the sum at B_x, B_x
    note = "its minimiser lies beyond the range B_x, up to which the integral goes; within, the sum falls to its end"
    yield refuted(note, shown(at), star.value, 1, part="delta_star", instances=1)
    yield refuted(f"below the least of Dudley's sum: {note}", shown(at), printed.value, 1, part="E", instances=1)
    at, true = {"d": 2, "m": 16, "B_X": 1, "C_F": 10**6}, one_coordinate(16)
    printed = enclose(claim, "printed", "E", **at)
    assert printed.upper < 0 < true
    witness = {"class": "one token e_1/2 in each sample: signed coordinates of averages", **shown(at)}
    note = "negative, where the complexity of coordinates of averages is positive"
    yield refuted(note, witness, printed.value, float(true), part="E", instances=1)


for _key in LAYERS:
    for _function in (below_zero, against_layers):
        check(_key)(partial(_function, _key))
    check(_key)(partial(along_the_width, _key))
check("trauger2024/4.1.1")(along_the_values)
check("trauger2024/4.1")(step_by_step)


# --- S4.2 ------------------------------------------------------------------------------------------------------------


def all_sums(heads: list[Array]) -> Array:
    """One function of each head, added up: every choice."""
    return np.array([sum(choice) for choice in product(*heads)])


@check("trauger2024/S4.2")
def several_heads(effort: Effort) -> Result:
    """Finite heads with integer values, all signs; w = 1, or else both signs of w inside the supremum."""
    claim, rng, count, shared = registry.find("trauger2024/S4.2"), np.random.default_rng(effort.seed), 0, 1.0
    for H, m, size in product((1, 2, 4), (1, 3, 8), (1, 2, 4)):
        heads = [rng.integers(-9, 10, size=(size, m)).astype(float) for _ in range(H)]
        R = [max(rademacher.finite(head, 0, rng).value, 0.0) for head in heads]
        together = rademacher.finite(all_sums(heads), 0, rng).value
        said, count = value(claim, "printed", "R", {"H": H, "R_F": R}), count + 1
        if abs(together - said) > ROUNDING * max(said, 1):
            witness = {"heads": [head.tolist() for head in heads]}
            return refuted("heads whose sum has another complexity", witness, said, together, part="R")
        apart = sum(rademacher.finite(np.vstack([head, -head]), 0, rng).value for head in heads)
        sums = all_sums(heads)
        if apart:
            shared = min(shared, rademacher.finite(np.vstack([sums, -sums]), 0, rng).value / apart)
    note = (
        "finite heads with a fixed w, all signs, equal in every case; with w inside the supremum the heads share it, "
        f"and the left side can be smaller (down to {shared:.3f} of the right)"
    )
    return Result("holds", "tested", note, count, 1.0, part="R")


# --- G ---------------------------------------------------------------------------------------------------------------


def moved_loss(scores: Array, steps: Array) -> Array:
    """How far the cross-entropy of word 0 moves, for rows of scores."""

    def loss(x: Array) -> Array:
        top = x.max(axis=1)
        found: Array = np.log(np.exp(x - top[:, None]).sum(axis=1)) + top - x[:, 0]
        return found

    return np.abs(loss(scores + steps) - loss(scores))


@check("trauger2024/G")
def cross_entropy(effort: Effort) -> Iterator[Result]:
    """With v = e^x: the word's own v, another's u, and the rest. A derivative in x is v times that in v."""
    v, u, rest, Delta, q = positive("v u rest Delta q")
    loss, slope = log(v + u + rest) - log(v), formula("trauger2024/G").subs(Delta, 1)
    own, others = -v * diff(loss, v), u * diff(loss, u) / u * (u + rest)  # others: alike in u, and summed over all
    far = log(1 + q * exp(2 * Delta)) - log(1 + q)  # the word's score falls by Delta, the others rise; q = (1 - p)/p
    yield conclude(
        "The gradient is softmax(x) - e_i, of l1 norm 2 (1 - p_i) (identity), at most 2 (z3); where the word has little"
        " mass and its score falls as the others rise, the loss moves by 2 Delta in the limit.",
        [same(own, 1 - v / (v + u + rest)), same(own + others, 2 * (1 - v / (v + u + rest))),
         polynomial(own + others <= slope, control=own + others <= less * slope),
         same(limit(far, q, oo), formula("trauger2024/G"))], part="moved", tightness=1.0,
    )  # fmt: skip
    claim, rng, best, count = registry.find("trauger2024/G"), np.random.default_rng(effort.seed), 0.0, 0
    for K, scale, step in product((2, 10, 1000), (0.1, 3.0, 30.0), (0.1, 1.0, 20.0)):
        scores, steps = rng.normal(scale=scale, size=(200, K)), rng.uniform(-step, step, size=(200, K))
        scores[0, 0], steps[::4] = -40.0, step
        steps[::4, 0] = -step
        ratios = moved_loss(scores, steps) / sweep(claim, "printed", "moved", Delta=np.abs(steps).max(axis=1)).value
        worst, count = int(ratios.argmax()), count + len(scores)
        if ratios[worst] > 1 + ROUNDING:
            witness = {"scores": scores[worst].tolist(), "steps": steps[worst].tolist()}
            yield refuted("the loss moves further", witness, 1, float(ratios[worst]), part="moved")
            return
        best = max(best, float(ratios[worst]))
    note = "scores of 2 to 1000 words; a word of score -40 that falls as all others rise comes near to it"
    yield Result("holds", "tested", note, count, best, part="moved")


# --- 5.1 -------------------------------------------------------------------------------------------------------------


def losses(scores: Array, words: Any) -> Array:
    """Cross-entropies of scores (functions, m, K) with one word for each sample."""
    top = scores.max(axis=2)
    picked = scores[:, np.arange(len(words)), words]
    found: Array = np.log(np.exp(scores - top[..., None]).sum(axis=2)) + top - picked
    return found


def on_the_sample(K: int) -> tuple[arb, Fraction]:
    """The layer of 4.1 with rows bounded by 1, d = K, m = 2K, samples of a masked token 0 and a token e_s, each twice,
    with the word s: the average is e_s/2. Read-outs W_s = e_s or -e_s, apart for each s, give the losses of word s two
    values, so that they have at least a quarter of the distance of these; one score has at most 1/m."""
    half = arb(1) / 2
    distance = (((-half).exp() + K - 1) / (half.exp() + K - 1)).log() + 1
    return distance / 4, Fraction(1, 2 * K)


@check("trauger2024/5.1")
def masking_on_the_sample(effort: Effort) -> Result:
    note = (
        "for orthogonal inputs with a word each the losses keep a fixed complexity, and that of one score on the same "
        "sample is at most 1/(2K)"
    )
    made = (
        "one layer, rows bounded by 1, d = K, m = 2K: a masked token 0 beside each of e_1, ..., e_K, twice, with word s"
    )
    ray = {"K": "1", "R_F": "-1"}
    truth = lambda point: (on_the_sample(int(point["K"]))[0], made)  # noqa: E731
    return falling("trauger2024/5.1", "R", {}, ray, (10**4, 10**8, 10**12), note, truth, "class")


@check("trauger2024/5.1")
def masking(effort: Effort) -> Result:
    """Rows of the read-out apart, linear scores: every choice of rows, against the worst sample for one score."""
    claim, rng, found = registry.find("trauger2024/5.1"), np.random.default_rng(effort.seed), []
    for K, m, size, scale in product((2, 3, 5), (2, 4), (2, 3), (0.1, 1.0, 20.0)):
        rows = scale * rng.normal(size=(size, 3))  # values of the scores that a row can give, on three inputs
        chosen = rows[np.array(list(product(range(size), repeat=K)))][..., np.arange(m) % 3]  # (functions, K, m)
        after = rademacher.finite(losses(chosen.swapaxes(1, 2), rng.integers(K, size=m)), 0, rng).value
        said = value(claim, "printed", "R_worst", {"K": K, "R_F": worst_sample(rows, m, rng)})
        found.append(after / said)
    note = (
        "the losses of all choices of rows, against sqrt K times the complexity of one score at the worst sample of "
        "that size: the largest ratio, which the constant and logarithms are to cover"
    )
    return Result("holds", "tested", note, len(found), max(found), part="R_worst")


def tiny_networks(K: int, m: int, at: dict[str, Any], effort: Effort) -> Array:
    """The losses (functions, m) of so many networks of the class, drawn at random."""
    from maurey.verify.papers.edelman2022.lipschitz import tools

    f, rng, T = tools(), np.random.default_rng(effort.seed), 3
    d = at["d"]
    module = deep(Setting({"L": 1}), BY_ENTRIES, "_11", section_5.B_11, last=Linear(WORDS, largest=True))
    X = rng.normal(size=(m, T, d))
    X *= at["B_X"] / np.linalg.norm(X, axis=2, keepdims=True)
    words, found = rng.integers(K, size=m), []
    for _ in range(64 * effort.scale):
        weights = {}
        for name in f.matrices(module):
            W = rng.normal(size=(K if name == "w" else d, d))
            largest = np.linalg.norm(W, axis=1).max() if name == "w" else np.linalg.norm(W, 2)
            own = at["B_w"] if name == "w" else at["B_" + name.partition("_")[0]]
            weights[name] = f.torch.tensor(W * min(own / largest, at["B_W_11"] / np.abs(W).sum()))
        scores = f.forward(module, weights, f.torch.tensor(X), {"L_sigma": 1.0}, "relu")
        found.append(losses(scores.numpy().reshape(1, m, K), words)[0])
    return np.array(found)


WORDS = Matrix("w", "w", section_5.K, section_5.d, rows=section_5.B_w, entries=section_5.B_11)


@check("trauger2024/5.1")
def vocabulary(effort: Effort) -> Iterator[Result]:
    claim = registry.find("trauger2024/5.1")
    best, count = {"derived": 0.0, "sharp": 0.0}, 0
    cases: list[tuple[str, Array, dict[str, Any]]] = []
    fixed = {"L": 1, "L_sigma": 1, "B_C": 1, "B_V": 1, "B_QK": 2, "B_X": 1}
    for K, m in product((10, 1000), (1, 10)):
        at = fixed | {"d": 2, "k": 2, "K": K, "m": m, "B_w": 5, "B_W_11": 50}
        cases.append((f"networks, K = {K}, m = {m}", tiny_networks(K, m, at, effort), at))
        # one input 1, weights 1: the score of the word is B_w and all others -B_w, or the reverse
        two = np.ones((1, 1, K)) * np.array([[[1.0]], [[-1.0]]])
        two[:, :, 1:] *= -1
        at = fixed | {"d": 1, "k": 1, "K": K, "m": 1, "B_w": 1, "B_W_11": K}
        cases.append((f"two read-outs, K = {K}", losses(two, np.array([0])), at))
    for what, values, at in cases:
        found, count = rademacher.finite(values, 0, np.random.default_rng(effort.seed)), count + 1
        for form in best:
            said = value(claim, form, "R_vocabulary", at)
            if found.lower > said * (1 + ROUNDING):
                yield refuted(f"exceeded by {what}", shown(at), said, found.lower, part="R_vocabulary", form=form)
                return
            best[form] = max(best[form], found.value / said)
    # where the trivial bound does not rule: K under the root of a logarithm
    at = fixed | {"d": 8, "k": 8, "m": 10**9, "B_w": 1, "B_W_11": 8}
    for form, ratio in best.items():
        sizes = [value(claim, form, "R_vocabulary", at | {"K": K}) for K in (10, 1000, 10**6)]
        note = (
            "the losses of networks and of two opposite read-outs, all signs; at K = 10, 10^3, 10^6 and m = 10^9 it is "
            f"{', '.join(f'{size:.4g}' for size in sizes)}"
        )
        if sizes[2] > 2 * sizes[0]:
            yield Result("undecided", "tested", f"{note}: more than a logarithm", count, part="R_vocabulary", form=form)
        else:
            yield Result("holds", "tested", note, count, ratio, part="R_vocabulary", form=form)


# --- finite classes: maurey/chaining, union, peeling, vocabulary -----------------------------------------------------


@check("maurey/chaining")
def entropies(effort: Effort) -> Iterator[Result]:
    yield from (known_entropies(part, effort) for part in ("R", "external", "linear"))


def known_entropies(part: str, effort: Effort) -> Result:
    """Zero and functions with values A or -A, n in all: one centre from A on, all of them below. So the entropy is at
    most log(n), log(n) A^2/eps^2 and log(n) A/eps."""
    claim, best, count = registry.find("maurey/chaining"), 0.0, 0
    rng = np.random.default_rng(effort.seed)
    for m, size, A in ((1, 2, 1.0), (4, 16, 3.0), (12, 3, 0.1), (12, 4096, 1.0), (400, 50 * effort.scale, 2.0)):
        everything = size == 2**m
        values = rademacher.signs(m, 0, rng)[0] if everything else rng.choice((-1.0, 1.0), size=(size, m))
        found = rademacher.finite(A * np.vstack([np.zeros(m), values]), 2000 * effort.scale, rng)
        h = math.log(size + 1)
        entropies: list[dict[str, float]] = [{"K_F": A * h}]
        if part != "linear":
            entropies = [{"C_F": A**2 * h * q, "p_0": h * (1 - q)} for q in (1e-6, 0.5, 1.0)]
        for entropy in entropies:
            at = {"A": A, "m": m, **entropy}
            bound = value(claim, "printed", part, at)
            count += 1
            if found.lower > bound * (1 + ROUNDING):
                where = {"functions": size, **{name: str(value) for name, value in at.items()}}
                return refuted("a finite class exceeds it", where, bound, found.lower, part=part)
            best = max(best, found.value / bound)
    return Result("holds", "tested", "finite classes of sign vectors: all signs, or drawn ones", count, best, part=part)


@check("maurey/union")
def unions(effort: Effort) -> Result:
    """n classes of one or a few functions with values A or -A, or between."""
    claim, best, count = registry.find("maurey/union"), 0.0, 0
    rng = np.random.default_rng(effort.seed)
    for (m, n), each in product(((1, 2), (4, 16), (8, 40), (12, 60), (300, 500)), (1, 3)):
        values = rng.uniform(-1, 1, size=(n, each, m)) if each > 1 else rng.choice((-1.0, 1.0), size=(n, 1, m))
        if n == 2**m:
            values[:, 0] = rademacher.signs(m, 0, rng)[0]
        draws = 2000 * effort.scale
        whole = rademacher.finite(values.reshape(-1, m), draws, rng)
        # of one function the complexity is 0; where signs are drawn, classes of several have no exact one
        if each > 1 and m > rademacher.ALL_SIGNS:
            continue
        R = max(rademacher.finite(one, draws, rng).value for one in values) if each > 1 else 0.0
        at = {"n": n, "A": float(np.abs(values).max()), "m": m, "R_F": max(R, 0.0)}
        bound, count = value(claim, "printed", "R", at), count + 1
        if whole.lower > bound * (1 + ROUNDING):
            return refuted("a union exceeds it", {name: str(v) for name, v in at.items()}, bound, whole.lower, part="R")
        best = max(best, whole.value / bound)
    return Result("holds", "tested", "finite classes: all signs, or drawn ones", count, best, part="R")


@check("maurey/peeling")
def at_the_vertices(effort: Effort) -> Result:
    """In integers: the largest v.u over the vertices of the ball, and over other points of it, against the form."""
    claim, rng, count = registry.find("maurey/peeling"), np.random.default_rng(effort.seed), 0
    for d, B in product((1, 2, 5, 30), (1, 7)):
        u = rng.integers(-(10**6), 10**6, size=d)
        shares = rng.multinomial(B, np.ones(d) / d, size=50) * rng.choice((-1, 1), size=(50, d))
        largest = max(int(x) for s in (B, -B) for x in s * u)
        said = enclose(claim, "printed", "duality", B_w_1=B, Delta=int(np.abs(u).max()))
        if not said.lower <= largest <= said.upper or int((shares @ u).max()) > largest:
            where = {"u": [int(x) for x in u], "B_w_1": B}
            return refuted("another point of the ball", where, said.value, largest, part="duality")
        count += 1
    return Result("holds", "tested", "vertices and other points of the ball, in integers", count, 1.0, part="duality")


@check("maurey/peeling")
def with_its_negative(effort: Effort) -> Result:
    """All signs. Of {0, f} the two suprema are never both positive, so that the factor 2 is attained."""
    claim, rng, best, count = registry.find("maurey/peeling"), np.random.default_rng(effort.seed), 0.0, 0
    for m, size in product((1, 3, 8, 12), (1, 2, 20)):
        values = np.vstack([np.zeros(m), rng.integers(-9, 10, size=(size, m))])
        both = np.vstack([values, -values])
        odd = np.vstack([values, -values]) ** 3  # after an odd activation
        classes = (values, both, odd, np.vstack([odd, -odd]))
        alone, together, once, again = (rademacher.finite(x, 0, rng).value for x in classes)
        bound, count = value(claim, "printed", "sign", {"R_F": alone}), count + 1
        if together > bound * (1 + ROUNDING) or again != once:
            where = {"functions": values.tolist()}
            return refuted("a class with its negative exceeds it", where, bound, together, part="sign")
        best = max(best, together / bound if bound else 0.0)
    note = "finite classes with zero, all signs; {0, f} attains it, and a class that is odd already gains nothing"
    return Result("holds", "tested", note, count, best, part="sign")


@check("maurey/vocabulary")
def moved_scores(effort: Effort) -> Result:
    claim, rng, best, count = registry.find("maurey/vocabulary"), np.random.default_rng(effort.seed), 0.0, 0
    for K, d, aligned in product((1, 10, 1000), (1, 3, 20), (False, True)):
        W, moved, g, step = (rng.normal(size=shape) for shape in ((K, d), (K, d), d, d))
        if aligned:  # one row points where its input moves, and the rows move along the perturbed input
            W[0] = 9 * step
            moved = W - np.outer(rng.random(K), g - step)
        at = {
            "B_w": float(np.linalg.norm(W, axis=1).max()),
            "Delta_g": float(np.linalg.norm(step)),
            "Delta_w": float(np.abs((W - moved) @ (g - step)).max()),
        }
        said, count = value(claim, "printed", "moved", at), count + 1
        true = float(np.abs(W @ g - moved @ (g - step)).max())
        if true > said * (1 + ROUNDING):
            return refuted("scores move further", shown(at), said, true, part="moved")
        best = max(best, true / said)
    note = "read-outs of up to 1000 words; rows along the movement of their input come near to it"
    return Result("holds", "tested", note, count, best, part="moved")
