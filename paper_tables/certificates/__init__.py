"""Exhibits of our own: what can be certified of networks that were trained here."""
