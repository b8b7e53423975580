"""Appendix L: how far a perturbation moves gradients.

Parts: 25 column, data; 26 active, output, sum; 27 s; 28 delta, query, output, sum; 29 jacobian;
30 moved, moved_<block>, G_p.
"""

from sympy import Expr, log, sqrt

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.derivation import Derivation
from maurey.symbolic.forms import steps
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.perturbation import (
    BACK,
    BEST_SOFTMAX,
    CROSSED,
    FIRST,
    FLAT,
    GRADIENT,
    INACTIVE,
    JACOBIAN,
    NETWORK,
    OUTPUT,
    SCORES,
    SOFTMAX,
    WHOLE,
    Perturbed,
)
from maurey.symbolic.sharpness import CONSTRUCTION, GRID, SIZES

from . import stated
from .appendix_i_moves import (
    AT_RANDOM,
    BLOCKS,
    CLOSED,
    CODE,
    GIVEN,
    MOVED,
    NO_FLIP,
    ON_THE_WAY,
    OWN,
    SMALL,
    TAILS,
    moves,
    random,
)
from .letters import LOW, SPARSE, T, letters, omega
from .stated import Stated, delta_s, e_F, e_M

(delta,) = symbols("delta")

# --- 25, 26 ----------------------------------------------------------------------------------------------------------


def _column(state: Perturbed) -> Expr:
    value = (state.M + state.moved.M) * state.moved.F
    return state.let("column", r"\beta_{MAF,i}", value, r"$\tilde MAE_F$: columns of $F$ were zero", FLAT)


appendix_l = Claim(
    key="lintilhac2026/L",
    title="Gradients after a perturbation",
    kind="summary",
    statement=r"""Tails of Gaussian perturbations (19, 20), how far they move what is computed on the way (21 to 24,
27) and the derivatives (25, 26, 28, 29), and with them the gradient of every block (30).""",
    uses=(FLAT, GRADIENT, SCORES, BACK, CROSSED, WHOLE, OUTPUT, *ON_THE_WAY, *TAILS),
    source="reconstructed",
)

lemma_25 = Claim(
    key=FLAT,
    title="The slope of the network where counts are whole",
    kind="lipschitz",
    statement=rf"""{MOVED}, no unit crossing its kink: the Jacobian $J_t=MA_tF$ of the network at $t\le\omega$ is zero,
and afterwards its columns are at most as stated, those of the positions and that of the data. Here $e_F$ stands for the
largest column of $E_F$, which is no larger than its operator norm.""",
    symbols=letters(GIVEN),
    assumes=(SPARSE, LOW, NO_FLIP),
    uses=(NETWORK, GRID, CONSTRUCTION),
    source=OWN,
    parts=(
        moves("column", r"\|(\tilde J_t-J_t)_{\cdot i}\|", "change of the column of a position",
              lambda said: said.let("column", r"\beta_{MAF,i}", (sqrt(said.H) + e_M) * e_F), _column),
        moves("data", r"\|(\tilde J_t-J_t)_{\cdot,T+2}\|", "change of the column of the data",
              lambda said: said.let("data", r"\beta_{MAF}", (sqrt(said.H) + e_M) * e_F + e_M * said.on),
              Perturbed.jacobian),
    ),
)  # fmt: skip


def _active(proof: Derivation) -> Expr:
    state = Perturbed(proof)
    return proof.let(
        "active_token", "", 1 + state.w, r"$s_tv_2+\delta_tw$, $|\delta_t|\le c_t\le1$ and $s_tC=c_t$", BLOCKS
    )


def _output(proof: Derivation) -> Expr:
    state = Perturbed(proof)
    reason = r"$|\sum\delta_tw_t|$, where $\delta$ adds up to 0 and its positive part to $C/4$ at most"
    return proof.let("output_token", "", state.C / 4 * state.spread, reason, BLOCKS)


lemma_26 = Claim(
    key=GRADIENT,
    title="The gradient with respect to the tokens of the second layer",
    kind="lipschitz",
    statement=r"""In the construction with exact attention, $T^{-2}\le c_t\le1$, at every string:
$\partial_{g_t}f=s_tv_2+\delta_tW_2g_{T+1}+[t=T+1]W_2^\top G^\top\delta$ with $\delta_t=s_t(y_t-f)$, of at most the
stated norm at a component's position, at the output's, and in sum.""",
    symbols=letters("omega D T"),
    assumes=(SPARSE, LOW),
    uses=(BLOCKS, JACOBIAN, SIZES, GRID, CONSTRUCTION),
    source="reconstructed",
    parts=(
        Part("active", r"\|\partial_{g_t}f\|,\;t\le\omega", "gradient at a component's position",
             printed=lambda _: 1 + 2 * sqrt(omega) * log(T), derived=steps(_active)),
        Part("output", r"\|\partial_{g_{T+1}}f\|", "gradient at the output's position",
             printed=lambda _: sqrt(omega) / 4 * (2 * log(T)), derived=steps(_output)),
        Part("sum", r"\sum_t\|\partial_{g_t}f\|", "all of them", printed=steps(lambda proof: Stated(proof).tokens()),
             derived=steps(lambda proof: Perturbed(proof).tokens())),
    ),
)  # fmt: skip

# --- 27, 29, 28 ------------------------------------------------------------------------------------------------------

lemma_27 = Claim(
    key=SCORES,
    title="The second softmax after a perturbation",
    kind="lipschitz",
    statement=rf"""{MOVED}, no unit crossing its kink: the weights of the second layer move by at most $\beta_s$ in
$\ell_1$.""",
    symbols=letters(GIVEN),
    assumes=(SPARSE, LOW, NO_FLIP),
    uses=(NETWORK, INACTIVE, FIRST, GRID, SIZES, CONSTRUCTION, SOFTMAX, BEST_SOFTMAX),
    source=OWN,
    parts=(moves("s", r"\|\tilde s-s\|_1", "move of the weights", Stated.s, Perturbed.s),),
)


def _three(proof: Derivation) -> Expr:
    diagonal = proof.let("diagonal", r"|\tilde s_i-s_i|", delta_s, "no entry moves more than all together")
    others = proof.let(
        "others",
        r"\sum_j|\tilde s_i\tilde s_j-s_is_j|",
        2 * delta_s,
        r"$\tilde s_i(\tilde s_j-s_j)+(\tilde s_i-s_i)s_j$",
    )
    return proof.let("jacobian", "", diagonal + others, r"a row of $\mathrm{diag}(s)-ss^\top$")


def _one(proof: Derivation) -> Expr:
    reason = r"""with $a$ and $b=a+x$ the two values of entry $i$ and $x\le\frac12\|\tilde s-s\|_1$ a row is at most
$a\|\tilde s-s\|_1+2x(1-a-b)_+$"""
    return proof.let("jacobian", "", delta_s, reason)


theorem_29 = Claim(
    key=CROSSED,
    title="The softmax Jacobian after a perturbation",
    kind="lipschitz",
    statement=r"""For weights $s,\tilde s$ and $J=\mathrm{diag}(s)-ss^\top$ every row of $\tilde J-J$ has at most the
stated sum. The sharp constant is best possible: $s_i$ near 1.""",
    symbols=parameters("Delta", Delta={"latex": r"\|\tilde s-s\|_1", "meaning": r"$\ell_1$ distance of the weights"}),
    source="reconstructed",
    parts=(
        Part("jacobian", r"\|\tilde J-J\|_{\infty\to\infty}", "change of the Jacobian", printed=lambda _: 3 * delta_s,
             derived=steps(_three), sharp=steps(_one)),
    ),
)  # fmt: skip

lemma_28 = Claim(
    key=BACK,
    title="The gradient with respect to the tokens after a perturbation",
    kind="lipschitz",
    statement=rf"""{MOVED}, no unit crossing its kink: what $\delta$ moves by in $\ell_1$, the output's query
$W_2g_{{T+1}}$, the output's own gradient, and the gradients with respect to all tokens in sum.""",
    symbols=letters(GIVEN),
    assumes=(SPARSE, LOW, NO_FLIP),
    uses=(OUTPUT, SCORES, NETWORK, INACTIVE, FIRST, GRID, SIZES, CONSTRUCTION, SOFTMAX, BEST_SOFTMAX, CROSSED),
    source=OWN,
    parts=(
        moves("delta", r"\sum_t|\tilde\delta_t-\delta_t|", r"move of $\delta$", Stated.delta, Perturbed.delta),
        moves("query", r"\|\tilde W_2\tilde g_{T+1}-w\|", "move of the output's query", Stated.key, Perturbed.key),
        moves("output", r"\|\partial_{g_{T+1}}\tilde f-\partial_{g_{T+1}}f\|", "move of the output's own gradient",
              Stated.back_output, Perturbed.back_output),
        moves("sum", r"\sum_t\|\partial_{g_t}\tilde f-\partial_{g_t}f\|", "all of them", Stated.back, Perturbed.back),
    ),
)  # fmt: skip

# --- 30 --------------------------------------------------------------------------------------------------------------


def _block(name: str, letter: str) -> Part:
    return moves(
        f"moved_{name}",
        rf"\|\nabla_{{{letter}}}\tilde f-\nabla_{{{letter}}}f\|",
        f"move of the gradient with respect to ${letter}$",
        lambda said: said.blocks()[name],
        lambda state: state.blocks()[name],
    )


ALL_THE_WAY = (BACK, FLAT, GRADIENT, OUTPUT, *ON_THE_WAY)

theorem_30 = Claim(
    key=WHOLE,
    title="The gradient after a perturbation",
    kind="lipschitz",
    statement=rf"""{MOVED}, no unit crossing its kink: wherever $f$ is smooth, the gradient with respect to every block
moves by at most the stated amount. {AT_RANDOM}, and wherever $f$ is smooth, the whole gradient moves by at most $G_p$;
the derived form allows for units that cross. The bound for $W_1$ needs the sharp constant of lintilhac2026/15: with
2, and tokens of norm $\sqrt2$, it would be twice as large. {CLOSED}.""",
    symbols=letters(f"{GIVEN} sigma delta"),
    assumes=(SPARSE, LOW, NO_FLIP, SMALL),
    uses=(BLOCKS, JACOBIAN, *ALL_THE_WAY, *TAILS),
    source=f"{CODE}, in which two terms lack their sigma",
    parts=(
        moves("moved", r"\|\nabla\tilde f-\nabla f\|", "move of the gradient", Stated.gradient, Perturbed.gradient),
        _block("v_2", "v_2"),
        _block("W_2", "W_2"),
        _block("F", "F"),
        _block("Gamma", r"\Gamma"),
        _block("M", "M"),
        _block("W_V", "W_V"),
        _block("W_1", "W_1"),
        Part("G_p", r"\|\nabla f_{\Theta+\epsilon}-\nabla f_\Theta\|", "the same by a Gaussian perturbation",
             printed=lambda _: stated.gradient_moves(), derived=random(Perturbed.gradient),
             sharp=random(Perturbed.gradient, True)),
    ),
)  # fmt: skip
