"""What `sayso eval cape` offers."""

from collections.abc import Mapping

PARTS: Mapping[str, str] = {
    "gold": "the data set's programs as they are",
    "scratch": "plans made from the goal alone",
    "perturbed": "the programs with one error in each, repaired without a model",
    "retrieved": "the program of the most alike other task, adapted to the scene and repaired",
    "steps": "random steps: do the operators allow what the simulator does?",
}
GOALS = ("known", "hidden")
"""Whether the repairs of perturbed programs see the goal, or the program alone."""
TITLES = ("held out", "shared")
"""Whether other tasks of a task's own title may be retrieved for it."""
