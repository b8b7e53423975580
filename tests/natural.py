"""Natural points: sizes of a small network that is trained, norms of 1; and how forms compare there."""

from collections.abc import Iterator
from decimal import Decimal

import maurey
from maurey.numeric.walk import Undefined

SIZES = dict.fromkeys(("d", "k", "d_1", "d_2"), 64) | {"T": 256, "m": 10**4, "N": 256 * 10**4, "n": 10**4}
SIZES |= {"R": 5, "L_y": 2, "ratio": 2, "variation": 2}  # norms of 1 are too small for these
SIZES |= {"q": 4, "D_e": 64, "d_e": 16, "d_h": 1024, "D": 2, "omega": 10}
MOVES = dict.fromkeys(("e_M", "e_F", "e_2", "e_Gamma", "e_v", "eta_1", "eta_V"), "1/1000")
LEVELS = MOVES | {"eps": "1/10", "delta": "1/20", "coherence": "1/100", "sigma": "1/100000", "loss_hat": "1/100"}
LEVELS |= {"alpha_N": "1/10000000"}
LEVELS |= dict.fromkeys(("hit", "c", "risk"), "1/2")
GRID = {"eps": ("1/2", "1/100"), "m": (10**2, 10**7), "d": (8, 512), "k": (8, 512), "T": (16, 10**4), "L": (1, 6)}
LAYERS = 2
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
    for the number of centres what bounds its logarithm: of the logarithm."""
    try:
        value, printed = (claim.enclose(form=one, part=part, digits=15, **at).value for one in (form, "printed"))
    except Undefined:
        return None
    value = value.ln() if part == "N_inf" else value
    above, below = (printed, value) if claim.record.part(part).below else (value, printed)
    return above / below if below > 0 else None
