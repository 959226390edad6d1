"""Domains to learn in: what can be done and wanted there, and what is true, as data."""

KITCHEN = ("store", "table", "cook")
"""StoreObjects, SetTable and CookMeal, in real physics."""
SHIPPED = ("lighting", "sorting", "discs", "tools")
"""Those that are a file alone."""
NAMES = (*KITCHEN, *SHIPPED)
