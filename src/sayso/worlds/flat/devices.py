"""What a simulated building says of its doors and lamps, as a smart home does."""

from __future__ import annotations

from sayso.core.scene import SceneObject
from sayso.perception.categories import category_of
from sayso.worlds.flat.flat_world import FlatWorld


def reported(world: FlatWorld) -> tuple[SceneObject, ...]:
    """Each device and its attributes: a lamp where the flat had it at first, a leaf where it is."""
    installed = {i.name: i.centre for i in world.scene.items}
    return tuple(
        SceneObject(
            o.name,
            category_of(o.category),
            o.color,
            installed.get(o.name, o.position),
            o.size,
            o.orientation,
            last_seen_s=o.last_seen_s,
            attributes=o.attributes,
        )
        for o in world.truth()
        if o.attributes
    )
