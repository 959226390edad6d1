"""A scene in English, with units; for people, and as data in prompts."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.core.predicates import Predicate
from sayso.core.scene import SceneObject
from sayso.core.symbols import SymbolicState, in_words
from sayso.perception.scene_graph import SceneGraph
from sayso.perception.scene_text import paragraph

FACTS = ("on_table", "open", "closed", "holding", "gripper_empty")
"""Predicates worth telling; the graph tells what is in and on what."""


def describe_scene(
    graph: SceneGraph,
    state: SymbolicState | None = None,
    predicates: Mapping[str, Predicate] | None = None,
    *,
    relations: bool = True,
) -> str:
    """One line for each object, what holds if a symbolic state is given, and, where relations are
    told, how all lies.

    Positions are those of the boxes' centres in the scene's frame, seen from the robot's base:
    ahead is +x, left is +y, up is +z.
    """
    objects = graph.scene.objects
    count = len(objects)
    head = "Nothing is seen." if not count else f"{count} thing{'s' * (count > 1)} seen:"
    lines = [head, *(f"- {describe_object(o)}" for o in objects)]
    if state is not None and predicates is not None:
        lines += _facts(state, predicates)
    if count and relations:
        lines.append(paragraph(graph))
    return "\n".join(lines)


def describe_object(thing: SceneObject) -> str:
    """Name, kind, place and size of one object."""
    x, y, z = thing.position
    kind = " ".join(w for w in (thing.color, thing.category) if w)
    place = (
        f"{abs(x):.2f} m {_side(x, 'ahead', 'back')}, {abs(y):.2f} m {_side(y, 'left', 'right')}"
    )
    size = " x ".join(f"{1000 * s:.0f}" for s in thing.size)
    text = f"{thing.name}: {kind}, {place}, {z:.2f} m up, {size} mm"
    if (opening_m := thing.number("opening_m")) is not None:
        text += f", open by {1000 * opening_m:.0f} mm"
    if thing.carried:
        return text + ", in the hand"
    return text if thing.visible else text + ", hidden now"


def _side(value: float, positive: str, negative: str) -> str:
    return positive if value >= 0 else negative


def _facts(state: SymbolicState, predicates: Mapping[str, Predicate]) -> list[str]:
    sentences = []
    for atom in sorted(state.true_atoms()):
        predicate = predicates.get(atom.predicate)
        if atom.predicate in FACTS and predicate is not None and predicate.english:
            text = predicate.english.format(*map(in_words, atom.args))
            sentences.append(f"{text[0].upper()}{text[1:]}.")
    return sentences
