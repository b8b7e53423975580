"""Checksums of results, and how those that do not fit are told. They guard against damage, not against a forger."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Sequence

from maurey.verify.training.trials.keys import config, short

NAMED = 5  # in one warning; of more, the number is told


class DamagedResult(UserWarning):
    """Results that were altered, or are incomplete: they count as missing."""


def checksum(key: object, config: object, trial: object, result: object) -> str:
    """Of the texts as they are kept, a line each: there is no line end in any of them."""
    text = "\n".join(map(str, (key, config, trial, result)))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def in_words(key: object, text: object, trial: object) -> str:
    """Which trial it is: its key, and its configuration where the text of it can be read."""
    try:
        about = short(config(json.loads(str(text))))
    except (ValueError, TypeError, AttributeError):
        return str(key)
    return f"{key} ({', '.join(f'{name} = {value}' for name, value in about.items())}, trial {trial})"


def tell(place: object, trials: Sequence[str]) -> None:
    """One line for all of them."""
    number = "1 result is" if len(trials) == 1 else f"{len(trials)} results are"
    more = [f"{len(trials) - NAMED} more"] if len(trials) > NAMED else []
    text = f"{place}: {number} altered or incomplete, and not used: {'; '.join([*trials[:NAMED], *more])}"
    warnings.warn(text, DamagedResult, stacklevel=3)
