"""One vocabulary for all papers: each name with its LaTeX, meaning and domain.

A paper's own letters map onto these names where its claims are declared (`parameters`), once.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sympy import IndexedBase, Symbol

from .claim import Constant, Parameter

INTEGER = "positive integer"
TOKENS = r"\|x_t\|_2"

VOCABULARY = {
    p.name: p
    for p in (
        Parameter("eps", r"\varepsilon", "resolution of the cover"),
        Parameter("m", "m", "number of samples", INTEGER),
        Parameter("N", "N", "number of points of a linear cover", INTEGER),
        Parameter("T", "T", "context length, all tokens counted", INTEGER),
        Parameter("d", "d", "embedding dimension", INTEGER),
        Parameter("d_1", "d_1", "number of rows of the matrix", INTEGER),
        Parameter("d_2", "d_2", "number of columns of the matrix", INTEGER),
        Parameter("k", "k", "inner dimension of a head", INTEGER),
        Parameter("H", "H", "number of heads", INTEGER),
        Parameter("L", "L", "number of layers", INTEGER),
        Parameter("n", "n", "number of terms", INTEGER),
        Parameter("i", "i", "index of a term", INTEGER),
        Parameter("p", "p", "number of classes", INTEGER),
        Parameter("q", "q", "exponent of the norm in which outputs are measured"),
        Parameter("K", "K", "size of the vocabulary", INTEGER),
        Parameter("rho", r"\rho", "radius of the ball"),
        Parameter("C", "C", "the error to be split"),
        Parameter("alpha", r"\alpha", "cost of an error of one in a term", "nonnegative real"),
        Parameter("beta", r"\beta", "effect of an error of one in a term", "nonnegative real"),
        Parameter("share", r"\alpha", "share of the error that the score gets", "in [0, 1]"),
        Parameter("Delta", r"\Delta", "distance of the arguments", "nonnegative real"),
        Parameter(
            "Delta_score", r"\Delta_{\mathrm{Score}}", r"distance of the scores in $\ell_\infty$", "nonnegative real"
        ),
        Parameter("Delta_in", r"\Delta_{\mathrm{in}}", "largest distance of a value", "nonnegative real"),
        Parameter(
            "E_score", r"E_{\mathrm{Score}}", "log covering number of the scores at their error", "nonnegative real"
        ),
        Parameter("E_in", r"E_{\mathrm{in}}", "log covering number of the values at their error", "nonnegative real"),
        Parameter("E_head", r"E_{\mathrm{head}}", "log covering number of the head at its error", "nonnegative real"),
        Parameter("c_f", "c_f", r"bound on the Jacobian's $(1,1)$ norm"),
        Parameter("C_Norm", r"C_{\mathrm{Norm}}", r"bound on the $(1,1)$ norm of the Jacobian of Norm"),
        Parameter("L_out", r"L_{\mathrm{out}}", r"Lipschitz constant of $\phi_{\mathrm{out}}$"),
        Parameter("B_in", r"B_{\mathrm{in}}", r"bound on $\|\phi_{\mathrm{in}}(a)\|/\|a\|$"),
        Parameter("L_sigma", r"L_\sigma", "Lipschitz constant of the activation"),
        Parameter("L_loss", "L", "Lipschitz constant of the loss in its first argument"),
        Parameter("A", "A", r"bound on $|f|$"),
        Parameter("b", "b", r"bound on $|\ell|$"),
        Parameter("C_F", r"C_{\mathcal F}", r"coefficient of the entropy $C_{\mathcal F}/\varepsilon^2$"),
        Parameter("C_1", "C_1", r"coefficient of the entropy $C_1/\varepsilon^2$ of the linear maps on $\|x\|\le1$"),
        Parameter("C_X", "C_{B_x}", r"the same on $\|x\|\le B_x$"),
        Parameter("K_F", r"K_{\mathcal F}", r"coefficient of the entropy $K_{\mathcal F}/\varepsilon$"),
        Parameter("p_0", "p_0", r"constant part of the entropy $p_0+C_{\mathcal F}/\varepsilon^2$", "nonnegative real"),
        Parameter("tau", r"\tau", "resolution at which the integral is cut off"),
        Parameter("delta", r"\delta", "probability of failure", "in (0, 1)"),
        Parameter("R_F", r"\hat{\mathcal R}", "empirical Rademacher complexity of the class", "nonnegative real"),
        Parameter("s", "s", "number of relevant positions", INTEGER),
        Parameter("gamma", r"\gamma", "margin of the target", "in (0, 1]"),
        Parameter("coherence", r"\Delta", "largest inner product of two embedding vectors", "nonnegative real"),
        Parameter("scale", "R", "gap between relevant and irrelevant scores"),
        Parameter("ramp", r"\delta", "half-width of a plateau"),
        Parameter("d_f", "d_f", "dimension of the points", INTEGER),
        Parameter("B", "B", r"bound on the points in $\ell_\infty$"),
        Parameter("f_norm", r"\|f\|", "norm of the vector", "nonnegative real"),
        Parameter("f_max", r"f_{\max}", "largest absolute value of the target", "nonnegative real"),
        Parameter("B_X", "B_X", rf"bound on the token norms ${TOKENS}$"),
        Parameter("B_X_1", "B_X", r"bound on the token norms $\|x_t\|_1$"),
        Parameter("B_P", "B_P", "bound on the norms of the positional embeddings"),
        Parameter("B_w", "B_w", "bound on the norm of the vector of weights"),
        Parameter("B_w_1", "B_w", r"bound on $\|w\|_1$"),
        Parameter("B_W_inf", r"B_\infty", r"bound on $\|W\|_{2,\infty}$, the largest column of $W$"),
        Parameter("B_W_21", "B_1", r"bound on $\|W\|_{2,1}$, the sum of the column norms of $W$"),
        Parameter("B_W_F", "B_F", r"bound on $\|W\|_F$"),
        Parameter("B_W_11", "B_w", r"bound on $\|W\|_{1,1}$, the sum of the absolute entries of $W$"),
        Parameter("B_W_1inf", "B_w", r"bound on $\|W\|_{1,\infty}$, the largest $\ell_1$ norm of a column of $W$"),
        Parameter("B_V", "B_V", r"bound on the spectral norm of $W_V$"),
        Parameter("B_V_inf", r"B_V^\infty", r"bound on $\|W_V^\top\|_{2,\infty}$, the largest row of $W_V$"),
        Parameter("B_V_F", "B_V^F", r"bound on $\|W_V\|_F$"),
        Parameter("B_QK_inf", r"B_{QK}^\infty", r"bound on $\|W_{QK}\|_{2,\infty}$, the largest column of $W_{QK}$"),
        Parameter("B_QK_F", "B_{QK}^F", r"bound on $\|W_{QK}\|_F$"),
        Parameter("B_QK_11", "B_{QK}", r"bound on $\|W_{QK}\|_{1,1}$, the sum of its absolute entries"),
        Parameter("B_QK_1inf", "B_{QK}", r"bound on $\|W_{QK}\|_{1,\infty}$, its largest column in $\ell_1$"),
        Parameter("B_QK_21", "B_{QK}", r"bound on $\|W_{QK}\|_{2,1}$, the sum of its columns' $\ell_2$ norms"),
        Parameter("B_V_1inf", "B_V", r"bound on $\|W_V^\top\|_{1,\infty}$, the largest row of $W_V$ in $\ell_1$"),
        Parameter("B_C_1inf", "B_C", r"bound on $\|W_C^\top\|_{1,\infty}$, the largest row of $W_C$ in $\ell_1$"),
        Parameter("B_QK", "B_{QK}", r"bound on the spectral norm of $W_{QK}$"),
        Parameter("B_C", "B_C", r"bound on the spectral norm of $W_C$"),
        Parameter("B_C_inf", r"B_C^\infty", r"bound on $\|W_C\|_{2,\infty}$, the largest column of $W_C$"),
        Parameter("B_C_F", "B_C^F", r"bound on $\|W_C\|_F$"),
        Parameter("C_2", "C_2", "bound on all spectral norms"),
        Parameter("C_inf", r"C_\infty", r"bound on all $(2,\infty)$ norms"),
        *(
            Parameter(
                f"Delta_{x}",
                rf"\Delta_{{{x}}}",
                f"largest movement, on its vectors, of $W_{{{x}}}$",
                "nonnegative real",
            )
            for x in ("QK", "V", "C")
        ),
        Parameter("Delta_w", r"\Delta_w", "largest movement of the read-out", "nonnegative real"),
        Parameter("Delta_g", r"\Delta_g", "largest distance of a token below", "nonnegative real"),
        # the qSTR paper
        Parameter("d_e", "d_e", "dimension of the position vectors", INTEGER),
        Parameter("D_e", "D_e", "dimension of an embedded token", INTEGER),
        Parameter("r_x", "r_x", "bound on the norms of the tokens"),
        Parameter("r_z", "r_z", "bound on the norms of the embedded tokens"),
        Parameter("r_a", "r_a", r"$\sqrt{m_g}$ times the norm of the output weights of the network for the link"),
        Parameter("r_w", "r_w", r"norm of the inner weights of that network over $\sqrt{m_g}$"),
        Parameter("eps_2NN", r"\varepsilon_{2NN}", "squared error of the network for the link"),
        Parameter("C_x", "C_x", "moment constant of the tokens"),
        Parameter("C_y", "C_y", "moment constant of the labels"),
        Parameter("A_norm", r"\|A\|_{r,p}", "norm of the left factor", "nonnegative real"),
        Parameter("column_norm", "b", r"norm of a column of the right factor", "nonnegative real"),
        Parameter("B_a", "r_{m,a}", "bound on the norm of the output weights"),
        Parameter("Delta_2NN", r"\Delta_{2NN}", "largest distance of the networks of the block", "nonnegative real"),
        Parameter(
            "Delta_attn", r"\Delta_{\mathrm{Attn}}", "largest distance of the outputs of attention", "nonnegative real"
        ),
        Parameter("E_2NN", r"E_{2NN}", "log covering number of the block at its error", "nonnegative real"),
        Parameter("E_attn", r"E_{\mathrm{Attn}}", "log covering number of attention at its error", "nonnegative real"),
        Parameter("R", "R", "bound on the norms of weights, biases and inputs"),
        Parameter("d_h", "d_h", "dimension of the hidden state", INTEGER),
        Parameter("r_h", "r_h", "radius of the ball that hidden states are projected on"),
        Parameter("L_h", "L_h", "depth of the transition networks", INTEGER),
        Parameter("L_y", "L_y", "depth of the read-out network", INTEGER),
        Parameter(
            "alpha_N", r"\alpha_N", "bound on the Lipschitz constant of a transition in the state", "nonnegative real"
        ),
        Parameter("C_y_W", "C_W^y", "bound on the Lipschitz constant of the read-out network"),
        Parameter("B_U", r"\|U\|_{op}", "spectral norm of the read-out of the hidden states"),
        Parameter("L_f", r"\mathfrak L", "$r_h$ times the Lipschitz constant of the output in what is read"),
        Parameter("E_y", "E_y", "log covering number of the read-outs at their error", "nonnegative real"),
        Parameter("E_h", "E_h", "log covering number of the transitions, one direction", "nonnegative real"),
        Parameter("E_back", r"E_{\leftarrow}", "the same for the other direction", "nonnegative real"),
        Parameter("LR", "LR", "Lipschitz constant times radius of the domain"),
        Parameter("c", "c", "exponent of what sizes and norms may grow with", "in (0, 1)"),
        Parameter("risk", r"\mathrm{risk}", "mean squared error at one position", "in (0, 1)"),
        Parameter("variation", r"\delta", "variation norm"),
        Parameter("y_norm", r"\|y\|_2", "norm of the labels", "nonnegative real"),
        Parameter("z_norm", r"\|z\|_2", "norm of the points", "nonnegative real"),
        Parameter("eigenvalue", r"\lambda", "eigenvalue of the covariance", "nonnegative real"),
        Parameter("mean", r"\mu", "size of the mean along its eigenvector", "nonnegative real"),
        # the PAC-Bayes paper
        Parameter("x", "x", "share of ones, or near one", "nonnegative real"),
        Parameter("omega", r"\omega", "number of Fourier components", INTEGER),
        Parameter("D", "D", "degree: positions of every component", INTEGER),
        Parameter("coefficient", "c", "Fourier coefficient, before all are divided by their norm"),
        Parameter("sigma", r"\sigma", "standard deviation of the perturbation of every parameter"),
        Parameter("Sigma", r"\Sigma", "sub-Gaussian constant of the loss"),
        Parameter("temperature", r"\lambda", "temperature"),
        Parameter("KL", r"\mathrm{KL}", "divergence of the posterior from the prior", "nonnegative real"),
        Parameter("loss_hat", r"\hat L", "mean loss on the sample, over the posterior", "nonnegative real"),
        Parameter("grid", "n_g", "number of values that sigma or the temperature may take", INTEGER),
        Parameter("norm_squared", r"\|\Theta\|^2", "squared norm of the parameters"),
        Parameter("trace", r"\mathrm{Tr}", "trace of the Hessian of the loss", "nonnegative real"),
        Parameter("P", "P", "how far perturbations raise the trace of the Hessian", "nonnegative real"),
        Parameter("hit", "p", "probability with which one trial rejects", "in (0, 1)"),
        Parameter("free", "r", "number of coordinates that a restriction leaves free", INTEGER),
        # certificates
        Parameter("errors", "k", "number of errors among the samples", "nonnegative integer"),
        Parameter("bits", "|h|", "length of the message, in bits", "nonnegative real"),
        Parameter("variance", "V", "variance of the losses of the sample", "nonnegative real"),
        Parameter("squares", "V", r"mean of $(x_t-v_t)^2$", "in [0, 1]"),
        Parameter("slope", r"\lambda", "slope of the bound, fixed before", "in (0, 1)"),
        Parameter("mu", r"\mu", "a mean that is held against the losses", "in (0, 1)"),
        Parameter("bet", r"\lambda", "stake, fixed before its loss is seen", "nonnegative real"),
        Parameter("loss", "x", "a loss", "in [0, 1]"),
        Parameter("total", "S", "sum of the losses, rounded up", "nonnegative integer"),
        Parameter("draws", "N", "number of networks that are drawn", INTEGER),
        Parameter("split", r"\alpha", "share of the probability of failure that the draws get", "in (0, 1)"),
        Parameter("margin", r"\gamma", "margin: label times score, over the norm of the features", "in [-1, 1]"),
        *(
            Parameter(f"e_{name}", rf"e_{{{latex}}}", rf"size of the perturbation of ${of}$", "nonnegative real")
            for name, latex, of in (
                ("M", "M", "M"),
                ("F", "F", "F"),
                ("2", "2", "W_2"),
                ("Gamma", r"\Gamma", r"\Gamma"),
                ("v", "v", "v_2"),
            )
        ),
        Parameter("eta_1", r"\eta_1", "largest change of a score of the first layer", "nonnegative real"),
        Parameter("eta_V", r"\eta_V", "largest change of a value of the first layer", "nonnegative real"),
    )
}


def parameters(names: str, **changes: str | dict[str, str]) -> tuple[Parameter, ...]:
    """Entries of the vocabulary by name; a change gives the paper's own letter, or any fields of the entry.

    `X[H]` declares one value per head; `X?` is optional.
    """
    chosen = []
    for word in names.split():
        name, _, index = word.rstrip("?").partition("[")
        entry = replace(VOCABULARY[name], index=index.rstrip("]"), optional=word.endswith("?"))
        change = changes.pop(name, {})
        chosen.append(replace(entry, **({"latex": change} if isinstance(change, str) else change)))  # type: ignore[arg-type]
    if changes:
        raise ValueError(f"not among the names: {', '.join(changes)}")
    return tuple(chosen)


def symbols(names: str) -> list[Symbol]:
    """The SymPy symbols behind the names."""
    return [Symbol(name) for name in names.split()]


def indexed(names: str) -> list[IndexedBase]:
    """The same for quantities that have one value per head, layer or term."""
    return [IndexedBase(name) for name in names.split()]


OPEN = "left open by the paper"
C0 = Constant("C0", Fraction(1), "C_0", "the constant that the relation hides", OPEN, left_open=True)
C_DUDLEY = Constant(
    "c", Fraction(12), "c", "the constant of Dudley's integral", f"{OPEN}; 12 in textbooks", left_open=True
)
DEGREE = Constant("c_s", Fraction(1), "c_s", "the degree that poly(s) hides", OPEN, left_open=True)
EXPONENT = Constant("c_L", Fraction(1), "c_L", "the factor that O(L) hides in the exponent", OPEN, left_open=True)
KAPPA = Constant("kappa", Fraction(2), r"\kappa", r"softmax constant from $\ell_\infty$ to $\ell_1$", "edelman2022/A.7")
