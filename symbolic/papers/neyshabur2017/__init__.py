"""B. Neyshabur, S. Bhojanapalli, D. McAllester, N. Srebro, Exploring generalization in deep learning, NeurIPS 2017."""

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.pacbayes import neyshabur

m, delta, KL, loss_hat = symbols("m delta KL loss_hat")

mcallester = Claim(
    key="neyshabur2017/mcallester",
    title="McAllester's bound, as it is used for sharpness",
    kind="generalization",
    statement=r"""For losses in $[0,1]$ and a prior that is fixed before the $m$ independent samples are drawn: with
probability at least $1-\delta$, for all posteriors at once, the risk of a network drawn from the posterior is at most
the stated amount; $\hat L$ is its mean loss on the samples.""",
    symbols=parameters("m delta KL loss_hat", loss_hat={"domain": "in [0, 1]"}),
    parts=(
        Part("risk", r"\mathbb E_\nu L(f_{w+\nu})", "risk of a perturbed network",
             printed=lambda _: loss_hat + neyshabur(KL, delta, m)),
    ),
    reference="B. Neyshabur, S. Bhojanapalli, D. McAllester, N. Srebro, Exploring generalization in deep learning, "
    "NeurIPS 2017, after D. McAllester, Simplified PAC-Bayesian margin bounds, COLT 2003",
)  # fmt: skip
