"""What `sayso eval cape` offers."""

PARTS = ("gold",)
"""gold: the data set's own programs as they are."""
