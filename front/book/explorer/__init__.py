"""The explorer: sliders that recompute every bound in the page."""
