"""Checks of what a Gaussian perturbation does to the network: Lemmas 19 to 31 and Theorems 6, 12, 17 and 18.
The perturbed networks themselves live in `network`."""
