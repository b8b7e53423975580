"""Natural points: sizes of a small network that is trained, norms of 1; and how forms compare there."""

from collections.abc import Iterator
from decimal import Decimal

import maurey
from maurey.numeric.walk import Undefined

SIZES = dict.fromkeys(("d", "k", "d_1", "d_2"), 64) | {"T": 256, "m": 10**4, "N": 256 * 10**4, "n": 10**4}
SIZES |= {"R": 8, "L_y": 2, "ratio": 2, "variation": 2}  # norms of 1 are too small for these
SIZES |= {"q": 4, "D_e": 64, "d_e": 16, "d_h": 1024, "D": 2, "omega": 10}
MOVES = dict.fromkeys(("e_M", "e_F", "e_2", "e_Gamma", "e_v", "eta_1", "eta_V"), "1/1000")
LEVELS = MOVES | {"eps": "1/10", "delta": "1/20", "coherence": "1/100", "sigma": "1/100000", "loss_hat": "1/100"}
LEVELS |= {"alpha_N": "1/10000000", "f_norm": "1/2"}
LEVELS |= dict.fromkeys(("hit", "c", "risk", "slope", "split", "mu"), "1/2")
GRID = {"eps": ("1/2", "1/100"), "m": (10**2, 10**7), "d": (8, 512), "k": (8, 512), "T": (16, 10**4), "L": (1, 6)}
LAYERS = 2
FAR = {  # repaired forms that are more than 4 times the print there, or less than a tenth of it
    "edelman2022/4.6": "the print's power of $C_2L_\\sigma$ hides numbers to the power $L$, of the order $25^{L-1}$",
    "lintilhac2026/5:order": "the print hides all constants, and lacks the columns of positions",
    "mousavi2025/3": "the print hides logarithms, and what they multiply",
    "mousavi2025/12": "the print exceeds 1, which no probability does",
    "mousavi2025/18": "the print hides logarithms",
    "mousavi2025/19": "the same",
    "mousavi2025/22": "the print hides a power of 6",
    "mousavi2025/23": "the same",
    "mousavi2025/42": "the print's constant depends on $d$, and is 1 here",
    "trauger2024/3.4:log_N": "columns, where the print has lost $k$",
    "trauger2024/3.5:log_N": "the same",
    "trauger2024/4.1:R": "columns, where the proof is for rows",
    "trauger2024/4.1.1:R": "the same",
    "trauger2024/D.0.2:R": "the same",
    "trauger2024/4.2.1-simplified": "the print hides logarithms, and numbers to the power $L$",
    "trauger2024/F.0.1": "the print's constant for vectors of norm 1 is too small by $d$",
    "trauger2024/F.0.2": "the print's constant for vectors of norm 1 is too small by $\\max(d,k)/\\log(dk)$",
    "trauger2024/S2.5": "the print has the norms under a root, and hides logarithms",
}
Point = dict[str, object]


def point(claim: maurey.ClaimView, **values: object) -> Point:
    """Two layers (or heads) that are alike, where the claim counts them."""
    chosen = SIZES | LEVELS | values
    at = {p.name: chosen.get(p.name, 1) for p in claim.symbols if not p.optional and not p.index}
    counted = {p.name: int(str(values.get(p.index, LAYERS))) for p in claim.symbols if p.index and not p.optional}
    at |= {name: [chosen.get(name, 1)] * count for name, count in counted.items()}
    at |= {p.index: counted[p.name] for p in claim.symbols if p.name in counted}
    return at | ({"gamma": "1/2"} if "coherence" in at else {})


def grid(claim: maurey.ClaimView) -> Iterator[Point]:
    """The natural point, and those where one of its sizes is smaller or larger."""
    yield point(claim)
    given = {p.name for p in claim.symbols} | {p.index for p in claim.symbols}
    for name, values in GRID.items():
        if name in given:
            yield from (point(claim, **{name: value}) for value in values)


def ratio(claim: maurey.ClaimView, part: str, form: str, at: Point) -> Decimal | None:
    """To the printed value; of lower bounds the other way round. None where a form says nothing. Of sec2, which prints
    for the number of centres what bounds its logarithm: of the logarithm. A reading that has no print of its own is
    held against that of the other."""
    read = part if claim.record.part(part).printed is not None else part.removesuffix("_rows")
    try:
        value, printed = (
            claim.enclose(form=name, part=one, digits=15, **at).value for name, one in ((form, part), ("printed", read))
        )
    except Undefined:
        return None
    value = value.ln() if part == "N_inf" else value
    above, below = (printed, value) if claim.record.part(part).below else (value, printed)
    return above / below if below > 0 else None
