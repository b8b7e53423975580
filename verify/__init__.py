"""Whether it is true: checks attach to claims from here, by key."""
