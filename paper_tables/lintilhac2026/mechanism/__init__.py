"""Figure 5: attention rows of a small trained network beside the Fourier components, and its one-dimensional MLP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from maurey.paper_tables.exhibits import Exhibit, Series
from maurey.paper_tables.lintilhac2026.runs import account, cells_of, within
from maurey.paper_tables.page import Shown
from maurey.paper_tables.statistics import wilson
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, here, line
from maurey.verify.training.trials.keys import Job, key

from .figure import draw
from .scores import TURN, USED, Scores, by_chance, score, shown_by_chance, turns

__all__ = ["draw", "plan", "render"]

COLUMNS = [
    "degree", "sparsity", "function", "converged", "epochs", "training loss", "test loss", "rows in use",
    "showing a component", "by chance", "read-out on them", "needed ones shown", "largest attention to a component",
    "turns of the MLP", "in the figure",
]  # fmt: skip
SHOWN_RUNS = 2  # in the figure
ABOUT = (
    "One attention layer of which only the data channel is kept, an MLP with 32 hidden units on that one channel, a "
    "linear read-out of all positions; 1,087 parameters at 20 bits; AdamW, rate 0.004, weight decay 0.0001, batches of "
    "128, 8,192 strings, until the training loss is below the threshold of the scale, lower than elsewhere. Ours: the "
    "initial weights, that threshold, that the value map is fixed."
)
plan = partial(in_stages, model="channel", width=32, watch=True)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    runs = [o for cell in cells_of(outcomes) for o in cell.runs]
    known = {id(o): score(o.record, o.config.threshold) for o in runs}
    several = [o for o in runs if min(o.config.D, o.config.omega) > 1 and o.record["converged"]] or runs
    shown = [next(o for o in several if o.config.D == D) for D in sorted({o.config.D for o in several})][:SHOWN_RUNS]
    fitted, jobs = [(o, known[id(o)]) for o in runs if o.record["converged"]], plan(scale)
    findings = [_rows(fitted, jobs, expected), _curves(fitted, jobs, expected)]
    notes = account(scale, jobs, outcomes)
    return Exhibit(
        title="Lintilhac and Shaikh 2026, Figure 5: attention rows, Fourier components and the learned MLP",
        question="Does a small trained network work as the construction does?",
        answer=_answer(fitted),
        verdict=_verdict(findings),
        caption="Left: attention of one fitted network, rows by their weight in the read-out; framed: the row's "
        "largest weights are at the positions of a component. Middle: the function of the share of ones that the MLP "
        "of two networks learned, over its range; a parity turns at each mark between the ends. Right: shares by "
        "degree.",
        shown=Shown(SHOWN, [_shown(D, fitted) for D in _degrees(fitted)]),
        notes=[
            *notes[:2],
            ABOUT,
            notes[-1],
            "Scores: a row (of a query, the mean over 1,024 training strings) is in use if its weight in the read-out "
            f"is at least {USED:g} of the largest; it shows a component if its D largest attention weights are at that "
            "component's positions. A component is needed if a network without it could not come below the threshold "
            "(with coefficient c it has a share c²/4 of the loss). By chance: rows that attend to D positions picked "
            f"blindly. A turn of the MLP counts if it is at least {TURN:g} of the curve's range "
            "on [0, 1]; a parity of D bits, read from a count, needs D - 1. The figure shows the first fitted "
            "function with several components of the lowest degree above 1, and the MLP of the next degree too.",
            "Settled after the first networks had been looked at: the threshold of the training loss, that attention "
            "is averaged over strings, which components are needed, and that chance is counted.",
            _told(fitted),
        ],
        columns=COLUMNS,
        rows=[_row(o, known[id(o)], o in shown) for o in runs],
        series=Series(["kind", "place", "position", "value", "note"], list(_points(shown, fitted))),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "degree": "",
    "networks": "that were fitted",
    "most components shown": "networks in which rows in use show most components",
    "needed components shown": "over the networks, and how many would be by chance",
    "rows in use that show one": "over the networks, and how many would by chance",
    "turns of the MLP": "networks whose MLP turns as often as a parity of this degree",
}
Fitted = Sequence[tuple[Outcome, Scores]]
Counts = tuple[int, int, float]  # so many of so many, and how many by chance


def _parts(D: int, runs: Fitted) -> tuple[Counts, Counts]:
    """Needed components that a row in use shows, and rows in use that show a component."""
    own = [(o, s) for o, s in runs if o.config.D == D]
    showing, used, there, needed = (
        sum(getattr(s, name) for _, s in own) for name in ("showing", "used", "found", "needed")
    )
    blind = sum(by_chance(o.config.T, D, o.config.omega) * s.used for o, s in own)
    blindly = sum(shown_by_chance(o.config.T, D, s.used) * s.needed for o, s in own)
    return (there, needed, blindly), (showing, used, blind)


def _clear(D: int, runs: Fitted) -> list[bool]:
    """Whether most components are shown, network by network."""
    return [2 * s.among_all > o.config.omega for o, s in runs if o.config.D == D]


def _shown(D: int, runs: Fitted) -> list[str]:
    clear, (parts, rows) = _clear(D, runs), _parts(D, runs)
    turned = [s.turns >= D - 1 for o, s in runs if o.config.D == D]
    told = (f"{k} of {n} ({blind:.1f})" for k, n, blind in (parts, rows))
    return [str(D), str(len(clear)), f"{sum(clear)}", *told, f"{sum(turned)}" if D > 1 else "-"]


def _points(shown: Sequence[Outcome], runs: Fitted) -> Iterator[list[str]]:
    """Attention of the first network that is shown, the MLPs of all from 0 to 1, and shares by degree with their 95 %
    intervals."""
    for outcome in shown[:1]:
        record = outcome.record
        attention, v = np.array(record["attention"]), np.array(record["read_out"])
        components = [frozenset(each) for each in record["components"]]
        for place, t in enumerate(np.argsort(-np.abs(v)), 1):
            top = frozenset(np.argsort(-attention[t])[: outcome.config.D].tolist())
            for j, weight in enumerate(attention[t]):
                framed = "of a component" if top in components and j in top else ""
                yield ["attention", str(place), str(j + 1), f"{weight:.3f}", framed]
    for outcome in shown:
        phi = np.array(outcome.record["phi"])
        phi = (phi - phi.min()) / np.ptp(phi)
        for x, y in zip(np.linspace(0, 1, len(phi)), phi, strict=True):
            yield ["MLP", f"{x:.4f}", str(outcome.config.D), f"{y:.4f}", ""]
    for D in _degrees(runs):
        clear, ((there, needed, blind), _) = _clear(D, runs), _parts(D, runs)
        low, high = wilson(sum(clear), len(clear))
        yield ["share", "networks", str(D), f"{sum(clear) / len(clear):.3f}", f"{low:.3f} to {high:.3f}"]
        if needed:
            yield ["share", "components", str(D), f"{there / needed:.3f}", ""]
            yield ["share", "chance", str(D), f"{blind / needed:.3f}", ""]


def _answer(runs: Fitted) -> str:
    if not runs:
        return "No network was fitted."
    clear = [one for D in _degrees(runs) for one in _clear(D, runs)]
    turned = [s.turns >= o.config.D - 1 for o, s in runs if o.config.D > 1]
    return (
        f"In {sum(clear)} of {len(clear)} fitted networks rows of attention show most components; the MLP turns as "
        f"often as a parity in {sum(turned)} of {len(turned)} of degree 2 and more."
    )


def _verdict(findings: Sequence[Finding]) -> list[str]:
    rows, curves = findings
    return [
        line(f"in most cases the key-query matrix has rows at the Fourier components{here(rows)}", rows),
        line(f"the learned one-dimensional MLP oscillates (recovered){here(curves)}", curves),
    ]


# --- rows ------------------------------------------------------------------------------------------------------------


def _row(outcome: Outcome, own: Scores, drawn: bool) -> list[str]:
    config, record = outcome.config, outcome.record
    start = [str(config.D), str(config.omega), str(outcome.trial), "yes" if record["converged"] else "no"]
    losses = [str(record["epochs"]), f"{record['train_loss']:.5f}", f"{record['test_loss']:.5f}"]
    rows = [str(own.used), str(own.showing), f"{by_chance(config.T, config.D, config.omega):.4f}", f"{own.mass:.3f}"]
    parts = [f"{own.found} of {own.needed}", f"{own.weight:.3f}", str(own.turns)]
    return [*start, *losses, *rows, *parts, "yes" if drawn else "no"]


def _rows(runs: Fitted, jobs: Sequence[Job], expected: Mapping[str, Any]) -> Finding:
    """A case is a network; most of its components are shown by rows in use, as in Figure 5."""
    clear = {D: _clear(D, runs) for D in _degrees(runs)}
    seen, share = _share([one for own in clear.values() for one in own])
    each = ", ".join(f"{sum(own)} of {len(own)} (degree {D})" for D, own in clear.items())
    return Finding(
        f"{expected['figure']}: {expected['rows']}; here in {seen} most components are shown by a row in use; {each}",
        within(share, 0.5, 1),
        expected["figure"],
        **_size(runs, jobs, expected, 1),
        criterion="section 2.4: in most cases; ours, after looking: when a row shows a component, and that more than "
        "half of them make a case",
        late=True,
    )


def _curves(runs: Fitted, jobs: Sequence[Job], expected: Mapping[str, Any]) -> Finding:
    own = [(o, s) for o, s in runs if o.config.D > 1]
    seen, share = _share([s.turns >= o.config.D - 1 for o, s in own])
    before = sum(turns(_first_curve(o)) >= o.config.D - 1 for o, _ in own)
    one, least = _share([s.turns > 0 for _, s in own])
    answers = within(share, 0.5, 1), within(least, 0.5, 1)
    return Finding(
        f"{expected['figure']}: {expected['curve']}; here with D - 1 turns or more in {seen} of degree 2 and more, in "
        f"{before} before training; with a turn in {one}",
        answers[0] if answers[0] == answers[1] else None,
        expected["figure"],
        **_size(own, jobs, expected, 2),
        criterion="ours: more than half have the D - 1 turns of a parity, and have a turn at all",
    )


def _told(runs: Fitted) -> str:
    """By components and by rows; that most rows in use show a component is not what the paper says."""
    told = []
    for D in _degrees(runs):
        (there, needed, blindly), (showing, used, blind) = _parts(D, runs)
        told.append(
            f"degree {D}: {there} of {needed} ({blindly:.1f} by chance) and {showing} of {used} ({blind:.1f} by chance)"
        )
    return (
        "Needed components that a row in use shows, and rows in use that show a component (the paper says that there "
        f"are such rows, not that all rows are): {'; '.join(told) or 'none'}."
    )


def _degrees(runs: Fitted) -> list[int]:
    return sorted({o.config.D for o, _ in runs})


def _share(answers: Sequence[bool]) -> tuple[str, tuple[float, float]]:
    low, high = wilson(sum(answers), len(answers))
    return f"{sum(answers)} of {len(answers)} fitted networks ({low:.2f} to {high:.2f})", (low, high)


def _size(runs: Fitted, jobs: Sequence[Job], expected: Mapping[str, Any], degree: int) -> dict[str, Any]:
    """Of our plan: the paper does not say how many it has."""
    planned = [job.config for job in jobs if degree <= job.config.D]
    run, caps = sum(expected["T"] == o.config.T for o, _ in runs), sorted({c.cap for c in planned})
    lacks = f"not fitted after {caps[-1]} epochs: {len(planned) - run}" if run < len(planned) else ""
    return {"run": run, "planned": max(len(planned), 1), "what": "networks", "lacks": lacks}


def _first_curve(outcome: Outcome) -> Any:
    """The MLP as it was before training."""
    import torch

    from maurey.verify.training.networks import channel

    start = channel.initial(outcome.config, key(outcome.config, outcome.trial))
    p = {name: torch.from_numpy(np.asarray(value, dtype=np.float64))[None] for name, value in start.items()}
    return channel.curve(p, torch.linspace(0, 1, channel.POINTS, dtype=torch.float64)[None])[0].numpy()
