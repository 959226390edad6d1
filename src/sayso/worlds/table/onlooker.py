"""What an onlooker sees of the simulated table: true places with a millimetre of noise, and sights.

No picture is rendered: a thing that is not fixed is in sight where lines from a camera to enough
points of it meet no furniture and no other thing. The robot's own body hides nothing, as if
further cameras looked past it. What is out of sight stays as it was seen last, and goes with the
furniture that it was in, until the place where it would have to be is seen to be empty; what was
never in sight is not known.
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
_PLAIN = 0.5
"""Share of a thing's points that would be seen for certain, were it there."""
_GRID = np.stack(np.meshgrid(*[[-0.45, 0.0, 0.45]] * 3), axis=-1).reshape(-1, 3)


class Onlooker:
    """Follows one world; each look is seen from its static camera.

    Args:
        rng: of the noise.
    """

    def __init__(self, world: TableWorld, rng: np.random.Generator) -> None:
        self._world, self._rng = world, rng
        self._fixed = tuple(f.name for f in world.table.known())
        self._movable = tuple(t.name for t in world.table.things)
        self._seen: dict[str, SceneObject] = {}
        self._inside: dict[str, tuple[str, Pose]] = {}

    def look(self) -> Scene:
        """What is in sight now, and what was seen before where it has to be now."""
        true = self._world.true_scene()
        now = [o for o in true.objects if o.name in self._fixed or o.carried or self._in_sight(o)]
        self._seen |= {o.name: self._observed(o) for o in now}
        for thing in now:
            self._note_room(self._seen[thing.name])
        for name in self._seen.keys() - {o.name for o in now}:
            self._seen[name] = believed = self._remembered(self._seen[name])
            if self._share_in_sight(believed) >= _PLAIN:
                del self._seen[name]
        names = dict.fromkeys((*self._movable, *(o.name for o in true.objects)))
        return replace(true, objects=tuple(self._seen[n] for n in names if n in self._seen))

    def _note_room(self, thing: SceneObject) -> None:
        """Of what furniture a thing is inside, and where in it."""
        self._inside.pop(thing.name, None)
        for name in self._fixed if thing.name not in self._fixed else ():
            room = self._seen[name]
            if _within(thing, room):
                self._inside[thing.name] = name, room.pose.inverse() @ thing.pose

    def _remembered(self, thing: SceneObject) -> SceneObject:
        """What is out of sight, gone along with the furniture that it is in."""
        pose = thing.pose
        if thing.name in self._inside:
            room, place = self._inside[thing.name]
            pose = self._seen[room].pose @ place
        return replace(
            thing, position=pose.position, orientation=pose.orientation, visible=False,
            carried=False,
        )  # fmt: skip

    def _in_sight(self, thing: SceneObject) -> bool:
        return self._share_in_sight(thing) >= _ENOUGH

    def _share_in_sight(self, thing: SceneObject) -> float:
        points = thing.pose.transform(_GRID * np.array(thing.size))
        return self._world.share_in_sight(thing.name, points, _CAMERA)

    def _observed(self, thing: SceneObject) -> SceneObject:
        x, y, z = (np.array(thing.position) + self._rng.normal(0, _SEEN_M, 3)).tolist()
        attributes = {
            k: v if isinstance(v, bool | str) else float(v + self._rng.normal(0, _SEEN_SHARE))
            for k, v in thing.attributes.items()
        }
        return replace(thing, position=(x, y, z), attributes=attributes)


def _within(thing: SceneObject, room: SceneObject) -> bool:
    off = np.abs(np.subtract(thing.position, room.position))
    return bool((off < np.array(room.size) / 2).all())
