"""Predicates written without a language model: a search over small programs."""
