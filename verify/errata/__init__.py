"""Printed against derived: points, rays and edges at which a printed form falls short, and sentences on it.
No objects are built or attacked here: what violates a claim comes from the checks."""
