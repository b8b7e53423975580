"""Numbers as checkpoints store them: exact as doubles, their norms certified, their bits coded.
Nothing here knows of networks."""
