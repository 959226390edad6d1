"""What `sayso eval halp` offers."""

from sayso.worlds.persons.hand_plans import PLANS

TASKS = tuple(PLANS)
PARTS = ("skills", "decisions")
