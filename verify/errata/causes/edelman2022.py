"""Edelman, Goel, Kakade, Zhang 2022."""

from __future__ import annotations

from sympy import Ge, Gt, Le, Max, Min, Rational

from maurey.symbolic.names import symbols

from . import Cause, shared

m, T, N, B_X, B_P, C_2, L_sigma, A, C_F = symbols("m T N B_X B_P C_2 L_sigma A C_F")
s, Delta, ramp = symbols("s coherence ramp")
TOKENS, UNIT_BALL, COHERENT, CUT_OFF = Gt(m * T, 1), Le(B_X, 1), Le(3 * s * Delta, 1), Le(C_F, A**2 * m)

NOT_TINY = "0 <= loss <= b, delta <= 1/4 and m >= 53 log(1/delta)"

# --- capacity and generalization -----------------------------------------------------------------------------------

CAPACITY = (
    Cause(
        slug="vanishing-logarithm",
        severity="hypothesis",
        title=shared.VANISHING_LOGARITHM,
        explanation=r"""The covering bounds are a coefficient times $\log(mT)$, or $\log N$ for a linear class. For
a single input the logarithm is 0 and no constant helps, while the class still has members that differ on it: for
$d=4$, all norms 1 and $\varepsilon=1/16$ its log covering number is at least 11. Zhang's theorem (A.10), from which
they come, has the logarithm of a number that is at least $6N+1$, which does not vanish.""",
        survives="Everything: with two inputs or more the logarithm is positive.",
        entries=(
            "edelman2022/4.5 edge",
            "edelman2022/4.4 edge",
            "edelman2022/4.5-stronger edge",
            "edelman2022/4.6 edge",
            "edelman2022/A.11 edge",
            "edelman2022/A.12 edge",
            "edelman2022/A.12-equal-heads edge",
            "edelman2022/A.17 edge",
        ),
        where={
            "edelman2022/4.4": TOKENS,
            "edelman2022/4.5": Gt(N, 1),
            "edelman2022/4.5-stronger": Gt(N, 1),
            "edelman2022/4.6": TOKENS,
            "edelman2022/A.11": TOKENS,
            "edelman2022/A.12": TOKENS,
            "edelman2022/A.12-equal-heads": TOKENS,
            "edelman2022/A.17": TOKENS,
        },
    ),
    Cause(
        slug="log-missing",
        severity="misprint",
        title="Section 2 bounds the covering number by what bounds its logarithm",
        explanation=r"""Section 2 recalls Zhang's theorem as $\mathcal N_\infty\le
O(\frac{B_X^2B_W^2}{\varepsilon^2}\log(B_XB_Wm/\varepsilon))$. Lemma A.10, which restates the same theorem, has
$\log\mathcal N_\infty$ on the left, and so has every use of it. As printed it is false: for $m=16$ orthonormal
inputs and $B_X=B_W=1$ the covering number is at least of the order of $\varepsilon^{-16}$ by volume, and the print
allows $\varepsilon^{-2}\log(16/\varepsilon)$; at $\varepsilon=1/64$ that is 28,391 against $2.8\cdot10^{23}$. A.10
also has a logarithm that stays positive, which the recall's does not for $\varepsilon>B_XB_Wm$.""",
        survives="Everything: only the logarithm is used.",
        entries=("edelman2022/sec2-linear-cover refuted eps", "edelman2022/sec2-linear-cover"),
    ),
    Cause(
        slug="negative-logarithm",
        severity="hypothesis",
        title=shared.NEGATIVE_LOGARITHM,
        explanation=r"""Corollary A.3 evaluates Dudley's bound at the cut-off $\delta=(C_{\mathcal F}/m)^{1/2}$ and
has $c\delta(1+\log(A/\delta))$; Lemma 2.2 multiplies that by $4L$. If $C_{\mathcal F}>e^2A^2m$ the bound is
negative, whatever $c$ is: at $A=1$, $m=10$ and $C_{\mathcal F}=100$ it is $-0.48c$, and no complexity is negative.
For $C_{\mathcal F}\le A^2m$ the cut-off is within the range, and A.3 is true with $c=12$; beyond that the trivial
bound $A$ is the better one.""",
        survives=r"Everything: where $C_{\mathcal F}>A^2m$ the bounds say nothing anyway.",
        entries=("edelman2022/A.3:R negative", "edelman2022/2.2:gap negative"),
        where={"edelman2022/A.3": CUT_OFF, "edelman2022/2.2": CUT_OFF},
    ),
    Cause(
        slug="one-sided-deviation",
        severity="hypothesis",
        title=r"Both sides and the empirical complexity for $\log(1/\delta)$: true for losses in $[0,b]$",
        explanation=r"""Theorem A.4, and with it Lemma 2.2 (restated as A.5), bounds the absolute value of risk minus
empirical risk, for all $f$ at once, by $4L\hat R+2b\sqrt{\log(1/\delta)/(2m)}$ with the empirical complexity $\hat
R$. The last term is McDiarmid's for one side, losses in $[-b,b]$ and the expected complexity; the theorem of Bartlett
and Mendelson to which A.4 is attributed is one-sided, with the expected complexity and $\log(2/\delta)$. For losses
in $[-b,b]$ it fails, just: let $\mathcal F$ have one function, whose complexity is 0, and the loss be $b$ or $-b$ by
a fair coin. Of $m=3$ draws all are alike with probability $1/4$, and the gap is then $b$; at $\delta=0.24$ the
theorem allows $0.976b$. For $0\le\ell\le b$, $\delta\le\frac14$ and $m\ge53\log(1/\delta)$ it is true as it stands:
what $4L\hat R$ has beyond $2L\hat R$ pays for the empirical complexity ($2m/b$ times that of the losses is
self-bounding), and $2b$ is twice what one side needs. For $|\ell|\le b$ and all $m$ and $\delta$, $2L\hat
R+4b\sqrt{\log(2/\delta)/(2m)}$ is: McDiarmid once for each side, for the gap less twice the empirical complexity of
the losses. The argument of the logarithm is hardly legible in our text; were it $2/\delta$, the coin would not refute
it.""",
        survives="Everything; no constant changes for losses in $[0,b]$.",
        entries=("edelman2022/A.4:gap refuted", "edelman2022/A.4:gap gap", "edelman2022/2.2:gap"),
        where=dict.fromkeys(("edelman2022/A.4", "edelman2022/2.2"), NOT_TINY),
    ),
    Cause(
        slug="positive-shares",
        severity="hypothesis",
        title="The allocation lemma does not say that the shares are positive",
        explanation=r"""Lemma A.8 minimizes $\sum_i\alpha_i/x_i^2$ subject to $\sum_i\beta_ix_i=C$ over
$x_1,\dots,x_n$, and states the value $\gamma^3/C^2$. Nothing keeps the $x_i$ positive: for $\alpha=\beta=(1,1)$ and
$C=1$ the value is 8, and $x=(2,-1)$ gives $5/4$ (with $x=(t,1-t)$ the sum tends to 0). For $x_i>0$ and
$\alpha_i,\beta_i>0$ the lemma is true, and for $\alpha_i,\beta_i\ge0$ its value is the infimum.""",
        survives="Everything: the lemma is only applied to resolutions, which are positive.",
        entries=("edelman2022/A.8:minimum refuted",),
        where={"edelman2022/A.8": "all x_i > 0 (and alpha_i, beta_i > 0, or the minimizer is not defined)"},
    ),
    Cause(
        slug="small-factors",
        severity="hypothesis",
        title=r"$(C_2L_\sigma)^{O(L)}$ falls with the depth where the norms or the activation are small",
        explanation=r"""Theorem 4.6 has the factor $(C_2L_\sigma)^{O(L)}$. One layer multiplies an error by
$L_\sigma C_2^2(1+4C_2)$ (A.15), which is no power of $C_2L_\sigma$: with $C_2L_\sigma=1$ the factor is 1 whatever
the $O(L)$ is, while $C_2$ may be large. Take $L=2$, $d=4$, $m=T=16$, $\varepsilon=1/16$, $B_w=1$, $C_2=C_\infty=t$,
$L_\sigma=1/t$ and tokens of norm $t^{-2}$: each layer lifts them by $t$, up to norm 1, where the read-out alone has
a log covering number of at least 9.9, and the printed bound is of the order of $t^{-2}$ (at $t=10^4$ it is
$2\cdot10^{-4}$ times a constant). For $C_2\ge1$ and $L_\sigma\ge1$ it is true at each depth, with a constant that
may depend on it; in general $\max(1,C_2)$ and $\max(1,L_\sigma)$ belong in the place of $C_2$ and $L_\sigma$. The
remark that the exponential dependence on $L$ can be avoided for spectral norms of at most 1 does not follow:
$1+4C_2$ is 5 at $C_2=1$.""",
        survives="The dependence on $T$, which is logarithmic, does; it is not affected.",
        entries=("edelman2022/4.6:log_N refuted L_sigma", "edelman2022/4.6:log_N gap L_sigma"),
        where={"edelman2022/4.6": Ge(Min(C_2, L_sigma), 1)},
    ),
    Cause(
        slug="lost-radius",
        severity="hypothesis",
        title=shared.LOST_RADIUS,
        explanation=r"""Corollary 4.4 is for tokens of norm at most $B_X$; its proof bounds
$|x_\tau^\top(W_{QK}-\hat W_{QK})x|$ by $\|(W_{QK}-\hat W_{QK})x\|$, for it takes $\|x_\tau\|\le1$. The factor $B_X$
that is lost there is a second one beside the one that the main text drops and the last display of its proof keeps:
with both, the term of the scores is $(B_{QK}^\infty B_VB_X^2)^{2/3}$. A.11 and A.12 inherit this, and so does the
first layer of 4.6 (the later ones see projected tokens). It matters for long tokens: with $\sigma(x)=x$, $T=16$,
$\varepsilon=1/16$, $d=t$, $m=t^2$ sequences, $B_X=t^{3/2}$, $B_V=t^{-3/2}$ and $B_V^\infty=B_{QK}^\infty=t^{-2}$
values stay of order 1 and scores grow, and one entry of $W_{QK}$ for each of $d^2/9$ sequences moves the mass on
one token through five levels that are more than $2\varepsilon$ apart: $\log\mathcal N_\infty$ is of order $t^2$,
both printed bounds of order $t\log t$. For tokens in the unit ball, $B_X\le1$ (in A.11 tokens and positions), all
of these are true.""",
        survives=r"""Everything for tokens in the unit ball, which is what A.13 to A.17 assume. The dependence on
$T$ is not affected.""",
        entries=(
            "edelman2022/4.4 refuted B_X",
            "edelman2022/4.4 gap B_X",
            "edelman2022/A.11:log_N refuted",
            "edelman2022/A.11:log_N gap",
            "edelman2022/A.12:log_N refuted",
            "edelman2022/A.12:log_N gap",
            "edelman2022/A.12-equal-heads:log_N refuted",
            "edelman2022/A.12-equal-heads:log_N gap",
            "edelman2022/4.6:log_N gap B_X",
        ),
        where={
            "edelman2022/4.4": UNIT_BALL,
            "edelman2022/A.11": Le(Max(B_X, B_P), 1),
            "edelman2022/A.12": UNIT_BALL,
            "edelman2022/A.12-equal-heads": UNIT_BALL,
            "edelman2022/4.6": UNIT_BALL,
        },
    ),
    Cause(
        slug="amplification",
        severity="misprint",
        title="An error is amplified by what comes after it: the layers above and the read-out",
        explanation=r"""The display of Theorem A.17 has $(B_w^{2/3}+\sum_i\alpha_i^{2/3}(\dots))^3$ with
$\alpha_i=\prod_{j<i}L_\sigma B_C^{(j)}B_V^{(j)}(1+4B_{QK}^{(j)})$. The proof itself says otherwise, twice: its last
resolution is $\varepsilon=B_w\sum_i\alpha_i(\dots)+\varepsilon_w$, so that A.8 gives $(B_w\alpha_i)^{2/3}$; and its
recursion $\varepsilon^{(i+1)}=L_\sigma B_C^{(i)}B_V^{(i)}(1+4B_{QK}^{(i)})\varepsilon^{(i)}+\dots$ unrolls to
products over $j>i$, the layers above. Without the factor $B_w$ the bound is false for every constant. Multiply
$B_w$ and $\varepsilon$ by the same number: the class and its covering number are the same, and of the print, as the
number grows, only $\log(mT)B_w^2/\varepsilon^2$ remains, which knows nothing of the layers. With one layer, $T=16$,
$d=k=m=t^2$, $B_C=t$, all other norms 1, $B_w=t^4$ and $\varepsilon=t^{7/2}$, the outputs on $d$ sequences are $B_w$
times the coordinates of a vector: $\log\mathcal N_\infty$ is of order $t^2\log t$, the print of order $t\log t$ (at
$t=100$ the latter is already less than a tenth of the former). True, for tokens in the unit ball, is the display
with $(B_w\alpha_i)^{2/3}$ in the place of $\alpha_i^{2/3}$, products over $j>i$, and $L_\sigma B_C^{\infty(i)}$ in
the place of $B_C^{\infty(i)}$ (the inputs of $W_C$ have norm $L_\sigma$ after the activation; for 1-Lipschitz ones
that changes nothing).""",
        survives="4.6, which has $B_w$ in front and equal layers; the logarithmic dependence on $T$ does, too.",
        entries=("edelman2022/A.17:log_N refuted", "edelman2022/A.17:log_N gap"),
    ),
)

# --- sparse variables ----------------------------------------------------------------------------------------------

SPARSE_VARIABLES = (
    Cause(
        slug="coherent-vectors",
        severity="hypothesis",
        title=r"$\Delta<1/s$ is not enough for one head to select $s$ positions",
        explanation=r"""Lemmas B.2 and B.4, and with them Propositions B.1 and 4.7, are for embedding vectors whose
inner products are at most $\Delta<1/s$. Near that limit no weights do it. Let $s=2$ relevant vectors have the inner
product $-1/3$, and let the 11 others be their mean plus the corners of a simplex, so that all inner products are at
most $\Delta=1/3$: the mean of the others is that of the relevant ones, so by convexity, whatever $W_Q$ and $W_K$
are, they outweigh one of them by a factor of 11, and turning its bit hardly moves the output. With $\gamma=1/2$
every head within the printed norms of $W_V$ and $W_C$ errs by 0.139 somewhere, and $\gamma/4=0.125$ is claimed.
(For B.4 the same with 83 others and $\gamma=0.7$; for 4.7 the norms would have to grow as $\sqrt T$.) The proof's
own display, $\exp(R-2Rs\Delta)$, asks for $2s\Delta<1$. For $3s\Delta\le1$ all printed norms are enough: not with
the printed key, but with one that gives all relevant positions the same score.""",
        survives=r"""All of the section for $\Delta\le1/(3s)$, that is with $\exp(\Omega(d/s^2))$ positions in $d$
dimensions as before.""",
        entries=(
            "edelman2022/B.2:error refuted",
            "edelman2022/B.4:error refuted",
            "edelman2022/B.1:error refuted",
            "edelman2022/4.7:W_K refuted",
        ),
        where={
            "edelman2022/B.2": COHERENT,
            "edelman2022/B.4": COHERENT,
            "edelman2022/B.1": COHERENT,
            "edelman2022/4.7": "the vectors of the input map have inner products of at most 1/(3 s)",
        },
    ),
    Cause(
        slug="uneven-scores",
        severity="proof",
        title="The printed key gives the relevant positions unequal scores",
        explanation=r"""In the proofs of B.2 and B.4 the key is the sum $v_{\mathcal I}$ of the relevant vectors. If
these are not orthogonal their scores $Rv_i\cdot v_{\mathcal I}$ differ by up to $2(s-1)\Delta R$, and the larger
$R$ is, the further the softmax is from the uniform distribution on $\mathcal I$; B.7 bounds the distance from the
softmax restricted to $\mathcal I$, not from the uniform distribution. For $T=4$, $s=3$, $\Delta=1/10$ and
$\gamma=1/2$ the printed weights err by 0.40 where 0.125 is claimed, and so it is with every other $R$ up to 300.
The key $u=\sum_ic_iv_i$ with $u\cdot v_i=1$ for all $i\in\mathcal I$ does what is claimed, within the printed
norms, for $3s\Delta\le1$. With $s=1$ or $\Delta=0$ the printed weights are right.""",
        survives="The lemmas, with that key.",
        entries=("edelman2022/B.2:error gap", "edelman2022/B.4:error gap"),
    ),
    Cause(
        slug="wide-plateau",
        severity="hypothesis",
        title=r"The network of B.8 needs plateaus that are not wide",
        explanation=r"""Lemma B.8 states entries of at most $\max(1,B)/\delta$ and $d_f/\delta$ for every $\delta$.
For a wide plateau that is too little for any network: one point $x_1=0$ with $f(x_1)=1$, $d_f=1$, $B=1$ and
$\delta=5$ allow an output of at most $2\cdot\frac15(4\cdot\frac15+1)=0.72$ there. For $\delta\le1/3$ the lemma is
true, with bumps that fall over $2\delta$.""",
        survives=r"B.5 and B.6, where it is used with $\delta\le\gamma/4\le1/4$.",
        entries=("edelman2022/B.8:W_2 refuted", "edelman2022/B.8:W_2 gap", "edelman2022/B.8:W_1 gap"),
        where={"edelman2022/B.8": Le(ramp, Rational(1, 3))},
    ),
    Cause(
        slug="bump",
        severity="misprint",
        title="The bump of B.8 has a wrong sign, and its biases are not counted",
        explanation=r"""The proof of B.8 defines $\psi_\delta(x)=\nu_\delta(x)-\nu_\delta(2\delta-x)$ and says that
it is 1 on $[0,2\delta]$ and 0 outside $[-\delta,3\delta]$. As displayed it is 0 on the plateau, $-1$ to the left
and $1$ to the right; $\nu_\delta(x)+\nu_\delta(2\delta-x)-1$ is what is described. Its bias rows are as large as
$B/\delta+2$, which is more than the stated $\max(1,B)/\delta$ (6 against 4 at $B=1$, $\delta=1/4$). Bumps that fall
over $2\delta$ instead of $\delta$, for other plateaus begin $3\delta$ away, keep all the stated norms for
$\delta\le1/3$.""",
        survives="B.8, and with it B.5 and B.6.",
        entries=("edelman2022/B.8:error gap",),
    ),
    Cause(
        slug="narrow-plateau",
        severity="proof",
        title=r"B.5 and B.6 take B.8 with $\delta=\gamma/8$ for errors of $\gamma/4$",
        explanation=r"""Attention comes within $\gamma/4$ of values that are $\gamma$ apart. The proofs of B.5 and
B.6 apply B.8 with $\delta=\gamma/8$, whose network is right within $\gamma/8$ only: for $\gamma=1/2$, values $-1/4$
and $1/4$, $f=0,1$ and the input $1/4+\gamma/4$ its output is 0 and should be 1. With $\delta=\gamma/4$ the values
are $4\delta$ apart, as B.8 asks, and the network is right; its entries are within the printed ones.""",
        survives="B.5 and B.6, as stated.",
        entries=("edelman2022/B.5:error gap", "edelman2022/B.6:error gap"),
    ),
)

CAUSES = CAPACITY + SPARSE_VARIABLES
