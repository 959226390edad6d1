"""What `sayso eval halp` offers."""

from sayso.worlds.persons.hand_plans import PLANS

TASKS = tuple(PLANS)
SHOWN_SKILLS = ("hang",)
"""What the demo shows."""
PARTS = ("skills", "decisions")
