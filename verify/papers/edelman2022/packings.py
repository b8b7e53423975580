"""Each covering claim of Edelman et al. from below: a certified lower bound on its log N at its parameters."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from maurey.numeric.types import Point
from maurey.verify.packings import heads
from maurey.verify.packings.classes import COLUMNS, MIXED, Attack, int_of, scalar
from maurey.verify.packings.lower_bounds import Lower, best


def _head(p: Point, B_X: Fraction, scale: Fraction = Fraction(1)) -> heads.Head:
    d, m, T = (int_of(p, name) for name in ("d", "m", "T"))
    return heads.Head(
        d=d,
        m=m,
        T=T,
        L_sigma=p["L_sigma"],
        B_X=B_X,
        B_V=scale * p["B_V"],
        B_V_inf=scale * p["B_V_inf"],
        B_QK_inf=p["B_QK_inf"],
    )


def _positions(p: Point) -> Lower:
    """No positions, or one input with its position along it."""
    aligned = _head(p, p["B_X"] + p["B_P"])._replace(m=1)
    return best([heads.head(_head(p, p["B_X"]), p["eps"]), heads.values(aligned, p["eps"])])


def _several(p: Point) -> Lower:
    """One head alone, the others zero; or all with a common W_V, each with its share of it."""
    each = [
        _head(p | {"B_V": V, "B_V_inf": rows, "B_QK_inf": QK}, p["B_X"])
        for V, rows, QK in zip(p["B_V"], p["B_V_inf"], p["B_QK_inf"], strict=True)
    ]
    total = sum(p["B_V_inf"], Fraction(0))
    spectral = total * min(V / rows for V, rows in zip(p["B_V"], p["B_V_inf"], strict=True))
    together = each[0]._replace(B_V=spectral, B_V_inf=total)
    return best([*(heads.scores(one, p["eps"]) for one in each), *(heads.values(one, p["eps"]) for one in each),
                 heads.values(together, p["eps"])])  # fmt: skip


def _output(p: dict[str, Any]) -> float:
    bounds = [(p["B_V"], p["B_V_inf"])] if not isinstance(p["B_V"], list) else zip(p["B_V"], p["B_V_inf"], strict=True)
    widest = sum(min(V, math.sqrt(p["d"]) * rows) for V, rows in bounds)
    copies = p["H"] if not isinstance(p["B_V"], list) and "H" in p else 1
    return copies * widest * p["L_sigma"] * (p["B_X"] + p.get("B_P", 0))


HEAD = Attack(lambda p: heads.head(_head(p, p["B_X"]), p["eps"]), _output)
POSITIONS = Attack(_positions, _output)
SEVERAL = Attack(_several, _output)
EQUAL = Attack(lambda p: heads.head(_head(p, p["B_X"], p["H"]), p["eps"]), _output)


def _deep(p: Point) -> Lower:
    """A.17: tokens in the unit ball. The token that is read is one of the input's."""
    layers = [
        heads.Layer(*norms) for norms in zip(*(p[name] for name in ("B_V", "B_V_inf", "B_C", "B_C_inf")), strict=True)
    ]
    d, k, m = (int_of(p, name) for name in ("d", "k", "m"))
    return heads.deep(
        heads.Deep(d=d, k=k, m=m, L_sigma=p["L_sigma"], B_w=p["B_w"], B_X=Fraction(1), layers=layers), p["eps"]
    )


def _deep_equal(p: Point) -> Lower:
    layer = heads.Layer(p["C_2"], p["C_inf"], p["C_2"], p["C_inf"])
    d, m = int_of(p, "d"), int_of(p, "m")
    return heads.deep(
        heads.Deep(d=d, k=d, m=m, L_sigma=p["L_sigma"], B_w=p["B_w"], B_X=p["B_X"], layers=[layer] * int_of(p, "L")),
        p["eps"],
    )


ATTACKS: dict[tuple[str, str], Attack] = {
    ("edelman2022/sec2-linear-cover", "N_inf"): scalar("m", proper=True),
    ("edelman2022/A.10", "log_N"): scalar("N", proper=True),
    ("edelman2022/4.5", "log_N"): COLUMNS,
    ("edelman2022/4.5-stronger", "log_N"): MIXED,
    ("edelman2022/4.4", "log_N"): HEAD,
    ("edelman2022/4.4", "log_N_appendix"): HEAD,
    ("edelman2022/A.11", "log_N"): POSITIONS,
    ("edelman2022/A.12", "log_N"): SEVERAL,
    ("edelman2022/A.12-equal-heads", "log_N"): EQUAL,
    ("edelman2022/A.17", "log_N"): Attack(_deep, lambda p: p["B_w"]),
    ("edelman2022/4.6", "log_N"): Attack(_deep_equal, lambda p: p["B_w"] * min(1, p["B_X"])),
}
