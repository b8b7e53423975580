"""Checks by paper: one file for each, registered by key."""
