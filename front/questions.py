"""What `import maurey` gives: the questions that are not asked of one claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from maurey.symbolic import registry
from maurey.symbolic.claim import KINDS, Claim, InputError
from maurey.symbolic.errors import cut, perhaps

from .lists import Claims, Entry, Errata
from .notebook import with_display
from .view import ClaimView

if TYPE_CHECKING:
    from maurey.numeric.compare import Comparison
    from maurey.verify.prove.page import Page


def claim(key: str) -> ClaimView:
    """The claim with this key: the paper, a slash, the paper's own number.

    >>> import maurey
    >>> maurey.claim("edelman2022/4.5")
    <edelman2022/4.5: Cover of a vector-valued linear class, (2,inf) norm>
    >>> maurey.claim("edelman2022/4.5").kind
    'covering'
    """
    if isinstance(key, ClaimView):
        return key
    name, _, part = key.partition(":") if isinstance(key, str) else (key, "", "")
    found = registry.find(name)
    if part:
        found.part(part)
        raise InputError(f"a claim comes with all its parts: claim({name!r}), then .enclose(part={part!r}, ...)")
    return ClaimView(found)


def claims(paper: str = "", kind: str = "") -> Claims:
    """All claims, or those of a paper, of a kind: a list.

    >>> import maurey
    >>> maurey.claims("zhang2002")
    <1 claim of zhang2002>
    >>> [claim.key for claim in maurey.claims("trauger2024", kind="lipschitz")]
    ['trauger2024/C.1', 'trauger2024/E.2', 'trauger2024/E.3', 'trauger2024/G']
    """
    if kind and kind not in KINDS:
        raise InputError(f"no kind {cut(repr(kind))}{perhaps(kind, KINDS)}; there are {', '.join(KINDS)}")
    found = registry.claims_of(paper).values() if paper else registry.all_claims()
    return Claims(ClaimView(record) for record in found if kind in ("", record.kind))


def compare(
    *keys: Any,
    over: Mapping[str, tuple[Any, Any]] | None = None,
    forms: str | Sequence[str] = (),
    points: int = 200,
    **values: Any,
) -> Comparison:
    """Claims (or KEY, or KEY:PART) over a range of one parameter: curves, which is the smallest, certified crossovers.

    Each claim takes of the values what it knows; a list of claims is as good as each of them. `forms` is printed,
    derived, sharp or all, one or several.

    >>> import maurey
    >>> head = dict(d=8, m=100, H=2, L_sigma=1, B_X=1, B_V=2, B_V_inf="0.7", B_QK_inf="0.4", eps="0.1")
    >>> found = maurey.compare(
    ...     "edelman2022/4.4", "edelman2022/A.12", over={"T": (16, 1000)}, forms="sharp", points=9, **head
    ... )
    >>> found
    <2 curves over T from 16 to 1000, 0 crossovers; smallest: edelman2022/4.4 sharp>
    """
    from maurey.numeric.compare import compare
    from maurey.verify.evidence import form_stands

    pairs = list(over.items()) if isinstance(over, Mapping) else []
    if len(pairs) != 1 or not isinstance(pairs[0][1], (tuple, list)) or len(pairs[0][1]) != 2:
        got = "nothing" if over is None else cut(repr(over))
        raise InputError(f"over takes one parameter and its two ends, e.g. over={{'T': (16, 10**6)}}, got {got}")
    if "form" in values:
        raise InputError("a comparison takes forms, one or several, e.g. forms=['printed', 'sharp']")
    ((name, (low, high)),) = pairs
    named = [_key(one) for some in keys for one in (some if isinstance(some, (list, tuple)) else (some,))]
    return with_display(
        compare(
            named,
            (str(name), low, high),
            values,
            [forms] if isinstance(forms, str) else forms,
            points,
            ranked=form_stands,
        )
    )


def _key(one: Any) -> str:
    if isinstance(one, (ClaimView, Claim)):
        return one.key
    if isinstance(one, str):
        return one
    raise InputError(f"compare takes claims or keys such as 'edelman2022/4.4', got {cut(repr(one))}")


def errata(which: Any = "") -> Errata:
    """Where printed forms fail: of all papers, of one, or of one claim; a list, each entry with its witness.

    An entry is a dictionary, as `maurey errata --json` gives it.

    >>> import maurey
    >>> found = maurey.errata("edelman2022/4.5")
    >>> found
    <1 erratum on 1 claim, 1 refuted; 2 remarks>
    >>> found[0]["status"]
    'refuted'
    """
    from maurey.pages.errata import records
    from maurey.verify import ledger
    from maurey.verify.errata.entries import restates

    which = which.key if isinstance(which, (ClaimView, Claim)) else which
    if not isinstance(which, str):
        raise InputError(f"errata takes a paper or a key, e.g. 'edelman2022/4.4', got {cut(repr(which))}")
    key, _, part = which.partition(":")
    if "/" in key:
        claim = registry.find(key)
        keys = {restates(claim) or key}
        part = part and claim.part(part).name
    else:
        keys = set(registry.claims_of(key)) if which else {claim.key for claim in registry.all_claims()}
    found = records(ledger.comparisons(keys=keys), keys)
    return Errata(Entry(entry) for entry in found if entry["key"] in keys and part in ("", entry["part"]))


def check(lhs: Any, rhs: Any = None, over: Any = None, **options: Any) -> Page:
    """Is lhs <= rhs? Formulas over a box are refuted or proved, functions over a hypothesis strategy attacked.

    `check(lhs, rhs, over={"x": (0, 1)})`, or `check(relation, over=...)` with a SymPy relation; ends may be infinite.
    Options: relation ("<=", "<", ">=", ">", "=="), assuming (SymPy relations), seconds (of CPU, 10), instances (1000),
    seed (0), project (a function that brings a tensor back into its class). The page that comes back has a verdict
    (holds, fails, undecided), where, the evidence (proved, refuted, tested; none if undecided), the witness of what
    fails, and how it was decided, with its cost.

    >>> import maurey
    >>> from sympy import sqrt, symbols
    >>> x = symbols("x")
    >>> maurey.check(x**2, x, over={"x": (0, 1)})
    <x**2 <= x: holds, proved>
    >>> maurey.check(sqrt(x), x, over={"x": (0, 2)}).witness
    {'x': 1/2}
    """
    from maurey.verify.prove.check import check

    known = ("relation", "assuming", "seconds", "instances", "seed", "project")
    if unknown := [name for name in options if name not in known]:
        raise InputError(f"check has no option {unknown[0]!r}; there are {', '.join(known)}")
    return with_display(check(lhs, rhs, over, **options))


def derive(
    network: Any,
    inputs: Any,
    loss: Any = None,
    route: str = "norms",
    key: str = "mine/bound",
    title: str = "A network of one's own",
    frozen: Sequence[str] = (),
    split: Mapping[str, Any] | None = None,
) -> ClaimView:
    """A bound that nobody wrote down, as a claim: on the gap of a network's loss, or without a loss on its covers.

    `network` and `inputs` are made of `maurey.nn`. Routes: net and counting (parameters), norms, norm net, length-free,
    Zhang, Maurey, corrections (covers of the papers and ours), bits. All bound one side, risk less empirical risk.
    `frozen` names matrices that are not trained; `split`, without a loss, gives each matrix one part of the error in so
    many.
    The claim is registered under its key, which a later one with that key replaces.

    >>> import maurey
    >>> from maurey import nn
    >>> network = nn.Sequence(nn.Linear("W", "k", "d"), nn.Activation("relu"), nn.Linear("w", 1, "k"))
    >>> mine = maurey.derive(network, nn.Tokens(1, radius=1), loss=nn.Ramp("margin", several=False), route="net")
    >>> mine.enclose(d=20, k=10, B_W=1, B_w=1, margin="1/2", m=10**5, delta="1/20", digits=6)
    <0.0953196, certified to 6 digits>
    """
    from maurey.symbolic.derive import Question
    from maurey.symbolic.derive import derive as derived
    from maurey.symbolic.modules import Signal, matrices_of

    from .nn import Sequence as composed

    if not isinstance(inputs, Signal):
        raise InputError(f"inputs are nn.Tokens(...) or nn.Words(...), got {cut(repr(inputs))}")
    module, fixed = composed(network), _named(frozen, "frozen")
    known = matrices_of(network)
    for name in (*fixed, *_named(split, "split")):
        if name not in known:
            raise InputError(f"no matrix {cut(repr(name))}{perhaps(str(name), known)}; there are {', '.join(known)}")
    parts = _parts_of_the_error(split or {}, [name for name in known if name not in fixed])
    if parts and loss is not None:
        raise InputError("split is for covers of the outputs: a loss splits its error by its route")
    if not fixed.symmetric_difference(known):
        raise InputError("everything is frozen: there is nothing to bound")
    _check_ends(module, inputs, loss)
    question = Question(module, inputs, loss, route, fixed, parts)
    return register(derived(question, key, title), replace=True)


def _named(given: Any, what: str) -> frozenset[str]:
    """Names of matrices, or one of them."""
    try:
        return frozenset([given] if isinstance(given, str) else given or ())
    except TypeError:
        raise InputError(f"{what} names matrices, e.g. ['W'], got {cut(repr(given))}") from None


def _parts_of_the_error(split: Mapping[str, Any], trained: Sequence[str]) -> dict[str, Any]:
    """One part in so many for each matrix, of which there are no more than the whole."""
    from .sizes import positive

    parts = {name: positive(part, f"the part of {name}") for name, part in split.items()}
    if parts and (left := [name for name in trained if name not in parts]):
        raise InputError(f"split gives no part of the error to {', '.join(left)}")
    if letter := next((name for name, part in parts.items() if not part.is_Rational), ""):
        raise InputError(f"the part of {letter} is a number, got {parts[letter]}")
    whole = sum(1 / part for part in parts.values())
    if whole > 1:
        raise InputError(f"split gives away {whole} of the error: 1/2 and 1/2 are the whole, e.g. {{'V': 2, 'W': 2}}")
    return parts


def _check_ends(network: Any, inputs: Any, loss: Any) -> None:
    """What comes in and how the outputs are judged."""
    from maurey.symbolic.modules import Embedding, Patches, parts_of
    from maurey.symbolic.modules import Sequence as Composed

    def is_loss(module: Any) -> bool:
        return not isinstance(module, type) and any(hasattr(part, "range") for part in parts_of(module))

    if loss is not None and not is_loss(loss):
        raise InputError(f"loss is nn.Ramp(...), nn.CrossEntropy(...) or nn.ZeroOne(), got {cut(repr(loss))}")
    if is_loss(network):
        raise InputError("a loss is no part of the network: give it as loss=...")
    first = next(part for part in parts_of(network) if not isinstance(part, Composed))
    if isinstance(first, Embedding) and inputs.radius_1 != 1:
        raise InputError("an Embedding looks up words: give nn.Words(...) as inputs")
    places = getattr(first, "positions", None)
    tokens = inputs.tokens + int(isinstance(first, Patches) and first.first is not None)
    if places is not None and places.inputs.is_Integer and tokens.is_Integer and tokens > places.inputs:
        raise InputError(f"there are {places.inputs} positions for {tokens} tokens")


def register(claim: Claim | ClaimView, replace: bool = False) -> ClaimView:
    """Make a claim of one's own known to compare, blame, samples_for, latex, verify, ... while the program runs.

    A key that is taken is refused; `replace=True` puts a claim in the place of one that was registered before.

    >>> import maurey
    >>> from sympy import log, sqrt, symbols
    >>> from maurey.symbolic.claim import Claim, Parameter, Part
    >>> m, delta = symbols("m delta")
    >>> gap = Part("gap", "R - R_m", "generalization gap", printed=lambda _: sqrt(log(1 / delta) / (2 * m)))
    >>> size = Parameter("m", "m", "number of samples", "positive integer")
    >>> level = Parameter("delta", r"\\delta", "confidence", "in (0, 1)")
    >>> mine = maurey.register(
    ...     Claim("mine2030/1", "Hoeffding", "generalization", "One hypothesis.", (size, level), parts=(gap,)),
    ...     replace=True,
    ... )
    >>> mine.samples_for(0.01, delta="1/20").m
    14979
    >>> mine.standing.words
    'to be verified again'
    """
    return ClaimView(registry.register(claim.record if isinstance(claim, ClaimView) else claim, replace))


__all__ = ["ClaimView", "InputError", "check", "claim", "claims", "compare", "derive", "errata", "register"]
