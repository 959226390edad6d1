"""Controlled English for a mobile robot in a flat, where places are visited and things delivered.

Chosen by the library: one with the predicate `near` speaks this language, others that of a table.
"""
