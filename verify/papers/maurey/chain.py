"""From entropies to complexities and gaps, and what peels a layer: held against classes whose complexities are known.

Their proofs stand in proofs.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from maurey.numeric.balls import enclose
from maurey.numeric.evaluation import value
from maurey.numeric.exact import texts
from maurey.symbolic import registry
from maurey.verify.checks import Effort, Result, check, refuted
from maurey.verify.complexity import known_classes, rademacher
from maurey.verify.complexity.deviations import deviations, single_functions
from maurey.verify.complexity.known_classes import Instance, comparison
from maurey.verify.tally import ROUNDING

DUDLEY, CHAINING, DEVIATION, UNION, PEELING, VOCABULARY = (
    f"maurey/{name}" for name in ("dudley", "chaining", "deviation", "union", "peeling", "vocabulary")
)

# --- from entropies to complexities ----------------------------------------------------------------------------------


@check(DUDLEY)
def dudley(effort: Effort) -> Iterator[Result]:
    yield from (known_classes.chain(DUDLEY, "printed", part, effort) for part in ("proper", "external"))


@check(CHAINING)
def quadratic_entropies(effort: Effort) -> Result:
    return known_classes.chain(CHAINING, "printed", "R", effort, quadratic=True)


@check(CHAINING)
def entropies(effort: Effort) -> Iterator[Result]:
    yield from (known_entropies(part, effort) for part in ("R", "external", "linear"))


def known_entropies(part: str, effort: Effort) -> Result:
    note = "finite classes of sign vectors: all signs, or drawn ones"
    return comparison(CHAINING, "printed", part, known_classes.sign_vectors(part, effort), note)


@check(UNION)
def unions(effort: Effort) -> Result:
    note = "finite classes: all signs, or drawn ones"
    return comparison(UNION, "printed", "R", known_classes.unions(effort), note)


# --- from complexities to gaps ---------------------------------------------------------------------------------------


@check(DEVIATION)
def both_sides(effort: Effort) -> Result:
    return single_functions(DEVIATION, effort, "printed")


@check(DEVIATION)
def above(effort: Effort) -> Iterator[Result]:
    yield from deviations(DEVIATION, ("printed",), False, effort, "above", 2)


# --- peeling ---------------------------------------------------------------------------------------------------------


@check(PEELING)
def vertices(effort: Effort) -> Result:
    """In integers: the largest v.u over the vertices of the ball, and over other points of it, against the form."""
    claim, rng, count = registry.find(PEELING), np.random.default_rng(effort.seed), 0
    for d, B in product((1, 2, 5, 30), (1, 7)):
        u = rng.integers(-(10**6), 10**6, size=d)
        shares = rng.multinomial(B, np.ones(d) / d, size=50) * rng.choice((-1, 1), size=(50, d))
        largest = max(int(x) for s in (B, -B) for x in s * u)
        said = enclose(claim, "printed", "duality", B_w_1=B, Delta=int(np.abs(u).max()))
        if not said.lower <= largest <= said.upper or int((shares @ u).max()) > largest:
            where = {"u": [int(x) for x in u], "B_w_1": B}
            return refuted("another point of the ball", where, said.value, largest, part="duality")
        count += 1
    note = "vertices and other points of the ball, in integers"
    return Result("holds", "tested", note, instances=count, tightness=1.0, part="duality")


@check(PEELING)
def negatives(effort: Effort) -> Result:
    """All signs. Of {0, f} the two suprema are never both positive, so that the factor 2 is attained."""
    rng, best, count = np.random.default_rng(effort.seed), 0.0, 0
    for m, size in product((1, 3, 8, 12), (1, 2, 20)):
        values = np.vstack([np.zeros(m), rng.integers(-9, 10, size=(size, m))])
        both = np.vstack([values, -values])
        odd = np.vstack([values, -values]) ** 3  # after an odd activation
        classes = (values, both, odd, np.vstack([odd, -odd]))
        alone, together, once, again = (rademacher.finite(x, 0, rng).value for x in classes)
        bound, count = float(value(PEELING, "printed", "sign", {"R_F": alone})), count + 1
        if together > bound * (1 + ROUNDING) or again != once:
            where = {"functions": values.tolist()}
            return refuted("a class with its negative exceeds it", where, bound, together, part="sign")
        best = max(best, together / bound if bound else 0.0)
    note = "finite classes with zero, all signs; {0, f} attains it, and a class that is odd already gains nothing"
    return Result("holds", "tested", note, instances=count, tightness=best, part="sign")


# --- read-outs -------------------------------------------------------------------------------------------------------


def moved_read_outs(effort: Effort) -> Iterator[Instance]:
    """Scores of up to 1000 words, rows and input moved."""
    rng = np.random.default_rng(effort.seed)
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
        true = float(np.abs(W @ g - moved @ (g - step)).max())
        yield Instance(at, true, true, texts(at), "scores move further")


@check(VOCABULARY)
def moved_scores(effort: Effort) -> Result:
    note = "read-outs of up to 1000 words; rows along the movement of their input come near to it"
    return comparison(VOCABULARY, "printed", "moved", moved_read_outs(effort), note)
