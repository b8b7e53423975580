"""Random parameter points inside the domains of a claim, natural and odd."""

import random
from fractions import Fraction
from math import isqrt

from maurey.symbolic.claim import Claim

NATURAL = ["1", "2", "1/2", "1/10", "4"]


def value(name: str, domain: str, rng: random.Random, samples: str = "m") -> str:
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
            **dict.fromkeys(("q", "d_e", "D_e", "d_h", "L_h", "L_y", "omega", "D", "grid", "free"), 12),
        }[name]
        if name == samples and rng.random() < 0.4:
            return str(10 ** rng.randint(8, 20))  # where chains say something
        top = 10**5 if name == samples else top
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
    sizes = {index: rng.randint(2, 3) for index in ("H", "n", "L", "L_h", "L_y")}
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
    if {"n", "N", "C_y"} <= set(at) and rng.random() < 0.2:  # small enough for moments of order 1 to decide
        at |= {"n": "1", "N": "1", "C_y": "1/100", "s": rng.choice("13")}
        at |= {name: "1/4" if name[0] in "Br" else "1" for name in ("B_a", "B_W_F", "r_a", "r_w", "m") if name in at}
    if "coherence" in at:  # s Delta < gamma < 1
        at["gamma"] = str(Fraction(rng.randint(50, 99), 100))
        at["coherence"] = str(Fraction(rng.randint(1, 49), 100) / Fraction(str(at["s"])))
    if "tau" in at and "A" in at:  # below A
        at["tau"] = str(Fraction(str(at["A"])) * Fraction(rng.randint(1, 100), 100))
    assumed = {str(symbol) for assumption in claim.assumes for symbol in assumption.relation.free_symbols}
    if "q" not in assumed:
        for count in {"m", "N"} & assumed:  # more samples or points than dimensions
            at[count] = str(int(str(at[count])) + int(str(at.get("d", 0))))
    if claim.key == "trauger2024/S2.5":  # the root of a logarithm of norms
        product = Fraction(rng.randint(101, rng.choice([10**3, 10**5])), 100)
        at["B_X"] = str(product / Fraction(str(at["B_W_11"])))
    if "f_norm" in at:  # at most gamma b
        at["f_norm"] = str(Fraction(rng.randint(0, 100), 100) * Fraction(str(at["gamma"])) * Fraction(str(at["b"])))
    for constant in claim.constants:
        at[constant.name] = value(constant.name, "positive real", rng)
    _qstr(claim, at, rng)
    _walsh(claim, at, rng)
    return at


def _qstr(claim: Claim, at: dict[str, object], rng: random.Random) -> None:
    """What the claims of the qSTR paper assume, and where key-query matrices are better covered by their norms."""
    size = next((name for name in ("D_e", "d_e") if name in at), "")
    if size and {"B_QK_21", "r_a"} & set(at) and rng.random() < 0.4:
        small = Fraction(1, 10 ** rng.randint(0, 10))
        at[size] = str(rng.randint(30, 300))
        at |= {"B_QK_21": str(small)} if "B_QK_21" in at else {"r_a": str(small), "eps_2NN": str(small**2 / 100)}
    assumed = {str(symbol) for assumption in claim.assumes for symbol in assumption.relation.free_symbols}
    if {"q", "N"} <= assumed:
        at["q"] = str(min(int(str(at["q"])), int(str(at["N"]))))
    if "s" in assumed:
        at["s"] = str(max(Fraction(1), Fraction(str(at["s"]))))
    if "R" in assumed:  # at least 1, and all that it bounds
        least = [1, *(Fraction(str(at[name])) + 1 for name in ("q", "r_h") if name in assumed)]
        least += [Fraction(str(at["C_x"])) * int(str(at["d"])) + 1] if "C_x" in assumed else []
        at["R"] = str(max(least) + Fraction(rng.randint(0, 200), 100))
    if "tau" in assumed and "A" not in at:
        at["tau"] = str(1 + Fraction(rng.randint(0, 900), 100))
    if "alpha_N" in assumed:
        at["alpha_N"] = str(Fraction(max(0, rng.randint(-50, 100)), 100) / int(str(at["N"])))
    if "variation" in assumed:
        at["variation"] = str(Fraction(str(at["LR"])) * Fraction(rng.randint(101, 900), 100))
    if "L_y" in assumed:
        at["L_y"] = str(rng.randint(2, 5))
    if claim.key in ("mousavi2025/6", "mousavi2025/7", "mousavi2025/35"):  # a risk that is small enough
        level = "c_3" if claim.key.endswith("7") else "c"
        at[level] = str(
            Fraction(rng.randint(1, 25), 1000) if rng.random() < 0.8 else Fraction(rng.randint(1, 200), 100)
        )
    if claim.key == "mousavi2025/7":
        at["c"] = str(Fraction(rng.randint(1, 98), 100))
        at["N"] = str(rng.randint(1, rng.choice([9, 10**3, 10**6, 10**18])))
    if "r_h" in at and "r_h" not in assumed:  # a projection that may never be active
        at["r_h"] = str(Fraction(str(at["r_h"])) * rng.choice([1, 10**3]))
    if claim.key == "mousavi2025/42":
        at["eps"] = str(Fraction(str(at["LR"])) * Fraction(rng.randint(1, 100), 100))
    if claim.key == "mousavi2025/38":
        at["eps"] = str(Fraction(rng.randint(1, 100), 100))


def _walsh(claim: Claim, at: dict[str, object], rng: random.Random) -> None:
    """What the claims on sparse Boolean functions assume, and perturbations for which units do or do not cross."""
    if claim.paper != "lintilhac2026":
        return
    if "T" in at:
        at["T"] = str(max(int(str(at.get(name, 4))) for name in ("T", "omega", "D")))
        at["T"] = str(max(int(str(at["T"])), 4)) if claim.number == "B" else at["T"]
    for name in ("e_M", "e_F", "e_2", "e_Gamma", "e_v", "eta_1", "eta_V"):
        if name in at:
            at[name] = str(Fraction(rng.randint(1, 99), 3000 * int(str(at.get("D", 1)))))
    if "x" in at:
        at["x"] = str(Fraction(rng.randint(0, 400), 100 * int(str(at["D"]))))
    if claim.number == "H":  # doubles tell 1 - p from 1
        at["k"] = str(rng.randint(1, 5))
    if claim.number in ("7", "8", "16"):  # two bits at least; exponents that leave a number with decimals
        at |= {"T": str(max(int(str(at["T"])), 2)), "m": str(rng.randint(1, 10 ** rng.randint(1, 7)))}
    if "sigma" in at:
        at["sigma"] = str(Fraction(rng.randint(1, 99), 10 ** rng.randint(2, 9)))
    if {"sigma", "D", "T"} <= set(at) and rng.random() < 0.5:  # near where units begin to cross
        far = 1000 * int(str(at["D"])) * (8 + isqrt(int(str(at["T"]))))
        at["sigma"] = str(Fraction(rng.randint(20, 120), far))
