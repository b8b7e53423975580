"""Modules of torch in memory: what they do, recorded on an example, and put together from modules of the calculus.
A function that is not known is refused."""
