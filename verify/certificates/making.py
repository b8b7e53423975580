"""From files to certificates: what each method reads, evaluates, checks and states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from maurey.symbolic.errors import InputError, cut

from . import bounds, messages
from . import wording as say
from .bounds import plain
from .certificate import Certificate, Draft
from .gaussians import divergence
from .losses import NUMBER, Losses, check_order, content_of, of_columns, of_file, of_networks
from .wording import UNIT


@dataclass(frozen=True)
class Request:
    """What was asked for; files that are not given are none."""

    method: str
    losses: Path
    delta: Fraction = Fraction(1, 20)
    pool: int | None = None
    window: tuple[int, int] | None = None
    message: Path | None = None
    decoded: Path | None = None
    KL: Fraction | None = None
    prior: Path | None = None
    posterior: Path | None = None
    heldout: Path | None = None
    hypothesis: Path | None = None
    hypotheses: Path | None = None
    every_execution: bool = False
    seeds: dict[str, Any] = field(default_factory=dict)


ONLY = {"pool": "holdout", "window": "prequential", "message": "occam", "decoded": "occam", "KL": "pac-bayes",
        "prior": "pac-bayes", "posterior": "pac-bayes"}  # fmt: skip


def certificate(asked: Request, tell: Callable[[str], None] = lambda text: None) -> Certificate:
    if asked.method not in say.METHODS:
        raise InputError(f"no method {cut(repr(asked.method))}; there are {', '.join(say.METHODS)}")
    for name, method in ONLY.items():
        if getattr(asked, name) is not None and asked.method != method:
            raise InputError(f"{name.lower()} is for the method {method}, not for {asked.method}")
    if not 0 < asked.delta < 1:
        raise InputError(f"delta is a probability of failure in (0, 1), got {asked.delta}")
    tell(f"evaluating {asked.method}")
    draft = MADE[asked.method](asked)
    draft.seeds = asked.seeds
    _held_out(asked, draft)
    return draft.sealed()


def share(asked: Request) -> tuple[Fraction, int]:
    """Of delta, for each hypothesis on the list, and how many there are."""
    of = len(_listed(asked)) if asked.hypotheses else 1
    return asked.delta / of, of


def _draft(asked: Request, losses: Losses, parts: list[bounds.Part]) -> Draft:
    own = Draft(asked.method, asked.delta, losses.n, plain(bounds.mean(losses)), parts)
    own.take("losses", asked.losses, content_of(asked.losses))
    own.checked.append(say.ZERO_ONE if losses.zero_one else say.RANGE)
    own.stated += [say.ONLY_ZERO_ONE] if losses.zero_one else []
    return own


def _betting(losses: Losses, asked: Request) -> list[str]:
    """What is stated of an order that matters."""
    if losses.zero_one:
        return []
    check_order(losses, asked.losses.name)
    return [say.IN_ORDER]


# --- methods ----------------------------------------------------------------------------------------------------------


def _holdout(asked: Request) -> Draft:
    losses, (delta, _) = of_file(asked.losses), share(asked)
    ordered = _betting(losses, asked)
    if asked.pool is None:
        own = _draft(asked, losses, bounds.holdout(losses, delta))
        own.stated += [say.INDEPENDENT, *ordered, say.FIXED]
        return own
    _check_pool(losses, asked.pool)
    own = _draft(asked, losses, bounds.pool(losses, delta, asked.pool))
    own.sentence, own.sample["pool"], own.told["pool"] = "pool", asked.pool, asked.pool
    own.checked += [say.DIFFERENT] if losses.indices else []
    own.stated += [say.POOL, *([] if losses.indices else [say.DIFFERENT]), say.REST, *ordered, say.FIXED]
    return own


def _check_pool(losses: Losses, pool: int) -> None:
    if pool < losses.n:
        raise InputError(f"a pool of {pool} has no {losses.n} members to be drawn without replacement")
    if losses.indices is None:
        return
    seen: set[int] = set()
    for row, i in enumerate(losses.indices, 1):
        if not 0 <= i < pool:
            raise InputError(f"row {row}: the members of the pool are 0 to {pool - 1}, got {i}")
        if i in seen:
            raise InputError(f"row {row}: member {i} is there twice, and was not drawn without replacement")
        seen.add(i)


def _prequential(asked: Request) -> Draft:
    losses, (delta, _) = of_file(asked.losses), share(asked)
    first, last = asked.window or (1, losses.n)
    if not 1 <= first <= last <= losses.n:
        raise InputError(f"a window is within the samples 1..{losses.n}, got {first}..{last}")
    inside = losses.window(first, last)
    if not losses.zero_one:
        check_order(inside, asked.losses.name)
    own = _draft(asked, inside, bounds.prequential(inside, delta))
    own.sample["window"] = f"{first}..{last}"
    own.told |= {"first": first, "last": last}
    own.stated += [say.INDEPENDENT, say.BEFORE, say.WINDOW]
    own.stated += [] if asked.hypotheses else [say.ONE_RUN]
    return own


def _occam(asked: Request) -> Draft:
    if asked.message is None or asked.decoded is None:
        raise InputError("the method occam takes a message, and the file of the integers that it decodes to")
    losses, (delta, _) = of_file(asked.losses), share(asked)
    ordered = _betting(losses, asked)
    message, decoded = content_of(asked.message), of_columns(asked.decoded, ("integer",))
    wanted = [x for block in messages.decode(message) for x in block]
    if [x for (x,) in decoded] != wanted:
        raise InputError(f"{asked.message.name} decodes to other integers than those of {asked.decoded.name}")
    bits = messages.bits_of(message)
    own = _draft(asked, losses, bounds.occam(losses, delta, bits))
    own.take("message", asked.message, message)
    own.take("decoded", asked.decoded, content_of(asked.decoded))
    own.sample["bits"] = own.told["bits"] = bits
    own.checked.append(say.DECODED)
    own.stated += [say.INDEPENDENT, *ordered, say.CODE]
    return own


def _pac_bayes(asked: Request) -> Draft:
    files = asked.prior is not None and asked.posterior is not None
    if files == (asked.KL is not None) or (asked.prior is None) != (asked.posterior is None):
        raise InputError("the method pac-bayes takes either a divergence or the files of prior and posterior")
    draws, m, total = of_networks(asked.losses)
    KL = divergence(asked.posterior, asked.prior) if asked.posterior and asked.prior else asked.KL
    if KL is None or KL < 0:
        raise InputError(f"a divergence is at least 0, got {KL}")
    KL, (delta, _) = Fraction(plain(KL)), share(asked)
    empirical = plain(Fraction(total, draws * m * UNIT))
    own = Draft(asked.method, asked.delta, m, empirical, bounds.gibbs(total, draws, m, KL, delta))
    own.take("losses", asked.losses, content_of(asked.losses))
    for role in ("prior", "posterior"):
        if path := getattr(asked, role):
            own.take(role, path, content_of(path))
    own.told["draws"] = draws
    own.checked += [say.RANGE, *([say.GAUSSIANS] if files else [])]
    own.stated += [say.INDEPENDENT, say.PRIOR, say.DRAWN, *([] if files else [say.DIVERGENCE])]
    return own


MADE = {"holdout": _holdout, "prequential": _prequential, "occam": _occam, "pac-bayes": _pac_bayes}


# --- held-out data and lists ------------------------------------------------------------------------------------------


def _held_out(asked: Request, own: Draft) -> None:
    if asked.heldout:
        own.take("heldout", asked.heldout, content_of(asked.heldout))
    if asked.hypotheses:
        _, of = share(asked)
        if asked.hypothesis is None:
            raise InputError("of listed hypotheses, name the file of the one that is certified (--hypothesis)")
        own.take("hypothesis", asked.hypothesis, content_of(asked.hypothesis))
        own.take("list", asked.hypotheses, content_of(asked.hypotheses))
        if own.inputs[asked.hypothesis.name] not in _listed(asked):
            raise InputError(f"{asked.hypothesis.name} is not on the list {asked.hypotheses.name}")
        own.sample["of"] = own.told["of"] = of
        own.checked.append(say.LIST)
        own.stated.append(say.LISTED_BEFORE)
    elif asked.hypothesis:
        own.take("hypothesis", asked.hypothesis, content_of(asked.hypothesis))
    own.checked.append(say.ONCE)
    own.stated.append(say.NEVER)


def _listed(asked: Request) -> list[str]:
    """The hashes of a list as sha256sum writes it, each once."""
    lines = content_of(asked.hypotheses).decode(errors="replace").splitlines() if asked.hypotheses else []
    words = [line.split()[0] for line in lines if line.strip()]
    if not words or not all(re.fullmatch(r"[0-9a-f]{64}", word) for word in words) or len(set(words)) < len(words):
        raise InputError(f"{asked.hypotheses} is no list of hashes: a line for each hypothesis, as sha256sum writes it")
    return words


# --- texts ------------------------------------------------------------------------------------------------------------


def number(text: str, what: str) -> Fraction:
    """A decimal or a fraction."""
    above, slash, below = text.strip().partition("/")
    if not NUMBER.fullmatch(above) or (slash and not (below.isdigit() and int(below) and above.isdigit())):
        raise InputError(f"{what} is a number such as 0.05 or 1/20, got {cut(repr(text))}")
    return Fraction(above) / (int(below) if slash else 1)


def window(text: str) -> tuple[int, int]:
    parts = re.fullmatch(r"(\d{1,12})\.\.(\d{1,12})", text.strip())
    if not parts:
        raise InputError(f"a window is its first and its last sample, e.g. 2049..4096, got {cut(repr(text))}")
    return int(parts[1]), int(parts[2])


def notes(asked: Request, folder: Path) -> Iterator[str]:
    """Of inputs that a checker will look for elsewhere."""
    for name in ("losses", "message", "decoded", "prior", "posterior", "heldout", "hypothesis", "hypotheses"):
        path = getattr(asked, name)
        if path is not None and path.resolve().parent != folder.resolve():
            yield f"{path.name} is to lie beside the certificate when that is checked"
