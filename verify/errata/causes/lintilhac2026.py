"""Lintilhac, Shaikh 2026. The formulas of the paper's text are lost: what is called wrong here was recovered from the
authors' published code or from public notes on the paper, and each entry says so."""

from __future__ import annotations

from . import Cause

PAPER = "lintilhac2026"

CAUSES = (
    Cause(
        slug="position-columns",
        severity="false",
        title="The columns of $F$ that belong to positions are parameters too, and $G_u$ leaves them out",
        explanation=r"""$G_u(\omega,D)=4+4\omega(2+D+32D^2+32D^3)$ (recovered from the authors' code) is to bound
$\|\nabla f\|^2$ for all parameters of the construction, and the text says that it does not depend on $T$. It counts
the last column of $F$, which carries the parities. The $T+1$ other columns are zero, but they are parameters: they
are perturbed, and they are in $|\Theta|$. Through them the hidden units write into the channels of positions, which
the second attention reads with weights $w_t=\log c_t+2\log T$: their share of $\|\nabla f\|^2$ is of order
$\omega^2\log^2T$, and no term of $G_u$ is. Were only the last column of $F$ a parameter, $G_u$ would hold; but all
columns are perturbed, counted and learned. With one component for each of $T=40$ bits ($\omega=40$, $D=1$, equal
coefficients) and 22 ones, $\|\nabla f\|^2\ge11905$, with softmax in the first layer 11460, where $G_u=10724$; at
$\omega=T=400$ the trace is 12736 times $\omega D^3$. The bound of Theorem 2 inherits it: at $\omega=T=64$, $D=1$,
$\sigma=0.003$, $m=10^{12}$, losses clipped at 1 ($\Sigma=\frac12$) and $P$ as measured, networks drawn around the
construction, which fits and dominates itself, have a risk of at least 0.203, and the bound says 0.175. True is
$\|\nabla f\|^2\le4+\frac\omega8+\omega\rho_D+\frac{\omega(\omega+1)}4\rho_D\log^2T+64\omega D^2(D+1)$ for $c_t\ge
T^{-2}$, with $\rho_D$ the largest $\|r_t\|^2$ (11); without a least coefficient there is no bound at all.""",
        survives=r"""The shape does, with this $G_u$: 2, 5, 6, 13, 17 and E.3 hold with the larger value as derived
here, linear growth in $\omega$ becomes quadratic, and $\log^2T$ enters the sharpness. At the paper's own size,
$T=20$, nothing that was tried exceeds $G_u$. At the largest sparsity and degree 1 the rescaling of appendix D lowers
the norm and raises the sharpness; leaving out unread units lowers both. What is open: norm and curvature of a learned
network do not bound its perturbed loss, and no closed $P(\sigma)$ is proved here. True of Theorem 2, for a loss
clipped to $[0,b]$ and $\sigma$ fixed before the sample, is $\mathbb E_\epsilon L_b(\hat\Theta+\epsilon)\le\mathbb
E_\epsilon\hat L_b(\hat\Theta+\epsilon)+b\sqrt{(L/(2\sigma^2)+\log\frac1\delta)/(2m)}$, $L$ as it should read in 10,
with the first term computed, or bounded as in the derived form, step by step.""",
        entries=(
            f"{PAPER}/14:total",
            f"{PAPER}/5",
            f"{PAPER}/13:bound",
            f"{PAPER}/2:risk refuted",
            f"{PAPER}/E.3:truncated refuted",
            f"{PAPER}/17:trace refuted",
            f"{PAPER}/6:loss refuted",
            f"{PAPER}/D:alpha_gradient",
        ),
    ),
    Cause(
        slug="dropped-pairs",
        severity="false",
        title="A gradient that vanishes at a point does not make its derivatives vanish",
        explanation=r"""$H_u$ (recovered from an earlier public revision of the authors' code) is to bound
$\|\nabla^2f_\Theta\|_{op}$. Of 28 pairs of blocks it keeps six. The text drops the 13 pairs of $W_1$ and $W_V$
because the gradients with respect to these are zero matrices, and others because the weights of the second attention
depend on positions alone. Both are true at $\Theta$ only: a derivative at $\Theta$ asks what happens beside it. On
small networks 11 of the 22 dropped pairs do not vanish, $(W_V,M)$ up to 52, $(F,F)$ up to 23. The pair of $F$ with
itself, through the softmax, grows as $T^{3/2}\log^2T$, and $H_u$ as $T^{3/2}$: with one component for each of $T=600$
bits ($\omega=600$, $D=1$, equal coefficients) and 125 zeros, the second derivative along one unit direction in $F$ is
406837, with softmax in the first layer 405788, where $H_u=300598$. With a perturbation, $H_u+H_p$ fails in the same
way where $\sigma\le10^{-10}$ (above, terms of high powers of $T$ hide it). The derived form keeps all pairs.""",
        survives=r"""$P(\sigma)$ of Theorem 17 uses $H_u+H_p$ times $|\Theta|$, which is so generous that no draw
comes near it; whether that bound itself is true is open. Up to $T=20$ the largest eigenvalue that was found is 0.28
of $H_u$. No closed form is proved here in the place of $H_u$, $H_u+H_p$ or $P(\sigma)$: the derived forms are sums
over all pairs, in some forty steps.""",
        entries=(f"{PAPER}/18:operator", f"{PAPER}/31:operator"),
    ),
    Cause(
        slug="outer-weights",
        severity="false",
        title="The squared norm of $F$ has room for one weight of each quadruple",
        explanation=r"""The proof of Theorem 10 says that the squared norm of $F$ is exactly the number of quadruples
of hidden units times the squared sum of one; the term is $16D^2(D+1)$ (the term of $F$ is from an earlier revision;
the total has the printed value 1303.93), that is $(4D)^2$ for each of $D+1$ quadruples. By Theorem 9 all four weights
of a quadruple are $\pm4D$ where $i$ is even, and 0 where it is odd: $\|F\|_F^2=64D^2(\lfloor D/2\rfloor+1)$. For the
paper's own example, 20 bits in pairs ($\omega=10$, $D=2$), that is 512 instead of 192, and $\|\Theta\|^2=1492.69$
where the printed bound has 1303.93. A log of the authors has the norm 45.8 at $\omega=7$, $D=3$, $T=20$, whose square
is 2098; $L(7,3,20)=1621$.""",
        survives=r"""All orders: $L$ stays $O(D^3+\omega D\log^2T)$, with $32D^3+64D^2$ at most in the place of
$16D^3+16D^2$. The truncated value of E.3 goes with the cube root of the norm: 0.250 in the place of 0.239.""",
        entries=(f"{PAPER}/10:F", f"{PAPER}/10:total"),
    ),
    Cause(
        slug="solved-for-delta",
        severity="proof",
        title="A confidence is taken for an error rate",
        explanation=r"""The proof of Theorems 7 and 8 (in 16) sets the PAC-Bayes bound on the loss equal to $\frac12$,
solves it for $\delta$, and takes that $\delta$ for the probability of a wrong bit. But $\delta$ is the probability
that the sample misleads. For a sample that does not, the loss is at most $\frac12$, and Markov's inequality with a
loss of $\frac14$ for a wrong bit says 2. The printed bounds (recovered) fall as $e^{-m/(8\Sigma^2)}$. Of the learner's
solution the proof uses no more than that it fits the sample and is dominated, and of such networks they are false.
Theorem 2 speaks of drawn ones, and the error of networks drawn at a fixed $\sigma$ does not fall with $m$, whatever
they are drawn around: centres of norm at most $\sqrt L$ are a compact set, a Gaussian around each of them has wrong
networks with positive probability, and so there is a least one, which depends on $\sigma$, $T$ and $L$ only. For
$T=5$, $\sigma=0.01$, $m=10^8$, losses clipped at 1 ($\Sigma=\frac12$) and $P$ as measured, the construction of
appendix G has no loss on any sample and dominates itself; networks drawn around it get the last bit wrong with
frequency 0.02, and Theorem 7 allows $10^{-4414421}$. In a single pass with $T=4$, $\sigma=0.004$, $m=10^9$: 0.008
against $10^{-20852375}$. Nor is it true of each such network itself: appendix D removes the units that only
$0\dots0$ reaches, and in a single pass with $T=76$, $m=3\cdot10^{19}$ what is left fits, is dominated and errs with
probability $2^{-76}$, where Theorem 8 allows less. The statements name the minimiser of the learner's objective at
regularization parameters that are said to exist; it was not computed, and whether they hold for it is open. What is
true: with probability $1-\delta$ over the sample the error of drawn networks is at most 4 times the bound on the loss
for a single pass, and $4T$ times that of a step for a chain.""",
        survives=r"""Not the exponents: what is proved is linear in the bound on the loss. That a chain has a smaller
bound for large $T$ survives, with a polynomial advantage in the place of an exponential one: $G_u$ and $L$ of a single
pass grow as $T^3$, $G_u$ of a step does not grow.""",
        entries=(f"{PAPER}/8:error", f"{PAPER}/7:error", f"{PAPER}/7:step"),
    ),
    Cause(
        slug="traces-for-losses",
        severity="proof",
        title="Domination of traces does not give domination of perturbed losses",
        explanation=r"""Theorem 2 (recovered) assumes that the trace of the Hessian at the perturbed $\hat\Theta$ is
no larger than that of the construction, and the text concludes that its expected perturbed loss is no larger, by
Taylor's formula. The formula has $\mathbb E\,\epsilon^\top\nabla^2\hat L(\Theta+\tau\epsilon)\,\epsilon$ at a point
that depends on $\epsilon$; as the text says itself, Hutchinson's identity does not apply there. A bound on the trace
of that Hessian bounds nothing: a matrix $uu^\top-vv^\top$ has no trace, and $\epsilon$ may lie along $u$. The same
step makes $P(\sigma)$ of Theorem 17, a bound on a trace, into a bound on the remainder. What is needed, and assumed
in the derived form, is that perturbations raise the loss of $\hat\Theta$ no more, in expectation, than that of
$\Theta$; in the place of 17 it has the change of the gradient along the segment.""",
        survives="The semi-analytic bound does, if what is measured is the perturbed loss and not the trace.",
        entries=(f"{PAPER}/2:risk gap", f"{PAPER}/E.3:full gap", f"{PAPER}/6:loss"),
    ),
    Cause(
        slug="prior-constant",
        severity="proof",
        title="The sub-Gaussian constant must serve for the networks of the prior",
        explanation=r"""Theorem 2 asks for a $\Sigma$ with which the loss is sub-Gaussian over inputs, for fixed
parameters; Remark 4 argues that parameters are bounded, and appendix A measures $\Sigma\in[0.01,0.1]$ on trained
networks. The proof averages $e^{\lambda(L-\hat L)}$ over the prior $N(0,\sigma^2I)$, so that $\Sigma$ must serve for
almost every network of it, and these are not bounded: no number does. Already at $\Theta=0$ the loss of E.3's example
has the standard deviation 1.6, which no $\Sigma$ is below, and it grows without bound with $v_2$. For a loss clipped
at $b$ Hoeffding's lemma gives $\Sigma=b/2$ for all networks, and the derived forms are for that; with $\Sigma=0.01$
they say nothing about losses above 0.02, and E.3's value is 0.239.""",
        survives=r"""The bound for clipped losses, with $\Sigma=\frac12$ for a loss clipped at 1, which is 50 times the
constant of the text: E.3's example needs 2500 times as many samples for the same value.""",
        entries=(f"{PAPER}/E.3:truncated gap", f"{PAPER}/E.3:semi gap"),
    ),
    Cause(
        slug="first-order-forms",
        severity="proof",
        title="Closed forms of first order in $\\sigma$",
        explanation=r"""$T_p$, $G_p$ and with them $P(\sigma)$ (recovered from an earlier public revision of the
authors' code) are $\sigma$ times a polynomial: the text drops all higher powers of $\sigma$, and says that this is
informal. Kept, they are not small: at $\omega=D=4$, $T=16$ and $\sigma=10^{-4}$ the rigorous chain gives 1.06 times
$T_p$, 85 times $G_p$ and 94 times $P(\sigma)$, and as $\sigma$ tends to 0 it still gives 74 times $G_p$. Whether the
forms are true for small $\sigma$ is open: draws with $\sigma\le0.01$ stay below 0.16 of $T_p$, 0.015 of $G_p$ and
$10^{-4}$ of $P(\sigma)$. They cannot be true for all $\sigma$: for one bit of two, and $\sigma=10$,
$|f_{\Theta+\epsilon}-f_\Theta|$ exceeds 15142 with probability above $\frac1{10}$, where $T_p=1232$. The lemmas ask
for a $\sigma$ so small that no unit changes its sign, which is less than $\frac1{4D}$, and nothing beyond is counted
against them here.""",
        survives=r"""Nothing rests on them but the fully analytic bound, which the text itself calls far from tight.""",
        entries=(f"{PAPER}/24:T_p", f"{PAPER}/30:G_p", f"{PAPER}/17:P", f"{PAPER}/17:trace gap"),
    ),
    Cause(
        slug="projected-trace",
        severity="",
        title="A random projection keeps the norm of $W_1$ only if its trace is small",
        explanation=r"""Theorem 10 says that $J^\top W_1J$ has nearly the norm of $W_1$; the formula is lost, and that
here is derived from the prose. By Gaussian fourth moments $\mathbb E\|J^\top
WJ\|_F^2=\|W\|_F^2+\frac1d((\mathrm{Tr}W)^2+\mathrm{Tr}W^2)$. The trace is $2\omega\log T$ where every position is in
its own component: with $\omega=T=1000$, $D=1$ and $d=32\log T$ the expectation is 5.5 times $\|W_1\|_F^2$.""",
        survives="It can be avoided: number the components so that no position is in its own.",
        entries=(f"{PAPER}/10:projected",),
    ),
    Cause(
        slug="cancelling-components",
        severity="",
        title="Components cancel, and restrictions merge them",
        explanation=r"""Appendix H names two tests and says that trials are repeated; the formulas are lost, and those
here are ours. The number of trials for one component of degree $k+1$ is not enough for functions with many: the 64
equal components of $(y_1+y_2)\cdots(y_{11}+y_{12})$, $y_i=(-1)^{z_i}$, cancel at most strings, and pass the test of
degree 1 with probability 0.43 where $\delta'=\frac1{20}$; $\omega$ times as many trials suffice. In the test of
sparsity, energy $\varepsilon$ beyond the largest $s$ coefficients does not make a trial reject with probability
$\varepsilon$: with 19 of 20 positions free, a sum of 20 bits never shows more than 19 components.""",
        survives="No function with the property is ever rejected; that a wrong level is rejected takes more queries.",
        entries=(f"{PAPER}/H:components", f"{PAPER}/H:slices"),
    ),
)
