"""The literature: one package per paper, one block of code per numbered result, in the paper's order."""
