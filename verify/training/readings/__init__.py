"""What is measured on trained networks: norms, sharpness, and their trajectories as instances for claims.
Readings are doubles; what is certified from them lives in `certificates`."""
