"""P. Lintilhac, S. Shaikh, A Sharper Picture of Generalization in Transformers, arXiv 2605.20988, 2026.

The formulas are lost in the text at hand; every claim says whether what counts as printed was recovered from public
material on the paper or reconstructed from its prose.
"""
