"""Trauger, Tewari 2024."""

from __future__ import annotations

from sympy import Ge, Gt, Le, Min, log, sqrt

from maurey.symbolic.names import symbols

from . import Cause, shared

d, k, m, N, q, L_sigma, C_F = symbols("d k m N q L_sigma C_F")
B_X, B_X_1, B_w, B_C, B_V, B_QK, B_QK_11 = symbols("B_X B_X_1 B_w B_C B_V B_QK B_QK_11")
B_QK_1inf, B_QK_21 = symbols("B_QK_1inf B_QK_21")
ROOTS = sqrt(m) - sqrt(log(2 * d))  # the cut-off is below the range where this exceeds the numerator
LAYERS = ("trauger2024/4.1", "trauger2024/4.1.1", "trauger2024/D.0.1", "trauger2024/D.0.2")
SIMPLE = "trauger2024/4.2.1-simplified"

CAUSES = (
    Cause(
        slug="vanishing-logarithm",
        severity="hypothesis",
        title=shared.VANISHING_LOGARITHM,
        explanation=r"""Lemmas 3.4 and 3.5, Corollary F.0.2 and the norm-based shape of Section 2.5 are multiples of
$\log(dk)$, or of $\log(dn)$, and vanish at $d=k=1$, or $d=n=1$, whatever constant is hidden, while the maps there
still differ: $x\mapsto wx$ with $|w|\le1$ on one input $x=1$ needs two centres at $\epsilon=1/2$. True with
$\log(dk+1)$, or for sizes above 1.""",
        survives="Everything, where the logarithm is positive.",
        entries=(
            "trauger2024/3.4 edge",
            "trauger2024/3.5 edge",
            "trauger2024/F.0.2 edge",
            "trauger2024/S2.5 edge",
        ),
        where={
            "trauger2024/3.4": Gt(d * k, 1),
            "trauger2024/3.5": Gt(N, 1),
            "trauger2024/F.0.2": Gt(d * k, 1),
            "trauger2024/S2.5": Gt(d * k, 1),
        },
    ),
    Cause(
        slug="long-tokens",
        severity="false",
        title="Theorem 4.2 bounds the first layer as if the inputs lay in the unit ball, and states it for all $B_x$",
        explanation=r"""Theorem 4.2 is for inputs of norm up to $B_x$, and its proof uses Lemma E.2 at $i=1$ on them.
There keys and values bring a factor $B_x$ each, and the coefficient of $W_{QK}^{(1)}$ is $2L_\sigma
B_{c2}B_{v2}B_x^2$ where the lemma, for tokens in the unit ball, has $2L_\sigma B_{c2}B_{v2}$. So the term
$C_{B_x}^{1/3}(2L_\sigma B_{c2}B_{v2}\alpha_1B_w)^{2/3}$ is too small by $B_x^{4/3}$, and that of $W_v^{(1)}$, which
acts on the inputs too, has $C_1$ for $C_{B_x}$. An object shows it, also against the terms that the proof has and the
display lacks: $L=1$, $d=m=10^5$, $k=64$, $B_x=400$, $B_{v2}=1/240$, all other bounds 1, $\epsilon=1/5$; one fixed
$[CLS]$, a second token that differs between samples, the entries of one row of $W_{QK}$ at 0 or $\pm w$. Every cover
has a log-size of at least 108,000; the print says 14,100, with the terms of its own proof 58,600. In Corollary F.0.1
($d=4096$, $k=64$, $B_x=512$) the queries differ between samples as well, as inputs may; in Corollary F.0.2, whose
cover hides a constant, the ratio grows without bound along a ray. True is the theorem with $B_x^2$ in that
coefficient and $C_{B_x}$ for $W_v^{(1)}$, once the terms of the proof that the display lacks are restored. Unlike the
corollaries on heads of Edelman et al. (`lost-radius`), the theorem is not saved by a condition on the inputs alone:
$B_x$ is stated as general and stands in the display, in $C_{B_x}$, and for $B_x\le1$ the print is still without those
terms.""",
        survives=r"""For tokens in the unit ball ($B_x\le1$) this changes nothing. Else Theorem 4.2 and its corollaries
keep their shape and their independence of $T$, with $B_x^6$ for $B_x^2$ in front; so does what Theorem 5.1 takes from
them.""",
        entries=(
            "trauger2024/4.2.1:log_N refuted",
            "trauger2024/4.2:log_N refuted",
            "trauger2024/F.0.1:log_N refuted",
            "trauger2024/F.0.2:log_N refuted",
            f"{SIMPLE} gap B_X d",
            f"{SIMPLE} gap B_X eps",
        ),
    ),
    Cause(
        slug="lost-radius",
        severity="hypothesis",
        title=shared.LOST_RADIUS,
        explanation=r"""Lemma E.2 is stated for every $i$ and says nothing of the tokens. For $i\ge2$ they have been
projected to the unit ball; for $i=1$ they are the inputs, of norm up to $B_x$, and the coefficient of $W_{QK}$ is
$2L_\sigma B_{c2}B_{v2}B_x^2$. Two tokens 4 and $-4$ with $W_v=1/10$, $W_c=1$ and scores near 0 move more than seven
times as far as the lemma says. For $B_x\le1$ it is true.""",
        survives="The block lemma above the first layer; not Theorem 4.2, which uses it for long inputs.",
        entries=("trauger2024/E.2:moved_first",),
        where={"trauger2024/E.2": Le(B_X, 1)},
    ),
    Cause(
        slug="dropped-terms",
        severity="misprint",
        title="Terms of the first layer, and a $B_{c2}$, that the proof has and the theorem has not",
        explanation=r"""The last display of Appendix E has, for every layer, $\alpha_iB_w$ times $\epsilon_c^{(i)}$,
$L_\sigma B_{c2}\,\epsilon_v^{(i)}$ and $2L_\sigma B_{c2}B_{v2}\,\epsilon_{QK}^{(i)}$. The theorem prints
$(\alpha_iL_\sigma B_{v2})^{2/3}$ where this gives $(\alpha_iL_\sigma B_{c2})^{2/3}$; for the first layer it prints
$(B_wL_\sigma B_{v2})^{2/3}$, without $\alpha_1$, and leaves out the term $(\alpha_1B_w)^{2/3}$ of $W_c^{(1)}$. At
$L=2$, $\epsilon=1/16$, $L_\sigma=10$ and all else 1 the theorem prints $4.3\cdot10^8$, and the terms of its proof
give $1.8\cdot10^9$. One thing more the proof lacks itself, a missing hypothesis: $W_c$ acts on vectors after the
activation, of norm up to $L_\sigma$, and is covered on the unit ball, which is right for $L_\sigma\le1$. With that
radius the value is $3.7\cdot10^9$.""",
        survives="The theorem and Corollary 4.2.1, with the terms of their own proof, for $L_\\sigma\\le1$ or with the "
        "radius $L_\\sigma$, and with the factors $B_x$ that long inputs bring.",
        entries=("trauger2024/4.2:log_N gap", "trauger2024/4.2.1:log_N gap"),
    ),
    Cause(
        slug="l1-after-projection",
        severity="proof",
        title=r"The projection bounds $\ell_2$ norms, and the covers ask for $\ell_1$ norms",
        explanation=r"""Corollaries F.0.1 and F.0.2 put the covers of Lemmas 3.3 and 3.4 into Theorem 4.2. Those are
for inputs with $\|x\|_1\le1$, and what a matrix above the first layer, $W_c^{(1)}$ and the read-out see has been
projected to $\|x\|_2\le1$, where $\|x\|_1$ may be $\sqrt d$, or $\sqrt k$. With that radius the proof gives more: at
$L=2$, $d=k=4$, $\epsilon=1/16$, $B=1/100$ and all else 1, Corollary F.0.1 prints 241 and its proof gives 6350. The
terms that Theorem 4.2 drops are missing here too; and $\log(2k+1)$ stands for $W_{QK}$ and $W_c^\top$ as well, which
have $d$ rows.""",
        survives="The corollaries with a factor $d$ (or $k$) in $C_1$; whether they are true without it is open.",
        entries=("trauger2024/F.0.1:log_N gap", "trauger2024/F.0.2:log_N gap"),
    ),
    Cause(
        slug="columns-for-rows",
        severity="misprint",
        title="Norms of columns are stated where rows are used",
        explanation=r"""With $\|W\|_{q,p}$ as Section 2.1 defines it, $\|W_c^\top\|_{1,\infty}$ and
$\|W_v^\top\|_{1,\infty}$ bound columns of $W_c^\top$ and $W_v^\top$. The proof of Theorem 4.1 takes the rows
$e_j^\top W_c^\top$ and $e_j^\top W_v^\top$ from $\ell_1$ balls: it is for $\|W_c\|_{1,\infty}$ and
$\|W_v\|_{1,\infty}$. As stated, $W_v^\top$ may be a row of signs, and the layer sums all coordinates: on the tokens
$e_j/2$, each $d$ times, its complexity is of order $d^{-1/2}$ and the printed bound of order $1/d$ up to logarithms.
In the same way Lemma 3.5 quotes a lemma for sums of norms of the rows that are dotted with $x$, and states columns:
as stated the class holds $ue_1^\top$ for all $\|u\|_2\le B_w$, whose values at one input fill a ball of $\mathbb
R^k$, so that at half its radius $\log\mathcal N\ge k\log2$; for $d=4$ and $k=100$ that is 69, against 24 from Lemma
3.4. True is each statement with the transpose; in Lemma 3.5 with $\log(kn)$, from which the $\log(dk)$ of Lemma 3.4
comes.""",
        survives="Theorem 4.1 and its corollaries with the rows bounded (see their second reading), for $m$ so "
        "large that their logarithm is not negative; Lemmas 3.4 and 3.5 for sums of rows.",
        entries=(
            "trauger2024/4.1:R refuted d m",
            *(f"{key}:R {status} d m" for key in LAYERS for status in ("refuted", "gap") if key != LAYERS[0]),
            "trauger2024/4.1:R gap d m",
            *(f"{key}:R gap k m" for key in LAYERS[:2]),
            "trauger2024/3.4:log_N",
            "trauger2024/3.5:log_N",
        ),
    ),
    Cause(
        slug="values-bound",
        severity="misprint",
        title="$B_{W_c}$ stands twice, and $B_{W_v}$ not at all",
        explanation=r"""Corollary 4.1.1 prints $B=B_wB_{W_c}L_\sigma B_{W_c}$; Theorem 4.1, and Corollaries D.0.1 and
D.0.2, have $B_wB_{W_c}L_\sigma B_{W_v}$. The complexity is proportional to $B_{W_v}$: with $d=2$, $m=16$ and all other
bounds 1 it is at least $0.098B_{W_v}$, and the print stays at 1.16.""",
        survives="Everything, with $B_{W_v}$.",
        entries=(
            "trauger2024/4.1.1:R_rows refuted B_V_1inf",
            "trauger2024/4.1.1 refuted B_V_1inf",
            "trauger2024/4.1.1 gap B_V_1inf",
            "trauger2024/4.1.1 gap B_C_1inf",
        ),
    ),
    Cause(
        slug="negative-logarithm",
        severity="hypothesis",
        title=shared.NEGATIVE_LOGARITHM,
        explanation=r"""Appendix C minimises Dudley's sum at $\delta=2B_x^2\sqrt C/(\sqrt m-\sqrt{\ln(2d)})$ without
asking whether this lies below $B_x$, the end of the integral. Where it does not, the sum is least at $\delta=B_x$,
the trivial bound, and the printed logarithm is negative: no constant before it helps. At the sizes of the paper's own
experiment ($d=64$, $m=300$, sinusoidal positions of norm 5.7, so $B_x=6$) with all bounds on weights 1, Corollary
4.1.1 gives $-61.6$. True is the theorem where the cut-off lies within the range, that is for $m$ large enough, or
with $\min(\delta,B_x)$.""",
        survives="The theorem and its corollaries for $m$ above that; below, the bound is trivial anyway, and the "
        "smaller of it and $B_wB_{W_c}L_\\sigma B_{W_v}B_x$ is what one would use.",
        entries=(
            "trauger2024/4.1.1:R_rows refuted",
            *LAYERS,
        ),
        where={
            "trauger2024/4.1": Le(2 * B_X * sqrt(C_F), ROOTS),
            "trauger2024/4.1.1": Le(2 * B_X**2 * B_QK_11 * sqrt(log(2 * d**2 + 1)), ROOTS),
            "trauger2024/D.0.1": Le(2 * B_X_1**2 * B_QK_1inf * sqrt(d * log(2 * d + 1)), ROOTS),
            "trauger2024/D.0.2": Le(2 * B_X_1**2 * B_QK_21 * sqrt(2 * log(d)), ROOTS),
        },
    ),
    Cause(
        slug="norms-below-one",
        severity="hypothesis",
        title="A product stands for a sum, whose other terms matter once a norm is below 1",
        explanation=r"""The simplified form of Corollary 4.2.1, $B^2B_x^2B_w^2(L_\sigma B_{c2}B_{v2}B_{QK2})^{O(L)}/
\epsilon^2$, puts one product for $(\gamma+\eta)^3$, whose terms lack now this factor, now that: the read-out's has
none of them, and $1+4B_{QK2}$ does not vanish with $B_{QK2}$. So it fails as soon as one of the norms goes to 0. With
$W_{QK}=0$ attention is an average: for $d=k=1$, two layers, all other norms 1 and $\epsilon=1/16$ the read-out alone
needs 16 centres, and for $B_{QK2}=1/1000$ the print is 0.0003 with the exponent $L$, and less with larger ones. Read
for norms of at least 1, as a sketch in which constants and logarithms are left out may be.""",
        survives="Corollary 4.2.1 itself does not rest on it.",
        entries=(f"{SIMPLE} refuted B_QK", SIMPLE),
        where={SIMPLE: Ge(Min(B_w, L_sigma, B_C, B_V, B_QK, B_X), 1)},
    ),
    Cause(
        slug="zero-atom",
        severity="hypothesis",
        title="Maurey's lemma for weights that sum to less than 1",
        explanation=r"""Lemma 3.1 allows $\gamma=\|\alpha\|_1<1$ and $\sum_ik_i<k$, which is to say that terms may be
zero. One term then has a mean square of $\gamma b^2$, not $\gamma^2b^2$: for $f=V/2$ with one unit vector $V$ and
$k=1$ both choices leave the error $1/4$, and the print allows 0. And the tuples are those of $d+1$ atoms, as many as
ordered draws of these at most, $(d+1)^k$, not $d^k$: for $d=k=1$ there are two, $(0)$ and $(1)$. Both are right for
weights that sum to 1 and $\sum_ik_i=k$.""",
        survives=r"""Lemmas 3.3 and 3.6: their proofs take zero as an atom of its own, whence $\log(2k+1)$, and then
the weights sum to 1.""",
        entries=("trauger2024/3.1:error", "trauger2024/3.1:count"),
        where={"trauger2024/3.1": "the weights sum to 1 and the counts to k"},
    ),
    Cause(
        slug="quasi-norm",
        severity="hypothesis",
        title="For $q<1$ there is no triangle inequality",
        explanation=r"""Section 2.4 allows covers in $\|\cdot\|_q$ for every $q>0$, and the proof of Lemma 3.2 uses
that it is a norm. For $q=1/2$, the zero matrix and the one with zeros on the diagonal and 4 beside them are within 4
of one another on $e_1$ and $e_2$, and $7.84$ apart at $x=(9/25,16/25)$: at $\epsilon=25/4$ the basis needs one centre
and $x$ two.""",
        survives=r"""Everything: the lemma is used for $q=2$. For $q<1$ a cover of the basis at $\epsilon$ is one of the
inputs at $d^{1/q-1}\epsilon$.""",
        entries=("trauger2024/3.2",),
        where={"trauger2024/3.2": Ge(q, 1)},
    ),
    Cause(
        slug="worst-sample",
        severity="hypothesis",
        title="Contraction of vectors needs the complexity of one score on the worst sample",
        explanation=r"""The proof of Theorem 5.1 bounds the complexity of the losses by $\tilde O(\sqrt K)$ times that
of one score on the same sample. The theorem of Foster and Rakhlin that it cites has the largest complexity over all
samples of that size on the right. On the same sample it fails: $d=K$, $m=2K$, a masked token 0 beside each of
$e_1,\dots,e_K$, twice, with the word $s$ beside $e_s$; the losses keep a complexity of about $1/4$, one score has at
most $1/(2K)$.""",
        survives="Theorem 5.1: the bounds of Theorems 4.1 and 4.2 are for every sample, so for the worst.",
        entries=("trauger2024/5.1:R",),
        where={"trauger2024/5.1": "the complexity of one score is that on the worst sample of its size"},
    ),
    Cause(
        slug="shapes",
        severity="misprint",
        title="The shapes of Section 2.5 have the norms under a root or in a logarithm alone",
        explanation=r"""As examples of two kinds of bound Section 2.5 names $\sqrt{dk\log(B_xB_w)/n}$ and
$\sqrt{B_xB_w\log(dk)/n}$ (its brackets do not balance). These are shapes, given as examples; read as bounds they
would not do. Complexities are linear in the norms: for $x\mapsto e_1^\top Wx$ on 16 equal inputs, $0.196B_xB_w$.
Bounds like these have the product of the norms before the root, as Theorem 4.1 and its corollaries do, or, for the
first, the range of a bounded loss.""",
        survives="Everything: the section compares where dimensions and norms stand, and states no bound.",
        entries=("trauger2024/S2.5:norms refuted B_X", "trauger2024/S2.5"),
    ),
)
