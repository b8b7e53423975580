"""Several heads, the loss of a word, and losses over a vocabulary: finite classes whose complexities are computed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import arb
from sympy import diff, exp, limit, log, oo

from maurey.numeric.evaluation import value
from maurey.numeric.exact import texts
from maurey.numeric.grids import sweep
from maurey.numeric.types import Array
from maurey.symbolic import registry
from maurey.symbolic.claim import Setting
from maurey.symbolic.modules import Linear, matrices_of
from maurey.symbolic.norms import Matrix
from maurey.symbolic.papers.trauger2024 import section_5
from maurey.symbolic.papers.trauger2024.section_4 import BY_ENTRIES, deep
from maurey.symbolic.softmax import CROSS_ENTROPY
from maurey.verify.attack.forwards import forward
from maurey.verify.checks import Effort, Result, besides, check, refuted
from maurey.verify.complexity import rademacher
from maurey.verify.packings.attacks import falling
from maurey.verify.prove.arguments import less, positive
from maurey.verify.prove.identities import same
from maurey.verify.prove.polynomials import polynomial
from maurey.verify.prove.proofs import conclude, formula
from maurey.verify.tally import ROUNDING
from maurey.verify.tensors import torch

HEADS, LOSS, MASKING = (f"trauger2024/{number}" for number in ("S4.2", "G", "5.1"))

# --- S4.2 ------------------------------------------------------------------------------------------------------------


def all_sums(heads: list[Array]) -> Array:
    """One function of each head, added up: every choice."""
    return np.array([sum(choice) for choice in product(*heads)])


@check(HEADS)
def several_heads(effort: Effort) -> Iterator[Result]:
    """Finite heads with integer values, all signs; w = 1, or else both signs of w inside the supremum."""
    rng, count, shared = np.random.default_rng(effort.seed), 0, 1.0
    for H, m, size in product((1, 2, 4), (1, 3, 8), (1, 2, 4)):
        heads = [rng.integers(-9, 10, size=(size, m)).astype(float) for _ in range(H)]
        R = [max(rademacher.finite(head, 0, rng).value, 0.0) for head in heads]
        together = rademacher.finite(all_sums(heads), 0, rng).value
        said, count = float(value(HEADS, "printed", "R", {"H": H, "R_F": R})), count + 1
        if abs(together - said) > ROUNDING * max(said, 1):
            witness = {"heads": [head.tolist() for head in heads]}
            yield refuted("heads whose sum has another complexity", witness, said, together, part="R")
            return
        apart = sum(rademacher.finite(np.vstack([head, -head]), 0, rng).value for head in heads)
        sums = all_sums(heads)
        if apart:
            shared = min(shared, rademacher.finite(np.vstack([sums, -sums]), 0, rng).value / apart)
    note = "finite heads with a fixed w, all signs, equal in every case"
    yield Result("holds", "tested", note, instances=count, tightness=1.0, part="R")
    note = "it is read with a fixed w: with w inside the supremum the heads share it, and the left side can be smaller "
    yield besides(note + f"(down to {shared:.3f} of the right)")


# --- G ---------------------------------------------------------------------------------------------------------------


def moved_loss(scores: Array, steps: Array) -> Array:
    """How far the cross-entropy of word 0 moves, for rows of scores."""

    def loss(x: Array) -> Array:
        top = x.max(axis=1)
        found: Array = np.log(np.exp(x - top[:, None]).sum(axis=1)) + top - x[:, 0]
        return found

    return np.abs(loss(scores + steps) - loss(scores))


@check(LOSS)
def cross_entropy(effort: Effort) -> Iterator[Result]:
    """With v = e^x: the word's own v, another's u, and the rest. A derivative in x is v times that in v."""
    v, u, rest, Delta, q = positive("v u rest Delta q")
    loss, slope = log(v + u + rest) - log(v), formula(LOSS).subs(Delta, 1)
    own, others = -v * diff(loss, v), u * diff(loss, u) / u * (u + rest)  # others: alike in u, and summed over all
    far = log(1 + q * exp(2 * Delta)) - log(1 + q)  # the word's score falls by Delta, the others rise; q = (1 - p)/p
    yield conclude(
        "The gradient is softmax(x) - e_i, of l1 norm 2 (1 - p_i) (identity), at most 2 (z3); where the word has little"
        " mass and its score falls as the others rise, the loss moves by 2 Delta in the limit.",
        [same(own, 1 - v / (v + u + rest)), same(own + others, 2 * (1 - v / (v + u + rest))),
         polynomial(own + others <= slope, control=own + others <= less * slope),
         same(limit(far, q, oo), formula(LOSS))], part="moved", tightness=1.0,
    )  # fmt: skip
    claim, rng, best, count = registry.find(LOSS), np.random.default_rng(effort.seed), 0.0, 0
    for K, scale, step in product((2, 10, 1000), (0.1, 3.0, 30.0), (0.1, 1.0, 20.0)):
        scores, steps = rng.normal(scale=scale, size=(200, K)), rng.uniform(-step, step, size=(200, K))
        scores[0, 0], steps[::4] = -40.0, step
        steps[::4, 0] = -step
        said = sweep(claim, "printed", "moved", Delta=np.abs(steps).max(axis=1)).value
        ratios = moved_loss(scores, steps) / said
        worst, count = int(ratios.argmax()), count + len(scores)
        if ratios[worst] > 1 + ROUNDING:
            witness = {"scores": scores[worst].tolist(), "steps": steps[worst].tolist()}
            yield refuted("the loss moves further", witness, 1, float(ratios[worst]), part="moved")
            return
        best = max(best, float(ratios[worst]))
    note = "scores of 2 to 1000 words; a word of score -40 that falls as all others rise comes near to it"
    yield Result("holds", "tested", note, instances=count, tightness=best, part="moved")


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


WORDS = Matrix("w", "w", section_5.K, section_5.d, rows=section_5.B_w, entries=section_5.B_11)


def tiny_networks(K: int, m: int, at: dict[str, Any], effort: Effort) -> Array:
    """The losses (functions, m) of so many networks of the class, drawn at random."""
    rng, T, d = np.random.default_rng(effort.seed), 3, at["d"]
    module = deep(Setting({"L": 1}), BY_ENTRIES, "_11", section_5.B_11, last=Linear(WORDS, largest=True))
    X = rng.normal(size=(m, T, d))
    X *= at["B_X"] / np.linalg.norm(X, axis=2, keepdims=True)
    words, found = rng.integers(K, size=m), []
    for _ in range(64 * effort.scale):
        weights = {}
        for name in matrices_of(module):
            W = rng.normal(size=(K if name == "w" else d, d))
            largest = np.linalg.norm(W, axis=1).max() if name == "w" else np.linalg.norm(W, 2)
            own = at["B_w"] if name == "w" else at["B_" + name.partition("_")[0]]
            weights[name] = torch.tensor(W * min(own / largest, at["B_W_11"] / np.abs(W).sum()))
        scores = forward(module, weights, torch.tensor(X), {"L_sigma": 1.0}, "relu")
        found.append(losses(scores.numpy().reshape(1, m, K), words)[0])
    return np.array(found)


NETWORKS = {"L": 1, "L_sigma": 1, "B_C": 1, "B_V": 1, "B_QK": 2, "B_X": 1}


def vocabularies(effort: Effort) -> Iterator[tuple[str, Array, dict[str, Any]]]:
    """What the functions are, their losses, the claim's symbols: networks, and two opposite read-outs."""
    for K, m in product((10, 1000), (1, 10)):
        at = NETWORKS | {"d": 2, "k": 2, "K": K, "m": m, "B_w": 5, "B_W_11": 50}
        yield f"networks, K = {K}, m = {m}", tiny_networks(K, m, at, effort), at
        # one input 1, weights 1: the score of the word is B_w and all others -B_w, or the reverse
        two = np.ones((1, 1, K)) * np.array([[[1.0]], [[-1.0]]])
        two[:, :, 1:] *= -1
        at = NETWORKS | {"d": 1, "k": 1, "K": K, "m": 1, "B_w": 1, "B_W_11": K}
        yield f"two read-outs, K = {K}", losses(two, np.array([0])), at


@check(MASKING)
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
    return falling(MASKING, "R", at={}, ray=ray, ts=(10**4, 10**8, 10**12), note=note, truth=truth, by="class")


@check(MASKING)
def masking(effort: Effort) -> Iterator[Result]:
    """Rows of the read-out apart, linear scores: every choice of rows, against the worst sample for one score; on
    samples in turn (R_worst), and on the worst itself (R, where it holds)."""
    rng, found = np.random.default_rng(effort.seed), {"R": [0.0], "R_worst": [0.0]}
    for K, m, size, scale in product((2, 3, 5), (2, 4), (2, 3), (0.1, 1.0, 20.0)):
        rows = scale * rng.normal(size=(size, 3))  # values of the scores that a row can give, on three inputs
        worst, sample = rademacher.worst_sample(rows, m, rng)
        choices = rows[np.array(list(product(range(size), repeat=K)))]  # (functions, K, inputs)
        for part, points in (("R", np.array(sample)), ("R_worst", np.arange(m) % 3)):
            scores = choices[..., points].swapaxes(1, 2)
            after = rademacher.finite(losses(scores, rng.integers(K, size=m)), 0, rng).value
            found[part].append(after / float(value(MASKING, "printed", part, {"K": K, "R_F": worst})))
    note = (
        "the losses of all choices of rows, {}, against sqrt K times the complexity of one score on the worst sample "
        "of that size: no larger with 2, the Lipschitz constant of the loss, for all that is hidden"
    )
    where = {"R": "on that sample", "R_worst": "on other samples"}
    for part, ratios in found.items():
        ratio, told = max(ratios) / CROSS_ENTROPY, note.format(where[part])
        verdict = "holds" if ratio <= 1 else "undecided"
        yield Result(verdict, "tested", told, instances=len(ratios) - 1, tightness=float(ratio), part=part)


@check(MASKING)
def vocabulary(effort: Effort) -> Iterator[Result]:
    best, count = {"derived": 0.0, "sharp": 0.0}, 0
    for what, values, at in vocabularies(effort):
        found, count = rademacher.finite(values, 0, np.random.default_rng(effort.seed)), count + 1
        for form in best:
            said = float(value(MASKING, form, "R_vocabulary", at))
            if found.lower > said * (1 + ROUNDING):
                yield refuted(f"exceeded by {what}", texts(at), said, found.lower, part="R_vocabulary", form=form)
                return
            best[form] = max(best[form], found.value / said)
    # where the trivial bound does not rule: K under the root of a logarithm
    at = NETWORKS | {"d": 8, "k": 8, "m": 10**9, "B_w": 1, "B_W_11": 8}
    for form, ratio in best.items():
        sizes = [float(value(MASKING, form, "R_vocabulary", at | {"K": K})) for K in (10, 1000, 10**6)]
        note = (
            "the losses of networks and of two opposite read-outs, all signs; at K = 10, 10^3, 10^6 and m = 10^9 it is "
            f"{', '.join(f'{size:.4g}' for size in sizes)}"
        )
        where: dict[str, Any] = {"instances": count, "part": "R_vocabulary", "form": form}
        if sizes[2] > 2 * sizes[0]:
            yield Result("undecided", "tested", f"{note}: more than a logarithm", **where)
        else:
            yield Result("holds", "tested", note, tightness=ratio, **where)
