"""One attention layer, trained on the majority of nine hidden bits, held against every bound that applies to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.theory import Held, against_counting, exhibit, over_length
from maurey.paper_tables.theory_figure import draw
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.trauger2024.majority import plan
from maurey.paper_tables.verdicts import Finding

DEPARTURES = (
    "The layer is one of the classes exactly: tokens are fixed (symbols and sinusoids), sigma is the identity, the "
    "constants after attention stand in the bias of the values. Departures: A.12 as printed is read out by a fixed "
    "vector (4.2-scalar), while w is trained; the derived and sharp forms cover w too (A.16).",
    "4.1.1, D.0.1 and D.0.2: complexities of the heads add (S4.2, read with one w for all heads, whose supremum is at "
    "most the sum), the loss is contracted, then S2.3. R has the outer norms as stated (rows of W_v and W_c), R_rows "
    "those that the proof uses (columns). D.0.1 and D.0.2 know the tokens by their l1 norm alone.",
    "A.17, 4.2 and their corollaries have one head and projections onto the unit ball; they do not apply. A.11 has one "
    "head; its fixed positions are part of the tokens here.",
)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    def findings(networks: Sequence[Held]) -> list[Finding]:
        return [
            over_length(networks, expected["length"], "trauger2024", lambda short, long: 1.0),
            against_counting(networks, expected["norm_based"]),
        ]

    title = "Trauger and Tewari 2024: trained attention layers held against theory"
    return exhibit(title, scale, plan(scale), outcomes, DEPARTURES, findings)


__all__ = ["draw", "plan", "render"]
