"""I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting, JRSS B 86 (2024) 1-27, arXiv
2010.09686."""

from sympy import Expr, Ge, Product, Sum

from maurey.symbolic.claim import Assumption, Claim, Part, Setting
from maurey.symbolic.names import indexed, parameters, symbols

mu, n, N, i, j = symbols("mu n N i j")
bet, loss = indexed("bet loss")
REFERENCE = "I. Waudby-Smith, A. Ramdas, JRSS B 86 (2024) 1-27, arXiv 2010.09686"
NUMBER = {"meaning": "number of losses"}

capital = Claim(
    key="waudbysmith2024/capital",
    title="Capital won by betting against a mean",
    kind="concentration",
    statement=r"""Losses in $[0,1]$ have, each given those before it, one and the same mean. If $\mu$ is that mean,
and each stake $\lambda_i\in[0,1/(1-\mu)]$ depends on the losses before $x_i$ alone, the capital below ever reaches
$1/\delta$ with probability at most $\delta$: it is not negative, and its mean stays 1. With
$\min(\lambda_i,c/(1-\mu))$ for stakes, $0<c<1$ and $\lambda_i$ free of $\mu$, it increases in $\mu$: every mean
above one at which it reached $1/\delta$ is rejected too.""",
    symbols=parameters("mu n bet[n] loss[n]", n=NUMBER),
    parts=(
        Part("capital", r"\mathcal K_n(\mu)", "capital after $n$ losses", "=",
             printed=lambda _: Product(1 + bet[i] * (mu - loss[i]), (i, 1, n))),
    ),
    reference=f"{REFERENCE}, section 4",
)  # fmt: skip


def _left(_: Setting) -> Expr:
    mean = (N * mu - Sum(loss[j], (j, 1, i - 1))) / (N - i + 1)
    return Product(1 + bet[i] * (mean - loss[i]), (i, 1, n))


without_replacement = Claim(
    key="waudbysmith2024/without-replacement",
    title="Capital won by betting against the mean of a pool",
    kind="concentration",
    statement=r"""Losses in $[0,1]$ are those of members of a pool of $N$, drawn without replacement. If $\mu$ is
the mean loss of the pool, $(N\mu-\sum_{j<i}x_j)/(N-i+1)$ is the mean of those that are left, and with stakes that
depend on the losses before $x_i$ alone and keep every factor from being negative, the capital below ever reaches
$1/\delta$ with probability at most $\delta$. A $\mu$ for which those that are left would need a mean above 1 is
rejected.""",
    symbols=parameters("mu n N bet[n] loss[n]", n=NUMBER, N={"meaning": "size of the pool"}),
    assumes=(Assumption(Ge(N, n), "no more are drawn than there are"),),
    parts=(Part("capital", r"\mathcal K_n(\mu)", "capital after $n$ losses", "=", printed=_left),),
    reference=f"{REFERENCE}, section 5",
)
