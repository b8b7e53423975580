"""The encoder, trained on the AND of three hidden bits, held against every bound that applies to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import log
from typing import Any

from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.theory import Held, exhibit, over_length
from maurey.paper_tables.theory_figure import draw
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding

__all__ = ["draw", "plan", "render"]

plan = partial(in_stages, function="and", s=3, measure=True, stop=False)  # all held-out strings at every evaluation

DEPARTURES = (
    "What is covered is attention: sixteen heads with their own norms, on tokens normalised to mean 0 and variance 1; "
    "gain and bias of that layer normalisation stand in the matrices. Departures: the embeddings are trained and taken "
    "as given, as in the paper's class; so are the residual connection, the MLP, the last layer normalisation and the "
    "read-out, of which only a Lipschitz constant enters (4.1 takes phi_out as fixed). Of networks in which these were "
    "fixed before the data the numbers are bounds; of the trained ones, for that reason, they are not.",
    "That constant holds for all inputs: a layer normalisation is Lipschitz with gain/sqrt(1e-5), and there are two "
    "in a row. On the strings themselves the variances are larger, but a cover compares the network with others of its "
    "class, whose outputs lie elsewhere. The range A comes from the last layer normalisation alone.",
    "4.1.1, D.0.1, D.0.2 need a linear read-out, A.17 and 4.2 projections and one head; they do not apply.",
)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    def findings(networks: Sequence[Held]) -> list[Finding]:
        # log(mT') / log(mT) is largest for m = 1
        return [over_length(networks, expected["length"], "edelman2022", lambda short, long: log(long) / log(short))]

    title = "Edelman et al. 2022: trained encoders held against theory"
    return exhibit(title, scale, plan(scale), outcomes, DEPARTURES, findings)
