"""Checks of Lintilhac and Shaikh 2026, by kind of argument, and what only they need.
Keys of other papers are not registered here, and nothing else imports these checks but the exhibits and tests."""

from maurey.verify.checks import exempt

exempt("says how experiments were made; lintilhac2026/gap holds them against runs", "lintilhac2026/A")
exempt("an overview of the claims that it uses", *(f"lintilhac2026/{letter}" for letter in "CEFGIJKLM"))
