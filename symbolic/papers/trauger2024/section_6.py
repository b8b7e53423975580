"""Section 6: the experiment."""

from maurey.symbolic.claim import Claim
from maurey.symbolic.names import parameters

experiment = Claim(
    key="trauger2024/S6",
    title="Sparse majority: the gap against the sequence length",
    kind="definition",
    statement=r"""Bit sequences $S\in\{0,1\}^T$ with the label $\mathbb 1\{\sum_{i\in I}S_i>|I|/2\}$ for a fixed
set of 9 positions; one multi-head attention layer with 2 heads on embeddings of dimension 64 with sinusoidal
positions, read at [CLS]; 300 training and 10,000 validation samples, 200,000 epochs in batches of 128, five runs
for each of $T=20,40,\dots,200$. Reported: no trend in $T$ of the largest sum of absolute weights, of the largest
gap at the best epoch, and a plateau of the best validation accuracy.""",
    symbols=parameters("T d H"),
    uses=("trauger2024/5.1",),
)
