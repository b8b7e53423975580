"""What modules of real Transformers do to radii and distances; the formulas are those of `symbolic.modules`."""

from sympy import Expr, Lt, Rational, sqrt

from maurey.symbolic.claim import Assumption, Claim, Form, Parameter, Part
from maurey.symbolic.forms import steps
from maurey.symbolic.modules import Gated, LayerNorm, Module, MultiHead, Signal
from maurey.symbolic.modules.activations import CONSTANTS
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.norms import Matrix

d, m, T, R, H, k, r, Delta, eps_LN, spread, step = symbols("d m T B_X H k r Delta eps_LN spread step")
B_G, B_U, B_D, B_G_inf, B_U_inf = symbols("B_G B_U B_D B_G_rows B_U_rows")
TOKENS = Parameter("B_X", "R", r"bound on the norms of the tokens")
EPS = Parameter("eps_LN", r"\varepsilon_{\mathrm{LN}}", "what the norm adds to the variance")
MOVED = parameters("Delta", Delta={"meaning": "largest distance of two tokens"})


def _moves(module: Module) -> Form:
    return steps(lambda D: D.let("moved", "", module.sensitivity(D, Signal(R, m, T)).lipschitz() * Delta, MOVES))


def _reaches(module: Module) -> Form:
    return steps(lambda D: D.let("radius", "", module.sensitivity(D, Signal(R, m, T)).output.radius, LENGTH))


MOVES, LENGTH = "the Lipschitz constant of the module", "the radius of what comes out of the module"

# --- norms ------------------------------------------------------------------------------------------------------------


def _one_point(_: object) -> Expr:
    """2 sin(asin(u)/2) = sqrt(2 - 2 sqrt(1 - u^2)), the chord of an angle whose sine is u."""
    squared = step**2 / (spread**2 + d * eps_LN)
    return sqrt(d) * sqrt(2 - 2 * sqrt(1 - squared))


layer_norm = Claim(
    key="maurey/layernorm",
    title="LayerNorm and RMSNorm",
    kind="lipschitz",
    statement=r"""$n(x)=Px/\sqrt{|Px|^2/d+\varepsilon_{\mathrm{LN}}}$ with $P=I-\frac1d11^\top$, or $P=I$ (RMSNorm),
is $\sqrt d$ times the first $d$ coordinates of $\Pi(Px/\sqrt{d\varepsilon_{\mathrm{LN}}},1)$, $\Pi(u)=u/\max(1,|u|)$.
$\Pi$ does not stretch, and shrinks by $\rho$ outside the ball of radius $\rho$: so the first constant, attained at
$Px=0$, and the second one for two points with $|Px|\ge r$. From one point with $|Px|$ equal to the spread, and one
that is not further than the step, which is less than $\rho=\sqrt{|Px|^2+d\varepsilon_{\mathrm{LN}}}$: the chord of
the largest angle between $(Px,\sqrt{d\varepsilon_{\mathrm{LN}}})$ and points of the ball around it. Last, the length
of $n(x)$ for $|x|\le R$.""",
    symbols=(
        *parameters("d"), EPS, *MOVED, TOKENS,
        Parameter("r", "r", r"lower bound on $|Px|$ at both points"),
        Parameter("spread", "a", r"$|Px|$ at one of them", "nonnegative real"),
        Parameter("step", "t", r"$|P(x-y)|$", "nonnegative real"),
    ),
    assumes=(Assumption(Lt(step**2, spread**2 + d * eps_LN), "the step is less than rho"),),
    uses=("edelman2022/A.9",),
    parts=(
        Part("moved", r"|n(x)-n(y)|", "movement, any two points", printed=_moves(LayerNorm(d, eps_LN))),
        Part("far", r"|n(x)-n(y)|", "the same, if both vary", printed=_moves(LayerNorm(d, eps_LN, least=r))),
        Part("chord", r"|n(x)-n(y)|", "the same, if one of them varies", printed=_one_point),
        Part("radius", r"|n(x)|", "length", printed=lambda _: sqrt(d) * R / sqrt(R**2 + d * eps_LN)),
    ),
)  # fmt: skip

# --- activations ------------------------------------------------------------------------------------------------------


def _slope(name: str) -> Form:
    value = CONSTANTS[f"L_{name}"].value
    return lambda _: Rational(value.numerator, value.denominator) * Delta


activations = Claim(
    key="maurey/activations",
    title="Slopes of GELU and SiLU",
    kind="lipschitz",
    statement=r"""How far $u\Phi(u)$ (GELU), its tanh form $\frac u2(1+\tanh(\sqrt{2/\pi}(u+0.044715u^3)))$ and
$u/(1+e^{-u})$ (SiLU) move when $u$ moves by at most $\Delta$: by their largest slopes, rounded up in the twentieth
digit. The first is $\frac12(1+\mathrm{erf}\,1)+1/(e\sqrt\pi)$, at $u=\sqrt2$; the others are at $1.4185...$ and
$2.3993...$ Their values are at most $|u|$ all the same.""",
    symbols=MOVED,
    parts=tuple(
        Part(name, r"|f(u)-f(v)|", f"movement of {words}", printed=_slope(name))
        for name, words in (("gelu", "GELU"), ("gelu_tanh", "its tanh form"), ("silu", "SiLU"))
    ),
)

# --- gated MLP --------------------------------------------------------------------------------------------------------


def _map(name: str, outputs: Expr, inputs: Expr, **norms: Expr) -> Matrix:
    return Matrix(name, name, outputs, inputs, **norms)


GATED = Gated(
    gate=_map("G", k, d, spectral=B_G, rows=B_G_inf),
    up=_map("U", k, d, spectral=B_U, rows=B_U_inf),
    down=_map("D", d, k, spectral=B_D),
    activation="silu",
)
SILU = CONSTANTS["L_silu"]

gated = Claim(
    key="maurey/gated",
    title="A gated MLP",
    kind="lipschitz",
    statement=r"""$D(f(Gx)*Ux)$, coordinate by coordinate, with $|f(u)|\le|u|$ and an activation of slope at most
$L_{\mathrm{SiLU}}$, on tokens of norm at most $R$: one of the two factors counts by its largest entry, which the
longest row bounds.""",
    symbols=(
        TOKENS, *MOVED,
        *(Parameter(f"B_{n}", f"B_{n}", f"bound on the spectral norm of ${n}$") for n in "GUD"),
        *(Parameter(f"B_{n}_rows", rf"B_{n}^\infty", f"bound on the longest row of ${n}$") for n in "GU"),
    ),
    uses=("maurey/activations",),
    constants=(SILU,),
    parts=(
        Part("radius", r"|D(f(Gx)*Ux)|", "length", printed=_reaches(GATED)),
        Part("moved", r"|D(f(Gx)*Ux)-D(f(Gy)*Uy)|", "movement", printed=_moves(GATED)),
    ),
)  # fmt: skip

# --- attention with many heads ----------------------------------------------------------------------------------------

B_Q, B_K, B_V, B_O, b_Q, b_K = symbols("B_Q B_K B_V B_O B_Q_bias B_K_bias")


def _heads(**more: object) -> MultiHead:
    wide = H * k
    q, k_bias = (Matrix(f"{n}_bias", f"b_{n}", wide, 1, spectral=b) for n, b in (("Q", b_Q), ("K", b_K)))
    return MultiHead(
        query=_map("Q", wide, d, spectral=B_Q), key=_map("K", wide, d, spectral=B_K),
        value=_map("V", wide, d, spectral=B_V), output=_map("O", d, wide, spectral=B_O),
        heads=H, width=k, query_bias=q, key_bias=k_bias, **more,  # type: ignore[arg-type]
    )  # fmt: skip


heads = Claim(
    key="maurey/heads",
    title="Multi-head attention with output projection",
    kind="lipschitz",
    statement=r"""$\sum_hO_h\sum_ta_tV_hx_t$ with the weights
$\mathrm{softmax}_t((Q_hx_i+q_h)\cdot(K_hx_t+k_h)/\sqrt{d_h})$, whatever is added to the scores or masked; spectral
norms of the whole matrices $O$, $V$, $Q$, $K$, tokens of norm at most $R$. Heads may attend to different tokens, so
their values have norm at most $\sqrt H\|V\|R$ together, and not $\|V\|R$. The key bias has no effect; with
$s=\|K\|\|Q\|/\sqrt{d_h}$ and $a=sR+\|K\||q|/\sqrt{d_h}$ the heads move as in maurey/attention, and squares add over
them, those of $Q_hx_i$ too. With rotated queries and keys (RoPE) the vector that keys are dotted with depends on the
key, that proof fails, and so does its constant: the triangle inequality is left.""",
    symbols=(
        TOKENS, *MOVED, Parameter("H", "H", "number of heads", "positive integer"),
        Parameter("k", "d_h", "width of a head", "positive integer"),
        *(Parameter(f"B_{n}", f"B_{n}", f"bound on the spectral norm of ${n}$") for n in "QKVO"),
        *(Parameter(f"B_{n}_bias", f"b_{n}", f"bound on $|{n.lower()}|$", "nonnegative real") for n in "QK"),
    ),
    uses=("maurey/attention", "maurey/softmax"),
    parts=(
        Part("radius", r"|f(X)_i|", "length", printed=_reaches(_heads())),
        Part("moved", r"|f(X)_i-f(Y)_i|", "movement", printed=_moves(_heads())),
        Part("turned", r"|f(X)_i-f(Y)_i|", "movement, queries and keys rotated",
             printed=_moves(_heads(rotary=Rational(10000)))),
    ),
)  # fmt: skip
