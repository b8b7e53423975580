"""Random parameter points inside the domains of a claim, natural and odd."""

import random
from fractions import Fraction

from maurey.symbolic.claim import Claim

NATURAL = ["1", "2", "1/2", "1/10", "4"]


def value(name: str, domain: str, rng: random.Random) -> str:
    if domain == "positive integer":
        top = {
            "d": 40,
            "d_1": 40,
            "d_2": 40,
            "k": 40,
            "H": 3,
            "p": 30,
            "n": 30,
            "s": 12,
            "d_f": 9,
            "K": 40,
            "N": 10**6,
            "m": 10**5,
            "T": 10**4,
        }[name]
        if name == "m" and rng.random() < 0.4:
            return str(10 ** rng.randint(8, 20))  # where chains say something
        return str(rng.choice([1, 2, rng.randint(1, 9), rng.randint(1, top)]))
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
    sizes = {index: rng.randint(2, 3) for index in ("H", "n", "L")}
    indexed = {p.index for p in claim.symbols if p.index}
    at: dict[str, object] = {}
    for p in claim.symbols:
        if p.optional:
            continue
        if p.name in indexed or p.name in claim.unrolled:
            at[p.name] = str(sizes[p.name])
        elif p.index:
            at[p.name] = [value(p.name, p.domain, rng) for _ in range(sizes[p.index])]
        elif p.name == "i":
            at[p.name] = str(rng.randint(1, sizes["n"]))
        else:
            at[p.name] = value(p.name, p.domain, rng)
    if "s" in at and "T" in at:
        at["T"] = str(max(int(str(at["T"])), int(str(at["s"]))))
    if "coherence" in at:  # s Delta < gamma < 1
        at["gamma"] = str(Fraction(rng.randint(50, 99), 100))
        at["coherence"] = str(Fraction(rng.randint(1, 49), 100) / Fraction(str(at["s"])))
    if "tau" in at:  # below A
        at["tau"] = str(Fraction(str(at["A"])) * Fraction(rng.randint(1, 100), 100))
    assumed = {str(symbol) for assumption in claim.assumes for symbol in assumption.relation.free_symbols}
    for count in {"m", "N"} & assumed:  # more samples or points than dimensions
        at[count] = str(int(str(at[count])) + int(str(at.get("d", 0))))
    if claim.key == "trauger2024/S2.5":  # the root of a logarithm of norms
        product = Fraction(rng.randint(101, rng.choice([10**3, 10**5])), 100)
        at["B_X"] = str(product / Fraction(str(at["B_W_11"])))
    if "f_norm" in at:  # at most gamma b
        at["f_norm"] = str(Fraction(rng.randint(0, 100), 100) * Fraction(str(at["gamma"])) * Fraction(str(at["b"])))
    for constant in claim.constants:
        at[constant.name] = value(constant.name, "positive real", rng)
    return at
