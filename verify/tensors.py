"""torch, imported when something of it is first used: that takes seconds, and most checks do without."""

from __future__ import annotations

import importlib
from typing import Any


class _Later:
    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("torch"), name)


torch: Any = _Later()  # Any: a type checker need not read all of it
