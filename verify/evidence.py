"""The rung on which each claim stands, read from the ledger without loading what made it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from maurey.symbolic.claim import Claim

PATH = Path(__file__).with_name("ledger.json")


@cache
def _by_key() -> dict[str, dict[str, Any]]:
    records = json.loads(PATH.read_text()).values() if PATH.exists() else []
    return {record["key"]: record["verdict"] for record in records if "verdict" in record}


def evidence_of(claim: Claim) -> str | None:
    rung: str | None = _by_key().get(claim.key, {}).get("evidence")
    return rung


def verdict_of(claim: Claim) -> str:
    """On the claim as printed, in words."""
    stored = _by_key().get(claim.key, {"verdict": "undecided", "edge": False})
    return f"{stored['verdict']} at an edge" if stored["edge"] else str(stored["verdict"])
