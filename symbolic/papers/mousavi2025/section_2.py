"""Sections 1 and 2: the hierarchy, the task, the risks and the assumptions; Definition 8 stands here with them."""

from maurey.symbolic.claim import Claim

from .letters import EXPONENT, RELEVANT, letters

hierarchy = Claim(
    key="mousavi2025/1",
    title="Sample complexities of three architectures, informally",
    kind="summary",
    statement=r"""One Transformer layer with at least $q$ heads learns qSTR from a number of samples that is almost
independent of $N$ (Theorem 3); with fewer heads it fails on some qSTR task however many samples it is given (Theorem
4). Recurrent networks learn simple-qSTR from a number of samples that is almost independent of $N$ (Theorem 5), and
need $N^{\Omega(1)}$ samples for 1STR, whatever their size, if trained to the least norm (Theorem 7). Feedforward
networks, of any size, trained by the algorithms of Definition 8 need of the order of $Nd$ samples even for simple-1STR
(Theorem 9). The upper bounds are for minimisers of the empirical risk over a set of bounded parameters; none speaks of
an optimiser.""",
    symbols=letters("N d q H"),
    assumes=(RELEVANT,),
    uses=("mousavi2025/3", "mousavi2025/4", "mousavi2025/5", "mousavi2025/7", "mousavi2025/9"),
)

table_1 = Claim(
    key="mousavi2025/tab1",
    title="Table 1: who learns what, nearly whatever the length",
    kind="summary",
    statement=r"""Transformers: simple-qSTR and qSTR, yes (Theorem 3). Recurrent networks: simple-qSTR, yes (Theorem 5);
qSTR, no (Theorem 7). Feedforward networks: neither (Theorem 9). Yes stands for an upper bound on the number of samples
that depends on $N$ through logarithms only, no for a lower bound of order $N^{\Omega(1)}$. That of Theorem 9 is
for one task, simple-1STR, and a class of algorithms; that of Theorem 7 is for 1STR and minimisers of least norm.""",
    symbols=letters("N q"),
    assumes=(RELEVANT,),
    uses=("mousavi2025/3", "mousavi2025/5", "mousavi2025/7", "mousavi2025/9"),
)

task = Claim(
    key="mousavi2025/2",
    title="q-sparse token regression",
    kind="definition",
    statement=r"""A prompt $p$ has $N$ tokens $x_i\in\mathbb R^d$, each with a tuple $t_i\in[N]^q$ of positions. Labels
are $y_i=g(x_{t_{i1}},\dots,x_{t_{iq}})$ for $i\in[N]$, with one link $g:\mathbb R^{qd}\to\mathbb R$. In simple-qSTR all
$t_i$ are the same random tuple, so that all labels are the same; 1STR is $q=1$.""",
    symbols=letters("N d q"),
    assumes=(RELEVANT,),
)

population_risk = Claim(
    key="mousavi2025/eq2.1",
    title="Population risk",
    kind="definition",
    statement=r"""$R(\Theta)=\frac1N\mathbb E\|\hat y(p;\Theta)-y\|_2^2$, the squared error averaged over positions.""",
    symbols=letters("N"),
    uses=("mousavi2025/2",),
)

averaged_risk = Claim(
    key="mousavi2025/eq2.2",
    title="Empirical risk, averaged over positions",
    kind="definition",
    statement=r"""$\hat R_{n,N}(\Theta)=\frac1{nN}\sum_{i=1}^n\sum_{j=1}^N(\hat y(p^{(i)};\Theta)_j-y_j^{(i)})^2$.""",
    symbols=letters("n N"),
    samples="n",
    uses=("mousavi2025/2",),
)

pointwise_risk = Claim(
    key="mousavi2025/eq2.3",
    title="Empirical risk at one position of each prompt",
    kind="definition",
    statement=r"""$\hat R_n(\Theta)=\frac1n\sum_{i=1}^n(\hat y(p^{(i)};\Theta)_{j^{(i)}}-y^{(i)}_{j^{(i)}})^2$ with
$j^{(i)}$ uniform on $[N]$, independent of each other and of the prompts.""",
    symbols=letters("n N"),
    samples="n",
    uses=("mousavi2025/2",),
)

least_norm = Claim(
    key="mousavi2025/eq2.4",
    title="Minimisers of least norm",
    kind="definition",
    statement=r"""$\hat\Theta_\varepsilon$ has the least $\|\mathrm{vec}(\Theta)\|_2$ of all $\Theta$ with $\hat
R_n(\Theta)-\min\hat R_n\le\varepsilon$.""",
    symbols=letters("n"),
    samples="n",
    uses=("mousavi2025/eq2.3",),
)

moments = Claim(
    key="mousavi2025/as1",
    title="Assumption 1: moments of tokens and labels",
    kind="assumption",
    statement=r"""For all $r\ge1$ and all $i$: $\mathbb E[\|x_i\|_2^r]^{1/r}\le\sqrt{C_xdr}$ and $\mathbb
E[|y_i|^r]^{1/r}\le\sqrt{C_yr^s}$, with absolute constants $C_x,C_y>0$ and $s\ge1$. Nothing is said of moments of order
below 1.""",
    symbols=letters("d C_x C_y s"),
    assumes=(EXPONENT,),
)

link = Claim(
    key="mousavi2025/as2",
    title="Assumption 2: the link is nearly a two-layer ReLU network",
    kind="assumption",
    statement=r"""There are $m_g$, $a_g,b_g\in\mathbb R^{m_g}$ and $W_g\in\mathbb R^{m_g\times qd}$ with
$\|a_g\|_2\le r_a/\sqrt{m_g}$, $\|(W_g,b_g)\|_F\le\sqrt{m_g}\,r_w$ and
$|g(x_1,\dots,x_q)-a_g^\top\sigma(W_g(x_1,\dots,x_q)+b_g)|^2\le\varepsilon_{2NN}$ wherever all
$\|x_i\|_2\le\sqrt{3eC_xd\log(nN)}$. By homogeneity $r_w=1$ is always possible.""",
    symbols=letters("n N d q m r_a r_w eps_2NN C_x", m="m_g"),
    assumes=(RELEVANT,),
    samples="n",
    uses=("mousavi2025/as1",),
)

positions = Claim(
    key="mousavi2025/as3",
    title="Assumption 3: position vectors are nearly orthogonal",
    kind="assumption",
    statement=r"""$w_1,\dots,w_N\in\mathbb R^{d_e}$ with $\|w_i\|_2=1$, $|\langle w_i,w_j\rangle|\le\frac12$ for
all $i\ne j$, and $d_e$ of the order of $\log N$. Independent uniform vertices of the scaled cube
$\{\pm1/\sqrt{d_e}\}^{d_e}$ satisfy it with high probability.""",
    symbols=letters("N d_e"),
)

algorithms = Claim(
    key="mousavi2025/8",
    title="The algorithms for feedforward networks",
    kind="definition",
    statement=r"""$p\mapsto f(T,W\boldsymbol x)$ with any $f$, the tuples $T$ given in full, and any training loss
$\hat{\mathcal L}(f,W)$ on $n$ prompts. $\mathcal A_{SP}$: the output satisfies $\nabla_W\hat{\mathcal
L}(f,W)+\lambda W=0$ for some $\lambda>0$. $\mathcal A_{ERM}$: it has the least $\|W\|_F$ of all with
$\hat{\mathcal L}(f,W)\le\varepsilon$ for some $\varepsilon\ge0$. $\mathcal A$ is the union of both.""",
    symbols=letters("n N d"),
    samples="n",
)
