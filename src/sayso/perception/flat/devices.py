"""What a building says of its own devices, laid over what was seen of them.

A smart home knows whether its doors stand open and its lamps are on. That is NOT perception, and
is told apart in the scene: a device that no camera shows is not `visible`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from sayso.core.predicates import SceneView
from sayso.core.scene import Scene, SceneObject
from sayso.perception.categories import is_a
from sayso.perception.flat.naming import name_for
from sayso.perception.leaves import OPEN

_OPENS = {OPEN, "lid_share"}
_BESIDE_M = 0.3
"""A box of the same sort of thing this near to where the building has a device shows the device."""


def with_devices(scene: Scene, devices: Sequence[SceneObject], kinds: Collection[str]) -> Scene:
    """The scene with all that opens, which may be in the way, and the devices that are looked for.

    A device that is seen keeps its observed box and colour, and is called what the building calls
    it. A door's leaf is where its drive has it, so no longer where it was seen at another opening.

    Args:
        devices: with attributes, each where the building has it [m, frame of the scene].
        kinds: nouns, such as "kitchen door".
    """
    wanted = [
        d
        for d in devices
        if _OPENS & d.attributes.keys() or any(is_a(d.category, kind) for kind in kinds)
    ]
    if not wanted:
        return scene
    seen = {o.name: o for o in scene.objects}
    told = [_shown(device, seen) for device in wanted]
    leaves = [d for d in wanted if OPEN in d.attributes]
    stay = [o for o in seen.values() if not any(_may_show(o, leaf) for leaf in leaves)]
    taken = {o.name for o in (*stay, *told)}
    others = [
        replace(o, name=name_for(o, taken)) if any(o.name == d.name for d in told) else o
        for o in stay
    ]
    return replace(scene, objects=(*others, *told))


def _shown(device: SceneObject, seen: dict[str, SceneObject]) -> SceneObject:
    """The device as it is seen, which is taken out of what is seen; or as the building has it."""
    near = {n: o for n, o in seen.items() if _may_show(o, device)}
    if not near:
        return replace(device, visible=False)
    name = min(near, key=lambda n: near[n].distance_to(device.position))
    thing = seen.pop(name)
    if OPEN in device.attributes:
        return replace(device, color=thing.color, visible=thing.visible, points=thing.points)
    return replace(thing, name=device.name, category=device.category, attributes=device.attributes)


def _may_show(thing: SceneObject, device: SceneObject) -> bool:
    if not is_a(thing.category, device.category.split()[-1]):
        return False
    both = (replace(thing, name="thing"), replace(device, name="device"))
    return SceneView(Scene(0.0, both)).horizontal_gap("thing", "device") <= _BESIDE_M
