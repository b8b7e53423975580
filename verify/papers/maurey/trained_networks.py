"""The best Lipschitz constant of attention, held against networks that were trained."""

from __future__ import annotations

from functools import partial

from maurey.verify.attack.trained_networks import Held, examine, tokens
from maurey.verify.checks import check

from .lipschitz import STATEMENTS

HELD = {"maurey/attention": Held(partial(tokens, free=True))}

for _key, _held in HELD.items():
    check(_key)(partial(examine, statement=STATEMENTS[_key], own=_held))
