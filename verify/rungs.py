"""The words in which evidence is told."""

# strongest first
RUNGS = ("proved", "identity", "derived", "constructed", "tested", "trained", "axiom", "refuted")
SEVERITIES = ("false", "hypothesis", "misprint", "proof")  # of an entry of the errata, gravest first
VERDICTS = ("holds", "fails", "undecided")
EFFORTS = ("quick", "normal", "hard")
BESIDES = "besides: "  # begins a note that decides nothing, and stands in the errata all the same
