"""Appendices as a whole: what they say is in the claims that they use."""

from maurey.verify.checks import exempt

exempt("says how experiments were made; lintilhac2026/gap holds them against runs", "lintilhac2026/A")
exempt("an overview of the claims that it uses", *(f"lintilhac2026/{letter}" for letter in "CEFGIJKLM"))
