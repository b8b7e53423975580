"""From files to certificates: what each method reads, evaluates, checks and states."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from maurey.symbolic.errors import InputError, cut

from . import bounds, messages
from . import wording as say
from .bounds import plain
from .certificate import Certificate, Draft
from .executions import of_network
from .gaussians import divergence
from .losses import LONGEST, NUMBER, File, Losses, check_order, has_column, of_columns, of_file, of_networks
from .wording import UNIT


@dataclass(frozen=True)
class Request:
    """What was asked for; what is not given is none."""

    method: str
    losses: File
    delta: Fraction = Fraction(1, 20)
    pool: int | None = None
    window: tuple[int, int] | None = None
    message: File | None = None
    decoded: File | None = None
    KL: Fraction | None = None
    prior: File | None = None
    posterior: File | None = None
    heldout: File | None = None
    hypothesis: File | None = None
    hypotheses: File | None = None
    every_execution: bool = False
    same: int | None = None  # samples that have the content of a training sample
    seeds: dict[str, int] = field(default_factory=dict)


ONLY = {
    **dict.fromkeys(("pool", "every_execution"), "holdout"),
    "window": "prequential",
    **dict.fromkeys(("message", "decoded"), "occam"),
    **dict.fromkeys(("KL", "prior", "posterior"), "pac-bayes"),
}


def certificate(asked: Request, tell: Callable[[str], None] = lambda text: None) -> Certificate:
    if asked.method not in say.METHODS:
        raise InputError(f"no method {cut(repr(asked.method))}; there are {', '.join(say.METHODS)}")
    for name, method in ONLY.items():
        given = getattr(asked, name)
        if given is not None and given is not False and asked.method != method:
            raise InputError(f"{name.lower().replace('_', '-')} is for the method {method}, not for {asked.method}")
    if not 0 < asked.delta < 1:
        raise InputError(f"delta is a probability of failure in (0, 1), got {cut(str(asked.delta))}")
    if asked.delta.denominator > say.FINEST:
        raise InputError(f"delta has up to 30 digits, got {cut(str(asked.delta))}")
    tell(f"evaluating {asked.method}")
    draft = MADE[asked.method](asked)
    draft.seeds = asked.seeds
    _held_out(asked, draft)
    return draft.sealed()


def _share(asked: Request) -> Fraction:
    """Of delta, for each hypothesis on the list."""
    return asked.delta / (len(_listed(asked.hypotheses)) if asked.hypotheses else 1)


def _draft(asked: Request, losses: Losses, parts: list[bounds.Part]) -> Draft:
    own = Draft(asked.method, asked.delta, losses.n, plain(bounds.mean(losses)), parts)
    own.take("losses", asked.losses)
    own.checked.append(say.ZERO_ONE if losses.zero_one else say.RANGE)
    own.stated += [say.ONLY_ZERO_ONE] if losses.zero_one else []
    own.stated += [] if asked.every_execution else [say.OWN]
    return own


def _ordered(losses: Losses, name: str) -> list[str]:
    """What is stated of an order that matters."""
    if losses.zero_one:
        return []
    check_order(losses, name)
    return [say.IN_ORDER]


# --- methods ----------------------------------------------------------------------------------------------------------


def _holdout(asked: Request) -> Draft:
    losses, delta = of_network(asked.losses) if asked.every_execution else of_file(asked.losses), _share(asked)
    ordered = _ordered(losses, asked.losses.name)
    if asked.pool is None:
        own = _draft(asked, losses, bounds.holdout(losses, delta))
        own.stated += [say.INDEPENDENT, *ordered, say.FIXED]
        return _in_every_execution(own) if asked.every_execution else own
    if asked.every_execution:
        raise InputError("strings that are drawn from a pool have no --every-execution: store the losses")
    _check_pool(losses, asked.pool)
    own = _draft(asked, losses, bounds.pool(losses, delta, asked.pool))
    own.sentence, own.sample["pool"], own.told["pool"] = "pool", asked.pool, asked.pool
    own.checked += [say.DIFFERENT] if losses.indices else []
    own.stated += [say.POOL, *([] if losses.indices else [say.DIFFERENT]), say.REST, *ordered, say.FIXED]
    return own


def _in_every_execution(own: Draft) -> Draft:
    own.sentence, own.sample["executions"] = "executions", True
    own.told |= {"exp": say.EXP_UNITS, "erf": say.ERF_UNITS}
    own.checked.append(say.EXECUTIONS)
    own.stated.append(say.OPERATIONS)
    return own


def _check_pool(losses: Losses, pool: int) -> None:
    if pool < losses.n:
        raise InputError(f"a pool of {pool} has no {losses.n} members to be drawn without replacement")
    if pool > say.MOST_POOL:
        raise InputError(f"a pool has at most {say.MOST_POOL} members, got {cut(str(pool))}")
    for row, i in enumerate(losses.indices or [], 1):
        if i >= pool:
            raise InputError(f"row {row}: the members of the pool are 0 to {pool - 1}, got {i}")


def _prequential(asked: Request) -> Draft:
    losses, delta = of_file(asked.losses), _share(asked)
    first, last = asked.window or (1, losses.n)
    if not 1 <= first <= last <= losses.n:
        raise InputError(f"a window is within the samples 1..{losses.n}, got {first}..{last}")
    inside = losses.window(first, last)
    _ordered(inside, asked.losses.name)
    own = _draft(asked, inside, bounds.prequential(inside, delta))
    own.sample["window"] = f"{first}..{last}"
    own.told |= {"first": first, "last": last}
    own.stated += [say.INDEPENDENT, say.BEFORE, say.WINDOW]
    own.stated += [] if asked.hypotheses else [say.ONE_RUN]
    return own


def _occam(asked: Request) -> Draft:
    """Without integers that it decodes to, the message is in a format of its maker's."""
    if asked.message is None:
        raise InputError("the method occam takes a message, and the file of the integers that it decodes to")
    losses, delta, bits = of_file(asked.losses), _share(asked), messages.bits_of(asked.message.content)
    ordered = _ordered(losses, asked.losses.name)
    own = _draft(asked, losses, bounds.occam(losses, delta, bits))
    own.take("message", asked.message)
    own.sample["bits"] = own.told["bits"] = bits
    own.stated += [say.INDEPENDENT, *ordered, say.CODE]
    if asked.decoded is None:
        own.stated.append(say.OTHER_CODE)
        return own
    wanted = [x for block in messages.decode(asked.message.content) for x in block]
    if [x for (x,) in of_columns(asked.decoded, ("integer",))] != wanted:
        raise InputError(f"{asked.message.name} decodes to other integers than those of {asked.decoded.name}")
    own.take("decoded", asked.decoded)
    own.checked.append(say.DECODED)
    return own


def _pac_bayes(asked: Request) -> Draft:
    if (asked.prior is None) != (asked.posterior is None) or (asked.prior is None) == (asked.KL is None):
        raise InputError("the method pac-bayes takes either a divergence or the files of prior and posterior")
    if has_column(asked.losses, "margin"):
        return _linear_head(asked)
    draws, m, total = of_networks(asked.losses)
    files = [(role, file) for role, file in (("prior", asked.prior), ("posterior", asked.posterior)) if file]
    KL = divergence(files[1][1], files[0][1]) if files else asked.KL or Fraction(0)
    _check_divergence(KL)
    KL, empirical = Fraction(plain(KL)), plain(Fraction(total, draws * m * UNIT))
    own = Draft(asked.method, asked.delta, m, empirical, bounds.gibbs(total, draws, m, KL, _share(asked)))
    own.take("losses", asked.losses)
    for role, file in files:
        own.take(role, file)
    own.told["draws"] = draws
    own.checked += [say.RANGE, *([say.GAUSSIANS] if files else [])]
    own.stated += [say.OWN, say.INDEPENDENT, say.PRIOR, say.DRAWN, *([] if files else [say.DIVERGENCE])]
    return own


def _linear_head(asked: Request) -> Draft:
    """Margins instead of drawn networks: what a drawn head loses is known in closed form."""
    if asked.KL is None:
        raise InputError("a linear head at distance b from the prior has the divergence b^2/2, to be given with --kl")
    _check_divergence(asked.KL)
    margins, KL = [x for (x,) in of_columns(asked.losses, ("margin",))], Fraction(plain(asked.KL))
    if bad := [i for i, x in enumerate(margins, 1) if not -1 <= x <= 1]:
        raise InputError(f"{asked.losses.name}, row {bad[0]}: a margin y w.x/|x| with |w| = 1 is in [-1, 1]")
    empirical, parts = bounds.linear_head(margins, KL, _share(asked))
    own = Draft(asked.method, asked.delta, len(margins), empirical, parts, "linear-head")
    own.take("losses", asked.losses)
    own.told["KL"] = plain(KL)
    own.checked.append(say.MARGINS)
    own.stated += [say.OWN, say.INDEPENDENT, say.FEATURES]
    return own


def _check_divergence(KL: Fraction) -> None:
    if not 0 <= KL <= say.MOST_KL:
        raise InputError(f"a divergence is at least 0, and one above {say.MOST_KL} says nothing, got {cut(str(KL))}")


MADE = {"holdout": _holdout, "prequential": _prequential, "occam": _occam, "pac-bayes": _pac_bayes}


# --- held-out data and lists ------------------------------------------------------------------------------------------


def _held_out(asked: Request, own: Draft) -> None:
    if asked.heldout:
        own.take("heldout", asked.heldout)
    if asked.hypothesis:
        own.take("hypothesis", asked.hypothesis)
    if asked.hypotheses:
        if asked.hypothesis is None:
            raise InputError("of listed hypotheses, name the file of the one that is certified (--hypothesis)")
        listed = _listed(asked.hypotheses)
        if asked.hypothesis.sha256 not in listed:
            raise InputError(f"{asked.hypothesis.name} is not on the list {asked.hypotheses.name}")
        own.take("list", asked.hypotheses)
        own.sample["of"] = own.told["of"] = len(listed)
        own.checked.append(say.LIST)
        own.stated.append(say.LISTED_BEFORE)
    if asked.same is not None:
        own.sample["same"] = own.told["same"] = asked.same
        own.stated.append(say.SAME)
    own.checked.append(say.ONCE)
    own.stated.append(say.NEVER)


def _listed(hypotheses: File) -> list[str]:
    """The hashes of a list as sha256sum writes it, each once."""
    lines = hypotheses.content.decode(errors="replace").splitlines()
    words = [line.split()[0] for line in lines if line.strip()]
    if not words or not all(re.fullmatch(r"[0-9a-f]{64}", word) for word in words) or len(set(words)) < len(words):
        raise InputError(f"{hypotheses.name} is no list of hashes: a line for each hypothesis, as sha256sum writes it")
    return words


# --- texts ------------------------------------------------------------------------------------------------------------


def number(text: str, what: str) -> Fraction:
    """A decimal or a fraction."""
    text = text.strip()
    ratio = re.fullmatch(r"[0-9]{1,40}/[0-9]{1,40}", text) and int(text.partition("/")[2])
    if not ratio and not (len(text) <= LONGEST and NUMBER.fullmatch(text)):
        raise InputError(f"{what} is a number such as 0.05 or 1/20, got {cut(repr(text))}")
    return Fraction(text)


def window(text: str) -> tuple[int, int]:
    parts = re.fullmatch(r"([0-9]{1,12})\.\.([0-9]{1,12})", text.strip())
    if not parts:
        raise InputError(f"a window is its first and its last sample, e.g. 2049..4096, got {cut(repr(text))}")
    return int(parts[1]), int(parts[2])
