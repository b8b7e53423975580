"""What is trained, on what and for how long: configurations, what they are checked for, and the keys of their results.
Nothing here imports torch."""
