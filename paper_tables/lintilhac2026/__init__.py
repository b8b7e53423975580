"""Lintilhac and Shaikh 2026."""
