"""What `sayso eval cape` offers."""

from collections.abc import Mapping

PARTS: Mapping[str, str] = {
    "gold": "the data set's programs as they are",
    "scratch": "plans made from the goal alone",
    "perturbed": "the programs with one error in each, repaired without a model",
    "words": "plans that a model says, or the program of the most alike other task, by --strategy",
    "errands": "somebody's plans with errors for six errands in a kitchen and a lab, repaired "
    "without a model, as they are and with --copies of each error more",
    "steps": "random steps: do the operators allow what the simulator does?",
}
GOALS = ("known", "hidden")
"""Whether repairs see the goal, or the plan alone, and a model is told it, or the title alone."""
TITLES = ("held out", "shared")
"""Whether other tasks of a task's own title may be an example, or be retrieved, for it."""
PLANS = ("steps", "whole")
"""Whether a model is asked for a plan step by step, or for all of it."""
