"""At natural points no sharp form is larger than a printed one that is true, whose constants are all there."""

import natural
import pytest

import maurey
from maurey.symbolic.claim import HIDES

OPEN = {  # parts of claims that do not hold, or are undecided: nothing says that they are true
    "lintilhac2026/10:total",
    "lintilhac2026/17:trace",
    "lintilhac2026/17:P",
    "lintilhac2026/18:operator",
    "lintilhac2026/24:T_p",
    "lintilhac2026/30:G_p",
    "lintilhac2026/31:operator",
    "lintilhac2026/6:loss",
    "lintilhac2026/H:components",
    "trauger2024/4.2:log_N",
    "trauger2024/F.0.2:log_N",
}
PARTS = [
    pytest.param(claim, part.name, id=f"{claim.key}:{part.name}")
    for claim in maurey.claims()
    for part in claim.record.parts
    if part.printed is not None and part.sharp is not None and part.relation_of("printed") not in HIDES
]


@pytest.mark.parametrize(("claim", "part"), PARTS)
def test_no_sharp_form_is_above_what_is_true(claim, part, request):
    ratios = [natural.ratio(claim, part, "sharp", at) for at in natural.grid(claim)]
    above = [float(ratio) for ratio in ratios if ratio is not None and ratio > 1]
    assert bool(above) == (f"{claim.key}:{part}" in OPEN), above


def test_what_is_open_is_not_said_to_hold():
    assert not {place for place in OPEN if maurey.claim(place.partition(":")[0]).standing.verdict == "holds"}
