"""Exhibits of Trauger and Tewari 2024."""
