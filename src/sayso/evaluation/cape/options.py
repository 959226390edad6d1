"""What `sayso eval cape` offers."""

from collections.abc import Mapping

PARTS: Mapping[str, str] = {
    "gold": "the data set's programs as they are",
    "scratch": "plans made from the goal alone",
    "perturbed": "the programs with one error in each, repaired without a model",
    "steps": "random steps: do the operators allow what the simulator does?",
}
GOALS = ("known", "hidden")
"""Whether the repairs of perturbed programs see the goal, or the program alone."""
