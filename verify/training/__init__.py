"""Small networks trained on Boolean functions of hidden positions and on token regression, many trials at a time."""
