"""Appendix B: the construction, the network that tells even from odd, and the norms of all weights."""

from sympy import Expr, Integer, Max, Min, log, sqrt

from maurey.symbolic.claim import Assumption, Claim, Form, Part, Setting
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.forms import steps
from maurey.symbolic.names import C0, symbols
from maurey.symbolic.sharpness import CONSTRUCTION, GRID, NORMS, Target, summed

from .letters import LOW, SPARSE, D, T, d, letters, omega

x, c0 = symbols("x C0")
COEFFICIENTS = r"$T^{-4}\le c_t\le1$ after division by their norm"

# --- 9 ---------------------------------------------------------------------------------------------------------------


def _from(i: int) -> Expr:
    """The distance from i/D, with its sign."""
    return x - i / D if i else x


def _ramps(setting: Setting) -> list[Step]:
    """The network as it is defined; two of its units, one 1/(4D) behind the other, make a ramp from 0 to 1."""
    proof, up = Derivation(), []
    for i in range(0, setting.size("D") + 1, 2):
        rise = Min(1, Max(0, 4 * D * _from(i) + 2)) if i else Integer(1)
        up.append(rise - Min(1, Max(0, 4 * D * _from(i) - 1)))
    reason = (
        r"$4D((u)_+-(u-\frac1{4D})_+)=\min(1,\max(0,4Du))$ for the first two and the last two units of every even $i$"
    )
    return proof.steps_to(proof.let("wave", "", summed(up), reason))


def _trapezoids(setting: Setting) -> Expr:
    terms = []
    for i in range(0, setting.size("D") + 1, 2):
        far = Max(_from(i), -_from(i)) if i else x
        terms.append(Min(1, Max(0, 2 - 4 * D * far)))
    return summed(terms)


construction = Claim(
    key=CONSTRUCTION,
    title="The construction",
    kind="construction",
    statement=r"""For components $S_1,\dots,S_\omega$ of $D$ positions each and $c_t>0$ with $\sum c_t^2=1$ the
network computes $f(z)=\sum_tc_t[k_t\text{ even}]$, $k_t=\sum_{j\in S_t}z_j$, on strings of $T$ bits. Tokens
$x_t=(e_t,z_t)$, $t\le T+1$, with $z_{T+1}=0$. $W_1=2\log T\,[j\in S_i]$ lets position $i$ attend to $S_i$; $W_V$ takes
the bit, so that $b_t=k_t/D$; the network of lintilhac2026/9, with $M=1$, offsets $\Gamma$ and weights $F$, gives the
parity; the column $w_t=\log c_t+2\log T$ of $W_2$ lets position $T+1$ attend to position $t$ with weight $c_t/C$,
$C=\sum c_t$, and $v_2$ multiplies the parity by $C$. Scores of 0 elsewhere leak: the first layer's leak vanishes on the
plateaus of the network for $T\ge4$, the second one's moves the output by at most the stated amount. With all other
scores at $-\infty$ the network is exact; what follows speaks of that one.""",
    symbols=letters("omega D T"),
    assumes=(SPARSE, LOW, Assumption(T >= 4, "T is at least 4")),
    uses=(GRID,),
    source="reconstructed: its norm is that of a log of the authors (45.8 at sparsity 7, degree 3, T = 20); the three "
    "constructions of their published code give the same outputs and have larger norms "
    "(paper_tables/lintilhac2026/constructions)",
    parts=(
        Part("count", r"|\Theta|", "number of parameters, zeros included", "=",
             printed=lambda _: 3 * (T + 2) ** 2 + (T + 2) + (8 * (T + 1) + 12) * (D + 1),
             derived=steps(lambda proof: Target().count(proof))),
        Part("leak", r"|f_\Theta-f|", "what the leak of the second layer moves",
             printed=lambda _: sqrt(omega) * (T + 1 - omega) / (sqrt(omega) * T**2 + T + 1 - omega),
             derived=steps(lambda proof: Target().leak(proof))),
    ),
)  # fmt: skip

theorem_9 = Claim(
    key=GRID,
    title="A network of trapezoids tells even from odd",
    kind="construction",
    statement=r"""$\varphi(x)=\sum_{i,o}F_{(i,o)}(x-\frac iD+\frac o{4D})_+$ over $0\le i\le D$ and
$o\in\{-2,-1,1,2\}$, with weights $4D,-4D,-4D,4D$ for even $i$ and 0 for odd ones, is 1 at $k/D$ for even $k\le D$ and 0
for odd ones. For all $x$ it is a sum of trapezoids of height 1 around the even points, with plateaus of half-width
$1/(4D)$ and feet of half-width $1/(2D)$: slopes are $\pm4D$ or 0, and 0 at all $k/D$.""",
    symbols=letters("D x"),
    source="recovered",
    unrolled=("D",),
    parts=(
        Part("wave", r"\varphi(x)", "output of the network", "=", printed=_trapezoids, derived=_ramps),
        Part("error", r"|\varphi(k/D)-[k\text{ even}]|", "error where counts are whole",
             printed=lambda _: Integer(0)),
    ),
)  # fmt: skip

CODE = "a term of the norm in an earlier revision of the authors' published code"
SHARES = {"M": f"recovered: {CODE}", "Gamma": f"recovered: {CODE}", "F": f"recovered: {CODE}"}

# --- 10 --------------------------------------------------------------------------------------------------------------


def printed_norm(omega: Expr = omega, D: Expr = D, T: Expr = T) -> Expr:
    """L(omega, D, T)."""
    return 1 + omega + 8 * (D + 1) + 16 * D**2 * (D + 1) + 4 * omega * (D + 1) * log(T) ** 2


def repaired_outer() -> Expr:
    """All four weights of a quadruple, (4D)^2 each, for the even ones of 0, ..., D: at most D/2 + 1 of them."""
    return 32 * D**2 * (D + 2)


def repaired_norm() -> Expr:
    return 1 + omega + 8 * (D + 1) + 32 * D**2 * (D + 2) + 4 * omega * (D + 1) * log(T) ** 2


def _given(block: str) -> Form:
    """Of the coefficients themselves, if they are given."""

    def build(setting: Setting) -> list[Step]:
        proof, target = Derivation(), Target(given=setting.optional("coefficient") is not None)
        return proof.steps_to(getattr(target, block)(proof))

    return build


def _block(
    name: str, block: str, of: str, printed: Form, relation: str = "=", given: bool = False,
    repaired: Form | None = None,
) -> Part:  # fmt: skip
    derived = steps(lambda proof: getattr(Target(), of)(proof))
    return Part(name, rf"\|{block}\|_F^2", f"squared norm of ${block}$", relation, printed=printed,
                repaired=repaired, derived=derived, sharp=_given(of) if given else None,
                source=SHARES.get(name, ""))  # fmt: skip


def _projected(proof: Derivation) -> Expr:
    """E ||J' W J||_F^2 = ||W||_F^2 + ((tr W)^2 + tr W^2)/d by the fourth moments of a Gaussian."""
    target = Target()
    norm = target.first_scores(proof)
    diagonal = proof.let(
        "diagonal", r"|\mathrm{Tr}\,W_1|", omega * target.scale(proof), "if $i$ is in $S_i$ for all $i$"
    )
    squares = proof.let("squares", r"\mathrm{Tr}\,W_1^2", norm, "at most the squared norm")
    reason = r"$\|W\|_F^2+\frac1d((\mathrm{Tr}W)^2+\mathrm{Tr}W^2)$, by Gaussian fourth moments"
    return proof.let("projected", "", norm + (diagonal**2 + squares) / d, reason)


theorem_10 = Claim(
    key=NORMS,
    title="Norms of all weights",
    kind="construction",
    statement=rf"""The squared norm of all parameters of the construction, and of each block of them; for $W_2$ the
coefficients must satisfy {COEFFICIENTS}. With positions projected by $J$ with independent entries $N(0,1/d)$ the
key-query matrices are $J^\top WJ$, of nearly the same norm. The total is what agrees with the recovered code and with
the printed value 1303.93 at $(\omega,D,T)=(10,2,20)$; how it splits into blocks is read from the prose. Given the
coefficients, the sharp forms are the norms themselves.""",
    symbols=letters("omega D T d coefficient[omega]?"),
    assumes=(SPARSE, LOW),
    uses=(CONSTRUCTION, GRID),
    constants=(C0,),
    source="reconstructed",
    parts=(
        Part("total", r"\|\Theta\|^2", "squared norm of all parameters", printed=lambda _: printed_norm(),
             repaired=lambda _: repaired_norm(),
             derived=steps(lambda proof: Target().norm_squared(proof)), sharp=_given("norm_squared"),
             source="recovered: its value 1303.93 at sparsity 10, degree 2 and T = 20, its order and the terms of F, M "
             "and Gamma; the other terms are read from the prose"),
        _block("W_1", "W_1", "first_scores", lambda _: 4 * omega * D * log(T) ** 2),
        Part("W_V", r"\|W_V\|_F^2", "squared norm of $W_V$", "=", printed=lambda _: Integer(1)),
        _block("M", "M", "inner", lambda _: 4 * (D + 1)),
        _block("Gamma", r"\Gamma", "offsets", lambda _: 4 * (D + 1), "<="),
        _block("F", "F", "outer", lambda _: 16 * D**2 * (D + 1), "<=", repaired=lambda _: repaired_outer()),
        _block("W_2", "W_2", "second_scores", lambda _: 4 * omega * log(T) ** 2, "<=", given=True),
        Part("v_2", r"\|v_2\|_F^2", "squared norm of $v_2$", printed=lambda _: omega, sharp=_given("read_out")),
        Part("projected", r"\mathbb E\|J^\top W_1J\|_F^2", "expected squared norm of $W_1$ after projection", "<~",
             "the error of the projection", printed=lambda _: c0 * (4 * omega * D * log(T) ** 2),
             derived=steps(_projected)),
    ),
)  # fmt: skip
