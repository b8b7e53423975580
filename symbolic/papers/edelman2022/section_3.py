"""Section 3: attention heads and layers (definitions)."""

from maurey.symbolic.claim import Claim
from maurey.symbolic.names import parameters

attention_head_3_1 = Claim(
    key="edelman2022/3.1",
    title="Attention head",
    kind="definition",
    statement=r"""Given $\mathrm{Score}:\mathcal X\times\mathcal Z\to\mathbb R$, $\mathrm{Norm}:\mathbb
R^T\to\Delta^{T-1}$, $\phi_{\mathrm{in}}:\mathcal X\to\mathcal V$ and $\phi_{\mathrm{out}}:\mathcal V\to\mathcal
Y$, a head maps tokens $X=[x_1\dots x_T]^\top$ and a context $z$ to
$y=\phi_{\mathrm{out}}(\phi_{\mathrm{in}}(X;\theta_{\mathrm{in}})^\top\mathrm{Norm}(\mathrm{Score}(x_1,z;\theta_s),\dots,
\mathrm{Score}(x_T,z;\theta_s));\theta_{\mathrm{out}})$, with $\phi_{\mathrm{in}}$ applied to each row.""",
    symbols=parameters("T d"),
)

layer_3_2 = Claim(
    key="edelman2022/3.2",
    title="Transformer self-attention layer",
    kind="definition",
    statement=r"""The head of 3.1 at every position, the context of output $\tau$ being $x_\tau$, with shared
weights: $\mathrm{Score}(x,x_\tau)=x_\tau^\top W_QW_K^\top x$, $\phi_{\mathrm{in}}(x)=W_V^\top x$,
$\phi_{\mathrm{out}}(x)=W_C^\top\sigma(x)$, $\mathrm{Norm}=\mathrm{softmax}$, $\sigma$ being
$L_\sigma$-Lipschitz with $\sigma(0)=0$. In matrix form $Y=\sigma(\mathrm{RowSoftmax}(XW_Q(XW_K)^\top)XW_V)W_C$.""",
    symbols=parameters("T d L_sigma"),
    uses=("edelman2022/3.1",),
)
