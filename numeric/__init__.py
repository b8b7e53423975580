"""What a form evaluates to: plain (mpmath), certified (Arb) and over grids (NumPy)."""
