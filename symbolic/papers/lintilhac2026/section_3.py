"""Section 3: parity with a chain of thought, and without."""

from sympy import Integer

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.perturbation import WHOLE
from maurey.symbolic.sharpness import NORMS

from .appendix_e import PRIOR
from .appendix_g import BITS, ONE, SEPARATION, TWO, chained_error, printed_failure, single_error
from .letters import T, letters
from .section_1 import MAIN, TRACES

CHAIN, SINGLE = "lintilhac2026/7", "lintilhac2026/8"
SYMBOLS = "T m delta Sigma sigma grid P?"
CONFUSED = r"""it solves the bound for $\delta$ and takes that for the probability of a wrong bit; $\delta$ is the
probability that the sample misleads, and what Markov's inequality gives is 4 times the bound
itself""".replace("\n", " ")
HOW = r"""As printed there is no $\delta$: the bound is set equal to $\frac12$ and solved for it. In the derived forms
the stated amount bounds how often the last bit of a network drawn from the posterior is wrong, with probability at
least $1-\delta$ over the sample, under the hypotheses of 2"""

chain_of_thought = Claim(
    key=CHAIN,
    title="Parity bit by bit",
    kind="generalization",
    statement=rf"""A network is trained on $m$ single steps $y_t=x_t\oplus y_{{t-1}}$, $t$ uniform, each with the right
bit before it, and writes $T$ bits in turn. {HOW}. A chain whose last bit is wrong has a first wrong step, and right
bits before it: the error of the chain is at most $T$ times that of a step, $t$ uniform. The network that takes all
steps has an entry of $W_1$ for every position; the norm of one step, $L(1,2,T)$, is not its own.""",
    symbols=letters(SYMBOLS, m={"meaning": "number of training steps, each of a string of its own"}),
    assumes=(BITS,),
    uses=(SEPARATION, MAIN, NORMS, WHOLE),
    source="recovered",
    differs={
        "error": CONFUSED,
        "Theta_chain": r"it takes $L(1,2,T)$, the norm of a network for one step",
        "constant": PRIOR,
        "mean_loss": TRACES,
    },
    parts=(
        Part("error", r"\mathbb P(\hat y_T\ne y_T)", "how often the last bit is wrong",
             printed=printed_failure(4 * T, TWO), derived=chained_error(False), sharp=chained_error(True)),
        Part("step", r"\mathbb P(\hat y_t\ne y_t)", "how often a step is wrong, the right bits before it",
             printed=printed_failure(Integer(4), TWO), derived=chained_error(False, ONE),
             sharp=chained_error(True, ONE), source="reconstructed: a step of the proof of 16"),
    ),
)  # fmt: skip

single_pass = Claim(
    key=SINGLE,
    title="Parity in one pass",
    kind="generalization",
    statement=rf"""A network is trained on $m$ strings and their parities, one component of degree $T$. {HOW}.""",
    symbols=letters(SYMBOLS),
    assumes=(BITS,),
    uses=(SEPARATION, MAIN, NORMS, WHOLE),
    source="recovered",
    differs={"error": CONFUSED, "constant": PRIOR, "mean_loss": TRACES},
    parts=(
        Part("error", r"\mathbb P(\hat y\ne y_T)", "how often the parity is wrong",
             printed=printed_failure(Integer(4), T), derived=single_error(False), sharp=single_error(True)),
    ),
)  # fmt: skip
