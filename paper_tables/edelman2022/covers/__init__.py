"""Log covering numbers against the resolution: each form, covers that were built, and packings below them."""

from __future__ import annotations

import math
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from maurey.numeric.binding import bind
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.symbolic import registry
from maurey.symbolic.claim import FORMS
from maurey.verify.covers import enumeration, heads, online, rounding
from maurey.verify.covers.instances import inputs, target
from maurey.verify.packings.attacks import size
from maurey.verify.papers import edelman2022icml
from maurey.verify.papers.edelman2022 import packings as edelman
from maurey.verify.papers.maurey import packings as ours

ATTACKS = edelman.ATTACKS | ours.ATTACKS | edelman2022icml.ATTACKS
LISTS = "longest list"  # of corrections, of the members that were covered: not yet the whole cover
STYLES = {
    "printed": (":", "tab:red"), "repaired": ("-", "tab:pink"), "derived": ("-.", "tab:orange"),
    "sharp": ("-", "tab:blue"),
    "Maurey's": ("--", "tab:gray"), "built": ("none", "tab:green"), LISTS: ("none", "tab:green"),
    "packing": ("-", "black"), "coordinates": ("--", "tab:purple"), "net": ("-", "tab:blue"),
    "everywhere": ("-.", "tab:olive"), "columns": (":", "tab:brown"), "lattice": ("-", "tab:blue"),
}  # fmt: skip
WIDTHS = {"repaired": 3.0}  # seen behind a sharp form that is the same
TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2)
Curves = dict[str, list[tuple[float, float]]]


def make(progress: Progress) -> Exhibit:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text())
    panels, shares = config["panel"], [Fraction(share) for share in config["shares"]]
    rows, drawn = [], []
    for done, panel in enumerate(panels):
        progress(done, len(panels))
        curves: Curves = {}
        for share in shares:
            eps = share * Fraction(panel["radius"])
            found, how, panel = _row(panel, eps, config)
            for name, log_N in found.items():
                curves.setdefault(name, []).append((float(eps), log_N))
            rows.append([panel["title"], f"{float(eps):.4g}", *_cells(found), how])
        drawn.append((panel["title"], curves))
    return Exhibit(
        title="Edelman et al. 2022: log covering number against the resolution, from above and from below",
        notes=[
            "Scale: tiny dimensions where every centre is written out, up to 10^12 inputs for formulas and packings.",
            f"Seed {config['seed']}, for the members that are covered; formulas and packings are deterministic and "
            "certified. Seconds on one core.",
            "Built: the number of centres of the cover that counts corrections along coordinates, every one of them "
            "written out (as far as there are few); for the lattices the exact count. For the Frobenius ball and the "
            f"head, the longest list of corrections that any of 2 and of {config['members']} members took, as the log "
            "of the number of such lists.",
            "Columns (seventh panel): for the smaller class whose column norms sum to 3/2.",
            "Packing: the best certified lower bound, centres in the class. Printed forms with C0 = 1.",
            "The paper proves upper bounds and shows no such picture.",
            *_agreement(drawn),
        ],
        columns=["cover", "eps", *FORMS, "other formulas", "built", "packing", "packing by"],
        rows=rows,
        draw=lambda figure: _draw(figure, drawn),
        figure_size=(15.0, 8.5),
        parameters=config,
    )


def _row(panel: dict[str, Any], eps: Fraction, config: dict[str, Any]) -> tuple[dict[str, float], str, dict[str, Any]]:
    """What is known at one resolution, by name, how the packing is made, and the panel for the next resolution."""
    key, part = panel["key"], panel["part"]
    at = {name: Fraction(x) for name, x in panel["point"].items()} | {"eps": eps}
    names = registry.find(key).part(part).forms
    forms = {form if len(names) > 1 else part: float(size(key, form, part, at)) for form in names}
    forms |= {other: float(size(key, "printed", other, at)) for other in panel.get("others", [])}
    lower = ATTACKS[key, part].lower(at).whole()
    found = forms | {"packing": float(lower.log)}
    rng = np.random.default_rng(config["seed"])
    if part == "lattice":
        a, n = (at["rho"] / eps) ** 2, int(at["n"])
        counts = rounding.dense_count(n, rounding.dense_steps(a)), rounding.sparse_count(n, rounding.sparse_support(a))
        found |= {"Maurey's": math.ceil(a) * math.log(2 * n + 1), "built": math.log(min(counts)) if a > 1 else 0.0}
    elif panel.get("written"):
        try:
            one = enumeration.online_cover(
                **panel["written"], ratio=eps / Fraction(panel["radius"]), rng=rng, tries=config["tries"],
                limit=config["most"],
            )  # fmt: skip
            assert one.radius <= 1 + 1e-6, one.radius
            found["built"] = math.log(len(one.centres))
        except online.TooMany:
            panel = panel | {"written": {}}  # nor any finer one
    elif part == "net":
        found[LISTS] = max(_matrix(at, rng, kind) for kind in (0, 1))
    elif part == "log_N" and "B_QK_inf" in at:
        found[LISTS] = max(_head(at, rng) for _ in range(config["members"]))
    return found, lower.how, panel


def _head(at: dict[str, Fraction], rng: np.random.Generator) -> float:
    """The log of the number of lists as long as those of one random member."""
    d, m, T = (int(at[name]) for name in ("d", "m", "T"))
    project = (
        heads.bounded(float(at["B_V_inf"]), float(at["B_V"]), rows=True),
        online.in_columns(float(at["B_QK_inf"])),
    )
    weights = project[0](3 * rng.normal(size=(d, d))), project[1](3 * rng.normal(size=(d, d)))
    X = inputs(rng, m * T, d, 1).reshape(m, T, d)
    bound = bind(registry.find("edelman2022/4.4"), "sharp", "log_N", at)
    made = heads.build_heads(bound, X, 1.0, [weights], [project], np.tanh)
    assert made.error <= float(at["eps"])
    return made.log_size


def _matrix(at: dict[str, Fraction], rng: np.random.Generator, kind: int) -> float:
    """The log of the number of lists as long as that of one member, along a net; orthogonal inputs."""
    (N, d_1, d_2), eps = (int(at[name]) for name in ("N", "d_1", "d_2")), float(at["eps"])
    X, U, project = np.eye(N, d_1), online.net(d_2), online.in_frobenius(float(at["B_W_F"]))
    W = target(rng, (d_1, d_2), kind, project, math.ceil((at["B_W_F"] / at["eps"]) ** 2) - 1)
    run = online.correct(W, X, R=1.0, eps=eps, project=project, U=U, kappa=online.NEAR)
    return len(run.corrections) * math.log(len(U) * N + 1)


def _cells(found: dict[str, float]) -> list[str]:
    others = [f"{name} {x:.5g}" for name, x in found.items() if name not in (*FORMS, "built", LISTS, "packing")]
    one = {name: f"{x:.5g}" for name, x in found.items()}
    built = one.get("built") or (f"{one[LISTS]} ({LISTS})" if LISTS in one else "-")
    return [*(one.get(form, "-") for form in FORMS), ", ".join(others) or "-", built, one["packing"]]


def _agreement(drawn: list[tuple[str, Curves]]) -> list[str]:
    """For each panel how near the packing comes to what is proved, and whether the printed form stays above it."""
    notes = []
    for title, curves in drawn:
        packing = dict(curves["packing"])
        best = next(name for name in ("sharp", "net", "lattice") if name in curves)
        near = max(packing[eps] / x for eps, x in curves[best] if x > 0)
        text = f"{title}: the packing reaches {near:.3f} of the {best} form"
        if "printed" in curves:
            below = [eps for eps, x in curves["printed"] if x < packing[eps]]
            text += "; printed with C0 = 1 " + ("AGREES" if not below else f"FALLS BELOW it at eps = {below[0]:.3g}")
        notes.append(f"{text}.")
    return notes


def _draw(figure: Any, drawn: list[tuple[str, Curves]]) -> None:
    axes = figure.subplots(2, 4)
    for panel, (title, curves) in zip(axes.flat, drawn, strict=True):
        for name, curve in curves.items():
            style, color = STYLES[name]
            points = [(eps, x) for eps, x in curve if x > 0]
            marker = {"built": "o", LISTS: "x", "packing": "v"}.get(name)
            if points:
                panel.loglog(*zip(*points, strict=True), linestyle=style, color=color, marker=marker, markersize=4,
                             label=name, linewidth=WIDTHS.get(name, 1.3))  # fmt: skip
        ends = [eps for curve in curves.values() for eps, _ in curve]
        ticks = [t for t in TICKS if min(ends) * 0.99 <= t <= max(ends) * 1.01]
        panel.set_xticks(ticks, [str(t) for t in ticks])
        panel.tick_params(axis="x", which="minor", labelbottom=False)
        panel.set_title(title, fontsize=9)
        panel.grid(alpha=0.3, which="both")
        panel.legend(fontsize=7)
        panel.set_xlabel("eps")
    for panel in axes[:, 0]:
        panel.set_ylabel("log of the number of centres")
    figure.suptitle("Covers against packings: every form (printed with C0 = 1), what was built, and what no cover can "
                    "undercut", fontsize=10)  # fmt: skip
