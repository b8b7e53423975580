"""Figures 1a and 1b: samples until the test error is at most a threshold, against the number of tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from maurey.paper_tables.censored import PowerLaw
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.trained import Outcome
from maurey.paper_tables.verdicts import Finding
from maurey.verify.training.trials.keys import Job

from .figure import draw
from .samples import COLUMNS, MODELS, Cell, account, cells_of, fitted, law, place, row, without_looking
from .variants import VARIANTS

FACTOR = 2.0  # within which a mean is as printed
Laws = Mapping[tuple[str, str], PowerLaw | None]  # by variant and model
METHOD = (
    "Samples are training prompts, fresh ones in every step of 64, until the test error is at most {threshold:g} for "
    "the first time; a test every {every} steps. A run that was given up takes more than it has seen: an arrow in the "
    "figure, and a mean that is a lower bound. The authors give up after 1,000,000 samples; the table says where a run "
    "was given up here.",
    "Variants. text: weight decay 0.1, test of 10,000 prompts of the same task, RNN with tanh. script (as the authors "
    "published it): weight decay 0.01, test of 5000 prompts, RNN with GRU cells, and 1STR tested on prompts in which "
    "all positions ask for one token. Tests of another size are noted in the table. The script as it stands tests "
    "every 200 steps, and then counts are multiples of 12,800; some of the printed means are far below, so that both "
    "variants test here as often as the authors' plots have it.",
    "Exponents: log samples = log c + p log N + normal error, by maximum likelihood from all runs, those given up as "
    "censored and the others as known to the step between tests; interval of p: 95 %, profile likelihood. It is that "
    "of the runs if the law holds, and does not say that it holds.",
)


def exhibit(
    title: str,
    plan: Callable[[Mapping[str, Any]], list[Job]],
    scale: Mapping[str, Any],
    expected: Mapping[str, Any],
    outcomes: Sequence[Outcome],
) -> Exhibit:
    cells = cells_of(outcomes, "N")
    variants = list(dict.fromkeys(cell.variant for cell in cells))
    laws: Laws = {(v, m): law(cells, v, m) for v, m in product(variants, MODELS)}
    printed = {
        (m, N): mean for m in MODELS for N, mean in zip(expected["printed"]["N"], expected["printed"][m], strict=True)
    }
    findings = [
        *(_growth(v, laws, expected) for v in variants),
        *(_end(v, cells, printed, expected) for v in variants),
        *(_levels(v, cells, printed, expected) for v in variants),
    ]
    planned = plan(scale)
    every = sorted({job.config.every for job in planned})
    tests = {(o.config.held_out, o.config.model, o.config.N) for o in outcomes}
    return Exhibit(
        title=title,
        notes=[
            *account(scale, planned, outcomes, "N", partial(place, "N")),
            METHOD[0].format(threshold=expected["threshold"], every=" or ".join(map(str, every))),
            *METHOD[1:],
            *without_looking(outcomes),
            nearness(cells, printed, expected["figure"]),
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[
            *(row(cell, str(printed.get((cell.model, cell.at), "")), _tested(cell, tests)) for cell in cells),
            *(
                fitted(v, m, found)
                for (v, m), found in laws.items()
                if any((c.variant, c.model) == (v, m) for c in cells)
            ),
        ],
        draw=lambda figure: draw(
            figure,
            cells,
            laws=laws,
            printed=expected["printed"],
            axis="N",
            meaning="tokens N of a prompt",
            threshold=expected["threshold"],
        ),
        figure_size=(6.0 * max(1, len(variants)), 5.6),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


def _tested(cell: Cell, tests: set[tuple[int, str, int]]) -> str:
    """Where a test has another size than the variant's."""
    usual = VARIANTS.get(cell.variant, {}).get("held_out")
    own = {number for number, model, N in tests if (model, N) == (cell.model, cell.at)} - {
        one["held_out"] for one in VARIANTS.values()
    }
    return f"tests of {' or '.join(map(str, sorted(own)))} prompts instead of {usual}" if own else ""


def _growth(variant: str, laws: Laws, expected: Mapping[str, Any]) -> Finding:
    """Slow and fast: the intervals of the exponents are apart."""
    text = f"{expected['figure']}: {expected['shows']}. Variant {variant}: exponents"
    found = {m: laws[variant, m] for m in MODELS}
    told = ", ".join(
        f"{MODELS[m]} {one.p:.2f} ({one.told})" if one else f"{MODELS[m]} not known" for m, one in found.items()
    )
    agrees: list[bool | None] = []
    for slow, fast in product(expected["slow"], expected["fast"]):
        a, b = found[slow], found[fast]
        if a is None or b is None:
            agrees.append(None)
        else:
            agrees.append(True if a.interval[1] < b.interval[0] else False if a.interval[0] > b.interval[1] else None)
    return Finding(
        f"{text} {told}; fast and slow mean that the intervals are apart",
        False if False in agrees else None if None in agrees else True,
    )


def _end(
    variant: str, cells: Sequence[Cell], printed: Mapping[tuple[str, int], int], expected: Mapping[str, Any]
) -> Finding:
    """At the longest prompts that the paper has and all architectures were run at: the order, and who is comparable."""
    own = {(c.model, c.at): c for c in cells if c.variant == variant and c.runs}
    common = [N for N in expected["printed"]["N"] if all((m, N) in own for m in MODELS)]
    if not common:
        return Finding(
            f"{expected['figure']}, variant {variant}: no N of the paper has runs of all architectures", None
        )
    N = common[-1]
    means = {m: own[m, N] for m in MODELS}
    told = ", ".join(f"{MODELS[m]} {cell.text} (paper: {printed[m, N]})" for m, cell in means.items())
    slow, fast = (" and ".join(MODELS[m] for m in expected[name]) for name in ("slow", "fast"))
    start = f"{expected['figure']}, variant {variant}, N = {N}: fewer samples for {slow} than for {fast}"
    verdicts: list[bool | None] = []
    for first, second in product(expected["slow"], expected["fast"]):
        a, b = means[first], means[second]
        if a.censored:
            verdicts.append(False if not b.censored and a.mean > b.mean else None)
        else:
            verdicts.append(a.mean < b.mean or (None if b.censored else False))
    if len(expected["slow"]) > 1:
        start += f", and {slow} within a factor of {FACTOR:g}"
        sizes = [means[m] for m in expected["slow"]]
        apart = max(c.mean for c in sizes) / min(c.mean for c in sizes) > FACTOR
        verdicts.append(None if any(c.censored for c in sizes) else not apart)
    return Finding(f"{start}; here {told}", False if False in verdicts else None if None in verdicts else True)


def _off(cells: Sequence[Cell], printed: Mapping[tuple[str, int], int], variant: str) -> dict[tuple[str, int], float]:
    """log of mean over printed mean, where all runs passed."""
    own = (c for c in cells if c.variant == variant and c.runs and not c.censored and (c.model, c.at) in printed)
    return {(c.model, c.at): math.log(c.mean / printed[c.model, c.at]) for c in own}


def _levels(
    variant: str, cells: Sequence[Cell], printed: Mapping[tuple[str, int], int], expected: Mapping[str, Any]
) -> Finding:
    """A mean that is a lower bound speaks against the paper once it is beyond the factor."""
    off = _off(cells, printed, variant)
    limits = [c for c in cells if c.variant == variant and c.censored and (c.model, c.at) in printed]
    beyond = sum(c.mean > FACTOR * printed[c.model, c.at] for c in limits)
    start = f"{expected['figure']}, variant {variant}: means within a factor of {FACTOR:g} of the printed ones"
    if not off and not limits:
        return Finding(f"{start}; no cell of the paper was run", None)
    near = sum(abs(value) <= math.log(FACTOR) for value in off.values())
    text = f"{start}; here {near} of {len(off)} cells"
    if off:
        m, N = max(off, key=lambda place: abs(off[place]))
        text += f", the farthest {MODELS[m]} at N = {N} with {math.exp(off[m, N]):.2f} times the printed mean"
    if limits:
        text += f"; of {len(limits)} more, with runs that were given up, {beyond} are above that factor"
    wrong = near < len(off) or beyond > 0
    return Finding(text, False if wrong else None if len(limits) > 0 else True)


def nearness(cells: Sequence[Cell], printed: Mapping[tuple[str, int], int], figure: str) -> str:
    """Which variant is nearer to the printed means, by the cells that both have."""
    off = {variant: _off(cells, printed, variant) for variant in VARIANTS}
    common = set.intersection(*(set(own) for own in off.values()))
    criterion = (
        "Which variant is nearer to the printed means: the smaller root mean square of log(mean / printed mean) over "
        "the cells in which all runs of both passed"
    )
    if not common:
        return f"{criterion}. There is no such cell."
    told = []
    for m in [None, *MODELS]:
        places = [place for place in common if m is None or place[0] == m]
        if places:
            size = {v: math.sqrt(sum(own[place] ** 2 for place in places) / len(places)) for v, own in off.items()}
            nearer = min(size, key=lambda v: size[v])
            values = ", ".join(f"{v} {value:.2f}" for v, value in size.items())
            told.append(f"{MODELS[m] if m else f'{figure}, all {len(places)} cells'}: {values}, so {nearer}")
    return f"{criterion}. {'; '.join(told)}."
