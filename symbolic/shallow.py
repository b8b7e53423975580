"""One attention layer, its heads side by side, and a two-layer ReLU network a . s(W v + b) behind it.

The key-query matrices of all heads are one matrix that acts on the queries. It is covered by its norms (Zhang's theorem
over a grid of row norms) or by counting its entries, the two-layer network by counting its parameters. The error is
split in two halves, one for each of the blocks; the sharp route gives the key-query matrix half of it as well, and a
quarter to W and to a each.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, E, Expr, Integer, Max, Min, S, log, sqrt

from .chain import EXCESS, SHARES, TEXTBOOK, dudley_at, one_step
from .corrections import column_corrections, columns_or_entries
from .covers import Cover, volumetric, zhang_grid, zhang_scalar
from .derivation import Derivation
from .modules import Fixed, JointHeads, Linear, Sequence, Signal, Weight, WithOne, compose, times
from .norms import Matrix, norm
from .relu_networks import ReLUNetwork, block_entropy, largest_product
from .truncation import cut_off, loss_range, resolution

COMPLEXITY = r"\hat{\mathfrak R}_n"
PARTS = {"QK": 2, "W": 4, "a": 4}  # of the error, one part in so many goes to each


@dataclass(frozen=True)
class Keys:
    """The claims that the steps of the split route rest on."""

    composed: str = ""
    block: str = ""
    attention: str = ""
    matrices: str = ""


@dataclass(frozen=True, kw_only=True)
class Shallow:
    prompts: Expr  # each with one query
    heads: Expr
    width: Expr  # of the two-layer network
    embedding: Expr  # dimension of a token
    radius: Expr  # of the tokens
    outer: Expr  # bound on |a|
    inner: Expr  # bound on |(W, b)|_F
    frobenius: Expr  # of the key-query matrices of all heads together
    row_sum: Expr | None  # the sum of the norms of their columns, which are dotted with queries
    kappa: Expr  # the softmax constant
    keys: Keys = Keys()
    ball: Expr | None = None  # of all its parameters together, where one is stated

    def attention(self) -> JointHeads:
        outputs = times(self.heads, self.embedding)
        M = Matrix("QK", "QK", outputs, self.embedding, frobenius=self.frobenius, row_sum=self.row_sum)
        return JointHeads(M, self.heads, self.kappa, self.keys.attention)

    def module(self) -> Sequence:
        inputs = times(self.heads, self.embedding) + 1
        W = Matrix("W", "W", self.width, inputs, frobenius=self.inner)
        a = Matrix("a", "a", 1, self.width, frobenius=self.outer)
        return compose(self.attention(), WithOne(), Linear(W), Fixed(Integer(1)), Linear(a))

    def signal(self) -> Signal:
        return Signal(self.radius, self.prompts, Integer(1))

    # --- the key-query matrix alone, and the two-layer network alone ------------------------------------------------

    def query_key(self, D: Derivation) -> Weight:
        return self.attention().sensitivity(D, self.signal()).weights[0]

    def matrix_sizes(self, D: Derivation, w: Weight, eps: Expr) -> tuple[Expr, Expr | None, Expr]:
        """The two log-sizes of the matrices' covers at eps: by norms, what does not change with eps and what does, if
        the columns' norms are bounded; and by counting."""
        counted = D.let("E_count", r"E_{\mathrm{vol}}", volumetric(D, w).at(eps), volumetric(D, w).reason)
        if self.row_sum is None:
            return S.Zero, None, counted
        B, rows = norm(D, w.matrix, "row_sum"), w.matrix.outputs
        profiles = zhang_grid(B, w.radius, w.number, rows).flat
        flat = D.let("E_grid", r"E_{\mathrm{grid}}", profiles, "a grid of the norms of the columns")
        one = zhang_scalar(2 * B, w.radius, w.number).made_proper()
        half = D.let("delta_QK", r"\delta_{QK}", one.resolution(eps), one.asked, "edelman2022/2.1")
        reason = "Zhang's theorem: over the grid all columns cost what one of norm $2B$ does"
        return flat, D.let("E_rows", r"E_{\mathrm{rows}}", one.log_size(half), reason, one.key), counted

    def smaller(self, D: Derivation, flat: Expr, growing: Expr | None, counted: Expr) -> Expr:
        size = counted if growing is None else Min(flat + growing, counted)
        return D.name("E_QK", "E_{QK}", size, "the smaller of the two covers", self.keys.matrices)

    def block(self, D: Derivation) -> ReLUNetwork:
        """The two-layer network on what attention gives, as one of the class of its largest bound."""
        largest = Max(self.outer, self.inner, self.radius)
        bound = self.outer if self.outer == self.inner == self.radius else largest
        bound = D.name("bound", "B", bound, "the largest of the bounds")
        output = self.attention().sensitivity(D, self.signal()).output.radius
        inputs = D.let("radius_v", "r_v", output, "averages of tokens, one for each head")
        both = D.let("norm", r"\|\Theta\|", sqrt(self.outer**2 + self.inner**2), "all parameters of the block")
        return ReLUNetwork(2, inputs, bound, self.parameters, both)

    # --- the split route ------------------------------------------------------------------------------------------

    def sizes(self, D: Derivation, eps: Expr) -> tuple[Expr, Expr, Expr | None, Expr]:
        """The log-sizes at eps: of the block, and those of the matrices."""
        keys = self.keys
        half = D.let(
            "eps_block", r"\varepsilon_{\mathrm{net}}", eps / 2, "half of the error for the block", keys.composed
        )
        gain = D.let("gain", "L_f", self.outer * self.inner, "the block's Lipschitz constant")
        reason = "the other half for attention, which the block magnifies"
        outer = D.let("eps_attention", r"\varepsilon_{\mathrm{Attn}}", eps / (2 * gain), reason, keys.composed)
        w = self.query_key(D)
        own = D.let("eps_QK", r"\varepsilon_{QK}", outer / w.coefficient, w.reason, keys.attention)
        entropy = self.block(D).entropy(D)
        block = D.let("E_block", "E_{2NN}", entropy.at(half), entropy.reason, keys.block)
        return (block, *self.matrix_sizes(D, w, own))

    def log_size(self, D: Derivation, eps: Expr) -> Expr:
        block, *matrices = self.sizes(D, eps)
        total = block + self.smaller(D, *matrices)
        return D.let("log_N", r"\log\mathcal C", total, "log-sizes of product covers add")

    def complexity(self, D: Derivation, tau: Expr, n: Expr) -> Expr:
        """Of the truncated losses, by Dudley's integral from the cut-off to tau: what falls with eps is at most its
        value at the cut-off, and eps^2 times what Zhang's theorem gives falls too."""
        cut = cut_off(D, loss_range(D, tau), n)
        block, flat, growing, counted = self.sizes(D, resolution(D, cut, tau))
        own = D.let("area_block", "I_{2NN}", tau * sqrt(block / n), "the block's size falls")
        by_count = D.let("area_count", r"I_{\mathrm{vol}}", tau * sqrt(counted / n), "so does this one")
        matrices = by_count
        if growing is not None:
            reason = r"$\varepsilon^2$ times the rows' size falls"
            norms = cut * sqrt(growing / n) * log(tau / cut) + tau * sqrt(flat / n)
            matrices = Min(D.let("area_norms", r"I_{\mathrm{rows}}", norms, reason), by_count)
        area = D.let("area", "I", own + matrices, "roots are split; the smaller cover of the matrices")
        value = Min(tau, dudley_at(TEXTBOOK, cut, area))
        return D.let("Rad", COMPLEXITY, value, "the integral, or the trivial bound", TEXTBOOK.key)

    # --- the sharp route ------------------------------------------------------------------------------------------

    def shared(self, D: Derivation, weights: list[Weight], eps: Expr, cover: Cover, mark: str = "") -> Expr:
        """These weights, each covered at its share of eps."""
        sizes, label_of, above = [], f"_{mark}" if mark else "", rf"^{{\mathrm{{{mark}}}}}" if mark else ""
        for w in weights:
            label = w.matrix.label
            beta = D.name(f"beta_{label}", rf"\beta_{{{label}}}", w.coefficient, w.reason, w.key)
            own = eps / times(Integer(PARTS[label]), beta)
            own = D.let(f"eps{label_of}_{label}", rf"\varepsilon_{{{label}}}{above}", own, "its share of the error")
            size = cover(D, w)
            sizes.append(D.let(f"E{label_of}_{label}", rf"E_{{{label}}}{above}", size.at(own), size.reason, size.key))
        return D.let(f"E{label_of}_all", f"E{above}", Add(*sizes), "log-sizes of product covers add")

    def sharp_log_size(self, D: Derivation, eps: Expr) -> Expr:
        return self.shared(D, list(self.module().sensitivity(D, self.signal()).weights), eps, columns_or_entries)

    def in_ball(self, D: Derivation, eps: Expr, ball: Expr) -> Expr:
        """Half of the error for the block, in all its parameters together, and half for the matrices behind which its
        Lipschitz constant stands."""
        gain = D.let("gain", "L_f", largest_product(ball), "the block's Lipschitz constant", "maurey/block")
        w = self.query_key(D)
        own = D.let("eps_QK", r"\varepsilon_{QK}", eps / (2 * gain * w.coefficient), w.reason, self.keys.attention)
        matrices = volumetric(D, w)
        matrices = D.let("E_QK", "E_{QK}", matrices.at(own), matrices.reason)
        block = block_entropy(self.attention().sensitivity(D, self.signal()).output.radius, ball, self.parameters)
        counted = D.let("E_block", "E_{2NN}", block.at(eps / 2), block.reason, block.key)
        return D.let("E_all", "E", matrices + counted, "log-sizes of product covers add")

    @property
    def parameters(self) -> Expr:
        """Of the block."""
        return self.width * (times(self.heads, self.embedding) + 2)

    def sharp_complexity(self, D: Derivation, tau: Expr, n: Expr) -> Expr:
        """One cover of all entries at one resolution; or, where the columns' norms are bounded, the key-query matrix by
        chaining and the others counted at the finest level."""
        A = loss_range(D, tau, centred=True)
        cut = cut_off(D, A, n, centred=True)
        if self.ball is not None:
            size = self.in_ball(D, resolution(D, cut, tau), self.ball)
            reason = "the error, and Massart's lemma for the centres"
            return D.let("Rad", COMPLEXITY, Min(A, one_step(size, cut, tau, n)), reason, "maurey/one-step")
        w, *others = self.module().sensitivity(D, self.signal()).weights
        size = self.shared(D, [w, *others], resolution(D, cut, tau), volumetric, "cut")
        by_count = D.let("Rad_count", rf"{COMPLEXITY}^{{\mathrm{{vol}}}}", Min(A, one_step(size, cut, tau, n)),
                         "the error, and Massart's lemma for the centres", "maurey/one-step")  # fmt: skip
        beta = D.name("beta_QK", r"\beta_{QK}", w.coefficient, w.reason, w.key)
        C = column_corrections(D, w).coefficient
        C = D.let("C_class", r"C_{\mathcal F}", C * (PARTS["QK"] * beta * (2 * sqrt(tau))) ** 2,
                  r"the matrices' entropy in the losses' resolution: $C_{\mathcal F}/\varepsilon^2$")  # fmt: skip
        reason = "Massart's lemma at one link; no less than the cut-off, and beyond $A/e$ the bound is trivial"
        link = D.let("link", r"\lambda", Min(A / E, Max(cut, sqrt(2 * C / n))), reason)
        rest = self.shared(D, others, resolution(D, link, tau, "link", r"\lambda"), volumetric, "link")
        levels = E * link * (EXCESS + log(A / link)) + SHARES[True] * A * sqrt(2 * rest / n)
        by_norms = D.let("Rad_norms", rf"{COMPLEXITY}^{{\mathrm{{norms}}}}", Min(A, levels),
                         "as many levels as serve best, none below one link", "maurey/levels")  # fmt: skip
        return D.let("Rad", COMPLEXITY, Min(by_count, by_norms), "the smaller one")
