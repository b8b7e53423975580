"""The atom: a claim, an inert record of one numbered result.

A claim has parts; a part is one quantity the result speaks of, with a left-hand side, a relation and up to
four forms of the right-hand side. A form is a function that builds its list of steps when asked, for given
list lengths, so importing a paper costs nothing but the records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import Any

from sympy import Expr, Symbol, evaluate
from sympy.core.relational import Relational

from .derivation import Step
from .errors import InputError as InputError  # where it is asked for
from .errors import cut
from .kinds import FORMS as FORMS
from .kinds import KINDS as KINDS

REPAIRED = "as it should read"  # the reason of a step that a repaired form states
RELATIONS = {"<=": r"\le", ">=": r"\ge", "=": "=", "<~": r"\lesssim", ">~": r"\gtrsim"}
SOURCES = {  # of a printed form
    "printed": "read in the paper",
    "damaged": "read in the paper, but for an exponent or a factor that its text has lost and its proof gives",
    "recovered": "lost in the paper's text, found in public material on the paper",
    "reconstructed": "lost in the paper's text, derived again from what its prose describes",
    "own": "an inequality of Maurey's, in the place of one that the paper's text has lost",
}
UNREAD = ("reconstructed", "own")  # no text says so: what fails there is no error of the paper
HIDES = {"<~": "<=", ">~": ">="}  # relations that hide C0, and what is left once nothing is hidden
DOMAINS: dict[str, Callable[[Fraction], bool]] = {
    "positive real": lambda x: x > 0,
    "nonnegative real": lambda x: x >= 0,
    "in [0, 1]": lambda x: 0 <= x <= 1,
    "in [-1, 1]": lambda x: -1 <= x <= 1,
    "in (0, 1)": lambda x: 0 < x < 1,
    "in (0, 1]": lambda x: 0 < x <= 1,
    "positive integer": lambda x: x > 0 and x.denominator == 1,
    "nonnegative integer": lambda x: x >= 0 and x.denominator == 1,
}


def _plainly(text: str, most: int = 70) -> str:
    from .printing import plain

    return cut(plain(text), most)


@dataclass(frozen=True, repr=False)
class Parameter:
    """A symbol of a claim. With an index (H, L, n) it stands for one value per head, layer or term."""

    name: str
    latex: str
    meaning: str
    domain: str = "positive real"
    index: str = ""
    optional: bool = False  # a form may use it when it is given, and does without when it is not

    def __repr__(self) -> str:
        return f"<{self.name}: {_plainly(self.meaning)} ({self.domain})>"


@dataclass(frozen=True, repr=False)
class Constant:
    """A number that a result leaves open or takes from elsewhere; a call may override it."""

    name: str
    value: Fraction
    latex: str
    meaning: str
    source: str
    left_open: bool = False  # the paper says only that there is one
    of: tuple[str, ...] = ()  # what it depends on: where these move, it says nothing

    def __repr__(self) -> str:
        return f"<{self.name} = {self.value}: {_plainly(self.meaning)}>"


@dataclass(frozen=True)
class Setting:
    """What a form must know before it can be written out: list lengths, and which optional symbols are given."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    default: int | None = 2  # formulas are shown for two layers, two heads; none where numbers are asked for

    def __post_init__(self) -> None:
        size = self.default
        if size is not None and (isinstance(size, bool) or not isinstance(size, Integral) or not 1 <= size <= 1000):
            raise InputError(f"layers must be an integer from 1 to 1000, got {cut(str(size))}")

    def size(self, index: str) -> int:
        size = self.sizes.get(index, self.default)
        if size is None:
            raise InputError(f"missing parameter {index}: how many values the lists have")
        return size

    def optional(self, name: str) -> Symbol | None:
        return Symbol(name) if name in self.given else None


Form = Callable[[Setting], "Expr | list[Step]"]


@dataclass(frozen=True, repr=False)
class Part:
    name: str
    lhs: str  # LaTeX
    meaning: str
    relation: str = "<="
    hides: str = ""  # what <~ or >~ hides
    keeps: tuple[str, ...] | None = None  # the only quantities whose logarithms it does not hide; None: it hides none
    printed: Form | None = None
    repaired: Form | None = None  # the nearest true statement of the printed shape
    derived: Form | None = None
    sharp: Form | None = None
    source: str = ""  # where its printed form comes from, if not from where the claim's do

    def __repr__(self) -> str:
        return f"<{self.name}: {_plainly(self.meaning)} ({', '.join(self.forms)})>"

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(form for form in FORMS if getattr(self, form) is not None)

    def steps(self, form: str, setting: Setting | None = None) -> list[Step]:
        """The form written out. Nothing is evaluated: what the paper writes is what is kept."""
        if getattr(self, form) is None:
            raise InputError(f"{self.name} has no form {form!r}; it has {', '.join(self.forms)}")
        setting = setting or Setting()
        return list(_written(self, form, tuple(sorted(setting.sizes.items())), setting.given, setting.default))

    def relation_of(self, form: str) -> str:
        """A printed form keeps the paper's relation, which may hide C0; one that the calculus wrote hides nothing."""
        return self.relation if form == "printed" else HIDES.get(self.relation, self.relation)

    @property
    def below(self) -> bool:
        """It bounds from below: a printed value that is too large is what would be wrong."""
        return self.relation in (">=", ">~")


@lru_cache(maxsize=4096)
def _written(
    part: Part, form: str, sizes: tuple[tuple[str, int], ...], given: frozenset[str], default: int | None
) -> tuple[Step, ...]:
    """A form is the same every time that it is written out for the same list lengths."""
    with evaluate(False):
        built: Any = getattr(part, form)(Setting(dict(sizes), given, default))
    steps = (
        built
        if isinstance(built, list)
        else [Step(part.name, part.lhs, built, "as printed" if form == "printed" else REPAIRED)]
    )
    return tuple(steps if steps[-1].latex else [*steps[:-1], replace(steps[-1], latex=part.lhs)])


@dataclass(frozen=True)
class Assumption:
    """A relation between parameters that the claim states beyond the domain of each."""

    relation: Relational
    text: str


def _word(source: str) -> str:
    return source.partition(":")[0]


@dataclass(frozen=True, repr=False)
class Claim:
    key: str
    title: str
    kind: str
    statement: str
    symbols: tuple[Parameter, ...] = ()
    assumes: tuple[Assumption, ...] = ()
    uses: tuple[str, ...] = ()
    constants: tuple[Constant, ...] = ()
    parts: tuple[Part, ...] = ()
    reference: str = ""  # of an axiom: where its proof is
    source: str = "printed"  # where its printed forms come from: a word, and after a colon what else is known of it
    samples: str = "m"  # what its sample size is called, whether or not it has one: m may be a width
    unrolled: tuple[str, ...] = ()  # sizes, beside those of lists, for which forms are written out
    differs: Mapping[str, str] = field(default_factory=dict)  # step or its prefix: what the printed proof does there

    def __post_init__(self) -> None:
        if not all(isinstance(part, Part) for part in self.parts) or not all(
            isinstance(symbol, Parameter) for symbol in self.symbols
        ):
            raise InputError(f"{self.key}: symbols are Parameters, and parts are Parts")
        if self.kind not in KINDS:
            raise InputError(f"{self.key}: kind {self.kind!r} is not one of {', '.join(KINDS)}")
        sources = (self.source, *(part.source or "printed" for part in self.parts))
        if unknown := [source for source in sources if _word(source) not in SOURCES]:
            raise InputError(f"{self.key}: source {unknown[0]!r} is not one of {', '.join(SOURCES)}")
        bad = [part.relation for part in self.parts if part.relation not in RELATIONS]
        bad += [symbol.domain for symbol in self.symbols if symbol.domain not in DOMAINS]
        if bad:
            raise InputError(f"{self.key}: {bad[0]!r} is neither a known relation nor a known domain")

    def __repr__(self) -> str:
        return f"<{self.key}: {_plainly(self.title, 100)}>"

    @property
    def names(self) -> tuple[Parameter | Constant, ...]:
        """Everything a call may give a value to."""
        return (*self.symbols, *self.constants)

    def source_of(self, part: str = "") -> str:
        """Where the printed form of a part comes from."""
        return next((one.source for one in self.parts if one.name == part and one.source), self.source)

    def origin_of(self, part: str = "") -> str:
        """The word of its source."""
        return _word(self.source_of(part))

    @property
    def origins(self) -> tuple[str, ...]:
        """Those of its parts, each once."""
        return tuple(dict.fromkeys(self.origin_of(part.name) for part in self.parts)) or (_word(self.source),)

    @property
    def paper(self) -> str:
        return self.key.partition("/")[0]

    @property
    def number(self) -> str:
        return self.key.partition("/")[2]

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(form for form in FORMS if any(form in part.forms for part in self.parts))

    @property
    def default_form(self) -> str:
        return "derived" if "derived" in self.forms else "printed"

    def part(self, name: str = "") -> Part:
        if not self.parts:
            raise InputError(f"{self.key} is a {self.kind} without a formula")
        for part in self.parts:
            if name in ("", part.name):
                return part
        raise InputError(f"{self.key} has no part {name!r}; it has {', '.join(p.name for p in self.parts)}")

    def part_with(self, form: str, name: str = "") -> Part:
        """The named part, or the first that has the form."""
        part = self.part(name)
        if not name:
            part = next((p for p in self.parts if form in p.forms), part)
        if form not in part.forms:
            where = f"{self.key}:{part.name}" if name else self.key
            raise InputError(f"{where} has no {form} form; it has {', '.join(part.forms)}")
        return part

    def departure(self, step: Step, form: str) -> str:
        """Where a derived step is not the printed proof's: what the proof does instead."""
        found = (text for prefix, text in self.differs.items() if step.name.startswith(prefix))
        return next(found, "") if form == "derived" else ""
