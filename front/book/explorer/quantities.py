"""What a part of a claim speaks of: bounds on one quantity can be held against each other."""

from __future__ import annotations

import re

from maurey.symbolic.claim import Claim, Part

QUANTITIES = {  # by name: what it is called, and what it says
    "entropy": ("Log covering number", "how many points cover the class, as a logarithm: its size at one resolution"),
    "complexity": ("Rademacher complexity", "how well the class fits random signs on the sample"),
    "gap": ("Generalization gap", "how far the risk can be above what was measured on the sample"),
    "risk": ("Risk", "the loss on new data, by PAC-Bayes and by theorems on learning"),
    "lipschitz": ("Lipschitz constant", "how far the output moves when inputs or weights move"),
    "other": ("Everything else", "norms, widths, probabilities: one quantity at a time"),
}
_ENTROPY = re.compile(r"\\log\s*(?:\\mathcal\s*)?[NC](?![a-z])")
_COMPLEXITY = re.compile(r"\\hat\{?\\math(?:cal|frak)\s*R|Rad_n")
_RISK = re.compile(r"L\(|^L$|^R\^")


def quantity(claim: Claim, part: Part) -> str:
    if part.below or part.relation == "=":
        return "entropy" if _ENTROPY.match(part.lhs) else "other"
    if _ENTROPY.match(part.lhs):
        return "entropy"
    if claim.kind == "rademacher" and _COMPLEXITY.match(part.lhs):
        return "complexity"
    if part.name.startswith("gap") or part.name == "above":
        return "gap"
    if claim.kind == "generalization" and _RISK.search(part.lhs):
        return "risk"
    return "lipschitz" if claim.kind == "lipschitz" and "-" in part.lhs else "other"


SUBJECTS = {  # by the symbols that tell them: of what class it is
    "Networks of several layers": {"L"},
    "Recurrent networks": {"L_h", "L_y", "d_h", "r_h", "alpha_N"},
    "From an entropy or a complexity, whatever the class": {"C_F", "R_F", "E_in", "E_score", "E_head", "KL"},
    "Lintilhac and Shaikh's two layers": {"omega", "Sigma", "norm_squared"},
    "Networks for token regression": {"d_e", "D_e", "r_z", "L_f"},
    "One layer, one or several heads": {"B_V", "B_V_inf", "B_V_1inf", "B_QK_F", "B_QK_21", "C_Norm", "H"},
    "Linear maps": {"B_W_inf", "B_W_21", "B_W_F", "B_W_11", "B_W_1inf", "B_w"},
}
REST = "Others"


def subject(claim: Claim, part: Part) -> str:
    if "linear" in part.meaning:
        return "Linear maps"
    names = {p.name for p in claim.symbols} | {p.index for p in claim.symbols}
    return next((title for title, signs in SUBJECTS.items() if names & signs), REST)
