"""The data of each task, its loss and its tests.
Networks do not live here, nor when to stop a list of trials."""
