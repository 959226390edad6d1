"""A shelf, a can beside it, and a box on the table or on the can, without any physics."""

from __future__ import annotations

from dataclasses import replace

from sayso.core.scene import Scene, SceneObject

_SIZES = {"shelf": (0.24, 0.1, 0.03), "can": (0.06, 0.1, 0.07), "box": (0.066, 0.1, 0.05)}
OBJECTS = {"big_shelf": "shelf", "red_can": "can", "blue_box": "box"}
WORDS = "Put the red can on the big shelf."


def kitchen(box_on_can: bool = False, held: str = "") -> Scene:
    box = (0.3, 0.07) if box_on_can else (0.6, 0.0)
    placed = [_thing("big_shelf", 0.0, 0.0), _thing("red_can", 0.3, 0.0), _thing("blue_box", *box)]
    return Scene(0.0, tuple(replace(o, carried=o.name == held) for o in placed))


def _thing(name: str, x: float, bottom: float) -> SceneObject:
    size = _SIZES[OBJECTS[name]]
    return SceneObject(name, OBJECTS[name], "", (x, 0.0, bottom + size[2] / 2), size)
