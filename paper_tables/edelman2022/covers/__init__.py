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
from maurey.paper_tables.page import Shown
from maurey.symbolic import registry
from maurey.symbolic.claim import FORMS
from maurey.verify.covers import enumeration, heads, online, rounding
from maurey.verify.covers.instances import inputs, target
from maurey.verify.packings.attacks import size
from maurey.verify.papers import edelman2022icml
from maurey.verify.papers.edelman2022 import packings as edelman
from maurey.verify.papers.maurey import packings as ours

from .figure import SHARE, draw

__all__ = ["draw", "make"]

ATTACKS = edelman.ATTACKS | ours.ATTACKS | edelman2022icml.ATTACKS
LISTS = "longest list"  # of corrections, of the members that were covered: not yet the whole cover
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
        question="How far are covering bounds from what no cover can undercut?",
        answer=_answer(drawn),
        verdict=_verdict(drawn),
        caption="Each cover at three fifths of the radius of its class. The bar is from the best certified packing, "
        "below which there is no cover, to the sharp formula; hollow: a cover that was written out, or, for the last "
        "two, the longest list of corrections that was needed. Printed forms with C0 = 1.",
        shown=Shown(SHOWN, [_shown(title, curves) for title, curves in drawn]),
        notes=[
            "Scale: tiny dimensions where every centre is written out, up to 10^12 inputs for formulas and packings.",
            f"Seed {config['seed']}, for the members that are covered; formulas and packings are deterministic and "
            "certified. Seconds on one core.",
            "Built: the number of centres of the cover that counts corrections along coordinates, every one of them "
            "written out (as far as there are few); for the lattices the exact count. For the Frobenius ball and the "
            f"head, the longest list of corrections that any of 2 and of {config['members']} members took, as the log "
            "of the number of such lists.",
            "Columns (seventh cover): for the smaller class whose column norms sum to 3/2.",
            "Packing: the best certified lower bound, centres in the class. The paper proves upper bounds and shows no "
            "such picture.",
        ],
        columns=["cover", "eps", *FORMS, "other formulas", "built", "packing", "packing by"],
        rows=rows,
        parameters=config,
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "cover": "",
    "packing": "log of the number of centres that every cover has, at three fifths of the radius",
    "built": "the same of a cover that was written out, or of the longest list of corrections",
    "sharp": "",
    "repaired": "",
    "printed": "with C0 = 1",
    "derived": "",
    "packing over sharp": "there, and at most over ten resolutions",
}


def _best(curves: Curves) -> str:
    """The name of the sharp formula."""
    return next(name for name in ("sharp", "net", "lattice") if name in curves)


def _near(curves: Curves) -> float:
    """How near the packing comes to what is proved."""
    packing = dict(curves["packing"])
    return max(packing[eps] / x for eps, x in curves[_best(curves)] if x > 0)


def _below(curves: Curves) -> list[float]:
    """Resolutions at which the printed form is below the packing."""
    packing = dict(curves["packing"])
    return [eps for eps, x in curves.get("printed", []) if x < packing[eps]]


def _shown(title: str, curves: Curves) -> list[str]:
    eps = sorted((eps for eps, _ in curves["packing"]), reverse=True)
    at = eps[min(SHARE, len(eps) - 1)]
    found = {name: dict(curve).get(at) for name, curve in curves.items()}
    sharp = found[_best(curves)]
    sizes = [found["packing"], found.get("built", found.get(LISTS)), sharp,
             *(found.get(form) for form in ("repaired", "printed", "derived"))]  # fmt: skip
    told = ["-" if x is None else f"{x:.3g}" if x < 10_000 else f"{x:.1E}" for x in sizes]
    ratio = f"{(found['packing'] or 0) / (sharp or 1):.3f}, {_near(curves):.3f}"
    return [title.replace("10^12", "1E+12"), *told, ratio]


def _answer(drawn: list[tuple[str, Curves]]) -> str:
    near = {title.partition(":")[0]: _near(curves) for title, curves in drawn}
    first, last = max(near, key=lambda t: near[t]), min(near, key=lambda t: near[t])
    over = [y / dict(curves["sharp"])[x] for _, curves in drawn if "derived" in curves for x, y in curves["derived"]]
    return (
        f"The sharp form is within a factor of {1 / near[first]:.2f} of the packing for {first}, and of "
        f"{1 / near[last]:.0f} for {last}, at the resolution where each is nearest; along their proofs the bounds are "
        f"{min(over):.0f} to {max(over):,.0f} times as large as the sharp form."
    )


def _verdict(drawn: list[tuple[str, Curves]]) -> list[str]:
    printed = [(title, _below(curves)) for title, curves in drawn if "printed" in curves]
    below = [f"{title} at eps = {eps[0]:.3g}" for title, eps in printed if eps]
    word = "disagrees" if below else "agrees"
    told = f"below it for {'; '.join(below)}" if below else "at none of the resolutions below it"
    return [f"**{word}**: the printed form with C0 = 1 is {told} ({len(printed)} covers, 10 resolutions each)"]


# --- rows ------------------------------------------------------------------------------------------------------------


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
