"""The closed lists that every claim keeps to, for those who need no more of it than these words."""

FORMS = ("printed", "repaired", "derived", "sharp")
KINDS = (
    "definition",
    "assumption",
    "covering",
    "lipschitz",
    "optimization",
    "rademacher",
    "generalization",
    "representation",
    "construction",
    "approximation",
    "concentration",
    "packing",
    "lower-bound",
    "summary",
)
