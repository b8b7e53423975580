"""The network of appendix B and what is done to it: run, differentiated, perturbed, rescaled, and asked bit by bit.
What the paper claims of it is checked one level up."""
