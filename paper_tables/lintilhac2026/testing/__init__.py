"""Figure 8: what tests of degree and sparsity report, also where the degree over GF(2) is not that of the spectrum, and
where the confidence is not what it is said to be."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.paper_tables.lintilhac2026.runs import interval, within, words
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import wilson
from maurey.paper_tables.verdicts import Finding, here, line
from maurey.verify.papers.lintilhac2026.network import property_testing as pt
from maurey.verify.training.tasks import walsh

from .figure import draw

__all__ = ["draw", "make"]

COLUMNS = ["kind", "true", "eps", "functions", "mean level", "standard deviation", "least", "largest", "queries",
           "note"]  # fmt: skip


FIGURE, KINDS = "Figure 8", ("degree", "sparsity")
PAPER_T, PAPER_FUNCTIONS = 20, 5 * 4 * 8  # degrees, sparsities, and functions of each


@dataclass(frozen=True)
class Level:
    """What was reported for one function."""

    kind: str  # degree, or sparsity
    D: int
    omega: int
    eps: str  # of sparsity
    found: int
    queries: int

    @property
    def true(self) -> int:
        return self.D if self.kind == "degree" else self.omega


@dataclass(frozen=True)
class Boolean:
    name: str
    algebraic: int  # degree over GF(2)
    degree: int  # of the spectrum
    sparsity: int
    found: tuple[int, int]  # degree and sparsity as reported


@dataclass(frozen=True)
class Product:
    """A product of d sums of two signs, asked whether it is constant."""

    d: int
    rejection: Fraction  # of a trial
    hit: Fraction  # what is said of a trial
    trials: int
    accepted: float  # share of the runs

    @property
    def exact(self) -> float:
        return float((1 - self.rejection) ** self.trials)


@dataclass(frozen=True)
class Found:
    levels: Sequence[Level]
    booleans: Sequence[Boolean]
    free: Mapping[int, Sequence[int]]  # levels by the number of free positions
    freed: int  # the sparsity of the functions of these
    products: Sequence[Product]
    doubt: Fraction
    T: int


def reports(config: Mapping[str, Any], D: int, omega: int, number: int) -> list[Level]:
    """Of one drawn function."""
    rng = np.random.default_rng((config["seed"], D, omega, number))
    target, doubt = walsh.random_target(config["T"], D, omega, rng), Fraction(config["doubt"])
    asked = pt.of_target(target)
    found = [Level("degree", D, omega, "-", pt.degree(asked, doubt, rng), asked.queries)]
    for eps in config["eps"]:
        asked = pt.of_target(target)
        level = pt.sparsity(asked, config["r"], Fraction(eps), doubt, rng)
        found.append(Level("sparsity", D, omega, eps, level, asked.queries))
    return found


def tables(T: int) -> dict[str, np.ndarray]:
    """Boolean functions as 2^T bits."""
    z = walsh.all_strings(T).astype(int)
    ones = z.sum(axis=1)
    return {
        "parity": ones % 2,
        "even parity": 1 - ones % 2,
        "and": z.prod(axis=1),
        "majority of 5": (z[:, :5].sum(axis=1) > 2).astype(int),
        "x1 + x2 x3": z[:, 0] ^ z[:, 1] & z[:, 2],
        "x1 x2 + x3 x4 + x5 x6": z[:, 0] & z[:, 1] ^ z[:, 2] & z[:, 3] ^ z[:, 4] & z[:, 5],
        "x2 or x3, by x1": np.where(z[:, 0] == 1, z[:, 1], z[:, 2]),
    }


def boolean(config: Mapping[str, Any], name: str) -> Boolean:
    T, rng, doubt = config["boolean_T"], np.random.default_rng(config["seed"]), Fraction(config["boolean_doubt"])
    table = tables(T)[name]
    spectrum = walsh.transform(table)
    found = pt.degree(pt.of_table(table), doubt, rng), pt.sparsity(pt.of_table(table), T, Fraction(1), doubt, rng, 0.0)
    return Boolean(name, walsh.algebraic_degree(table), walsh.degree(spectrum), walsh.sparsity(spectrum), found)


def products(config: Mapping[str, Any], d: int) -> Product:
    doubt = Fraction(config["doubt"])
    y = 1 - 2 * walsh.all_strings(2 * d).astype(int)
    table = (y[:, ::2] + y[:, 1::2]).prod(axis=1)
    rng, asked, hit = np.random.default_rng((config["seed"], d)), pt.of_table(table), pt.hit(1, 0)
    number = pt.trials(doubt, hit)
    accepted = np.mean([pt.has_degree(asked, 0, doubt, rng, number) for _ in range(config["runs"])])
    return Product(d, pt.rejection(table.tolist(), 0), hit, number, float(accepted))


def freed(config: Mapping[str, Any], r: int) -> list[int]:
    rng = np.random.default_rng((config["seed"], r))
    D, omega, T = config["free_degree"], config["free_sparsity"], config["T"]
    eps, doubt = (Fraction(text) for text in (config["eps"][-1], config["doubt"]))
    drawn = [walsh.Target(T, walsh.random_target(T, D, omega, rng).components, (1,) * omega)
             for _ in range(config["functions"])]  # fmt: skip
    return [pt.sparsity(pt.of_target(target), r, eps, doubt, rng, tau=1e-9) for target in drawn]


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    classes = list(product(config["degrees"], config["sparsities"], range(config["functions"])))
    levels: list[Level] = []
    for done, (D, omega, number) in enumerate(classes):
        progress(done, len(classes) + 1)
        levels += reports(config, D, omega, number)
    progress(len(classes), len(classes) + 1)
    found = Found(
        levels=levels,
        booleans=[boolean(config, name) for name in tables(config["boolean_T"])],
        free={r: freed(config, r) for r in config["free"]},
        freed=config["free_sparsity"],
        products=[products(config, d) for d in config["products"]],
        doubt=Fraction(config["doubt"]),
        T=config["T"],
    )
    findings = [*(_below(found, kind) for kind in KINDS), _right(found), _close(found), _wilting(found)]
    R = {eps: pt.trials(found.doubt, Fraction(eps)) for eps in config["eps"]}
    rows = _rows(found)
    return Exhibit(
        title="Lintilhac and Shaikh 2026, Figure 8: tests of degree and sparsity",
        question="Do tests by queries report the true degree and sparsity?",
        answer=_answer(found),
        verdict=_verdict(findings),
        caption="Levels that are accepted first, over drawn functions: means, and bars from the least to the largest. "
        "The test of sparsity is blind to components that hold less than a share of the energy. The paper's own "
        "resolution and confidence are lost in our text.",
        shown=Shown(SHOWN, [row[:9] for row in rows]),
        notes=[
            f"T = {config['T']}, {config['functions']} drawn functions of each class, degrees "
            f"{config['degrees'][0]} to {config['degrees'][-1]}, sparsities "
            f"{', '.join(map(str, config['sparsities']))}: distinct sets, absolute values of normal coefficients, unit "
            f"norm. Confidence {1 - found.doubt}; eps = {' and '.join(config['eps'])}, the energy that the sparsity "
            f"test lets pass, of 1/4 in all; {config['r']} free positions. Seed {config['seed']}.",
            "Levels are those that are accepted first, from 0 upward, every level with fresh draws. Trials at degree "
            "k: ceil(ln(1/doubt) (k+2)^(k+1)/(k+1)!), of 2^(k+1) queries; at any sparsity: ceil(ln(1/doubt)/eps), here "
            f"{' and '.join(map(str, R.values()))}, of 2^{config['r']}. Queries in the table are those that were made: "
            "a level that is rejected takes few.",
            "The sparsity test is blind to eps of energy, and to components that no longer differ on the free "
            f"positions: with equal coefficients, degree {config['free_degree']} and sparsity "
            f"{config['free_sparsity']}, and no energy let pass, it reports {_free(found)}.",
            _fourier(found),
            _sure(found),
        ],
        columns=COLUMNS,
        rows=[*rows, *map(_boolean, found.booleans), *map(_product, found.products)],
        parameters=config,
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "test": "",
    "true": "level",
    "eps": "energy that the test lets pass, of 1/4 in all",
    "functions": "",
    "mean": "of the levels that are reported",
    "standard deviation": "",
    "least": "",
    "largest": "",
    "queries": "made for a function, in the mean",
}


def _answer(found: Found) -> str:
    degree = [level for level in found.levels if level.kind == "degree"]
    sparsity = [level for level in found.levels if level.kind == "sparsity"]
    right = sum(level.found == level.true for level in degree)
    over = sum(level.found > level.true for level in found.levels)
    eps, most = min((level.eps for level in sparsity), key=Fraction), max(level.true for level in sparsity)
    mean = np.mean([level.found for level in sparsity if (level.true, level.eps) == (most, eps)])
    return (
        f"The degree for {right} of {len(degree)} functions; of sparsity {most} the mean report is {mean:.1f} (eps = "
        f"{eps}); {over or 'none'} of {len(found.levels)} reports {'is' if over in (0, 1) else 'are'} above the truth."
    )


def _verdict(findings: Sequence[Finding]) -> list[str]:
    below, fewer, right, close, wilting = findings
    return [
        line("the first level that is accepted is usually at or below the true one", below, fewer),
        line(f"the degree that is reported is the true one for most functions{here(right)}", right),
        line(f"the sparsity that is reported is close to the true one{here(close)}", close),
        line(f"more energy let pass makes the levels of sparsity lower{here(wilting)}", wilting),
    ]


# --- findings --------------------------------------------------------------------------------------------------------


def _free(found: Found) -> str:
    return ", ".join(f"{np.mean(levels):.3g} at r = {r}" for r, levels in found.free.items())


def _below(found: Found, kind: str) -> Finding:
    below = [level.found <= level.true for level in found.levels if level.kind == kind]
    return _most(found, below, f"of {kind}, the first level that is accepted is usually at or below the true one",
                 "appendix H: usually; here more than half")  # fmt: skip


def _right(found: Found) -> Finding:
    own = [level.found == level.true for level in found.levels if level.kind == "degree"]
    return _most(found, own, "the degree that is reported is the true one for most functions",
                 "appendix H: for most functions, at a proximity that our text has lost")  # fmt: skip


def _close(found: Found) -> Finding:
    """At the smallest eps; what is close is not said."""
    own = [level for level in found.levels if level.kind == "sparsity"]
    eps = min((level.eps for level in own), key=Fraction)
    means = {true: np.mean([level.found for level in own if (level.true, level.eps) == (true, eps)])
             for true in sorted({level.true for level in own})}  # fmt: skip
    told = ", ".join(f"{mean:.3g} for {true}" for true, mean in means.items())
    text = f"{FIGURE}: the sparsity that is reported is close to the true one; here, eps = {eps}, in the mean {told}"
    text += "; the paper's eps is lost in our text"
    return Finding(text, None, FIGURE, **_size(found),
                   criterion="none: close is not said in numbers, and the eps is lost")  # fmt: skip


def _wilting(found: Found) -> Finding:
    """The same functions at the smallest and the largest eps."""
    own = [level for level in found.levels if level.kind == "sparsity"]
    ends = sorted({level.eps for level in own}, key=Fraction)
    text = f"{FIGURE}: a larger proximity parameter makes the levels of sparsity lower"
    criterion = "appendix H: more pronounced with larger proximity parameters; here the 95 % interval of the difference"
    if len(ends) < 2:
        return Finding(f"{text}; here there is but one", None, FIGURE, **_size(found), criterion=criterion)
    small, large = ([level.found for level in own if level.eps == eps] for eps in (ends[0], ends[-1]))
    drop = interval([a - b for a, b in zip(small, large, strict=True)])
    text += f"; here, from eps = {ends[0]} to {ends[-1]}, by {words(drop, '.2f')} in the mean"
    agrees = True if drop[1] > 0 else False if drop[2] <= 0 else None
    return Finding(text, agrees, FIGURE, **_size(found), criterion=criterion)


def _most(found: Found, answers: Sequence[bool], text: str, criterion: str) -> Finding:
    low, high = wilson(sum(answers), len(answers))
    told = f"{FIGURE}: {text}; here for {sum(answers)} of {len(answers)} ({low:.2f} to {high:.2f})"
    return Finding(told, within((low, high), 0.5, 1), FIGURE, **_size(found), criterion=criterion)


def _size(found: Found) -> dict[str, Any]:
    """Functions with as many bits as in the paper."""
    functions = sum(level.kind == "degree" for level in found.levels) if found.T == PAPER_T else 0
    return {"run": functions, "planned": PAPER_FUNCTIONS, "what": "functions"}


def _fourier(found: Found) -> str:
    wrong = [one.name for one in found.booleans if one.found != (one.degree, one.sparsity)]
    apart = [one.name for one in found.booleans if one.algebraic != one.degree]
    return (
        f"Boolean functions, of which the paper has none: the degree over GF(2) and that of the spectrum differ for "
        f"{', '.join(apart)}; reported are degree and sparsity of the spectrum, the constant left out; but for "
        f"{', '.join(wrong) or 'none'}."
    )


def _sure(found: Found) -> str:
    """The number of trials is that of one component; several can cancel."""
    less = [one for one in found.products if one.exact > found.doubt]
    told = ", ".join(f"{one.exact:.3g} (degree {one.d}, {2**one.d} components; measured {one.accepted:.3g})"
                     for one in less)  # fmt: skip
    return (
        f"The confidence of our form of the degree test is {1 - found.doubt} for one component. Products of sums of "
        f"two signs, with equal coefficients, pass as constants with probability {told or 'no more'}."
    )


def _rows(found: Found) -> list[list[str]]:
    rows = []
    for kind, true, eps in dict.fromkeys((level.kind, level.true, level.eps) for level in found.levels):
        own = [level for level in found.levels if (level.kind, level.true, level.eps) == (kind, true, eps)]
        values = np.array([level.found for level in own])
        numbers = [f"{values.mean():.3f}", f"{values.std(ddof=1):.3f}", str(values.min()), str(values.max())]
        queries = f"{np.mean([level.queries for level in own]):.0f}"
        rows.append([kind, str(true), eps, str(len(own)), *numbers, queries, ""])
    return sorted(rows, key=lambda row: (row[0], row[2], int(row[1])))


def _boolean(one: Boolean) -> list[str]:
    note = f"degree over GF(2) {one.algebraic}; sparsity {one.sparsity}, reported {one.found[1]}"
    return [one.name, str(one.degree), "-", "1", str(one.found[0]), "-", "-", "-", "-", note]


def _product(one: Product) -> list[str]:
    note = (
        f"a trial rejects with probability {one.rejection}, said {one.hit}; {one.trials} trials accept level 0 with "
        f"probability {one.exact:.4f}, measured {one.accepted:.4f}"
    )
    return ["product", str(one.d), "-", "1", "-", "-", "-", "-", "-", note]
