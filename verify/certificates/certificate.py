"""A certificate: what is claimed, what it rests on, which files it is made of, and its own digest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

from maurey.symbolic.errors import InputError, cut
from maurey.verify.files import replace

from . import wording as say
from .bounds import Part, least
from .losses import File, sha256

Certificate = dict[str, Any]


@dataclass
class Draft:
    """What the methods fill in."""

    method: str
    delta: Fraction  # of the certificate; its parts share it, after those on the list have shared it
    n: int
    empirical: str
    parts: list[Part]
    sentence: str = ""  # the key of one of SENTENCES, if not the method
    told: dict[str, Any] = field(default_factory=dict)  # what the sentence and the hypotheses speak of
    sample: Part = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    checked: list[str] = field(default_factory=list)
    stated: list[str] = field(default_factory=list)
    seeds: Mapping[str, Any] = field(default_factory=dict)

    def take(self, role: str, file: File) -> None:
        """A file that the certificate is made of."""
        if not file.name.isprintable() or "\\" in file.name:
            raise InputError(f"a certificate is read anywhere: give {cut(repr(file.name))} a name that can be printed")
        if self.inputs.get(file.name, file.sha256) != file.sha256:
            raise InputError(f"two files are called {file.name}: the inputs of a certificate lie in one folder")
        self.inputs[file.name] = file.sha256
        self.sample[role] = file.name

    def sealed(self) -> Certificate:
        bound = self.parts[-1]["bound"] if self.method == "pac-bayes" else least(self.parts)
        told = {"sure": sure(self.delta), "n": self.n, "bound": bound} | self.told
        sentence = say.SENTENCES[self.sentence or self.method] + (say.LISTED if "of" in told else "")
        hypotheses = [(text, say.CHECKED) for text in self.checked] + [(text, say.STATED) for text in self.stated]
        found = {
            "maurey": version("maurey"),
            "method": self.method,
            "delta": str(self.delta),
            "n": self.n,
            "empirical": self.empirical,
            "bound": bound,
            "statement": sentence.format(**told),
            "hypotheses": [{"text": text.format(**told), "status": status} for text, status in hypotheses],
            "inputs": self.inputs,
            "seeds": dict(self.seeds),
            "parts": [{"part": "sample", **self.sample}, *self.parts],
        }
        return found | {"digest": digest(found)}


def sure(delta: Fraction) -> str:
    """1 - delta, as a decimal where it ends."""
    rest = 1 - delta
    twos_and_fives = rest.denominator
    for p in (2, 5):
        while twos_and_fives % p == 0:
            twos_and_fives //= p
    if twos_and_fives > 1:
        return str(rest)
    places = next(i for i in range(200) if 10**i % rest.denominator == 0)
    digits = str(rest.numerator * 10**places // rest.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def digest(certificate: Mapping[str, Any]) -> str:
    """Of all but the digest itself: JSON, keys in order, no spaces."""
    own = {name: value for name, value in certificate.items() if name != "digest"}
    return sha256(json.dumps(own, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode())


def write(certificate: Certificate, path: Path) -> None:
    """Never in the place of another file."""
    text = json.dumps(certificate, indent=1) + "\n"
    if path.is_dir() or (path.exists() and path.read_bytes() != text.encode()):
        raise InputError(f"{path} is there already: name another file with --out")
    try:
        replace(path, text)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None


# --- data that were used before ---------------------------------------------------------------------------------------


def data_of(certificate: Mapping[str, Any]) -> dict[str, str]:
    """The hash of the losses, and of the held-out data where they are named."""
    sample, inputs = certificate["parts"][0], certificate["inputs"]
    return {role: str(inputs[sample[role]]) for role in ("losses", "heldout") if role in sample}


def same_data(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """By any hash; where no loss was seen, which says nothing of the data, by those that both name."""
    own, other = data_of(first), data_of(second)
    if len(own) == len(other) == 2 and first["empirical"] == second["empirical"] == "0":
        return own["heldout"] == other["heldout"]
    return not set(own.values()).isdisjoint(other.values())


def in_folder(folder: Path) -> dict[Path, Certificate]:
    """The certificates that lie there."""
    found: dict[Path, Certificate] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            one = json.loads(path.read_text())
            if set(say.FIELDS) <= set(one) and data_of(one):
                found[path] = one
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            continue  # something else
    return found


def check_unused(new: Certificate, path: Path) -> None:
    """Held-out data are for one certificate: a second one is refused, unless it holds at once with the first."""
    if path.suffix != ".json":
        raise InputError(f"a certificate is a .json file, so that it is found when its data are used again; got {path}")
    for other, old in in_folder(path.resolve().parent).items():
        if not same_data(old, new) or old == new or at_once(old, new):
            continue
        raise InputError(
            f"these data were used for {other.name}, and a second use is refused: what was picked after the first is "
            "not covered. Take fresh data, or list all hypotheses by their hashes before the first use (--hypotheses), "
            "and each gets its share of one delta"
        )


def at_once(old: Certificate, new: Certificate) -> bool:
    """At one delta: of two hypotheses that were on one list before both, or of two messages of one code."""
    samples = [one["parts"][0] for one in (old, new)]
    lists, hypotheses = ([one["inputs"].get(sample.get(role)) for one, sample in zip((old, new), samples, strict=True)]
                         for role in ("list", "hypothesis"))  # fmt: skip
    if old["delta"] != new["delta"]:
        return False
    if lists[0] and lists[0] == lists[1]:
        return bool(hypotheses[0] != hypotheses[1])
    return old["method"] == new["method"] == "occam" and ("decoded" in samples[0]) == ("decoded" in samples[1])
