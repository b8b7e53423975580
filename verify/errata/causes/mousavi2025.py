"""Mousavi-Hosseini, Sanford, Wu, Erdogdu 2025."""

from __future__ import annotations

from sympy import E, Ge, Gt, Le, Lt, Max, log, sqrt

from maurey.symbolic.names import symbols

from . import Cause, shared

n, N, d, q, m, H, R, d_e, r_x, r_a, r_w, r_h = symbols("n N d q m H R d_e r_x r_a r_w r_h")
B_a, B_W, C_x, eps, eps_2NN, LR, r_z, tau = symbols("B_a B_W_F C_x eps eps_2NN LR r_z tau")

SQUARED_RADIUS = 3 * E * C_x * d * log(n * N) + d * (1 + 1 / q)  # r_z^2
BALL = r_a**2 / m + m * r_w**2 + q**3 / d**2  # R^2 of Theorem 3
RELEVANT_BEFORE_HALF = Lt(2 * q, N)

FEW_QUERIES = "n is at most a fixed power of H D_e, on which the constant depends"

CAUSES = (
    Cause(
        slug="l1-count",
        severity="false",
        title=r"A count of points of the $\ell_1$ ball is taken for one of the Euclidean ball",
        explanation=r"""Lemma 41 bounds the $\epsilon$-packing number of the unit ball of $\mathbb R^d$ by the smaller
of a volume bound and of $\epsilon^{-2}(1+\log(1+2d\epsilon^2))$, ascribed to Maurey's sparsification. That lemma
counts points of the convex hull of few vectors, such as the $\ell_1$ ball. A maximal packing of the Euclidean ball
covers it, so that it has at least $\epsilon^{-d}$ points: at $\epsilon=\frac12$ and $d=20$ at least $2^{20}$, of
logarithm 13.86, against the 13.59 that is stated; in 1000 dimensions 693 against 29. The second bound is partly
illegible in our text, but no bound that grows as $\log d$ at a fixed $\epsilon$ is true. Propositions 6 and 35 draw
$\|U\|_{op}^2\ge\Omega(N/(\mathfrak L^2\log(1+d_h)))$ from it, and that is false too. Give the hidden state the word
of a binary code with relative distance $\frac15$ that stands for the tokens' values rounded to 6 bits: words of
length $24(N-1)$ exist for every $N$, their distance is a fixed part of $r_h$, and a read-out that is Lipschitz with
$\mathfrak L=12.15$ and $\|U\|_{op}=1$ (both directions in disjoint coordinates) returns the rounded value, with a
risk of 0.00066, at every $N$. All that is
asked for is met: transitions may be arbitrary, states have norm $r_h$, and the read-out is continued from the words
to all states by McShane's formula. Finer rounding gives such a network for every level $c$. True is the volume bound,
and what it gives: $d_h\ge\Omega(N/\log(1+\mathfrak L^2\|U\|_{op}^2))$, and for $\mathfrak L\|U\|_{op}$ a lower bound
that is of the order of 1 once $d_h$ is of the order of $N$.""",
        survives=r"""The bound on the width in Propositions 6 and 35 stands. Lemmas 16 and 30 use the volume bound
only. The proof of Theorem 7 takes the norm from Proposition 6 and does not stand for $d_h>n$; the theorem does,
because its read-outs are ReLU networks: for these the product of the Frobenius norms must be of the order of $\sqrt
N$ at every width, by another argument.""",
        entries=("mousavi2025/41:log_P refuted d", "mousavi2025/41:log_P", "mousavi2025/35:norm"),
    ),
    Cause(
        slug="sum-for-maximum",
        severity="hypothesis",
        title="Maurey's lemma covers for the sum over queries, not for the largest of them: a factor log n is lost",
        explanation=r"""Lemma 16 covers key-query matrices in $\sup_{p,j\in S_n}\|\Theta^\top z_j\|_2$, the largest of
$n$ queries, by $r_z^2R_{2,1}^2\log(2HD_e^2)/\epsilon^2$, in which $n$ does not appear; Proposition 17 takes this
over. The lemma that is cited covers in the Frobenius norm of the products with all queries, the root of the sum of
their squares, and the queries together have a norm of up to $\sqrt{n}\,r_z$. For the largest of $n$ queries the same
method needs a factor $\log n$. Without it the statement is false for $n$ exponential in $D_e$: for one head,
$R_{2,1}=R_F=4$ and $r_z=\epsilon=1$, let one column run through the ball of radius 4 and the queries through all
sign vectors of norm 1 in 1000 dimensions.
The largest product is then a multiple of the column's $\ell_1$ norm, and by volumes the log covering number is at
least 1112, against 232 for the stated expression; in $10^5$ dimensions at least 111000, against 380. In
Proposition 17 two tokens carry such columns to the output; some of its exponents are damaged in our text, but $n$ is
in no reading. It is true for $n$ at most a fixed power of $HD_e$, and in general with $\log(2nHD_e^2)$, up to a
constant, beside the second bound, which stands.""",
        survives=r"""Lemma 18, Corollary 19 and Theorems 3 and 10 hide logarithms of $n$, and the loss with them.""",
        entries=("mousavi2025/16:log_N", "mousavi2025/17:log_N refuted D_e"),
        where=dict.fromkeys(("mousavi2025/16", "mousavi2025/17"), FEW_QUERIES),
    ),
    Cause(
        slug="heads-in-the-radius",
        severity="hypothesis",
        title=r"The inputs of the two-layer block have norm $\sqrt{H}\,R$, not a power of $R$",
        explanation=r"""Lemma 14 bounds the log covering number of the two-layer block, over all inputs of norm at
most $\sqrt{H}\,r_z$ with $r_z\le R$, by $m_gHD_e\log(1+\mathrm{poly}(R)/\epsilon)$, as a case of Lemma 30. Lemma 30
is for inputs of norm $R$; here they are longer by $\sqrt H$, of which no power of $R$ knows. With $R=2$, $D_e=4$, one
unit and $\epsilon=\sqrt H$, the log covering number is at least $2.7H$ and the printed bound of the order of $\sqrt
H$: 277 against 105 at $H=100$, for the polynomial $1+R$. With $\mathrm{poly}(R,H)$, or for $H\le(1+R)^2$, it
holds. Proposition 17 takes this over: with $H=\epsilon=t$ it is of order $\log t$, and what its proof gives of order
$\sqrt t$.""",
        survives="Everything: what follows hides logarithms of the number of heads.",
        entries=("mousavi2025/14:log_N refuted", "mousavi2025/14:log_N", "mousavi2025/17:log_N gap H"),
        where={
            "mousavi2025/14": Le(H, (1 + R) ** 2),
            "mousavi2025/17": Le(H, (1 + Max(B_a, B_W, r_z)) ** 2),
        },
    ),
    Cause(
        slug="degree-lost",
        severity="misprint",
        title=r"Proposition 17 has $\log(1+R/\epsilon)$ where Lemma 14 has a polynomial of $R$",
        explanation=r"""The first part of the bound of Proposition 17 is $m_gHD_e\log(1+R/\epsilon)$ with $R$ the
largest of $r_{m,a}$, $R_{m,w}$ and $r_z$; Lemma 14, from which it is taken, has $\log(1+\mathrm{poly}(R)/\epsilon)$.
Outputs are as large as $r_{m,a}R_{m,w}r_z=R^3$, so that the degree matters: with $D_e=2$, one head, one unit,
$r_{QK}=R^{-4}$ and $\epsilon=R^2$ the log covering number is at least $\log(R/2)$, the printed bound of the order of
$1/R$: 1.6 against 0.20 at $R=10$, 6.2 against 0.002 at $R=1000$.""",
        survives="Everything: what follows hides logarithms.",
        entries=("mousavi2025/17:log_N",),
    ),
    Cause(
        slug="labels-forgotten",
        severity="hypothesis",
        title="The risk bounds keep of the truncation level what the network asks for, and drop what the labels do",
        explanation=r"""Lemma 20 truncates the loss at a level of the order of $\kappa^2\log(\kappa^2N\sqrt
n)+\log(\kappa^2\sqrt n)^s$ with $\kappa^2=qr_a^2r_w^2r_z^2$; Theorem 10 has $C_1=\kappa^2$ in its place, without the
part that labels of moments $\sqrt{C_yr^s}$ ask for. Where $\kappa^2$ is well below 1 the bound is too small: take
$d=q=1$, $N=2$, $n=100$, tokens of length $\rho=\sqrt{4e\log(nN)}$ with probability $(nN)^{-2}$ and 0 otherwise, and a
label of size $\sqrt{4e\log(nN)}$ at the former. This meets Assumption 1 with $C_x=C_y=s=1$ and Assumption 2 with any
$r_a$ and any $\varepsilon_{2NN}$, as the link is 0 within $r_x$. The risk is at least 0.0014 whatever the network
does, while for $r_a=10^{-3}$ (the paper calls $r_a$ and $\varepsilon_{2NN}$ constants) and
$\varepsilon_{2NN}=10^{-6}$ the bound is $10^{-5}$ and goes to 0 with $r_a$. Where
$C_1\ge1$ the theorems hold; in general their proofs give $C_1+1$ in its place. The same of Theorem 3, whose $C_1$ is
read as $R^4qd$: the exponents are damaged in our text.""",
        survives=r"""Everything where the network may be as large as the labels, as in the paper's remarks ($r_w=1$
and $r_a\ge1$).""",
        entries=("mousavi2025/10:risk refuted", "mousavi2025/10:risk", "mousavi2025/3:risk"),
        where={
            "mousavi2025/10": Ge(q * r_a**2 * r_w**2 * SQUARED_RADIUS, 1),
            "mousavi2025/3": Ge(BALL**2 * q * d, 1),
        },
    ),
    Cause(
        slug="negative-logarithm",
        severity="hypothesis",
        title=shared.NEGATIVE_LOGARITHM,
        explanation=r"""Lemma 11 bounds a norm by a multiple of $\log(2r_ar_wr_xN\sqrt{q}\,\varepsilon_{2NN}^{-1/2})$,
Lemma 20 sets a truncation level of $\kappa^2\log(\kappa^2N\sqrt n)+\log(\kappa^2\sqrt n)^s$, and Lemma 42 bounds a
width and a norm by powers of $LR(1+\log(LR/\epsilon))/\epsilon$. All are stated without a condition, and are negative
where the arguments are small: Lemma 11 at $N=2$, $q=d=r_x=r_w=\varepsilon_{2NN}=1$ and $r_a=0.1$; Lemma 20 at
$n=100$, $N=10$, $r_{m,a}=0.01$ and $R_{m,w}=1$, where labels $N(0,1)$ need a level of 3.6; Lemma 42 at $d=1$ and
$\epsilon=4LR$. No norm, width or level is. In Lemmas 11 and 42 zero weights serve there; Lemma 20 needs a level that
does not fall with $\kappa$. Each is true where its logarithm is not small: the argument is above 1 in Lemma 11,
$\kappa^2\ge2$ in Lemma 20, and $\epsilon\le LR$ in Lemma 42.""",
        survives="Everything: what uses them does so for large networks and small errors.",
        entries=(
            "mousavi2025/11:QK_21 refuted",
            "mousavi2025/11:QK_21",
            "mousavi2025/20:level",
            "mousavi2025/42:width",
            "mousavi2025/42:a",
        ),
        where={
            "mousavi2025/11": Gt(2 * r_a * r_w * r_x * N * sqrt(q), sqrt(eps_2NN)),
            "mousavi2025/20": Ge(H * B_a**2 * B_W**2 * SQUARED_RADIUS, 2),
            "mousavi2025/42": Le(eps, LR),
        },
    ),
    Cause(
        slug="vanishing-logarithm",
        severity="hypothesis",
        title=shared.VANISHING_LOGARITHM,
        explanation=r"""Lemmas 22 and 23 are stated for every positive integer $d_e$, with a width of
$O(d_e^3(\log(d_e/\varepsilon)/\varepsilon)^2)$ and output weights of the order of a power of the same logarithm. At
$d_e=1$ and $\varepsilon\to 1$ they vanish, and no constant helps, while the inner products 1 and $-1$ still need a
unit to be told apart: at $\varepsilon=0.99$ the printed width is 0.0001. For $\varepsilon\le d_e/2$ both hold, in
particular for $\varepsilon\le1$ and $d_e\ge2$.""",
        survives=r"""Everything: Assumption 3 has no two position vectors in one dimension.""",
        entries=("mousavi2025/22:width edge", "mousavi2025/23:A edge"),
        where=dict.fromkeys(("mousavi2025/22", "mousavi2025/23"), Le(2 * eps, d_e)),
    ),
    Cause(
        slug="moment-order",
        severity="hypothesis",
        title="A moment of order below 1 is used, of which Assumption 1 says nothing",
        explanation=r"""Lemma 12 states for any $r_x>0$ that some of $nN$ tokens is as long as $r_x$ with probability
at most $nNe^{-r_x^2/(2C_xed)}$. Its proof takes Markov's inequality for the moment of order $r_x^2/(C_xed)$, and
Assumption 1 bounds moments from order 1 on. For two tokens or more the bound is above 1 where the order is below 1,
and says nothing; for one it is not: $n=N=d=C_x=r_x=1$ and $|x|=1$ always, which meets Assumption 1, gives a
probability of 1 against 0.83. For $r_x^2\ge C_xed$ it holds.""",
        survives=r"""Everything: at the radius $\sqrt{3C_xed\log(nN)}$ the order is above 1 from two tokens on, and
Lemma 34, which uses it for one token, does so at large radii.""",
        entries=("mousavi2025/12:P refuted", "mousavi2025/12:P"),
        where={"mousavi2025/12": Ge(r_x**2, E * C_x * d)},
    ),
    Cause(
        slug="low-level",
        severity="hypothesis",
        title=r"The truncation level enters the chaining under a root, and the lemma has it outside",
        explanation=r"""Lemma 18 bounds the complexity of the loss truncated at $\tau$ by
$\tau\sqrt{C_2/n}$ and the like, and Corollary 19 the gap by twice that. The loss moves with the prediction by up to
$2\sqrt\tau$, so that the chaining of the proof gives $\sqrt{\tau C_2/n}$ for this term. For $\tau\ge1$ the printed
term is the larger one, and nothing is wrong. For $\tau<1$ the derivation does not give it: with $n=t$,
$D_e=t^{1/3}$ and $\tau=t^{-2/3}$ the print is of order $t^{-1}$ and what the derivation gives of order $t^{-2/3}$.""",
        survives="Everything: Lemma 20 takes a level that grows with the sample.",
        entries=("mousavi2025/18:Rad gap", "mousavi2025/19:gap gap"),
        where=dict.fromkeys(("mousavi2025/18", "mousavi2025/19"), Ge(tau, 1)),
    ),
    Cause(
        slug="long-states",
        severity="hypothesis",
        title=r"The output network is covered on inputs of norm $R$, and states may be longer",
        explanation=r"""Lemma 31 covers recurrent networks by Lemma 30, applied to the output network on inputs of
norm at most $R$. The hidden states may be as long as $r_h$. Only logarithms are lost: with $\epsilon=N=r_h=t$ the
print stays behind the derivation by a factor $\log t$, a logarithm of $r_h$ that the lemma does not hide. For
$r_h\le R$ nothing is lost.""",
        survives="Everything: what follows hides logarithms.",
        entries=("mousavi2025/31:log_N gap",),
        where={"mousavi2025/31": Le(r_h, R)},
    ),
    Cause(
        slug="short-prompts",
        severity="hypothesis",
        title="The relevant tokens must fit into the first half of the prompt",
        explanation=r"""Propositions 4 and 21 have standard normal tokens before position $N/2$ and zero tokens from
there on, and their proofs let all relevant positions of the latter half be $1,\dots,q$. These are normal only for
$q<N/2$, which the statements do not repeat (Section 2 has $q$ far below $N$). At $N=q=2$ and $H=1$ all tokens are
zero, whatever the law of the positions, and the
zero network has no risk, where a risk of $\frac12$ (Proposition 21) or, for $d=4$, of $\frac14$ (Proposition 4) is
claimed. For $q<N/2$ both hold, with the prefactors of the labels read from the proofs.""",
        survives=r"""Everything: the paper's setting has $q$ far below $N$.""",
        entries=("mousavi2025/21:risk", "mousavi2025/4:risk"),
        where=dict.fromkeys(("mousavi2025/4", "mousavi2025/21"), RELEVANT_BEFORE_HALF),
    ),
)
