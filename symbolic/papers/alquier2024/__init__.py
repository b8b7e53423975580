"""P. Alquier, User-friendly introduction to PAC-Bayes bounds, Foundations and Trends in Machine Learning 17 (2024)."""

from maurey.symbolic.claim import Claim, Part
from maurey.symbolic.names import parameters, symbols
from maurey.symbolic.pacbayes import at_temperature, complexity_of

m, delta, KL, Sigma, temperature, loss_hat = symbols("m delta KL Sigma temperature loss_hat")

sub_gaussian = Claim(
    key="alquier2024/sub-gaussian",
    title="PAC-Bayes bound for sub-Gaussian losses, at one temperature",
    kind="generalization",
    statement=r"""A prior $\pi$ and $\lambda>0$ are fixed; then $m$ independent samples are drawn. If $\mathbb
Ee^{t(\mathbb E\ell(\theta)-\ell(\theta))}\le e^{t^2\Sigma^2/2}$ for all $t>0$ and $\pi$-almost every $\theta$, the
expectations being over one sample, then with probability at least $1-\delta$, for all posteriors $\rho$ at once, the
risk of $\theta\sim\rho$ is at most the stated amount; $\hat L$ is the mean loss on the samples of $\theta\sim\rho$ and
$\mathrm{KL}$ the divergence of $\rho$ from $\pi$. That $\rho$ puts its weight where the loss is small does not relax
the condition on $\Sigma$, which is under $\pi$.""",
    symbols=parameters("m delta KL Sigma temperature loss_hat"),
    parts=(
        Part("risk", r"\mathbb E_{\theta\sim\rho}L(\theta)", "risk of a network drawn from the posterior",
             printed=lambda _: loss_hat + at_temperature(complexity_of(KL, delta), temperature, Sigma, m)),
    ),
    reference="P. Alquier, Foundations and Trends in Machine Learning 17 (2024) 174-303, Theorem 2.1 (Catoni) with the "
    "sub-Gaussian condition in the place of Hoeffding's lemma",
)  # fmt: skip
