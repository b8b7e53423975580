"""Exhibits of our own: models of one family, drawn and trained here, and every bound that applies to them."""
