"""Appendix H: testing degree and sparsity by queries."""

from collections.abc import Callable

from sympy import Expr, Integer, Product, Symbol, ceiling, log

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import Steps, steps
from maurey.symbolic.names import symbols

from .letters import letters

k, delta, hit, eps, free, omega, i = symbols("k delta hit eps free omega i")


def _labelled(proof: Derivation) -> Expr:
    """Coordinate after coordinate, each must get one of the labels that are left."""
    each = Product((k + 2 - i) / (k + 2), (i, 1, k + 1))
    return proof.let("labelled", "p_1", each, r"each of $k+1$ coordinates gets one of the labels left, of $k+2$ in all")


def _trials(proof: Derivation, p: Expr, exact: bool = False) -> Expr:
    if exact:
        value, reason = log(1 / delta) / log(1 / (1 - p)), r"$(1-p)^R\le\delta'$"
    else:
        value, reason = log(1 / delta) / p, r"$(1-p)^R\le e^{-pR}\le\delta'$"
    return proof.let("trials", "R", ceiling(value), reason)


def cube() -> Expr:
    return 2 ** (k + 1)


def restricted() -> Expr:
    return Integer(2) ** free


def _queries(p: Symbol, points: Callable[[], Expr], exact: bool) -> Steps:
    """So many trials, each of so many points."""
    return lambda proof: proof.let("queries", "", _trials(proof, p, exact) * points(), "all points of all trials")


def _component(exact: bool) -> Steps:
    def of(proof: Derivation) -> Expr:
        trials = _trials(proof, _labelled(proof), exact)
        return proof.let("queries", "", trials * cube(), "all points of all trials")

    return of


def _components(exact: bool) -> Steps:
    """Given that one of the components is hit, s <= omega of them are left in the sum X: max |X|^2 <= s E X^2 and E X^2
    <= P(X != 0) max |X|^2. One of a degree n beyond k + 1 is hit no less often: n![x^n] sinh(x)^N words of n out of N =
    k + 2 labels have each an odd number of times, and (sinh^N)'' >= N^2 sinh^N, coefficient by coefficient; with label
    0 an even number of times, (sinh^N)'/N in its place."""

    def of(proof: Derivation) -> Expr:
        reason = (
            r"a sum of at most $\omega$ characters that is not zero is so at a share $1/\omega$ of the $x$ at least"
        )
        least = proof.let("least", r"p_\omega", _labelled(proof) / omega, reason)
        trials = _trials(proof, least, exact)
        return proof.let("queries", "", trials * cube(), "all points of all trials")

    return of


def printed_hit() -> Expr:
    return Product(i, (i, 2, k + 1)) / (k + 2) ** (k + 1)


def printed_trials(p: Expr) -> Expr:
    return ceiling(log(1 / delta) / p)


REJECTED = (
    r"""$\delta'$ is the probability with which a function is accepted that one trial rejects with probability $p$"""
)

property_testing = Claim(
    key="lintilhac2026/H",
    title="Queries of the tests of degree and sparsity",
    kind="construction",
    statement=rf"""Degree at most $k$: a trial draws $x$ and a label from $\{{0,\dots,k+1\}}$ for every coordinate, and
asks for $f$ at the $2^{{k+1}}$ points $x\oplus\bigoplus_{{i\in U}}1_{{B_i}}$, $B_i$ the coordinates labelled $i\ge1$;
it rejects if their alternating sum is not zero. A function of degree at most $k$ is never rejected, and {REJECTED}. A
component of degree $k+1$ counts in the sum if its coordinates get the labels $1,\dots,k+1$, each once, which has the
probability $p_1$; others may then cancel it at $x$, so that $p_1$ is the $p$ of a function with this one component
beyond degree $k$, while $p\ge p_1/\omega$ for all with at most $\omega$ of them. Sparsity at most $s$: a trial
fixes all but $r$ coordinates at random, takes the transform of the $2^r$ values without its constant, and rejects if
the energy beyond the largest $s$ coefficients exceeds a threshold of the order of $\varepsilon$; $\varepsilon$ takes
the place of $p$.""",
    symbols=letters(
        "k delta hit eps free omega",
        k={"meaning": "degree that is tested for"},
        omega={"meaning": "number of components beyond degree $k$, at most"},
        delta={"latex": r"\delta'", "meaning": "probability that a function is wrongly accepted"},
        eps={"meaning": "proximity, in the place of the probability that a trial rejects", "domain": "in (0, 1)"},
    ),
    source="reconstructed",
    unrolled=("k",),
    parts=(
        Part("hit", "p_1", "probability that a component of degree $k+1$ counts in a trial", "=",
             printed=lambda _: printed_hit(), derived=steps(_labelled)),
        Part("repetitions", "R", "number of trials that suffice", printed=lambda _: printed_trials(hit),
             sharp=steps(lambda proof: _trials(proof, hit, exact=True))),
        Part("queries", r"R\,2^{k+1}", "queries of the test of degree",
             printed=lambda _: printed_trials(hit) * cube(),
             derived=steps(_queries(hit, cube, False)), sharp=steps(_queries(hit, cube, True))),
        Part("component", r"R\,2^{k+1}", "the same where the trials have only one component of degree $k+1$ to find",
             printed=lambda _: printed_trials(printed_hit()) * cube(),
             derived=steps(_component(False)), sharp=steps(_component(True))),
        Part("components", r"R\,2^{k+1}",
             r"the same for every function with at most $\omega$ components beyond degree $k$",
             printed=lambda _: printed_trials(printed_hit()) * cube(),
             derived=steps(_components(False)), sharp=steps(_components(True)),
             source="own: the trials of one component, for a function of many"),
        Part("slices", r"R\,2^r", "queries of the test of sparsity",
             printed=lambda _: printed_trials(eps) * restricted(),
             derived=steps(_queries(eps, restricted, False)), sharp=steps(_queries(eps, restricted, True))),
    ),
)  # fmt: skip
