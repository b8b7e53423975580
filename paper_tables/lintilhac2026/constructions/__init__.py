"""Appendix B as it is rebuilt here, beside the three constructions of the authors' published code."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from maurey.numeric.balls import enclose
from maurey.paper_tables.exhibits import Exhibit, Progress
from maurey.paper_tables.page import Shown
from maurey.paper_tables.verdicts import Finding, line
from maurey.symbolic import registry
from maurey.verify.papers.lintilhac2026.network import construction, scripted
from maurey.verify.tensors import torch
from maurey.verify.training.tasks.walsh import Target, all_strings, random_target

from .figure import OURS, draw

__all__ = ["draw", "make"]

CLASSES = ((4, 2, 8), (8, 3, 8), (10, 2, 20), (7, 3, 20))  # omega, D, T
ENUMERATED = 8  # bits
DRAWS = 20  # functions for the norm in the log
ROUNDING = 1e-12  # of outputs of order one, in doubles
KINDS = {"original": scripted.original, "softened": scripted.softened, "balanced": scripted.balanced}
BLOCKS = {  # of the squared norm
    "scores": ("W_1", "W_2", "Q_1", "K_1", "Q_2", "K_2"),
    "MLP": ("M", "Gamma", "F", "slopes", "offsets", "outer", "write"),
    "values": ("W_V", "v_2", "V_1", "V_2"),
    "embeddings": ("bits", "positions"),
}
COLUMNS = [
    "sparsity", "degree", "T", "construction", "norm", "squared norm", *(f"of it {name}" for name in BLOCKS),
    "largest difference of outputs", "printed norm",
]  # fmt: skip


def shares(net: construction.Network | scripted.Scripted) -> dict[str, float]:
    """The squared norm of each kind of block."""
    own = net._asdict()
    return {name: math.fsum(float((own[b] ** 2).sum()) for b in of if b in own) for name, of in BLOCKS.items()}


def difference(target: Target, net: scripted.Scripted) -> float:
    """Between what it computes and (-1)^D (2 f - C) of the construction here, with masks, over all strings."""
    z = torch.from_numpy(all_strings(target.T)).double()
    f = construction.output(construction.build(target), z, construction.masks(target))
    return float((scripted.output(net, z) - (-1) ** target.D * (2 * f - target.C)).abs().max())


def make(progress: Progress) -> Exhibit:
    expected = tomllib.loads((Path(__file__).parent / "config.toml").read_text())
    rows, norms = [], {}
    for n, (omega, D, T) in enumerate(CLASSES):
        progress(n, len(CLASSES))
        target = random_target(T, D, omega, np.random.default_rng(0))
        printed = math.sqrt(float(enclose(registry.find("lintilhac2026/10"), "printed", "total", omega=omega, D=D,
                                          T=T).value))  # fmt: skip
        for name, net in _nets(target):
            found = shares(net)
            total = math.fsum(found.values())
            norms[(omega, D, T), name] = math.sqrt(total)
            off = _told(difference(target, net)) if T <= ENUMERATED and isinstance(net, scripted.Scripted) else "-"
            own = [f"{value:.1f}" for value in (math.sqrt(total), total, *found.values())]
            rows.append([str(omega), str(D), str(T), name, *own, off, f"{printed:.1f}"])
    finding = _of_the_log(expected["log"])
    return Exhibit(
        title="Lintilhac and Shaikh 2026, appendix B: four constructions of one function",
        question="Which construction has the norm that the authors' log shows?",
        answer=_answer(expected["log"], norms),
        verdict=[line(finding.text, finding)],
        caption="Norms of networks that compute the same function: appendix B as it is rebuilt here, and the three "
        "constructions of the authors' published code. Bar: the square root of Theorem 10's total; diamond: the norm "
        "in a training log of the authors, of an earlier version.",
        shown=Shown(SHOWN, [_shown(row) for row in rows]),
        notes=[
            "Seed 0: one random function for each sparsity, degree and T. The appendix's formulas are lost in our "
            "text; what stands here is rebuilt from its prose. The authors' published code (last commit of the branch "
            "hardcoded) has three other constructions, built again here from what they do.",
            "They compute (-1)^D (2 f - C), with products of signs for parities. Differences of outputs are over all "
            f"strings, for T up to {ENUMERATED}, from the construction here with masks.",
            "Where they differ: scores of -40 in all columns of the query matrices, instead of 0 and a leak, make most "
            "of their norm; queries and keys are two matrices; D + 3 hats instead of 4 (D + 1) units of trapezoids; "
            "counts instead of shares; the last bit's own position reads the sum, without a position more; "
            "embeddings are counted. The printed norm is the square root of Theorem 10's total.",
        ],
        columns=COLUMNS,
        rows=rows,
        parameters={"seed": 0, "functions in the finding": DRAWS},
        findings=[finding],
    )


# --- the page --------------------------------------------------------------------------------------------------------

SHOWN = {
    "sparsity": "",
    "degree": "",
    "T": "bits",
    "construction": "",
    "norm": "of all weights",
    "printed": "the square root of Theorem 10's total",
    "scores": "share of the squared norm",
    "MLP": "",
    "values": "",
    "outputs differ": "from the construction here, over all strings",
}


def _shown(row: list[str]) -> list[str]:
    sparsity, degree, T, name, norm, squared, scores, mlp, read, _, off, printed = row
    shares = [f"{float(part) / float(squared):.3f}" for part in (scores, mlp, read)]
    return [sparsity, degree, T, name, norm, printed, *shares, off]


def _answer(log: Mapping[str, Any], norms: Mapping[tuple[tuple[int, int, int], str], float]) -> str:
    place = (log["omega"], log["D"], log["T"])
    told = ", ".join(f"{norms[place, name]:.1f} ({name})" for name in (OURS, *KINDS))
    where = f"sparsity {log['omega']} and degree {log['D']}"
    return f"The log has {log['norm']:g} at {where}; the constructions have {told}."


# --- what is built ---------------------------------------------------------------------------------------------------


def _told(off: float) -> str:
    """Rounding is not the same on every machine."""
    return f"below {ROUNDING:g}" if off < ROUNDING else f"{off:.1e}"


def _nets(target: Target) -> Iterator[tuple[str, construction.Network | scripted.Scripted]]:
    yield OURS, construction.build(target)
    for name, build in KINDS.items():
        yield name, build(target)


def _of_the_log(log: Mapping[str, Any]) -> Finding:
    """Coefficients and components are drawn: the norm in the log should be among those of as many functions."""
    omega, D, T, there = (log[name] for name in ("omega", "D", "T", "norm"))
    norms: dict[str, list[float]] = {name: [] for name in (OURS, *KINDS)}
    for seed in range(DRAWS):
        for name, net in _nets(random_target(T, D, omega, np.random.default_rng([1, seed]))):
            norms[name].append(math.sqrt(math.fsum(shares(net).values())))
    told = ", ".join(f"{name} {min(own):.1f} to {max(own):.1f}" for name, own in norms.items())
    return Finding(
        f"A log of the authors has a constructed norm of {there:g} at sparsity {omega}, degree {D}, T = {T}; over "
        f"{DRAWS} functions here: {told}",
        min(norms[OURS]) <= there <= max(norms[OURS]),
        run=DRAWS,
        planned=DRAWS,
        what="functions",
        criterion="ours: the norm in the log is between the smallest and the largest of the construction here",
    )
