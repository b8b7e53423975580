"""What a read-out of bounded states must be like."""

from maurey.symbolic.claim import Claim, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.relu_networks import least_product

N, L_y, risk = symbols("N L_y risk")


def _readout(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(least_product(D, N, L_y, risk))


readout = Claim(
    key="maurey/readout",
    title="A ReLU read-out of bounded states has large norms",
    kind="lower-bound",
    statement=r"""Tokens with independent standard Gaussian values, states $h$ of two directions, each of norm at most
1, that depend on them in any way, and a ReLU network of depth $L_y$ that is told $k$ and reads $h$, first through
$U$; it may be given whatever else does not depend on the other tokens, the token at its own position included. If the
mean squared error of its output, for uniform $k$, against the value of token $k$ is at most the risk, the Frobenius
norms of $U$ and of its matrices have a product of at least the stated size. Proof: $\sum_k\mathbb E\,g_kF_k(h)$ over
the other tokens is at least $N-1-\sqrt{N(N-1)\,\mathrm{risk}}$ and at most $\mathbb E\sup_h\sum_kg_k(F_k(h)-F_k(0))$.
With $x_k(h)$ the change of a layer's output and $S^2=\mathbb E\sup_h\|\sum_kg_kx_k(h)\|^2$, which is $2(N-1)$ at the
input, the next layer has $S^2\le\|W\|_F^2(4S^2+(N-1)\max_k\|x_k\|^2)$: unit by unit, Sudakov and Fernique bound the
mean of the supremum and Poincare its variance.""",
    symbols=parameters("N L_y risk", N={"meaning": "sequence length"}),
    parts=(
        Part("product", r"\|U\|_F\prod_l\|W_l\|_F", "product of the Frobenius norms of the read-out", ">=",
             printed=_readout),
    ),
)  # fmt: skip
