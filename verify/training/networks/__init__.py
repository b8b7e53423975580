"""The papers' networks with all trials in one tensor: shapes, initial weights, outputs.
A network knows its configuration and its inputs, not its task's loss or its optimiser."""
