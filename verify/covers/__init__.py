"""Covers that are built: from a member of a class to its centre, with the number of centres.
Upper bounds on covering numbers only; lower bounds are packings."""
