"""Whether an inequality holds on a box: cells, ties, reductions, search.
Nothing here reads what a user wrote: a question becomes a problem in `questions`."""
