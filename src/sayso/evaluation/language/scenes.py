"""Things of a scene, as far as sentences speak of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sayso.core.geometry import Vector3
from sayso.core.scene import AttributeValue


@dataclass(frozen=True)
class Thing:
    """One thing.

    Attributes:
        name: unique in the scene.
        category: what kind of thing it is, such as `block`.
        color: a colour's name, or ''.
        position: its centre [m], x forward from the robot, y to its left, z up.
        size: extents along the axes [m].
        attributes: as `SceneObject` has them.
    """

    name: str
    category: str
    color: str
    position: Vector3
    size: Vector3
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict, hash=False)


def read_scene(path: Path) -> tuple[Thing, ...]:
    """The things of a scene file: a JSON list of objects with the fields of `Thing`."""
    return tuple(_thing(entry) for entry in json.loads(path.read_text(encoding="utf-8")))


def _thing(entry: Mapping[str, Any]) -> Thing:
    x, y, z = map(float, entry["position"])
    length, width, height = map(float, entry["size"])
    return Thing(
        entry["name"], entry["category"], entry["color"], (x, y, z), (length, width, height),
        entry.get("attributes", {}),
    )  # fmt: skip
