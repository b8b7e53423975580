"""Appendix A: how the experiments were made."""

from maurey.symbolic.claim import Claim

from .letters import letters

experiments = Claim(
    key="lintilhac2026/A",
    title="Experiments: functions, network, training and the constant",
    kind="summary",
    statement=r"""Functions of $T=20$ bits: degrees 1 to 5, sparsities 1, 7, 14 and 20, random sets, coefficients the
absolute values of normal variables with unit norm; 11 functions of each class (5 in one place), $m=8192$ uniform
strings. A network of two layers with one head and no layer normalisation, one-hot positions and 30 more dimensions,
128 hidden units, is trained with AdamW, weight decay $10^{-4}$ and dropout until its loss on the sample is below
$0.02$; a function of degree 5 that is not fitted is replaced by another. $\Sigma$ is estimated from the losses
$\ell_i$ of a trained network on other strings, as the least with $\frac1N\sum_ie^{t(\ell_i-\bar\ell)}\le
e^{t^2\Sigma^2/2}$ on a grid of $t$; it was found between $0.01$ and $0.1$, and $0.01$ is used.""",
    symbols=letters("omega D T m Sigma"),
    uses=("lintilhac2026/4",),
    source="recovered",
)
