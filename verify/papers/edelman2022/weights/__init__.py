"""The attention heads and networks of appendix B, written down weight by weight, as printed and repaired.
Whether they keep what is claimed is checked one level up."""
