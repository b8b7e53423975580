"""A batch that takes long is written down from time to time, so that a run that is killed goes on where it stopped.

All randomness is counted from the keys of trials and the number of a step: what is computed after a stop is what would
have been computed without it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import torch

from maurey.verify.files import replace

from .state import State

EVERY = 120.0  # seconds


def spent(device: str | torch.device) -> float:
    """Seconds of work so far. On a processor they are its own, so that what runs beside it does not count."""
    return time.process_time() if torch.device(device).type == "cpu" else time.perf_counter()


class Checkpoint:
    """What is written of a batch, into a file; without one, nothing."""

    def __init__(self, path: Path | None, state: State) -> None:
        """The state is put back to where it was."""
        self.path, self.state = path, state
        found = _found(path, state.flat.device)
        for name, value in found.get("state", {}).items():
            setattr(state, name, value)
        self.left: dict[str, Any] = found.get("left", {})  # by key: record and weights of the trials that have left
        self.before: float = found.get("seconds", 0.0)
        self.started, self.last = spent(state.flat.device), time.perf_counter()

    def save(self) -> None:
        """If it is time."""
        if self.path is None or time.perf_counter() - self.last < EVERY:
            return
        seconds = self.before + spent(self.state.flat.device) - self.started
        own = {name: getattr(self.state, name) for name in (*self.state.rows, "keys", "records", "step")}
        file = BytesIO()
        torch.save({"state": own, "left": self.left, "seconds": seconds}, file)
        replace(self.path, file.getvalue())
        self.last = time.perf_counter()


def _found(path: Path | None, device: torch.device) -> Mapping[str, Any]:
    """Nothing if there is none, or one that cannot be read: then the batch begins again."""
    if path is None or not path.exists():
        return {}
    try:
        found: Mapping[str, Any] = torch.load(path, map_location=device, weights_only=True)
    except Exception:  # whatever a cut file makes torch say
        return {}
    return found
