"""The rung on which each claim stands, read from the ledger without loading what made it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from maurey.symbolic.claim import Claim

PATH = Path(__file__).with_name("ledger.json")


@cache
def _by_key() -> dict[str, str | None]:
    records = json.loads(PATH.read_text()).values() if PATH.exists() else []
    return {record["key"]: record["verdict"]["evidence"] for record in records if "verdict" in record}


def evidence_of(claim: Claim) -> str | None:
    return _by_key().get(claim.key)
