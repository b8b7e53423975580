"""Small Transformers trained on Boolean functions of hidden positions, many trials at a time."""
