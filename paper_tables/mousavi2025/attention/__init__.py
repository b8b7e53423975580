"""Figure 2: what is between the queries and the keys of a trained Transformer, beside construction (A.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from maurey.paper_tables.accounts import finished
from maurey.paper_tables.exhibits import Exhibit, Series
from maurey.paper_tables.mousavi2025.samples import account
from maurey.paper_tables.page import Shown
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding, of_variants

from .figure import IDEAL, draw
from .scores import Scores, between, ideal, random

__all__ = ["draw", "plan", "render"]

NEVER = 1e-9  # a test error that no network reaches
LEARNED = 0.1  # test error of a network that has learned; a constant has 1
MOST = 0.5  # share of the squared norm: where the mass is
FACTOR = 2.0  # for the largest entry
COLUMNS = [
    "variant", "N", "trial", "status", "prompts seen", "test error", "share of the block", "share of its diagonal",
    "diagonal within the block", "cosine with A.2", "largest entry", "on the diagonal", "in the figure",
]  # fmt: skip
TASKS = {"simple": "script", "qstr": "text"}

plan = partial(in_stages, model="transformer", threshold=NEVER, rate=1e-3, decay=0.2, watch=True)


def scores(outcome: Outcome) -> Scores:
    return Scores.of(between(outcome), outcome.config.d, outcome.config.d_e)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    done = finished(outcomes)
    shown = {v: next((o for o in done if TASKS[o.config.task] == v), None) for v in ("text", "script")}
    chosen = [one for one in shown.values() if one]
    findings = [f for v in shown for f in _findings([o for o in done if TASKS[o.config.task] == v], expected, v)]
    series = _matrices({v: o for v, o in shown.items() if o})
    return Exhibit(
        title="Mousavi-Hosseini et al. 2025, Figure 2: what is between queries and keys of a trained Transformer",
        question="Is the learned matrix between queries and keys the paper's construction?",
        answer=_answer(done),
        verdict=_verdict(findings),
        caption="Sizes of the entries of W_Q^T W_K, rows by query, columns by key: what a token holds (x), where it "
        "stands (w_i, w_j), which place it asks for (w_t). Framed: the block where the construction is the identity"
        f"{_diagonal_by_chance(chosen)}.",
        shown=Shown(SHOWN, [_shown(o) for o in done]),
        notes=[
            *account(scale, plan(scale), outcomes, "N", lambda config: (TASKS[config.task], config.model, config.N)),
            "One head; rows of M = W_Q^T W_K belong to the query's token (x, w_i, w_t), columns to the key's. AdamW, "
            "rate 0.001, weight decay 0.2, batches of 64 of a fixed set of prompts. Variants. text: general prompts as "
            "in Figure 1, for 20 passes, since the text does not say how long. script: prompts in which all positions "
            "ask for one token, at most 20 passes, stopped once the mean loss of a pass is below 0.05. The figure "
            "shows the first run of each.",
            "Scores, fixed before any network was seen: the share of the squared Frobenius norm of M in the block of "
            "the query's w_t and the key's w_j; on the diagonal of that block; of the block's own on its diagonal; "
            "the cosine of the angle between M and construction (A.2), the identity on that block and zero "
            f"elsewhere. {_by_chance(chosen)}",
            f"Criterion: the mass sits on the diagonal if that has more than {MOST:g} of the squared norm, in all "
            f"networks with a test error of at most {LEARNED:g}. The paper shows one network; {expected['runs']} of "
            "each variant are planned.",
        ],
        columns=COLUMNS,
        rows=[_row(o, o in chosen) for o in outcomes],
        series=series,
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "variant": "of the training: the paper's text, or the authors' script",
    "trial": "",
    "test error": "",
    "in the block": "share of the squared norm in the framed block",
    "on its diagonal": "share of the squared norm",
    "cosine": "of the angle with the construction",
    "largest entry": "the paper's is about 45",
}


def _matrices(shown: Mapping[str, Outcome]) -> Series:
    """Sizes of the entries, of the construction first."""
    if not shown:
        return Series(["matrix", "query"], [])
    config = next(iter(shown.values())).config
    names = [f"{block} {n + 1}" for block, size in (("x", config.d), ("place", config.d_e), ("asked", config.d_e))
             for n in range(size)]  # fmt: skip
    found = {IDEAL: ideal(config.d, config.d_e)} | {v: np.abs(between(o)) for v, o in shown.items()}
    rows = [[name, query, *(f"{x:.3g}" for x in row)] for name, M in found.items()
            for query, row in zip(names, M, strict=True)]  # fmt: skip
    return Series(["matrix", "query", *names], rows)


def _shown(outcome: Outcome) -> list[str]:
    own = scores(outcome)
    numbers = [f"{x:.3f}" for x in (outcome.record["mse"], own.block, own.diagonal, own.cosine)]
    return [TASKS[outcome.config.task], str(outcome.trial), *numbers, f"{own.largest:.1f}"]


def _answer(done: Sequence[Outcome]) -> str:
    told = []
    for variant in ("text", "script"):
        own = [scores(o) for o in done if TASKS[o.config.task] == variant]
        if own:
            told.append(
                f"the diagonal of the block has {_range([one.diagonal for one in own])} of the squared norm, and the "
                f"cosine with the construction is {_range([one.cosine for one in own])} (variant {variant})"
            )
    return f"{'; '.join(told).capitalize()}." if told else "No network is there yet."


def _verdict(findings: Sequence[Finding]) -> list[str]:
    """Shape and size, with a word for each variant."""
    lines = []
    for own, what in ((findings[::2], "the mass sits on the diagonal of the block, the shape of (A.2)"),
                      (findings[1::2], "the largest entries are about 45")):  # fmt: skip
        lines.append(of_variants(what, dict(zip(("variant text", "variant script"), own, strict=True))))
    return lines


# --- findings --------------------------------------------------------------------------------------------------------


def _diagonal_by_chance(chosen: Sequence[Outcome]) -> str:
    if not chosen:
        return ""
    return f"; by chance its diagonal has {random(chosen[0].config.d, chosen[0].config.d_e)[1]:.2g} of the squared norm"


def _by_chance(chosen: Sequence[Outcome]) -> str:
    if not chosen:
        return ""
    config = chosen[0].config
    block, diagonal, within, cosine = random(config.d, config.d_e)
    return (
        f"A matrix with independent entries has shares of {block:.3f}, {diagonal:.4f} and {within:.3f} in expectation, "
        f"and a cosine of 0 with standard deviation {cosine:.3f} (N = {config.N}, {config.D} rows)."
    )


def _findings(own: Sequence[Outcome], expected: Mapping[str, Any], variant: str) -> list[Finding]:
    """Networks that were trained on other prompts, or have not learned, decide nothing."""
    there = [o for o in own if (o.config.N, o.config.m) == (expected["N"], expected["prompts"])]
    found = [scores(o) for o in there if o.record["mse"] <= LEARNED]
    diagonal, cosine, top = ([getattr(one, name) for one in found] for name in ("diagonal", "cosine", "largest"))
    share: dict[str, Any] = {"figure": expected["figure"], "planned": expected["runs"], "what": "networks"}
    share["run"] = min(len(there), expected["runs"])
    none = f"none of {len(there)} networks learned"
    shape = none
    if found:
        shape = f"the diagonal has {_range(diagonal)} of the squared norm, and the cosine is {_range(cosine)}"
    near = _all(expected["largest"] / FACTOR <= size <= expected["largest"] * FACTOR for size in top)
    open_end = near is False and variant == "text"
    return [
        Finding(
            f"{expected['figure']}, variant {variant}: {expected['shows']}; here {shape}",
            _all(part > MOST for part in diagonal),
            criterion=f'the paper: "{expected["says"]}"; ours, fixed before any network was seen: the diagonal has '
            f"more than {MOST:g} of the squared norm",
            **share,
        ),
        Finding(
            f"{expected['figure']}, variant {variant}: the largest entries are about {expected['largest']}; here "
            + (_range(top) if found else none)
            + ("; they grow with training, and the text does not say how long it is" if open_end else ""),
            None if open_end else near,
            criterion=f"ours: within a factor of {FACTOR:g}; variant text can agree only",
            **share,
        ),
    ]


def _all(verdicts: Iterable[bool]) -> bool | None:
    """Of networks that differ, none speaks for the others."""
    known = set(verdicts)
    return known.pop() if len(known) == 1 else None


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.3g}", f"{max(values):.3g}"
    return low if low == high else f"{low} to {high}"


def _row(outcome: Outcome, drawn: bool) -> list[str]:
    config, record = outcome.config, outcome.record
    start = [TASKS[config.task], str(config.N), str(outcome.trial), record["status"], str(record["seen"])]
    if record["status"] != "done":
        return [*start, *["-"] * (len(COLUMNS) - len(start))]
    own = scores(outcome)
    shares = [f"{value:.4f}" for value in (own.block, own.diagonal, own.within, own.cosine)]
    words = ["yes" if value else "no" for value in (own.on_diagonal, drawn)]
    return [*start, f"{record['mse']:.4f}", *shares, f"{own.largest:.2f}", *words]
