"""Inequalities attacked by gradient ascent over norm classes, and the forwards of all modules of the calculus.
What is called a violation here was confirmed in balls; which statements are attacked stands with their papers."""
