"""Section 2: covering numbers."""

from sympy import Expr, exp, log

from maurey.symbolic.capacity import capacity
from maurey.symbolic.claim import Claim, Part, Setting
from maurey.symbolic.covers import Cover, online, zhang
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.modules import Linear, Signal
from maurey.symbolic.names import C0, parameters, symbols
from maurey.symbolic.norms import Matrix

from .section_a1_generalization import GAP_RECORD

eps, m, B_X, B_w, c0 = symbols("eps m B_X B_w C0")

definition_2_1 = Claim(
    key="edelman2022/2.1",
    title="Covering number",
    kind="definition",
    statement=r"""$\mathcal N_\infty(\mathcal F;\varepsilon;z^{(1)},\dots,z^{(m)};\|\cdot\|)$ is the least
cardinality of a subset $\mathcal C\subset\mathcal F$ such that every $f\in\mathcal F$ has some $\hat
f\in\mathcal C$ with $\max_i\|f(z^{(i)})-\hat f(z^{(i)})\|\le\varepsilon$; the centres lie in the class.
$\mathcal N_\infty(\mathcal F,\varepsilon,m,\|\cdot\|)$ is its supremum over the inputs.""",
    symbols=parameters("eps m"),
)


def linear_functions(B: Expr) -> Matrix:
    return Matrix("v", "v", 1, 1, frobenius=B)


def _number_of_centres(cover: Cover) -> list[Step]:
    D = Derivation()
    log_N = capacity(D, Linear(linear_functions(B_w)), Signal(B_X, m, 1), eps, cover)
    return D.steps_to(D.let("N_inf", r"\mathcal N_\infty", exp(log_N), "the recall bounds the number, not its log"))


def _derived(_: Setting) -> list[Step]:
    return _number_of_centres(zhang)


def _sharp(_: Setting) -> list[Step]:
    return _number_of_centres(online)


linear_cover = Claim(
    key="edelman2022/sec2-linear-cover",
    title="Cover of bounded linear functions",
    kind="covering",
    statement=r"""For $\mathcal F_{\mathrm{lin}}=\{x\mapsto w\cdot x:\|w\|_2\le B_W\}$ and $\|x^{(i)}\|\le B_X$,
$i\in[m]$, the covering number is recalled to be at most a constant times the stated expression. The left side
is printed without a logarithm.""",
    symbols=parameters("eps m B_X B_w", B_w="B_W"),
    differs={
        "delta": "Zhang's centres are any vectors of values, those of 2.1 lie in the class",
        "N_inf": "it bounds the number by what bounds its logarithm",
    },
    uses=("edelman2022/A.10", "maurey/online"),
    constants=(C0,),
    parts=(
        Part(
            "N_inf",
            r"\mathcal N_\infty(\mathcal F_{\mathrm{lin}};\varepsilon;\{x^{(i)}\}_{i=1}^m)",
            "covering number",
            relation="<~",
            hides="an absolute constant",
            printed=lambda _: c0 * (B_X**2 * B_w**2 / eps**2) * log(B_X * B_w * m / eps),
            repaired=lambda _: (2 * m + 1) ** (B_X**2 * B_w**2 / eps**2),
            derived=_derived,
            sharp=_sharp,
        ),
    ),
)

lemma_2_2 = Claim(
    key="edelman2022/2.2",
    title="Generalization from a covering number",
    kind="generalization",
    statement=r"""Let $|f|\le A$ for all $f\in\mathcal F$, $\log\mathcal N_\infty(\mathcal F;\varepsilon)\le
C_{\mathcal F}/\varepsilon^2$ for all inputs and all $\varepsilon$, and let the loss be $b$-bounded and
$L$-Lipschitz in its first argument. With probability at least $1-\delta$, for all $f$ at once and some constant
$c>0$, the gap is at most the stated amount.""",
    **GAP_RECORD,
)
