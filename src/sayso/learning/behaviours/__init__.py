"""Behaviours from play and words: predicates, operators, bodies, and what verifies them (BLADE)."""
