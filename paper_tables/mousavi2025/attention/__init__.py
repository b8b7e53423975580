"""Figure 2: what is between the queries and the keys of a trained Transformer, beside construction (A.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from maurey.paper_tables.accounts import PALETTE, finished
from maurey.paper_tables.exhibits import Exhibit
from maurey.paper_tables.mousavi2025.samples import account
from maurey.paper_tables.trained import Outcome, in_stages
from maurey.paper_tables.verdicts import Finding

from .scores import Scores, between, ideal, random

NEVER = 1e-9  # a test error that no network reaches
LEARNED = 0.1  # test error of a network that has learned; a constant has 1
MOST = 0.5  # share of the squared norm: where the mass is
FACTOR = 2.0  # for the largest entry
COLUMNS = [
    "variant", "N", "trial", "status", "prompts seen", "test error", "share of the block", "share of its diagonal",
    "diagonal within the block", "cosine with A.2", "largest entry", "on the diagonal", "in the figure",
]  # fmt: skip
TASKS = {"simple": "script", "qstr": "text"}
COLORS = {"text": PALETTE[0], "script": PALETTE[1]}

plan = partial(in_stages, model="transformer", threshold=NEVER, rate=1e-3, decay=0.2, watch=True)


def scores(outcome: Outcome) -> Scores:
    return Scores.of(between(outcome), outcome.config.d, outcome.config.d_e)


def render(scale: Mapping[str, Any], expected: Mapping[str, Any], outcomes: Sequence[Outcome]) -> Exhibit:
    done = finished(outcomes)
    shown = {v: next((o for o in done if TASKS[o.config.task] == v), None) for v in ("text", "script")}
    chosen = [one for one in shown.values() if one]
    findings = [f for v in shown for f in _findings([o for o in done if TASKS[o.config.task] == v], expected, v)]
    return Exhibit(
        title="Mousavi-Hosseini et al. 2025, Figure 2: what is between queries and keys of a trained Transformer",
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
            *(finding.note for finding in findings),
        ],
        columns=COLUMNS,
        rows=[_row(o, o in chosen) for o in outcomes],
        draw=lambda figure: _draw(figure, {v: o for v, o in shown.items() if o}),
        figure_size=(14.0, 4.6),
        parameters={name: value for name, value in scale.items() if name != "scale"},
        findings=findings,
    )


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
            + (_range(top) if found else none),
            None if near is False and variant == "text" else near,
            criterion=f"ours: within a factor of {FACTOR:g}; entries grow with training, and the text does not say how "
            "long it is, so that variant text can agree only",
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


def _draw(figure: Any, shown: Mapping[str, Outcome]) -> None:
    if not shown:  # all failed
        return
    config = next(iter(shown.values())).config
    panels = figure.subplots(1, 2 + len(shown), width_ratios=[1] * (1 + len(shown)) + [0.8])
    _heat(figure, panels[0], ideal(config.d, config.d_e), config, "construction (A.2), alpha = 1")
    for panel, (variant, outcome) in zip(panels[1:], shown.items(), strict=False):
        title = f"variant {variant}: |W_Q^T W_K|, N = {outcome.config.N}\ntest error {outcome.record['mse']:.3f}"
        _heat(figure, panel, np.abs(between(outcome)), outcome.config, title)
    _bars(panels[-1], shown)


def _heat(figure: Any, panel: Any, M: Any, config: Any, title: str) -> None:
    from matplotlib.patches import Rectangle

    image = panel.imshow(M, cmap="magma_r", vmin=0, interpolation="nearest")
    edges = [0, config.d, config.d + config.d_e, config.D]
    middles = [(a + b - 1) / 2 for a, b in pairwise(edges)]
    panel.set_xticks(middles, ["x", "w_j", "w_t"])
    panel.set_yticks(middles, ["x", "w_i", "w_t"])
    for edge in edges[1:-1]:
        panel.axhline(edge - 0.5, color="gray", linewidth=0.6)
        panel.axvline(edge - 0.5, color="gray", linewidth=0.6)
    corner = (config.d - 0.5, config.d + config.d_e - 0.5)
    panel.add_patch(Rectangle(corner, config.d_e, config.d_e, fill=False, edgecolor=PALETTE[2], linewidth=1.6))
    panel.set_xlabel("key")
    panel.set_ylabel("query")
    panel.set_title(title, fontsize=9)
    figure.colorbar(image, ax=panel, fraction=0.045, pad=0.02)


def _bars(panel: Any, shown: Mapping[str, Outcome]) -> None:
    names = ("block", "diagonal", "within", "cosine")
    config = next(iter(shown.values())).config
    places = np.arange(len(names))
    width = 0.8 / len(shown)
    for n, (variant, outcome) in enumerate(shown.items()):
        own = scores(outcome)
        at = places + (n - (len(shown) - 1) / 2) * width
        panel.bar(at, [getattr(own, name) for name in names], width, color=COLORS[variant], label=f"variant {variant}")
    for place, value in zip(places, random(config.d, config.d_e), strict=True):
        label = "by chance (cosine: standard deviation)" if place == 0 else None
        panel.plot([place - 0.45, place + 0.45], [value, value], "--", color="black", linewidth=1, label=label)
    panel.set_xticks(
        places, ["in the\nblock", "on its\ndiagonal", "diagonal\nin block", "cosine\nwith A.2"], fontsize=8
    )
    panel.set_ylim(min(0.0, panel.get_ylim()[0]), 1.03)
    panel.set_title("shares and cosine", fontsize=9)
    panel.grid(alpha=0.3, axis="y")
    panel.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14))
