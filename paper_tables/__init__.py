"""The papers' tables and figures, made again: one folder per exhibit, found by walking the package."""
