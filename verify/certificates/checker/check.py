"""A certificate read again: its digest, its files, its parts, and whether all it says follows.

A file that is needed and is not there is no fault of the certificate, but nothing can be said without it. Held-out data
and the file of the hypothesis are looked for too; where they are not there, their hashes are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from flint import ctx

from maurey.symbolic.errors import InputError

from .. import wording as say
from ..wording import CHECKED, DRAWS, GRID, SLOPES, STATED, UNIT
from . import decoding, floats, reading, trials
from .reading import Unsound, fingerprint, fraction, require

OPTIONAL = ("heldout", "hypothesis")
ROLES = {
    "holdout": {"losses"},
    "prequential": {"losses"},
    "occam": {"losses", "message"},
    "pac-bayes": {"losses"},
}
MORE = {
    "holdout": {"pool", "executions"},
    "prequential": {"window"},
    "occam": {"decoded", "bits"},
    "pac-bayes": {"prior", "posterior"},
}
LISTED = {"list", "hypothesis", "of", "heldout", "same"}
NAMES = {"losses", "message", "decoded", "prior", "posterior", "list", "hypothesis", "heldout"}
Test = Callable[[Fraction, Fraction], bool]  # from a bound and a level


@dataclass
class Found:
    """What is known of a certificate while it is read."""

    certificate: dict[str, Any]
    sample: dict[str, Any]
    delta: Fraction  # of the parts together
    files: dict[str, bytes]  # by role
    told: dict[str, Any]
    checked: list[str] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)


def check(path: Path) -> Found:
    """Raises what does not stand."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', 'it is no text')}") from None
    try:
        read = reading.certificate(text)
    except (Unsound, ValueError, RecursionError) as error:
        raise Unsound(f"it is no certificate: {str(error)[:80]}") from None
    require(set(read) == set(say.FIELDS), "it has not the fields of a certificate")
    require(read["digest"] == reading.seal(read), "its digest is that of something else")
    require(isinstance(read["method"], str) and read["method"] in ROLES, "its method is none")
    try:
        found = _begun(read, path.parent)
        with ctx.workprec(trials.BITS):
            BY_METHOD[read["method"]](found)
        _alone(found, path)
        _concluded(found)
    except (Unsound, InputError):
        raise
    except Exception as error:  # a forged file can bring about any of them
        raise Unsound(f"it cannot be followed: {str(error)[:80]}") from None
    return found


def _begun(read: dict[str, Any], folder: Path) -> Found:
    require(isinstance(read["parts"], list) and read["parts"], "it has no parts")
    require(all(isinstance(part, dict) for part in read["parts"]), "a part of it is no record")
    version = read["maurey"]
    require(isinstance(version, str) and re.fullmatch(r"[\w.+-]{1,40}", version), "it does not say what made it")
    require(isinstance(read["seeds"], dict) and all(type(x) is int for x in read["seeds"].values()), "a seed is none")
    sample, method = dict(read["parts"][0]), read["method"]
    require(sample.pop("part", "") == "sample", "its first part is not the sample")
    allowed = ROLES[method] | MORE[method] | LISTED
    require(ROLES[method] <= set(sample) <= allowed, "its sample is not of its method")
    delta = fraction(read["delta"], "delta")
    require(0 < delta < 1 and read["delta"] == str(delta), "delta is no level")
    of = sample.get("of", 1)
    require(type(of) is int and of >= 1 and ("of" in sample) == ("list" in sample), "its list has no length")
    found = Found(read, sample, delta / of, {}, {"sure": _sure(delta), "of": of})
    _files(found, folder)
    return found


def _files(found: Found, folder: Path) -> None:
    inputs = found.certificate["inputs"]
    hashed = isinstance(inputs, dict) and all(re.fullmatch("[0-9a-f]{64}", str(x)) for x in inputs.values())
    require(hashed, "its inputs have no hashes")
    roles = {role: name for role, name in found.sample.items() if role in NAMES}
    require(sorted(inputs) == sorted(set(map(str, roles.values()))), "its inputs are not those of its sample")
    missing: list[str] = []
    for role, name in roles.items():
        require(isinstance(name, str) and name.isprintable(), "an input is no name of a file")
        require(name not in ("", ".", "..") and not set(name) & set("/\\"), "an input is no name of a file")
        try:
            content = (folder / name).read_bytes()
        except OSError:
            (found.absent if role in OPTIONAL else missing).append(name)
            continue
        require(fingerprint(content) == inputs[name], f"{name} is another file")
        found.files[role] = content
    if missing:
        raise InputError(
            f"{missing[0][:60]} is needed, and does not lie beside the certificate (sha256 {inputs[missing[0]]})"
        )
    if "list" in found.files:
        lines = found.files["list"].decode("ascii", "replace").splitlines()
        words = [line.split()[0] for line in lines if line.strip()]
        require(len(words) == len(set(words)) == found.told["of"], "its list has another length")
        require("hypothesis" in roles and inputs[roles["hypothesis"]] in words, "its hypothesis is not on its list")


def _alone(found: Found, path: Path) -> None:
    """No other certificate of this folder is of the same data, but one of the same delta that was on a list with it, or
    is of another message of the same code."""
    read = found.certificate
    for other in sorted(path.parent.glob("*.json")):
        try:
            one = reading.certificate(other.read_text("utf-8")) if other != path else read
            listed, what = _hash(one, "list"), _hash(one, "hypothesis")
            (data, heldout), (losses, own) = ([_hash(x, role) for role in ("losses", "heldout")] for x in (one, read))
            same = bool({data, heldout} & {losses, own} - {""})
            if heldout and own and one["empirical"] == read["empirical"] == "0":  # no loss, whatever the data are
                same = heldout == own
            codes = ["decoded" in x["parts"][0] for x in (one, read)]
            together = one["method"] == read["method"] == "occam" and codes[0] == codes[1]
            together |= bool(listed) and listed == _hash(read, "list") and what != _hash(read, "hypothesis")
            together &= one["delta"] == read["delta"]
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue  # no certificate
        require(one == read or not same or together, f"{other.name} is made of the same data")


def _hash(read: dict[str, Any], role: str) -> str:
    """Of the file that has this role; empty, if there is none."""
    sample = read["parts"][0]
    return str(read["inputs"][sample[role]]) if role in sample else ""


def _concluded(found: Found) -> None:
    """The sentence and the hypotheses are those that follow, word by word."""
    read, told = found.certificate, found.told
    own = [fraction(part["bound"], "a bound") for part in read["parts"][1:]]
    bound = fraction(read["bound"], "the bound")
    require(bound >= (own[-1] if read["method"] == "pac-bayes" else min(own)), "its bound is below those of its parts")
    told |= {"bound": read["bound"], "n": read["n"]}
    kind = found.told.get("kind") or ("pool" if "pool" in found.sample else read["method"])
    sentence = say.SENTENCES[kind] + (say.LISTED if "list" in found.sample else "")
    require(read["statement"] == sentence.format(**told), "its sentence is not what follows")
    if "list" in found.sample:
        found.checked.append(say.LIST)
        found.stated.append(say.LISTED_BEFORE)
    if "same" in found.sample:
        same = found.sample["same"]
        require(type(same) is int and 0 <= same <= read["n"], "a count is none")
        found.stated.append(say.SAME)
        told["same"] = found.sample["same"]
    found.checked.append(say.ONCE)
    found.stated.append(say.NEVER)
    texts = [(text, CHECKED) for text in found.checked] + [(text, STATED) for text in found.stated]
    wanted = [{"text": text.format(**told), "status": status} for text, status in texts]
    require(isinstance(read["hypotheses"], list), "its hypotheses are no list")
    unsaid = [one["text"] for one in wanted if one not in read["hypotheses"]]
    require(not unsaid, f"it does not say that {unsaid[0]}" if unsaid else "")
    require(len(read["hypotheses"]) == len(wanted), "it says of hypotheses what nobody knows")


def _sure(delta: Fraction) -> str:
    """1 - delta"""
    sure = 1 - delta
    for places in range(120):
        if 10**places % sure.denominator == 0:
            whole, rest = divmod(sure.numerator * (10**places // sure.denominator), 10**places)
            return f"{whole}.{rest:0{places}d}" if places else str(whole)
    return str(sure)


# --- methods ----------------------------------------------------------------------------------------------------------


def _losses(found: Found) -> tuple[list[int], bool, list[int] | None]:
    name, members = found.sample["losses"], None
    if "executions" in found.sample:
        require(
            found.sample["executions"] is True and "pool" not in found.sample, "its executions are not of its method"
        )
        exact = [Fraction(x) for x in floats.errors(name, found.files["losses"])]
    else:
        exact, members = reading.losses(name, found.files["losses"])
    units, bits = reading.rounded_up(exact, name), all(x in (0, 1) for x in exact)
    if window := found.sample.get("window"):
        parts = re.fullmatch(r"(\d{1,12})\.\.(\d{1,12})", str(window))
        require(parts and 1 <= int(parts[1]) <= int(parts[2]) <= len(units), "its window is none")
        first, last = map(int, str(window).split(".."))
        require(window == f"{first}..{last}", "its window is none")
        found.told |= {"first": first, "last": last}
        units = units[first - 1 : last]
    _amount(found, len(units), Fraction(sum(units), len(units) * UNIT))
    found.checked.append(say.ZERO_ONE if bits else say.RANGE)
    found.stated += [say.ONLY_ZERO_ONE] if bits else []
    found.stated += [] if "executions" in found.sample else [say.OWN]
    return units, bits, members


def _amount(found: Found, n: int, mean: Fraction) -> None:
    read = found.certificate
    require(type(read["n"]) is int and read["n"] == n, f"it is of {n} samples, and says otherwise")
    said = fraction(read["empirical"], "the mean loss")
    require(said == Fraction(-(-mean.numerator * GRID // mean.denominator), GRID), "its mean loss is another one")


def _parts(found: Found, wanted: list[tuple[str, Fraction, Test, dict[str, Any]]]) -> None:
    """Exactly these claims, at exactly these levels, which nobody may choose after the losses were seen."""
    own = found.certificate["parts"][1:]
    require([part.get("key") for part in own] == [key for key, *_ in wanted], "its parts are not those of its method")
    for part, (key, delta, test, more) in zip(own, wanted, strict=True):
        require(set(part) == {"key", "delta", "bound", *more}, f"{key} has other fields")
        require(part["delta"] == str(delta), f"{key} has another share of delta")
        same = all(type(part[name]) is type(x) and part[name] == x for name, x in more.items())
        require(same, f"{key} was evaluated at other numbers")
        bound = fraction(part["bound"], "a bound")
        require(test(bound, delta), f"{key} does not say {part['bound']}")


def _in_order(units: list[int]) -> None:
    rising = units == sorted(units) or units == sorted(units, reverse=True)
    require(not (rising and len(set(units)) >= say.SORTED), "its losses are in order of size")


def _holdout(found: Found) -> None:
    units, bits, members = _losses(found)
    n, delta, mean = len(units), found.delta, Fraction(sum(units), len(units) * UNIT)
    ordered = [] if bits else [say.IN_ORDER]
    if not bits:
        _in_order(units)
    if "pool" in found.sample:
        N = found.sample["pool"]
        require(type(N) is int and n <= N <= say.MOST_POOL, "its pool is smaller than its sample, or too large")
        require(members is None or max(members) < N, "a member is not of the pool")
        found.told["pool"] = N
        found.checked += [] if members is None else [say.DIFFERENT]
        found.stated += [say.POOL, *([say.DIFFERENT] if members is None else []), say.REST, *ordered, say.FIXED]
        _parts(found, _of_pool(units, bits, N, delta))
        return
    found.stated += [say.INDEPENDENT, *ordered, say.FIXED]
    if "executions" in found.sample:
        found.checked.append(say.EXECUTIONS)
        found.stated.append(say.OPERATIONS)
        found.told |= {"exp": say.EXP_UNITS, "erf": say.ERF_UNITS, "kind": "executions"}
    if bits:
        _parts(found, [_counted("clopper1934/upper", units, delta, delta)])
        return
    share = delta / 3 if n > 1 else delta / 2
    wanted: list[tuple[str, Fraction, Test, dict[str, Any]]] = [("hoeffding1963/1", share, _by_mean(mean, n), {})]
    if n > 1:
        wanted.append(("maurer2009/4", share, lambda b, d: trials.by_variance(b, units, d), {}))
    _parts(found, [*wanted, ("waudbysmith2024/capital", share, lambda b, d: trials.by_betting(b, units, d), {})])


def _counted(
    key: str, units: list[int], delta: Fraction, level: Fraction
) -> tuple[str, Fraction, Test, dict[str, Any]]:
    n, k = len(units), sum(units) // UNIT
    return key, delta, lambda b, _: trials.by_count(b, k, n, level), {"errors": k}


def _by_mean(mean: Fraction, n: int, bits: int = 0) -> Test:
    return lambda b, delta: trials.by_divergence(b, mean, (trials.log_of(delta) + bits * trials.ball(2).log()) / n)


def _of_pool(units: list[int], bits: bool, N: int, delta: Fraction) -> list[tuple[str, Fraction, Test, dict[str, Any]]]:
    n, k = len(units), sum(units) // UNIT
    if bits:
        return [("maurey/finite-pool", delta, lambda b, d: trials.by_pool(b, k, n, N, d), {"errors": k})]
    return [
        ("hoeffding1963/4", delta / 2, _by_mean(Fraction(sum(units), n * UNIT), n), {}),
        ("waudbysmith2024/without-replacement", delta / 2, lambda b, d: trials.by_betting(b, units, d, N), {}),
    ]


def _prequential(found: Found) -> None:
    units, bits, _ = _losses(found)
    if not bits:
        _in_order(units)
    require("window" in found.sample, "it has no window")
    n, S, share = len(units), -(-sum(units) // UNIT), found.delta if bits else found.delta / 2
    total: dict[str, Any] = {"total": S}
    wanted = [("maurey/prequential", share, lambda b, d: trials.by_mixture(b, S, n, d), total)]
    if not bits:
        slope = fraction(found.certificate["parts"][-1].get("slope"), "a slope")
        require(slope in SLOPES, "its slope is not one of those that were fixed before")
        more: dict[str, Any] = {"slope": str(slope), "slopes": len(SLOPES)}
        wanted.append(("maurey/martingale-bernstein", share,
                       lambda b, d: trials.by_squares(b, units, slope, d / len(SLOPES)), more))  # fmt: skip
    found.stated += [say.INDEPENDENT, say.BEFORE, say.WINDOW]
    found.stated += [] if "list" in found.sample else [say.ONE_RUN]
    _parts(found, wanted)


def _occam(found: Found) -> None:
    message = found.files["message"]
    bits = decoding.word_length(message)
    require(found.sample.get("bits") == bits, "its message has another length")
    units, zero_one, _ = _losses(found)
    n, delta = len(units), found.delta
    if "decoded" in found.sample:
        rows = reading.table(found.sample["decoded"], found.files["decoded"], ("integer",))
        require(rows == [[x] for x in decoding.integers(message)], "its message decodes to something else")
        found.checked.append(say.DECODED)
    found.told["bits"] = bits
    found.stated += [say.INDEPENDENT, *([] if zero_one else [say.IN_ORDER]), say.CODE]
    found.stated += [] if "decoded" in found.sample else [say.OTHER_CODE]
    if zero_one:
        _parts(found, [_counted("maurey/occam", units, delta, delta / 2**bits)])
        return
    _in_order(units)
    mean = Fraction(sum(units), n * UNIT)
    _parts(found, [
        ("maurey/occam", delta / 2, _by_mean(mean, n, bits), {}),
        ("waudbysmith2024/capital", delta / 2, lambda b, d: trials.by_betting(b, units, d / 2**bits), {}),
    ])  # fmt: skip


def _linear_head(found: Found, rows: list[list[Fraction]]) -> None:
    margins, read = [row[0] for row in rows], found.certificate
    require(all(-1 <= x <= 1 for x in margins), "a margin is outside [-1, 1]")
    require(not {"prior", "posterior"} & set(found.sample), "a linear head has no files of Gaussians")
    KL, said = fraction(read["parts"][-1].get("KL"), "the divergence"), fraction(read["empirical"], "the mean loss")
    n = len(margins)
    require(type(read["n"]) is int and read["n"] == n, f"it is of {n} samples, and says otherwise")
    require(trials.head_loss(margins, KL) <= trials.ball(said), "its mean loss is larger")
    rate = (trials.ball(KL) + (2 * trials.ball(n).sqrt()).log() + trials.log_of(found.delta)) / n
    found.told |= {"kind": "linear-head", "KL": read["parts"][-1].get("KL")}
    found.checked.append(say.MARGINS)
    found.stated += [say.OWN, say.INDEPENDENT, say.FEATURES]
    _parts(found, [
        ("maurey/linear-head", found.delta, lambda b, _: trials.by_divergence(b, min(said, Fraction(1)), rate),
         {"KL": read["parts"][-1].get("KL")}),
    ])  # fmt: skip


def _pac_bayes(found: Found) -> None:
    name = found.sample["losses"]
    if rows := reading.column(name, found.files["losses"], "margin"):
        _linear_head(found, rows)
        return
    rows = reading.table(name, found.files["losses"], ())
    require(rows and rows[0] and len({len(row) for row in rows}) == 1, f"{name} is no table of networks and samples")
    N, n = len(rows), len(rows[0])
    mean = Fraction(sum(sum(reading.rounded_up(row, name)) for row in rows), N * n * UNIT)
    _amount(found, n, mean)
    own = found.certificate["parts"]
    require(len(own) == 3, "it has not the parts of drawn networks")
    KL, seen = fraction(own[2].get("KL"), "the divergence"), fraction(own[1].get("bound"), "a bound")
    files = "prior" in found.sample
    require(files == ("posterior" in found.sample), "prior and posterior come together")
    if files:
        tables = [reading.table(found.sample[r], found.files[r], ("mean", "sigma")) for r in ("posterior", "prior")]
        require(len(tables[0]) == len(tables[1]) > 0, "prior and posterior have different numbers of parameters")
        require(all(len(row) == 2 and row[1] > 0 for own in tables for row in own), "a deviation is not positive")
        require(trials.divergence(*tables) <= trials.ball(KL), "the divergence is larger")
    found.told["draws"] = N
    found.checked += [say.RANGE, *([say.GAUSSIANS] if files else [])]
    found.stated += [say.OWN, say.INDEPENDENT, say.PRIOR, say.DRAWN, *([] if files else [say.DIVERGENCE])]
    first, second = DRAWS * found.delta, (1 - DRAWS) * found.delta

    def by_sample(b: Fraction, delta: Fraction) -> bool:
        rate = (trials.ball(KL) + (2 * trials.ball(n).sqrt()).log() + trials.log_of(delta)) / n
        return trials.by_divergence(b, min(seen, Fraction(1)), rate)

    _parts(found, [
        ("hoeffding1963/1", first, _by_mean(mean, N), {"draws": N}),
        ("maurer2004/5", second, by_sample, {"KL": own[2].get("KL")}),
    ])  # fmt: skip


BY_METHOD: dict[str, Callable[[Found], None]] = {
    "holdout": _holdout,
    "prequential": _prequential,
    "occam": _occam,
    "pac-bayes": _pac_bayes,
}
