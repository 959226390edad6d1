"""Learning with a language model: what people say is read, and predicates are written, by it."""
