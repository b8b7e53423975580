"""Checks of the results on recurrent networks (5 to 7, and appendices B and C), and the networks they need.
Transformers and feed-forward networks are checked one level up."""
