"""The two accounts of how the curves were made: the paper's text, and the script that the authors published.

They differ in the recurrent cell, the weight decay and the test; which of them made the printed curves is not known.
The script as it stands tests every 200 steps, or 12,800 samples, but the printed means go down to about 1000: both test
here as often as the authors' plots have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VARIANTS: dict[str, dict[str, Any]] = {
    "text": {"decay": 0.1, "held_out": 10_000},
    "script": {"decay": 0.01, "held_out": 5000},
}
TESTED = {"qstr": 10, "simple": 100}  # steps between tests
CELLS = {"text": "tanh", "script": "gru"}


def settled(stage: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a configuration; what a stage says itself comes before what its variant says."""
    own = dict(stage)
    variant = own.pop("variant")
    fields = {"every": TESTED[own["task"]]} | VARIANTS[variant] | own
    if own["model"] == "recurrent":
        fields.setdefault("cell", CELLS[variant])
    if variant == "script" and own["task"] == "qstr":
        fields.setdefault("test", "simple")  # trained on general prompts, tested with one index for all positions
    return fields


def variant_of(config: Any) -> str:
    """They differ in weight decay, whatever else is changed."""
    return next((name for name, own in VARIANTS.items() if own["decay"] == config.decay), f"decay {config.decay:g}")
