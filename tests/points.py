"""Random parameter points inside the domains of a claim, natural and odd, that meet its hypotheses.

What a paper's points need beyond that stands beside its second computation (`near` in tests/independent)."""

import random
from fractions import Fraction

from independent.forms import RULES, assumed
from sympy import Rational

from maurey.symbolic.claim import Claim

NATURAL = ["1", "2", "1/2", "1/10", "4"]
MOST = 500  # points that are drawn before hypotheses count as impossible to meet
INDICES = ("H", "n", "L", "L_h", "L_y")
SIZES = {  # the largest value of an integer; 12 of any other
    **dict.fromkeys(("d", "d_1", "d_2", "k", "K"), 40),
    **dict.fromkeys(("p", "n"), 30),
    "H": 3,
    "d_f": 9,
    "N": 10**6,
    "m": 10**5,
    "T": 10**4,
}


def value(name: str, domain: str, rng: random.Random, samples: str = "m") -> str:
    if domain == "positive integer":
        if name == samples and rng.random() < 0.4:
            return str(10 ** rng.randint(8, 20))  # where chains say something
        top = 10**5 if name == samples else SIZES.get(name, 12)
        return str(rng.choice([1, 2, rng.randint(1, 9), rng.randint(1, top)]))
    if domain == "nonnegative integer":
        return str(rng.choice([0, 1, rng.randint(0, 12)]))
    if domain.startswith("in "):
        return str(Fraction(rng.randint(1, 99), 100))
    if name == "C_F" and rng.random() < 0.5:
        return str(Fraction(rng.randint(1, 9999), 10))
    if rng.random() < 0.3:
        return rng.choice(NATURAL)
    if name != "eps" and rng.random() < 0.2:
        return str(Fraction(rng.randint(1, 99), 1000))
    return str(Fraction(rng.randint(1, 999), 100 if name != "eps" else rng.choice([100, 300, 1000])))


def point(claim: Claim, rng: random.Random) -> dict[str, object]:
    """One value per symbol that is not optional; lists where the symbol has an index."""
    for _ in range(MOST):
        at = _drawn(claim, rng)
        for rule in (*RULES.get(claim.paper, ()), *RULES.get(claim.key, ())):
            rule(claim, at, rng)
        if met(claim, at):
            return at
    raise AssertionError(f"none of {MOST} points meets the hypotheses of {claim.key}: say with `near` where they hold")


def met(claim: Claim, at: dict[str, object]) -> bool:
    """The hypotheses hold, those that speak of single values that are given."""
    given = {name: Rational(str(x)) for name, x in at.items() if not isinstance(x, list)}
    relations = (a.relation for a in claim.assumes)
    return all(r.subs(given) for r in relations if {str(symbol) for symbol in r.free_symbols} <= set(given))


def _drawn(claim: Claim, rng: random.Random) -> dict[str, object]:
    sizes = {index: rng.randint(2, 3) for index in INDICES}
    sizes |= {p.index: rng.randint(2, 3) for p in claim.symbols if p.index not in (*INDICES, "")}
    indexed = {p.index for p in claim.symbols if p.index and not p.optional}
    at: dict[str, object] = {}
    for p in claim.symbols:
        if p.optional:
            continue
        if p.name in indexed or p.name in claim.unrolled:
            at[p.name] = str(sizes.get(p.name) or rng.randint(2, 3))
        elif p.index:
            at[p.name] = [value(p.name, p.domain, rng) for _ in range(sizes[p.index])]
        elif p.name == "i":
            at[p.name] = str(rng.randint(1, sizes["n"]))
        else:
            at[p.name] = value(p.name, p.domain, rng, claim.samples)
    if "s" in at and "T" in at:
        at["T"] = str(max(int(str(at["T"])), int(str(at["s"]))))
    if "tau" in at and "A" in at:  # below A
        at["tau"] = str(Fraction(str(at["A"])) * Fraction(rng.randint(1, 100), 100))
    if "q" not in assumed(claim):
        for count in {"m", "N"} & assumed(claim):  # more samples or points than dimensions
            at[count] = str(int(str(at[count])) + int(str(at.get("d", 0))))
    for constant in claim.constants:
        at[constant.name] = value(constant.name, "positive real", rng)
    return at
