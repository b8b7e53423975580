"""Edelman, Goel, Kakade, Zhang: Inductive Biases and Variable Creation in Self-Attention Mechanisms (2022).

Numbers are those of the ICLR 2022 submission. Matrix norms: the (p, q) norm takes the p-norm of each column, then
the q-norm of those; so the largest token norm is the (2, inf) norm of the transposed token matrix.
"""
