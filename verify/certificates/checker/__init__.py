"""Certificates verified again, by code that shares no function with what makes them: only their words and fixed
numbers. Nothing is inverted here; each bound that is printed is put to its test once."""
