"""Bounds for one trained network: from its measured norms through the covers, or by PAC-Bayes from drawn networks.
Numbers are rounded upwards from the first measurement on; training and measuring live in `training`."""
