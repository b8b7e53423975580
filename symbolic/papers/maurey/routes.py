"""Routes from a class to a bound on the gap, one side, and how an error is split where parameters are counted."""

from dataclasses import replace

from sympy import Expr, Indexed, Integer, Sum, Symbol, log

from maurey.symbolic.allocation import Term, allocate_counts, total
from maurey.symbolic.chain import half_range, net_gap, one_scale, one_sided
from maurey.symbolic.claim import Claim, Parameter, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.entropy import parametric
from maurey.symbolic.names import INTEGER, indexed, parameters, symbols

eps, m, b, delta, tau, A, E, n, j, bits = symbols("eps m b delta tau A E n j bits")
count, reach, beta, x = indexed("count reach beta x")
GAP = r"\mathrm{risk}-\widehat{\mathrm{risk}}"
ENTROPY = Parameter("E", "E", "log of the number of centres", "nonnegative real")
COUNT = Parameter("count", "p", "number of parameters of a weight", INTEGER, "n")
REACH = Parameter("reach", "D", "what a weight makes at most of the vectors it acts on", index="n")
SIZE = replace(REACH, meaning="error at which a parameter costs log 2")

packing = Claim(
    key="maurey/packing",
    title="One packing of all weights",
    kind="covering",
    statement=r"""Let $\mathcal W$ be any set of $n$-tuples of weights with $\|W_j\|_j\le B_j$, $W_j$ from a space of
dimension $p_j$, that act on vectors on which $\|W_j\|_jR_j$ bounds what they do; $D_j=B_jR_j$. A maximal subset of
$\mathcal W$ whose elements are more than 1 apart in $\max_jR_j\|\cdot\|_j/x_j$ is a cover: some element of it is
within $x_j$ in every weight, on all those vectors at once. It has at most so many elements. Proof: the balls of
radius $1/2$ around them are disjoint, and lie in a product of balls that is larger by the factors $1+x_j/(2D_j)$. Its
elements are in $\mathcal W$, which need not be convex.""",
    symbols=(*parameters("n"), COUNT, REACH, Parameter("x", "x", "error of a weight", index="n")),
    parts=(
        Part("log_N", r"\log\mathcal N_\infty(\mathcal W;x_1,\dots,x_n)", "log of the number of centres",
             printed=lambda _: Sum(count[j] * log(1 + 2 * reach[j] / x[j]), (j, 1, n))),
    ),
)  # fmt: skip


def _allocated(setting: Setting) -> list[Step]:
    D = Derivation()
    terms = [
        Term(str(i), str(i), Indexed(beta, i), parametric(Indexed(count, i), Indexed(reach, i)))
        for i in range(1, setting.size("n") + 1)
    ]
    return D.steps_to(total(D, terms, eps, "value", "", "the costs add", split=allocate_counts))


def _shares() -> Expr:
    """D_j over the error that a weight gets."""
    return reach[j] * beta[j] * Sum(count[Symbol("k")], (Symbol("k"), 1, n)) / (eps * count[j])


allocation = Claim(
    key="maurey/counting-allocation",
    title="Splitting an error where parameters are counted",
    kind="optimization",
    statement=r"""The least of $\sum_jp_j\log(1+D_j/x_j)$ over $\sum_j\beta_jx_j=\varepsilon$. At
$\beta_jx_j=\varepsilon p_j/p$, with $p=\sum_jp_j$, it is the first amount; no split has less than the second, from
which it differs by the 1 alone. Proof: $\sum_jp_j\log(\beta_jx_j/p_j)\le p\log(\varepsilon/p)$, for the logarithm is
concave, and $\log(1+D/x)\ge\log(D/x)$. The cube roots of edelman2022/A.8 are for costs $C/x^2$.""",
    symbols=(*parameters("n eps"), COUNT, SIZE, Parameter("beta", r"\beta", "effect of an error of one", index="n")),
    parts=(
        Part("value", r"\min_x\sum_jp_j\log(1+D_j/x_j)", "the least cost",
             printed=lambda _: Sum(count[j] * log(1 + _shares()), (j, 1, n)), derived=_allocated),
        Part("least", r"\min_x\sum_jp_j\log(1+D_j/x_j)", "the same, from below", ">=",
             printed=lambda _: Sum(count[j] * log(_shares()), (j, 1, n))),
    ),
)  # fmt: skip

net = Claim(
    key="maurey/net",
    title="A union over a uniform net",
    kind="generalization",
    statement=r"""Let losses lie in $[0,b]$, and let $e^E$ networks be chosen before the sample such that every
network of a class has losses within $\varepsilon$ of those of one of them, at all inputs. With probability at least
$1-\delta$ the gap is at most the stated amount, for the whole class at once. Proof: Hoeffding's inequality and a
union over the chosen; a network's risk and its empirical risk differ from theirs by at most $\varepsilon$ each.
Nothing is symmetrized: the net does not depend on the sample.""",
    symbols=(*parameters("eps m b delta"), ENTROPY),
    uses=("hoeffding1963/lemma",),
    parts=(Part("gap", GAP, "generalization gap, one side", printed=lambda _: net_gap(eps, E, b, delta, m)),),
)

programs = Claim(
    key="maurey/bits",
    title="Bits: a union over programs",
    kind="generalization",
    statement=r"""Let losses lie in $[0,b]$, and let a prefix code be fixed before the sample. With probability at
least $1-\delta$ the gap is at most the stated amount, for all programs at once that have a code word of so many bits.
Proof: a code word of $\ell$ bits is given the share $2^{-\ell}\delta$ (these sum to at most $\delta$, by Kraft's
inequality), and Hoeffding's inequality at that share. It speaks of the program in its own arithmetic, whose output on
one input must depend on nothing else. No Lipschitz constant is needed; the loss may be the 0-1 loss.""",
    symbols=(*parameters("m b delta"), Parameter("bits", "B", "length of the program's code word", INTEGER)),
    uses=("hoeffding1963/lemma",),
    parts=(
        Part("gap", GAP, "generalization gap, one side",
             printed=lambda _: net_gap(Integer(0), bits * log(Integer(2)), b, delta, m)),
    ),
)  # fmt: skip


def _one_scale(_: Setting) -> list[Step]:
    D = Derivation()
    return D.steps_to(one_scale(D, E, tau, A, m))


def _one_scale_gap(_: Setting) -> list[Step]:
    D = Derivation()
    R = one_scale(D, E, tau, half_range(D, b), m)
    return D.steps_to(D.let("gap", "", 2 * R + one_sided(b, delta, m), "symmetrization, one side", "maurey/deviation"))


scale = Claim(
    key="maurey/one-scale",
    title="One cover, at one scale",
    kind="rademacher",
    statement=r"""For a class with $|f|\le A$ that is covered at $\tau$ on the sample by $e^E$ of its own functions,
the empirical Rademacher complexity is at most that of maurey/one-step for an interval of length $2A$, and at most
$A$. Losses in $[0,b]$ are at most $b/2$ once half their range is taken off; so their gap, one
side, is at most twice that and the deviation.""",
    symbols=(*parameters("A tau m b delta"), ENTROPY),
    uses=("maurey/one-step", "maurey/deviation"),
    parts=(
        Part("R", r"\hat{\mathcal R}(\mathcal F)", "empirical Rademacher complexity", printed=_one_scale),
        Part("gap", GAP, "generalization gap, one side", printed=_one_scale_gap),
    ),
)
