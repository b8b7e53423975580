"""Checks of Lintilhac and Shaikh 2026."""
