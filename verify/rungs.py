"""The words in which evidence is told."""

# strongest first
RUNGS = ("identity", "proved", "derived", "constructed", "tested", "trained", "axiom", "refuted")
VERDICTS = ("holds", "fails", "undecided")
EFFORTS = ("quick", "normal", "hard")
