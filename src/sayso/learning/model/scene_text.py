"""What was observed, as text for a language model: metres and litres, rounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sayso.core.predicates import SceneView
from sayso.core.scene import AttributeValue, Scene, SceneObject

_OTHERS = 8
_UNIT = re.compile("_(m|l)$")
"""How many objects are told besides those that are meant."""


def scene_in_words(scene: Scene, about: Sequence[str] = ()) -> str:
    """The robot's hand and the objects, those meant first, one in a line."""
    view = SceneView(scene)
    hand = (
        f"gripper: position {_numbers(view.gripper_position)}, width {_number(view.gripper_width)},"
        f" max width {_number(view.gripper_max_width)}; table height {_number(view.table_height)}"
    )
    by_name = scene.by_name()
    meant = [by_name[n] for n in dict.fromkeys(about) if n in by_name]
    others = [o for o in scene.objects if o not in meant][:_OTHERS]
    return "\n".join((hand, *(_object(view, o) for o in (*meant, *others))))


def _object(view: SceneView, thing: SceneObject) -> str:
    name = thing.name
    parts = [
        f"{name}: category {thing.category}",
        f"color {thing.color}" if thing.color else "",
        f"low {_numbers(view.low(name))}",
        f"high {_numbers(view.high(name))}",
        *(_attribute(*pair) for pair in sorted(thing.attributes.items(), reverse=True)),
        "carried" if thing.carried else "",
        "" if thing.visible else "hidden",
    ]
    return ", ".join(p for p in parts if p)


def _numbers(values: Iterable[float]) -> str:
    return f"[{', '.join(map(_number, values))}]"


def _number(value: float) -> str:
    return f"{round(float(value), 3) + 0.0:g}"


def _attribute(name: str, value: AttributeValue) -> str:
    """A number without its unit: the prompt says that metres and litres are meant."""
    if isinstance(value, str | bool):
        return f"{name} {value}"
    return f"{_UNIT.sub('', name)} {_number(value)}"
