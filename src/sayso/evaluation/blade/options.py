"""What `sayso eval blade` offers."""

LABELS = ("propagated", "ends")
"""Predicates are learned from what words tell along plays, or just before and after alone."""
