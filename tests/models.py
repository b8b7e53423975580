"""Architectures for tests: four families, as small or as large as is asked for."""

from fractions import Fraction

from maurey.symbolic.model_tables import read

SIZES = dict(layers=2, width=4, heads=2, hidden=4, context=3)
BERT = dict(kind="encoder", vocabulary=5, types=2, norm="layer", norm_at="post", norm_eps=1, activation="gelu",
            positions="learned", read="cls", outputs=3, pooler="tanh")  # fmt: skip
GPT = dict(kind="decoder", vocabulary=5, norm="layer", norm_at="pre", norm_eps=1, activation="gelu_tanh",
           positions="learned", read="all", tied=True)  # fmt: skip
LLAMA = dict(kind="decoder", vocabulary=5, norm="rms", norm_at="pre", norm_eps=1, activation="swiglu", kv_heads=1,
             positions="rope", read="last", outputs=2, qk_norm=True)  # fmt: skip
VIT = dict(kind="encoder", patch=3, patch_radius=2, norm="layer", norm_at="parallel", norm_eps=1, activation="relu",
           positions="learned", read="cls", outputs=1)  # fmt: skip
FAMILIES = {"bert": BERT, "gpt": GPT, "llama": LLAMA, "vit": VIT}
MATRICES = dict.fromkeys(("Q", "K", "V", "O"), Fraction(1, 2))
BIASES = [f"{name}_bias" for name in ("Q", "K", "V", "O", "W1", "W2")]
NORMS = {
    "bert": MATRICES | dict.fromkeys(("W1", "W2", "E_rows", "P_rows", "S_rows", "head_rows", "pool", "pool_bias",
                                      "head_bias", "N0_gain", "N0_bias", "N1_gain", "N1_bias", *BIASES), 1)
    | {"N2_gain": [1, 2], "N2_bias": Fraction(1, 2)},
    "gpt": MATRICES | dict.fromkeys(("W1", "W2", "E_rows", "P_rows", "N1_gain", "N3_gain", "N3_bias", *BIASES), 1),
    "llama": MATRICES | dict.fromkeys(("G", "U", "D", "E_rows", "head", "N1_gain", "Nq_gain", "Nk_gain"), 1)
    | {"K": [1, Fraction(1, 2)], "V_F": 1},
    "vit": MATRICES | dict.fromkeys(("W1", "W2", "patch", "patch_bias", "cls", "P_rows", "head", "head_bias"), 1),
}  # fmt: skip
LOSSES = {family: {"kind": "ramp", "margin": 20} for family in FAMILIES} | {"gpt": {"kind": "cross-entropy", "cap": 20}}


def architecture(family, norms=None, **model):
    """A record, with the norms above unless others are given; `norms={}` has none."""
    tables = {"model": SIZES | FAMILIES[family] | model, "norms": NORMS[family] if norms is None else norms}
    return read(tables | {"loss": LOSSES[family]})
