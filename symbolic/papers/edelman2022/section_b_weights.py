"""What the weights of appendix B come to: norms, errors and margins, for heads and for networks."""

from collections.abc import Callable

from sympy import Expr, Integer, Lt, Max, exp, log, sqrt

from maurey.symbolic.claim import Assumption, Form, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import Steps, steps
from maurey.symbolic.modules import times
from maurey.symbolic.names import symbols

T, s, gamma, Delta, R, n, d_f, B, delta, f_max = symbols("T s gamma coherence scale n d_f B ramp f_max")
c0, c_s = symbols("C0 c_s")

COHERENT = Assumption(Lt(s * Delta, 1), "s times the coherence is below 1")
SPARSE = Assumption(s <= T, "s is at most T")
WORDS = {"F": "Frobenius norm", r"\infty": "largest entry", "2,1": "sum of the row norms"}
TRUNCATION, NETWORK = "edelman2022/B.7", "edelman2022/B.8"

Formula = Callable[[], Expr]


def form(value: Formula) -> Form:
    return lambda _: value()


def norms(
    values: dict[str, Formula], norm: str = "F", suffix: str = "", of: str = "", damaged: str = "",
    repaired: dict[str, Formula] | None = None, **derived: Steps,
) -> tuple[Part, ...]:  # fmt: skip
    """One part for each matrix: the stated bound on its norm; as it should read, where something is wrong; and where
    that takes a derivation the norm of the weights that work; `damaged` tells what the source leaves of the query's
    bound."""
    corrected = {matrix: form(value) for matrix, value in (repaired or {}).items()}
    return tuple(
        Part(f"{matrix}{suffix}", rf"\|{latex(matrix)}\|_{{{norm}}}", f"{WORDS[norm]} of ${latex(matrix)}${of}",
             source=f"damaged: {damaged}" if damaged and matrix == "W_Q" else "",
             printed=form(value), repaired=corrected.get(matrix),
             derived=steps(derived[matrix]) if matrix in derived else None)
        for matrix, value in values.items()
    )  # fmt: skip


def latex(matrix: str) -> str:
    return r"P^\top" if matrix == "P" else matrix


def widths(d_2: Formula, d_3: Formula) -> tuple[Part, ...]:
    named = {"d_2": d_2, "d_3": d_3}
    return tuple(Part(name, name, "width of a layer", "=", printed=form(v)) for name, v in named.items())


def error(value: Formula, derived: Steps, suffix: str = "", of: str = "", repaired: Formula | None = None) -> Part:
    target = r"g'_{\mathcal I}" if suffix else r"g_{\mathcal I}"
    words = f"error of the approximation{of}"
    return Part(f"error{suffix}", rf"\max_b\|\hat f(X(b))-{target}(b)\|_\infty", words, printed=form(value),
                repaired=form(repaired) if repaired else None, derived=steps(derived))  # fmt: skip


def exact(where: str) -> Part:
    """What an exact representation states of its error."""
    return Part("error", rf"\max_{{{where}}}|\hat f-f|", "error of the representation", printed=form(number(0)))


def margin(value: Formula, source: str = "") -> Part:
    lhs = r"\min_r\left(g_{\mathcal I}(r+1)-g_{\mathcal I}(r)\right)"
    words = "least step of the target from a count of ones to the next"
    return Part("margin", lhs, words, ">=", source=source, printed=form(value))


def number(value: int) -> Formula:
    return lambda: Integer(value)


# --- attention: what the weights come to ------------------------------------------------------------------------
#
# One head must give all relevant positions the same score. The key direction u = sum_i c_i v_i with u.v_i = 1 on the
# relevant positions does, c = G^-1 1 for their Gram matrix G. G is dominated by its diagonal, 1 - (s-1) Delta at least,
# so |G^-1|_inf <= 1/mu, whence |c|_1 <= s/mu, |u|^2 = 1.c <= s/mu, and u.v_t <= s Delta/mu elsewhere. Only the product
# of query and key counts: the key is scaled up to the norm that it is granted, and the query down.

ONE = "a matrix of rank one: its scale times the norms of two unit vectors"
EVEN = (
    r"it takes the sum of the relevant vectors for the key: their scores then differ among themselves by up to "
    r"$2(s-1)\Delta R$, which no $R$ evens out, and it divides by $1-s\Delta$ where its own display has $1-2s\Delta$"
)


def dominance(D: Derivation) -> Expr:
    reason = "by so much the diagonal of the Gram matrix of the relevant vectors outweighs each row"
    return D.let("mu", r"\mu", 1 - (s - 1) * Delta, reason)


def key_squared(D: Derivation) -> Expr:
    reason = r"the key $u$ with $u\cdot v_i=1$ at all relevant $i$: $\|u\|^2=\mathbf1^\top G^{-1}\mathbf1$"
    return D.let("key_squared", r"\|u\|^2", s / dominance(D), reason)


def dual_query(D: Derivation, gap: Expr, granted: Expr, beside: int = 0) -> Expr:
    """The norm of W_Q where W_K has the norm granted to it; `beside` is what else is squared in the key."""
    reason = r"$|u\cdot v_t|$ elsewhere, for $u=\sum_ic_iv_i$ with $\|c\|_1\le s/\mu$"
    leak = D.let("leak", r"\kappa", s * Delta / dominance(D), reason)
    room = D.let("room", r"\rho", Max(0, 1 - leak), r"by which relevant scores are larger, at $R=1$; none from "
                 r"$(2s-1)\Delta=1$ on")  # fmt: skip
    scale = D.let("R", "R", gap / room, "so that the scores differ by the gap")
    key = D.let("key", r"\|u\|", sqrt(key_squared(D) + beside), "the key as it is")
    return D.let("W_Q", "", scale * key / granted, "of rank one; the key is scaled up to the norm granted to it")


def gap(D: Derivation, values: Expr | None = None) -> Expr:
    """The difference of scores at which the softmax is gamma/4 from uniform, times the largest value."""
    argument = 8 * T / gamma if values is None else 8 * T * values / gamma
    reason = r"twice the mass elsewhere, times the largest value, is then at most $\gamma/4$"
    return D.let("gap", "z", log(argument), reason, TRUNCATION)


def moved(D: Derivation, others: Expr, z: Expr, relevant: Expr | None = None) -> Expr:
    """B.7 as it is: twice the mass on the others, where the relevant score, or scores, are larger by the gap."""
    mass = exp(z) if relevant is None else relevant * exp(z)
    reason = "twice the mass on the other tokens"
    return D.let("moved", r"\|p-\bar p\|_1", 2 * (others / (mass + others)), reason, TRUNCATION)


def selection_error(D: Derivation) -> Expr:
    others = D.let("others", r"\bar T", T + 1 - s, "all tokens that are not relevant, [CLS] among them")
    return D.let("error", "", moved(D, others, gap(D), s), "Hölder: the values are at most 1")


def two_units(D: Derivation) -> Expr:
    return D.let("W_V", "", sqrt(2), r"of rank one, with $\|E_1-E_0\|=\sqrt2$")


def repaired_head(largest: Formula) -> Formula:
    """The norm of W_Q where the key is left as long as it is; `largest` is the largest value."""

    def query() -> Expr:
        values = times(8 * T, largest())
        return log(values / gamma) * ((1 - (s - 1) * Delta) / Max(0, 1 - (2 * s - 1) * Delta))

    return query


def repaired_key(beside: int = 0) -> Expr:
    key = s / (1 - (s - 1) * Delta)
    return sqrt(key if beside == 0 else beside + key)


def scaled(of: Steps) -> Steps:
    return lambda D: D.let("W_Q", "", of(D), ONE)


# --- networks: what the weights come to --------------------------------------------------------------------------
#
# Bump of x_0, u = (x - x_0)/delta: (u+2)_+ - (u+1)_+ - (u-1)_+ + (u-2)_+ is 1 for |u| <= 1 and 0 for |u| >= 2. Summed
# over the coordinates it is d_f on the plateau of x_i and at most d_f - 1 on the others; a ramp of width at most 1 that
# ends at d_f tells them apart.

BUMP = (
    r"its bump $\nu_\delta(x)-\nu_\delta(2\delta-x)$ is 0 on the plateau, $-1$ to the left and $1$ to the right, and "
    r"its bias rows, up to $B/\delta+2$, are not within $\max(1,B)/\delta$"
)
PLATEAU = r"with $\delta=\gamma/8$ the plateau ends at $\gamma/8$, and the values come within $\gamma/4$ only"


def slope(D: Derivation, ramp: Expr) -> Expr:
    return D.let("slope", "a", 1 / ramp, "a bump falls from 1 to 0 over one ramp")


def bias(D: Derivation, bound: Expr, ramp: Expr) -> Expr:
    reason = r"the outermost pieces of the bump $(u+2)_+-(u+1)_+-(u-1)_++(u-2)_+$ begin two ramps from its centre"
    return D.let("bias", r"\beta", bound / ramp + 2, reason, NETWORK)


def quarter(D: Derivation, of: Expr) -> Expr:
    return D.let("ramp", r"\delta", of / 4, r"plateaus that reach $\gamma/4$, around values $\gamma=4\delta$ apart")


def network_norms(dimension: Formula, threshold: Formula) -> tuple[Part, ...]:
    """B.5 and B.6: the network of B.8 with ramps of gamma/4, which are below 1; or with the bumps and the threshold of
    its corrected form."""

    def first(D: Derivation) -> Expr:
        ramp = quarter(D, gamma)
        return D.let("W_1", "", Max(slope(D, ramp), bias(D, B, ramp)), "weights and biases")

    def second(D: Derivation) -> Expr:
        width = dimension()
        reason = "the ramp that ends at $d_f$: its largest bias"
        return D.let("W_2", "", width / quarter(D, gamma), reason, NETWORK)

    return norms(
        {"W_1": lambda: 8 * Max(1, B) / gamma, "W_2": lambda: 8 * s / gamma, "w": lambda: f_max},
        norm=r"\infty",
        repaired={"W_1": lambda: 2 * Max(1, B + 3 * gamma / 4) / gamma, "W_2": threshold},
        W_1=first,
        W_2=second,
    )
