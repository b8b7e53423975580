"""Checks of Lintilhac and Shaikh 2026, by kind of argument."""

from maurey.verify.checks import exempt

exempt("says how experiments were made; lintilhac2026/gap holds them against runs", "lintilhac2026/A")
exempt("an overview of the claims that it uses", *(f"lintilhac2026/{letter}" for letter in "CEFGIJKLM"))
