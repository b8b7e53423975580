"""Checks of Trauger and Tewari 2024, by kind of argument."""
