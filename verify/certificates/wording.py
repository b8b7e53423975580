"""The words and the fixed numbers of certificates: nothing here computes anything, and maker and checker both read it.

What a certificate rests on is either checked, by both, or stated, since no program can check it.
"""

from __future__ import annotations

from fractions import Fraction

METHODS = ("holdout", "prequential", "occam", "pac-bayes")
FIELDS = ("maurey", "method", "delta", "n", "empirical", "bound", "statement", "hypotheses", "inputs", "seeds", "parts",
          "digest")  # fmt: skip

# --- numbers ----------------------------------------------------------------------------------------------------------

UNIT = 1 << 40  # losses are rounded up to multiples of 1/UNIT
GRID = 10**12  # means and bounds are rounded up to multiples of 1/GRID
FINE = 1 << 16  # stakes are multiples of 1/FINE, rounded down
CAP = Fraction(3, 4)  # of what would keep the capital from being negative, the share that a stake may be
SLOPES = tuple(Fraction(1, 2**j) for j in range(1, 11))  # of martingale bounds
EXP_UNITS, ERF_UNITS = 8, 16  # of 2^-24: how well an execution knows these functions
DRAWS = Fraction(1, 5)  # of delta: with what probability drawn networks may mislead
SORTED = 12  # different losses that are in order of size were not drawn in this order
MOST_POOL, MOST_KL, FINEST = 10**12, 10**12, 10**30  # the largest pool and divergence, the largest denominator of delta

# --- sentences --------------------------------------------------------------------------------------------------------

SENTENCES = {
    "holdout": "With probability at least {sure} over the draw of the {n} samples, the risk of the hypothesis is at "
    "most {bound}.",
    "pool": "With probability at least {sure} over the draw of {n} of the {pool} members of the pool without "
    "replacement, the mean loss of the hypothesis over the pool is at most {bound}.",
    "prequential": "With probability at least {sure} over the draw of the samples, the mean risk of the hypotheses "
    "that met samples {first} to {last}, each fixed before its own, is at most {bound}; that is the risk of one of "
    "them picked uniformly.",
    "occam": "With probability at least {sure} over the draw of the {n} samples, for all messages at once, the risk of "
    "what this message of {bits} bits decodes to is at most {bound}.",
    "pac-bayes": "With probability at least {sure} over the draw of the {n} samples and of the {draws} networks, the "
    "risk of a network drawn from the posterior is at most {bound}.",
    "linear-head": "With probability at least {sure} over the draw of the {n} samples, the risk of a linear head drawn "
    "from N(b w, I), with w the head of the margins and b^2/2 = {KL}, is at most {bound}.",
    "executions": "With probability at least {sure} over the draw of the {n} samples, the probability of a sample on "
    "which some execution of the network errs is at most {bound}.",
}
LISTED = " It holds at once with the certificates of all others of the {of} that were listed."

# --- hypotheses -------------------------------------------------------------------------------------------------------

CHECKED, STATED = "checked", "stated"
RANGE = "all losses are in [0, 1]"
ZERO_ONE = "all losses are 0 or 1"
ONLY_ZERO_ONE = "the loss takes no other values than 0 and 1"
INDEPENDENT = "the samples were drawn independently, from the distribution that the risk is of"
OWN = "the losses are those of what is certified, on these samples, each of them counted once"
FIXED = "the hypothesis was fixed before these samples were looked at, by anyone or anything that it depends on"
POOL = (
    "the samples were drawn from the pool without replacement, all subsets equally likely, and the seed was not picked"
)
REST = "nothing of the pool was used for training; what was is not of the pool"
DIFFERENT = "no member of the pool is there twice"
IN_ORDER = "the order of the samples does not depend on their losses"
BEFORE = "every hypothesis was fixed before its sample was looked at"
ONE_RUN = "this is the only run on these samples; of several, each would get its share of delta"
WINDOW = "the first sample of the window was named before the samples were looked at"
CODE = "the code, and how a hypothesis is made from what is decoded, were fixed before the samples were looked at"
DECODED = "the message decodes to the integers of the decoded file, in the format of docs/certify.md"
OTHER_CODE = "the message decodes to the hypothesis by a program of the maker's own"
PRIOR = "the prior was fixed before the samples were looked at"
DRAWN = "the networks were drawn from the posterior itself, independently; what floats round is not of it"
MARGINS = "all margins are in [-1, 1], and the mean loss is that of the Gaussian around the head, in closed form"
FEATURES = "the features were fixed before the samples were looked at, none is 0, and the head has norm 1"
DIVERGENCE = "the divergence of the posterior from the prior is at most the number that was given"
GAUSSIANS = "the divergence is that of the Gaussians of the two files, rounded up"
ONCE = "these data have no other certificate in this folder, but for what is on one list, or is said of all messages"
NEVER = "these data were used for nothing else, here or elsewhere, that led to this hypothesis or to this certificate"
LIST = "the hypothesis is one of {of} on the list, and gets a share of 1/{of} of delta"
LISTED_BEFORE = "the list was made before these data were first used"
EXECUTIONS = "each loss that is 0 is 0 in every execution of the network within the stated errors of its operations"
OPERATIONS = (
    "sums, products, quotients and square roots are rounded within 2^-24, exp within {exp} and erf within {erf} units "
    "of 2^-24, relative; what is below 2^-126 may be lost; sums are taken in any order"
)
SAME = "by the count of the maker, {same} of the {n} samples have the content of a training sample, which is no offence"
