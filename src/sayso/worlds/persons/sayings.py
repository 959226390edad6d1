"""How a simulated person says things: for each the plain wording first, then others.

`{a}` and `{b}` stand for a predicate's objects, `{x}` for a third one that is to blame, `{action}`
for the action in words and `{why}` for a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

STYLES = ("plain", "varied")
"""Always the first wording; any of them."""

Wordings = tuple[str, ...]

REASONS: Mapping[tuple[str, bool], Wordings] = {
    ("gripper_empty", False): (
        "the gripper is already occupied",
        "your hand is full",
        "you are already holding something",
        "you are still holding {x}",
        "there is already something in the gripper",
    ),
    ("holding", False): (
        "{a} is not in the gripper",
        "you are not holding {a}",
        "the gripper does not hold {a}",
        "you have not picked up {a} yet",
    ),
    ("clear", False): (
        "something is on {a}",
        "there is something on top of {a}",
        "{x} is standing on {a}",
        "{a} has another thing on top",
        "{a} is not clear",
    ),
    ("contained", True): (
        "{a} is in a container",
        "{a} is inside another thing",
        "{a} is in {x}",
        "{a} lies in {x}",
    ),
    ("graspable", False): (
        "{a} is too wide to be grasped",
        "{a} does not fit into the gripper",
        "{a} is too big for the hand",
        "the gripper does not open wide enough for {a}",
    ),
    ("plate", False): (
        "{a} is not a plate",
        "{a} isn't a plate",
        "{a} is no plate",
        "only plates can be pushed and {a} is not a plate",
    ),
    ("thin", False): (
        "{a} is not thin enough, its height is greater than 16 mm",
        "{a} is too thick, it is higher than 16 mm",
        "{a} is too high",
        "{a} is not flat enough",
    ),
    ("container", False): (
        "{a} is not a container, only cups, pots and baskets are containers",
        "{a} isn't a container",
        "{a} is no container",
        "{a} is not a container because only a cup, a pot or a basket is a container",
    ),
    ("food", False): (
        "{a} is not food",
        "{a} isn't food",
        "{a} is no food",
        "{a} is not something to eat",
    ),
    ("roomy", False): (
        "{a} is too small to contain food, its width is smaller than 10 cm",
        "{a} is not big enough for food",
        "{a} has no room for food",
        "{a} is too narrow, its width is less than 10 cm",
    ),
    ("has_water", True): (
        "{a} already contains water",
        "{a} is already full of water",
        "there is already water in {a}",
        "{a} has water in it",
    ),
    ("has_water", False): (
        "{a} has no water",
        "there is no water in {a}",
        "{a} does not contain any water",
        "{a} is empty",
    ),
    ("on", False): (
        "{a} is not yet on {b}",
        "you have not put {a} on {b}",
        "{a} has not been put on {b}",
        "{a} still has to go on {b}",
    ),
    ("in", False): (
        "{a} is not yet in {b}",
        "you have not put {a} into {b}",
        "{a} has not been put in {b}",
        "{a} still has to go into {b}",
    ),
    ("on_table", False): (
        "{a} is not on the table",
        "you have not put {a} on the table",
        "{a} is not yet on the table",
        "{a} has to be placed on the table",
    ),
}
"""(Predicate, whether it holds now) -> how that is said where it is what is wrong."""

INFEASIBLE: Wordings = (
    "You cannot {action} because {why}.",
    "You can't do that because {why}.",
    "That is not possible, {why}.",
    "No, it is not possible to {action} since {why}.",
    "That will not work: {why}.",
)
UNSATISFIED: Wordings = (
    "You have not reached the goal because {why}.",
    "Not done yet: {why}.",
    "The task is not finished because {why}.",
    "The goal is not reached, {why}.",
)
FEASIBLE: Wordings = ("You can {action}.", "Yes, go ahead.", "Sure, do that.", "That is fine.")
REACHED: Wordings = (
    "You have reached the goal.",
    "Well done!",
    "Great, that is it.",
    "The task is done.",
)
VAGUE_ACTION: Wordings = (
    "You cannot do that.",
    "That does not work.",
    "No, that will not work.",
    "That is wrong.",
)
VAGUE_GOAL: Wordings = (
    "You have not reached the goal.",
    "Not done yet.",
    "The task is not finished.",
    "Not quite there yet.",
)
YES: Wordings = ("Yes.", "Yes, that is right.", "Correct.", "That is so.")
NO: Wordings = ("No.", "No, that is not so.", "That is wrong.", "No, it is not.")
UNKNOWN: Wordings = ("I do not know.", "I cannot say.", "No idea.", "That I do not know.")

GOALS: Mapping[tuple[str, bool], Wordings] = {
    ("on", True): ("Put {a} on {b}", "Place {a} on top of {b}", "I want {a} to be on {b}"),
    ("in", True): ("Put {a} in {b}", "Place {a} inside {b}", "I want {a} to be in {b}"),
    ("on_table", True): (
        "Put {a} on the table",
        "Place {a} on the table",
        "{a} should be on the table",
    ),
    ("has_water", True): ("Fill {a} with water", "Pour water into {a}", "I want water in {a}"),
}
"""Predicate of a one-part goal, and whether it shall be so -> how it is asked for."""

ORDER = (
    "plate", "holding", "gripper_empty", "clear", "contained", "graspable", "container", "food",
    "roomy", "has_water", "thin", "on_table", "on", "in",
)  # fmt: skip
"""What a person remarks on first."""


@dataclass(frozen=True)
class Sayings:
    """How the predicates of a domain are spoken of, in the form of `REASONS`, `GOALS`, `ORDER`."""

    reasons: Mapping[tuple[str, bool], Wordings]
    goals: Mapping[tuple[str, bool], Wordings]
    order: tuple[str, ...]


HOUSEHOLD = Sayings(REASONS, GOALS, ORDER)
"""Of the table and the 2D kitchen."""
