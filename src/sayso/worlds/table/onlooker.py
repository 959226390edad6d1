"""What an onlooker sees of the simulated table: true places with a millimetre of noise, and sights.

No picture is rendered: a thing that is not fixed is in sight where lines from a camera to enough
points of it meet no furniture and no other thing. The robot's own body hides nothing, as if
further cameras looked past it. What is out of sight stays as it was seen last, and goes with the
furniture that it was in; what was never in sight is not known.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sayso.core.geometry import Pose
from sayso.core.scene import Scene, SceneObject
from sayso.worlds.table.table_world import TableWorld

_CAMERA = "static"
_SEEN_M, _SEEN_SHARE = 0.001, 0.004
"""Standard deviations of places and of how far fixtures are along their travel."""
_ENOUGH = 0.2
"""Share of a thing's points that has to be seen."""
_GRID = np.stack(np.meshgrid(*[[-0.45, 0.0, 0.45]] * 3), axis=-1).reshape(-1, 3)


class Onlooker:
    """Follows one world; each look is seen from its static camera.

    Args:
        rng: of the noise.
    """

    def __init__(self, world: TableWorld, rng: np.random.Generator) -> None:
        self._world, self._rng = world, rng
        self._fixed = {f.name for f in world.table.known()}
        self._seen: dict[str, SceneObject] = {}
        self._inside: dict[str, tuple[str, Pose]] = {}

    def look(self) -> Scene:
        """What is in sight now, and what was seen before where it has to be now."""
        true = self._world.true_scene()
        for thing in true.objects:
            if thing.name in self._fixed or thing.carried or self._in_sight(thing):
                self._seen[thing.name] = self._observed(thing)
        known = (self._seen[o.name] for o in true.objects if o.name in self._seen)
        self._remember(true, present := {o.name: o for o in known})
        return replace(true, objects=tuple(present.values()))

    def _remember(self, true: Scene, known: dict[str, SceneObject]) -> None:
        """Places of what is out of sight, in the furniture that it was in."""
        for name, thing in known.items():
            if name in self._fixed:
                continue
            if thing.last_seen_s >= true.stamp_s:
                room = next((o for o in known.values() if _within(thing, o, self._fixed)), None)
                self._inside.pop(name, None)
                if room is not None:
                    self._inside[name] = room.name, room.pose.inverse() @ thing.pose
                continue
            hidden = replace(thing, visible=False, carried=False)
            if name in self._inside:
                room_name, place = self._inside[name]
                pose = known[room_name].pose @ place
                hidden = replace(hidden, position=pose.position, orientation=pose.orientation)
            known[name] = self._seen[name] = hidden

    def _in_sight(self, thing: SceneObject) -> bool:
        points = thing.pose.transform(_GRID * np.array(thing.size))
        return self._world.share_in_sight(thing.name, points, _CAMERA) >= _ENOUGH

    def _observed(self, thing: SceneObject) -> SceneObject:
        x, y, z = (np.array(thing.position) + self._rng.normal(0, _SEEN_M, 3)).tolist()
        attributes = {
            k: v if isinstance(v, bool | str) else float(v + self._rng.normal(0, _SEEN_SHARE))
            for k, v in thing.attributes.items()
        }
        return replace(thing, position=(x, y, z), attributes=attributes)


def _within(thing: SceneObject, room: SceneObject, fixed: set[str]) -> bool:
    if room.name not in fixed:
        return False
    off = np.abs(np.subtract(thing.position, room.position))
    return bool((off < np.array(room.size) / 2).all())
