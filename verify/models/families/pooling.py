"""What follows the network in a folder of sentence-transformers: modules.json lists what is read of the tokens, and
maps behind it."""

from __future__ import annotations

from pathlib import Path

from maurey.symbolic.errors import InputError, cut

from ..files.documents import read_any, read_object

NAME = "modules.json"
MOST = 1 << 16  # bytes
READERS = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean", "pooling_mode_max_tokens": "max"}
NORMALIZED = (
    f"the final normalisation u/|u| of {NAME} has no Lipschitz constant: it is left out, and a head reads what comes "
    "before it"
)


def further(folder: Path) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """What is read, if it is said; hypotheses; and what is refused."""
    if not (folder / NAME).exists():
        return "", (), ()
    rows = read_any(folder / NAME, MOST)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{NAME} is no list of modules")
    kinds = {str(row.get("type")).rpartition(".")[2]: str(row.get("path")) for row in rows}
    if unknown := [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]:
        raise InputError(f"{NAME} adds a module {cut(repr(unknown[0]))}, of which nothing is known")
    refused = (NORMALIZED,) if "Normalize" in kinds else ()
    if "Pooling" not in kinds:
        return "", (), refused
    if (place := kinds["Pooling"]) != Path(place).name:
        raise InputError(f"{NAME}: want a folder beside it, got {cut(repr(place))}")
    pooling = _reader(folder / place / "config.json")
    return pooling, (f"{NAME}: the {pooling} of the tokens is read",), refused


def _reader(path: Path) -> str:
    values = read_object(path, MOST)
    on = [name for name, value in values.items() if name.startswith("pooling_mode_") and value is True]
    found = values.get("pooling_mode", [READERS.get(name, name) for name in on])  # older ones have a key for each
    found = found if isinstance(found, list) else [found]
    if len(found) != 1 or found[0] not in READERS.values():
        told = ", ".join(map(str, found)) or "none"
        raise InputError(f"{path.parent.name}: want one of {', '.join(READERS.values())}, got {cut(told)}")
    return str(found[0])
