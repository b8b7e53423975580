"""Real checkpoints, read as compositions of modules: files, families, and norms that are certified.
Nothing is executed that a file holds, and nothing is fetched; bounds come from the calculus."""
