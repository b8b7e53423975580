"""What `maurey.claim` returns: a thin view that asks the rooms, so that the record knows nothing of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maurey.symbolic import printing
from maurey.symbolic.claim import FORMS, Claim, InputError, Setting
from maurey.symbolic.errors import cut, perhaps

from .lists import Errata, Steps
from .notebook import bundle, with_display

if TYPE_CHECKING:
    from maurey.numeric.balls import Enclosure
    from maurey.numeric.blame import Blame
    from maurey.numeric.compare import Comparison
    from maurey.numeric.grids import LogValue
    from maurey.numeric.samples import Samples
    from maurey.verify.evidence import Standing

    from .verdicts import Verdict


@dataclass(frozen=True)
class ClaimView:
    """One numbered result of a paper, and the questions that can be asked of it.

    Besides what is below it has what its record has: key, title, kind, statement, symbols, constants, assumes, uses,
    parts, forms, source.

    >>> import maurey
    >>> c = maurey.claim("edelman2022/A.10")
    >>> c.forms
    ('printed', 'derived', 'sharp')
    >>> [symbol.name for symbol in c.symbols]
    ['eps', 'N', 'B_w', 'B_X']
    """

    record: Claim

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "record":  # a copy asks before there is a record
            raise AttributeError(name)
        try:
            return getattr(self.record, name)
        except AttributeError:
            message = f"a claim has no {name!r}{perhaps(name, dir(self))}"
            raise AttributeError(message, name=name, obj=self) from None

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *(name for name in dir(self.record) if not name.startswith("_"))})

    def __repr__(self) -> str:
        return repr(self.record)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(self)

    @property
    def evidence(self) -> str | None:
        """The rung on which it stands, from the ledger; none, if it is to be verified again.

        >>> import maurey
        >>> maurey.claim("edelman2022/A.8").evidence
        'proved'
        """
        return self.standing.evidence

    @property
    def standing(self) -> Standing:
        """Verdict on the print, rung, and whether it was replayed with the sources as they are.

        >>> import maurey
        >>> maurey.claim("edelman2022/A.8").standing.verdict
        'holds'
        """
        from maurey.verify.evidence import standing_of

        return standing_of(self.record)

    def latex(self, /, form: str = "", part: str = "", layers: int = 2) -> str:
        r"""A form as LaTeX; lists per layer and per head are written out for `layers` entries.

        >>> import maurey
        >>> print(maurey.claim("edelman2022/A.6").latex("printed"))
        \|f(\theta_1)-f(\theta_2)\|_1 \le c_f \Delta
        """
        form = self._form(form, part)
        self.record.part_with(form, part)
        return printing.latex_of(self.record, form, Setting(default=layers), part)

    def steps(self, /, form: str = "", part: str = "", layers: int = 2) -> Steps:
        """A form as the list of its steps, each with a name, an expression, a reason and a key.

        >>> import maurey
        >>> steps = maurey.claim("edelman2022/4.5").steps()
        >>> steps[0], steps[0].key
        (<delta_W = eps/2/sqrt(d_2)>, 'edelman2022/2.1')
        """
        form = self._form(form, part)
        return Steps(self.record.part_with(form, part).steps(form, Setting(default=layers)), self.record)

    def export(
        self, /, form: str = "", part: str = "", layers: int = 2, given: Sequence[str] = (), **sizes: int
    ) -> dict[str, Any]:
        """A form as data: its steps, every expression a tree of typed nodes, that goes through JSON.

        Lists are written out for `layers` entries, or for those of `sizes` (L=12, H=4); `given` names the optional
        symbols that shall be in it. The nodes are listed in `help(maurey.symbolic.export)`.

        >>> import maurey
        >>> step = maurey.claim("edelman2022/A.6").export("printed")["steps"][-1]
        >>> step["value"]
        ['multiply', ['symbol', 'c_f'], ['symbol', 'Delta']]
        """
        from maurey.symbolic.export import export

        form = self._form(form, part)
        known = {*self.record.unrolled, *(p.index for p in self.record.symbols)} - {""}
        for name, size in sizes.items():
            if name not in known:
                raise InputError(f"{self.record.key} has no lists of length {name!r}{perhaps(name, known)}")
            Setting(default=size)  # refuses what is no length
        if unknown := set(given) - {p.name for p in self.record.symbols if p.optional}:
            raise InputError(f"{self.record.key} has no optional symbol {min(unknown)!r}")
        return export(self.record, form, part, Setting(sizes, frozenset(given), layers))

    def evaluate(self, /, form: str = "", part: str = "", digits: int = 15, **values: Any) -> Any:
        """A plain value, an mpmath number.

        >>> import maurey
        >>> float(maurey.claim("edelman2022/A.8").evaluate(part="minimum", alpha=[1, 8], beta=[1, 1], C=2))
        6.75
        """
        from maurey.numeric.plain import evaluate

        form = self._form(form, part, values)
        return evaluate(self.record, form, part, digits, **values)

    def enclose(self, /, form: str = "", part: str = "", digits: int = 15, **values: Any) -> Enclosure:
        """A value with certified bounds around it: ball arithmetic, rounded outward.

        >>> import maurey
        >>> maurey.claim("edelman2022/A.8").enclose(part="minimum", alpha=[1, 8], beta=[1, 1], C=2)
        <6.75, certified to 15 digits>
        """
        from maurey.numeric.balls import enclose

        form = self._form(form, part, values)
        return with_display(enclose(self.record, form, part, digits, **values))

    def sweep(self, /, form: str = "", part: str = "", **values: Any) -> LogValue:
        """A form over arrays that broadcast together, in log space: these bounds overflow doubles.

        >>> import maurey
        >>> found = maurey.claim("edelman2022/A.10").sweep(eps="1/10", N=[10, 1000], B_w=1, B_X=1)
        >>> found.log10.round(4)
        array([5.0278, 5.2378])
        """
        from maurey.numeric.grids import sweep

        form = self._form(form, part, values)
        return with_display(sweep(self.record, form, part, **values))

    def samples_for(self, /, gap: Any = None, form: str = "", part: str = "", **values: Any) -> Samples:
        """The smallest sample size from which the bound stays at or below the gap, certified.

        >>> import maurey
        >>> found = maurey.claim("edelman2022/2.2").samples_for(0.1, L_loss=1, C_F=1, A=1, b=1, delta=0.05)
        >>> found.m
        3498047
        """
        from maurey.numeric.samples import LIMIT, samples

        if gap is None:
            raise InputError(
                "samples_for takes first the gap that the bound shall not exceed, e.g. samples_for(0.1, ...)"
            )
        form = self._form(form, part, values)
        found = samples(self.record, gap, form, part, **values)
        if found is None:
            most = f"{self.record.samples} up to 2^{LIMIT.bit_length() - 1}"
            raise InputError(f"no {most} was found from which the bound certainly stays at or below {cut(str(gap))}")
        return with_display(found)

    def blame(self, /, form: str = "", part: str = "", **values: Any) -> Blame:
        """Which quantity makes the bound large: shares of its logarithm.

        >>> import maurey
        >>> maurey.claim("edelman2022/A.10").blame(eps="1/10", N=100, B_w=1, B_X=1)
        <log of the bound 11.85 = 6.083 (constants) + 4.969 (eps) + 0.7957 (N) + 0 (B_w) + ...>
        """
        from maurey.numeric.blame import blame

        form = self._form(form, part, values)
        return with_display(blame(self.record, form, part, **values))

    def compare(
        self,
        /,
        *others: Any,
        over: Mapping[str, tuple[Any, Any]] | None = None,
        forms: str | Sequence[str] = (),
        points: int = 200,
        **values: Any,
    ) -> Comparison:
        """This claim and others (claims, KEY or KEY:PART) over a range of one parameter; as `maurey.compare`.

        >>> import maurey
        >>> c = maurey.claim("edelman2022/A.10")
        >>> c.compare(over={"N": (10, 1000)}, forms="all", points=5, eps="1/10", B_w=1, B_X=1)
        <3 curves over N from 10 to 1000, 0 crossovers; smallest: edelman2022/A.10 sharp>
        """
        from .questions import compare

        return compare(self, *others, over=over, forms=forms, points=points, **values)

    def errata(self) -> Errata:
        """Where its printed form fails, each entry with its witness.

        >>> import maurey
        >>> maurey.claim("edelman2022/A.9").errata()
        <no errata>
        """
        from .questions import errata

        return errata(self)

    def verify(self, effort: str = "quick") -> Verdict:
        """How it is known to be true, how tight it is, or how it fails: checked now. `effort` is quick, normal or hard.

        >>> import maurey
        >>> maurey.claim("edelman2022/A.9").verify()
        <edelman2022/A.9: holds (proved)>
        """
        from .verdicts import verified

        return verified(self.record, effort)

    def _form(self, form: Any, part: Any, values: Mapping[str, Any] | None = None) -> str:
        """The form that is meant; what else was given fits too."""
        if not isinstance(form, str) or (form and form not in FORMS):
            raise InputError(
                f"no form {cut(repr(form))}; there are {', '.join(FORMS)}; values go by name, e.g. eps=0.1"
            )
        if not isinstance(part, str):
            names = ", ".join(one.name for one in self.record.parts)
            raise InputError(f"a part is a text; {self.record.key} has {names or 'none'}; got {cut(repr(part))}")
        if values:
            from maurey.numeric.binding import check_names

            check_names(self.record, values)
        return form or self.record.default_form
