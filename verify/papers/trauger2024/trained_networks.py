"""The block lemma and the gaps of one layer, held against networks that were trained."""

from __future__ import annotations

from functools import partial

from maurey.verify.attack.trained_networks import Held, block, examine, gaps
from maurey.verify.checks import check

from .deep import BLOCK

check("trauger2024/E.2")(partial(examine, statement=BLOCK, own=Held(block)))

# the encoder's read-out is not linear
for _key in ("trauger2024/4.1.1", "trauger2024/D.0.1", "trauger2024/D.0.2"):
    check(_key)(partial(gaps, _key, models=("layer",)))
