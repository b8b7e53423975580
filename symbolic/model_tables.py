"""An architecture from the tables of a file: [model], [norms] and [loss]. What is wrong is named in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .architecture import CHOICES, LOSSES, Architecture, Loss, Norm, split
from .errors import InputError, cut, perhaps

MOST, MOST_LAYERS = 10**12, 1000  # of a size
WANTED = ("kind", "layers", "width", "heads", "hidden", "context", "norm", "norm_at", "norm_eps", "activation",
          "positions", "read")  # fmt: skip
OF = (("rope_base", "positions", "rope"), ("patch_radius", "patch", ""), ("pooler_norm", "pooler", ""))


def read(tables: Mapping[str, Any]) -> Architecture:
    """From the tables of a file; what is wrong is named in one line."""
    for name in tables:
        if name not in ("model", "norms", "loss"):
            raise InputError(f"no table [{cut(name)}]{perhaps(name, ('model', 'norms', 'loss'))}; there are [model], "
                             "[norms] and [loss]")  # fmt: skip
    if not isinstance(tables.get("model"), Mapping):
        raise InputError("a table [model] is missing: kind, layers, width, heads, hidden, ...")
    model = _read_model(tables["model"])
    loss = read_loss(_table(tables, "loss"))
    a = Architecture(**model, loss=loss)
    check(a)
    return with_norms(a, _table(tables, "norms"))


def _table(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = tables.get(name, {})
    if not isinstance(found, Mapping):
        raise InputError(f"{name} is a table, [{name}], got {cut(repr(found))}")
    return found


def _read_model(table: Mapping[str, Any]) -> dict[str, Any]:
    known = {f.name: f for f in fields(Architecture) if f.name not in ("norms", "loss", "first_position")}
    for name in table:
        if name not in known:
            raise InputError(f"[model] has no key {cut(repr(name))}{perhaps(name, known)}; it has {', '.join(known)}")
    found = {name: _value(name, str(known[name].type), raw) for name, raw in table.items()}
    for name, key, value in OF:
        if name in found and (found.get(key) != value if value else not found.get(key)):
            raise InputError(f"{name} is for models with {key}{f' = {value}' if value else ''}")
    if missing := [name for name in WANTED if name not in found]:
        raise InputError(f"[model] lacks {', '.join(missing)}")
    return found


def _value(name: str, kind: str, raw: Any) -> Any:
    if name in CHOICES:
        if raw not in CHOICES[name]:
            words = [word for word in CHOICES[name] if word]
            raise InputError(f"{name} is one of {', '.join(words)}, got {cut(repr(raw))}{perhaps(str(raw), words)}")
        return raw
    if kind.startswith("bool"):
        if not isinstance(raw, bool):
            raise InputError(f"{name} is true or false, got {cut(repr(raw))}")
        return raw
    if kind == "int":
        if isinstance(raw, bool) or not isinstance(raw, int) or not 0 < raw <= MOST:
            most = f" of at most {MOST:,}" if isinstance(raw, int) and raw > MOST else ""
            raise InputError(f"{name} must be a positive integer{most}, got {cut(str(raw))}")
        return raw
    return number(name, raw, zero=name == "norm_eps")


def number(name: str, raw: Any, zero: bool = False) -> Fraction:
    """An exact positive number."""
    try:
        if isinstance(raw, bool) or not isinstance(raw, (int, float, Decimal, Fraction)):
            raise ValueError
        found = Fraction(repr(raw)) if isinstance(raw, float) else Fraction(raw)
    except (ValueError, OverflowError):
        raise InputError(f"{name} must be a positive number, got {cut(repr(raw))}") from None
    if found < 0 or (found == 0 and not zero):
        raise InputError(f"{name} must be a positive number, got {cut(str(raw))}")
    return found


def read_loss(table: Mapping[str, Any]) -> Loss:
    kind = table.get("kind", "ramp")
    if not isinstance(kind, str) or kind not in LOSSES:
        near = perhaps(str(kind), LOSSES)
        raise InputError(f"the kind of a loss is one of {', '.join(LOSSES)}, got {cut(repr(kind))}{near}")
    known = ("kind", *LOSSES[kind])
    for name in table:
        if name not in known:
            near = perhaps(name, known)
            raise InputError(f"[loss] has no key {cut(repr(name))}{near}; {kind} takes {', '.join(known)}")
    return Loss(kind, **{name: number(name, table[name]) for name in LOSSES[kind] if name in table})


# --- what must fit together -------------------------------------------------------------------------------------------


def check(a: Architecture) -> None:
    """Sizes that contradict each other are named."""
    wrong = next(_contradictions(a), "")
    if wrong:
        raise InputError(wrong)


def _contradictions(a: Architecture) -> Iterator[str]:
    if a.layers > MOST_LAYERS:
        yield f"layers must be at most {MOST_LAYERS}, got {a.layers}"
    if not a.head_width and a.width % a.heads:
        yield f"heads = {a.heads} does not divide width = {a.width}; give head_width if heads have another width"
    if a.heads % a.groups:
        yield f"kv_heads = {a.kv_heads} does not divide heads = {a.heads}"
    if bool(a.vocabulary) == bool(a.patch):
        yield "a model has words or patches: give vocabulary or patch, one of them"
    if a.patch and not a.patch_radius:
        yield "patch_radius is missing: the largest norm of a patch"
    if a.tied and not a.vocabulary:
        yield "tied = true shares the table of words, and there are none"
    if a.tied and a.outputs not in (0, a.vocabulary):
        yield f"outputs = {a.outputs} contradicts tied = true: a tied head has vocabulary = {a.vocabulary} outputs"
    if not a.tied and not a.outputs:
        yield "[model] lacks outputs"
    if a.top_k > a.experts:
        yield f"top_k = {a.top_k} is more than experts = {a.experts}"
    if a.experts and not a.top_k:
        yield "top_k is missing: how many experts a token is sent to"
    if a.positions == "rope" and (a.head_width or a.width // a.heads) % 2:
        yield f"rope turns pairs of coordinates, and a head has {a.head_width or a.width // a.heads}"
    if a.types and not a.vocabulary:
        yield "types are of words, and there are none"


def with_norms(a: Architecture, table: Mapping[str, Any]) -> Architecture:
    """Bounds by name, a number for all layers or a list of them; all that are needed, or none."""
    known, found = a.slots, dict[str, Norm]()
    for name, raw in table.items():
        slot, _ = split(name, known)
        if isinstance(raw, (list, tuple)):
            if not slot.per_layer or len(raw) != a.layers:
                wanted = f"layers = {a.layers} of them" if slot.per_layer else "one number"
                raise InputError(f"{name} must be {wanted}, got a list of {len(raw)}")
            found[name] = tuple(number(name, one) for one in raw)
        else:
            found[name] = number(name, raw)
    given = {split(name, known)[0].name for name in found}
    missing = [slot.name for slot in known.values() if not slot.optional and slot.name not in given]
    if found and missing:
        raise InputError(f"[norms] lacks {', '.join(missing)}; without any norms the bound is a formula")
    return replace(a, norms=found)
