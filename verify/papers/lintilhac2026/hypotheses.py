"""What Theorem 2 of Lintilhac and Shaikh assumes, on a case at hand: what holds, what is assumed, what fails, and what
becomes of the bound once an assumption is replaced by what was measured.

The bound is slope sigma^2 + 2 sqrt(Sigma^2/(2m) (norm^2/(2 sigma^2) + log(1/delta))), with the slope G_u (P = 0) and
the norm of the construction, for losses with the sub-Gaussian constant Sigma.

Whose constant? The proof averages over the prior, so that Sigma must serve for almost every network of N(0, sigma^2 I).
None does: along v_2 -> infinity the standard deviation of the squared loss over strings, which no Sigma is below, has
no bound, and these are open sets of networks. Two ways out. Losses clipped at b have b/2. Or every network keeps a
constant Sigma_theta of its own: E exp(lambda (L - L_hat) - lambda^2 Sigma_theta^2/(2m)) <= 1 over the sample for each,
hence for the mean over the prior, and by Markov and Donsker-Varadhan, for all posteriors rho at once,

  E_rho L <= E_rho L_hat + (KL + log(1/delta))/lambda + lambda E_rho Sigma_theta^2/(2m)

with probability 1 - delta: the mean square over the posterior may stand for Sigma^2. What is measured on the learned
network alone may not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache

from sympy import Float

from maurey.numeric.evaluation import value_of
from maurey.symbolic import pacbayes
from maurey.symbolic.derivation import Derivation, Step
from maurey.symbolic.names import symbols

HOLDS, ASSUMED, FAILS = "holds", "assumed", "fails"
CLIP = 1.0  # of losses
CONSTANT = 0.25  # squared loss of the best constant: parities of different sets are uncorrelated, and |c| = 1
MESH = 20  # values of sigma of which the paper takes the best
EXACT, SURE = 1e-20, 3.0  # what counts as no loss; standard errors
Estimate = tuple[float, float]  # and its standard error


@dataclass(frozen=True)
class Terms:
    """All that the bound is made of."""

    loss: float  # of a drawn network on the sample
    norm_squared: float
    Sigma: float
    sigma: float
    m: int
    delta: Fraction = Fraction(1, 20)
    grid: int = 1  # values that sigma could have had
    before: bool = True  # the norm is known before the sample is seen, and lambda is the best for it

    @property
    def bound(self) -> Decimal:
        """Certified from these numbers on."""
        from maurey.verify.certificates.gaps import upper

        numbers = {"loss_hat": self.loss, "norm_squared": self.norm_squared, "Sigma": self.Sigma, "sigma": self.sigma}
        exact = {name: Fraction(x) for name, x in numbers.items()}
        exact |= {"m": Fraction(self.m), "delta": self.delta, "grid": Fraction(self.grid)}
        return upper(value_of(_steps(self.before), exact))


@cache
def _steps(before: bool) -> list[Step]:
    """If the norm is known only after, lambda is one of as many values as sigma."""
    loss_hat, norm_squared, Sigma, sigma, m, delta, grid = symbols("loss_hat norm_squared Sigma sigma m delta grid")
    D = Derivation()
    KL = pacbayes.divergence(D, norm_squared, sigma)
    if before:
        K = pacbayes.complexity(D, KL, pacbayes.confidence(D, delta, grid))
        excess = pacbayes.tuned_before(D, K, Sigma, m)
    else:
        share = D.let("share", r"\delta_g", delta / grid, "for each deviation")
        excess = pacbayes.tuned_after(D, KL, Sigma, m, share, grid)
    return D.steps_to(D.let("risk", "", loss_hat + excess, "the mean loss on the sample, and the excess"))


def best_sigma(slope: float, norm_squared: float, Sigma: float, m: int) -> float:
    """Where slope sigma^2 and the root are smallest together, but for log(1/delta)."""
    return float(pacbayes.best_sigma(Float(slope), Float(norm_squared), Float(Sigma), m))


def on_mesh(sigma: float) -> float:
    """The nearest of the values 1, 1/2, 1/4, ..., which are fixed before anything is measured."""
    return 2.0 ** min(0, max(1 - MESH, round(math.log2(sigma))))


@dataclass(frozen=True)
class Case:
    """What the paper puts in: the numbers of the construction, and a constant."""

    G_u: float
    L: float
    Sigma: float
    m: int

    @property
    def sigma(self) -> float:
        return best_sigma(self.G_u, self.L, self.Sigma, self.m)

    @property
    def terms(self) -> Terms:
        return Terms(self.G_u * self.sigma**2, self.L, self.Sigma, self.sigma, self.m)


@dataclass(frozen=True)
class Network:
    """What was measured of a network. Draws are from N(network, sigma^2 I); what is None was not measured."""

    loss: float  # on the sample
    norm_squared: float
    trace: float  # of the Hessian of the loss on the sample
    risk: float  # on other strings
    gradient: float | None = None  # the norm of the gradient of the loss on the sample
    drawn_loss: Estimate | None = None  # of drawn networks
    flipped: float | None = None  # share of the ReLUs on which the output depends that a draw turns on or off
    Sigma: Mapping[str, float] = field(default_factory=dict)  # learned; posterior, root mean square; prior, the least
    Sigma_error: float = 0.0  # standard error of that of the posterior


@dataclass(frozen=True)
class Hypothesis:
    """What is asked, whether it is so, the numbers, and the bound with something else in its place."""

    name: str
    asks: str
    status: str
    found: str
    numbers: Mapping[str, float]
    instead: str
    bound: Decimal


def audit(case: Case, of: Network) -> list[Hypothesis]:
    """Each assumption replaced on its own, and last all of them."""
    return [*_fit(case, of), *_domination(case, of), *_constants(case, of), *_choices(case, of), *_together(case, of)]


def _shown(x: float) -> str:
    """Without what is left of a zero by rounding."""
    return "0" if x**2 < EXACT else f"{x:.3g}"


def _fit(case: Case, of: Network) -> Iterator[Hypothesis]:
    terms = case.terms
    yield Hypothesis(
        name="interpolation",
        asks="the network makes no error on the sample",
        status=HOLDS if of.loss < EXACT else FAILS,
        found=f"its loss is {_shown(of.loss)}",
        numbers={"loss": of.loss},
        instead="the loss is added",
        bound=replace(terms, loss=terms.loss + of.loss).bound,
    )
    if of.gradient is not None:
        yield Hypothesis(
            name="stationarity",
            asks="the gradient of the loss vanishes",
            status=HOLDS if of.gradient**2 < EXACT else FAILS,
            found=f"its norm is {_shown(of.gradient)}",
            numbers={"gradient": of.gradient},
            instead="nothing: a linear term has mean 0 over symmetric draws",
            bound=terms.bound,
        )
    asks = "the loss of drawn networks is at most G_u sigma^2: P = 0, and no ReLU turns on or off"
    if of.drawn_loss is None:
        yield Hypothesis(
            name="expansion",
            asks=asks,
            status=ASSUMED,
            found="not measured",
            numbers={},
            instead="nothing",
            bound=terms.bound,
        )
        return
    mean, error = of.drawn_loss
    high, flipped = mean + SURE * error, of.flipped or 0.0
    yield Hypothesis(
        name="expansion", asks=asks, status=HOLDS if high <= terms.loss and not flipped else FAILS,
        found=f"it is {mean:.3g} +- {error:.2g}, against {terms.loss:.3g}; {flipped:.2g} of the ReLUs turn on or off",
        numbers={"drawn_loss": mean, "error": error, "counted": terms.loss, "flipped": flipped},
        instead=f"what was measured, and {SURE:g} standard errors", bound=replace(terms, loss=high).bound,
    )  # fmt: skip


def _domination(case: Case, of: Network) -> Iterator[Hypothesis]:
    terms = case.terms
    yield Hypothesis(
        name="norm", asks="the squared norm is at most L", status=HOLDS if of.norm_squared <= case.L else FAILS,
        found=f"{of.norm_squared:.5g} against {case.L:.5g}", numbers={"norm_squared": of.norm_squared, "L": case.L},
        instead="the norm itself, as if known beforehand", bound=replace(terms, norm_squared=of.norm_squared).bound,
    )  # fmt: skip
    yield Hypothesis(
        name="sharpness", asks="the trace of the Hessian is at most 2 G_u, also after a perturbation",
        status=ASSUMED if of.trace <= 2 * case.G_u else FAILS,
        found=f"{of.trace:.5g} against {2 * case.G_u:.5g} before, not measured after",
        numbers={"trace": of.trace, "2 G_u": 2 * case.G_u}, instead="the trace itself",
        bound=replace(terms, loss=max(of.trace, 0.0) / 2 * terms.sigma**2).bound,
    )  # fmt: skip


def _constants(case: Case, of: Network) -> Iterator[Hypothesis]:
    terms, told = case.terms, ", ".join(f"{who} {_shown(value)}" for who, value in of.Sigma.items())
    yield Hypothesis(
        name="one constant for the prior",
        asks=f"Sigma = {case.Sigma:g} serves for almost every network of the prior",
        status=FAILS,
        found=f"no number does; measured: {told or 'nothing'}",
        numbers=dict(of.Sigma) | {"Sigma": CLIP / 2},
        instead=f"losses clipped at {CLIP:g}",
        bound=replace(terms, Sigma=CLIP / 2).bound,
    )
    if "posterior" in of.Sigma:
        own, give = of.Sigma["posterior"], SURE * of.Sigma_error
        asks = "is no less than the root mean square over the posterior, which would do"
        found = f"{own:.3g} +- {of.Sigma_error:.2g}, an estimate by strings that grows with their number"
    else:
        own, give = of.Sigma.get("learned", case.Sigma), 0.0
        asks = "is no less than that of the learned network, which tells little"
        found = f"{own:.3g}, an estimate by strings"
    yield Hypothesis(
        name="a constant for each network",
        asks=f"Sigma = {case.Sigma:g} {asks}",
        status=ASSUMED if own - give <= case.Sigma else FAILS,
        found=found,
        numbers={"own": own, "error": of.Sigma_error, "Sigma": own + give},
        instead="that estimate" + (f", and {SURE:g} standard errors," if give else "") + " as if known beforehand",
        bound=replace(terms, Sigma=own + give).bound,
    )


def _choices(case: Case, of: Network) -> Iterator[Hypothesis]:
    terms, drawn = case.terms, of.drawn_loss
    yield Hypothesis(
        name="one predictor",
        asks="the bound, which is on drawn networks, is read as one on the network itself",
        status=ASSUMED,
        found=f"its risk is {_shown(of.risk)}" + (f", of drawn ones {drawn[0]:.3g} +- {drawn[1]:.2g}" if drawn else ""),
        numbers={"risk": of.risk},
        instead="nothing: the bound remains one on drawn networks",
        bound=terms.bound,
    )
    yield Hypothesis(
        name="sigma beforehand", asks="sigma and lambda are fixed before the sample is seen", status=ASSUMED,
        found="both are functions of G_u, L, m, delta and Sigma, which was taken from trained networks", numbers={},
        instead=f"the price of the best of {MESH} values",
        bound=replace(terms, grid=MESH).bound,
    )  # fmt: skip


def _together(case: Case, of: Network) -> Iterator[Hypothesis]:
    """The network's own loss, norm and trace, the price of both meshes, and one or the other reading of Sigma."""
    slope = max(of.trace, 0.0) / 2  # an estimate of a trace may be negative
    sigma = on_mesh(best_sigma(slope, of.norm_squared, CLIP / 2, case.m)) if slope else 1.0
    terms = Terms(of.loss + slope * sigma**2, of.norm_squared, CLIP / 2, sigma, case.m, grid=MESH, before=False)
    enough = {level: 27 * slope * of.norm_squared * (CLIP / 2) ** 2 / (4 * level**3) for level in (1, CONSTANT)}
    yield Hypothesis(
        name="all together, losses clipped",
        asks="its own loss, norm and trace, sigma and lambda from meshes",
        status=ASSUMED,
        found=f"sigma is then {sigma:.3g}; with the best of all sigma and no loss, m = {enough[1]:.2g} would make it "
        f"1, m = {enough[CONSTANT]:.2g} the loss of the best constant",
        numbers={"sigma": sigma, "m for 1": enough[1], "m for 1/4": enough[CONSTANT], "Sigma": CLIP / 2},
        instead="all of it, the loss of drawn networks to second order",
        bound=terms.bound,
    )
    if of.drawn_loss is not None and "posterior" in of.Sigma:
        high = of.drawn_loss[0] + SURE * of.drawn_loss[1]
        constant = of.Sigma["posterior"] + SURE * of.Sigma_error
        own = Terms(high, of.norm_squared, constant, case.sigma, case.m, grid=MESH)
        yield Hypothesis(
            name="all together, a constant for each network",
            asks="its own norm, what was measured of drawn networks",
            status=ASSUMED,
            found=f"estimates by draws and strings and {SURE:g} standard errors, as if known beforehand",
            numbers={"sigma": case.sigma, "Sigma": constant},
            instead="all of it",
            bound=own.bound,
        )
