"""Covers that are built: from a member of a class to its centre, with the number of centres.
Lower bounds come from `packings`; here they are only set beside what was built (`constructions`)."""
