"""Names for things: colour and kind, with a number where there are several."""

from __future__ import annotations

from collections.abc import Container

from sayso.core.scene import SceneObject


def name_for(thing: SceneObject, taken: Container[str]) -> str:
    """A name that is not taken, such as `brown_table` or `green_plush_toy_2`."""
    stem = "_".join((*thing.color.split(), *thing.category.split()))
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    return name
