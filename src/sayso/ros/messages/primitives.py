"""Names of primitives in `/execute_primitive` that are no skills of a library."""

BE_GUIDED = "be_guided"
"""The arm goes as a person wishes: `sayso.skills.guiding`."""
