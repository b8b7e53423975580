"""Where printed covering numbers are too small for any constant: rays along which they fall behind packings, and edges.

What is written here is where to look; `covering` certifies it.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Falling(NamedTuple):
    """A ray along which the printed form falls behind a lower bound by more than any constant."""

    at: dict[str, Any]
    ray: dict[str, str]
    ts: tuple[int, int, int]
    note: str


FAR = 10**4, 10**6, 10**8
SCORES = (
    "tokens are scaled up and weights down so that values stay as they are and scores grow: scores go with B_QK_inf "
    "B_X^2, but the printed term for them has a lower power of B_X and fades. With sigma(x) = L_sigma x and W_V fixed, "
    "one entry of W_QK for each of d^2/9 sequences moves the mass on one token through several levels more than 2 eps "
    "apart: log N is of order t^2, the printed bound of order t log t"
)
HEAD_RAY = {"d": "1", "m": "2", "B_X": "3/2", "B_V": "-3/2", "B_V_inf": "-2", "B_QK_inf": "-2"}
HEAD_AT: dict[str, Any] = {"eps": "1/16", "T": "16", "L_sigma": "1"}
FIRST = {f"{name}[1]" if name.startswith(("B_V", "B_QK")) else name: power for name, power in HEAD_RAY.items()}
LAYER = {name: ["1"] for name in ("B_C", "B_C_inf", "B_V", "B_V_inf", "B_QK", "B_QK_inf")}

REFUTED: dict[tuple[str, str], list[Falling]] = {
    ("edelman2022/sec2-linear-cover", "N_inf"): [
        Falling({"eps": "1/16", "B_X": "1", "B_w": "1"}, {"m": "1"}, (10**2, 10**3, 10**4),
                "it bounds N by what bounds log N: spikes of either sign in some of m places, which no centre in the "
                "class can serve together, make N a power of m, where the printed bound is of order log m"),
        Falling({"m": "16", "B_X": "1", "B_w": "1"}, {"eps": "-1"}, (4, 16, 64),
                "it bounds N by what bounds log N: by volume N is of order t^16, the printed bound of order t^2 log t"),
    ],
    ("edelman2022/4.4", "log_N"): [Falling(HEAD_AT, HEAD_RAY, FAR, SCORES)],
    ("edelman2022/4.4", "log_N_appendix"): [Falling(HEAD_AT, HEAD_RAY, FAR, SCORES)],
    ("edelman2022/A.11", "log_N"): [Falling(HEAD_AT | {"B_P": "1"}, HEAD_RAY, FAR, SCORES)],
    ("edelman2022/A.12", "log_N"): [
        Falling(HEAD_AT | {"H": "1", "B_V": ["1"], "B_V_inf": ["1"], "B_QK_inf": ["1"]}, FIRST, FAR, SCORES)
    ],
    ("edelman2022/A.12-equal-heads", "log_N"): [Falling(HEAD_AT | {"H": "2"}, HEAD_RAY, FAR, SCORES)],
    ("edelman2022/A.17", "log_N"): [
        Falling({"T": "16", "L": "1", "L_sigma": "1", **LAYER},
                {"d": "2", "k": "2", "m": "2", "B_C[1]": "1", "B_w": "4", "eps": "7/2"},
                (10**2, 10**4, 10**6),
                "the printed bound has B_w beside the layers, where it multiplies what they do. With W_QK = 0, W_V and "
                "the read-out fixed and W_C = u 1^T / sqrt(d), the outputs on d sequences are B_w times the "
                "coordinates of u: log N is of order t^2 log t, the printed bound of order t log t; rows or columns in "
                "the norms, the same"),
    ],
    ("edelman2022/4.6", "log_N"): [
        Falling({"eps": "1/16", "d": "4", "m": "16", "T": "16", "L": "2", "B_w": "1"},
                {"C_2": "1", "C_inf": "1", "L_sigma": "-1", "B_X": "-2"}, (10**2, 10**3, 10**4),
                "every layer lifts short tokens by a factor C_2, up to the unit ball, while C_2 L_sigma = 1 makes the "
                "printed power 1 whatever its exponent is: the read-out alone, on tokens of norm 1 in the end, needs "
                "a fixed number of centres, and the printed bound falls to 0"),
    ],
}  # fmt: skip

MISPRINTED = ("edelman2022/sec2-linear-cover", "edelman2022/A.17")  # no constant makes up for what is left out

HEAD_EDGE = HEAD_AT | {"d": "4", "m": "1", "T": "1", "B_X": "1", "B_V": "1", "B_V_inf": "1", "B_QK_inf": "1"}
LINEAR_EDGE = {"eps": "1/16", "N": "1", "d_1": "4", "d_2": "4", "B_X": "1"}
DEEP_EDGE = {"eps": "1/16", "d": "4", "m": "1", "T": "1", "L_sigma": "1", "B_w": "1"}
EDGES: dict[str, tuple[dict[str, Any], str]] = {
    "edelman2022/4.4": (HEAD_EDGE, "m = T"),
    "edelman2022/A.11": (HEAD_EDGE | {"B_P": "1"}, "m = T"),
    "edelman2022/A.12": (
        HEAD_EDGE | {"H": "2"} | {name: ["1", "1"] for name in ("B_V", "B_V_inf", "B_QK_inf")}, "m = T",
    ),
    "edelman2022/A.12-equal-heads": (HEAD_EDGE | {"H": "2"}, "m = T"),
    "edelman2022/A.17": (DEEP_EDGE | {"k": "4", "L": "2"} | {n: ["1", "1"] for n in LAYER}, "m = T"),
    "edelman2022/4.6": (DEEP_EDGE | {"L": "2", "B_X": "1", "C_2": "1", "C_inf": "1"}, "m = T"),
    "edelman2022/4.5": (LINEAR_EDGE | {"B_W_inf": "1"}, "N"),
    "edelman2022/4.5-stronger": (LINEAR_EDGE | {"B_W_inf": "1", "B_W_21": "1"}, "N"),
}  # fmt: skip
