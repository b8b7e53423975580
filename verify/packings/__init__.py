"""Lower bounds on covering numbers, certified: packings, counting and volume, and covering claims attacked with them.
Sizes are exact integers or balls, never floats; covers that are built live in `covers`."""
