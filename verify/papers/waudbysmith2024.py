"""Betting: the capital over all courses of a game, exactly; its mean stays 1 and it hardly ever becomes large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import permutations, product
from math import prod

from flint import arb, ctx

from maurey.numeric.evaluation import BITS, value
from maurey.numeric.exact import to_rational
from maurey.verify.checks import Effort, Result, check, refuted

CAPITAL, POOL = "waudbysmith2024/capital", "waudbysmith2024/without-replacement"
DELTAS = (F(1, 2), F(1, 5), F(1, 20))
Losses = tuple[F, ...]
Stake = Callable[[Losses], F]  # from the losses before; at most that share of what keeps the factor positive
STAKES: tuple[Stake, ...] = (
    lambda past: F(1),  # all
    lambda past: F(1, 2),
    lambda past: F(9, 10) if sum(past, F(0)) * 2 < len(past) + 1 else F(1, 10),
)


@dataclass(frozen=True)
class Game:
    courses: dict[Losses, F]  # with their probabilities
    mean: F
    stake: Stake
    pool: int = 0  # members, if it is drawn without replacement

    def left(self, past: Losses) -> F:
        """The mean of what comes next."""
        return (self.pool * self.mean - sum(past, F(0))) / (self.pool - len(past)) if self.pool else self.mean

    def capital(self, key: str, course: Losses) -> arb:
        """Stakes are in [0, 1], as forms take them."""
        past = [course[:i] for i in range(len(course))]
        bets = [self.stake(own) / max(1 - self.left(own), self.stake(own)) for own in past]
        at = {"mu": self.mean, "n": len(course), "bet": bets, "loss": list(course)}
        return value(key, "printed", "capital", at | ({"N": self.pool} if self.pool else {}))


def held(key: str, games: Iterable[Game], note: str) -> Result:
    best, count = 0.0, 0
    for game in games:
        parts = {course[:i] for course in game.courses for i in range(1, len(course) + 1)}
        known = {part: game.capital(key, part) for part in parts}
        with ctx.workprec(BITS):
            mean = sum((to_rational(p) * known[course] for course, p in game.courses.items()), arb(0))
        at = {"mu": str(game.mean), "courses": len(game.courses), "pool": game.pool}
        if not abs(mean - 1) < arb(10) ** -20:
            return refuted("the mean of the capital is not 1", at, 1, mean.str(12, radius=False), part="capital")
        for delta in DELTAS:
            large = {part for part, x in known.items() if not x < to_rational(1 / delta)}
            hit = (c for c in game.courses if any(c[:i] in large for i in range(1, len(c) + 1)))
            often, count = sum((game.courses[course] for course in hit), F(0)), count + 1
            if often > delta:
                return refuted(f"reached with probability {float(often):.4g}", at, delta, often, part="capital")
            best = max(best, float(often / delta))
    return Result("holds", "tested", note, instances=count, tightness=best, part="capital")


def _independent(effort: Effort) -> Iterator[Game]:
    n = 4 if effort.scale < 4 else 6
    laws = ({F(0): F(9, 10), F(1): F(1, 10)}, {F(0): F(1, 2), F(1, 2): F(1, 4), F(1): F(1, 4)})
    for law, stake in product(laws, STAKES):
        courses = {course: prod((law[x] for x in course), start=F(1)) for course in product(law, repeat=n)}
        yield Game(courses, sum((x * p for x, p in law.items()), F(0)), stake)


def _drawn(effort: Effort) -> Iterator[Game]:
    n = 4 if effort.scale < 4 else 5
    for members in ((0, 0, 1, 0, 0, 1), (0, 1, 2, 0, 1, 2)):
        own = [F(x, max(members)) for x in members]
        orders = Counter(permutations(own, n))
        courses = {order: F(times, orders.total()) for order, times in orders.items()}
        yield from (Game(courses, sum(own, F(0)) / len(own), stake, len(own)) for stake in STAKES)


@check(CAPITAL)
def against_the_mean(effort: Effort) -> Result:
    return held(CAPITAL, _independent(effort), "all courses of short games, exact probabilities, three ways to stake")


@check(POOL)
def against_the_mean_of_a_pool(effort: Effort) -> Result:
    return held(POOL, _drawn(effort), "all orders of small pools, exact probabilities, three ways to stake")
