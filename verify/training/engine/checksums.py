"""Checksums of results, and how those that do not fit are told. They guard against damage, not against a forger."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterable, Sequence

from maurey.symbolic.errors import InputError
from maurey.verify.training.trials.keys import Job, Trial, config, short

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


def check_protocol(place: object, rows: Iterable[tuple[str, str, int]]) -> None:
    """Key, configuration and number of trials; refused if a key is not theirs: the words meant another computation."""
    known: dict[str, Trial | None] = {}
    strange = []
    for key, text, trial in rows:
        if text not in known:
            try:
                known[text] = config(json.loads(text))
            except (ValueError, TypeError, AttributeError):
                known[text] = None
        made = known[text]
        if made is None or Job(made, trial).key != key:
            strange.append(in_words(key, text, trial))
    if strange:
        raise InputError(f"{place} has results of another protocol: {_listed(strange)}; move it away")


def tell(place: object, trials: Sequence[str]) -> None:
    """One line for all of them."""
    number = "1 result is" if len(trials) == 1 else f"{len(trials)} results are"
    text = f"{place}: {number} altered or incomplete, and not used: {_listed(trials)}"
    warnings.warn(text, DamagedResult, stacklevel=3)


def _listed(trials: Sequence[str]) -> str:
    more = [f"{len(trials) - NAMED} more"] if len(trials) > NAMED else []
    return "; ".join([*trials[:NAMED], *more])
