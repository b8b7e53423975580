"""Ledgers that were tampered with."""

import copy
import json
from functools import cache
from pathlib import Path

from maurey import verify
from maurey.verify import digests, evidence, ledger


def entries_of():
    """Those of the ledger that is committed."""
    return json.loads(_text())["claims"]


@cache
def _text():
    return (Path(verify.__file__).parent / "ledger.json").read_text()


def text_of(claims):
    """With the digests that belong to it."""
    return evidence.written(digests.sources(), claims)


def tampered(entries, rng):
    """One change in a witness, a value, a verdict or a note, and where it was made."""
    changed = copy.deepcopy(entries)
    entry = changed[rng.choice(sorted(changed))]
    holder, name, where = rng.choice(list(_places(entry, entry["key"])))
    holder[name] = _other(holder[name], rng)
    return changed, where


def _places(found, where):
    """Whatever is not a folder of other things, and can be replayed."""
    for name, value in found.items() if isinstance(found, dict) else enumerate(found):
        place = f"{where}.{name}"
        if isinstance(value, (dict, list)) and value:
            yield from _places(value, place)
        elif not place.endswith(tuple(f".{field}" for field in ledger.NOT_REPLAYED)):
            yield found, name, place


def _other(value, rng):
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if value:
            at = rng.randrange(len(value))
            return value[:at] + rng.choice([c for c in "x7 " if c != value[at]]) + value[at + 1 :]
        case []:
            return ["x"]
    return "x"
