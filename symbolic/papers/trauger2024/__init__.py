"""Trauger and Tewari: Sequence Length Independent Norm-Based Generalization Bounds for Transformers (AISTATS 2024).

Matrix norms: the (q, p) norm takes the q-norm of each column, then the p-norm of those across the columns. The paper's
letters: B_x is B_X where tokens are bounded in l2 and B_X_1 where they are bounded in l1; B_w is B_w_1 in Theorem 4.1
and B_w in Theorem 4.2; B_{c2}, B_{v2}, B_{QK2} are B_C, B_V, B_QK; its sample size, m or n, is m.
"""
