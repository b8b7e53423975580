"""Whether an inequality holds on a box: cells, ties, reductions, search."""
