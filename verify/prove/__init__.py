"""Decision procedures: identities by rewriting, polynomial inequalities by z3, others by certified subdivision.
Nothing here samples, but for `maurey.check` on functions; which claim is proved by what stands with its paper."""
