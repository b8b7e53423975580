"""What is claimed, and what follows from it. Imports nothing else of Maurey."""
