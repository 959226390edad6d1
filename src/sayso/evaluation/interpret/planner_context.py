"""What the compared planners are told: actions, what is seen, and what holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate, symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import in_words
from sayso.evaluation.interpret.episodes import Deed

ACTIONS: Mapping[str, tuple[str, str]] = {
    "pick_up": ("a", "grasp a from above and lift it"),
    "place_on_table": ("a", "put a, which is held, on a free place of the table"),
    "place_first_on_second": ("a b", "put a, which is held, on b"),
    "push_plate_on_object": ("a b", "push the plate a, with nothing in the hand, onto b"),
    "place_first_in_second": ("a b", "put a, which is held, into b"),
    "get_water_from_faucet": ("a", "hold a under the faucet until it has water"),
    "pour_water_from_first_to_second": ("a b", "pour the water of a, which is held, into b"),
}
"""Skill -> what it takes and does: no more than its name and a person's manual would tell."""


def actions_text(skills: Mapping[str, int]) -> str:
    """A line for each action."""
    return "\n".join(f"- {s} {ACTIONS[s][0]}: {ACTIONS[s][1]}." for s in sorted(skills))


def things(scene: Scene) -> dict[str, dict[str, Any]]:
    """What is seen of each thing, as plain values."""
    return {
        o.name: {
            "category": o.category,
            "color": o.color,
            "position": [round(float(v), 4) for v in o.position],
            "size": [round(float(v), 4) for v in o.size],
            "water": _rounded(o.number("water_l")),
            "held": o.carried,
        }
        for o in scene.objects
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def gripper(scene: Scene) -> dict[str, Any]:
    """What is known of the gripper, as plain values."""
    robot = scene.robot
    return {
        "width": round(robot.gripper_width_m, 4),
        "max_width": robot.gripper_max_width_m,
        "position": [round(float(v), 4) for v in robot.gripper.position],
    }


def scene_text(scene: Scene) -> str:
    """What is seen, a line for each thing."""
    lines = [f"{name}: {json.dumps(about)}" for name, about in things(scene).items()]
    return "\n".join(
        [*lines, f"gripper: {json.dumps(gripper(scene))}", f"table height: {scene.table_height_m}"]
    )


def facts_text(scene: Scene, predicates: Mapping[str, Predicate]) -> str:
    """All that is true by these predicates, a line for each fact."""
    state = symbolic_state(scene, predicates)
    facts = []
    for atom in sorted(state.true_atoms()):
        english = predicates[atom.predicate].english
        facts.append(english.format(*map(in_words, atom.args)) if english else str(atom))
    return "\n".join(facts)


def history_text(deeds: Sequence[Deed]) -> str:
    """What was done, a line for each action."""
    return "\n".join(f"{d}: {'done' if d.worked else 'failed'}" for d in deeds) or "nothing yet"


def checked(
    skill: str, args: Sequence[object], skills: Mapping[str, int], scene: Scene
) -> tuple[str, tuple[str, ...]]:
    """A step that the robot can be told. Raises INVALID for an unknown action or thing."""
    if skill not in skills:
        raise SaySoError(Code.INVALID, f"there is no action '{skill}'.", choices=(*skills, "done"))
    if len(args) != skills[skill]:
        raise SaySoError(Code.INVALID, f"{skill} takes {skills[skill]} things, got {len(args)}.")
    names = [o.name for o in scene.objects]
    for arg in args:
        if arg not in names:
            raise SaySoError(Code.INVALID, f"{skill}: there is no '{arg}'.", choices=names)
    if len(set(map(str, args))) < len(args):
        raise SaySoError(Code.INVALID, f"{skill}: one thing cannot be both.")
    return skill, tuple(map(str, args))
